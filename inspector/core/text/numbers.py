"""Numbers in words: dollars, shares, and how many there are of something."""

from __future__ import annotations

from math import floor, log10


def dollars(amount: float) -> str:
    """Dollars with as many digits as say something: $1,235, $1.20, $0.083, $0.0004. Only nothing at all is $0.00."""
    if amount < 0:
        return f"-{dollars(-amount)}"
    if amount >= 1000:
        return f"${amount:,.0f}"
    if amount >= 0.1 or amount < 1e-9:
        return f"${amount:,.2f}"
    return f"${amount:.3f}" if amount >= 0.001 else f"${amount:.{-floor(log10(amount))}f}"


def percent(share: float) -> str:
    """A share from 0 to 1 as a whole number. Only all of it is called 100%, and only nothing 0%; little is "<1%"."""
    if 0 < share < 0.005:
        return "<1%"
    if 0 < share < 1:
        return f"{min(99, max(1, round(100 * share)))}%"
    return f"{share:.0%}"


def turn_name(turn: int, last: int) -> str:
    """Where in a session something was done: at a turn, or behind the last one."""
    return f"turn {turn:,}" if turn <= last else f"after turn {last:,}"


def plural(number: int, noun: str) -> str:
    """How many there are of something: `1 message`, `2,400 messages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
