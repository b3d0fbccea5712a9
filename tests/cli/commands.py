"""Every command, with options that reach into all of its parts; and what holds of each, whatever it was given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

from inspector.core.conversation import Session
from inspector.engine.strategies import STRATEGIES
from inspector.formats import Progress, load
from inspector.library.opening import session_refs
from tests.cli.calling import Ended, inspect

CODES = (0, 1, 2, 3)
"""With which a command ends that is not interrupted, and whose output is read."""
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no output may hold: C0 but tab and newline, DEL, C1, direction marks, half pairs."""
SESSION = "SESSION"
"""Stands for the session in a command line."""

LINES = [
    f"{SESSION}",
    f"ls {SESSION}",
    f"show {SESSION}",
    f"show {SESSION} --turn 1 --fail-over 10 --fail-invalid",
    f"diff {SESSION} -s sliding_window --set keep_recent=0",
    f"diff {SESSION} -s fifo --set max_messages=1 --full --side-by-side",
    f"check {SESSION} --all-turns",
    f"check {SESSION} --provider openai-responses",
    f"count {SESSION}",
    f"export {SESSION}",
    f"export {SESSION} --to anthropic -s selective",
    f"agents {SESSION}",
    f"agents {SESSION} --all --fail-repeated 0",
    f"replay {SESSION}",
    f"replay {SESSION} -s deletion --threshold 1 --facts --all",
    f"report {SESSION} --all",
    f"blame {SESSION}",
    f"tune {SESSION} --jobs 1 --sort cost",
    f"compare {SESSION} --preset aggressive",
    f"probe {SESSION} --passes 2 -s deletion -s sliding_window --classes",
    f"compress {SESSION} --preset balanced",
    f"compress {SESSION} --stage dedupe --stage sliding_window --all",
    f"import {SESSION}",
    f"memory promote {SESSION} 1 --to session --key first --kind state",
    f"memory promote {SESSION} 1-2",
    f"memory ls {SESSION}",
    "memory ls --limit 1",
    "memory search the a of and to is in 1 user what",
    "memory search the a of and to is in 1 user what --k 1 --budget 0",
    f"bookmarks add {SESSION} 1 look at this",
    "bookmarks ls",
    f"find {SESSION} the",
    f"find {SESSION} bookmarked",
    f"find {SESSION} role:user --turn 1 --most 1",
    f"bookmarks rm {SESSION} 1",
    f"pin {SESSION} 1",
    f"drop {SESSION} 1-2",
    f"undo {SESSION}",
    f"why {SESSION}",
    f"state {SESSION}",
    f"top {SESSION}",
    f"lost {SESSION} -s deletion",
    f"uncompact {SESSION}",
    f"restore {SESSION} --for hook --explain",
]
"""One command line after the other, as they change the store: what is imported, pinned and dropped first."""
STRATEGY_LINES = [f"compress {SESSION} -s {name}" for name in STRATEGIES] + [
    f"compress {SESSION} -s {name} --all --set keep_recent=0"
    for name, strategy in STRATEGIES.items()
    if any(knob.name == "keep_recent" for knob in strategy.knobs)
]
FEW = [f"show {SESSION}", f"compress {SESSION} --preset aggressive --force", f"check {SESSION}"]
"""For sessions so large that every command takes its time."""


def run(line: str, session: object, as_json: bool = False) -> Ended:
    """A command; as text, in the narrowest of terminals."""
    words = [session if word == SESSION else word for word in line.split()]
    return inspect(*words, *(["--json"] if as_json else []), COLUMNS="40")


def faults(ended: Ended, as_json: bool) -> Iterator[str]:
    """What is wrong with how a command ended and what it printed; nothing where all is well."""
    if ended.code not in CODES:
        yield f"it ended with {ended.code}"
    if "Internal error" in ended.err or "Traceback" in ended.err:
        yield ended.err
    if found := RAW.search(ended.out + ended.err):
        yield f"{found.group()!r} is printed as it is"
    if ended.code in (1, 2) and not ended.err:
        yield f"it ended with {ended.code} and said nothing"
    if ended.code in (0, 3) and not ended.out and (as_json or not ended.err):
        yield "it printed nothing"
    if as_json:
        yield from json_faults(ended)


def json_faults(ended: Ended) -> Iterator[str]:
    """What is wrong with JSON beside its keys and types, which `inspect` holds against the schema."""
    try:
        value = json.loads(ended.out, parse_constant=no_number)
    except ValueError as error:
        yield f"its output is no JSON: {error}"
        return
    if ended.code in (1, 2) and not value.get("errors"):
        yield f"it ended with {ended.code} and its JSON has no errors"


def no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


@contextmanager
def read_once() -> Iterator[None]:
    """A file that has not changed is read by the first command alone, and what follows from its messages is kept.

    Nothing that was read is ever changed: each command has an equal session without this.
    """
    sessions: dict[tuple[str, int, int], list[Session]] = {}

    def load_once(path: str | Path, progress: Progress | None = None) -> list[Session]:
        state = Path(path).stat()
        key = (str(path), state.st_mtime_ns, state.st_size)
        if key not in sessions:
            sessions[key] = load(path, progress)
        return list(sessions[key])

    with patch.object(session_refs, "load", load_once):
        yield


def all_faults(lines: Sequence[str], session: object, turn: int | None = None) -> list[tuple[Any, ...]]:
    """What is wrong with any of these command lines on a session, as text and as JSON.

    Args:
        lines: The command lines, in their order.
        session: What stands for the session.
        turn: Where it is given, each line is run in one form only: JSON and text in turn, text first if it is even.
    """
    return [
        (line, "as JSON" if as_json else "as text", fault)
        for number, line in enumerate(lines, turn or 0)
        for as_json in ((False, True) if turn is None else (number % 2 == 1,))
        for fault in faults(run(line, session, as_json), as_json)
    ]
