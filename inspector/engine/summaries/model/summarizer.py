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
from typing import Any, NoReturn, Protocol

import orjson

from inspector.core.conversation import Message, Usage
from inspector.engine.summaries.model.bounded_bodies import bound_body
from inspector.engine.summaries.model.failures import DeadlineError, NoAnswerError
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
from inspector.engine.summaries.model.model_answers import Answer, AnswerStream, answer_of
from inspector.engine.summaries.model.model_settings import OPENAI, ModelSettings, from_environment
from inspector.engine.summaries.summary_errors import SummaryCancelledError, SummaryError

GRACE = 2.0
"""Seconds for a request to close its connection."""
_MAX_BYTES = 8_000_000
"""Maximum size of an answer that is not streamed, in bytes."""

_CONNECT_TIMEOUT = 15.0
"""Maximum seconds to connect to the endpoint."""


async def _fetch_answer(settings: ModelSettings, request: ModelRequest) -> Answer:
    """Return the endpoint's answer to a request, streamed or not.

    Text is passed to `request.listener` as it arrives, starting with an empty text when the endpoint begins to answer.
    Raises NoAnswerError if the answer is not a chat completion, and exceptions of the listener and of openai.
    """
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    seconds = request.seconds + GRACE
    async with AsyncOpenAI(
        base_url=settings.base_url,
        api_key=settings.api_key or "none",
        timeout=Timeout(seconds, connect=min(seconds, _CONNECT_TIMEOUT)),
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [bound_body]}),
    ) as client:
        try:
            return await _stream(client, settings, request)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise NoAnswerError from error


async def _stream(client: Any, settings: ModelSettings, request: ModelRequest) -> Answer:
    options = _limit(settings) | ({"stream_options": {"include_usage": True}} if request.with_usage else {})
    create = client.chat.completions.with_raw_response.create
    response = await create(model=settings.model, messages=request.messages, stream=True, **options)
    request.listener("")
    if "json" in response.headers.get("content-type", ""):
        answer = answer_of(orjson.loads(await _body(response.http_response)))
        if not answer.finish:
            raise NoAnswerError
        request.listener(answer.text)
        return answer
    stream, chunks = AnswerStream(), response.parse()
    try:
        async for chunk in chunks:
            if words := stream.feed(chunk):
                request.listener(words)
    finally:
        await chunks.close()
    return stream.answer


async def _body(response: Any) -> bytes:
    """Return the body of an answer that is not streamed. Raises NoAnswerError if it is too long."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MAX_BYTES:
            raise NoAnswerError
    return bytes(body)


def _limit(settings: ModelSettings) -> dict[str, Any]:
    """Return the parameter for the output limit. OpenAI has renamed it; other servers know the old name."""
    if not settings.max_output:
        return {}
    name = "max_completion_tokens" if settings.base_url == OPENAI else "max_tokens"
    return {name: settings.max_output}


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
        settings = self.settings
        if not settings.host:
            _fail("The address of the model (OPENAI_BASE_URL) must begin with http:// or https://")
        if settings.base_url == OPENAI and not settings.api_key:
            _fail(f"There is no API key for {settings.host} (OPENAI_API_KEY)")
        if not settings.api_key.isascii():
            _fail("The API key (OPENAI_API_KEY) contains invalid characters")

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
