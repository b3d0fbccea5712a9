"""Format times for display."""

from __future__ import annotations

from datetime import datetime


def clock(time: str) -> str:
    """Return a recorded time as local clock time, as in 10:31:02; "" if it is not a valid time."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return ""


def ago(seconds: float) -> str:
    """Return an age in words: `now`, `10 s ago`, `3 min ago`, `2 h ago`, `5 days ago`.

    Seconds are in steps of five and then of ten, so that a screen is painted as rarely as its reader looks at it.
    """
    if seconds < 5:
        return "now"
    if seconds < 90:
        return f"{seconds // 10 * 10 or 5:.0f} s ago"
    for unit, length, most in (("min", 60, 90 * 60), ("h", 3600, 36 * 3600)):
        if seconds < most:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds / 86_400:.0f} days ago"
