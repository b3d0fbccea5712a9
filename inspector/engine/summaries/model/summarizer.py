"""Summaries by a model behind an OpenAI-compatible endpoint, for callers without an event loop.

Each request runs on an event loop in a thread of its own. So it can be given up at any moment, even where the endpoint
accepted the connection and then fell silent, and it can be made from a program that runs a loop itself.
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
"""Seconds that a request has for closing its connection."""
_MAX_BYTES = 8_000_000
"""Bytes of an answer that does not come as a stream; what is longer is no summary."""


async def _fetch_answer(settings: ModelSettings, request: ModelRequest) -> Answer:
    """The endpoint's answer to a request, whether it streams or not.

    The words are given to `request.listener` as they come, none as soon as the endpoint has begun to answer. Raises
    NoAnswerError for what is no chat completion, what the listener raises, and whatever openai raises.
    """
    from openai import AsyncOpenAI

    seconds = request.seconds + GRACE
    async with AsyncOpenAI(
        base_url=settings.base_url, api_key=settings.api_key or "none", timeout=seconds, max_retries=0
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
    """The body of an answer that is no stream. Raises NoAnswerError for one that does not end."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MAX_BYTES:
            raise NoAnswerError
    return bytes(body)


def _limit(settings: ModelSettings) -> dict[str, Any]:
    """How the server is told where to stop. OpenAI itself has given this a new name; all others know the old one."""
    if not settings.max_output:
        return {}
    name = "max_completion_tokens" if settings.base_url == OPENAI else "max_tokens"
    return {name: settings.max_output}


_POLL = 0.05
"""Seconds between two looks at whether the person wants to stop."""


class CancelEvent(Protocol):
    """What `threading.Event` has."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@dataclass
class ModelSummariser:
    """Asks a model for summaries: a summariser for `Services`. `totals` adds up what all its requests took.

    `progress` is told, from another thread, how many tokens of how many asked for have come. `cancel` is an event that
    ends a request at once. `sleep` and `jitter` are arguments so that tests need not wait.
    """

    settings: ModelSettings
    cancel: CancelEvent | None = None
    progress: Callable[[int, int], None] | None = None
    sleep: Callable[[float], object] | None = None
    jitter: Callable[[], float] = random.random
    totals: CallTotals = CallTotals()  # noqa: RUF009  a constant: it is frozen

    @classmethod
    def from_environ(
        cls,
        environ: Mapping[str, str],
        cancel: CancelEvent | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ModelSummariser | None:
        """That of the model that an environment names; None where it names none.

        Raises ValueError as `from_environment` does.
        """
        settings = from_environment(environ)
        return cls(settings, cancel, progress) if settings else None

    @property
    def usage(self) -> Usage | None:
        """What all its requests took; None where nothing was asked of the model."""
        return self.totals.usage if self.totals.calls else None

    def __call__(self, messages: Sequence[Message], target: int, count: Count) -> str:
        """A summary of `messages` of about `target` tokens as `count` counts them; "" where they say nothing.

        Raises SummaryError for whatever goes wrong, with a sentence that says what and where, and
        SummaryCancelledError.
        """
        flow = SummaryFlow(self.settings, count, self.progress, self.jitter)
        try:
            return drive(flow.steps(messages, target), self._perform)
        finally:
            self.totals += flow.totals

    def _check_settings(self) -> None:
        """Raises SummaryError where it is plain beforehand that no answer can come."""
        settings = self.settings
        if not settings.host:
            _fail("The address of the model (OPENAI_BASE_URL) is none that begins with http:// or https://")
        if settings.base_url == OPENAI and not settings.api_key:
            _fail(f"There is no API key for {settings.host} (OPENAI_API_KEY)")
        if not settings.api_key.isascii():
            _fail("The API key (OPENAI_API_KEY) has signs in it that no key has")

    def _perform(self, step: Step) -> Answer | None:
        if isinstance(step, Pause):
            self._pause(step.seconds)
            return None
        self._check_settings()
        return _fetch_in_thread(self.settings, step, self.cancel)

    def _pause(self, seconds: float) -> None:
        """Wait, unless or until it is cancelled."""
        if self.sleep:
            self.sleep(seconds)
        elif self.cancel:
            self.cancel.wait(seconds)
        else:
            time.sleep(seconds)
        if self.cancel and self.cancel.is_set():
            raise cancellation()


def cancellation() -> SummaryCancelledError:
    """The error of a summary that the person does not want any more."""
    return SummaryCancelledError(f"The summary was cancelled; {INSTEAD}")


def _fail(what: str) -> NoReturn:
    raise SummaryError(f"{what}; {INSTEAD}") from None


def _fetch_in_thread(settings: ModelSettings, request: ModelRequest, cancel: CancelEvent | None) -> Answer:
    """The answer to a request, made in a thread.

    A thread that needs more time than it has, for a name server that does not answer, is left behind; it ends with the
    program. Raises SummaryCancelledError once `cancel` is set, DeadlineError, and what `_fetch_answer` raises.
    """
    import openai  # noqa: F401  what takes half a second the first time is no part of the summary_request's time

    abandoned = Event()
    outcome: SimpleQueue[Answer | BaseException] = SimpleQueue()

    def is_cancelled() -> bool:
        return abandoned.is_set() or (cancel is not None and cancel.is_set())

    async def fetch() -> None:
        # an endpoint that is left in the middle of its answer may complain on the way out: nobody wants to read that
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
    """The answer to a request, given up when its time is over or nobody wants it any more."""
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
