"""`blame`: the messages that a reply depends on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.asking import ReplySource, reply_sources
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json
from inspector.cli.schema.values import json_output
from inspector.cli.text.blame_text import sources_lines
from inspector.core.conversation import Message
from inspector.library import OpenSession


@json_output()
class BlameOutput:
    """The sources of a reply: each of its values and sentences with the messages that state it."""

    session: Annotated[str, "the session's id"]
    agent: str
    turn: Annotated[int, "of the reply"]
    message: Annotated[int, "position of the reply in the log, from 1"]
    sources: Annotated[Sequence[ReplySource], "values first, in the order of the reply"]


@click.command()
@target
@turn_option
@click.option(
    "--message",
    "number",
    type=click.IntRange(1),
    metavar="N",
    help="The reply with this number, as printed by inspector show.",
)
@agent_option
@redact_option
@common
def blame(target: str, turn: int | None, number: int | None, agent: str | None, db: Path | None, as_json: bool) -> None:
    """Show which messages state what a reply states, and what none does.

    Lists each value and sentence of the reply with the earlier messages that state it, whether the request still
    contained them, and what is stated nowhere. Without --turn or --message, the last reply. SESSION is a file, FILE#N,
    or the id of a stored session.
    """
    with open_session(target, db) as session:
        turn, reply = _reply_of(session, turn, number, agent)
        log = session.bench.session
        window = session.bench.window(turn, reply.agent)
        sources = reply_sources(log, session.bench.fact_index(), window, reply)
        place = log.messages.index(reply) + 1
        if as_json:
            echo_json(
                BlameOutput(session=session.bench.id, agent=reply.agent, turn=turn, message=place, sources=sources)
            )
        else:
            echo("\n".join(sources_lines(log, sources, turn, place)))


def _reply_of(session: OpenSession, turn: int | None, number: int | None, agent: str | None) -> tuple[int, Message]:
    """Return the turn and the message of the chosen reply. Raises UsageError and CommandError."""
    log = session.bench.session
    if number is not None:
        if turn is not None:
            raise UsageError("--message cannot be combined with --turn.")
        if number > len(log.messages):
            raise UsageError(f"There is no message {number:,}. The last one is {len(log.messages):,}.")
        reply = log.messages[number - 1]
        if not reply.is_reply:
            raise UsageError(f"Message {number:,} is not a reply of a model. inspector show lists the messages.")
        return log.turns(reply.agent).index(number - 1) + 1, reply
    agent = agent_of(session, agent)
    check_turn(session, turn, agent)
    turns = log.turns(agent)
    if not turns:
        raise CommandError(f"The agent {agent} has no reply in this session.")
    if turn is not None and turn > len(turns):
        raise UsageError(f"There is no reply to the current context. The last turn is {len(turns):,}.")
    turn = turn or len(turns)
    return turn, log.messages[turns[turn - 1]]
