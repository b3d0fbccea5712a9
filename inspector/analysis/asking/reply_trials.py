"""Ask a model with parts of a context, and decide whether its reply is still the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inspector.analysis.asking.asked_contexts import AskedContext
from inspector.analysis.asking.asking_run import AskedCall, AskedReply, Asker, CallEstimate
from inspector.analysis.asking.culprits import (
    Culprits,
    asked_part,
    find_culprits,
    fixed_positions,
    most_tests,
    suspects,
)
from inspector.analysis.asking.step_agreement import StepReply, is_same_call, is_same_step
from inspector.core.conversation import Usage
from inspector.engine.window import Window
from inspector.llm.models import cost


class TrialError(Exception):
    """No verdict is possible. The message is one sentence."""


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
    """The search for the messages that a reply depends on.

    Attributes:
        window: Window that the reply was generated from.
        recorded: The recorded reply.
        asker: Client of the model.
        expectation: Condition for two replies to be the same.
        most: Maximum number of tokens of a reply.
        samples: Replies to each part of the context, of which most decide.
        target: The reply that is searched: the recorded one, or that of the model to the whole context.
        note: Remark on the target, in a sentence; empty for none.
    """

    window: Window
    recorded: StepReply
    asker: Asker
    expectation: Expectation
    most: int
    samples: int = 1
    target: StepReply = field(init=False)
    note: str = ""
    tests: int = 0
    _known: dict[frozenset[int], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.target = self.recorded

    def estimate(self, expected: int) -> CallEstimate:
        """Return the size and the price of the calls, which contain half of the window on average.

        Args:
            expected: Expected tokens of a reply.
        """
        count = most_tests(len(self.window.groups)) * self.samples
        tokens, asker = self.window.total, self.asker
        likely = count * cost(asker.price, Usage(tokens // 2, min(expected, self.most))).total
        most = count * cost(asker.price, Usage(tokens, self.most)).total
        return CallEstimate(asker.settings, count, count * tokens // 2, likely, most, asker.price.note)

    def search(self, weights: dict[str, float]) -> Culprits:
        """Return the messages that the reply depends on.

        Args:
            weights: How much of the reply each message states, by id.

        Raises:
            TrialError: A call failed, or the reply is another one with the whole context.
        """
        everything = frozenset(range(len(self.window.messages)))
        replies = self._replies(everything)
        if not self._most_hold(replies):
            if self.expectation.expect or self.expectation.avoid:
                raise TrialError("With the whole context, the reply of the model is not the expected one.")
            self.target = replies[0].step
            self.note = (
                "With the whole context, the model gives another reply than the recorded one. Its own is explained."
            )
        self._known[everything] = True
        groups = suspects(self.window, weights)
        by_place = {place: weights.get(name, 0.0) for place, name in enumerate(self.window.ids)}
        return find_culprits(groups, by_place, self._test)

    def _test(self, kept: frozenset[int]) -> bool:
        kept |= fixed_positions(self.window)
        if kept not in self._known:
            self._known[kept] = self._most_hold(self._replies(kept))
        return self._known[kept]

    def share(self, kept: Sequence[int], *, without: bool = False) -> float:
        """Return the share of samples with the same reply, given some messages or all others; from kept replies."""
        places = frozenset(kept)
        if without:
            places = frozenset(range(len(self.window.messages))) - places
        replies = self._replies(places | fixed_positions(self.window))
        return sum(self.expectation.holds(self.target, reply.step) for reply in replies) / len(replies)

    def _most_hold(self, replies: Sequence[AskedReply]) -> bool:
        return 2 * sum(self.expectation.holds(self.target, reply.step) for reply in replies) > len(replies)

    def _replies(self, kept: frozenset[int]) -> list[AskedReply]:
        self.tests += 1
        return list(self._asked(kept))

    def _asked(self, kept: frozenset[int]) -> Iterator[AskedReply]:
        part = asked_part(self.window, kept)
        row = AskedContext(f"{len(part.messages)} of {len(self.window.messages)} messages", part, self.window)
        body = row.body(self.asker.settings, self.most)
        calls = [AskedCall(row.label, sample, body, part.total, self.most) for sample in range(1, self.samples + 1)]
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
