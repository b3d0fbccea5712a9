"""Each kind of search for failures, briefly and from a fixed seed, and every case on the keys that ever failed."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests import warm
from tests.fuzz import files, formats, interrupts, properties
from tests.fuzz.keys import FOUND, episode, failure, shrunk
from tests.fuzz.play import Case
from tests.fuzz.steps import MODES, MOVES, ODD, TEXT, own_keys
from tests.places import ROOT
from tests.terminal import KEYS


@pytest.mark.parametrize("path", sorted(FOUND.glob("keys-*.json")), ids=lambda path: path.stem)
def test_keys_that_failed_once_do_so_no_more(path: Path) -> None:
    assert failure(Case.load(path)) == ""


@pytest.mark.parametrize("path", sorted(FOUND.glob("formats-*")), ids=lambda path: path.stem)
def test_files_of_a_format_that_failed_once_do_so_no_more(path: Path) -> None:
    assert formats.fault_of(path) == ""


def test_an_episode_of_keys_can_be_made_again_and_goes_well() -> None:
    case = episode("1/3")
    assert case == episode("1/3") != episode("2/3")
    first_steps = Case(case.targets, case.size, case.steps[:20])
    if seen := failure(first_steps):  # On a loaded machine the app rarely ends in an OSError: report it in full.
        warnings.warn(seen, stacklevel=1)
        assert failure(first_steps) == ""


def test_every_key_that_is_drawn_can_be_typed_in_a_terminal() -> None:
    names = {*own_keys(), *MOVES, *ODD, *MODES, *TEXT}
    assert {name for name in names if len(name) > 1} - KEYS.keys() == set()


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), min_size=1, max_size=3))
def test_a_case_is_made_as_short_as_its_failure_allows(steps: list[str], needed: list[str]) -> None:
    def fails(case: Case) -> bool:
        rest = iter(case.steps)
        return all(step in rest for step in needed)

    case = Case((), (80, 24), tuple(steps + needed))
    assert shrunk(case, fails).steps == tuple(needed)


@pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals are other ones there")
def test_damaged_files_and_interrupts_are_tried_for_a_moment(tmp_path: Path) -> None:
    for search in (files.run(1, 3, tmp_path), formats.run(1, 1, tmp_path), interrupts.run(1, 3, tmp_path)):
        lines = list(search)
        assert len(lines) == 1, lines
        assert " 0 " in lines[0]


WRONG = """
from hypothesis import given, strategies

@given(strategies.integers())
def test_all_are_small(number: int) -> None:
    assert number < 1_000
"""


def test_a_property_that_fails_is_kept_with_its_example(tmp_path: Path) -> None:
    path = tmp_path / "test_wrong.py"
    path.write_text(WRONG, encoding="utf-8")
    report = properties.failure(path, 1, 60)
    assert "number=1000" in report
    assert properties.property_files(tmp_path) == [path] and len(properties.property_files(properties.TESTS)) > 20


def test_an_unknown_kind_is_refused() -> None:
    done = warm.run(["-m", "tests.fuzz", "flies"], cwd=ROOT, text=True)
    assert done.returncode == 2
    assert (
        "there is no kind flies; there are keys, files, formats, grammar, stores, interrupts, properties" in done.stderr
    )
