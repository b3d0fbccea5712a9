"""Model summaries as a flow without I/O: the requests, the retries, and the checks of the answers.

`SummaryFlow.steps` is a generator. It yields a `ModelRequest` or a `Pause`, receives the answer (None after a pause) or
the exception raised by the client, and returns the summary. So the same rules serve synchronous and asynchronous
callers, like `auth_flow` in httpx (https://www.python-httpx.org/advanced/authentication/).
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from typing import NoReturn

from inspector.core.conversation import Message, Usage
from inspector.engine.summaries.model.error_quotes import quote
from inspector.engine.summaries.model.failures import Failure, connection_loss, failure_of, no_answer
from inspector.engine.summaries.model.model_answers import CUT_OFF, Answer
from inspector.engine.summaries.model.model_settings import ModelSettings
from inspector.engine.summaries.model.prompt import (
    EARLIER,
    TranscriptPart,
    pack_parts,
    summary_request,
    transcript_parts,
)
from inspector.engine.summaries.model.retries import final_clause, retry_wait
from inspector.engine.summaries.repair import repair_summary
from inspector.engine.summaries.summary_errors import NoSavingError, SummaryError
from inspector.engine.summaries.summary_sections import TITLE
from inspector.llm.models import add_usage

INSTEAD = "the extractive summary can be used instead."
"""End of every sentence that says why a summary failed."""
_MAX_OVERSHOOT = 1.5
"""Maximum size of a summary as a multiple of the target, because models count poorly."""
_ALLOWANCE = 60
"""Additional tokens for summaries so small that headings are a large part of them."""
_SHARE_OF_WINDOW = 0.8
"""Fraction of the model's context window to use, because its tokeniser can count more tokens than ours."""
_MIN_ROOM, _MIN_TARGET = 600, 50
_FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.S)
_THOUGHT = "</think>"
"""End of the thinking that some local models leave in the answer."""
_REFUSALS = frozenset({"content_filter", "refusal", "safety"})
_TOOLS = frozenset({"tool_calls", "function_call", "tool_use"})
"""Stop reasons of OpenAI, Anthropic and Google, in lowercase."""

Count = Callable[[str], int]
"""Returns the tokens of a text."""


class _AnswerTooLongError(Exception):
    """An answer is much longer than any acceptable one."""


@dataclass
class Listener:
    """Receives an answer while it arrives: counts it, reports progress, and stops one that does not end."""

    count: Count
    report: Callable[[int], None]
    most: int
    """Tokens after which an answer is stopped, not counting preceding thinking."""
    active: bool = False
    tokens: int = 0
    text: str = ""

    def __call__(self, words: str) -> None:
        """Receive the next text; an empty text means that the model has started to answer.

        Raises:
            _AnswerTooLongError: The answer exceeds `most`.
        """
        self.active = True
        if not words:
            return
        self.tokens += self.count(words)
        self.text += words
        self.report(self.tokens)
        if self.tokens > self.most and self.count(self.text.rpartition(_THOUGHT)[2]) > self.most:
            raise _AnswerTooLongError


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A chat request to make, without tools."""

    messages: Sequence[dict[str, str]]
    seconds: float
    """Time limit for the answer, infinite for none. The caller raises DeadlineError after it."""
    with_usage: bool
    """True to request token usage in the stream, which some endpoints reject."""
    listener: Listener
    """Called with partial text by callers that receive it before the answer is complete."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait in seconds before the next request."""

    seconds: float


