"""Presets as rows on one session: what each would have sent, paid, kept and lost, and which of them nobody beats.

A row is a whole replay in a few numbers. Rows do not depend on each other, but for the mark of the front, so they may
be made in any order and in other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf
from typing import Annotated, Any, Literal

from inspector.analysis.replay import (
    NONE,
    RECORDED,
    UNKNOWN_LIFETIME,
    Basis,
    ByClass,
    CacheLifetime,
    CompressedAbove,
    InReach,
    NeededAgain,
    RecordedSo,
    Replay,
    ReplayCancelled,
    ReplayRun,
    ReportedUsage,
    Retained,
    reported_calls,
)
from inspector.core.conversation import MAIN, Session
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.engine.compression import Policy, Preset, Scale, scale_of
from inspector.engine.facts import CLASSES, FactIndex, RetainedFact, Retention, Weights, fact_class
from inspector.engine.strategies import Services
from inspector.llm.models import Cost, Price
from inspector.llm.tokens import Certainty, Sizes, TokenCount


def pareto_front(points: Sequence[tuple[float, float]]) -> tuple[bool, ...]:
    """For each (cost, gain) whether it is on the front.

    A point is on it when no other costs at most as much and gives at least as much, and is better in one of the two.
    Points that are the same are on it together.
    """
    order = sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1]))
    front = [False] * len(points)
    best, at = -inf, None
    for place in order:
        cost, gain = points[place]
        if gain > best:
            best, at = gain, cost
        front[place] = gain == best and cost == at
    return tuple(front)


@dataclass(frozen=True)
class TrialSetup:
    """The setup of a trial: a session with its sizes, the price of its model, and the agent whose context is replayed.

    Without `facts`, retention and regrets are not measured.
    """

    session: Session
    sizes: Sizes
    price: Price
    agent: str = MAIN
    services: Services | None = None
    facts: FactIndex | None = None
    weights: Weights | None = None

    @cached_property
    def scale(self) -> Scale:
        """What the thresholds of presets are measured by."""
        return scale_of(self.session, self.sizes, self.agent)


@json_object(
    "Row",
    "preset=name turns compressions peak tokens_sent peak_how certainty cost cost_uncached basis simulated parts"
    " cache=lifetime retained reach regrets recalls hasty choice needed_again=rereads retention classes valid"
    " recorded_so fits pareto gave_up policy=preset threshold",
)
@dataclass(frozen=True, slots=True)
class TrialResult:
    """What came of one preset."""

    preset: Preset
    turns: Annotated[int, "model calls"]
    compressions: int
    peak: Annotated[Tokens, "of the largest window that was sent"]
    tokens_sent: Annotated[Tokens, "of all windows that were sent"]
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    retained: Retained
    retention: ByClass = field(default_factory=dict)
    regrets: Annotated[int, "replies that needed something that was lost"] = 0
    valid: Annotated[bool, "whether a provider would take every window"] = True
    """As it was recorded and as compressions left it."""
    fits: Annotated[bool, "whether every window fits into the model's"] = True
    gave_up: Annotated[str, "why it stopped compressing; empty where it did not"] = ""
    reach: InReach = 1.0
    reported: ReportedUsage | None = None
    """What the provider reported, in the row of what was recorded; its cost is that of the row, as far as it goes."""
    parts: Cost = Cost()  # noqa: RUF009  a constant: Cost is frozen
    """The cost, by what it is paid for."""
    basis: Basis = "simulated"
    simulated: Annotated[Dollars, "`cost` where nothing is billed as reported: to be compared with other presets"] = 0.0
    lifetime: CacheLifetime = UNKNOWN_LIFETIME
    recalls: Annotated[int, "other replies that needed something that could be brought back"] = 0
    hasty: Annotated[int, "compressions that took away what was only just read: no choice where half of them did"] = 0
    threshold: CompressedAbove = 0
    is_recorded_so: bool = False
    """Whether all that a provider would refuse was recorded so: a request puts it right, whatever the preset."""
    rereads: NeededAgain = None
    certainty: Annotated[Certainty, "how `tokens_sent` is known"] = "estimated"
    """They are counted, so that all rows stand on one footing."""
    peak_how: Annotated[Certainty, "how `peak` is known: that of the recording is the reported one, where it was"] = (
        "estimated"
    )
    pareto: Annotated[bool, "whether no other row sends fewer tokens or keeps more, and neither worse"] = False
    """Only rows that could be sent count."""

    @property
    def name(self) -> str:
        return self.preset.name

    @property
    def sendable(self) -> bool:
        """Whether every window fits and the preset left no new fault, so that the session could have been run so."""
        return self.fits and (self.valid or self.is_recorded_so)

    @property
    def recorded_so(self) -> RecordedSo:
        return not self.valid and self.sendable

    @property
    def misses(self) -> int:
        """Replies that needed something that was not in the window."""
        return self.regrets + self.recalls

    @property
    def haste(self) -> float:
        """The share of its compressions that were hasty, where these are half of them or more; else 0."""
        return self.hasty / self.compressions if 0 < self.compressions <= 2 * self.hasty else 0.0

    @property
    def choice(
        self,
    ) -> Annotated[bool, "whether the verdict may choose it: it could be sent, is not hasty, and was not recorded"]:
        return self.sendable and not self.haste and self.preset != RECORDED

    @property
    def largest(self) -> TokenCount:
        """The peak, as it is known."""
        return TokenCount(self.peak, self.peak_how)

    @property
    def sent(self) -> TokenCount:
        """All that was sent, as it is known."""
        return TokenCount(self.tokens_sent, self.certainty)

    @property
    def classes(
        self,
    ) -> Annotated[Mapping[str, float | None], "share of each class that is retained; null where there are none"]:
        return {name: self.share(name) for name in self.retention}

    def share(self, name: str) -> float | None:
        """The share of the facts of one class that are retained; None where there are none."""
        counts = self.retention.get(name)
        return counts.retained / counts.total if counts and counts.total else None


def trial_result(replay: Replay, preset: Preset, limit: int) -> TrialResult:
    """A replay as a row. `limit` is the size of the model's window in tokens."""
    return TrialResult(
        preset,
        replay.turns,
        len(replay.compactions),
        replay.peak,
        replay.tokens_sent,
        replay.cost,
        replay.cost_uncached,
        replay.retained,
        dict(replay.retention),
        len(replay.regrets),
        replay.valid,
        not 0 < limit < replay.peak,
        replay.gave_up,
        replay.reach,
        parts=replay.parts,
        basis=replay.basis,
        simulated=replay.simulated.total,
        lifetime=replay.lifetime,
        recalls=len(replay.recalls),
        hasty=replay.hasty,
        threshold=replay.threshold,
        is_recorded_so=not replay.new_problems,
        rereads=replay.rereads,
        certainty=replay.certainty,
        peak_how=replay.certainty,
    )


