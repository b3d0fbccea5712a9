"""`agents`: how the agents of a session worked together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.analysis.multi_agent import (
    Adoption,
    AgentCollaboration,
    Repeat,
    ToolUse,
    Transfer,
    Unread,
    describe_certainty,
    describe_collaboration,
    prices_of,
    read_collaboration,
    with_adoptions,
)
from inspector.cli.arguments import check_turn, listed, open_session
from inspector.cli.command_errors import UsageError, did_you_mean, gate
from inspector.cli.options import common, target
from inspector.cli.output import echo, echo_json, progress
from inspector.cli.schema import record
from inspector.cli.schema.agents_schema import (
    AdoptionRecord,
    AgentRecord,
    AgentsOutput,
    ArrivalRecord,
    GroupRecord,
    ReadingRecord,
    RepeatRecord,
    ToolUseRecord,
    TransferRecord,
    UnreadRecord,
)
from inspector.cli.text.agents_text import agents_text, arrival_text
from inspector.core.conversation import Session
from inspector.library import OpenSession
from inspector.llm.tokens import mark


@click.command()
@target
@click.option("--agent", metavar="NAME", help="Only what this agent wrote or read.")
@click.option(
    "--turn",
    type=click.IntRange(1),
    metavar="N",
    help="What came from others into the agent's prompt at its N-th call, word for word.",
)
@click.option("--all", "unfolded", is_flag=True, help="Every line of every list.")
@click.option(
    "--fail-repeated",
    type=click.IntRange(0),
    metavar="TOKENS",
    help="End with 3 when answers of more tokens than this were asked for twice.",
)
@common
def agents(
    target: str,
    agent: str | None,
    turn: int | None,
    unfolded: bool,
    fail_repeated: int | None,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show who wrote what, and whose prompt it went into.

    For a session of several agents: sub-agents, or a group chat. Shows what each agent wrote and was sent, which files
    were read and searches run by several of them, which facts one took over from another, and what nobody read.
    SESSION is a file, FILE#N, or the id of a stored session.
    """
    with open_session(target, db) as session:
        collaboration = _teamwork_of(session, agent)
        if turn is not None:
            if agent is None:
                raise UsageError("--turn belongs to an agent: name it with --agent.")
            check_turn(
                session, turn, agent if agent in session.bench.session.agents else session.bench.session.agents[0]
            )
        failures = list(_failures(collaboration, fail_repeated))
        if as_json:
            echo_json(_output(collaboration, agent, turn, failures))
        elif turn is not None and agent is not None:
            echo("\n".join(arrival_text(collaboration, agent, turn)))
        else:
            echo("\n".join(agents_text(collaboration, unfolded)))
        return gate(failures)


def _teamwork_of(session: OpenSession, agent: str | None) -> AgentCollaboration:
    """The teamwork, or one agent's part of it. Raises UsageError for an agent that is not there."""
    bench = session.bench
    estimated = bool(mark(bench.sizes.certainty))
    with progress() as on_progress:
        on_progress("reading", 0, 0)
        collaboration = read_collaboration(
            bench.session, bench.sizes.tokens, price_for=prices_of(bench.session), estimated=estimated
        )
        if not collaboration.is_alone:
            collaboration = with_adoptions(collaboration, bench.fact_index())
        else:
            collaboration = with_adoptions(collaboration, None)
    names = collaboration.parties.names
    if agent is not None and agent not in names:
        raise UsageError(
            f"There is no agent {agent!r} in this session; its agents are: {listed(names)}.{did_you_mean(agent, names)}"
        )
    return collaboration if agent is None else collaboration.of_agent(agent)


def _failures(collaboration: AgentCollaboration, most: int | None) -> Iterator[str]:
    if most is not None and collaboration.wasted_tokens > most:
        yield f"Answers of {collaboration.wasted_tokens:,} tokens were asked for twice, which is more than {most:,}."


def _output(
    collaboration: AgentCollaboration, agent: str | None, turn: int | None, failures: Sequence[str]
) -> AgentsOutput:
    session = collaboration.session
    output = record(
        AgentsOutput,
        None,
        session=session.id,
        summary=describe_collaboration(collaboration),
        certainty=describe_certainty(collaboration),
        estimated=collaboration.estimated,
        agents=[record(AgentRecord, row) for row in collaboration.rows],
        matrix=[
            record(ReadingRecord, cell, writer=writer, reader=reader)
            for (writer, reader), cell in collaboration.matrix.items()
        ],
        transfers=[_transfer(session, transfer) for transfer in collaboration.transfers],
        repeats=[_repeat(session, repeat) for repeat in collaboration.repeats],
        adoptions=[_adoption(session, adoption) for adoption in collaboration.adoptions or ()],
        unread=[_unread(session, unread) for unread in collaboration.unread],
        groups=[GroupRecord(name=row.name, writers=row.writers, messages=row.messages) for row in collaboration.groups],
        missed=failures,
    )
    if agent is not None and turn is not None:
        output["arrivals"] = [
            ArrivalRecord(message=message.id, writers=writers, text=message.text)
            for message, writers in collaboration.arrivals_at(agent, turn)
        ]
    return output


def _id(session: Session, position: int) -> str:
    return session.messages[position].id


def _transfer(session: Session, transfer: Transfer) -> TransferRecord:
    return record(TransferRecord, transfer, source=_id(session, transfer.source), holder=_id(session, transfer.holder))


def _use(session: Session, use: ToolUse) -> ToolUseRecord:
    return record(ToolUseRecord, use, call=_id(session, use.call), result=_id(session, use.result))


def _repeat(session: Session, repeat: Repeat) -> RepeatRecord:
    return record(RepeatRecord, repeat, first=_use(session, repeat.first), again=_use(session, repeat.again))


def _adoption(session: Session, adoption: Adoption) -> AdoptionRecord:
    ids = {name: _id(session, getattr(adoption, name)) for name in ("source", "holder", "use")}
    return record(AdoptionRecord, adoption, **ids, **{"class": adoption.cls})


def _unread(session: Session, unread: Unread) -> UnreadRecord:
    return record(UnreadRecord, unread, message=_id(session, unread.message))