Step = ModelRequest | Pause


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Calls and tokens of requests to a model, including interrupted ones, which are billed as well."""

    calls: int = 0
    estimated: int = 0
    """Calls whose tokens were counted locally, because they were not reported."""
    usage: Usage = Usage(0, 0)  # noqa: RUF009  immutable: Usage is frozen

    def __add__(self, other: CallTotals) -> CallTotals:
        usage = add_usage(self.usage, other.usage)
        return CallTotals(self.calls + other.calls, self.estimated + other.estimated, usage)


@dataclass
class SummaryFlow:
    """One summary by a model, with all its requests.

    Attributes:
        settings: The model.
        count: Returns the tokens of a text.
        progress: Called with the received and the expected number of tokens.
        jitter: Returns a number from 0 to 1 that spreads the retries of programs that were rejected at the same time.
        clock: Returns the time in seconds.
        totals: Calls and tokens used so far.
    """

    settings: ModelSettings
    count: Count
    progress: Callable[[int, int], None] | None = None
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    totals: CallTotals = CallTotals()
    _tokens: int = 0
    _total: int = 0

    def steps(self, messages: Sequence[Message], target: int) -> Generator[Step, Answer | None, str]:
        """Summarise messages.

        Args:
            messages: Messages to summarise, oldest first.
            target: Approximate size of the summary in tokens.

        Yields:
            Requests to the model. Send its answer, or None if the step needs none. A SummaryError thrown into the
            generator is passed on unchanged.

        Returns:
            The summary; "" if the messages contain no text.

        Raises:
            SummaryError: No summary could be made. The message is a sentence with the reason and the host.
        """
        parts = transcript_parts(messages)
        if not parts:
            return ""
        size_target = self._total = min(max(target, _MIN_TARGET), self._largest_target())
        text = repair_summary((yield from self._condense(parts, size_target)), messages, target, self.count)
        size, replaced = self.count(text), sum(self.count(message.text) for message in messages)
        if size >= replaced:
            self._fail(
                f"{self.settings.model_clause} wrote {size:,} tokens, no less than the {replaced:,} before",
                NoSavingError,
            )
        return text

    def _largest_target(self) -> int:
        """Return the largest target that leaves room for input. Raises SummaryError if the window is too small."""
        target = int((self._room(0) - _MIN_ROOM) / _MAX_OVERSHOOT / 2)
        if target < _MIN_TARGET:
            window = f"{self.settings.context:,} tokens"
            self._fail(f"The context window of the model {self.settings.model} ({window}) is too small for a summary")
        return target

    def _room(self, target: int) -> int:
        """Return the tokens of parts that fit into one request."""
        frame = sum(self.count(message["content"]) for message in summary_request([], target))
        return int(self.settings.context * _SHARE_OF_WINDOW) - frame - _longest(target)

    def _condense(self, parts: Sequence[TranscriptPart], target: int) -> Generator[Step, Answer | None, str]:
        """Summarise parts. If they exceed the model's window, summarise their partial summaries."""
        room = self._room(target)
        packs = pack_parts(parts, room, self.count)
        if len(packs) == 1:
            return (yield from self._summarise(packs[0], target))
        part = min(target, room // 5)  # so that several fit into a request and each round has fewer parts
        self._total += part * len(packs)
        summaries = []
        for pack in packs:
            text = yield from self._summarise(pack, part)
            summaries.append(TranscriptPart(EARLIER, text))
        return (yield from self._condense(summaries, target))

    def _summarise(self, parts: Sequence[TranscriptPart], target: int) -> Generator[Step, Answer | None, str]:
        """Summarise parts that fit into one request."""
        answer = yield from self._insist(summary_request(parts, target), target)
        self._accept(answer)
        text = _unwrap(answer.text)
        if not text:
            self._fail(f"{self.settings.model_clause} returned an empty answer")
        if (size := self.count(text)) > _longest(target):
            self._fail(f"{self.settings.model_clause} wrote {size:,} tokens instead of {target:,}")
        self._tokens += target
        return text

    def _insist(self, messages: list[dict[str, str]], target: int) -> Generator[Step, Answer | None, Answer]:
        """Make a request with up to `settings.retries` retries within `settings.timeout`."""
        end = self.clock() + self.settings.timeout
        with_usage = True
        for attempt in count_from():
            answer = yield from self._attempt(messages, target, end - self.clock(), with_usage)
            if isinstance(answer, Answer):
                return answer
            if answer.without_usage and with_usage:
                with_usage = False
                continue
            wait = retry_wait(answer, attempt, self.settings.retries, end - self.clock(), self.jitter)
            if wait is None:
                self._fail(final_clause(answer, attempt))
            yield Pause(wait)
        raise AssertionError("attempts do not end by themselves")

    def _attempt(
        self, messages: list[dict[str, str]], target: int, seconds: float, with_usage: bool
    ) -> Generator[Step, Answer | None, Answer | Failure]:
        """Make one request. Raises SummaryError if a retry is pointless."""
        listener = Listener(self.count, self._report, 2 * _longest(target))
        answer = failure = None
        try:
            answer = yield ModelRequest(messages, seconds, with_usage, listener)
        except SummaryError:
            raise
        except _AnswerTooLongError:
            self._fail(f"{self.settings.model_clause} did not finish within {listener.tokens:,} tokens")
        except Exception as error:
            failure = failure_of(error, self.settings, listener.active)
            return failure
        finally:
            if answer or listener.active or (failure and failure.has_answer):
                self._bill(messages, answer or Answer(listener.text))
        assert answer is not None, "a request is answered, or its exception is thrown in"
        return connection_loss(self.settings) if answer.text and answer.finish == "" else answer

    def _report(self, tokens: int) -> None:
        if self.progress:
            self.progress(self._tokens + tokens, self._total)

    def _bill(self, messages: list[dict[str, str]], answer: Answer) -> None:
        """Add the usage of a request: as reported by the provider, otherwise as counted locally."""
        tokens = sum(self.count(message["content"]) for message in messages)
        usage = answer.usage or Usage(tokens, self.count(answer.text))
        self.totals += CallTotals(1, int(answer.usage is None), usage)

    def _accept(self, answer: Answer) -> None:
        """Raise SummaryError unless the model finished its answer."""
        who, finish = self.settings.model_clause, (answer.finish or "").lower()
        if answer.refusal or finish in _REFUSALS:
            words = quote(answer.refusal, self.settings.api_key)
            self._fail(f"{who} refused to write the summary" + (f" ({words})" if words else ""))
        if finish in CUT_OFF:
            self._fail(f"The answer of {who[:1].lower()}{who[1:]} was cut off at the maximum length")
        if finish in _TOOLS:
            self._fail(f"{who} called a tool instead of writing the summary")
        if answer.finish == "":
            self._fail(no_answer(self.settings).clause)

    def _fail(self, what: str, kind: type[SummaryError] = SummaryError) -> NoReturn:
        what = what if self.settings.host else what[:1].upper() + what[1:]  # host names keep their case
        raise kind(f"{what}; {INSTEAD}") from None


def _longest(target: int) -> int:
    """Return the maximum tokens of a summary with a target."""
    return int(target * _MAX_OVERSHOOT) + _ALLOWANCE


def _unwrap(text: str) -> str:
    """Return an answer without thinking and code fence, with a summary's title; "" if nothing remains."""
    text = text.rpartition(_THOUGHT)[2].strip()
    if fence := _FENCE.fullmatch(text):
        text = fence[1].strip()
    text = text.removeprefix(TITLE).strip()
    return f"{TITLE}\n\n{text}" if text else ""


def drive(steps: Generator[Step, Answer | None, str], perform: Callable[[Step], Answer | None]) -> str:
    """Carry out the steps of a flow and return its result. Exceptions of `perform` are thrown into the flow."""
    try:
        step = next(steps)
        while True:
            try:
                answer = perform(step)
            except Exception as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return str(end.value)


async def drive_async(
    steps: Generator[Step, Answer | None, str], perform: Callable[[Step], Awaitable[Answer | None]]
) -> str:
    """Like `drive`, with an asynchronous `perform`."""
    try:
        step = next(steps)
        while True:
            try:
                answer = await perform(step)
            except Exception as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return str(end.value)
