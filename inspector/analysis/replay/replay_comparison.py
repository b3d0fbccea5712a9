"""Two replays side by side: where they first differ, what each call took, and what one kept that the other lost.

They may be of one session under two presets, or of two sessions. Turns are matched by number. Messages are matched by
who they are within one session, and by what they say between two: the ids of two recordings mean nothing to each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple

from inspector.analysis.replay.context_growth import repeating_summaries
from inspector.analysis.replay.frames import ReplayCancelled
from inspector.analysis.replay.paired_walk import Difference, Key, Lane, Pair, PairedWalk, message_key
from inspector.analysis.replay.replay_archive import Archive
from inspector.core.conversation import Message
from inspector.core.json_objects import OPEN, Tokens, json_object
from inspector.engine.facts import CLASSES, STATES, FactClass, FactTracker, Regret, RetainedFact, State, Weights
from inspector.engine.window import LEAVE_KINDS, REWRITE_KINDS, FateKind, Plan, at_turn

__all__ = [
    "Comparison",
    "Difference",
    "FactDifference",
    "FateDifference",
    "Lane",
    "Pair",
    "Side",
    "compare_replays",
    "comparison_at",
]

Side = Literal["left", "right"]
Stop = Callable[[], bool]
WORTH: Mapping[FateKind, int] = {"kept": 2, "pinned": 2, "trimmed": 1, "masked": 1, "retrieved": 1}
"""How much of a message is left with a fate: 2 is all, 1 is a part; fates that are not named here leave nothing."""


@json_object(keys="id=left.id other role=left.role tokens left=left_fate right=right_fate preview=left.preview")
@dataclass(frozen=True, slots=True)
class FateDifference:
    """A message of which one side has more than the other."""

    left: Message
    right: Message
    fates: tuple[FateKind, FateKind]
    tokens: Annotated[Tokens, "of the whole message"]

    @property
    def other(self) -> Annotated[str, "its id on the right side"]:
        return self.right.id

    @property
    def left_fate(self) -> FateKind:
        return self.fates[0]

    @property
    def right_fate(self) -> FateKind:
        return self.fates[1]

    @property
    def fuller_side(self) -> Side:
        return "left" if retained_weight(self.fates[0]) > retained_weight(self.fates[1]) else "right"


@json_object(keys="class=cls fact=text message left=left_state right=right_state")
@dataclass(frozen=True, slots=True)
class FactDifference:
    """A fact that is in the window of one side only."""

    cls: Annotated[FactClass, OPEN, "of facts"]
    text: str
    message: Annotated[str, "id of the message that told it first"]
    """On the side that holds it."""
    states: tuple[State, State]

    @property
    def left_state(self) -> State:
        return self.states[0]

    @property
    def right_state(self) -> State:
        return self.states[1]

    @property
    def holder(self) -> Side:
        return "left" if self.states[0] == "retained" else "right"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two replays side by side."""

    left: Lane
    right: Lane
    turns: tuple[Pair, ...]
    first: Difference | None
    """None where every window is the same on both sides."""
    at: tuple[int, int]
    """The turn of each side that fates are told of."""
    fates: tuple[Mapping[FateKind, int], Mapping[FateKind, int]]
    """The number of messages of each fate, on each side."""
    fate_differences: tuple[FateDifference, ...]
    """Oldest first."""
    alone: tuple[tuple[Message, ...], tuple[Message, ...]]
    """Messages of one log only; none where both sides are of one session."""
    facts: tuple[FactDifference, ...] = ()
    """The weightiest class first; of one class, the fact first that was told first."""
    retention: tuple[Mapping[str, RetainedFact], Mapping[str, RetainedFact]] = ({}, {})
    """The retention of each class, on each side; empty where facts were not looked at."""

    def fuller_messages(self, side: Side) -> tuple[FateDifference, ...]:
        """The messages of which this side holds more than the other."""
        return tuple([difference for difference in self.fate_differences if difference.fuller_side == side])

    def facts_of(self, side: Side) -> tuple[FactDifference, ...]:
        """The facts that only the window of this side holds."""
        return tuple([fact for fact in self.facts if fact.holder == side])

    def by_class(self) -> Iterator[tuple[FactClass, RetainedFact, RetainedFact]]:
        """The classes of facts of either log, with the retention of each side."""
        left, right = self.retention
        for cls in CLASSES:
            if cls in left or cls in right:
                yield cls, left.get(cls, RetainedFact()), right.get(cls, RetainedFact())

    def regrets(self, side: Side) -> tuple[Regret, ...]:
        """The regrets of this side that the other does not have: by the reply in one session, else by the fact."""
        replays = {"left": self.left.replay, "right": self.right.replay}
        here = replays.pop(side)
        (other,) = replays.values()
        is_one_session = self.left.session is self.right.session
        key: Callable[[Regret], Hashable] = attrgetter("message") if is_one_session else attrgetter("cls", "fact")
        others, own = Counter(map(key, other.regrets)), list[Regret]()
        for regret in here.regrets:
            if others[key(regret)]:
                others[key(regret)] -= 1
            else:
                own.append(regret)
        return tuple(own)


