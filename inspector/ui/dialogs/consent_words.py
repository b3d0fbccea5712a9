"""The words and the limits with which a dialog asks for the consent to send requests to a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from inspector.analysis.asking import MAX_COST
from inspector.ui.key_remaps import with_keys

_Number = TypeVar("_Number", int, float)
COST_LIMITS = (0.1, 0.25, MAX_COST, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Dollars that the limit can be set to."""


def moved_in(values: Sequence[_Number], value: _Number, step: int) -> _Number:
    """Return the value that is some steps further in a list, at most its first or last one."""
    return values[min(max(values.index(value) + step, 0), len(values) - 1)]


def busy_words() -> str:
    """Return the notice for a change while a model is being asked."""
    return with_keys("The model is being asked. {back} stops it.")


def consent_words(estimate: str, *, is_wanted: bool) -> str:
    """Return the line that a yes agrees to.

    Args:
        estimate: What would be sent, or why nothing can be sent; "" while the calls are counted.
        is_wanted: True if the user pressed yes before the calls were counted. It is asked for again, because the user
            has not seen yet what would be sent.
    """
    if not estimate:
        return "Counting the calls … You are asked once they are counted." if is_wanted else "Counting the calls …"
    return with_keys("Send this? {yes}: send. {estimate}", estimate=estimate) if is_wanted else estimate
