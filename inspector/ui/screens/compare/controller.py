"""The state of the Compare screen and what changes it, without a widget: both replays, and a turn's differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any, Protocol

from inspector.analysis.experiments import USUAL
from inspector.core.conversation import Message
from inspector.core.crash import failure_sentence
from inspector.engine.facts import Weights
from inspector.library import OpenError
from inspector.ui.screens.compare.comparison import ComparisonView, OpenSides, comparison_views, throttle
from inspector.ui.screens.compare.differences import DifferenceItem, TurnDifferences, turn_differences
from inspector.ui.screens.navigation import next_mark
from inspector.ui.workers.jobs import Busy, CooperativeStop, Host, Jobs

_SLOW, _PAUSE = 0.2, 0.15
"""Seconds that differences take from which on they are computed only after a pause at a turn, and that pause."""


class _Timer(Protocol):
    def stop(self) -> None: ...


class CompareHost(Host, Protocol):
    """The screen, which also calls back after some seconds."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> _Timer: ...


@dataclass(frozen=True, eq=False)
class CompareState:
    """Everything that the screen draws, at one moment."""

    view: ComparisonView | None = None
    differences: TurnDifferences | None = None
    """Those of `turn`, or of one before while they are computed."""
    turn: int = 1
    busy: Busy | None = None
    weights: Weights = USUAL
    failure: str = ""
    """Why there is nothing to compare, in a sentence."""

    @property
    def count(self) -> int:
        return self.view.count if self.view else 1


class CompareController:
    """Computes both sides in the background, then what each has alone at the turn that is looked at.

    `on_change` gets each new state, on the thread that calls the controller.
    """

    def __init__(
        self,
        open_sides: OpenSides,
        weights: Weights,
        jobs: Jobs,
        host: CompareHost,
        on_change: Callable[[CompareState], None],
    ) -> None:
        self.state = CompareState(weights=weights)
        self._open_sides = open_sides
        self._jobs = jobs
        self._host = host
        self._on_change = on_change
        self._closed = Event()
        """Set when the comparison is no longer wanted."""
        self._newer = Event()
        """Set when another turn is wanted than the one that is being worked on."""
        self._pause: _Timer | None = None
        """Runs out when the person has stayed at a turn for a moment."""
        self._latest = jobs.latest("differences", self._set_differences)

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    # both sides

    def start(self) -> None:
        """Begin to open, replay and compare both sides."""
        self._set(busy=Busy("opening"))
        self._jobs.start("compare", self._compute, self._receive, self._fail)

    def close(self) -> None:
        """Stop the work. What still comes of it is dropped."""
        self._closed.set()
        self._newer.set()

    def _compute(self, report: Callable[[ComparisonView | Busy | None], object]) -> None:
        """In a thread: report how far it is and what there is; None at the end."""
        cancelled = CooperativeStop(self._closed).is_set
        for view in comparison_views(self._open_sides, cancelled, throttle(report)):
            report(view)
            if not view.is_final:
                report(Busy("reading the facts"))
        report(None)

    def _receive(self, result: ComparisonView | Busy | None) -> None:
        if self._closed.is_set():
            return
        if not isinstance(result, ComparisonView):
            self._set(busy=result)
            return
        turn = self.state.turn if self.state.view else _first_difference(result) or result.count
        self._set(view=result, turn=turn)
        self._ask_differences()

    def _fail(self, error: Exception) -> None:
        if not self._closed.is_set():
            sentence = str(error) if isinstance(error, ValueError | OpenError) else failure_sentence(error)
            self._set(busy=None, failure=sentence)

    # the turn

    @property
    def turn(self) -> int:
        return self.state.turn

    def go_to(self, turn: int) -> None:
        """To a turn, from 1, or as far as there are any."""
        turn = min(max(turn, 1), self.state.count)
        if self.state.view is not None and turn != self.state.turn:
            self._set(turn=turn)
            self._ask_soon()

    def go_to_difference(self) -> None:
        """To the first turn where the sides differ; to the last where none does."""
        if self.state.view is None:
            return
        turn = _first_difference(self.state.view)
        self.go_to(turn or self.state.count)
        if turn is None:
            self._host.notify("No turn differs: every window says the same on both sides.")

    def go_to_compaction(self, step: int) -> None:
        """To the next compaction of either side (`step` 1) or the one before (-1)."""
        if self.state.view is None:
            return
        turn = next_mark(self.state.view.compaction_turns, self.state.turn, step)
        if turn is None:
            self._host.notify("Nothing is compressed on either side.")
        else:
            self.go_to(turn)

    # the differences at the turn

    def _ask_soon(self) -> None:
        """Ask for the differences of the turn; where they take long, only once the person stays there."""
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
        """Count the facts that are kept with other weights; nothing is replayed for it."""
        if weights != self.state.weights:
            self._set(weights=weights)
            self._ask_differences()

    def weights_effect(self, weights: Weights) -> list[float]:
        """The share of the facts, from 0 to 1, that each side keeps under some weights; empty while that is unknown."""
        view = self.state.view
        return [result.retained for result in view.results(weights)] if view and view.is_final else []

    def message(self, side: int, item: DifferenceItem) -> Message | None:
        """The message that stated something first, where it is in the log of its side."""
        view = self.state.view
        if view is None or not item.number:
            return None
        lane = view.comparison.left if side == 0 else view.comparison.right
        return lane.session.messages[item.number - 1]


def _first_difference(view: ComparisonView) -> int | None:
    return view.comparison.first.turn if view.comparison.first else None
