"""The page of the calendar."""

from collections.abc import Iterable
from datetime import datetime

SIGNS = {"new": "●", "full": "○"}


def page(events: Iterable[tuple[datetime, str]]) -> str:
    """A line for each moon: its sign, and the day."""
    return "".join(f"{SIGNS[name]} {name:5}{when:%a %d %b %Y}\n" for when, name in events)
