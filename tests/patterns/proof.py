"""The proof that a pattern takes linear time on any text, and the record of the patterns that were proved."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from inspector.analysis.experiments.needles.needles import standing_alone
from inspector.analysis.redaction.home_names import name_pattern
from inspector.engine.prompts.template import PROMPT_TEMPLATE
from inspector.engine.strategies.signals import WORDS, mark_pattern
from inspector.engine.work_state.text_rules import pattern_of_name
from inspector.formats.readers.markdown import section_marks
from tests.llm.models.price_table import TABLE
from tests.patterns.inputs import Grower, Shape
from tests.patterns.package import Used, Way, patterns
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
PRICE_RULES = re.findall(r'"regex":"((?:[^"\\]|\\.)*)"', TABLE.read_text("utf-8").replace("\\\\", "\\"))
LATE = {
    "analysis/experiments/needles/needles.py:standing_alone": [alone],
    "core/text/pattern_codes.py:compiled": [],  # called for patterns alone, which are looked through
    "engine/facts/cue_tables.py:__init__": [],  # called for tables alone, which are looked through
    "formats/readers/markdown.py:section_marks": [section_marks("0123abcd")],
    "engine/prompts/template.py:own_headings": [PROMPT_TEMPLATE.own_headings],
    "analysis/redaction/patterns.py:_assigned": [],  # called for tables alone, which are looked through
    "analysis/redaction/patterns.py:_plain_assigned": [],  # the same
    "analysis/redaction/home_names.py:name_pattern": [names],
    "analysis/redaction/key_patterns.py:_published_shapes": [],  # called for a table, which is looked through
    "engine/strategies/signals.py:mark_pattern": [marked],
    "engine/work_state/text_rules.py:pattern_of_name": [pattern_of_name("open_gate")],
    "analysis/memory_audit/dead_references.py:defines": [re.compile(r"\bopen_gate\b")],
    "llm/models/price_list.py:_is_clause_met": [re.compile(rule) for rule in sorted(set(PRICE_RULES))],
}
"""Functions that make patterns of what they are given, with one of these each."""
PROVED = Path(__file__).with_name("proved.txt")
"""The digests of what was proved linear, one a line, each with the place where the pattern was found."""


def used_patterns() -> list[Used]:
    """All patterns of the package, those too that functions make."""
    late = (Used(pattern, name, {"scan"}) for name, late in LATE.items() for pattern in late)
    return [*patterns(), *late]


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


class Claim(NamedTuple):
    """A pattern that is used in one way, to be proved linear."""

    name: str
    pattern: re.Pattern[Any]
    way: Way

    @property
    def digest(self) -> str:
        """A digest of the pattern, its flags, its way of use and the prover: whatever changes, it is proved again."""
        facts = (prover(), self.pattern.pattern, self.pattern.flags, self.way)
        return sha256(repr(facts).encode()).hexdigest()[:20]

    def slow_shape(self) -> Shape | None:
        return slow_shape(self.pattern, self.way)


def claims() -> Iterator[Claim]:
    for used in used_patterns():
        for way in sorted(ways(used)):
            yield Claim(used.name, used.pattern, way)


@cache
def prover() -> str:
    """A digest of the source that grows texts, of that which counts steps, and of the bounds here."""
    sources = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("inputs.py", "steps.py")]
    return sha256(repr((sources, SHORT, LONG, FEW, MOST, GROWTH)).encode()).hexdigest()


def proved(path: Path = PROVED) -> set[str]:
    """The digests in the record."""
    return {line.split()[0] for line in path.read_text(encoding="utf-8").splitlines()} if path.exists() else set()
