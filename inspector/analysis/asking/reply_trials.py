"""Ask a model with parts of a context, and decide whether its reply is still the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from inspector.analysis.asking.asked_contexts import AskedContext
from inspector.analysis.asking.asking_run import AskedCall, AskedReply, Asker, CallEstimate
from inspector.analysis.asking.culprits import (
    Culprits,
    asked_part,
    find_culprits,
    fixed_positions,
    most_tests,
    search_depth,
    suspects,
)
from inspector.analysis.asking.part_search import BlamedPart, DividedMessage, divided, find_parts
from inspector.analysis.asking.step_agreement import StepReply, is_same_call, is_same_step
from inspector.core.conversation import Usage
from inspector.core.text import plural
from inspector.engine.window import Window
from inspector.llm.models import cost

_MAX_DIVIDED = 3
"""Maximum number of messages whose parts are searched."""
_Key = tuple[frozenset[int], frozenset[tuple[int, str]]]
"""Positions of messages, and those that have another text."""


class TrialError(Exception):
    """The search ended before its result was complete. The message says why."""


@dataclass(frozen=True)
class Expectation:
    """Condition for two replies to be the same."""

    expect: str = ""
    """Text that the reply must contain."""
    avoid: str = ""
    """Text that the reply must not contain."""
    calls_only: bool = False
    """True to compare calls only."""

    def holds(self, target: StepReply, reply: StepReply) -> bool:
        """Return True if a reply is the same as the target."""
        if self.expect or self.avoid:
            text = "\n".join([reply.text, *(f"{call.name} {call.arguments}" for call in reply.calls)]).casefold()
            return self.expect.casefold() in text and not (self.avoid and self.avoid.casefold() in text)
        return is_same_call(target, reply) if self.calls_only else is_same_step(target, reply)


@dataclass
class ReplyTrials:
    """The search for the messages that a reply depends on, and for the parts of long ones.

    Attributes:
        window: Window that the reply was generated from.
        recorded: The recorded reply.
        asker: Client of the model.
        expectation: Condition for two replies to be the same.
        most: Maximum number of tokens of a reply.
        samples: Replies to each part of the context, of which most decide.
        on_test: Called after each test, and after each result.
        target: The reply that is searched: the recorded one, or that of the model to the whole context.
        note: Remark on the target, in a sentence; empty for none.
        tests: Parts of the context that were tried.
        culprits: The messages that were found so far; None before the first result.
        parts: Parts of the long messages of the sufficient sets.
        confirmed: Share of samples with the same reply: with the sufficient set, and without the necessary one.
    """

    window: Window
    recorded: StepReply
    asker: Asker
    expectation: Expectation
    most: int
    samples: int = 1
    on_test: Callable[[], object] = lambda: None
    target: StepReply = field(init=False)
    note: str = ""
    tests: int = 0
    culprits: Culprits | None = None
    parts: tuple[BlamedPart, ...] = ()
    confirmed: dict[str, float] = field(default_factory=dict)
    _known: dict[_Key, bool] = field(default_factory=dict)
    _earlier: int = 0
    """Calls that the client had made before this search."""

    def __post_init__(self) -> None:
        self.target = self.recorded

    @cached_property
    def _divided(self) -> Mapping[int, DividedMessage]:
        """The messages that have several parts, by position."""
        messages = (divided(place, message) for place, message in enumerate(self.window.messages))
        return {message.place: message for message in messages if message is not None}

    @cached_property
    def most_tests(self) -> int:
        """Number of contexts that the user agrees to: for one or two causes, and the parts of a long message."""
        count = len(self.window.groups)
        parts = max((message.most_tests for message in self._divided.values()), default=0)
        return most_tests(count) + search_depth(count) + parts

    @property
    def most_calls(self) -> int:
        """Number of calls that the user agrees to. Kept replies are no calls."""
        return self.most_tests * self.samples

    def estimate(self, expected: int) -> CallEstimate:
        """Return the size and the price of the calls, which contain half of the window on average.

        Args:
            expected: Expected tokens of a reply.
        """
        count, tokens, asker = self.most_calls, self.window.total, self.asker
        likely = count * cost(asker.price, Usage(tokens // 2, min(expected, self.most))).total
        most = count * cost(asker.price, Usage(tokens, self.most)).total
        return CallEstimate(asker.settings, count, count * tokens // 2, likely, most, asker.price.note, is_bound=True)

    def search(self, weights: Mapping[str, float]) -> None:
        """Find the messages that the reply depends on. Partial results are kept if the search fails.

        Args:
            weights: How much of the reply each message states, by id.

        Raises:
            TrialError: A call failed, the reply is another one with the whole context, or the agreed number of calls is
                not enough.
        """
        self._earlier = self.asker.count
        everything = frozenset(range(len(self.window.messages)))
        replies = self._replies(everything)
        if not self._most_hold(replies):
            if self.expectation.expect or self.expectation.avoid:
                raise TrialError("With the whole context, the reply of the model is not the expected one.")
            self.target = replies[0].step
            self.note = (
                "With the whole context, the model gives another reply than the recorded one. Its own is explained."
            )
        self._known[everything, frozenset()] = True
        groups = suspects(self.window, weights)
        by_place = {place: weights.get(name, 0.0) for place, name in enumerate(self.window.ids)}
        for culprits in find_culprits(groups, by_place, self._test, self._has_room):
            self.culprits = culprits
            self.confirmed["sufficient"] = self._share(culprits.sufficient)
            if culprits.necessary:
                self.confirmed["necessary"] = self._share(everything.difference(culprits.necessary))
            self.on_test()
        if self.culprits is not None:
            self._divide(self.culprits)

    def _divide(self, culprits: Culprits) -> None:
        """Find the parts of the long messages of the sufficient sets; without any, of the current request."""
        count = 0
        for kept in culprits.sets:
            texts: dict[int, str] = {}
            for place in kept or sorted(fixed_positions(self.window)):
                message = self._divided.get(place)
                if message is None or count == _MAX_DIVIDED or not self._has_room(message.most_tests):
                    continue
                count += 1
                self.parts += tuple(self._parts_of(message, frozenset(kept), texts, bool(culprits.alternatives)))
                mine = frozenset(one.part for one in self.parts if one.place == place)
                texts[place] = message.text(frozenset(n for n, part in enumerate(message.parts) if part in mine))
                self.on_test()

    def _parts_of(
        self, message: DividedMessage, kept: frozenset[int], texts: Mapping[int, str], is_replaceable: bool
    ) -> list[BlamedPart]:
        """Return the parts of a message that are enough for the reply.

        Args:
            message: The message.
            kept: The sufficient set.
            texts: Texts of its messages whose parts are known.
            is_replaceable: True if another set is sufficient, too.
        """
        everything, place = frozenset(range(len(self.window.messages))), message.place

        def is_same(text: str) -> bool:
            return self._test(kept, {**texts, place: text})

        def breaks(text: str) -> bool:
            return not self._test(everything, {place: text})

        return find_parts(message, self.target, is_same, None if is_replaceable else breaks)

    def _has_room(self, tests: int) -> bool:
        """Return True if a number of further tests is within the agreed number."""
        return self.tests + tests <= self.most_tests

    def _test(self, kept: frozenset[int], texts: Mapping[int, str] = MappingProxyType({})) -> bool:
        kept |= fixed_positions(self.window)
        key = (kept, frozenset(texts.items()))
        if key not in self._known:
            self._known[key] = self._most_hold(self._replies(kept, texts))
        return self._known[key]

    def _share(self, kept: Collection[int]) -> float:
        """Return the share of samples with the same reply to a part of the context; from kept replies."""
        replies = list(self._asked(frozenset(kept) | fixed_positions(self.window), {}))
        return round(sum(self.expectation.holds(self.target, reply.step) for reply in replies) / len(replies), 4)

    def _most_hold(self, replies: Sequence[AskedReply]) -> bool:
        return 2 * sum(self.expectation.holds(self.target, reply.step) for reply in replies) > len(replies)

    def _replies(self, kept: frozenset[int], texts: Mapping[int, str] = MappingProxyType({})) -> list[AskedReply]:
        replies = list(self._asked(kept, texts))
        self.tests += 1
        self.on_test()
        return replies

    def _asked(self, kept: frozenset[int], texts: Mapping[int, str]) -> Iterator[AskedReply]:
        part = asked_part(self.window, kept, texts)
        row = AskedContext(f"{len(part.messages)} of {len(self.window.messages)} messages", part, self.window)
        body = row.body(self.asker.settings, self.most)
        calls = [AskedCall(row.label, sample, body, part.total, self.most) for sample in range(1, self.samples + 1)]
        new, before = sum(self.asker.find(call) is None for call in calls), self.asker.count - self._earlier
        if new and before + new > self.most_calls:
            raise TrialError(
                f"Stopped after {before:,} of at most {plural(self.most_calls, 'call')}: the reply depends on several "
                "messages or paragraphs. Search again to go on."
            )
        count = 0
        for _, event in self.asker.ask(calls):
            if not isinstance(event, AskedReply):
                continue
            if event.problem:
                raise TrialError(event.problem)
            count += 1
            yield event
        if count < len(calls):
            raise TrialError("Cancelled before all replies came. Those that came are kept.")
