"""Run presets on one session: the figures of each replay, and the Pareto-optimal ones.

A row is a replay in a few numbers. Except for the mark of the Pareto front, rows are independent of each other, so they
can be computed in any order and in other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Annotated, Any, Protocol

from inspector.analysis.replay import (
    NONE,
    RECORDED,
    UNKNOWN_LIFETIME,
    Basis,
    ByClass,
    CacheLifetime,
    CompressedAbove,
    InReach,
    Judged,
    LogStates,
    NeededAgain,
    RecordedSo,
    Replay,
    ReplayCancelled,
    ReplayRun,
    ReportedUsage,
    Retained,
    StateKept,
    SummaryStatement,
    only_limit,
    reported_calls,
)
from inspector.core.conversation import MAIN, Session
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.core.text import BEST, HASTY, OFF, ON, UNFIT
from inspector.engine.compression import Misfit, Policy, Preset, Scale, misfit, scale_of
from inspector.engine.facts import FactIndex, Retention, Weights, fact_class
from inspector.engine.strategies import Services
from inspector.llm.models import Cost, Price
from inspector.llm.tokens import Certainty, Sizes, TokenCount


def pareto_front(points: Sequence[tuple[float, float]]) -> tuple[bool, ...]:
    """Return for each (cost, gain) whether it is on the Pareto front.

    A point is on the front if no other point costs at most as much and gains at least as much with one of the two
    better. Equal points are on the front together.
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


class ResultCache(Protocol):
    """Storage for the results of one session. Methods never raise."""

    def content_digest(self) -> bytes | None:
        """Return a digest of everything that was read of the session; None if that is not known."""

    def load_result(self, key: bytes) -> str | None:
        """Return the text that was saved under a key."""

    def save_result(self, key: bytes, text: str) -> None:
        """Save a text under a key."""


@dataclass(frozen=True)
class TrialSetup:
    """Setup of a trial: a session with its sizes, the price of its model, and the agent whose context is replayed.

    Without facts, retention and regrets are not measured.
    """

    session: Session
    sizes: Sizes
    price: Price
    agent: str = MAIN
    services: Services | None = None
    facts: FactIndex | None = None
    weights: Weights | None = None
    kept: ResultCache | None = None
    """Results of earlier runs on the same session."""
    read_facts: Callable[[], FactIndex] | None = None
    """Reads the facts, if `facts` is None and they are needed."""
    judged: Judged = "all"
    """Judgements of the state of the work."""

    @cached_property
    def scale(self) -> Scale:
        """Reference values for the thresholds of presets."""
        return scale_of(self.session, self.sizes, self.agent)

    @cached_property
    def known_facts(self) -> FactIndex | None:
        """Facts of the session, which are read on first use; None if they are not measured."""
        return self.read_facts() if self.facts is None and self.read_facts else self.facts

    @cached_property
    def states(self) -> LogStates:
        """States of the work, which all replays share."""
        return LogStates()


