"""How a context window is shared out: requirement 1's `TokenBudget`, and its marks for the six sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Section = Literal["system", "memory", "tools", "history", "input", "scratchpad"]
SECTIONS: tuple[Section, ...] = ("system", "memory", "tools", "history", "input", "scratchpad")

DEFAULT_THRESHOLD = 40_000
"""Tokens at which a memory manager begins to compress: requirement 3's `MEMORY_COMPRESSION_THRESHOLD`."""
_DEFAULT_TOTAL = 8000
_DEFAULT_ALLOCATIONS = {"system": 1000, "tools": 1500, "history": 4000, "input": 1000, "output_reserve": 500}
_HISTORY_SHARES: Mapping[Section, float] = {"memory": 1 / 8, "history": 5 / 8, "scratchpad": 2 / 8}
"""Requirement 1 has one allocation for all that came before; three of the six sections share it."""


@dataclass(frozen=True)
class TokenBudget:
    """Tokens of a whole context window, and the part of it that each section may take.

    `total` alone scales the default allocations, which add up to 8,000, to that total.
    """

    total: int = _DEFAULT_TOTAL
    allocations: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        scaled = {name: share * self.total // _DEFAULT_TOTAL for name, share in _DEFAULT_ALLOCATIONS.items()}
        object.__setattr__(self, "allocations", scaled | self.allocations)

    @property
    def output_reserve(self) -> int:
        return self.allocations["output_reserve"]

    def remaining_for_history(self, used: Mapping[str, int]) -> int:
        """Tokens left for the conversation when system and tools have taken `used` and the reply has its reserve."""
        return self.total - used.get("system", 0) - used.get("tools", 0) - self.output_reserve

    def section(self, name: Section) -> int:
        """The allocation mark of one of the six sections."""
        if name in _HISTORY_SHARES and name not in ("history",) and name in self.allocations:
            return self.allocations[name]
        if name in _HISTORY_SHARES:
            return round(self.allocations["history"] * _HISTORY_SHARES[name])
        return self.allocations[name]
