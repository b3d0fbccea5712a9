"""A summary by a model, as a flow without I/O: what is asked, when it is asked again, and what is a summary.

`SummaryFlow.steps` is a generator. It yields a `ModelRequest` or a `Pause`, is sent the answer (None after a pause) or
is thrown the exception that the client raised, and returns the summary. So the same rules serve a synchronous and an
asynchronous caller, as `auth_flow` does in httpx (https://www.python-httpx.org/advanced/authentication/).
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
from inspector.engine.summaries.model.failures import Failure, connection_loss, failure_of, no_answer, quote
from inspector.engine.summaries.model.model_answers import Answer
from inspector.engine.summaries.model.model_settings import ModelSettings
from inspector.engine.summaries.model.prompt import (
    EARLIER,
    TranscriptPart,
    pack_parts,
    summary_request,
    transcript_parts,
)
from inspector.engine.summaries.repair import repair_summary
from inspector.engine.summaries.summary_errors import NoSavingError, SummaryError
from inspector.engine.summaries.summary_sections import TITLE
from inspector.llm.models import add_usage

INSTEAD = "the extractive summary can be used instead."
"""The end of every sentence that says why there is no summary."""
_MAX_OVERSHOOT = 1.5
"""Times the target that a summary may take: models do not count well. What is longer has missed the point."""
_ALLOWANCE = 60
"""Tokens more, for summaries so small that their headings make up much of them."""
_SHARE_OF_WINDOW = 0.8
"""Of a model's context window, what is filled: its own tokens may be more than the ones that are counted here."""
_MIN_ROOM, _MIN_TARGET = 600, 50
_FIRST_WAIT, _MAX_WAIT_LENGTH = 0.5, 20.0
"""Seconds before a request is made again: the first time, and at most. In between it doubles."""
_FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.S)
_THOUGHT = "</think>"
"""What some local models end their thinking with, when the server leaves it in the answer."""
_REFUSALS = frozenset({"content_filter", "refusal", "safety"})
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_TOOLS = frozenset({"tool_calls", "function_call", "tool_use"})
"""Reasons for which models stop, in the words of OpenAI, Anthropic and Google, in small letters."""

Count = Callable[[str], int]
"""Counts the tokens of a text."""


class _AnswerTooLongError(Exception):
    """An answer has become much longer than any that would be taken."""


@dataclass
class Listener:
    """Takes in an answer while it comes: counts it, reports how far it is, and ends one that goes on without end."""

    count: Count
    report: Callable[[int], None]
    most: int
    """Tokens after which an answer is given up; thinking aloud before it does not count."""
    active: bool = False
    tokens: int = 0
    text: str = ""

    def __call__(self, words: str) -> None:
        """Take in the next words; none say that the model has begun to answer. Raises _AnswerTooLongError."""
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
    """A chat request to be made, without tools."""

    messages: Sequence[dict[str, str]]
    seconds: float
    """Within which the answer has to come, infinite for no limit; a caller raises DeadlineError after them."""
    with_usage: bool
    """Whether a stream is to report the tokens that it took, which not every endpoint puts up with."""
    listener: Listener
    """Called with the words as they come, by a caller that has them before the answer is whole."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait of some seconds before the next request."""

    seconds: float


