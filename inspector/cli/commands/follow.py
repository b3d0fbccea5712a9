"""`follow`: what comes into a session that another program is writing, as it comes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from inspector.cli.arguments import open_library
from inspector.cli.commands.show import SessionOutput, session_output
from inspector.cli.options import common, limit_option, target
from inspector.cli.output import echo, echo_json_line, paint
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
from inspector.library import speaker
from inspector.library.diagnosis import verdict
from inspector.library.tailing import POLL, Follower, FreshMessage, Moment, source_of
from inspector.llm.tokens import Certainty

_Window = Annotated[Tokens, "of the context as it now stands"]
_How = Annotated[Certainty, "how the number is known"]
_Limit = Annotated[Tokens, "that the window may take"]
_Time = Annotated[str, "as it was recorded; empty where it was not"]
_Sentence = Annotated[str, "what is known of its context by now, in a sentence"]


@json_output()
class FollowSessionOutput:
    """The session that is followed; again where another recording stands in its place."""

    event: Literal["session"] = "session"
    session: SessionOutput
    agent: Annotated[str, "whose window is meant"]
    window: _Window
    window_how: _How
    counted: Annotated[bool, "false for a long log whose sizes are estimated by its length: `counted` follows"]
    limit: _Limit
    verdict: _Sentence


@json_output()
class FollowMessageOutput:
    """A message that has come."""

    event: Literal["message"] = "message"
    again: Annotated[bool, "whether it has come before, and says more now"]
    number: Annotated[int, "place in the log, from 1"]
    id: str
    role: Role
    kind: Kind
    agent: str
    who: Annotated[str, "who speaks: the name of a tool, or the role"]
    tokens: Tokens
    window: Annotated[Tokens, "of its agent's context up to it"]
    window_how: _How
    time: _Time
    says: Annotated[str, "what it did, or the beginning of what it says, on one line"]


@json_output(inline="sizes")
class FollowCompactionOutput:
    """A compaction that the recording has made."""

    sizes: SizeChange
    event: Literal["compaction"] = "compaction"
    turn: Annotated[Turn, "the first that is sent after it"]
    time: _Time


@json_output()
class FollowCutOutput:
    """The log has fewer messages than before. What is told behind it, from `same` on, stands in the place of others."""

    event: Literal["cut"] = "cut"
    before: Annotated[int, "messages that the log had"]
    messages: Annotated[int, "that it has"]
    same: Annotated[int, "of these, from the first, that are as they were"]
    window: _Window
    window_how: _How


@json_output()
class FollowCountedOutput:
    """All messages are counted now: what was told of sizes before was an estimate."""

    event: Literal["counted"] = "counted"
    window: _Window
    window_how: _How
    limit: _Limit
    verdict: _Sentence


@json_output()
class FollowDamageOutput:
    """What could not be read of what came; behind `session`, of all that is there. The rest is read."""

    event: Literal["damage"] = "damage"
    damage: Annotated[Sequence[str], "a sentence for each part that was left out or put right"]


@json_output()
class FollowProblemOutput:
    """Why nothing can be read now. It is looked at again and again."""

    event: Literal["problem"] = "problem"
    problem: Annotated[str, "in a sentence; empty where it can be read again"]


@click.command()
@target
@click.option(
    "--last",
    type=click.IntRange(0),
    default=10,
    metavar="N",
    help="How many of the messages that are there already are told.",
)
@click.option("--until-idle", type=click.FloatRange(0), metavar="SECONDS", help="End when nothing has come so long.")
@limit_option
@common
def follow(target: str, last: int, until_idle: float | None, limit: int, db: Path | None, as_json: bool) -> None:
    """Follow a session that another program is writing.

    SESSION is a file, a folder (the file in it that changed last, and any that is new there), or a session of the
    store. Each message is told as it comes, with the size of the window by then, and each compaction. With --json,
    each line is an object. It ends with ctrl+c. Nothing is ever written to what is followed.
    """
    with open_library(db) as lib:
        follower = Follower(source_of(target, lib.store), limit)
        for event in _events(follower, last, until_idle):
            if as_json:
                echo_json_line(_event_output(event))
            else:
                echo("\n".join(_event_lines(event)))


_Event = tuple[str, Moment | None, Any]
"""session, damage, message, cut, compaction, counted or problem; the moment; what happened."""


def _events(follower: Follower, last: int, until_idle: float | None) -> Iterator[_Event]:
    """What happens, until nothing has come for so many seconds."""
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


def _events_of(moment: Moment, last: int) -> Iterator[_Event]:
    """What is new at a moment, in the order of the log."""
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
            yield paint(problem or "It can be read again.", "warn")


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
