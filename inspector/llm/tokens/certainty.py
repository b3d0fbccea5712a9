"""How a number of tokens is known, and the sign that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Certainty = Literal["reported", "exact", "estimated", "unrecorded"]
"""reported: by the provider. exact: by the right tokenizer. estimated: ≈.
unrecorded: inferred, for what no file holds."""

_ORDER: tuple[Certainty, ...] = ("reported", "exact", "estimated", "unrecorded")


def weakest(*certainties: Certainty) -> Certainty:
    """The certainty of a sum: that of its least certain term. An empty sum is exact."""
    return max(certainties, key=_ORDER.index, default="exact")


def mark(certainty: Certainty) -> str:
    """The sign before a number that is not certain."""
    return "" if certainty in ("reported", "exact") else "≈"


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens, and how it is known."""

    tokens: int
    certainty: Certainty

    def __str__(self) -> str:
        return f"{mark(self.certainty)}{self.tokens:,}"
