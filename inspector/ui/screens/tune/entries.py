"""The rows of Tune as plain data: a preset as it is set now, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.compression import FIELDS, Policy, Preset, StrategyChoice
from inspector.experiments import Recommendation, TrialResult, TrialSetup, mark_front, rank, recommend_preset
from inspector.facts import FactIndex
from inspector.library import Workbench
from inspector.models import price_of
from inspector.replay import RECORDED
from inspector.strategies import STRATEGIES, Knob
from inspector.ui.screens.replay.progress import limited_sizes

_FIELD_KNOBS: Mapping[str, Knob] = {knob.name: knob for knob in FIELDS}


@dataclass(frozen=True)
class Entry:
    """One row. It is stale while its numbers are those of other settings, or there are none yet."""

    number: int
    """What it is known by while it is changed and sorted."""
    preset: Preset
    origin: Preset
    """The preset as it was before a knob was turned."""
    row: TrialResult | None = None
    swept: bool = False
    failure: str = ""
    again: bool = False
    """Whether its numbers are to be worked out once more, because more is known by now."""

    @property
    def stale(self) -> bool:
        return not self.failure and (self.again or self.row is None or self.row.preset != self.preset)

    @property
    def changed(self) -> bool:
        return self.preset != self.origin

    @property
    def name(self) -> str:
        return f"{self.preset.name}*" if self.changed else self.preset.name

    @property
    def simulated(self) -> bool:
        """Whether it has anything to turn: what was recorded, and none at all, have not."""
        return self.preset.enabled


class Desk:
    """What rows are worked out on: a bench and whose context it is about. The price is looked up in a worker.

    Without `facts`, nothing is known of what is retained and regretted.
    """

    def __init__(self, bench: Workbench, agent: str, facts: FactIndex | None = None) -> None:
        self.bench = bench
        self.agent = agent
        self.facts = facts

    @cached_property
    def subject(self) -> TrialSetup:
        session = self.bench.session
        return TrialSetup(session, limited_sizes(self.bench), price_of(session.model), self.agent, facts=self.facts)


@dataclass(frozen=True)
class Table:
    """All entries in the order in which they are shown, judged together."""

    entries: tuple[Entry, ...] = ()

    @cached_property
    def marked(self) -> Mapping[int, TrialResult]:
        """The rows that there are, with the front marked, by the number of their entry."""
        known = [(entry.number, entry.row) for entry in self.entries if entry.row is not None]
        found = mark_front([row for _, row in known])
        return {number: row for (number, _), row in zip(known, found, strict=True)}

    @cached_property
    def verdict(self) -> Recommendation:
        return recommend_preset(list(self.marked.values()))

    @cached_property
    def judged(self) -> bool:
        """Whether facts were looked at."""
        return any(row.retention or row.regrets for row in self.marked.values())

    @property
    def stale(self) -> int:
        """How many rows are still to be worked out."""
        return sum(entry.stale for entry in self.entries)

    @property
    def idle(self) -> bool:
        """Whether every row is there and none of them compresses anything."""
        rows = self.marked.values()
        return len(rows) == len(self.entries) > 0 and not any(row.compressions for row in rows if row.preset.enabled)

    def is_best(self, entry: Entry) -> bool:
        best = self.verdict.best
        return best is not None and self.marked.get(entry.number) is best

    def place(self, number: int) -> int:
        """Where an entry stands; 0 where it does not."""
        return next((place for place, entry in enumerate(self.entries) if entry.number == number), 0)

    def with_entry(self, entry: Entry) -> Table:
        return Table(tuple(entry if each.number == entry.number else each for each in self.entries))

    def sorted_by(self, column: str, worst: bool) -> Table:
        """In the order of a column, the best first; rows without numbers last."""
        keys = {entry.number: sort_key(column, self.marked.get(entry.number), entry) for entry in self.entries}
        known = [entry for entry in self.entries if entry.number in self.marked]
        known.sort(key=lambda entry: keys[entry.number], reverse=worst)
        return Table((*known, *(entry for entry in self.entries if entry.number not in self.marked)))


def sort_key(column: str, row: TrialResult | None, entry: Entry) -> Any:
    """What a column sorts by, the best first."""
    if row is None:
        return 0
    match column:
        case "best":
            return row.preset == RECORDED, *rank(row)
        case "name":
            return entry.name.lower()
        case "kept":
            return -row.retained
        case "valid":
            return not row.sendable
        case _:
            return getattr(row, _FIELDS_OF[column])


_FIELDS_OF: Mapping[str, str] = {
    "compr.": "compressions",
    "peak": "peak",
    "sent": "tokens_sent",
    "cost": "cost",
    "uncached": "cost_uncached",
    "regrets": "regrets",
}
SORTS: Sequence[str] = ("best", "name", "compr.", "peak", "sent", "cost", "uncached", "kept", "regrets", "valid")


# the knobs of a preset


def knobs_of(preset: Preset) -> tuple[Knob, ...]:
    """What can be turned: when it compresses, its strategy's settings, and the strategy itself."""
    if not preset.enabled:
        return ()
    return (_FIELD_KNOBS["threshold"], *STRATEGIES[preset.strategy].knobs, _FIELD_KNOBS["strategy"])


def value_of(preset: Preset, knob: Knob) -> Any:
    """How a knob stands. Raises ValueError for a preset that cannot be meant."""
    if knob.name in ("threshold", "strategy"):
        return getattr(preset, knob.name)
    return Policy.of(preset).given.get(knob.name, knob.default)


def trial_of(preset: Preset) -> StrategyChoice:
    """The preset as it is saved from Inspect too."""
    values = {knob.name: value_of(preset, knob) for knob in STRATEGIES[preset.strategy].knobs}
    return StrategyChoice(preset.strategy, values, preset)
