"""Outputs of the commands that try presets and strategies on a whole session, and of those that list them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from inspector.cli.schema.presets_schema import PolicyRecord
from inspector.cli.schema.values import CostRecord, Dollars, Fit, KeptRecord, Missed, Problems, Settings, Share, Tokens
from inspector.cli.schema.windows import SessionRecord
from inspector.core.conversation import Kind, Role
from inspector.engine.facts import FactClass, State
from inspector.engine.window import FateKind, Section
from inspector.llm.tokens import Certainty

_RecordedSo = Annotated[
    bool,
    "whether all that a provider would refuse was recorded so: no compression is to blame, a request puts it right",
]
ByClass = Annotated[Mapping[str, KeptRecord], "by class of facts"]
ByWeight = Annotated[Mapping[FactClass, float], "of `--weight`, by class of facts"]


class PriceRecord(TypedDict):
    """Whose prices are meant."""

    model: str
    source: Literal["user", "requirement", "genai-prices", "default"]
    note: str


BasisName = Annotated[
    Literal["reported", "partly reported", "simulated"],
    "what `cost` goes by: usage as the provider reported it, of all calls or of some, or windows and a cache",
]
Threshold = Annotated[Tokens, "above which it compressed: what the policy's comes to here; 0 where it never would"]
Simulated = Annotated[Dollars, "`cost` where nothing is billed as reported: to be compared with other presets"]


class CacheRecord(TypedDict):
    """How long a simulated prompt cache keeps what a call sent."""

    seconds: Annotated[int, "300 or 3600, after the call before"]
    always_warm: Annotated[bool, "whether it is taken to forget nothing, because no times are recorded"]
    reason: str


class ReportedRecord(TypedDict):
    """What the provider reported of the recorded calls, at the price of the rows beside it."""

    calls: int
    unreported: Annotated[int, "calls without reported usage, which are in no other number here"]
    sent: Tokens
    answered: Tokens
    cache_read: Tokens
    cache_write: Tokens
    cache_write_1h: Annotated[Tokens, "the part of `cache_write` that is kept for an hour"]
    peak: Tokens
    cost: Dollars
    parts: CostRecord


class CompactionRecord(TypedDict):
    """A compression of a replay, or one that the recording holds."""

    turn: int
    before: Annotated[Tokens, "of the recording's own as it was reported, where it was"]
    after: Tokens
    before_how: Annotated[Certainty, "how the number is known"]
    after_how: Annotated[Certainty, "the same"]
    strategy: str
    covered: Annotated[int, "messages that left the window or say less in it"]
    reversible: Annotated[bool, "whether all that left can be found again"]


_OfClass = TypedDict("_OfClass", {"class": Annotated[str, "of facts"]})
_OfPass = TypedDict("_OfPass", {"pass": Annotated[int, "the N-th compression, from 1"]})


class NeedRecord(_OfClass):
    """A fact that a reply needed."""

    fact: str
    lost_at: Annotated[int, "the first turn without it; 0 of what could have been brought back"]
    source: Annotated[str, "id of the message that told the fact first"]


class LaneRegretRecord(_OfClass):
    """A reply of the recorded session that needed what was lost; told by the weightiest fact that it needed."""

    turn: Annotated[int, "of the reply"]
    fact: str
    lost_at: Annotated[int, "the first turn without it"]


class RegretRecord(LaneRegretRecord):
    """A regret or a recall, with the messages that it stands in, and what else the reply needed."""

    message: Annotated[str, "id of the reply"]
    source: Annotated[str, "id of the message that told the fact first"]
    more: Annotated[Sequence[NeedRecord], "the other facts that it needed, the weightiest first"]


class RateRecord(TypedDict):
    """How many of some readings were repeated."""

    repeated: int
    count: int
    share: Annotated[Share | None, "null where nothing was counted"]


class RereadsRecord(TypedDict):
    """What was read again after the recording's own compactions, beside what its agent reads again anyway."""

    compactions: Annotated[int, "with 20 turns behind them"]
    gone: Annotated[RateRecord, "read in the 20 turns before, and gone with a compaction"]
    kept: Annotated[RateRecord, "the control: still in the window, at turns without a compaction"]
    excess: Annotated[float | None, "how much larger the first share is; null where one side has nothing"]
    interval: Annotated[Sequence[float] | None, "of 95 %, of the excess"]
    telling: Annotated[bool, "whether there are 20 on both sides: else they say nothing"]


NeededAgain = Annotated[RereadsRecord | None, "of the recording's own compactions; null for others"]


