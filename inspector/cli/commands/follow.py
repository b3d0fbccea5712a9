"""`follow`: print the messages of a session while another program writes it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from inspector.analysis import redaction
from inspector.cli.arguments import open_library
from inspector.cli.commands.show import SessionOutput, session_output
from inspector.cli.options import common, limit_option, redact_option, target
from inspector.cli.output import checked_output, echo, echo_json_line, paint
from inspector.cli.redacted_rows import redacted_values
from inspector.cli.redactions import chosen_kinds, is_redacting
from inspector.cli.schema.values import json_output
from inspector.cli.text.following_text import (
    compaction_line,
    counted_line,
    cut_line,
    damage_lines,
    heading_lines,
    row_line,
)
from inspector.core.conversation import Kind, Role
from inspector.core.json_objects import Tokens, Turn
from inspector.engine.window import SizeChange
from inspector.library import save_followed, speaker
from inspector.library.diagnosis import verdict
from inspector.library.tailing import POLL, Follower, FreshMessage, Moment, source_of
from inspector.llm.tokens import Certainty
from inspector.store import Store

_Window = Annotated[Tokens, "of the current context"]
_How = Annotated[Certainty, "how the number is known"]
_Limit = Annotated[Tokens, "limit of the window"]
_Time = Annotated[str, "as recorded; empty if it was not"]
_Sentence = Annotated[str, "diagnosis of its context so far, in a sentence"]


@json_output()
class FollowSessionOutput:
    """The followed session; printed again if another recording replaces it."""

    event: Literal["session"] = "session"
    session: SessionOutput
    agent: Annotated[str, "agent of the window"]
    window: _Window
    window_how: _How
    counted: Annotated[bool, "false for a long log with sizes estimated from its length: `counted` follows"]
    limit: _Limit
    verdict: _Sentence


@json_output()
class FollowMessageOutput:
    """A new message."""

    event: Literal["message"] = "message"
    again: Annotated[bool, "true if it was printed before and has grown"]
    number: Annotated[int, "place in the log, from 1"]
    id: str
    role: Role
    kind: Kind
    agent: str
    who: Annotated[str, "speaker: the name of a tool, or the role"]
    tokens: Tokens
    window: Annotated[Tokens, "of its agent's context up to it"]
    window_how: _How
    time: _Time
    says: Annotated[str, "its tool activity, or the beginning of its text, on one line"]


@json_output(inline="sizes")
class FollowCompactionOutput:
    """A compaction in the recording."""

    sizes: SizeChange
    event: Literal["compaction"] = "compaction"
    turn: Annotated[Turn, "the first turn after it"]
    time: _Time


@json_output()
class FollowCutOutput:
    """The log became shorter. The messages printed next, from `same` on, replace the earlier ones."""

    event: Literal["cut"] = "cut"
    before: Annotated[int, "messages of the log before"]
    messages: Annotated[int, "messages of the log now"]
    same: Annotated[int, "unchanged messages from the start of the log"]
    window: _Window
    window_how: _How


@json_output()
class FollowCountedOutput:
    """All messages are counted now. Sizes printed before were estimates."""

    event: Literal["counted"] = "counted"
    window: _Window
    window_how: _How
    limit: _Limit
    verdict: _Sentence


@json_output()
class FollowDamageOutput:
    """New parts that cannot be read; after `session`, all unreadable parts of the file. The rest is read."""

    event: Literal["damage"] = "damage"
    damage: Annotated[Sequence[str], "a sentence for each part that was skipped or repaired"]


@json_output()
class FollowProblemOutput:
    """Why the file cannot be read at the moment. Reading is retried."""

    event: Literal["problem"] = "problem"
    problem: Annotated[str, "in a sentence; empty when it can be read again"]


@click.command()
@target
@click.option(
    "--last",
    type=click.IntRange(0),
    default=10,
    metavar="N",
    help="Number of existing messages to print first.",
)
@click.option(
    "--until-idle", type=click.FloatRange(0), metavar="SECONDS", help="Stop when no message has arrived for this long."
)
@limit_option
@redact_option
@common
def follow(target: str, last: int, until_idle: float | None, limit: int, db: Path | None, as_json: bool) -> None:
    """Follow a session that another program is writing.

    SESSION is a file, a folder (its most recently changed file, and new files), or a stored session. Prints each
    message with the size of the window, and each compaction. With --json, each line is an object. Stop it with ctrl+c.
    Never writes to the followed file.
    """
    redactor = redaction.Redactor((), *chosen_kinds()) if is_redacting() else None
    with open_library(db) as lib, checked_output(redactor.check) if redactor else nullcontext():
        follower = Follower(source_of(target, lib.store), limit, lib.store)
        for event in _saving_totals(_events(follower, last, until_idle), lib.store):
            if redactor:
                event = _redacted_event(redactor, event)
            if as_json:
                output = _event_output(event)
                echo_json_line(redacted_values(output, redactor) if redactor else output)
            else:
                lines = _event_lines(event)
                echo("\n".join(map(redactor.text_of, lines) if redactor else lines))


_Event = tuple[str, Moment | None, Any]
"""Kind of event (session, damage, message, cut, compaction, counted or problem), the moment, and its subject."""


def _redacted_event(redactor: redaction.Redactor, event: _Event) -> _Event:
    """Collect the secrets of an event's messages, and return the event with a message that contains none."""
    kind, moment, subject = event
    if kind == "session" and moment:
        redaction.collect_session(redactor, moment.session)
    if kind == "message":
        redaction.collect_message(redactor, subject.message)
        subject = replace(subject, words=redacted_values(subject.says, redactor))
    return kind, moment, subject


