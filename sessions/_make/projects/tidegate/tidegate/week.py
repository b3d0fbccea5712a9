"""Windows by day, and the total of a week."""

from collections.abc import Sequence
from datetime import date, timedelta

from tidegate.windows import Window


def days_of(windows: Sequence[Window]) -> dict[date, list[Window]]:
    """Windows by the local day on which they open; days between the first and the last have an entry, if empty."""
    if not windows:
        return {}
    day, last = windows[0].opens.date(), windows[-1].opens.date()
    days: dict[date, list[Window]] = {}
    while day <= last:
        days[day] = []
        day += timedelta(days=1)
    for window in windows:
        days[window.opens.date()].append(window)
    return days


def total(windows: Sequence[Window]) -> int:
    """Minutes open."""
    return sum(window.minutes for window in windows)


def hours(minutes: int) -> str:
    """Minutes as people say them: 75 h 05."""
    return f"{minutes // 60} h {minutes % 60:02d}"
