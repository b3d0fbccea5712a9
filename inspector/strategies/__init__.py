"""The strategies: pure functions of a window and its settings that return a plan.

Adding one means writing one file and adding one line to `STRATEGIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.strategies import (
    clear_thinking,
    clear_tool_uses,
    dedupe,
    deletion,
    fifo,
    head_tail,
    mask_observations,
    sliding_window,
    summarize_half,
    token_window,
    trim_outputs,
)
from inspector.strategies.aids import Aids
from inspector.strategies.settings import Knob, knobs, starting
from inspector.window.plan import Plan
from inspector.window.window import Window

__all__ = ["STRATEGIES", "Aids", "Strategy", "draft_plan"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy as it is offered: what it does, what it costs, its settings and the function itself."""

    plan: Callable[[Window, Any, Aids], Plan]
    settings: type
    cost: Literal["free", "lossy", "needs a model"]
    about: str
    """What it does, in one line for the picker."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return knobs(self.settings)


STRATEGIES: dict[str, Strategy] = {
    "sliding_window": Strategy(
        sliding_window.sliding_window,
        sliding_window.Settings,
        "lossy",
        "the newest stay word for word, everything older becomes one summary",
    ),
    "summarize_half": Strategy(
        summarize_half.summarize_half,
        summarize_half.Settings,
        "lossy",
        "the older half becomes one summary, until the window fits",
    ),
    "token_window": Strategy(
        token_window.token_window,
        token_window.Settings,
        "lossy",
        "the newest that fit into a number of tokens stay, the rest is dropped",
    ),
    "fifo": Strategy(fifo.fifo, fifo.Settings, "lossy", "the oldest messages are dropped until few enough are left"),
    "deletion": Strategy(
        deletion.deletion,
        deletion.Settings,
        "lossy",
        "the newest stay word for word, everything older is dropped",
    ),
    "head_tail": Strategy(
        head_tail.head_tail,
        head_tail.Settings,
        "lossy",
        "the beginning and the end stay, what lies between is dropped or summarised",
    ),
    "mask_observations": Strategy(
        mask_observations.mask_observations,
        mask_observations.Settings,
        "lossy",
        "old tool results become a line that says what was there",
    ),
    "clear_tool_uses": Strategy(
        clear_tool_uses.clear_tool_uses,
        clear_tool_uses.Settings,
        "lossy",
        "old tool results are cleared past a trigger, as providers' context editing does",
    ),
    "trim_outputs": Strategy(
        trim_outputs.trim_outputs,
        trim_outputs.Settings,
        "lossy",
        "long tool outputs are cut to their head and tail",
    ),
    "dedupe": Strategy(
        dedupe.dedupe,
        dedupe.Settings,
        "free",
        "what was read twice is kept once, the newest time",
    ),
    "clear_thinking": Strategy(
        clear_thinking.clear_thinking,
        clear_thinking.Settings,
        "free",
        "thinking of earlier turns is dropped whole",
    ),
}


def draft_plan(window: Window, name: str, given: Mapping[str, Any] | None = None, aids: Aids | None = None) -> Plan:
    """The plan of strategy `name` for a window; settings not given start as they suit the window."""
    strategy = STRATEGIES[name]
    settings = strategy.settings(**(starting(strategy.settings, window) | dict(given or {})))
    return strategy.plan(window, settings, aids or Aids())