def _events(follower: Follower, last: int, until_idle: float | None) -> Iterator[_Event]:
    """Yield events until no message has arrived for `until_idle` seconds."""
    problem, idle_since = "", time.monotonic()
    while True:
        moment = follower.poll()
        if follower.source.problem != problem:
            problem = follower.source.problem
            yield "problem", None, problem
        if moment is not None:
            yield from _events_of(moment, last)
        if moment is not None or follower.is_busy or follower.source.is_waiting:
            idle_since = time.monotonic()
        elif until_idle is not None and time.monotonic() - idle_since >= until_idle:
            return
        if not follower.is_busy:
            time.sleep(POLL)


def _saving_totals(events: Iterator[_Event], store: Store | None) -> Iterator[_Event]:
    """Yield events, and save the totals of the session at the end."""
    newest: Moment | None = None
    try:
        for event in events:
            newest = event[1] or newest
            yield event
    finally:
        if newest is not None:
            save_followed(store, newest.session, newest.sizes)


def _events_of(moment: Moment, last: int) -> Iterator[_Event]:
    """Yield the events of a moment, in the order of the log."""
    fresh = moment.fresh
    if moment.begins:
        yield "session", moment, moment.session
        fresh = fresh[len(fresh) - min(last, len(fresh)) :]
    elif moment.is_cut:
        yield "cut", moment, moment.cut_words
    if moment.damage:
        yield "damage", moment, moment.damage
    compactions = list(moment.compactions)
    for message in fresh:
        if compactions and message.message.kind == "summary":
            yield "compaction", moment, compactions.pop(0)
        yield "message", moment, message
    for compaction in compactions:
        yield "compaction", moment, compaction
    if moment.settles:
        yield "counted", moment, None


def _event_lines(event: _Event) -> Iterator[str]:
    match event:
        case "session", Moment() as moment, _:
            yield from heading_lines(moment, verdict(moment.bench, moment.agent).statement.text)
        case "message", Moment() as moment, message:
            yield row_line(moment, message)
        case "counted", Moment() as moment, _:
            yield counted_line(moment)
        case "damage", Moment(), problems:
            yield from damage_lines(problems)
        case "cut", Moment() as moment, words:
            yield cut_line(moment, words)
        case "compaction", _, compaction:
            yield compaction_line(compaction)
        case _, _, problem:
            yield paint(problem or "The file can be read again.", "warn")


def _event_output(event: _Event) -> object:
    """Return an event for JSON output."""
    match event:
        case "session", Moment() as moment, _:
            return FollowSessionOutput(
                session=session_output(moment.bench, moment.agent),
                agent=moment.agent,
                window=moment.window.total,
                window_how=moment.sizes.window_certainty,
                counted=not moment.sizes.is_partial,
                limit=moment.window.limit,
                verdict=verdict(moment.bench, moment.agent).statement.text,
            )
        case "message", Moment() as moment, fresh:
            return _message_output(moment, fresh)
        case "damage", _, problems:
            return FollowDamageOutput(damage=list(map(str, problems)))
        case "cut", Moment() as moment, _:
            return FollowCutOutput(
                before=moment.before,
                messages=len(moment.session.messages),
                same=moment.same,
                window=moment.window.total,
                window_how=moment.sizes.window_certainty,
            )
        case "counted", Moment() as moment, _:
            return FollowCountedOutput(
                window=moment.window.total,
                window_how=moment.sizes.window_certainty,
                limit=moment.window.limit,
                verdict=verdict(moment.bench, moment.agent).statement.text,
            )
        case "compaction", _, compaction:
            return FollowCompactionOutput(sizes=compaction.sizes, turn=compaction.turn, time=compaction.time)
        case _, _, problem:
            return FollowProblemOutput(problem=problem)


def _message_output(moment: Moment, fresh: FreshMessage) -> FollowMessageOutput:
    message = fresh.message
    return FollowMessageOutput(
        again=fresh.again,
        number=fresh.number,
        id=message.id,
        role=message.role,
        kind=message.kind,
        agent=message.agent,
        who=speaker(message, {}),
        tokens=fresh.tokens,
        window=fresh.total,
        window_how=moment.sizes.window_certainty,
        time=message.time,
        says=fresh.says,
    )