@json_object(
    "Row",
    "preset=name turns compressions peak tokens_sent peak_how certainty cost cost_uncached basis simulated parts"
    " cache=lifetime retained reach regrets recalls hasty choice needed_again=rereads retention classes valid"
    " recorded_so fits misfit pareto gave_up policy=preset threshold"
    " state_kept=state.share revived=state.revived invented=state.invented unchecked=state.unchecked"
    " going_on=state.going_on sealed reused unwritten statements",
)
@dataclass(frozen=True, slots=True)
class TrialResult:
    """Figures of one preset. Tokens are those of the session's model, money is in dollars."""

    preset: Preset
    turns: Annotated[int, "model calls"]
    compressions: int
    peak: Annotated[Tokens, "of the largest sent window"]
    tokens_sent: Annotated[Tokens, "of all sent windows"]
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    retained: Retained
    retention: ByClass = field(default_factory=dict)
    regrets: Annotated[int, "replies that needed a lost fact"] = 0
    valid: Annotated[bool, "true if the provider would accept every window"] = True
    """True if a provider would accept every window, as recorded and as changed by compressions."""
    fits: Annotated[bool, "true if every window fits the model's"] = True
    gave_up: Annotated[str, "why it stopped compressing; empty if it did not"] = ""
    reach: InReach = 1.0
    reported: ReportedUsage | None = None
    """Reported usage, in the row of the recording. As far as it is known, it determines the row's cost."""
    parts: Cost = Cost()  # noqa: RUF009  a constant: Cost is frozen
    """Cost by category."""
    basis: Basis = "simulated"
    simulated: Annotated[Dollars, "`cost` without using reported usage, for comparison with other presets"] = 0.0
    lifetime: CacheLifetime = UNKNOWN_LIFETIME
    recalls: Annotated[int, "other replies that needed a recoverable fact"] = 0
    sealed: Annotated[int, "recorded compactions with an encrypted summary, whose regrets are unknown"] = 0
    reused: Annotated[
        int, "replies of the recording that used a fact which its context does not contain; no regrets"
    ] = 0
    hasty: Annotated[
        int,
        "compressions that removed content right after it was read; not recommended if at least half of them did",
    ] = 0
    threshold: CompressedAbove = 0
    is_recorded_so: bool = False
    """True if compressions introduced no problems."""
    rereads: NeededAgain = None
    certainty: Annotated[Certainty, "certainty of `tokens_sent`"] = "estimated"
    """Certainty of its sizes. Sizes are always counted, so that all rows are comparable."""
    peak_how: Annotated[
        Certainty, "certainty of `peak`; for the recording, the reported peak is used if there is one"
    ] = "estimated"
    misfit: Annotated[
        Misfit, "small: below 1,000; floor: hardly above its fixed part; window: above the model's; or empty"
    ] = ""
    pareto: Annotated[
        bool,
        "true if the row is Pareto-optimal in tokens sent and facts retained, among the rows that"
        " are valid and not advised against",
    ] = False
    """True if no other such row sends fewer tokens or retains more without being worse in the other."""
    state: Annotated[StateKept, "the state of the work at its compressions"] = StateKept()  # noqa: RUF009
    unwritten: Annotated[
        int,
        "attempts to compress without a usable summary; not recommended if they are as many as the compressions",
    ] = 0
    statements: Annotated[tuple[SummaryStatement, ...], "invented and revived statements of its summaries"] = ()

    @property
    def name(self) -> str:
        return self.preset.name

    @property
    def sendable(self) -> bool:
        """True if every window fits and compressions introduced no problems.

        The session could then have been run with the preset.
        """
        return self.fits and (self.valid or self.is_recorded_so)

    @property
    def recorded_so(self) -> RecordedSo:
        return not self.valid and self.sendable

    @property
    def misses(self) -> int:
        """Number of replies that needed a fact which was not in the window."""
        return self.regrets + self.recalls

    @property
    def haste(self) -> float:
        """Share of its compressions that were hasty, if at least half of them were; otherwise 0."""
        return self.hasty / self.compressions if 0 < self.compressions <= 2 * self.hasty else 0.0

    @property
    def is_unwritten(self) -> bool:
        """True if it has at least as many attempts without a usable summary as compressions."""
        return self.unwritten >= max(1, self.compressions)

    @property
    def choice(
        self,
    ) -> Annotated[
        bool,
        "true if the verdict may choose it: valid, not hasty, with summaries, fits the session, and not the recording",
    ]:
        return self.sendable and not self.is_discouraged and self.preset != RECORDED

    @property
    def is_discouraged(self) -> bool:
        """True if it must not be recommended although it could be sent: hasty, without summaries, or a misfit."""
        return bool(self.haste or self.misfit or self.is_unwritten)

    def sign(self, best: TrialResult | None) -> str:
        """Return the symbol of a row in a table with the given best row."""
        if self is best:
            return BEST
        usual = HASTY if self.is_discouraged else ON if self.pareto else OFF
        return usual if self.sendable else UNFIT

    @property
    def largest(self) -> TokenCount:
        """Peak with its certainty."""
        return TokenCount(self.peak, self.peak_how)

    @property
    def sent(self) -> TokenCount:
        """Tokens of all sent windows, with their certainty."""
        return TokenCount(self.tokens_sent, self.certainty)

    @property
    def classes(
        self,
    ) -> Annotated[Mapping[str, float | None], "retained share of each class; null for classes without facts"]:
        return {name: self.share(name) for name in self.retention}

    def share(self, name: str) -> float | None:
        """Return the share of the facts of one class that are retained; None if the session has none."""
        counts = self.retention.get(name)
        return counts.retained / counts.total if counts and counts.total else None