def compare_replays(left: Lane, right: Lane, turn: int | None = None, stop: Stop = lambda: False) -> Comparison:
    """Compare two replays. Fates are told of `turn`, or of each side's context as it now stands.

    Raises ValueError for a turn that one of them does not have, OSError where a source can no longer be read, and
    ReplayCancelled soon after `stop` says so.
    """
    ends_at = _last_turns(left, right)
    if turn is not None and not 1 <= turn <= min(ends_at):
        raise ValueError(f"there is no turn {turn} on both sides: {min(ends_at)} is the last")
    at = ends_at if turn is None else (turn, turn)
    walk = PairedWalk(left, right, key := message_key(left, right), at)
    turns = tuple(_stop_on_request(walk.turns(), stop))
    return _with_outcomes(Comparison(left, right, turns, walk.first, at, ({}, {}), (), ((), ())), walk, key)


def comparison_at(comparison: Comparison, turn: int, stop: Stop = lambda: False) -> Comparison:
    """The same comparison, with what is kept and lost told of another turn; of a side that ends before, its last.

    Raises ValueError for a turn before the first, and OSError and ReplayCancelled as `compare_replays` does.
    """
    ends_at = _last_turns(comparison.left, comparison.right)
    if turn < 1:
        raise ValueError(f"there is no turn {turn}: 1 is the first")
    at = (min(turn, ends_at[0]), min(turn, ends_at[1]))
    if at == comparison.at:
        return comparison
    walk = PairedWalk(comparison.left, comparison.right, key := message_key(comparison.left, comparison.right), at)
    for pair in _stop_on_request(walk.turns(), stop):
        if pair.turn == max(at):
            break
    return _with_outcomes(replace(comparison, at=at), walk, key)


def _last_turns(left: Lane, right: Lane) -> tuple[int, int]:
    return len(left.replay.frames), len(right.replay.frames)


def _stop_on_request(pairs: Iterator[Pair], stop: Stop) -> Iterator[Pair]:
    for pair in pairs:
        if stop():
            raise ReplayCancelled
        yield pair


def _with_outcomes(comparison: Comparison, walk: PairedWalk, key: Key) -> Comparison:
    """The comparison with the fates of messages and facts at its turns, which the walk has passed."""
    left, right, at = comparison.left, comparison.right, comparison.at
    ours, theirs = message_outcomes(left, at[0], walk.there[0]), message_outcomes(right, at[1], walk.there[1])
    pairs, alone = _match_messages(list(ours), list(theirs), key)
    differences = [
        FateDifference(mine, other, (ours[mine].fate, theirs[other].fate), max(ours[mine].tokens, theirs[other].tokens))
        for mine, other in pairs
        if retained_weight(ours[mine].fate) != retained_weight(theirs[other].fate)
    ]
    counts = (Counter(end.fate for end in ours.values()), Counter(end.fate for end in theirs.values()))
    facts, retention = _compare_facts((left, right), (list(ours), list(theirs)), walk.there, at)
    return replace(
        comparison, fates=counts, fate_differences=tuple(differences), alone=alone, facts=facts, retention=retention
    )


def retained_weight(fate: FateKind) -> int:
    return WORTH.get(fate, 0)


class _Outcome(NamedTuple):
    """The fate of a message, and its size."""

    fate: FateKind
    tokens: int
    """Of the whole message, as it was told."""


