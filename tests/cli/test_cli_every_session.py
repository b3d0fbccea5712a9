"""Every command stands on every session, as text and as JSON: on recorded ones, on the samples, and on odd ones.

Each sample and the first recorded sessions of each format (../shared/data) are given a third of the commands and one
strategy, in turn; a large one of the recorded ones a few. An odd session is given all commands, as text or as JSON in
turn. With SEARCH=1 everything is tried on all of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.calling import written
from tests.cli.commands import FEW, LINES, STRATEGY_LINES, all_faults, read_once
from tests.cli.odd_sessions import ODD
from tests.places import DATA, ROOT, some_of_each

EVERYTHING = "SEARCH" in os.environ
RECORDED = some_of_each((path for path in DATA.rglob("*") if path.is_file()), 4)
SAMPLES = sorted(path for path in (ROOT / "sessions").iterdir() if path.suffix in (".json", ".jsonl"))
LARGE = 200_000
"""Bytes from which on a recorded session is given a few commands."""
THIRDS = 3


def lines_for(path: Path, place: int) -> list[str]:
    if EVERYTHING:
        return [*LINES, *STRATEGY_LINES]
    if path not in SAMPLES and path.stat().st_size > LARGE:
        return FEW
    return [*LINES[place % THIRDS :: THIRDS], STRATEGY_LINES[place % len(STRATEGY_LINES)]]


@pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not at hand (../shared/data)")
@pytest.mark.parametrize(
    ("path", "place"),
    [pytest.param(path, place, id=str(path.relative_to(DATA))) for place, path in enumerate(RECORDED)],
)
def test_every_command_stands_on_a_recorded_file(path: Path, place: int) -> None:
    with read_once():
        assert all_faults(lines_for(path, place), path) == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_command_stands_on_a_sample_session(path: Path) -> None:
    with read_once():
        assert all_faults(lines_for(path, SAMPLES.index(path)), path) == []


@pytest.mark.parametrize(("place", "name"), enumerate(ODD))
def test_every_command_stands_on_an_odd_session(place: int, name: str, tmp_path: Path) -> None:
    suffix = ".jsonl" if isinstance(ODD[name], list) else ".json"
    file = written(tmp_path / f"{name}{suffix}", ODD[name])
    lines = [*LINES, *STRATEGY_LINES] if EVERYTHING or name in ("empty", "calls that nothing answered") else LINES
    assert all_faults(lines, file, None if EVERYTHING else place % 2) == []