class FrameRecord(TypedDict):
    """The window at one turn; the last is the context as it now stands. `sent` is false of it and of further replies of
    a call.
    """

    turn: int
    sent: bool
    total: Tokens
    sections: Mapping[Section, Tokens]
    full: Annotated[Tokens, "if nothing had ever been compressed"]
    messages: int
    compression: Annotated[int | None, "which of `compressions` was made before this call, from 0"]
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    back: Annotated[Tokens, "of `total`, what came back of what was archived"]
    fetched: Annotated[Tokens, "that a further call would have sent, to fetch what the reply needed and had not got"]


class AbsentFactRecord(_OfClass):
    """A fact that is not in the window as the session ends."""

    fact: str
    state: State
    message: Annotated[str, "id of the message that told it first"]


class ReplayOutput(TypedDict):
    """A session under a preset, from its first turn to its last."""

    preset: str
    agent: str
    turns: Annotated[int, "model calls"]
    compressions: Sequence[CompactionRecord]
    peak: Annotated[Tokens, "of the largest window that was sent"]
    tokens_sent: Annotated[Tokens, "of all windows that were sent, and of calls that fetch from the archive"]
    tokens_back: Annotated[Tokens, "of these, what came back of what was archived"]
    certainty: Annotated[Certainty, "how these sizes are known: they are counted, also those that were reported once"]
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    basis: BasisName
    simulated: Simulated
    parts: CostRecord
    cache: CacheRecord
    retained: Annotated[Share, "of the facts, by weight, in the window as the session ends"]
    reach: Annotated[Share, "the same, with those that the policy can bring back"]
    retention: ByClass
    regrets: Annotated[Sequence[RegretRecord], "replies that needed something that was lost"]
    recalls: Annotated[Sequence[RegretRecord], "other replies that needed something that could be brought back"]
    needed_again: NeededAgain
    valid: Annotated[bool, "whether a provider would take every window"]
    recorded_so: _RecordedSo
    fits: Annotated[bool, "whether every window fits into the model's"]
    weights: ByWeight
    problems: Problems
    gave_up: Annotated[str, "why it stopped compressing; empty where it did not"]
    policy: PolicyRecord
    threshold: Threshold
    fit: Fit
    price: PriceRecord
    reported: Annotated[ReportedRecord | None, "null where nothing was"]
    frames: NotRequired[Annotated[Sequence[FrameRecord], "with `--frames`"]]
    facts: NotRequired[Annotated[Sequence[AbsentFactRecord], "with `--facts`"]]


class ReplaysOutput(TypedDict):
    """Replays under several presets."""

    rows: Sequence[ReplayOutput]


class RowRecord(TypedDict):
    """What came of one preset."""

    preset: str
    turns: Annotated[int, "model calls"]
    compressions: int
    peak: Annotated[Tokens, "of the largest window that was sent"]
    tokens_sent: Annotated[Tokens, "of all windows that were sent"]
    peak_how: Annotated[Certainty, "how `peak` is known: that of the recording is the reported one, where it was"]
    certainty: Annotated[Certainty, "how `tokens_sent` is known"]
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    basis: BasisName
    simulated: Simulated
    parts: CostRecord
    cache: CacheRecord
    retained: Annotated[Share, "of the facts, by weight, in the window as the session ends"]
    reach: Annotated[Share, "the same, with those that the policy can bring back"]
    regrets: Annotated[int, "replies that needed something that was lost"]
    recalls: Annotated[int, "other replies that needed something that could be brought back"]
    hasty: Annotated[int, "compressions that took away what was only just read: no choice where half of them did"]
    choice: Annotated[bool, "whether the verdict may choose it: it could be sent, is not hasty, and was not recorded"]
    needed_again: NeededAgain
    retention: ByClass
    classes: Annotated[Mapping[str, Share | None], "share of each class that is retained; null where there are none"]
    valid: Annotated[bool, "whether a provider would take every window"]
    recorded_so: _RecordedSo
    fits: Annotated[bool, "whether every window fits into the model's"]
    pareto: Annotated[bool, "whether no other row sends fewer tokens or keeps more, and neither worse"]
    gave_up: Annotated[str, "why it stopped compressing; empty where it did not"]
    policy: PolicyRecord
    threshold: Threshold


class VerdictRecord(TypedDict):
    """Which row is the best, by one rule."""

    best: Annotated[str | None, "the row's preset"]
    rule: str
    why: str
    but: Annotated[str, "what another row does better; empty where none does"]
    close: Annotated[Sequence[str], "other rows that differ from the best by less than such numbers can tell"]


