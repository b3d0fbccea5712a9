"""When to repeat a request that failed, and how the failure is stated after several attempts."""

from __future__ import annotations

from collections.abc import Callable

from inspector.engine.summaries.model.failures import Failure

_FIRST_WAIT, _MAX_WAIT = 0.5, 20.0
"""Seconds before a retry: initially, and at most. The wait doubles each time."""


def retry_wait(
    failure: Failure, attempt: int, retries: int, seconds: float, jitter: Callable[[], float]
) -> float | None:
    """Return the seconds to wait before a request is repeated; None if it is not repeated.

    Without a time from the endpoint, half of the seconds are random.

    Args:
        failure: Failure of the newest attempt.
        attempt: Number of that attempt, from 0.
        retries: Maximum number of retries.
        seconds: Seconds that are left for the request.
        jitter: Returns a random number from 0 to 1.
    """
    wait = failure.wait
    if wait is None:
        wait = min(_MAX_WAIT, _FIRST_WAIT * 2.0**attempt) * (0.5 + 0.5 * jitter())
    return wait if failure.again and attempt < retries and wait < seconds else None


def final_clause(failure: Failure, attempt: int) -> str:
    """Return the clause of the last failure, with the number of attempts or the long wait that ended them.

    Args:
        failure: Failure of the newest attempt.
        attempt: Number of that attempt, from 0.
    """
    if failure.wait is not None and failure.wait > _MAX_WAIT:
        return f"{failure.clause} and asks to wait for {failure.wait:,.0f} seconds"
    return failure.clause + (f", after {attempt + 1} attempts" if attempt else "")
