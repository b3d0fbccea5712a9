"""No pattern of the package takes more than linear time on any text. Steps are counted, and time is not."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

from inspector.analysis.experiments.needles.needles import standing_alone
from inspector.analysis.redaction.key_patterns import TOKEN_PATTERNS
from inspector.analysis.redaction.names import name_pattern
from inspector.analysis.redaction.patterns import BLOB, CONTEXT_PATTERNS, HOME
from inspector.engine.prompts.template import PROMPT_TEMPLATE
from inspector.engine.strategies.signals import WORDS, mark_pattern
from inspector.formats.readers.markdown import section_marks
from tests.patterns.inputs import Grower, Shape
from tests.patterns.package import Used, Way, late_patterns, patterns
from tests.patterns.steps import Machine, TooManyStepsError

SHORT, LONG = 120, (200, 2_000)
"""Characters of the texts that all are tried with, and of those that are tried where these take long."""
FEW = 25
"""Steps for each character of a short text that need no second look."""
MOST = 400
"""Steps for each character that no text may take: a repeat with a bound takes at most so many."""
GROWTH = 2.5
"""How many times the steps twice the text may take."""
PLACES, DRAWN = (10_000, 2_000) if "SEARCH" in os.environ else (40, 10)

marked, alone = mark_pattern(f"{WORDS}, a, aa, a a"), standing_alone("aa-a")
names = name_pattern(["annalena", "bo", "a.b", "entity"], {"entity"})
assert marked is not None and names is not None
LATE = {
    "analysis/experiments/needles/needles.py:standing_alone": [alone],
    "engine/facts/cue_tables.py:joined": [],
    "engine/facts/cue_tables.py:mark_table": [],  # called for tables alone, which are looked through
    "formats/readers/markdown.py:section_marks": [section_marks("0123abcd")],
    "engine/prompts/template.py:own_headings": [PROMPT_TEMPLATE.own_headings],
    "analysis/redaction/patterns.py:_assigned": [entry.pattern for entry in (*CONTEXT_PATTERNS, BLOB, HOME)],
    "analysis/redaction/names.py:name_pattern": [names],
    "analysis/redaction/key_patterns.py:_token": [entry.pattern for entry in TOKEN_PATTERNS],
    "engine/strategies/signals.py:mark_pattern": [marked],
}
"""Functions that make patterns of what they are given, with one of these each."""
PARTS = 8
"""Tests that share the patterns, for processes to run side by side. Only these tests import the whole package."""
EVERY_PART = pytest.mark.parametrize("part", range(PARTS))


def patterns_of(part: int) -> list[Used]:
    late = (Used(pattern, name, {"scan"}) for name, late in LATE.items() for pattern in late)
    return [*patterns(), *late][part::PARTS]


def ways(used: Used) -> set[Way]:
    """How a pattern is to be tried: at every place, which is the hardest, unless it is never used so."""
    return {"scan"} if "scan" in used.ways or not used.ways else used.ways


def steps(machine: Machine, way: Way, text: str, most: int) -> int | None:
    """The steps that a search takes; None for more than `most` for each character."""
    machine.steps, machine.most = 0, most * len(text)
    try:
        if way == "scan":
            machine.finditer(text)
        else:
            machine.match(text, whole=way == "fullmatch")
    except TooManyStepsError:
        return None
    return machine.steps


def is_linear(machine: Machine, way: Way, shape: Shape) -> bool:
    """Whether twice the text takes twice the steps. Repeats with bounds show it in long texts only."""
    if steps(machine, way, shape.text(SHORT), FEW) is not None:
        return True
    for chars in LONG:
        once = steps(machine, way, shape.text(chars, 48), MOST)
        twice = steps(machine, way, shape.text(2 * chars, 96), MOST)
        if once is None or twice is None:
            return False
        if twice <= GROWTH * once:
            return True
    return False


def slow_shape(pattern: re.Pattern[Any], way: Way) -> Shape | None:
    """A text that takes more than linear time."""
    machine = Machine(pattern)
    return next((shape for shape in Grower(pattern).shapes(PLACES, DRAWN) if not is_linear(machine, way, shape)), None)


def test_every_pattern_is_found_and_none_is_made_late() -> None:
    names = {used.name for used in patterns()}
    assert names >= {
        "inspector.engine.facts.classify.CONSTRAINT",
        "inspector.formats.reading.lenient_json.TOKEN",
        "inspector.engine.summaries.extractive.gist.MAY_HOLD",
        "inspector.ui.terminal_app.REMOTE_FONTS",
    }
    assert late_patterns() == sorted(LATE)


@EVERY_PART
def test_the_counter_matches_what_re_matches(part: int) -> None:
    for used in patterns_of(part):
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


@EVERY_PART
def test_no_pattern_takes_more_than_linear_time(part: int) -> None:
    tries = [(used.name, slow_shape(used.pattern, way)) for used in patterns_of(part) for way in ways(used)]
    assert [(name, shape) for name, shape in tries if shape] == []


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
