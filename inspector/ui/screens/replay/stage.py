"""What is replayed, how far the replay is, and which turn one looks at: the state that the keys of Replay change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from inspector.compression import PRESETS, Preset
from inspector.conversation import MAIN, Session
from inspector.crash import failure_sentence
from inspector.experiments import USUAL, reweighed
from inspector.facts import Weights
from inspector.library import Workbench
from inspector.ui.screens.inspect.controller import NOTHING
from inspector.ui.screens.replay.filming import Film, films
from inspector.ui.widgets.title import Busy
from inspector.ui.workers.cooperative import CooperativeStop

_START = "balanced"
"""The preset of the first replay: requirement 3's recommendation."""


class Stage(Screen[None]):
    """One agent's session under one preset. A worker makes the film; what comes late from an older one is dropped."""

    film: reactive[Film | None] = reactive(None, init=False, repaint=False, always_update=True)
    turn: reactive[int] = reactive(1, init=False, repaint=False)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)
    weights: reactive[Weights] = reactive(USUAL, init=False, repaint=False)

    @dataclass
    class Came(Message):
        """More of a replay, or why there is none."""

        take: int
        film: Film | None
        failure: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.bench: Workbench = NOTHING
        self.agent = MAIN
        self.preset: Preset = PRESETS[_START]
        self.handed: tuple[Session, str] = (self.bench.session, self.agent)
        """What was opened last, before another agent was chosen here."""
        self.take = 0
        """The number of the newest replay that was begun."""
        self.given_up = Event()
        """Set when what is being replayed is no longer wanted."""
        self.following = True
        """Whether the cursor goes with the newest frame, until the person moves it."""

    @property
    def is_open(self) -> bool:
        return self.bench is not NOTHING

    @property
    def count(self) -> int:
        """Frames that there will be."""
        return self.bench.turns(self.agent) + 1

    @property
    def reached(self) -> int:
        """Frames that there are."""
        return len(self.film.frames) if self.film else 0

    def open(self, bench: Workbench, agent: str = MAIN) -> None:
        """Show a session; what is shown already stays as it is. Better counts are replayed once they are all there."""
        agent = self.agent if self.handed == (bench.session, agent) else agent
        same = bench.session is self.bench.session and agent == self.agent
        known = bench.sizes is self.bench.sizes and bench.limit == self.bench.limit
        self.handed = (bench.session, agent)
        if same and self.film is not None and (known or bench.sizes.counting):
            return
        self.following = self.following or not same
        self.bench, self.agent = bench, agent
        self.begin()

    def show(self, preset: Preset) -> None:
        """Replay under a preset, at the same turn."""
        if preset != self.preset or self.film is None:
            self.preset = preset
            if self.is_open:
                self.begin()

    def begin(self) -> None:
        """Replay from the first turn on."""
        self.take += 1
        self.stopped()
        self.busy = Busy("replaying", 0.0)
        job = partial(self.have_filmed, self.take, self.bench, self.agent, self.preset, self.given_up)
        self.run_worker(job, thread=True, group="replay", exclusive=True, exit_on_error=False)

    def stopped(self) -> None:
        """What is being replayed is no longer wanted."""
        self.given_up.set()
        self.given_up = Event()

    def have_filmed(self, take: int, bench: Workbench, agent: str, preset: Preset, stop: Event) -> None:
        """In a thread: whatever happens is told."""
        try:
            for film in films(bench, agent, preset, CooperativeStop(stop).is_set):
                self.post_message(self.Came(take, film))
        except Exception as error:  # shown to the person in a sentence: a failed replay must not end the app
            text = str(error) if isinstance(error, ValueError) else failure_sentence(error)
            self.post_message(self.Came(take, None, text))

    def on_stage_came(self, message: Came) -> None:
        if message.take != self.take:
            return
        film = message.film
        if film is None:
            self.busy = None
            self.notify(message.failure, severity="error")
            return
        self.busy = None if film.finished else _busy_with(film)
        if not film.finished and self.film is not None and self.film.same_as(film):
            return
        self.film = self.weighed(film)
        if self.following:
            self.turn = len(film.frames)

    def weighed(self, film: Film) -> Film:
        """A film with what it keeps under the weights of this session."""
        return replace(film, replay=reweighed(film.replay, self.weights))

    def watch_weights(self) -> None:
        if self.film is not None:
            self.film = self.weighed(self.film)

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """The weights of some sessions are others now."""
        if self.bench.session.id in sessions:
            self.weights = weights

    def on_unmount(self) -> None:
        self.given_up.set()

    def go_to(self, turn: int) -> None:
        """To a turn, as far as there are frames."""
        self.following = False
        self.turn = min(max(turn, 1), max(self.reached, 1))

    def go_round(self, marks: Sequence[int], step: int) -> bool:
        """To the next of some turns in a direction, round the end; False where there are none."""
        if not marks:
            return False
        ahead = [mark for mark in marks if (mark > self.turn if step > 0 else mark < self.turn)]
        around = ahead or list(marks)
        self.go_to(min(around) if step > 0 else max(around))
        return True


def _busy_with(film: Film) -> Busy:
    share = len(film.frames) / max(1, film.count)
    return Busy("replaying", share) if share < 1 else Busy("looking for what was lost")
