"""A summary written by a model, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from inspector.conversation import Message, Usage
from inspector.summaries.errors import SummaryCancelled, SummaryError
from inspector.summaries.model.failures import INSTEAD, Failure, broken_off, failure_of
from inspector.summaries.model.flow import THOUGHT, Answer, Cancel, Listener, Stopped, TooLong, ask
from inspector.summaries.model.length import LONGEST, longest
from inspector.summaries.model.prompt import EARLIER, Entry, entries, packed, request
from inspector.summaries.model.quoting import quoted
from inspector.summaries.model.retry import insist
from inspector.summaries.model.settings import OPENAI, ModelSettings
from inspector.summaries.repair import repaired
from inspector.summaries.sections import TITLE

_SHARE_OF_WINDOW = 0.8
"""Of a model's context window, what is filled: its own tokens may be more than the ones that are counted here."""
_LEAST_ROOM, _LEAST_TARGET = 600, 50
_FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.S)

_NOTHING = Usage(0, 0)

_Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent on a model. Requests that failed on the way are in it, for they are billed as well."""

    calls: int = 0
    estimated: int = 0
    """Calls whose tokens were counted here, because the endpoint did not report them."""
    usage: Usage = _NOTHING

    def plus(self, usage: Usage, estimated: bool = False) -> Spent:
        mine = self.usage
        total = Usage(mine.input + usage.input, mine.output + usage.output, mine.cache_read + usage.cache_read)
        return Spent(self.calls + 1, self.estimated + estimated, total)


@dataclass
class _Course:
    """How far a summary is, over all the answers that it takes, in tokens as `count` counts them."""

    count: _Count
    total: int
    done: int = 0


@dataclass
class ModelSummariser:
    """Asks a model for summaries: a summariser for `Aids`. `spent` adds up what all its requests took.

    `progress` is told, from another thread, how many tokens of how many asked for have come. `cancel` is an event that
    ends a request at once. `sleep` and `jitter` are arguments so that tests need not wait.
    """

    settings: ModelSettings
    cancel: Cancel | None = None
    progress: Callable[[int, int], None] | None = None
    sleep: Callable[[float], object] | None = None
    jitter: Callable[[], float] = random.random
    spent: Spent = field(default_factory=Spent)

    def __call__(self, messages: Sequence[Message], target: int, count: _Count) -> str:
        """A summary of `messages` of about `target` tokens as `count` counts them; "" where they say nothing.

        Raises SummaryError for whatever goes wrong, with a sentence that says what and where, and SummaryCancelled.
        """
        told = entries(messages)
        if not told:
            return ""
        self.check()
        asked = min(max(target, _LEAST_TARGET), self.greatest(count))
        text = repaired(self.condensed(told, asked, _Course(count, asked)), messages, target, count)
        size, replaced = count(text), sum(count(message.text) for message in messages)
        if size >= replaced:
            self.fail(f"The model at {self.settings.host} wrote {size:,} tokens, no less than the {replaced:,} before")
        return text

    def check(self) -> None:
        """Raises SummaryError where it is plain beforehand that no answer can come."""
        if not self.settings.host:
            self.fail("The address of the model (OPENAI_BASE_URL) is none that begins with http:// or https://")
        if self.settings.base_url == OPENAI and not self.settings.api_key:
            self.fail(f"There is no API key for {self.settings.host} (OPENAI_API_KEY)")
        if not self.settings.api_key.isascii():
            self.fail("The API key (OPENAI_API_KEY) has signs in it that no key has")

    def greatest(self, count: _Count) -> int:
        """The largest target that leaves the model's window room to read. Raises SummaryError where there is none."""
        target = int((self.room(0, count) - _LEAST_ROOM) / LONGEST / 2)
        if target < _LEAST_TARGET:
            window = f"{self.settings.context:,} tokens"
            self.fail(f"The context window of the model {self.settings.model} ({window}) is too small for a summary")
        return target

    def room(self, target: int, count: _Count) -> int:
        """Tokens of entries that fit into one request."""
        frame = sum(count(message["content"]) for message in request([], target))
        return int(self.settings.context * _SHARE_OF_WINDOW) - frame - longest(target)

    def condensed(self, told: Sequence[Entry], target: int, course: _Course) -> str:
        """The summary of some entries; of more than fit into the model's window, the summary of their summaries."""
        room = self.room(target, course.count)
        packs = packed(told, room, course.count)
        if len(packs) == 1:
            return self.summary(packs[0], target, course)
        part = min(target, room // 5)  # so small that at least two fit into a request, and the next round has fewer
        course.total += part * len(packs)
        parts = [self.summary(pack, part, course) for pack in packs]
        return self.condensed([Entry(EARLIER, text) for text in parts], target, course)

    def summary(self, told: Sequence[Entry], target: int, course: _Course) -> str:
        """What the model makes of entries that fit into one request."""
        messages = request(told, target)

        def once(seconds: float, with_usage: bool) -> Answer | Failure:
            return self.once(messages, 2 * longest(target), course, seconds, with_usage)

        answer = insist(self.settings, once, self.pause, self.jitter)
        self.accept(answer)
        text = _plain(answer.text)
        if not text:
            self.fail(f"The model at {self.settings.host} answered with nothing")
        if (size := course.count(text)) > longest(target):
            self.fail(f"The model at {self.settings.host} wrote {size:,} tokens where {target:,} were asked for")
        course.done += target
        return text

    def once(
        self, messages: list[dict[str, str]], most: int, course: _Course, seconds: float, with_usage: bool
    ) -> Answer | Failure:
        """One request. Raises SummaryError where there is no use in making it again."""

        def tell(tokens: int) -> None:
            if self.progress:
                self.progress(course.done + tokens, course.total)

        listener = Listener(course.count, tell, most)
        answer = Answer()
        try:
            answer = ask(self.settings, messages, seconds, self.cancel, listener, with_usage)
        except Stopped:
            self.cancelled()
        except TooLong:
            self.fail(f"The model at {self.settings.host} did not come to an end in {listener.tokens:,} tokens")
        except Exception as error:
            return failure_of(error, self.settings, listener.begun)
        finally:
            if listener.begun:
                self.spend(messages, answer.usage, listener.tokens, course.count)
        return broken_off(self.settings) if answer.text and not answer.finish else answer

    def spend(self, messages: list[dict[str, str]], usage: Usage | None, heard: int, count: _Count) -> None:
        """Add what a request took: as the endpoint reports it, or else as it can be counted here."""
        guess = Usage(sum(count(message["content"]) for message in messages), heard)
        self.spent = self.spent.plus(usage or guess, estimated=usage is None)

    def accept(self, answer: Answer) -> None:
        """Raises SummaryError unless the model came to an end of its own."""
        host = self.settings.host
        if answer.refusal or answer.finish in ("content_filter", "refusal"):
            words = quoted(answer.refusal, self.settings.api_key)
            self.fail(f"The model at {host} refused to write the summary" + (f" ({words})" if words else ""))
        if answer.finish in ("length", "max_tokens"):
            self.fail(f"The answer of the model at {host} was cut off at its greatest length")
        if answer.finish in ("tool_calls", "function_call"):
            self.fail(f"The model at {host} asked for a tool instead of writing the summary")
        if not answer.finish:
            self.fail(f"{host} answered with something that is no chat completion")

    def pause(self, seconds: float) -> None:
        """Wait, unless or until it is cancelled. Raises SummaryCancelled."""
        if self.sleep:
            self.sleep(seconds)
        elif self.cancel:
            self.cancel.wait(seconds)
        else:
            time.sleep(seconds)
        if self.cancel and self.cancel.is_set():
            self.cancelled()

    def fail(self, what: str) -> NoReturn:
        raise SummaryError(f"{what}; {INSTEAD}") from None

    def cancelled(self) -> NoReturn:
        raise SummaryCancelled(f"The summary was cancelled; {INSTEAD}") from None


def _plain(text: str) -> str:
    """A model's answer without what it thought aloud or put around it, with a summary's title; "" if that is all."""
    text = text.rpartition(THOUGHT)[2].strip()
    if fence := _FENCE.fullmatch(text):
        text = fence[1].strip()
    text = text.removeprefix(TITLE).strip()
    return f"{TITLE}\n\n{text}" if text else ""
