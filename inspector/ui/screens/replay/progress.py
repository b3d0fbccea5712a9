"""The progress of a replay, as immutable records of the frames so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.analysis.replay import NONE, RECORDED, CompactionEvent, Frame, Replay, ReplayRun
from inspector.engine.compression import Preset, describe_misfit, describe_threshold
from inspector.engine.facts import FactIndex
from inspector.engine.window import Section, falls_of
from inspector.library import Workbench
from inspector.llm.models import Price, session_price
from inspector.llm.tokens import Sizes, mark
from inspector.ui.screens.replay.chart import ChartData

_FIRST, _INTERVAL = 0.02, 0.15
"""Seconds until the first record, and between two records."""


@dataclass(frozen=True)
class ReplayProgress:
    """A replay of one agent's session under a preset, or its first frames."""

    bench: Workbench
    preset: Preset
    price: Price
    replay: Replay
    count: int
    """Number of frames of the finished replay: one for each turn, and one for the context after the last."""
    is_final: bool = False
    """True if all frames and the lost facts are known."""
    misfit: str = ""
    """Reason why the preset does not fit this session; empty if it fits."""

    @property
    def frames(self) -> tuple[Frame, ...]:
        return self.replay.frames

    @cached_property
    def full_tokens(self) -> int:
        """Tokens that would have been sent without compression."""
        return sum(frame.full for frame in self.replay.calls)

    @cached_property
    def estimate_sign(self) -> str:
        """Symbol in front of estimated token counts; empty if they are exact."""
        return mark(self.bench.sizes.certainty) or mark(self.bench.sizes.tools_certainty)

    def sign_of(self, section: Section) -> str:
        """Return the symbol in front of a section's tokens; empty if they are exact."""
        sizes = self.bench.sizes
        if section == "tools":
            return self.estimate_sign
        is_inferred = bool(self.bench.sizes.unrecorded) and section in ("system", "memory")
        return mark("unrecorded" if is_inferred else sizes.certainty)

    @cached_property
    def chart(self) -> ChartData:
        limit = self.bench.limit or self.bench.sizes.limit
        regrets = frozenset(regret.turn for regret in self.replay.regrets)
        falls = falls_of(self.bench.session, self.bench.sizes, self.replay.agent)
        return ChartData(self.frames, self.count, self.replay.threshold, limit, self.replay.compactions, regrets, falls)

    def same_run_as(self, other: ReplayProgress) -> bool:
        """Return True if session, agent and preset are equal; token counts can differ."""
        session, others = self.bench.session, other.bench.session
        return session is others and self.replay.agent == other.replay.agent and self.preset == other.preset

    def frame(self, turn: int) -> Frame | None:
        return self.frames[turn - 1] if 1 <= turn <= len(self.frames) else None

    def compaction(self, turn: int) -> CompactionEvent | None:
        """Return the compaction before the call of a turn, or None."""
        frame = self.frame(turn)
        return self.replay.compactions[frame.compression] if frame and frame.compression >= 0 else None


def replay_progress(
    bench: Workbench, agent: str, preset: Preset, cancelled: Callable[[], bool]
) -> Iterator[ReplayProgress]:
    """Replay a session twice: first without facts, yielding more and more frames, then with facts in one step.

    Args:
        bench: Workbench of the session.
        agent: Agent to replay.
        preset: Preset to replay under.
        cancelled: Returns True to stop.

    Raises:
        ValueError: The preset has impossible settings.
        OSError: The recording can no longer be read.
    """
    price = session_price(bench.session)
    run = replay_run(bench, agent, preset, price)
    previous = time.monotonic() - _INTERVAL + _FIRST
    for _ in run.frames():
        if cancelled():
            return
        if time.monotonic() - previous > _INTERVAL:
            yield progress_of(run, bench, preset, price)
            previous = time.monotonic()
    yield progress_of(run, bench, preset, price)
    run = replay_run(bench, agent, preset, price, bench.fact_index())
    for _ in run.frames():
        if cancelled():
            return
    yield progress_of(run, bench, preset, price, is_final=True)


def replay_run(bench: Workbench, agent: str, preset: Preset, price: Price, facts: FactIndex | None = None) -> ReplayRun:
    """Return a run of one agent's session under a preset.

    Args:
        bench: Workbench of the session.
        agent: Agent to replay.
        preset: Preset to replay under.
        price: Price of the session's calls.
        facts: Facts of the session; None to skip the search for regrets.
    """
    return ReplayRun(bench.session, limited_sizes(bench), preset, price, agent, facts=facts)


def progress_of(
    run: ReplayRun, bench: Workbench, preset: Preset, price: Price, is_final: bool = False
) -> ReplayProgress:
    """Return the progress of a run.

    Args:
        run: Run that has advanced to some frame.
        bench: Workbench of the session.
        preset: Preset of the run.
        price: Price of the session's calls.
        is_final: True if the run is complete and includes facts.
    """
    replay = run.replay()
    misfit = describe_misfit(preset.threshold, run.scale) if preset.enabled else ""
    return ReplayProgress(bench, preset, price, replay, bench.turns(replay.agent) + 1, is_final, misfit)


def limited_sizes(bench: Workbench) -> Sizes:
    """Return the sizes of a workbench, with the user's context window instead of the model's if one is set."""
    return replace(bench.sizes, limit=bench.limit) if bench.limit else bench.sizes


def preset_summary(preset: Preset) -> str:
    """Return a preset in one line: its strategy, its trigger and its settings."""
    if preset in (NONE, RECORDED):
        return preset.about
    if not preset.enabled:
        return "disabled: no compression"
    settings = "  ".join(f"{name} {value}" for name, value in preset.values().items() if value != "")
    return f"{preset.strategy} above {describe_threshold(preset.threshold)}  {settings}".rstrip()
