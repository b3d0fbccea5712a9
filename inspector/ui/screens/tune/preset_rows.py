"""The rows of Tune as plain data: a preset as it is set now, and its result so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.analysis.experiments import Recommendation, TrialResult, TrialSetup, mark_front, rank, recommend_preset
from inspector.analysis.replay import RECORDED
from inspector.engine.compression import FIELDS, PRESETS, Policy, Preset, Scale, StrategyChoice
from inspector.engine.facts import FactIndex
from inspector.engine.strategies import STRATEGIES, Knob
from inspector.library import Workbench
from inspector.llm.models import session_price
from inspector.ui.screens.replay.progress import limited_sizes

_FIELD_KNOBS: Mapping[str, Knob] = {knob.name: knob for knob in FIELDS}


@dataclass(frozen=True)
class PresetRow:
    """One row. It is stale while its numbers are those of other settings, or there are none yet."""

    number: int
    """What it is known by while it is changed and sorted."""
    preset: Preset
    origin: Preset
    """The preset as it was before a knob was turned."""
    result: TrialResult | None = None
    is_of_sweep: bool = False
    failure: str = ""
    again: bool = False
    """Whether its numbers are to be worked out once more, because more is known by now."""

    @property
    def stale(self) -> bool:
        return not self.failure and (self.again or self.result is None or self.result.preset != self.preset)

    @property
    def is_changed(self) -> bool:
        return self.preset != self.origin

    @property
    def name(self) -> str:
        return f"{self.preset.name}*" if self.is_changed else self.preset.name

    @property
    def is_recording(self) -> bool:
        """Whether it is the session as it was recorded."""
        return self.preset == RECORDED

    @property
    def is_simulation(self) -> bool:
        """Whether it has anything to turn: what was recorded, and none at all, have not."""
        return self.preset.enabled


class TuneContext:
    """What rows are worked out on: a bench and whose context it is about. The price is looked up in a worker.

    Without `facts`, nothing is known of what is retained and regretted.
    """

    def __init__(self, bench: Workbench, agent: str, facts: FactIndex | None = None) -> None:
        self.bench = bench
        self.agent = agent
        self.facts = facts

    @cached_property
    def scale(self) -> Scale:
        """What the thresholds of presets are measured by."""
        return self.bench.scale(self.agent)

    @cached_property
    def setup(self) -> TrialSetup:
        session = self.bench.session
        return TrialSetup(session, limited_sizes(self.bench), session_price(session), self.agent, facts=self.facts)


@dataclass(frozen=True)
class Table:
    """All rows in the order in which they are shown, judged together."""

    rows: tuple[PresetRow, ...] = ()

    @cached_property
    def results(self) -> Mapping[int, TrialResult]:
        """The results that there are, with the front marked, by the number of their row."""
        rows = [(row.number, row.result) for row in self.rows if row.result is not None]
        results = mark_front([result for _, result in rows])
        return {number: result for (number, _), result in zip(rows, results, strict=True)}

    @cached_property
    def verdict(self) -> Recommendation:
        return recommend_preset(list(self.results.values()))

    @cached_property
    def has_facts(self) -> bool:
        """Whether facts were looked at."""
        return any(result.retention or result.misses for result in self.results.values())

    @property
    def documented(self) -> list[Preset]:
        """Those rows that are still one of the documented presets."""
        return [row.preset for row in self.rows if row.preset == PRESETS.get(row.preset.name)]

    @property
    def stale(self) -> int:
        """How many rows are still to be worked out."""
        return sum(row.stale for row in self.rows)

    @property
    def idle(self) -> bool:
        """Whether every result is there and none of the presets compresses anything."""
        results = self.results.values()
        compressions = any(result.compressions for result in results if result.preset.enabled)
        return len(results) == len(self.rows) > 0 and not compressions

    def is_best(self, row: PresetRow) -> bool:
        best = self.verdict.best
        return best is not None and self.results.get(row.number) is best

    @property
    def best(self) -> int | None:
        """The number of the best row; where none of them compresses anything, of the first that could."""
        best = next((row.number for row in self.rows if self.is_best(row)), None)
        if best is None and self.idle:
            best = next((row.number for row in self.rows if row.preset.enabled), None)
        return best

    def place(self, number: int) -> int:
        """The place of a row in the table; 0 where it is not in it."""
        return next((place for place, row in enumerate(self.rows) if row.number == number), 0)

    def row(self, number: int) -> PresetRow | None:
        return next((row for row in self.rows if row.number == number), None)

    def with_row(self, row: PresetRow) -> Table:
        return Table(tuple(row if other.number == row.number else other for other in self.rows))

    def sort_by(self, column: str, worst: bool) -> Table:
        """In the order of a column, the best first; rows without results last."""
        keys = {row.number: sort_key(column, self.results.get(row.number), row) for row in self.rows}
        rows = [row for row in self.rows if row.number in self.results]
        rows.sort(key=lambda row: keys[row.number], reverse=worst)
        return Table((*rows, *(row for row in self.rows if row.number not in self.results)))


def sort_key(column: str, result: TrialResult | None, row: PresetRow) -> Any:
    """What a column sorts by, the best first."""
    if result is None:
        return 0
    match column:
        case "best":
            return result.preset == RECORDED, *rank(result)
        case "name":
            return row.name.lower()
        case "kept":
            return -result.retained
        case "valid":
            return not result.sendable
        case _:
            return getattr(result, _FIELDS_OF[column])


_FIELDS_OF: Mapping[str, str] = {
    "compr.": "compressions",
    "peak": "peak",
    "sent": "tokens_sent",
    "cost": "cost",
    "uncached": "cost_uncached",
    "regrets": "misses",
}
SORTS: Sequence[str] = ("best", "name", "compr.", "peak", "sent", "cost", "uncached", "kept", "regrets", "valid")


# the knobs of a preset


def knobs_of(preset: Preset) -> tuple[Knob, ...]:
    """What can be turned: when it compresses, its strategy's settings, and the strategy itself."""
    if not preset.enabled:
        return ()
    return (_FIELD_KNOBS["threshold"], *STRATEGIES[preset.strategy].knobs, _FIELD_KNOBS["strategy"])


def value_of(preset: Preset, knob: Knob, scale: Scale) -> Any:
    """The value of a knob on sessions of a scale. Raises ValueError for a preset that cannot be meant."""
    if knob.name in ("threshold", "strategy"):
        return getattr(preset, knob.name)
    return Policy.of(preset, scale).own_settings.get(knob.name, knob.default)


def trial_of(preset: Preset, scale: Scale) -> StrategyChoice:
    """The preset as it is saved from Inspect too."""
    values = {knob.name: value_of(preset, knob, scale) for knob in STRATEGIES[preset.strategy].knobs}
    return StrategyChoice(preset.strategy, values, preset, scale=scale)
