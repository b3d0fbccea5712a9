"""A replay as it comes about: frozen records of how far it is, the first of them after the first frames.

A generator that runs in a worker thread; nothing in it knows the screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.compression import Preset
from inspector.facts import fact_index
from inspector.library import Workbench
from inspector.models import Price, price_of
from inspector.replay import NONE, RECORDED, Compaction, Frame, Replay, ReplayRun
from inspector.tokens import Sizes, mark
from inspector.ui.widgets.area import Picture

_FIRST, _OFTEN = 0.02, 0.15
"""Seconds until the first record, and between two of them."""


@dataclass(frozen=True)
class Film:
    """A replay, or as much of it as there is by now."""

    bench: Workbench
    preset: Preset
    price: Price
    replay: Replay
    count: int
    """Frames that there will be."""
    finished: bool = False
    """Whether all frames are there, and what was lost was looked at."""

    @property
    def frames(self) -> tuple[Frame, ...]:
        return self.replay.frames

    @property
    def never(self) -> bool:
        """Whether its policy never compresses."""
        return not self.preset.enabled

    @cached_property
    def whole(self) -> int:
        """Tokens that would have been sent if nothing had ever been compressed."""
        return sum(frame.full for frame in self.replay.calls)

    @cached_property
    def rough(self) -> str:
        """The sign before numbers that are estimates."""
        return mark(self.bench.sizes.how) or mark(self.bench.sizes.tools_how)

    @cached_property
    def picture(self) -> Picture:
        threshold = 0 if self.never else self.preset.threshold
        limit = self.bench.limit or self.bench.sizes.limit
        regretted = frozenset(regret.turn for regret in self.replay.regrets)
        return Picture(self.frames, self.count, threshold, limit, self.replay.compactions, regretted)

    def same_as(self, other: Film) -> bool:
        """Whether it is of the same session under the same preset, though maybe with other counts."""
        mine, others = self.bench.session, other.bench.session
        return mine is others and self.replay.agent == other.replay.agent and self.preset == other.preset

    def frame(self, turn: int) -> Frame | None:
        return self.frames[turn - 1] if 1 <= turn <= len(self.frames) else None

    def compaction(self, turn: int) -> Compaction | None:
        """What was compressed before the call of a turn."""
        frame = self.frame(turn)
        return self.replay.compactions[frame.compression] if frame and frame.compression >= 0 else None


def films(bench: Workbench, agent: str, preset: Preset, cancelled: Callable[[], bool]) -> Iterator[Film]:
    """Replay a session, and tell now and then how far it is: first without its facts, which take longer to read.

    Raises ValueError for a preset that cannot be meant, and OSError where the recording cannot be read any more.
    """
    session = bench.session
    price = price_of(session.model)
    count = bench.turns(agent) + 1
    running = ReplayRun(session, sized(bench), preset, price, agent)
    told = time.monotonic() - _OFTEN + _FIRST
    for _ in running.frames():
        if cancelled():
            return
        if time.monotonic() - told > _OFTEN:
            yield Film(bench, preset, price, running.replay(), count)
            told = time.monotonic()
    yield Film(bench, preset, price, running.replay(), count)
    running = ReplayRun(session, sized(bench), preset, price, agent, facts=fact_index(session))
    for _ in running.frames():
        if cancelled():
            return
    yield Film(bench, preset, price, running.replay(), count, finished=True)


def sized(bench: Workbench) -> Sizes:
    """The sizes of a bench with the context window that the person has set, where one is."""
    return replace(bench.sizes, limit=bench.limit) if bench.limit else bench.sizes


def describe(preset: Preset) -> str:
    """What a preset does, in a line: its strategy, its trigger and its settings."""
    if preset in (NONE, RECORDED):
        return preset.about
    if not preset.enabled:
        return "switched off: nothing is compressed"
    settings = "  ".join(f"{name} {value}" for name, value in preset.given().items() if value != "")
    return f"{preset.strategy} above {preset.threshold:,} tokens  {settings}".rstrip()
