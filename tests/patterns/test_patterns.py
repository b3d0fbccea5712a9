"""No pattern of the package takes more than linear time on any text. Steps are counted, and time is not."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.patterns.inputs import Grower
from tests.patterns.package import Way, late_patterns, patterns
from tests.patterns.proof import LATE, Claim, claims, proved, slow_shape, used_patterns
from tests.patterns.record import record
from tests.patterns.steps import Machine

SAMPLE = 10_000 if "SEARCH" in os.environ else 8
"""Recorded patterns that are proved again by each run, others each time."""


def test_every_pattern_is_found_and_none_is_made_late() -> None:
    names = {used.name for used in patterns()}
    assert names >= {
        "inspector.engine.facts.classify.CONSTRAINT",
        "inspector.formats.reading.lenient_json.TOKEN",
        "inspector.engine.summaries.extractive.gist.MAY_HOLD",
        "inspector.ui.terminal_app.REMOTE_FONTS",
    }
    assert late_patterns() == sorted(LATE)


def test_the_counter_matches_what_re_matches() -> None:
    for used in used_patterns():
        check_counter(used.pattern)


def check_counter(pattern: re.Pattern[Any]) -> None:
    machine = Machine(pattern)
    for shape in Grower(pattern).shapes(20, 20):
        text = shape.before + 2 * shape.word + shape.behind
        given = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
        seen = given.decode("latin-1") if isinstance(given, bytes) else given
        assert machine.finditer(seen) == [match.regs for match in pattern.finditer(given)], text
        whole = pattern.fullmatch(given)
        assert machine.match(seen, whole=True) == (whole.regs if whole else None), text


def test_every_pattern_was_proved_to_take_linear_time() -> None:
    known = proved()
    slow = [(claim.name, shape) for claim in claims() if claim.digest not in known and (shape := claim.slow_shape())]
    assert slow == []
    fresh = sorted({claim.name for claim in claims() if claim.digest not in known})
    assert fresh == [], "These patterns are new or changed: prove and record them with python -m tests.patterns.record"


def test_a_pattern_is_proved_again_when_it_or_its_use_changes() -> None:
    first = Claim("first", re.compile("a+"), "match")
    changed = [first._replace(pattern=re.compile("a+", re.I)), first._replace(pattern=re.compile("a++"))]
    digests = {claim.digest for claim in (first, *changed, first._replace(way="scan"))}
    assert len(digests) == 4 and first._replace(name="moved").digest in digests


def test_slow_patterns_are_not_recorded_and_gone_ones_leave_the_record(tmp_path: Path) -> None:
    quick, slow = Claim("quick", re.compile("a"), "scan"), Claim("slow", re.compile(r"(a+)+b"), "fullmatch")
    path = tmp_path / "proved.txt"
    path.write_text("0123 gone\n")
    (sentence,) = record([slow, quick], path)
    assert sentence.startswith("slow (fullmatch) is slow on 'a")
    assert path.read_text() == f"{quick.digest} quick\n"
    assert record([quick], path) == [] and proved(path) == {quick.digest}


def test_what_is_in_the_record_can_be_proved() -> None:
    for claim in random.sample(sorted(claims(), key=lambda claim: claim.name), SAMPLE):
        assert claim.slow_shape() is None, claim.name


@pytest.mark.parametrize(
    ("way", "slow"),
    [
        ("fullmatch", r"(a+)+b"),
        ("fullmatch", r"(?:a|a)*b"),
        ("fullmatch", r"(?:ab|a|b)*c"),
        ("fullmatch", r"(?s)\s*(<(out|err)>.*?</\2>\s*)+"),
        ("fullmatch", r"(?:a{1,40}){1,40}b"),
        ("match", r"a*a*b"),
        ("match", r"x\s*,?\s*y"),
        ("match", r"^.*=.*=.*;"),
        ("scan", r"\s+$"),
        ("scan", r"[\w.]+@"),
        ("scan", r'"(?:[^"\\]|\\.)*"'),
        ("scan", r"b.*?c"),
        ("scan", r"(?<![\w.])[\w.]++/(?:[\w.]++/)*[\w.]*\w"),
        ("scan", r"a(?=.*b)"),
        ("scan", r"[a-z]{1,900}!"),
    ],
)
def test_a_slow_pattern_is_found_out(way: Way, slow: str) -> None:
    assert slow_shape(re.compile(slow), way)


@pytest.mark.parametrize(
    ("way", "quick"),
    [
        ("scan", r"(?<!a)(?>a+)+b"),
        ("scan", r"(?<!\s)\s++$"),
        ("scan", r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'),
        ("scan", r"[a-z]{1,90}!"),
        ("match", r"[\w.]+@"),
    ],
)
def test_a_quick_pattern_is_not(way: Way, quick: str) -> None:
    assert slow_shape(re.compile(quick), way) is None