Step = ModelRequest | Pause


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Calls and tokens of requests to a model, those that failed half way too: they are billed as well."""

    calls: int = 0
    estimated: int = 0
    """Calls whose tokens were counted here, because nobody reported them."""
    usage: Usage = Usage(0, 0)  # noqa: RUF009  a constant: Usage is frozen

    def __add__(self, other: CallTotals) -> CallTotals:
        usage = add_usage(self.usage, other.usage)
        return CallTotals(self.calls + other.calls, self.estimated + other.estimated, usage)


@dataclass
class SummaryFlow:
    """One summary by a model, over all the requests that it takes.

    `count` counts tokens. `progress` is told how many tokens of how many have come. `jitter` gives numbers from 0 to 1
    that keep many programs which were turned away together from coming back together; `clock` gives seconds. `totals`
    adds up what the requests took.
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
        """Summarise messages in about `target` tokens; gives "" where they say nothing.

        Raises SummaryError, with a sentence that says what went wrong and where; what is thrown in as a SummaryError
        goes through as it is.
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
        """The largest target that leaves the model's window room to read. Raises SummaryError where there is none."""
        target = int((self._room(0) - _MIN_ROOM) / _MAX_OVERSHOOT / 2)
        if target < _MIN_TARGET:
            window = f"{self.settings.context:,} tokens"
            self._fail(f"The context window of the model {self.settings.model} ({window}) is too small for a summary")
        return target

    def _room(self, target: int) -> int:
        """Tokens of entries that fit into one request."""
        frame = sum(self.count(message["content"]) for message in summary_request([], target))
        return int(self.settings.context * _SHARE_OF_WINDOW) - frame - _longest(target)

    def _condense(self, parts: Sequence[TranscriptPart], target: int) -> Generator[Step, Answer | None, str]:
        """The summary of some entries; of more than fit into the model's window, the summary of their summaries."""
        room = self._room(target)
        packs = pack_parts(parts, room, self.count)
        if len(packs) == 1:
            return (yield from self._summarise(packs[0], target))
        part = min(target, room // 5)  # so small that at least two fit into a request, and the next round has fewer
        self._total += part * len(packs)
        summaries = []
        for pack in packs:
            text = yield from self._summarise(pack, part)
            summaries.append(TranscriptPart(EARLIER, text))
        return (yield from self._condense(summaries, target))

    def _summarise(self, parts: Sequence[TranscriptPart], target: int) -> Generator[Step, Answer | None, str]:
        """The model's summary of entries that fit into one request."""
        answer = yield from self._insist(summary_request(parts, target), target)
        self._accept(answer)
        text = _unwrap(answer.text)
        if not text:
            self._fail(f"{self.settings.model_clause} answered with nothing")
        if (size := self.count(text)) > _longest(target):
            self._fail(f"{self.settings.model_clause} wrote {size:,} tokens where {target:,} were asked for")
        self._tokens += target
        return text

    def _insist(self, messages: list[dict[str, str]], target: int) -> Generator[Step, Answer | None, Answer]:
        """The answer to a request that is made up to `settings.retries` times again, within `settings.timeout`."""
        end = self.clock() + self.settings.timeout
        with_usage = True
        for attempt in count_from():
            answer = yield from self._attempt(messages, target, end - self.clock(), with_usage)
            if isinstance(answer, Answer):
                return answer
            if answer.without_usage and with_usage:
                with_usage = False
                continue
            wait = self._backoff(attempt) if answer.wait is None else answer.wait
            if not answer.again or attempt >= self.settings.retries or self.clock() + wait >= end:
                self._fail(f"{answer.clause}{_circumstances(answer, attempt)}")
            yield Pause(wait)
        raise AssertionError("attempts do not end by themselves")

    def _attempt(
        self, messages: list[dict[str, str]], target: int, seconds: float, with_usage: bool
    ) -> Generator[Step, Answer | None, Answer | Failure]:
        """One request. Raises SummaryError where there is no use in making it again."""
        listener = Listener(self.count, self._report, 2 * _longest(target))
        answer = failure = None
        try:
            answer = yield ModelRequest(messages, seconds, with_usage, listener)
        except SummaryError:
            raise
        except _AnswerTooLongError:
            self._fail(f"{self.settings.model_clause} did not come to an end in {listener.tokens:,} tokens")
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
        """Add what a request took: as the provider reports it, or else as it can be counted here."""
        tokens = sum(self.count(message["content"]) for message in messages)
        usage = answer.usage or Usage(tokens, self.count(answer.text))
        self.totals += CallTotals(1, int(answer.usage is None), usage)

    def _backoff(self, attempt: int) -> float:
        """Seconds to wait after an attempt, counted from 0: half of it certain, half by chance."""
        return min(_MAX_WAIT_LENGTH, _FIRST_WAIT * 2.0**attempt) * (0.5 + 0.5 * self.jitter())

    def _accept(self, answer: Answer) -> None:
        """Raises SummaryError unless the model came to an end of its own."""
        who, finish = self.settings.model_clause, (answer.finish or "").lower()
        if answer.refusal or finish in _REFUSALS:
            words = quote(answer.refusal, self.settings.api_key)
            self._fail(f"{who} refused to write the summary" + (f" ({words})" if words else ""))
        if finish in _CUT_OFF:
            self._fail(f"The answer of {who[:1].lower()}{who[1:]} was cut off at its greatest length")
        if finish in _TOOLS:
            self._fail(f"{who} asked for a tool instead of writing the summary")
        if answer.finish == "":
            self._fail(no_answer(self.settings).clause)

    def _fail(self, what: str, kind: type[SummaryError] = SummaryError) -> NoReturn:
        what = what if self.settings.host else what[:1].upper() + what[1:]  # the name of a host is no word
        raise kind(f"{what}; {INSTEAD}") from None


def _longest(target: int) -> int:
    """Tokens that a summary of so many may really take."""
    return int(target * _MAX_OVERSHOOT) + _ALLOWANCE


def _circumstances(failure: Failure, attempt: int) -> str:
    """Details of the last attempt, for the end of a sentence."""
    if failure.wait is not None and failure.wait > _MAX_WAIT_LENGTH:
        return f" and asks to wait for {failure.wait:,.0f} seconds"
    return f", also when asked {attempt + 1} times" if attempt else ""


def _unwrap(text: str) -> str:
    """A model's answer without what it thought aloud or put around it, with a summary's title; "" if that is all."""
    text = text.rpartition(_THOUGHT)[2].strip()
    if fence := _FENCE.fullmatch(text):
        text = fence[1].strip()
    text = text.removeprefix(TITLE).strip()
    return f"{TITLE}\n\n{text}" if text else ""


def drive(steps: Generator[Step, Answer | None, str], perform: Callable[[Step], Answer | None]) -> str:
    """Carry out the steps of a flow and return its result. What `perform` raises is thrown into the flow."""
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
    """The same as `drive`, where carrying out a step is awaited."""
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
