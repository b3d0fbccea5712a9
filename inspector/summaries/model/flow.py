"""One request to an OpenAI-compatible endpoint, answered as a stream, that can be cancelled and never hangs.

The request runs on an event loop in a thread of its own. So it can be given up at any moment, even where the endpoint
accepted the connection and then fell silent, and it can be made from a program that runs a loop itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Protocol

from inspector.conversation import Usage
from inspector.summaries.model.settings import OPENAI, ModelSettings

_POLL = 0.05
"""Seconds between two looks at whether the person wants to stop."""
_GRACE = 2.0
"""Seconds that a request has for closing its connection. A thread that needs more, for a name server that does not
answer, is left behind; it ends with the program."""

_MOST_BYTES = 8_000_000
"""Bytes of an answer that does not come as a stream; what is longer is no summary."""


class Stopped(Exception):  # noqa: N818  nothing went wrong
    """The person does not want the answer any more."""


class Cancel(Protocol):
    """What `threading.Event` has."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@dataclass
class Answer:
    """What has come of an answer so far."""

    finish: str = ""
    """Why the model stopped, in the endpoint's word; empty while it has not."""
    refusal: str = ""
    usage: Usage | None = None
    """As the endpoint reports it."""
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def take(self, chunk: Any) -> str:
        """Take in a chunk of the stream; returns the words in it. What is no chunk of a completion says nothing."""
        self.usage = _reported(getattr(chunk, "usage", None)) or self.usage
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list) or not choices:
            return ""
        if isinstance(finish := getattr(choices[0], "finish_reason", None), str):
            self.finish = finish
        delta = getattr(choices[0], "delta", None)
        if isinstance(refusal := getattr(delta, "refusal", None), str):
            self.refusal += refusal
        words = getattr(delta, "content", None)
        if not isinstance(words, str):
            return ""
        self.pieces.append(words)
        return words

    def take_whole(self, body: bytes) -> str:
        """Take in a whole completion, from a server that does not stream; returns its words, none where it is none."""
        from openai.types.chat import ChatCompletion
        from pydantic import ValidationError

        try:
            completion = ChatCompletion.model_validate_json(body)
        except ValidationError:
            return ""
        self.usage = _reported(completion.usage)
        for choice in completion.choices[:1]:
            self.finish = choice.finish_reason
            self.refusal = choice.message.refusal or ""
            self.pieces.append(choice.message.content or "")
        return self.text


class TooLong(Exception):  # noqa: N818  a decision, not a fault
    """The answer has become much longer than any that would be taken."""


@dataclass
class Listener:
    """Counts an answer while it comes, tells how far it is, and ends one that goes on without end."""

    count: Callable[[str], int]
    tell: Callable[[int], None]
    most: int
    """Tokens after which an answer is given up; thinking aloud before it does not count."""
    begun: bool = False
    tokens: int = 0
    text: str = ""

    def __call__(self, words: str) -> None:
        """Take in the next words. Raises TooLong."""
        self.begun = True
        if not words:
            return
        self.tokens += self.count(words)
        self.text += words
        self.tell(self.tokens)
        if self.tokens > self.most and self.count(self.text.rpartition(THOUGHT)[2]) > self.most:
            raise TooLong


THOUGHT = "</think>"
"""What some local models end their thinking with, when the server leaves it in the answer."""


def _reported(usage: Any) -> Usage | None:
    """The endpoint's own count; None where it sent none that makes sense."""
    details = getattr(usage, "prompt_tokens_details", None)
    sent, written = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    cached = getattr(details, "cached_tokens", None)
    if not isinstance(sent, int) or not isinstance(written, int):
        return None
    return Usage(max(0, sent), max(0, written), cache_read=max(0, cached) if isinstance(cached, int) else 0)


def ask(
    settings: ModelSettings,
    messages: Sequence[Mapping[str, str]],
    seconds: float,
    cancel: Cancel | None,
    heard: Callable[[str], None],
    with_usage: bool = True,
) -> Answer:
    """The answer to chat messages, within `seconds`.

    `heard` is given the words as they come, in another thread, and none as soon as the endpoint has begun to answer;
    what it raises ends the request and is raised here.
    `with_usage` asks for the tokens that it took, which not every endpoint puts up with. Raises Stopped once `cancel`
    is set, TimeoutError, and whatever openai raises.
    """
    import openai  # noqa: F401  what takes half a second the first time is no part of the request's time

    given_up = Event()
    outcome: SimpleQueue[Answer | BaseException] = SimpleQueue()

    def stopped() -> bool:
        return given_up.is_set() or (cancel is not None and cancel.is_set())

    async def told() -> None:
        # an endpoint that is left in the middle of its answer may complain on the way out: nobody wants to read that
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        try:
            answer = _streamed(settings, messages, seconds, heard, with_usage)
            outcome.put(await _watched(answer, seconds, stopped))
        except BaseException as error:
            outcome.put(error)

    Thread(target=lambda: asyncio.run(told()), name="summary", daemon=True).start()
    try:
        answer = outcome.get(timeout=seconds + _GRACE)
    except Empty:
        raise TimeoutError from None
    finally:
        given_up.set()
    if isinstance(answer, BaseException):
        raise answer
    return answer


async def _watched(answer: Coroutine[Any, Any, Answer], seconds: float, stopped: Callable[[], bool]) -> Answer:
    """An answer, given up when its time is over or nobody wants it any more."""
    task = asyncio.ensure_future(answer)
    end = asyncio.get_running_loop().time() + seconds
    try:
        while not task.done():
            if stopped():
                raise Stopped
            if (left := end - asyncio.get_running_loop().time()) <= 0:
                raise TimeoutError
            await asyncio.wait({task}, timeout=min(_POLL, left))
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=_GRACE / 2)


async def _streamed(
    settings: ModelSettings,
    messages: Sequence[Mapping[str, str]],
    seconds: float,
    heard: Callable[[str], None],
    with_usage: bool,
) -> Answer:
    from openai import AsyncOpenAI

    answer = Answer()
    key = settings.api_key or "none"
    async with AsyncOpenAI(base_url=settings.base_url, api_key=key, timeout=seconds + _GRACE, max_retries=0) as client:
        completions: Any = client.chat.completions
        options = _limited(settings) | ({"stream_options": {"include_usage": True}} if with_usage else {})
        create = completions.with_raw_response.create
        response = await create(model=settings.model, messages=messages, stream=True, **options)
        heard("")
        if "json" in response.headers.get("content-type", ""):
            heard(answer.take_whole(await _whole(response.http_response)))
            return answer
        chunks = response.parse()
        try:
            async for chunk in chunks:
                if words := answer.take(chunk):
                    heard(words)
        finally:
            await chunks.close()
    return answer


async def _whole(response: Any) -> bytes:
    """The body of an answer that is no stream. Raises ValueError for one that does not end."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MOST_BYTES:
            raise ValueError("an answer without end")
    return bytes(body)


def _limited(settings: ModelSettings) -> dict[str, Any]:
    """How the server is told where to stop. OpenAI itself has given this a new name; all others know the old one."""
    if not settings.max_output:
        return {}
    name = "max_completion_tokens" if settings.base_url == OPENAI else "max_tokens"
    return {name: settings.max_output}
