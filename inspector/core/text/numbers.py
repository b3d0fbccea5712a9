"""Number words, and the formatting of amounts in dollars, percentages, turns, counted nouns and lists that are cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import floor, log10

NUMBER_WORDS: Sequence[str] = re.findall(
    "[a-z]+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
)
"""The English words for the numbers from 0 to 20, in their order."""


def dollars(amount: float) -> str:
    """Format an amount with its significant digits: $1,235, $1.20, $0.083, $0.0004. Only zero is $0.00."""
    if amount < 0:
        return f"-{dollars(-amount)}"
    if amount >= 1000:
        return f"${amount:,.0f}"
    if amount >= 0.0995 or amount < 1e-9:
        return f"${amount:,.2f}"
    if amount >= 0.001:
        return f"${amount:.3f}"
    digit = float(f"{amount:.1g}")
    return f"${digit:.{-floor(log10(digit))}f}"


def percent(share: float) -> str:
    """Format a share from 0 to 1 as a whole percentage: "<1%" below 0.5%, and 0% or 100% only if exact."""
    if 0 < share < 0.005:
        return "<1%"
    if 0 < share < 1:
        return f"{min(99, max(1, round(100 * share)))}%"
    return f"{share:.0%}"


def turn_name(turn: int, last: int) -> str:
    """Format a position in a session: a turn, or "after" the last turn."""
    return f"turn {turn:,}" if turn <= last else f"after turn {last:,}"


def plural(number: int, noun: str) -> str:
    """Format a count with its noun: `1 message`, `2,400 messages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(words: Sequence[str], most: int = 12) -> str:
    """Join the first words of a list, followed by the number of the others: `a, b and 3 more`."""
    return ", ".join(words[:most]) + (f" and {len(words) - most:,} more" if len(words) > most else "")
