"""Summaries by a model at an OpenAI-compatible endpoint, for callers without an event loop.

Each request runs on an event loop in its own thread. So it can be cancelled at any time, even if the endpoint accepts
the connection and never answers, and it can be made from a program that runs its own event loop.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import NoReturn, Protocol

from inspector.core.conversation import Message, Usage
from inspector.engine.summaries.model.endpoint_client import GRACE, chat_body, fetch_answer
from inspector.engine.summaries.model.failures import DeadlineError
from inspector.engine.summaries.model.flow import (
    INSTEAD,
    CallTotals,
    Count,
    ModelRequest,
    Pause,
    Step,
    SummaryFlow,
    drive,
)
from inspector.engine.summaries.model.model_answers import Answer
from inspector.engine.summaries.model.model_settings import ModelSettings, from_environment, setup_fault
from inspector.engine.summaries.summary_errors import SummaryCancelledError, SummaryError


async def _fetch_answer(settings: ModelSettings, request: ModelRequest) -> Answer:
    """Return the endpoint's answer to a request for a summary. Raises the exceptions of `fetch_answer`."""
    body = chat_body(settings, request.messages)
    return await fetch_answer(settings, body, request.listener, request.seconds, with_usage=request.with_usage)


_POLL = 0.05
"""Seconds between checks for cancellation."""


class CancelEvent(Protocol):
    """The interface of `threading.Event` that is used."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@dataclass
class ModelSummariser:
    """Requests summaries from a model: a summariser for `Services`.

    Attributes:
        settings: The model.
        cancel: Event that cancels a request immediately.
        progress: Called from another thread with the received and the expected number of tokens.
        sleep: Waits some seconds; replaced in tests.
        jitter: Returns a random number from 0 to 1; replaced in tests.
        totals: Calls and tokens of all requests so far.
    """

    settings: ModelSettings
    cancel: CancelEvent | None = None
    progress: Callable[[int, int], None] | None = None
    sleep: Callable[[float], object] | None = None
    jitter: Callable[[], float] = random.random
    totals: CallTotals = CallTotals()  # noqa: RUF009  immutable: it is frozen

    @classmethod
    def from_environ(
        cls,
        environ: Mapping[str, str],
        cancel: CancelEvent | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ModelSummariser | None:
        """Return a summariser for the model named in an environment; None if it names none.

        Args:
            environ: Environment variables; see `from_environment`.
            cancel: Event that cancels a request immediately.
            progress: Called from another thread with the received and the expected number of tokens.

        Raises:
            ValueError: A number in the environment is invalid.
        """
        settings = from_environment(environ)
        return cls(settings, cancel, progress) if settings else None

    @property
    def usage(self) -> Usage | None:
        """Tokens of all requests; None if no request was made."""
        return self.totals.usage if self.totals.calls else None

    def __call__(self, messages: Sequence[Message], target: int, count: Count) -> str:
        """Return a summary of messages; "" if they contain no text.

        Args:
            messages: Messages to summarise.
            target: Approximate size in tokens.
            count: Returns the tokens of a text.

        Raises:
            SummaryError: No summary could be made. The message is a sentence with the reason and the host.
            SummaryCancelledError: `cancel` was set.
        """
        flow = SummaryFlow(self.settings, count, self.progress, self.jitter)
        try:
            return drive(flow.steps(messages, target), self._perform)
        finally:
            self.totals += flow.totals

    def _check_settings(self) -> None:
        """Raise SummaryError if no request can succeed with these settings."""
        if fault := setup_fault(self.settings):
            _fail(fault)

    def _perform(self, step: Step) -> Answer | None:
        if isinstance(step, Pause):
            self._pause(step.seconds)
            return None
        self._check_settings()
        return _fetch_in_thread(self.settings, step, self.cancel)

    def _pause(self, seconds: float) -> None:
        """Wait until the time is over or the summary is cancelled."""
        if self.sleep:
            self.sleep(seconds)
        elif self.cancel:
            self.cancel.wait(seconds)
        else:
            time.sleep(seconds)
        if self.cancel and self.cancel.is_set():
            raise cancellation()


def cancellation() -> SummaryCancelledError:
    """Return the error of a cancelled summary."""
    return SummaryCancelledError(f"The summary was cancelled; {INSTEAD}")


def _fail(what: str) -> NoReturn:
    raise SummaryError(f"{what}; {INSTEAD}") from None


def _fetch_in_thread(settings: ModelSettings, request: ModelRequest, cancel: CancelEvent | None) -> Answer:
    """Return the answer to a request, made in a thread.

    A thread that does not end in time, for example because a name server does not answer, is abandoned and ends with
    the program. Raises SummaryCancelledError once `cancel` is set, DeadlineError, and the exceptions of
    `_fetch_answer`.
    """
    import openai  # noqa: F401  imported here so that it does not count towards the request's time limit

    abandoned = Event()
    outcome: SimpleQueue[Answer | BaseException] = SimpleQueue()

    def is_cancelled() -> bool:
        return abandoned.is_set() or (cancel is not None and cancel.is_set())

    async def fetch() -> None:
        # suppress errors from connections that are closed in the middle of an answer
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        try:
            outcome.put(await _watch(settings, request, is_cancelled))
        except BaseException as error:
            outcome.put(error)

    Thread(target=lambda: asyncio.run(fetch()), name="summary", daemon=True).start()
    try:
        answer = outcome.get(timeout=request.seconds + GRACE)
    except Empty:
        raise DeadlineError from None
    finally:
        abandoned.set()
    if isinstance(answer, BaseException):
        raise answer
    return answer


async def _watch(settings: ModelSettings, request: ModelRequest, is_cancelled: Callable[[], bool]) -> Answer:
    """Return the answer to a request. Stops when the time is over or it is cancelled."""
    task = asyncio.ensure_future(_fetch_answer(settings, request))
    end = asyncio.get_running_loop().time() + request.seconds
    try:
        while not task.done():
            if is_cancelled():
                raise cancellation()
            if (left := end - asyncio.get_running_loop().time()) <= 0:
                raise DeadlineError
            await asyncio.wait({task}, timeout=min(_POLL, left))
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE / 2)
