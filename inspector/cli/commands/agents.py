"""`agents`: how the agents of a session worked together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.multi_agent import (
    Adoption,
    AgentCollaboration,
    GroupRow,
    MatrixCell,
    PartyRow,
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
from inspector.cli.schema.values import Missed, json_output
from inspector.cli.text.agents_text import agents_text, arrival_text
from inspector.core.conversation import Session
from inspector.library import OpenSession
from inspector.llm.tokens import mark

MessageId = Annotated[str, "id of the message"]


@json_output(inline="transfer")
class TransferOutput:
    """What one agent wrote and another one was sent."""

    transfer: Transfer
    source: Annotated[MessageId, "that was written"]
    holder: Annotated[MessageId, "in the reader's context that holds it; in a group chat the source itself"]


@json_output(inline="use")
class ToolUseOutput:
    """An agent's question to a tool."""

    use: ToolUse
    call: MessageId
    result: MessageId


@json_output(inline="repeat")
class RepeatOutput:
    """A question that a second agent asked again, and got the same answer."""

    repeat: Repeat
    first: ToolUseOutput
    again: ToolUseOutput


@json_output(inline="adoption")
class AdoptionOutput:
    """A fact of one agent that another one used. Neither it nor the person had told it."""

    adoption: Adoption
    source: Annotated[MessageId, "in which the writer told it"]
    holder: Annotated[MessageId, "through which it came to the reader"]
    use: Annotated[MessageId, "the reader's first reply that needed it"]


@json_output(inline="unread")
class UnreadOutput:
    """What was meant for others, and was in nobody's prompt."""

    unread: Unread
    message: MessageId


@json_output()
class ArrivalOutput:
    """A message with words of other agents that came into a prompt at the turn that was asked for."""

    message: MessageId
    writers: Sequence[str]
    text: Annotated[str, "all of it, byte for byte"]


@json_output(optional="arrivals")
class AgentsOutput:
    """How a session's agents worked together."""

    session: Annotated[str, "the session's id"]
    summary: Annotated[str, "all of it in a sentence"]
    certainty: Annotated[str, "how it is known who read what; empty where nobody read anything"]
    estimated: Annotated[bool, "whether tokens are estimates"]
    agents: Sequence[PartyRow]
    matrix: Annotated[Collection[MatrixCell], "pairs of which one read the other"]
    transfers: Sequence[TransferOutput]
    repeats: Sequence[RepeatOutput]
    adoptions: Sequence[AdoptionOutput]
    unread: Sequence[UnreadOutput]
    groups: Sequence[GroupRow]
    missed: Missed
    arrivals: Annotated[Sequence[ArrivalOutput] | None, "with `--turn`"]


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
    return AgentsOutput(
        session=session.id,
        summary=describe_collaboration(collaboration),
        certainty=describe_certainty(collaboration),
        estimated=collaboration.estimated,
        agents=collaboration.rows,
        matrix=collaboration.matrix.values(),
        transfers=[
            TransferOutput(transfer=row, source=_id(session, row.source), holder=_id(session, row.holder))
            for row in collaboration.transfers
        ],
        repeats=[
            RepeatOutput(repeat=row, first=_use(session, row.first), again=_use(session, row.again))
            for row in collaboration.repeats
        ],
        adoptions=[_adoption(session, row) for row in collaboration.adoptions or ()],
        unread=[UnreadOutput(unread=row, message=_id(session, row.message)) for row in collaboration.unread],
        groups=collaboration.groups,
        missed=failures,
        arrivals=_arrivals(collaboration, agent, turn) if agent is not None and turn is not None else None,
    )


def _id(session: Session, position: int) -> str:
    return session.messages[position].id


def _use(session: Session, use: ToolUse) -> ToolUseOutput:
    return ToolUseOutput(use=use, call=_id(session, use.call), result=_id(session, use.result))


def _adoption(session: Session, row: Adoption) -> AdoptionOutput:
    source, holder, use = (_id(session, position) for position in (row.source, row.holder, row.use))
    return AdoptionOutput(adoption=row, source=source, holder=holder, use=use)


def _arrivals(collaboration: AgentCollaboration, agent: str, turn: int) -> list[ArrivalOutput]:
    return [
        ArrivalOutput(message=message.id, writers=writers, text=message.text)
        for message, writers in collaboration.arrivals_at(agent, turn)
    ]
