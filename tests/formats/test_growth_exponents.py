"""How the work of reading, diagnosing and replaying a session grows with its parts: the exponent is 1 in proportion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import log2
from pathlib import Path

import pytest

from inspector.analysis.tool_activity import Actions
from inspector.engine.window import at_turn
from inspector.formats import load
from inspector.llm.tokens import estimate_sizes
from tests.cli.calling import inspect
from tests.formats.written import Scribe, calls, says, write_lines
from tests.growth import calls_made

BASE = 60
REPLY = {"role": "assistant", "content": "There are three."}


def talk(scribe: Scribe, number: int, tools: int = 1, name: str = "Read") -> None:
    scribe.ask(f"u{number}", f"Question {number}.")
    asked = [f"t{number}_{place}" for place in range(tools)]
    scribe.reply(f"a{number}", f"m{number}", *(calls(one, name, file_path=f"/srv/{one}.py") for one in asked))
    for one in asked:
        scribe.answer(f"r{one}", one, f"Text of {one}.")
    scribe.reply(f"e{number}", f"n{number}", says(f"Answer {number}."))


def compactions(scribe: Scribe, count: int) -> None:
    for number in range(count):
        talk(scribe, number)
        scribe.last = None
        scribe.add("system", f"c{number}", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
        scribe.ask(f"s{number}", f"This session is being continued, {number}.", isCompactSummary=True)


def calls_per_message(scribe: Scribe, count: int) -> None:
    talk(scribe, 0, tools=count)


def branches(scribe: Scribe, count: int) -> None:
    talk(scribe, 0)
    root = scribe.last
    for number in range(1, count):
        scribe.last = root
        talk(scribe, number)


def tool_variety(scribe: Scribe, count: int) -> None:
    for number in range(count):
        talk(scribe, number, name=f"mcp__server{number}__tool{number}")


DIMENSIONS: Mapping[str, Callable[[Scribe, int], None]] = {
    "compactions": compactions,
    "calls per message": calls_per_message,
    "branches": branches,
    "tool variety": tool_variety,
}


def read_all(path: Path) -> int:
    sessions = load(path)
    for session in sessions:
        at_turn(session, estimate_sizes(session), None)
        actions = Actions(session.messages)
        for message in session.messages:
            actions.of(message)
    return len(sessions)


def written(dimension: str, path: Path, count: int) -> Path:
    if dimension == "sessions per file":
        talks = (f"Count the orders of {number}." for number in range(count))
        return write_lines(path, ({"messages": [{"role": "user", "content": text}, REPLY]} for text in talks))
    scribe = Scribe()
    DIMENSIONS[dimension](scribe, count)
    return scribe.write(path)


@pytest.mark.parametrize("dimension", [*DIMENSIONS, "sessions per file"])
def test_reading_grows_in_proportion(
    dimension: str, tmp_path: Path, record_property: Callable[[str, float], None]
) -> None:
    made: list[int] = []
    for count in (BASE, BASE, 2 * BASE):  # the first time loads modules and compiles patterns
        path = written(dimension, tmp_path / f"{len(made)}.jsonl", count)
        made.append(calls_made(partial(read_all, path)))
    assert read_all(path) == (2 * BASE if dimension == "sessions per file" else 1)
    exponent = log2(made[2] / made[1])
    record_property(f"growth exponent of {dimension}", round(exponent, 2))
    assert exponent < 1.25, f"{dimension}: {made[1]:,} calls for {BASE}, {made[2]:,} for {2 * BASE}"


SIZES = {("why", "compactions"): (80, 1.1)}
"""Larger sizes, and the limits of the exponents there, where the constant part of the work hides how it grows."""
COMMANDS = {"why": ("why",), "replay": ("replay", "--preset", "balanced")}


def run(command: str, path: Path) -> None:
    assert inspect(*COMMANDS[command], path).code == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("dimension", [*DIMENSIONS, "sessions per file"])
def test_diagnosis_and_replay_grow_in_proportion(
    command: str, dimension: str, tmp_path: Path, record_property: Callable[[str, float], None]
) -> None:
    base, limit = SIZES.get((command, dimension), (BASE // 2, 1.25))
    made: list[int] = []
    for count in (5, base, 2 * base):
        path = written(dimension, tmp_path / f"{len(made)}.jsonl", count)
        made.append(calls_made(partial(run, command, path)))
    exponent = log2(made[2] / made[1])
    record_property(f"growth exponent of {command} in {dimension}", round(exponent, 2))
    assert exponent < limit, f"{dimension}: {made[1]:,} calls for {base}, {made[2]:,} for {2 * base}"
