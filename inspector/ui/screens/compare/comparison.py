"""Two replays side by side, and the job that opens, replays and compares both sides."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple

from inspector.analysis.experiments import TrialResult, reweigh_result, trial_result
from inspector.analysis.replay import (
    RECORDED,
    CompactionEvent,
    Comparison,
    ComparisonVerdict,
    Frame,
    Lane,
    ReplayCancelled,
    Side,
    compare_replays,
    judge_sessions,
    only_limit,
    turns_reached,
)
from inspector.core.text import clipped, one_line
from inspector.core.work_pool import Stop
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.library import LARGE_SESSION_BYTES, Library, Opener, Workbench
from inspector.llm.models import session_price
from inspector.ui.screens.replay.progress import ReplayProgress, progress_of, replay_run
from inspector.ui.workers.jobs import Busy

SIDES: tuple[Side, Side] = ("left", "right")
_NAME = 28
"""Cells of a name in the verdict."""
_INTERVAL = 0.15
"""Seconds between two progress reports."""


@dataclass(frozen=True)
class CompareSide:
    """One side: an agent's context in a session under a preset, with a display name."""

    name: str
    bench: Workbench
    agent: str
    preset: Preset


SidePair = tuple[CompareSide, CompareSide]
Report = Callable[[Busy], object]
OpenSides = Callable[[Report, Stop], SidePair]
"""Returns both sides, opening them if needed. Runs in a thread; raises OpenError and ReplayCancelled."""


class CompareRow(NamedTuple):
    """A row of both lanes: a turn of one session, or of two sessions turns with the same actions, or one and a gap."""

    turns: tuple[int | None, int | None]
    same: bool
    """True if the windows of one session are equal, or the actions of two."""
    actions: tuple[str, str] = ("", "")
    """Prompts and actions of the turns of two sessions."""


@dataclass(frozen=True)
class ComparisonView:
    """Both replays and their differences. Facts are missing until `is_final` is True."""

    sides: SidePair
    replays: tuple[ReplayProgress, ReplayProgress]
    comparison: Comparison
    is_final: bool

    @property
    def count(self) -> int:
        """Number of rows, including the one of the current contexts."""
        return len(self.rows)

    @cached_property
    def rows(self) -> tuple[CompareRow, ...]:
        """Turns side by side: by number for one session, by actions for two."""
        if self.same_session:
            return tuple([CompareRow((pair.turn, pair.turn), pair.same) for pair in self.comparison.turns])
        return tuple(
            [
                CompareRow((row.left_turn, row.right_turn), row.same, (row.left_action, row.right_action))
                for row in self.comparison.aligned
            ]
        )

    @cached_property
    def reached(self) -> tuple[tuple[int, int], ...]:
        """For each row, the turns that both sides have reached."""
        if self.same_session:
            return tuple([(pair.turn, pair.turn) for pair in self.comparison.turns])
        return tuple(turns_reached(self.comparison.aligned))

    @cached_property
    def first_row(self) -> int | None:
        """The first row that differs, from 1: in the windows of one session, or in the actions of two if any do."""
        first = self.comparison.first
        if first is None or self.same_session:
            return first.turn if first else None
        rows = enumerate(self.rows, 1)
        other = next((number for number, reached in enumerate(self.reached, 1) if first.turn in reached), None)
        return next((number for number, row in rows if not row.same), other)

    @property
    def same_session(self) -> bool:
        return self.comparison.left.session is self.comparison.right.session

    @cached_property
    def names(self) -> tuple[str, str]:
        """Names of the sides, numbered if they are equal."""
        one, other = (side.name for side in self.sides)
        return (one, other) if one != other else (f"1 {one}", f"2 {other}")

    @cached_property
    def verdict(self) -> ComparisonVerdict | None:
        """Verdict on two sessions once their facts are counted; None for one session under two presets."""
        if self.same_session or not self.is_final:
            return None
        left, right = (clipped(one_line(name), _NAME) for name in self.names)
        return judge_sessions(self.comparison.left, self.comparison.right, (left, right))

    @cached_property
    def scale(self) -> int:
        """Tokens of the largest window of both sides, at least 1."""
        return max((frame.total for side in self.replays for frame in side.frames), default=0) or 1

    @cached_property
    def numbers(self) -> tuple[dict[str, int], dict[str, int]]:
        """For each side, the number of each message in the log, from 1, by its ID."""
        first = self.comparison.left.session.numbers
        return first, first if self.same_session else self.comparison.right.session.numbers

    @cached_property
    def regret_turns(self) -> tuple[frozenset[int], frozenset[int]]:
        """Turns of each side whose reply needed a lost fact."""
        first, second = (frozenset(regret.turn for regret in side.replay.regrets) for side in self.replays)
        return first, second

    @cached_property
    def compaction_rows(self) -> frozenset[int]:
        """Rows with a compaction on either side, from 1."""
        rows = range(1, self.count + 1)
        return frozenset(row for row in rows if self.compaction(0, row) or self.compaction(1, row))

    def turn(self, side: int, row: int) -> int | None:
        """Return the turn of a side in a row, counted from 1; None for a gap."""
        return self.rows[row - 1].turns[side]

    def frame(self, side: int, row: int) -> Frame | None:
        """Return the window of a side in a row; None for a gap."""
        turn = self.turn(side, row)
        return self.replays[side].frame(turn) if turn else None

    def compaction(self, side: int, row: int) -> CompactionEvent | None:
        turn = self.turn(side, row)
        return self.replays[side].compaction(turn) if turn else None

    def results(self, weights: Weights) -> list[TrialResult]:
        """Return both sides as rows of Tune."""
        pairs = [(side, side.bench.limit or only_limit(side.bench.session, side.bench.sizes)) for side in self.replays]
        rows = (trial_result(side.replay, side.preset, limit) for side, limit in pairs)
        return [reweigh_result(row, weights) for row in rows]


