"""How a number is known. No number stands in Inspector without saying so."""

from __future__ import annotations

from typing import Literal

Certainty = Literal["reported", "exact", "estimated", "unrecorded"]
"""reported: by the provider. exact: by the right tokenizer. estimated: ≈.
unrecorded: inferred, for what no file holds."""

_ORDER: tuple[Certainty, ...] = ("reported", "exact", "estimated", "unrecorded")


def weakest(*certainties: Certainty) -> Certainty:
    """How a sum of numbers is known: as badly as the worst of them. The sum of none is exact: it is 0."""
    return max(certainties, key=_ORDER.index, default="exact")


def mark(how: Certainty) -> str:
    """The sign before a number that is not certain."""
    return "" if how in ("reported", "exact") else "≈"
