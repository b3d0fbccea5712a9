"""How long a summary that a model writes may be."""

from __future__ import annotations

LONGEST = 1.5
"""Times the target that a summary may take: models do not count well. What is longer has missed the point."""
_ALLOWANCE = 60
"""Tokens more, for summaries so small that their headings make up much of them."""


def longest(target: int) -> int:
    """Tokens that a summary of so many may really take."""
    return int(target * LONGEST) + _ALLOWANCE
