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
from inspector.cli.arguments import check_turn, open_session
from inspector.cli.command_errors import UsageError, did_you_mean, gate
from inspector.cli.options import common, redact_option, target
from inspector.cli.output import echo, echo_json, progress
from inspector.cli.schema.values import Missed, json_output
from inspector.cli.text.agents_text import agents_text, arrival_text
from inspector.core.conversation import Session
from inspector.core.text import listed
from inspector.library import OpenSession
from inspector.llm.tokens import mark

MessageId = Annotated[str, "id of the message"]


@json_output(inline="transfer")
class TransferOutput:
    """Text of one agent in another agent's context."""

    transfer: Transfer
    source: Annotated[MessageId, "written"]
    holder: Annotated[MessageId, "in the reader's context that contains it; in a group chat the source itself"]


@json_output(inline="use")
class ToolUseOutput:
    """A tool call of an agent."""

    use: ToolUse
    call: MessageId
    result: MessageId


@json_output(inline="repeat")
class RepeatOutput:
    """A tool call that a second agent repeated, with the same result."""

    repeat: Repeat
    first: ToolUseOutput
    again: ToolUseOutput


@json_output(inline="adoption")
class AdoptionOutput:
    """A fact that one agent took over from another, and that no user message contains."""

    adoption: Adoption
    source: Annotated[MessageId, "in which the writer stated it"]
    holder: Annotated[MessageId, "that passed it to the reader"]
    use: Annotated[MessageId, "the reader's first reply that needed it"]


@json_output(inline="unread")
class UnreadOutput:
    """A message to other agents that no prompt contains."""

    unread: Unread
    message: MessageId


@json_output()
class ArrivalOutput:
    """A message with text of other agents that entered a prompt at the requested turn."""

    message: MessageId
    writers: Sequence[str]
    text: Annotated[str, "the whole text, byte for byte"]


@json_output(optional="arrivals")
class AgentsOutput:
    """Collaboration of a session's agents."""

    session: Annotated[str, "the session's id"]
    summary: Annotated[str, "everything in one sentence"]
    certainty: Annotated[str, "how readers were determined; empty if no agent read another one"]
    estimated: Annotated[bool, "true if tokens are estimates"]
    agents: Sequence[PartyRow]
    matrix: Annotated[Collection[MatrixCell], "pairs of agents of which one read the other"]
    transfers: Sequence[TransferOutput]
    repeats: Sequence[RepeatOutput]
    adoptions: Sequence[AdoptionOutput]
    unread: Sequence[UnreadOutput]
    groups: Sequence[GroupRow]
    missed: Missed
    arrivals: Annotated[Sequence[ArrivalOutput] | None, "with `--turn`"]


@click.command()
@target
@click.option("--agent", metavar="NAME", help="Only text that this agent wrote or read.")
@click.option(
    "--turn",
    type=click.IntRange(1),
    metavar="N",
    help="Text of other agents in the agent's prompt at its N-th call, verbatim.",
)
@click.option("--all", "unfolded", is_flag=True, help="List everything.")
@click.option(
    "--fail-repeated",
    type=click.IntRange(0),
    metavar="TOKENS",
    help="Exit with 3 if repeated calls returned more tokens than this.",
)
@redact_option
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
    """Show which agent wrote what, and whose prompt it went into.

    For a session of several agents: sub-agents, or a group chat. Shows the text that each agent wrote and received, the
    files and searches that several agents read, the facts that one agent took over from another, and the messages that
    no agent received. SESSION is a file, FILE#N, or the id of a stored session.
    """
    with open_session(target, db) as session:
        collaboration = _teamwork_of(session, agent)
        if turn is not None:
            if agent is None:
                raise UsageError("--turn requires --agent.")
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
    """Return how the agents worked together, or one agent's part. Raises UsageError if the agent does not exist."""
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
            f"There is no agent {agent!r} in this session. Agents: {listed(names)}.{did_you_mean(agent, names)}"
        )
    return collaboration if agent is None else collaboration.of_agent(agent)


def _failures(collaboration: AgentCollaboration, most: int | None) -> Iterator[str]:
    if most is not None and collaboration.wasted_tokens > most:
        yield f"Repeated calls returned {collaboration.wasted_tokens:,} tokens, more than {most:,}."


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
