"""Readings for tests, written as a person would say them."""

from datetime import datetime, timedelta

from tidegate.gate import HARBOUR
from tidegate.readings import Reading


def local(text: str) -> datetime:
    """`2026-01-12 14:30` as a moment in the harbour's time."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=HARBOUR)


def rows(start: str, *levels: int, step: int = 10) -> list[Reading]:
    """Readings of the given levels, every `step` minutes from `start`."""
    first = local(start)
    return [Reading(first + timedelta(minutes=step * place), level) for place, level in enumerate(levels)]
