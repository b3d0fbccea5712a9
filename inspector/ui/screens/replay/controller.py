"""The state of the Replay screen and its controller, independent of any widget: replay, turn and playback."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Any

from inspector.analysis.experiments import USUAL, reweigh_replay
from inspector.analysis.replay import WorkQuestions
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.crash import error_message
from inspector.engine.compression import PRESETS, Preset
from inspector.engine.facts import Weights
from inspector.library import Workbench
from inspector.ui.key_remaps import with_keys
from inspector.ui.screens.navigation import next_agent, next_mark
from inspector.ui.screens.replay.progress import ReplayProgress, replay_progress
from inspector.ui.workers.jobs import Busy, CooperativeStop, Host, Jobs

_START = "balanced"
"""Preset of the first replay: the documented default."""
_RATES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Turns per second."""
_REFRESHES = 20
"""Maximum ticks per second. At higher rates each tick advances by several turns."""


@dataclass(frozen=True)
class Playback:
    """State and speed of the playback."""

    is_playing: bool = False
    speed: int = 3
    """Index into `_RATES`."""

    @property
    def rate(self) -> int:
        """Turns per second."""
        return _RATES[self.speed]

    @property
    def interval(self) -> float:
        """Seconds between two ticks."""
        return 1 / min(self.rate, _REFRESHES)

    @property
    def step(self) -> int:
        """Turns to advance by in one tick."""
        return max(1, self.rate // _REFRESHES)

    def faster(self, steps: int) -> Playback:
        return replace(self, speed=min(max(self.speed + steps, 0), len(_RATES) - 1))


@dataclass(frozen=True, eq=False)
class ReplayState:
    """Everything that the screen draws, at one moment."""

    bench: Workbench | None = None
    agent: str = MAIN
    preset: Preset = field(default_factory=lambda: PRESETS[_START])
    progress: ReplayProgress | None = None
    """Replay that is shown; still the previous one while a newer one has no frames."""
    turn: int = 1
    busy: Busy | None = None
    weights: Weights = USUAL
    playback: Playback = Playback()

    @property
    def count(self) -> int:
        """Number of frames of the finished replay; the last is the context after all turns."""
        return self.bench.turns(self.agent) + 1 if self.bench else 1

    @property
    def frame_count(self) -> int:
        """Number of frames so far."""
        return len(self.progress.frames) if self.progress else 0

    @property
    def at_end(self) -> bool:
        return self.turn >= self.count

    @property
    def compaction_turns(self) -> list[int]:
        return [compaction.turn for compaction in self.progress.replay.compactions] if self.progress else []

    @property
    def questions(self) -> Sequence[WorkQuestions]:
        """Questions for going on at each compression."""
        return self.progress.replay.questions if self.progress else ()

    @property
    def questions_before(self) -> int:
        """Index of the questions at the newest compression up to the turn, or 0."""
        return max(0, sum(one.turn <= self.turn for one in self.questions) - 1)

    @property
    def regret_turns(self) -> list[int]:
        """Turns whose reply needed a lost fact, in order."""
        return sorted({regret.turn for regret in self.progress.replay.regrets}) if self.progress else []


@dataclass(frozen=True)
class _Attempt:
    """A replay in the background. Results are dropped unless it is the newest one."""

    bench: Workbench
    agent: str
    preset: Preset
    stop: Event = field(default_factory=Event)

    def run(self, report: Callable[[ReplayProgress], object]) -> None:
        """Report each stage of the replay. Runs in a thread."""
        cancelled = CooperativeStop(self.stop).is_set
        for progress in replay_progress(self.bench, self.agent, self.preset, cancelled):
            report(progress)


class ReplayController:
    """Replays one agent's session under a preset in the background, and moves through its turns.

    `on_change` is called with each new state, on the thread that calls the controller.
    """

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[ReplayState], None]) -> None:
        """Create a controller without a session.

        Args:
            jobs: Runs replays in a thread.
            host: Shows notices.
            on_change: Called with each new state.
        """
        self.state = ReplayState()
        self._jobs = jobs
        self._host = host
        self._on_change = on_change
        self._attempt: _Attempt | None = None
        self._subject: tuple[Session, str] | None = None
        """Session and agent that were opened last, before another agent was chosen here."""
        self._follows = True
        """True if the turn follows the newest frame, until the user moves it."""

    @property
    def is_open(self) -> bool:
        return self.state.bench is not None

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    # replay

    def open(self, bench: Workbench, agent: str = MAIN) -> None:
        """Show a session once all of it has been counted, because earlier numbers of a replay would change."""
        state, before = self.state, self.state.bench
        agent = state.agent if self._subject == (bench.session, agent) else agent
        same = before is not None and bench.session is before.session and agent == state.agent
        is_same = before is not None and bench.sizes is before.sizes and bench.limit == before.limit
        self._subject = (bench.session, agent)
        if same and state.progress is not None and (is_same or bench.sizes.is_partial):
            return
        self._follows = self._follows or not same
        self._begin(bench, agent, state.preset)

    def show_preset(self, preset: Preset) -> None:
        """Replay the session under another preset, at the same turn."""
        if preset == self.state.preset and self.state.progress is not None:
            return
        if self.state.bench is None:
            self._set(preset=preset)
        else:
            self._begin(self.state.bench, self.state.agent, preset)

    def go_to_agent(self, step: int) -> None:
        """Replay the context of the next agent (`step` 1) or the previous one (-1), if there are several."""
        bench = self.state.bench
        agents = bench.session.agents if bench else ()
        if bench is not None and len(agents) > 1:
            self._follows = True
            self._begin(bench, next_agent(agents, self.state.agent, step), self.state.preset)

    def close(self) -> None:
        """Stop the work and ignore its remaining results."""
        if self._attempt is not None:
            self._attempt.stop.set()
        self._attempt = None

    def _begin(self, bench: Workbench, agent: str, preset: Preset) -> None:
        self.close()
        if bench.sizes.is_partial:
            before = self.state.bench
            is_same = before is not None and before.session is bench.session and agent == self.state.agent
            progress = self.state.progress if is_same else None
            self._set(bench=bench, agent=agent, preset=preset, progress=progress, busy=Busy("counting"))
            return
        attempt = self._attempt = _Attempt(bench, agent, preset)
        self._set(bench=bench, agent=agent, preset=preset, busy=Busy("replaying", 0.0))
        self._jobs.start("replay", attempt.run, partial(self._receive, attempt), partial(self._fail, attempt))

    def _receive(self, attempt: _Attempt, progress: ReplayProgress) -> None:
        if attempt is not self._attempt:
            return
        previous = self.state.progress
        if not progress.is_final and previous is not None and previous.same_run_as(progress):
            self._set(busy=_busy_with(progress))
            return
        turn = len(progress.frames) if self._follows else self.state.turn
        busy = None if progress.is_final else _busy_with(progress)
        self._set(progress=_with_weights(progress, self.state.weights), turn=turn, busy=busy)

    def _fail(self, attempt: _Attempt, error: Exception) -> None:
        if attempt is self._attempt:
            self._set(busy=None)
            sentence = str(error) if isinstance(error, ValueError) else error_message(error)
            self._host.notify(sentence, severity="error")

    # the turn

    @property
    def turn(self) -> int:
        return self.state.turn

    def go_to(self, turn: int) -> None:
        """Stop playing and go to a turn, counted from 1, or to the nearest existing frame."""
        self._follows = False
        turn = min(max(turn, 1), max(self.state.frame_count, 1))
        self._set(turn=turn, playback=replace(self.state.playback, is_playing=False))

    def go_to_compaction(self, step: int) -> None:
        """Go to the next compaction (`step` 1) or the previous one (-1)."""
        if not self._go_round(self.state.compaction_turns, step):
            self._host.notify(with_keys("Nothing is compressed here. Press {strategy} to choose another preset."))

    def go_to_regret(self, step: int) -> None:
        """Go to the next turn with a regret (`step` 1) or the previous one (-1)."""
        if not self._go_round(self.state.regret_turns, step):
            self._host.notify("No reply needed a dropped fact.")

    def _go_round(self, turns: Collection[int], step: int) -> bool:
        """Go to the nearest of some turns in a direction, wrapping around. Return False if there are no turns."""
        target = next_mark(turns, self.turn, step)
        if target is None:
            self.pause()
            return False
        self.go_to(target)
        return True

    # playback

    def play(self) -> None:
        """Play or pause. At the last frame, play from the first."""
        if self.state.progress is None:
            return
        if self.state.at_end and not self.state.playback.is_playing:
            self.go_to(1)
        self._follows = False
        playback = self.state.playback
        self._set(playback=replace(playback, is_playing=not playback.is_playing))

    def pause(self) -> None:
        if self.state.playback.is_playing:
            self._set(playback=replace(self.state.playback, is_playing=False))

    def change_speed(self, steps: int) -> None:
        self._set(playback=self.state.playback.faster(steps))

    def tick(self) -> None:
        """Advance while playing, up to the newest frame so far."""
        playback = self.state.playback
        if playback.is_playing:
            turn = min(self.state.turn + playback.step, max(self.state.frame_count, 1))
            self._set(turn=turn, playback=replace(playback, is_playing=turn < self.state.count))

    # messages and weights

    def message(self, id: str) -> tuple[Message, int] | None:
        """Return a message of the log by its ID, and its number from 1, or None."""
        messages = self.state.bench.session.messages if self.state.bench else ()
        return next(((message, place) for place, message in enumerate(messages, 1) if message.id == id), None)

    def set_weights(self, weights: Weights) -> None:
        """Apply new weights to the retained facts, without replaying anything."""
        if weights != self.state.weights:
            progress = self.state.progress
            self._set(weights=weights, progress=_with_weights(progress, weights) if progress else None)

    def weights_effect(self, weights: Weights) -> str:
        """Return the share of facts retained under some weights, in words; empty while unknown."""
        progress = self.state.progress
        if progress is None or progress.replay.facts is None:
            return ""
        return f"{progress.preset.name} keeps {reweigh_replay(progress.replay, weights).retained:.1%} of the facts"


def _with_weights(progress: ReplayProgress, weights: Weights) -> ReplayProgress:
    return replace(progress, replay=reweigh_replay(progress.replay, weights))


def _busy_with(progress: ReplayProgress) -> Busy:
    share = len(progress.frames) / max(1, progress.count)
    return Busy("replaying", share) if share < 1 else Busy("searching for lost facts")