def as_reported(row: TrialResult, usage: ReportedUsage | None) -> TrialResult:
    """The row of the recording with what was reported, and the reported peak in place of the counted one."""
    row = replace(row, reported=usage)
    return row if usage is None or usage.unreported else replace(row, peak=usage.peak, peak_how="reported")


def start_trial(subject: TrialSetup, preset: Preset) -> ReplayRun:
    """The replay of a preset, before its first frame. Raises ValueError for a preset that cannot be meant."""
    on = subject
    return ReplayRun(on.session, on.sizes, preset, on.price, on.agent, on.services, on.facts, on.weights)


def run_trial(subject: TrialSetup, preset: Preset, stop: Callable[[], bool] = lambda: False) -> TrialResult:
    """Replay a preset. Raises ReplayCancelled soon after `stop` says so, and ValueError for an impossible preset."""
    run = start_trial(subject, preset)
    for _ in run.frames():
        if stop():
            raise ReplayCancelled
    result = trial_result(run.replay(), preset, subject.sizes.limit)
    if preset == RECORDED:
        return as_reported(result, reported_calls(subject.session, subject.price, subject.agent))
    return result


def run_trials(subject: TrialSetup, presets: Iterable[Preset]) -> tuple[TrialResult, ...]:
    """A row for each preset, in order, with the front marked. Raises ValueError for a preset that cannot be meant."""
    return mark_front([run_trial(subject, preset) for preset in presets])


