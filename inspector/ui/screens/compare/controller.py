"""The state of the Compare screen and its controller, independent of any widget: both replays and their differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any, Protocol

from inspector.analysis.experiments import USUAL
from inspector.core.conversation import Message
from inspector.core.crash import error_message
from inspector.engine.facts import Weights
from inspector.library import OpenError
from inspector.ui.screens.compare.comparison import ComparisonView, OpenSides, comparison_views, throttle
from inspector.ui.screens.compare.differences import DifferenceItem, TurnDifferences, turn_differences
from inspector.ui.screens.navigation import next_mark
from inspector.ui.workers.jobs import Busy, CooperativeStop, Host, Jobs

_SLOW, _PAUSE = 0.2, 0.15
"""Seconds of computation above which differences wait for a pause at a turn, and the seconds of that pause."""


class _Timer(Protocol):
    def stop(self) -> None: ...


class CompareHost(Host, Protocol):
    """The screen, which also calls back after a delay."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> _Timer: ...


@dataclass(frozen=True, eq=False)
class CompareState:
    """Everything that the screen draws, at one moment."""

    view: ComparisonView | None = None
    differences: TurnDifferences | None = None
    """Differences at `turn`, or at an earlier turn while they are being computed."""
    turn: int = 1
    """Row of both lanes, counted from 1: a turn of one session, or of two sessions turns with the same actions."""
    busy: Busy | None = None
    weights: Weights = USUAL
    failure: str = ""
    """Reason why there is nothing to compare, as a sentence."""

    @property
    def count(self) -> int:
        return self.view.count if self.view else 1


class CompareController:
    """Computes both sides in the background, then the differences at the current turn.

    `on_change` is called with each new state, on the thread that calls the controller.
    """

    def __init__(
        self,
        open_sides: OpenSides,
        weights: Weights,
        jobs: Jobs,
        host: CompareHost,
        on_change: Callable[[CompareState], None],
    ) -> None:
        """Create a controller that has not started yet.

        Args:
            open_sides: Returns both sides, in a thread.
            weights: Weights of the fact classes.
            jobs: Runs the work in threads.
            host: Shows notices and calls back after delays.
            on_change: Called with each new state.
        """
        self.state = CompareState(weights=weights)
        self._open_sides = open_sides
        self._jobs = jobs
        self._host = host
        self._on_change = on_change
        self._closed = Event()
        """Set when the comparison is no longer wanted."""
        self._newer = Event()
        """Set when a newer turn is wanted than the one being computed."""
        self._pause: _Timer | None = None
        """Timer that ends when the user has stayed at a turn."""
        self._latest = jobs.latest("differences", self._set_differences)

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    # both sides

    def start(self) -> None:
        """Start to open, replay and compare both sides."""
        self._set(busy=Busy("opening"))
        self._jobs.start("compare", self._compute, self._receive, self._fail)

    def close(self) -> None:
        """Stop the work and ignore its remaining results."""
        self._closed.set()
        self._newer.set()

    def _compute(self, report: Callable[[ComparisonView | Busy | None], object]) -> None:
        """Report progress and comparisons, then None at the end. Runs in a thread."""
        cancelled = CooperativeStop(self._closed).is_set
        for view in comparison_views(self._open_sides, cancelled, throttle(report)):
            _ = view.verdict  # reads the messages, so it is computed in this thread
            report(view)
            if not view.is_final:
                report(Busy("reading facts"))
        report(None)

    def _receive(self, result: ComparisonView | Busy | None) -> None:
        if self._closed.is_set():
            return
        if not isinstance(result, ComparisonView):
            self._set(busy=result)
            return
        turn = self.state.turn if self.state.view else result.first_row or result.count
        self._set(view=result, turn=turn)
        self._ask_differences()

    def _fail(self, error: Exception) -> None:
        if not self._closed.is_set():
            sentence = str(error) if isinstance(error, ValueError | OpenError) else error_message(error)
            self._set(busy=None, failure=sentence)

    # the turn

    @property
    def turn(self) -> int:
        return self.state.turn

    def go_to(self, turn: int) -> None:
        """Go to a turn, counted from 1, or to the nearest existing one."""
        turn = min(max(turn, 1), self.state.count)
        if self.state.view is not None and turn != self.state.turn:
            self._set(turn=turn)
            self._ask_soon()

    def go_to_difference(self) -> None:
        """Go to the first turn at which the sides differ, or to the last turn if there are no differences."""
        if self.state.view is None:
            return
        turn = self.state.view.first_row
        self.go_to(turn or self.state.count)
        if turn is None:
            self._host.notify("No difference: all windows are equal.")

    def go_to_compaction(self, step: int) -> None:
        """Go to the next compaction of either side (`step` 1) or the previous one (-1)."""
        if self.state.view is None:
            return
        turn = next_mark(self.state.view.compaction_rows, self.state.turn, step)
        if turn is None:
            self._host.notify("Neither side compresses.")
        else:
            self.go_to(turn)

    # differences at the turn

    def _ask_soon(self) -> None:
        """Request the differences of the turn; if they are slow to compute, only once the user stays there."""
        self._newer.set()
        self._newer = Event()
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        if self.state.differences is not None and self.state.differences.seconds > _SLOW:
            self._pause = self._host.set_timer(_PAUSE, self._ask_differences)
        else:
            self._ask_differences()

    def _ask_differences(self) -> None:
        view, previous = self.state.view, self.state.differences
        if view is not None:
            before = previous.comparison if previous and previous.view is view else view.comparison
            job = partial(turn_differences, view, before, self.state.turn, self.state.weights, self._newer)
            self._latest.ask(job)

    def _set_differences(self, differences: TurnDifferences | None) -> None:
        if differences is not None and differences.view is self.state.view:
            self._set(differences=differences)

    # weights and messages

    def set_weights(self, weights: Weights) -> None:
        """Apply new weights to the retained facts, without replaying anything."""
        if weights != self.state.weights:
            self._set(weights=weights)
            self._ask_differences()

    def weights_effect(self, weights: Weights) -> list[float]:
        """Return the share of facts, from 0 to 1, that each side retains under some weights; empty while unknown."""
        view = self.state.view
        return [result.retained for result in view.results(weights)] if view and view.is_final else []

    def message(self, side: int, item: DifferenceItem) -> Message | None:
        """Return the message that stated an item first, or None if it is not in the log of its side."""
        view = self.state.view
        if view is None or not item.number:
            return None
        lane = view.comparison.left if side == 0 else view.comparison.right
        return lane.session.messages[item.number - 1]
