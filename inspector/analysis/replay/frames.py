"""The result of a replay: one frame per turn, the compressions that it made, and their cost."""

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


class ReplayCancelled(Exception):  # noqa: N818  what was asked for, not a fault
    """A replay that was no longer wanted."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One reply of a session under a policy; the last one is the context as it now stands, which was not sent."""

    turn: int
    reply: int
    """The position in the log of the reply that the call gave; -1 where there was none."""
    sections: tuple[int, ...]
    """Tokens of the six sections, in order."""
    full: int
    """Tokens that the window would have if nothing had ever been compressed."""
    messages: int
    compression: int = -1
    """Which of the replay's compressions was made before this call; -1 for none."""
    bill: CallBill = NO_BILL
    """Of the call, its reply and a summary made before it, which is billed as if the session's model had written it.

    What the recording itself did is billed as reported.
    """

    back: Recall | None = None
    """What came back into the window of what was archived."""
    fetched: int = 0
    """Tokens that a further call would have sent, to fetch from the archive what the reply needed and had not got."""
    waits: int = 0
    """Of a window above the threshold that was left as it is: tokens above which compressing it is tried again."""

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
        """Whether a call sent this window; a further reply of a call has none of its own."""
        return self.bill.is_call


@dataclass(frozen=True, slots=True)
class CompactionEvent:
    """One compression of a replay, or one that the recording itself holds."""

    turn: int
    before: int
    after: int
    strategy: str
    covered: int
    """How many messages left the window or say less in it."""
    reversible: bool
    """Whether all that left can be found again."""
    plan: Plan | None = None
    """None for those of the recording."""
    is_hasty: bool = False
    """Whether it took away what had been read only just before, or not at all."""
    before_how: Certainty = "estimated"
    """How `before` is known: of the recording's own, as it was reported where it was."""
    after_how: Certainty = "estimated"

    @property
    def sizes(self) -> SizeChange:
        return SizeChange(TokenCount(self.before, self.before_how), TokenCount(self.after, self.after_how))


@dataclass(frozen=True)
class Replay:
    """A session under a preset, from its first turn to its last."""

    preset: str
    agent: str
    frames: tuple[Frame, ...]
    compactions: tuple[CompactionEvent, ...]
    problems: tuple[Problem, ...] = ()
    """What a provider would have refused in any of its windows, one that is larger than the model's among it."""
    gave_up: str = ""
    """The reason why it stopped compressing, where it did."""
    plans: tuple[Plan, ...] = field(default=(), repr=False)
    facts: Retention | None = None
    """Where the facts are as the session ends; None where facts were not looked at."""
    regrets: tuple[Regret, ...] = ()
    """The replies that needed something that was lost."""
    recalls: tuple[Regret, ...] = ()
    """The other replies that needed something that the policy could only have brought back."""
    lifetime: CacheLifetime = UNKNOWN_LIFETIME
    """How long the cache was taken to keep what a call sent."""
    new_problems: tuple[Problem, ...] = ()
    """What compressions added to `problems`: the rest was recorded so, whatever the preset."""
    size_problems: tuple[Problem, ...] = ()
    """Those of `problems` that are windows larger than the model's."""
    threshold: int = 0
    """Tokens above which it compressed: what the preset's threshold comes to here; 0 where it never would."""
    rereads: RepeatedReadRates | None = None
    """What was read again after the recording's own compactions; None of a policy, and without facts."""
    certainty: Certainty = "estimated"
    """How its sizes are known: they are counted, also those that were reported once."""

    @property
    def retention(self) -> Mapping[str, RetainedFact]:
        """Where the facts of each class are; empty where facts were not looked at."""
        return dict[str, RetainedFact](self.facts.classes.items()) if self.facts else {}

    @property
    def retained(self) -> float:
        """The weighted share of what was told that is in the window as the session ends, from 0 to 1."""
        return self.facts.share if self.facts else 1.0

    @cached_property
    def calls(self) -> tuple[Frame, ...]:
        return tuple(frame for frame in self.frames if frame.is_sent)

    def count(self, tokens: int) -> TokenCount:
        """A number of its tokens, as it is known."""
        return TokenCount(tokens, self.certainty)

    @property
    def turns(self) -> int:
        return len(self.calls)

    @cached_property
    def peak(self) -> int:
        """The largest window that was sent."""
        return max((frame.total for frame in self.calls), default=0)

    @cached_property
    def tokens_sent(self) -> int:
        return sum(frame.total + frame.fetched for frame in self.calls)

    @cached_property
    def tokens_back(self) -> int:
        """Tokens of what came back of what was archived, of all windows that were sent."""
        return sum(frame.back.tokens for frame in self.calls if frame.back)

    @cached_property
    def parts(self) -> Cost:
        """Dollars with the prompt cache, by what they are paid for."""
        return sum((frame.bill.paid for frame in self.frames), Cost())

    @property
    def cost(self) -> float:
        return self.parts.total

    @cached_property
    def simulated(self) -> Cost:
        """The same where nothing is billed as reported: on one footing with the replays of other policies."""
        return sum((frame.bill.simulated for frame in self.frames), Cost())

    @cached_property
    def basis(self) -> Basis:
        """What the cost goes by."""
        bills = {frame.bill.reported is not None for frame in self.calls}
        return "partly reported" if len(bills) > 1 else "reported" if True in bills else "simulated"

    @cached_property
    def cost_uncached(self) -> float:
        return sum(frame.cost_uncached for frame in self.frames)

    @property
    def hasty(self) -> int:
        """The compressions that took away what had been read only just before."""
        return sum(event.is_hasty for event in self.compactions)

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def own_problems(self) -> tuple[Problem, ...]:
        """What its policy is to blame for: what compressions have added, and windows that are larger than the model's.

        Of what was recorded nothing is one: it was sent.
        """
        return (*self.new_problems, *self.size_problems)

    @property
    def recorded_so(self) -> bool:
        """Whether there are problems, and none that its policy is to blame for."""
        return bool(self.problems) and not self.own_problems
