"""The result of a replay: one frame per turn, with its compressions and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from inspector.analysis.replay.billing import NO_BILL, UNKNOWN_LIFETIME, Basis, CacheLifetime, CallBill
from inspector.analysis.replay.repeated_reads import RepeatedReadRates
from inspector.core.conversation import Problem
from inspector.engine.compression import Recall
from inspector.engine.facts import Regret, RetainedFact, Retention
from inspector.engine.window import Plan, SizeChange
from inspector.llm.models import Cost
from inspector.llm.tokens import Certainty, TokenCount

__all__ = ["CompactionEvent", "Frame", "Regret", "Replay", "RetainedFact"]


class ReplayCancelled(Exception):  # noqa: N818  requested by the caller, so not an error
    """Raised when a replay is cancelled."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One reply of a session under a policy. The last frame is the current context, which was not sent."""

    turn: int
    reply: int
    """Position in the log of the reply that the call returned; -1 if there was none."""
    sections: tuple[int, ...]
    """Tokens of the six sections, in order."""
    full: int
    """Tokens that the window would contain if nothing had ever been compressed."""
    messages: int
    compression: int = -1
    """Index of the compression made before this call; -1 for none."""
    bill: CallBill = NO_BILL
    """Bill for the call, its reply and a summary made before it, as if the session's model had written the summary.

    The recording's own calls are billed as reported.
    """

    back: Recall | None = None
    """Archived content retrieved into the window."""
    fetched: int = 0
    """Tokens of an additional call that would fetch from the archive what the reply needed."""
    waits: int = 0
    """For a window above the threshold that was not compressed: tokens above which the next attempt is made."""

    @property
    def cost(self) -> float:
        """Dollars with the provider's prompt cache."""
        return self.bill.paid.total

    @property
    def cost_uncached(self) -> float:
        return self.bill.uncached

    @property
    def total(self) -> int:
        return sum(self.sections)

    @property
    def is_sent(self) -> bool:
        """True if a call sent this window. Only the first of several replies to one call counts."""
        return self.bill.is_call


@dataclass(frozen=True, slots=True)
class CompactionEvent:
    """One compression in a replay, or one of the recording's own compactions."""

    turn: int
    before: int
    after: int
    strategy: str
    covered: int
    """Number of messages that were removed or shortened."""
    reversible: bool
    """True if everything removed can be retrieved."""
    plan: Plan | None = None
    """Plan of the compression; None for a recorded compaction."""
    is_hasty: bool = False
    """True if it removed content that had just been read, or had not been read at all."""
    before_how: Certainty = "estimated"
    """Source of `before`: "reported" for a recorded compaction if the provider reported the size."""
    after_how: Certainty = "estimated"

    @property
    def sizes(self) -> SizeChange:
        return SizeChange(TokenCount(self.before, self.before_how), TokenCount(self.after, self.after_how))


@dataclass(frozen=True)
class Replay:
    """A session replayed under a preset, from the first turn to the last."""

    preset: str
    agent: str
    frames: tuple[Frame, ...]
    compactions: tuple[CompactionEvent, ...]
    problems: tuple[Problem, ...] = ()
    """Problems for which a provider would reject any of its windows, including windows over the model's limit."""
    gave_up: str = ""
    """Reason why it stopped compressing; "" if it did not."""
    plans: tuple[Plan, ...] = field(default=(), repr=False)
    facts: Retention | None = None
    """State of the facts at the end of the session; None if facts were not tracked."""
    regrets: tuple[Regret, ...] = ()
    """Replies that needed a lost fact."""
    recalls: tuple[Regret, ...] = ()
    """Other replies that needed a fact which the policy could only have retrieved."""
    lifetime: CacheLifetime = UNKNOWN_LIFETIME
    """Assumed lifetime of the prompt cache."""
    new_problems: tuple[Problem, ...] = ()
    """The part of `problems` that compressions introduced. The others are in the recording, whatever the preset."""
    size_problems: tuple[Problem, ...] = ()
    """The part of `problems` caused by windows over the model's limit."""
    threshold: int = 0
    """Tokens above which it compressed, from the preset's threshold; 0 if it never would."""
    rereads: RepeatedReadRates | None = None
    """Repeated reads after the recording's own compactions; None for a policy, or without facts."""
    certainty: Certainty = "estimated"
    """Certainty of its sizes. Sizes are always counted, even if the provider reported some."""

    @property
    def retention(self) -> Mapping[str, RetainedFact]:
        """Facts of each class by state; empty if facts were not tracked."""
        return dict[str, RetainedFact](self.facts.classes.items()) if self.facts else {}

    @property
    def retained(self) -> float:
        """Weighted share of all facts that are in the window at the end of the session, from 0 to 1."""
        return self.facts.share if self.facts else 1.0

    @cached_property
    def calls(self) -> tuple[Frame, ...]:
        return tuple(frame for frame in self.frames if frame.is_sent)

    def count(self, tokens: int) -> TokenCount:
        """Return a number of tokens with the certainty of this replay's sizes."""
        return TokenCount(tokens, self.certainty)

    @property
    def turns(self) -> int:
        return len(self.calls)

    @cached_property
    def peak(self) -> int:
        """Tokens of the largest window that was sent."""
        return max((frame.total for frame in self.calls), default=0)

    @cached_property
    def tokens_sent(self) -> int:
        return sum(frame.total + frame.fetched for frame in self.calls)

    @cached_property
    def tokens_back(self) -> int:
        """Tokens of retrieved content in all windows that were sent."""
        return sum(frame.back.tokens for frame in self.calls if frame.back)

    @cached_property
    def parts(self) -> Cost:
        """Dollars with the prompt cache, by category."""
        return sum((frame.bill.paid for frame in self.frames), Cost())

    @property
    def cost(self) -> float:
        return self.parts.total

    @cached_property
    def simulated(self) -> Cost:
        """Dollars by category with nothing billed as reported, comparable with replays of other policies."""
        return sum((frame.bill.simulated for frame in self.frames), Cost())

    @cached_property
    def basis(self) -> Basis:
        """Basis of the cost: reported usage, simulation, or both."""
        bills = {frame.bill.reported is not None for frame in self.calls}
        return "partly reported" if len(bills) > 1 else "reported" if True in bills else "simulated"

    @cached_property
    def cost_uncached(self) -> float:
        return sum(frame.cost_uncached for frame in self.frames)

    @property
    def hasty(self) -> int:
        """Number of compressions that removed content which had just been read."""
        return sum(event.is_hasty for event in self.compactions)

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def own_problems(self) -> tuple[Problem, ...]:
        """Problems that the policy caused: those that compressions introduced, and windows over the model's limit.

        Problems of the recording itself are excluded, because the provider accepted those requests.
        """
        return (*self.new_problems, *self.size_problems)

    @property
    def recorded_so(self) -> bool:
        """True if there are problems and the policy caused none of them."""
        return bool(self.problems) and not self.own_problems