class TuneOutput(TypedDict):
    """Presets compared on a session."""

    session: SessionRecord
    agent: str
    price: PriceRecord
    weights: ByWeight
    reported: Annotated[ReportedRecord | None, "null where nothing was"]
    rows: Sequence[RowRecord]
    verdict: VerdictRecord
    fit: Fit
    missed: Missed


class LaneRecord(TypedDict):
    """One side of a comparison."""

    session: Annotated[str, "the session's id"]
    title: str
    preset: str
    turns: Annotated[int, "model calls"]
    compressions: int
    peak: Tokens
    tokens_sent: Tokens
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    basis: BasisName
    simulated: Simulated
    retained: Share
    regrets: int
    recalls: int
    valid: bool
    recorded_so: _RecordedSo


class PairRecord(TypedDict):
    """Both windows at a turn."""

    turn: int
    left: Annotated[Tokens | None, "null where the side has no such turn"]
    right: Annotated[Tokens | None, "null where the side has no such turn"]
    same: Annotated[bool, "whether the windows hold the same messages"]


class MessageLineRecord(TypedDict):
    """A message, on one line."""

    id: str
    role: Role
    kind: Kind
    preview: str


class FirstDifferenceRecord(TypedDict):
    """Where the two sides first differ."""

    turn: int
    same_before: Annotated[int, "messages at the beginning of both windows that are the same"]
    left: Annotated[MessageLineRecord | None, "null where the window ends there"]
    right: Annotated[MessageLineRecord | None, "null where the window ends there"]


class FateDifferenceRecord(TypedDict):
    """A message of which one side has more than the other."""

    id: str
    other: Annotated[str, "its id on the right side"]
    role: Role
    tokens: Annotated[Tokens, "of the whole message"]
    left: FateKind
    right: FateKind
    preview: str


class FactDifferenceRecord(_OfClass):
    """A fact that is in the window of one side only."""

    fact: str
    message: Annotated[str, "id of the message that told it first"]
    left: State
    right: State


class BothKeptRecord(TypedDict):
    """The facts of a class on both sides."""

    left: KeptRecord
    right: KeptRecord


Side = Literal["left", "right"]


class CompareOutput(TypedDict):
    """Two replays side by side."""

    left: LaneRecord
    right: LaneRecord
    turns: Sequence[PairRecord]
    first: Annotated[FirstDifferenceRecord | None, "null where every window is the same"]
    at: Annotated[Sequence[int], "the turn of each side that what follows is told of"]
    fates: Annotated[Mapping[Side, Mapping[FateKind, int]], "messages of each fate"]
    kept: Annotated[Mapping[Side, Sequence[FateDifferenceRecord]], "what this side has more of"]
    alone: Annotated[Mapping[Side, Sequence[MessageLineRecord]], "messages that only this side was told"]
    facts: Annotated[Mapping[str, BothKeptRecord], "by class"]
    facts_kept: Annotated[Mapping[Side, Sequence[FactDifferenceRecord]], "facts that only this side still has"]
    regrets: Annotated[Mapping[Side, Sequence[LaneRegretRecord]], "of this side only"]


class NeedleRecord(_OfClass):
    """A fact that was planted."""

    value: Annotated[str, "what it is found by"]
    line: Annotated[str, "what was written into the message"]
    depth: Annotated[Share, "where it was wanted: 0 is the oldest end"]
    at: Annotated[Share, "where it is"]
    message: Annotated[str, "id of the message that tells it"]


class RecallRecord(KeptRecord):
    """How many needles are left."""

    recall: Annotated[Share | None, "null where there were none"]


class DepthRecord(RecallRecord):
    """How many of the needles at one depth one compression leaves."""

    depth: Share


class PassRecord(RecallRecord, _OfPass):
    """How many needles are left after the N-th compression in a row."""

    before: Tokens
    after: Tokens
    note: Annotated[str, "what the strategy had to say"]


class ProbedRecord(TypedDict):
    """What a strategy or a preset has left of the needles."""

    name: str
    strategy: str | None
    settings: Settings
    valid: bool
    problems: Problems
    grid: Annotated[Sequence[DepthRecord], "after one compression, by depth"]
    classes: Annotated[Mapping[str, RecallRecord], "after one compression, by class"]
    curve: Annotated[Sequence[PassRecord], "after each of the compressions"]
    states: Annotated[Sequence[State], "of each needle after one compression"]


class ProbeOutput(TypedDict):
    """Planted facts, and which strategies keep them."""

    session: Annotated[str | None, "the session's id; null where the conversation was made up"]
    turn: int
    tokens: Annotated[Tokens, "of the window with the needles in it"]
    seed: int
    depths: Sequence[Share]
    needles: Sequence[NeedleRecord]
    strategies: Sequence[ProbedRecord]
