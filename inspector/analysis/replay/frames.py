"""The result of a replay: one frame per turn, with its compressions and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

from inspector.analysis.replay.billing import NO_BILL, UNKNOWN_LIFETIME, Basis, CacheLifetime, CallBill
from inspector.analysis.replay.repeated_reads import RepeatedReadRates
from inspector.analysis.replay.state_counts import StateKept, SummaryStatement, WorkQuestions
from inspector.core.conversation import Problem, Session
from inspector.core.json_objects import Dollars, Fraction, Tokens, json_object
from inspector.core.work_pool import WorkCancelled
from inspector.engine.compression import Recall
from inspector.engine.facts import Regret, RetainedFact, Retention
from inspector.engine.window import SECTIONS, Plan, Section, SizeChange
from inspector.llm.models import Cost
from inspector.llm.tokens import Certainty, Sizes, TokenCount

__all__ = ["CompactionEvent", "Frame", "Regret", "Replay", "RetainedFact"]


class ReplayCancelled(WorkCancelled):
    """Raised when a replay is cancelled."""


ByClass = Annotated[Mapping[str, RetainedFact], "by class of facts"]
Retained = Annotated[Fraction, "weighted share of the facts in the window at the end"]
InReach = Annotated[Fraction, "same, including recoverable facts"]
CompressedAbove = Annotated[Tokens, "in tokens of this session, above which it compresses; 0 if it never does"]
NeededAgain = Annotated[RepeatedReadRates | None, "of the recording's compactions; null for other presets"]
RecordedSo = Annotated[
    bool,
    (
        "true if all problems that the provider would reject are part of the recording: no compression "
        "caused them, and a request repairs them"
    ),
]


@json_object(
    keys="turn sent=is_sent total sections=by_section full messages compression=made_compression cost cost_uncached"
    " back=tokens_back fetched"
)
@dataclass(frozen=True, slots=True)
class Frame:
    """One reply of a session under a policy. The last frame is the current context, which was not sent."""

    turn: int
    reply: int
    """Position in the log of the reply that the call returned; -1 if there was none."""
    sections: tuple[int, ...]
    """Tokens of the six sections, in order."""
    full: Annotated[Tokens, "without any compression"]
    messages: int
    compression: int = -1
    """Index of the compression made before this call; -1 for none."""
    bill: CallBill = NO_BILL
    """Bill for the call, its reply and a summary made before it, as if the called model had written the summary.

    The recording's own calls are billed as reported.
    """

    back: Recall | None = None
    """Archived content retrieved into the window."""
    fetched: Annotated[Tokens, "of an extra call to re-fetch the facts that the reply needed"] = 0
    waits: int = 0
    """For a window above the threshold that was not compressed: tokens above which the next attempt is made."""

    @property
    def cost(self) -> Annotated[Dollars, "with the prompt cache"]:
        return self.bill.paid.total

    @property
    def cost_uncached(self) -> Dollars:
        return self.bill.uncached

    @property
    def total(self) -> Tokens:
        return sum(self.sections)

    @property
    def by_section(self) -> Mapping[Section, int]:
        return dict(zip(SECTIONS, self.sections, strict=True))

    @property
    def made_compression(
        self,
    ) -> Annotated[int | None, "index of the compression in `compressions` before this call, from 0"]:
        return self.compression if self.compression >= 0 else None

    @property
    def tokens_back(self) -> Annotated[Tokens, "of `total`, retrieved from the archive"]:
        return self.back.tokens if self.back else 0

    @property
    def is_sent(self) -> bool:
        """True if a call sent this window. Only the first of several replies to one call counts."""
        return self.bill.is_call


@json_object("Compaction", "turn before after before_how after_how strategy covered reversible")
@dataclass(frozen=True, slots=True)
class CompactionEvent:
    """One compression in a replay, or one of the recording's own compactions."""

    turn: int
    before: Annotated[Tokens, "for the recording, as reported if it was"]
    after: Tokens
    strategy: str
    covered: Annotated[int, "messages that were removed or shortened"]
    reversible: Annotated[bool, "true if everything removed is recoverable"]
    plan: Plan | None = None
    """Plan of the compression; None for a recorded compaction."""
    is_hasty: bool = False
    """True if it removed content that had just been read, or had not been read at all."""
    before_how: Annotated[Certainty, "how the number is known"] = "estimated"
    after_how: Annotated[Certainty, "the same"] = "estimated"

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
    gave_up: Annotated[str, "why it stopped compressing; empty if it did not"] = ""
    plans: tuple[Plan, ...] = field(default=(), repr=False)
    facts: Retention | None = None
    """State of the facts at the end of the session; None if facts were not tracked."""
    regrets: Annotated[tuple[Regret, ...], "replies that needed a lost fact"] = ()
    recalls: Annotated[tuple[Regret, ...], "other replies that needed a recoverable fact"] = ()
    lifetime: CacheLifetime = UNKNOWN_LIFETIME
    new_problems: tuple[Problem, ...] = ()
    """The part of `problems` that compressions introduced. The others are in the recording, whatever the preset."""
    size_problems: tuple[Problem, ...] = ()
    """The part of `problems` caused by windows over the model's limit."""
    threshold: CompressedAbove = 0
    rereads: NeededAgain = None
    """Repeated reads after the recording's own compactions; None for a policy, or without facts."""
    certainty: Annotated[Certainty, "certainty of these sizes: counted, even if they were reported"] = "estimated"
    state: Annotated[StateKept, "the state of the work at its compressions; zero without facts"] = StateKept()  # noqa: RUF009
    sealed: Annotated[
        tuple[int, ...], "turns after recorded compactions with an encrypted summary, whose regrets are unknown"
    ] = ()
    reused: Annotated[
        tuple[Regret, ...],
        "replies of the recording that used a fact which its context does not contain, from an unknown source;"
        " no regrets",
    ] = ()
    questions: Annotated[tuple[WorkQuestions, ...], "the questions for going on at each compression"] = ()
    unwritten: int = 0
    """Attempts to compress for which the summariser wrote no summary that could be used."""

    @property
    def statements(self) -> tuple[SummaryStatement, ...]:
        """Invented and revived statements of its summaries."""
        return tuple(one for questions in self.questions for one in questions.statements)

    @property
    def retention(self) -> ByClass:
        """Facts of each class by state; empty if facts were not tracked."""
        return dict[str, RetainedFact](self.facts.classes.items()) if self.facts else {}

    @property
    def retained(self) -> Retained:
        return self.facts.share if self.facts else 1.0

    @property
    def reach(self) -> InReach:
        return self.facts.reach if self.facts else 1.0

    @cached_property
    def calls(self) -> tuple[Frame, ...]:
        return tuple(frame for frame in self.frames if frame.is_sent)

    def count(self, tokens: int) -> TokenCount:
        """Return a number of tokens with the certainty of this replay's sizes."""
        return TokenCount(tokens, self.certainty)

    @property
    def turns(self) -> Annotated[int, "model calls"]:
        return len(self.calls)

    @cached_property
    def peak(self) -> Annotated[Tokens, "of the largest window, including the one that would be sent next"]:
        return max((frame.total for frame in self.frames), default=0)

    @cached_property
    def tokens_sent(
        self,
    ) -> Annotated[Tokens, "of all sent windows, and of calls that re-fetch from the archive"]:
        return sum(frame.total + frame.fetched for frame in self.calls)

    @cached_property
    def tokens_back(self) -> Annotated[Tokens, "of these, retrieved from the archive"]:
        return sum(frame.tokens_back for frame in self.calls)

    @cached_property
    def parts(self) -> Cost:
        """Dollars with the prompt cache, by category."""
        return sum((frame.bill.paid for frame in self.frames), Cost())

    @property
    def cost(self) -> Annotated[Dollars, "with the prompt cache"]:
        return self.parts.total

    @cached_property
    def simulated(self) -> Cost:
        """Dollars by category with nothing billed as reported, comparable with replays of other policies."""
        return sum((frame.bill.simulated for frame in self.frames), Cost())

    @cached_property
    def basis(self) -> Basis:
        bills = {frame.bill.reported is not None for frame in self.calls}
        return "partly reported" if len(bills) > 1 else "reported" if True in bills else "simulated"

    @cached_property
    def cost_uncached(self) -> Dollars:
        return sum(frame.cost_uncached for frame in self.frames)

    @property
    def hasty(self) -> int:
        """Number of compressions that removed content which had just been read."""
        return sum(event.is_hasty for event in self.compactions)

    @property
    def valid(self) -> Annotated[bool, "true if the provider would accept every window"]:
        return not self.problems

    @property
    def own_problems(self) -> tuple[Problem, ...]:
        """Problems that the policy caused: those that compressions introduced, and windows over the model's limit.

        Problems of the recording itself are excluded, because the provider accepted those requests.
        """
        return (*self.new_problems, *self.size_problems)

    @property
    def recorded_so(self) -> RecordedSo:
        return bool(self.problems) and not self.own_problems


def only_limit(session: Session, sizes: Sizes) -> int:
    """Return the size of the model's window, or 0 if it changes in the session."""
    return 0 if session.sizes and session.sizes.limits else sizes.limit
