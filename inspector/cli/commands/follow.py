"""`follow`: what comes into a session that another program is writing, as it comes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from inspector.cli.arguments import open_library
from inspector.cli.options import common, limit_option, target
from inspector.cli.output import echo, echo_json_line, paint
from inspector.cli.schema import record
from inspector.cli.schema.following_schema import (
    FollowCompactionOutput,
    FollowCountedOutput,
    FollowCutOutput,
    FollowDamageOutput,
    FollowMessageOutput,
    FollowProblemOutput,
    FollowSessionOutput,
)
from inspector.cli.schema.windows import SessionRecord, size_change_fields
from inspector.cli.text.following_text import (
    compaction_line,
    counted_line,
    cut_line,
    damage_lines,
    heading_lines,
    row_line,
)
from inspector.library import speaker
from inspector.library.diagnosis import verdict
from inspector.library.tailing import POLL, Follower, Moment, source_of


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
                echo_json_line(_event_record(event))
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


def _event_record(event: _Event) -> Mapping[str, Any]:
    match event:
        case "session", Moment() as moment, _:
            return _session_record(moment)
        case "message", Moment() as moment, fresh:
            return record(
                FollowMessageOutput,
                fresh.message,
                event="message",
                again=fresh.again,
                number=fresh.number,
                who=speaker(fresh.message, {}),
                tokens=fresh.tokens,
                window=fresh.total,
                window_how=moment.sizes.window_certainty,
                says=fresh.says,
            )
        case "damage", _, problems:
            return FollowDamageOutput(event="damage", damage=[str(problem) for problem in problems])
        case "cut", Moment() as moment, _:
            return FollowCutOutput(
                event="cut",
                before=moment.before,
                messages=len(moment.session.messages),
                same=moment.same,
                window=moment.window.total,
                window_how=moment.sizes.window_certainty,
            )
        case "counted", Moment() as moment, _:
            return FollowCountedOutput(
                event="counted",
                window=moment.window.total,
                window_how=moment.sizes.window_certainty,
                limit=moment.window.limit,
                verdict=verdict(moment.bench, moment.agent).statement.text,
            )
        case "compaction", _, compaction:
            sizes = size_change_fields(compaction.sizes)
            return record(FollowCompactionOutput, compaction, event="compaction", **sizes)
        case _, _, problem:
            return FollowProblemOutput(event="problem", problem=problem)


def _session_record(moment: Moment) -> FollowSessionOutput:
    facts = record(
        SessionRecord,
        moment.session,
        messages=len(moment.session.messages),
        turns=moment.turns,
        agents=len(moment.session.agents),
    )
    return FollowSessionOutput(
        event="session",
        session=facts,
        agent=moment.agent,
        window=moment.window.total,
        window_how=moment.sizes.window_certainty,
        counted=not moment.sizes.is_partial,
        limit=moment.window.limit,
        verdict=verdict(moment.bench, moment.agent).statement.text,
    )
