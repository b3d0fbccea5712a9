"""The strategies: pure functions of a window and its settings that return a plan.

Adding one means writing one file and adding one line to `STRATEGIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.strategies import deletion, fifo, sliding_window, token_window
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
}


def draft_plan(window: Window, name: str, given: Mapping[str, Any] | None = None, aids: Aids | None = None) -> Plan:
    """The plan of strategy `name` for a window; settings not given start as they suit the window."""
    strategy = STRATEGIES[name]
    settings = strategy.settings(**(starting(strategy.settings, window) | dict(given or {})))
    return strategy.plan(window, settings, aids or Aids())