def message_outcomes(lane: Lane, turn: int, there: Sequence[Message]) -> dict[Message, _Outcome]:
    """The fate of every message that was told until a turn, oldest first; `there` is what its window holds.

    Raises ValueError for a turn that the replay does not have.
    """
    now = {message.id: message for message in there}
    back = lane.replay.frames[turn - 1].back if turn <= len(lane.replay.frames) else None
    last = _last_fates(lane.replay.plans, turn)
    last |= {name: fate.kind for name, fate in back.fates.items()} if back else {}
    whole = at_turn(lane.whole_log, lane.sizes, turn, lane.replay.agent)
    unsaid: FateKind = "summarised" if lane.is_recording else "dropped"
    return {
        entry: _Outcome(_fate_of(entry, now.get(entry.id), last.get(entry.id, unsaid)), tokens)
        for entry, tokens in zip(whole.messages, whole.tokens, strict=True)
    }


def _compare_facts(
    lanes: tuple[Lane, Lane],
    logs: tuple[Sequence[Message], ...],
    windows: Sequence[Sequence[Message]],
    at: Sequence[int],
) -> tuple[tuple[FactDifference, ...], tuple[Mapping[str, RetainedFact], Mapping[str, RetainedFact]]]:
    """The facts that only one side's window still tells, and where those of each class are."""
    trackers = [_track_facts(*side) for side in zip(lanes, logs, windows, at, strict=True)]
    ours, theirs = (_fact_places(tracker, log) if tracker else {} for tracker, log in zip(trackers, logs, strict=True))
    differences: list[FactDifference] = []
    for (cls, text), mine in ours.items():
        other = theirs.get((cls, text))
        if other and (mine.state == "retained") != (other.state == "retained"):
            holder = mine if mine.state == "retained" else other
            differences.append(FactDifference(cls, text, holder.message, (mine.state, other.state)))
    weights = next((lane.replay.facts.weights for lane in lanes if lane.replay.facts), Weights())
    differences.sort(key=lambda fact: -weights[fact.cls])
    left, right = (dict[str, RetainedFact](one.retention().classes.items()) if one else {} for one in trackers)
    return tuple(differences), (left, right)


class _FactPlace(NamedTuple):
    """The state of a fact, and its first message."""

    state: State
    message: str
    """The id of the message that told it first."""


def _track_facts(lane: Lane, log: Sequence[Message], window: Sequence[Message], turn: int) -> FactTracker | None:
    """Where the facts of a `log` are when the `window` of a turn is sent; None where facts are not looked at."""
    if lane.facts is None:
        return None
    archive = Archive()
    archive.follow(plan for plan in lane.replay.plans if plan.turn <= turn)
    tracker = FactTracker(lane.facts, retelling=repeating_summaries(lane.session))
    tracker.add(log)
    tracker.show(turn, window, archive.within_reach)
    return tracker


def _fact_places(tracker: FactTracker, log: Sequence[Message]) -> dict[tuple[FactClass, str], _FactPlace]:
    """Every fact by its class and its text, in the order of telling."""
    order = {message.id: place for place, message in enumerate(log)}
    places = [(fact, _FactPlace(state, message)) for state in STATES for fact, message in tracker.facts(state)]
    places.sort(key=lambda pair: order.get(pair[1].message, len(order)))  # the recording's summaries tell things too
    return {(fact.cls, fact.text): place for fact, place in places}


def _last_fates(plans: Sequence[Plan], turn: int) -> dict[str, FateKind]:
    """The last fate that changed anything, by id, for each message that ever had one."""
    fates: dict[str, FateKind] = {}
    for plan in plans:
        if plan.turn <= turn:
            fates |= {name: fate.kind for name, fate in plan.by_id.items() if fate.leaves or name in plan.rewrites}
    return fates


def _fate_of(message: Message, there: Message | None, last: FateKind) -> FateKind:
    """The fate of a message in a window, by its plans where they fit."""
    if there is message:
        return "kept"
    if there is None:
        return last if last in LEAVE_KINDS or last == "retrieved" else "dropped"
    return last if last in REWRITE_KINDS else "trimmed"


def _match_messages(
    ours: Sequence[Message], theirs: Sequence[Message], key: Key
) -> tuple[list[tuple[Message, Message]], tuple[tuple[Message, ...], tuple[Message, ...]]]:
    """The messages that two logs share, in pairs, and those that only one of them has. Equals are matched in order."""
    candidates: defaultdict[Hashable, deque[Message]] = defaultdict(deque)
    for message in theirs:
        candidates[key(message)].append(message)
    pairs: list[tuple[Message, Message]] = []
    alone: list[Message] = []
    for message in ours:
        if same := candidates.get(key(message)):
            pairs.append((message, same.popleft()))
        else:
            alone.append(message)
    remainder = {message for rest in candidates.values() for message in rest}
    return pairs, (tuple(alone), tuple([message for message in theirs if message in remainder]))