def trial_result(replay: Replay, preset: Preset, limit: int) -> TrialResult:
    """Return the row of a replay.

    Args:
        replay: A replay of the preset.
        preset: The preset.
        limit: The model's window in tokens; 0 if unknown or changing.
    """
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
        not (limit < replay.peak if limit else replay.size_problems),
        replay.gave_up,
        replay.reach,
        parts=replay.parts,
        basis=replay.basis,
        simulated=replay.simulated.total,
        lifetime=replay.lifetime,
        recalls=len(replay.recalls),
        sealed=len(replay.sealed),
        reused=len(replay.reused),
        hasty=replay.hasty,
        threshold=replay.threshold,
        is_recorded_so=not replay.new_problems,
        rereads=replay.rereads,
        certainty=replay.certainty,
        peak_how=replay.certainty,
        state=replay.state,
        unwritten=replay.unwritten,
        statements=replay.statements,
    )


def as_reported(row: TrialResult, usage: ReportedUsage | None) -> TrialResult:
    """Return the row of the recording with its reported usage and, if complete, the reported peak."""
    row = replace(row, reported=usage)
    return row if usage is None or usage.unreported else replace(row, peak=usage.peak, peak_how="reported")


def start_trial(subject: TrialSetup, preset: Preset) -> ReplayRun:
    """Return the replay of a preset before its first frame.

    Raises:
        ValueError: If the preset is invalid.
    """
    on, facts = subject, subject.known_facts
    return ReplayRun(
        *(on.session, on.sizes, preset, on.price, on.agent, on.services, facts, on.weights, on.judged), on.states
    )


def run_trial(subject: TrialSetup, preset: Preset, stop: Callable[[], bool] = lambda: False) -> TrialResult:
    """Replay a preset.

    Args:
        subject: Session and settings of the replay.
        preset: Preset to replay.
        stop: Called once per turn; cancels the replay when it returns True.

    Raises:
        ReplayCancelled: If `stop` returned True.
        ValueError: If the preset is invalid.
    """
    run = start_trial(subject, preset)
    for _ in run.frames():
        if stop():
            raise ReplayCancelled
    result = trial_result(run.replay(), preset, only_limit(subject.session, subject.sizes))
    if preset == RECORDED:
        return as_reported(result, reported_calls(subject.session, subject.price, subject.agent))
    return replace(result, misfit=misfit(preset.threshold, subject.scale)) if preset.enabled else result


def run_trials(subject: TrialSetup, presets: Iterable[Preset]) -> tuple[TrialResult, ...]:
    """Return a row for each preset, in order, with the Pareto front marked.

    Raises:
        ValueError: If a preset is invalid.
    """
    return mark_front([run_trial(subject, preset) for preset in presets])


def mark_front(results: Sequence[TrialResult]) -> tuple[TrialResult, ...]:
    """Mark the rows that are Pareto-optimal in tokens sent and retention. Invalid and discouraged rows are ignored."""
    contest = [row for row in results if row.sendable and not row.is_discouraged]
    marks = dict(zip(map(id, contest), pareto_front([(row.tokens_sent, row.retained) for row in contest]), strict=True))
    return tuple(replace(row, pareto=marks.get(id(row), False)) for row in results)


def policy_key(preset: Preset) -> Any:
    """Return a key that is equal for presets with the same effect, whatever their names and unused settings."""
    if preset == RECORDED:
        return RECORDED.name
    if not preset.enabled:
        return NONE.name
    settings = tuple(sorted(Policy.of(preset, Scale(0, 0)).own_settings.items()))
    return preset.strategy, preset.threshold, preset.preserve_system, settings


def distinct(presets: Iterable[Preset]) -> tuple[Preset, ...]:
    """Return the presets without those that have the same effect as an earlier one.

    Raises:
        ValueError: If a preset is invalid.
    """
    by_key: dict[Any, Preset] = {}
    for preset in presets:
        by_key.setdefault(policy_key(preset), preset)
    return tuple(by_key.values())


USUAL = Weights()


def reweigh_result(row: TrialResult, weights: Weights) -> TrialResult:
    """Return a row with its retention and reach under the given weights."""
    if not row.retention:
        return row
    retention = Retention({fact_class(name): counts for name, counts in row.retention.items()}, weights)
    return replace(row, retained=retention.share, reach=retention.reach)


def reweigh_replay(run: Replay, weights: Weights) -> Replay:
    """Return a replay with its retention under the given weights, and the needs of each regret sorted by weight."""
    if run.facts is None:
        return run
    regrets = tuple([regret.sorted_by(weights) for regret in run.regrets])
    return replace(run, facts=Retention(run.facts.classes, weights), regrets=regrets)
