"""Asking an agent's own model for a summary: one call without tools, on the agent's event loop.

A strategy runs in a worker thread and calls its summariser as a plain function, so an `Asking` carries the question
over to the loop, waits for the answer there, and keeps account of what was spent, whatever became of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any

from inspector.conversation import Message, Usage
from inspector.memory.answer import read_answer
from inspector.memory.calling import call
from inspector.memory.message_adapter import LLMMessage
from inspector.models import NOTHING, added
from inspector.strategies import Summariser
from inspector.summaries import SummaryError, told

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Written:
    """A summary, and what the call for it took."""

    text: str
    usage: Usage


class Unusable(SummaryError):  # noqa: N818  what became of the summary
    """A summary that came but cannot be used: empty or cut off. It was paid for all the same."""

    def __init__(self, why: str, usage: Usage) -> None:
        super().__init__(why)
        self.usage = usage


async def ask(llm: Any, request: Sequence[LLMMessage], count: Count, seconds: float | None = None) -> Written:
    """What `llm` answers, within some seconds, to a request for a summary.

    Raises SummaryError with a sentence, whatever goes wrong.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            response = await call(llm, request)
    except Exception as error:
        if limit.expired():
            raise SummaryError(f"The model gave no summary within {seconds:g} seconds.") from error
        raise SummaryError(f"The model gave no summary: {told(error)}") from error
    answer = read_answer(response)
    text = answer.text.strip()
    usage = answer.usage or Usage(sum(count(message.text) for message in request), count(text))
    if answer.cut_off:
        raise Unusable("The model's summary was cut off before its end.", usage)
    if not text:
        raise Unusable("The model's summary came back empty.", usage)
    return Written(text, usage)


@dataclass
class Asking:
    """A summariser for a worker thread that asks on the event loop `loop`.

    `write` is the method of `WorkingMemoryCompressor` that asks the model. `otherwise` makes the summary where the
    model gives none; None means that there is none then.
    """

    write: Callable[[Sequence[Message], int, Count], Awaitable[Written]]
    loop: asyncio.AbstractEventLoop
    otherwise: Summariser | None = None
    usage: Usage = NOTHING
    """What all calls took, failed ones too."""
    failures: list[str] = field(default_factory=list)
    """Why the model gave no summary, each time that it did not."""
    cancelled: bool = False
    _pending: Future[Written] | None = None

    def __call__(self, messages: Sequence[Message], target: int, count: Count) -> str:
        try:
            written = self._asked(messages, target, count)
        except SummaryError as failed:
            self.failures.append(str(failed))
            if isinstance(failed, Unusable):
                self.usage = added(self.usage, failed.usage)
            if self.otherwise is None or self.cancelled:
                raise
            return self.otherwise(messages, target, count)
        self.usage = added(self.usage, written.usage)
        return written.text

    def _asked(self, messages: Sequence[Message], target: int, count: Count) -> Written:
        if self.cancelled:
            raise SummaryError("The compression was cancelled.")

        async def write() -> Written:
            return await self.write(messages, target, count)

        self._pending = asyncio.run_coroutine_threadsafe(write(), self.loop)
        if self.cancelled:
            self._pending.cancel()
        try:
            return self._pending.result()
        except CancelledError:
            raise SummaryError("The compression was cancelled.") from None

    def cancel(self) -> None:
        """Stop waiting for an answer. Any thread may call it."""
        self.cancelled = True
        if self._pending:
            self._pending.cancel()
