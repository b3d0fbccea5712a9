"""The rows of Tune as plain data: a preset with its current settings, and its result so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.analysis.asking import SameSteps
from inspector.analysis.experiments import Recommendation, TrialResult, TrialSetup, mark_front, rank, recommend_preset
from inspector.analysis.replay import NONE, RECORDED
from inspector.core.text import plural
from inspector.engine.compression import FIELDS, PRESETS, Policy, Preset, Scale, StrategyChoice
from inspector.engine.facts import FactIndex
from inspector.engine.strategies import STRATEGIES, Knob
from inspector.library import Workbench
from inspector.llm.models import session_price
from inspector.ui.screens.replay.progress import limited_sizes

_FIELD_KNOBS: Mapping[str, Knob] = {knob.name: knob for knob in FIELDS}


@dataclass(frozen=True)
class PresetRow:
    """A row. It is stale while its result is missing or belongs to other settings."""

    number: int
    """Identity of the row while it is changed and sorted."""
    preset: Preset
    origin: Preset
    """Preset before any knob was turned."""
    result: TrialResult | None = None
    is_of_sweep: bool = False
    failure: str = ""
    steps: SameSteps | None = None
    """Share of same steps by replies of a model; None if it was not asked with these settings."""
    again: bool = False
    """True if the result must be computed again because more is known now."""

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
    def has_compressions(self) -> bool:
        """True if its result has any compression."""
        return self.result is not None and self.result.compressions > 0

    @property
    def agreement(self) -> float:
        """Share of same steps; -1 if it is unknown."""
        share = self.steps.share if self.steps else None
        return -1.0 if share is None else share

    @property
    def is_recording(self) -> bool:
        """True if the row is the session as recorded."""
        return self.preset == RECORDED

    @property
    def is_simulation(self) -> bool:
        """True if the row has knobs, unlike the recording and the uncompressed session."""
        return self.preset.enabled


class TuneContext:
    """The input for computing rows: a workbench and an agent. The price is looked up in a worker.

    Without `facts`, retention and regrets are unknown.
    """

    def __init__(self, bench: Workbench, agent: str, facts: FactIndex | None = None) -> None:
        """Create the input.

        Args:
            bench: Workbench of the session.
            agent: Agent whose context is replayed.
            facts: Facts of the session; None while they are being read.
        """
        self.bench = bench
        self.agent = agent
        self.facts = facts

    @cached_property
    def scale(self) -> Scale:
        """Sizes that the thresholds of presets are relative to."""
        return self.bench.scale(self.agent)

    @cached_property
    def setup(self) -> TrialSetup:
        session, sizes, kept = self.bench.session, limited_sizes(self.bench), self.bench.kept_results
        return TrialSetup(session, sizes, session_price(session), self.agent, facts=self.facts, kept=kept)


@dataclass(frozen=True)
class Table:
    """All rows in display order, evaluated together."""

    rows: tuple[PresetRow, ...] = ()

    @cached_property
    def results(self) -> Mapping[int, TrialResult]:
        """Results by row number, with the Pareto-optimal ones marked."""
        rows = [(row.number, row.result) for row in self.rows if row.result is not None]
        results = mark_front([result for _, result in rows])
        return {number: result for (number, _), result in zip(rows, results, strict=True)}

    @cached_property
    def verdict(self) -> Recommendation:
        return recommend_preset(list(self.results.values()))

    @cached_property
    def has_facts(self) -> bool:
        """True if facts were evaluated."""
        return any(result.retention or result.misses for result in self.results.values())

    @property
    def documented(self) -> list[Preset]:
        """Presets of rows that are unchanged documented presets."""
        return [row.preset for row in self.rows if row.preset == PRESETS.get(row.preset.name)]

    @property
    def is_asked(self) -> bool:
        """True if a model was asked under one of the presets."""
        return any(row.steps is not None for row in self.rows)

    @property
    def steps_notice(self) -> str:
        """Agreement of the model with itself without compression, in a sentence; "" if no model was asked."""
        steps = next((row.steps for row in self.rows if row.preset == NONE and row.steps), None)
        if steps is None:
            return ""
        share = f"{steps.same} of {plural(steps.asked, 'turn')} ({steps.low:.2f}–{steps.high:.2f})"
        return f"Same step: without compression, the model agrees with itself in {share}."

    @property
    def stale(self) -> int:
        """Number of rows that have to be computed."""
        return sum(row.stale for row in self.rows)

    @property
    def idle(self) -> bool:
        """True if all results are complete and none of the presets compresses anything."""
        results = self.results.values()
        compressions = any(result.compressions for result in results if result.preset.enabled)
        return len(results) == len(self.rows) > 0 and not compressions

    def is_best(self, row: PresetRow) -> bool:
        best = self.verdict.best
        return best is not None and self.results.get(row.number) is best

    @property
    def best(self) -> int | None:
        """Number of the best row, or of the first one with a preset if none compresses anything; None if unknown."""
        best = next((row.number for row in self.rows if self.is_best(row)), None)
        if best is None and self.idle:
            best = next((row.number for row in self.rows if row.preset.enabled), None)
        return best

    def place(self, number: int) -> int:
        """Return the position of a row in the table; 0 if it is missing."""
        return next((place for place, row in enumerate(self.rows) if row.number == number), 0)

    def row(self, number: int) -> PresetRow | None:
        return next((row for row in self.rows if row.number == number), None)

    def with_row(self, row: PresetRow) -> Table:
        return Table(tuple(row if other.number == row.number else other for other in self.rows))

    def sort_by(self, column: str, worst: bool) -> Table:
        """Return the table sorted by a column, the best row first unless `worst`; rows without results come last."""
        keys = {row.number: sort_key(column, self.results.get(row.number), row) for row in self.rows}
        rows = [row for row in self.rows if row.number in self.results]
        rows.sort(key=lambda row: keys[row.number], reverse=worst)
        return Table((*rows, *(row for row in self.rows if row.number not in self.results)))


def sort_key(column: str, result: TrialResult | None, row: PresetRow) -> Any:
    """Return the sort key of a row, the smallest of which is the best.

    Args:
        column: Name of the column.
        result: Result of the row; None sorts as 0.
        row: Row to sort.
    """
    if result is None:
        return 0
    match column:
        case "best":
            return result.preset == RECORDED, *rank(result)
        case "name":
            return row.name.lower()
        case "kept":
            return -result.retained
        case "state kept":
            return -result.state.retained
        case "going on":
            return 0.0 if result.state.going_on is None else -result.state.going_on
        case "revived" | "invented":
            return getattr(result.state, column)
        case "same step":
            return -row.agreement
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
_STATE = ("state kept", "going on", "revived", "invented")
SORTS: Sequence[str] = (
    "best",
    "name",
    "compr.",
    "peak",
    "sent",
    "cost",
    "uncached",
    "kept",
    "regrets",
    *_STATE,
    "same step",
    "valid",
)


# knobs of a preset


def knobs_of(preset: Preset) -> tuple[Knob, ...]:
    """Return the knobs of a preset: its threshold, the settings of its strategy, and the strategy itself."""
    if not preset.enabled:
        return ()
    return (_FIELD_KNOBS["threshold"], *STRATEGIES[preset.strategy].knobs, _FIELD_KNOBS["strategy"])


def value_of(preset: Preset, knob: Knob, scale: Scale) -> Any:
    """Return the value of a knob for sessions of a scale.

    Args:
        preset: Preset with the value.
        knob: Knob to look up.
        scale: Sizes that thresholds are relative to.

    Raises:
        ValueError: The preset is invalid.
    """
    if knob.name in ("threshold", "strategy"):
        return getattr(preset, knob.name)
    return Policy.of(preset, scale).own_settings.get(knob.name, knob.default)


def trial_of(preset: Preset, scale: Scale) -> StrategyChoice:
    """Return the preset as a strategy choice, in the form that Inspect saves."""
    values = {knob.name: value_of(preset, knob, scale) for knob in STRATEGIES[preset.strategy].knobs}
    return StrategyChoice(preset.strategy, values, preset, scale=scale)
