"""Two replays facing each other: the work behind them, the turn that is looked at, and what each has there alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from threading import Event

from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer

from inspector.crash import failure_sentence
from inspector.experiments import USUAL
from inspector.facts import Weights
from inspector.library import OpenError
from inspector.replay import ReplayCancelled
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.screens.compare.halves import Begin, Sight, now_and_then, sights
from inspector.ui.screens.compare.standing import Standing, stood
from inspector.ui.widgets.title import Busy
from inspector.ui.workers.cooperative import CooperativeStop
from inspector.ui.workers.latest import LatestOnly

_LONG, _MOMENT = 0.2, 0.15
"""Seconds from which on a standing is worked out only when the person stays at its turn, and for how long."""


class Facing(Overlay[None]):
    """A worker makes the sight of both sides, another one what is kept and lost at the turn."""

    sight: reactive[Sight | None] = reactive(None, init=False, repaint=False)
    standing: reactive[Standing | None] = reactive(None, init=False, repaint=False)
    turn: reactive[int] = reactive(1, init=False, repaint=False)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)
    weights: reactive[Weights] = reactive(USUAL, init=False, repaint=False)
    failure: reactive[str] = reactive("", init=False, repaint=False)
    """Why there is nothing to compare, in a sentence."""

    @dataclass
    class Came(Message):
        """How far it is, or that it is over: without busy, sight and failure there is nothing more to come."""

        sight: Sight | None = None
        busy: Busy | None = None
        failure: str = ""

    def __init__(self, begin: Begin) -> None:
        super().__init__()
        self.begin = begin
        self.given_up = Event()
        """Set when the comparison is no longer wanted."""
        self.newer = Event()
        """Set when another turn is looked at than the one that is being worked on."""
        self.waits: Timer | None = None
        """Runs out when the person has stayed at a turn for a moment."""
        self.stands: LatestOnly[Standing | None] = LatestOnly(self, "standing", self.take_standing)

    def on_mount(self) -> None:
        self.busy = Busy("opening")
        self.run_worker(self.work, thread=True, group="compare", exit_on_error=False)

    def work(self) -> None:
        """In a thread: whatever happens is told."""
        tell = now_and_then(lambda busy: self.tell(self.Came(busy=busy)))
        try:
            for sight in sights(self.begin, CooperativeStop(self.given_up).is_set, tell):
                self.tell(self.Came(sight))
                if not sight.finished:
                    self.tell(self.Came(busy=Busy("reading the facts")))
        except ReplayCancelled:
            return
        except Exception as error:  # shown to the person in a sentence: a failed comparison must not end the app
            known = isinstance(error, ValueError | OpenError)
            self.tell(self.Came(failure=str(error) if known else failure_sentence(error)))
        else:
            self.tell(self.Came())

    def tell(self, message: Came) -> None:
        if not self.given_up.is_set():
            self.post_message(message)

    def on_facing_came(self, message: Came) -> None:
        if message.failure:
            self.failure = message.failure
        if message.sight is None:
            self.busy = message.busy
            return
        first = self.sight is None
        self.sight = message.sight
        if first:
            self.to_first_difference()
        self.ask()

    def to_first_difference(self) -> bool:
        """To the first turn where the sides differ; to the last turn and False where none does."""
        if self.sight is None:
            return False
        first = self.sight.found.first
        self.turn = first.turn if first else self.sight.count
        return first is not None

    def go_to(self, turn: int) -> None:
        """To a turn, as far as there are any."""
        if self.sight is not None:
            self.turn = min(max(turn, 1), self.sight.count)

    def watch_turn(self) -> None:
        self.look()

    def watch_weights(self) -> None:
        self.ask()

    def look(self) -> None:
        """Ask what each side has alone at the turn, where that takes long only once the person stays there."""
        if self.sight is None:
            return
        self.newer.set()
        self.newer = Event()
        if self.waits is not None:
            self.waits.stop()
        if self.standing is not None and self.standing.seconds > _LONG:
            self.waits = self.set_timer(_MOMENT, self.ask)
        else:
            self.ask()

    def ask(self) -> None:
        """Ask for the standing of the turn."""
        if self.sight is None:
            return
        known = self.standing.found if self.standing and self.standing.sight is self.sight else self.sight.found
        self.stands.ask(partial(stood, self.sight, known, self.turn, self.weights, self.newer))

    def take_standing(self, found: Standing | None) -> None:
        if found is not None and found.sight is self.sight:
            self.standing = found

    def on_unmount(self) -> None:
        self.given_up.set()
        self.newer.set()