def comparison_views(open_sides: OpenSides, cancelled: Stop, report: Report) -> Iterator[ComparisonView]:
    """Yield a comparison without facts, then one with them; only the second if the facts have been read before.

    Args:
        open_sides: Returns both sides.
        cancelled: Returns True to stop.
        report: Called with the current activity and its progress.

    Raises:
        ReplayCancelled: `cancelled` returned True.
        OpenError: A side cannot be opened.
        ValueError: A preset has impossible settings.
        OSError: A recording can no longer be read.
    """
    sides = open_sides(report, cancelled)
    with_index = all(side.bench.session in side.bench.facts for side in sides)
    for with_facts in (True,) if with_index else (False, True):
        yield _view(sides, with_facts, cancelled, report)


def _view(sides: SidePair, with_facts: bool, cancelled: Stop, report: Report) -> ComparisonView:
    frames = sum(side.bench.turns(side.agent) + 1 for side in sides)
    replays: list[ReplayProgress] = []
    lanes: list[Lane] = []
    steps = count(1)

    def advance() -> None:
        if cancelled():
            raise ReplayCancelled
        report(Busy("replaying", next(steps) / frames))

    for side in sides:
        replay = _replay_side(side, with_facts, advance)
        replays.append(replay)
        facts = side.bench.fact_index() if with_facts else None
        lanes.append(Lane(side.bench.session, side.bench.sizes, replay.replay, facts))
    report(Busy("comparing"))
    comparison = compare_replays(lanes[0], lanes[1], stop=cancelled)
    view = ComparisonView(sides, (replays[0], replays[1]), comparison, with_facts)
    # computed here rather than while drawing
    _ = view.scale, view.numbers, view.regret_turns, view.first_row, view.reached, view.compaction_rows
    return view


def _replay_side(side: CompareSide, with_facts: bool, advance: Callable[[], None]) -> ReplayProgress:
    """Replay one side, calling `advance` after each frame."""
    bench, session = side.bench, side.bench.session
    price = session_price(session)
    run = replay_run(bench, side.agent, side.preset, price, bench.fact_index() if with_facts else None)
    for _ in run.frames():
        advance()
    return progress_of(run, bench, side.preset, price, is_final=with_facts)


def throttle(report: Report, clock: Callable[[], float] = time.monotonic) -> Report:
    """Limit a report function to one call per interval for the same activity; new activities are reported at once."""
    last: dict[str, float] = {}

    def forward(busy: Busy) -> None:
        if clock() - last.get(busy.what, float("-inf")) > _INTERVAL:
            last[busy.what] = clock()
            report(busy)

    return forward


def two_presets(one: CompareSide, other: CompareSide) -> OpenSides:
    """Return a function that returns two sides which are already open."""
    return lambda _report, _cancelled: (one, other)


def two_sessions(targets: tuple[str, str], library: Library | None, limit: int) -> OpenSides:
    """Return a function that opens two sessions as recorded, each with its first agent.

    Args:
        targets: Paths, `path#n` or stored session IDs.
        library: Stored sessions; None to open files only.
        limit: Context window in tokens that overrides the models' own; 0 keeps theirs.
    """

    def open_sides(report: Report, cancelled: Stop) -> SidePair:
        one, other = (_recorded_side(target, library, limit, report, cancelled) for target in targets)
        return one, other

    return open_sides


def _recorded_side(target: str, library: Library | None, limit: int, report: Report, cancelled: Stop) -> CompareSide:
    """Open a session and count its tokens. Raises OpenError and ReplayCancelled."""

    def advance(what: str, number: int, whole: int) -> None:
        if cancelled():
            raise ReplayCancelled
        report(Busy(what, number / whole if whole else None))

    opener = replace(Opener(limit=limit) if library is None else library.opener(limit), helper_from=LARGE_SESSION_BYTES)
    bench, _ = opener.open(target, advance)
    return CompareSide(bench.session.title or bench.session.id, bench, bench.session.agents[0], RECORDED)