def mark_front(results: Sequence[TrialResult]) -> tuple[TrialResult, ...]:
    """The rows with those marked that nobody beats in tokens sent against retention; none that could not be sent is."""
    contest = [row for row in results if row.sendable]
    marks = dict(zip(map(id, contest), pareto_front([(row.tokens_sent, row.retained) for row in contest]), strict=True))
    return tuple(replace(row, pareto=marks.get(id(row), False)) for row in results)


def policy_key(preset: Preset) -> Any:
    """Presets with the same key do the same, whatever they are called and whatever they say that does not count."""
    if preset == RECORDED:
        return RECORDED.name
    if not preset.enabled:
        return NONE.name
    settings = tuple(sorted(Policy.of(preset, Scale(0, 0)).own_settings.items()))
    return preset.strategy, preset.threshold, preset.preserve_system, settings


def distinct(presets: Iterable[Preset]) -> tuple[Preset, ...]:
    """The presets without those that do the same as one before them. Raises ValueError."""
    by_key: dict[Any, Preset] = {}
    for preset in presets:
        by_key.setdefault(policy_key(preset), preset)
    return tuple(by_key.values())


_Best = Literal["low", "high"]


@dataclass(frozen=True, slots=True)
class _Column:
    """A number of a row that rows can be sorted by."""

    name: str
    about: str
    value: Callable[[TrialResult], float | str]
    best: _Best = "low"
    """Which end is the better one, and comes first."""


def _column(
    name: str, about: str, best: _Best = "low", value: Callable[[TrialResult], float | str] | None = None
) -> _Column:
    return _Column(name, about, value or (lambda row: getattr(row, name)), best)


COLUMNS: Mapping[str, _Column] = {
    column.name: column
    for column in (
        _column("preset", "its name", value=lambda row: row.name),
        _column("compressions", "how often it compressed"),
        _column("peak", "tokens of the largest window"),
        _column("tokens_sent", "tokens of all windows together"),
        _column("cost", "dollars, with the prompt cache"),
        _column("cost_uncached", "dollars, without a prompt cache"),
        _column("retained", "weighted share of the facts that are in the window as the session ends", "high"),
        _column("reach", "weighted share of the facts that are there or can be brought back", "high"),
        _column("regrets", "replies that needed something that was lost"),
        _column("recalls", "other replies that needed something from the archive"),
        _column("hasty", "compressions that took away what had only just been read"),
        _column("valid", "whether a provider takes every window", "high"),
        _column("pareto", "whether no other row beats it", "high"),
    )
}
"""What every row has; beside these, rows can be sorted by each class of facts."""


def column_of(name: str) -> _Column:
    """A column by its name, or the one of a class of facts. Raises ValueError with a sentence that tells the names."""
    if name in COLUMNS:
        return COLUMNS[name]
    if name not in CLASSES:
        raise ValueError(f"There is no column {name!r}; there are: {', '.join([*COLUMNS, *CLASSES])}.")
    return _Column(name, f"share of the facts of the class {name} that are retained", partial(_share_of, name), "high")


def _share_of(name: str, row: TrialResult) -> float:
    """The share of a class; of a session that has none of it, the least."""
    share = row.share(name)
    return -1.0 if share is None else share


def sort_results(results: Iterable[TrialResult], by: _Column, *, worst: bool = False) -> tuple[TrialResult, ...]:
    """The rows by a column, the best first (or the worst); those that are level stay as they stood."""
    return tuple(sorted(results, key=by.value, reverse=(by.best == "high") != worst))


USUAL = Weights()


def reweigh_result(row: TrialResult, weights: Weights) -> TrialResult:
    """A row of Tune with the shares that it keeps and has in reach under some weights."""
    if not row.retention:
        return row
    retention = _retention(row.retention, weights)
    return replace(row, retained=retention.share, reach=retention.reach)


def reweigh_replay(run: Replay, weights: Weights) -> Replay:
    """A replay with the share that it keeps under some weights, and of each regret the weightiest need first."""
    if run.facts is None:
        return run
    regrets = tuple([regret.sorted_by(weights) for regret in run.regrets])
    return replace(run, facts=Retention(run.facts.classes, weights), regrets=regrets)


def _retention(classes: Mapping[str, RetainedFact], weights: Weights) -> Retention:
    return Retention({fact_class(name): counts for name, counts in classes.items()}, weights)
