"""Asking again where that may help: with waits that grow, or as long as the endpoint says, until the time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Protocol

from inspector.summaries.errors import SummaryError
from inspector.summaries.model.failures import INSTEAD, Failure
from inspector.summaries.model.flow import Answer
from inspector.summaries.model.settings import ModelSettings

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 20.0
"""Seconds before a request is made again: the first time, and at most. In between it doubles."""


class _Once(Protocol):
    def __call__(self, seconds: float, with_usage: bool) -> Answer | Failure:
        """Make a request that may take so many seconds, asking for the tokens that it takes or not."""


def insist(settings: ModelSettings, once: _Once, pause: Callable[[float], None], jitter: Callable[[], float]) -> Answer:
    """The answer to a request that is made up to `settings.retries` times again.

    `pause` waits for so many seconds; `jitter` gives a number from 0 to 1 that keeps many programs that were turned
    away together from coming back together. Raises SummaryError.
    """
    end = time.monotonic() + settings.timeout
    with_usage = True
    for attempt in count():
        failure = once(end - time.monotonic(), with_usage)
        if isinstance(failure, Answer):
            return failure
        if failure.without_usage and with_usage:
            with_usage = False
            continue
        wait = _backoff(attempt, jitter()) if failure.wait is None else failure.wait
        if not failure.again or attempt >= settings.retries or time.monotonic() + wait >= end:
            raise SummaryError(f"{failure.what}{_more(failure, attempt)}; {INSTEAD}")
        pause(wait)
    raise AssertionError("attempts do not end by themselves")


def _backoff(attempt: int, jitter: float) -> float:
    """Seconds to wait after an attempt, counted from 0: half of it certain, half by chance."""
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt) * (0.5 + 0.5 * jitter)


def _more(failure: Failure, attempt: int) -> str:
    """What else there is to say of the last attempt."""
    if failure.wait is not None and failure.wait > _LONGEST_WAIT:
        return f" and asks to wait for {failure.wait:,.0f} seconds"
    return f", also when asked {attempt + 1} times" if attempt else ""
