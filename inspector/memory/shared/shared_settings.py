"""Settings for injecting shared memory into the prompts of agents. The defaults are the documented behavior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.engine.strategies import STRATEGIES
from inspector.memory.shared.permissions import EVERYBODY, Permissions

Selection = Literal["recent", "relevant"]


@dataclass(frozen=True)
class SharedMemorySettings:
    """Settings for injecting a shared memory into the prompts of agents. Raises ValueError for invalid ones.

    Sizes are in tokens, estimated at four characters each.
    """

    window: int = 10
    """Messages of the shared conversation that are injected, at most."""
    selection: Selection = "recent"
    """Which ones: the newest, or those that have most to do with the request."""
    budget: int = 8_000
    """Tokens of one injection, at most."""
    includes_own: bool = True
    """True to show an agent its own contributions."""
    caches: bool = True
    """True to reuse an injection while the memory and the request are unchanged."""
    permissions: Permissions = EVERYBODY
    """Who may read and write what. `Permissions.isolating(agents)` keeps agents apart."""
    strategy: str = ""
    """The strategy that compresses what the budget does not hold, such as "selective"; without one the oldest messages
    are left out."""
    strategy_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of that strategy."""
    summary: int = 0
    """Tokens of a summary of what lies before the window, by agent; 0 makes none."""

    def __post_init__(self) -> None:
        for name, least in (("window", 0), ("budget", 1), ("summary", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ValueError(f"{name} is a whole number from {least} on, not {value!r}.")
        if self.selection not in ("recent", "relevant"):
            raise ValueError(f"selection is 'recent' or 'relevant', not {self.selection!r}.")
        if self.strategy and self.strategy not in STRATEGIES:
            raise ValueError(f"There is no strategy {self.strategy!r}: choose one of {', '.join(STRATEGIES)}.")
