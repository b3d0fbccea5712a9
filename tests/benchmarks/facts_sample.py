"""Draws messages to be labelled, by kind of recording and by who speaks; what the patterns find plays no part in it.

    python -m tests.benchmarks.facts_sample --kind coding=FOLDER --kind chat=FOLDER --seed 12 > sample.json

What is written has the form of the messages of `facts_apart.json`, with no facts yet. `docs/labelling.md`
tells the scheme.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks.facts_places import Span, sha256_of, text_of

SLOTS = {
    "developer": "system",
    "system": "system",
    "human": "typed",
    "user": "typed",
    "assistant": "said",
    "model": "said",
    "tool": "result",
    "toolResult": "result",
    "function": "result",
}
"""Who speaks, by the role that a recording writes; whoever else has a role speaks as an assistant."""
TODO = {"todowrite", "update_plan", "todo", "todo_write", "task_tracker", "taskcreate", "update_todo_list"}
SHORTEST = 80
LONGEST = {"call": 1_000, "result": 1_000, "failed": 1_000}
"""Characters of a window, for what is not 1,500."""
QUOTA = {"system": 14, "typed": 30, "said": 22, "call": 10, "todo": 8, "result": 22, "failed": 14}
"""How many of each slot are drawn of each kind, half of them for each half: rules, plans and errors are rare."""
HALVES = ("open", "locked")
Pointer = tuple[str | int, ...]


@dataclass(frozen=True)
class Unit:
    """A message that may be drawn."""

    kind: str
    file: str
    record: int
    pointer: Pointer
    slot: str
    text: str
    session: tuple[str, int]
    """The file, and the place in it where the file is a list of sessions."""


def units_in(value: Any, pointer: Pointer = ()) -> Iterator[tuple[str, Pointer, str]]:
    """The messages in a JSON value, whatever it is: the slot, where it stands, and the text."""
    if isinstance(value, list):
        for place, each in enumerate(value):
            yield from units_in(each, (*pointer, place))
    elif isinstance(value, dict):
        if value.get("type") == "function_call":
            yield call_unit(value, pointer)
        elif value.get("type") == "function_call_output":
            yield from block_units("result", value.get("output"), (*pointer, "output"))
        elif "role" in value and ("content" in value or "tool_calls" in value):
            yield from message_units(value, pointer)
        elif "speaker" in value and "text" in value:
            yield from block_units("typed", value["text"], (*pointer, "text"))
        else:
            for key, each in value.items():
                yield from units_in(each, (*pointer, key))


def message_units(value: Mapping[str, Any], pointer: Pointer) -> Iterator[tuple[str, Pointer, str]]:
    slot = SLOTS.get(str(value["role"]), "said")
    slot = "failed" if slot == "result" and value.get("isError") else slot
    yield from block_units(slot, value.get("content"), (*pointer, "content"))
    for place, call in enumerate(value.get("tool_calls") or ()):
        yield call_unit(call, (*pointer, "tool_calls", place))


def block_units(slot: str, content: Any, pointer: Pointer) -> Iterator[tuple[str, Pointer, str]]:
    """The messages in the content of one: a text, or blocks of text, calls and results."""
    if isinstance(content, str):
        yield slot, pointer, content
    for place, block in enumerate(content if isinstance(content, list) else ()):
        where = (*pointer, place)
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in ("text", "input_text", "output_text"):
            yield slot, (*where, "text"), block["text"]
        elif kind in ("tool_use", "toolCall"):
            yield call_unit(block, where)
        elif kind == "tool_result":
            yield from block_units(
                "failed" if block.get("is_error") else "result", block["content"], (*where, "content")
            )


def call_unit(call: Mapping[str, Any], pointer: Pointer) -> tuple[str, Pointer, str]:
    text = text_of(call)
    return ("todo" if text.split("\n", 1)[0].lower() in TODO else "call"), pointer, text


def records(content: bytes) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file with their lines; -1 for a file that is one value."""
    try:
        yield -1, orjson.loads(content)
    except ValueError:
        for number, line in enumerate(content.split(b"\n")):
            try:
                yield number, orjson.loads(line)
            except ValueError:
                continue


def frame(kinds: Mapping[str, Sequence[Path]]) -> Iterator[Unit]:
    """Every message of the recordings that is long enough, once."""
    texts: set[str] = set()
    for kind, folders in kinds.items():
        for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            sha256 = hashlib.sha256(content).hexdigest()
            for record, value in records(content):
                several = record < 0 and isinstance(value, list)
                for slot, pointer, text in units_in(value):
                    if len(text) >= SHORTEST and text not in texts:
                        texts.add(text)
                        session = sha256, int(pointer[0]) if several else 0
                        yield Unit(kind, sha256, record, pointer, slot, text, session)


def halves(units: Iterable[Unit], chance: random.Random) -> dict[tuple[str, int], str]:
    """Which half each session belongs to, of each kind as many in one as in the other."""
    sessions: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for unit in units:
        sessions[unit.kind].add(unit.session)
    result: dict[tuple[str, int], str] = {}
    for _, several in sorted(sessions.items()):
        order = sorted(several)
        chance.shuffle(order)
        result |= {session: HALVES[place % 2] for place, session in enumerate(order)}
    return result


def window(text: str, longest: int, chance: random.Random) -> Span:
    """The whole of a short text; of a long one some lines of it, or words where a line is too long."""
    if len(text) <= longest:
        return 0, len(text)
    starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]
    start = chance.choice([place for place in starts if place + 0.6 * longest <= len(text)])
    end = min(len(text), start + longest)
    if end < len(text):
        line = text.rfind("\n", start + longest * 2 // 5, end + 1)
        word = text.rfind(" ", start + 1, end)
        end = line if line > 0 else word if word > 0 else end
    return start, end


def draw(units: Sequence[Unit], seed: int) -> Iterator[dict[str, Any]]:
    """The sample: for each kind, slot and half as many messages as there shall be, or as there are."""
    chance = random.Random(seed)
    half_of = halves(units, chance)
    strata: defaultdict[tuple[str, str, str], list[Unit]] = defaultdict(list)
    for unit in units:
        strata[unit.kind, unit.slot, half_of[unit.session]].append(unit)
    for (kind, slot, half), population in sorted(strata.items()):
        for unit in chance.sample(population, min(QUOTA[slot] // 2, len(population))):
            yield {
                "file": unit.file,
                "record": unit.record,
                "at": unit.pointer,
                "slot": slot,
                "stratum": f"{kind} {slot}",
                "of": len(population),
                "half": half,
                "sha256": sha256_of(unit.text),
                "window": window(unit.text, LONGEST.get(slot, 1_500), chance),
                "facts": {},
            }


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw messages to be labelled.")
    parser.add_argument("--kind", action="append", required=True, metavar="NAME=FOLDER")
    parser.add_argument("--seed", type=int, default=12)
    options = parser.parse_args()
    kinds: defaultdict[str, list[Path]] = defaultdict(list)
    for each in options.kind:
        name, _, folder = each.partition("=")
        kinds[name].append(Path(folder))
    sample = list(draw(list(frame(kinds)), options.seed))
    sys.stdout.buffer.write(orjson.dumps(sample, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
