"""When something happened, in words."""

from __future__ import annotations

from datetime import datetime


def clock(time: str) -> str:
    """A recorded time as the clock on the wall showed it here: 10:31:02; "" for a text that is no time."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return ""


def ago(seconds: float) -> str:
    """How long ago something was: `now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 days ago`."""
    if seconds < 2:
        return "now"
    for unit, length, most in (("s", 1, 90), ("min", 60, 90 * 60), ("h", 3600, 36 * 3600)):
        if seconds < most:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds / 86_400:.0f} days ago"
