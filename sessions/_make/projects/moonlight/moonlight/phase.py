"""When the moon is new and full."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

MONTH = 29.530588861
"""Days from one mean new moon to the next."""
FIRST = datetime(2000, 1, 6, 14, 19, 27, tzinfo=UTC)
"""A mean new moon."""


def moment(k: float) -> datetime:
    """The moon number `k` after the first: whole for a new moon, a half more for the full moon that follows."""
    return FIRST + timedelta(days=MONTH * k)


def events(year: int) -> Iterator[tuple[datetime, str]]:
    """The new and full moons of a year, in order."""
    k = round((year - 2000) * 365.25 / MONTH) - 1.0
    while (when := moment(k)).year <= year:
        if when.year == year:
            yield when, "new" if k == int(k) else "full"
        k += 0.5
