"""Compare two replays: the first difference, the cost of each call, and facts that only one side kept.

The replays can belong to one session under two presets, or to two sessions. Turns are matched by number within one
session and by their actions between two. Messages are matched by identity within one session and by content between
two, because ids are not shared between recordings.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple

from inspector.analysis.replay.context_growth import repeating_summaries
from inspector.analysis.replay.frames import ReplayCancelled
from inspector.analysis.replay.paired_walk import Difference, Key, Lane, Pair, PairedWalk, message_key
from inspector.analysis.replay.replay_archive import Archive
from inspector.analysis.replay.turn_alignment import AlignedTurns, align_turns, turn_actions
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
"""Weight of the part of a message that each fate keeps: 2 for all, 1 for a part, 0 for fates not listed."""


@json_object(keys="id=left.id other role=left.role tokens left=left_fate right=right_fate preview=left.preview")
@dataclass(frozen=True, slots=True)
class FateDifference:
    """A message of both logs that one window retains more of than the other."""

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
    """A fact of both logs that only one of the windows contains."""

    cls: Annotated[FactClass, OPEN, "of facts"]
    text: str
    message: Annotated[str, "id of the first message that contains it"]
    """Id of its first source on the side that contains it."""
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
class LaneAlignment:
    """The turns of two lanes side by side. Computed once, when it is first read, for all turns that are compared."""

    left: Lane
    right: Lane

    @cached_property
    def rows(self) -> tuple[AlignedTurns, ...]:
        """Turns of two sessions side by side by their actions; empty for one session.

        Raises:
            OSError: If a recording can no longer be read.
        """
        if self.left.session is self.right.session:
            return ()
        return align_turns(turn_actions(self.left), turn_actions(self.right))

    def counterpart(self, turn: int) -> int:
        """Return the turn of the right side aligned with a turn of the left side, or the last one before it."""
        if self.left.session is self.right.session:
            return turn
        reached = zip(self.rows, turns_reached(self.rows), strict=True)
        return next(other for row, (_, other) in reached if row.left_turn == turn)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two replays side by side."""

    left: Lane
    right: Lane
    alignment: LaneAlignment
    turns: tuple[Pair, ...]
    first: Difference | None
    """None if all windows are equal on both sides."""
    at: tuple[int, int]
    """Turn of each side for which fates and facts are compared."""
    fates: tuple[Mapping[FateKind, int], Mapping[FateKind, int]]
    """Number of messages by fate, for each side."""
    fate_differences: tuple[FateDifference, ...]
    """Messages that the two sides treat differently, oldest first."""
    alone: tuple[tuple[Message, ...], tuple[Message, ...]]
    """Messages that exist in one log only; empty if both sides replay the same session."""
    facts: tuple[FactDifference, ...] = ()
    """Facts that only one side contains, in descending order of class weight, then in order of first statement."""
    retention: tuple[Mapping[str, RetainedFact], Mapping[str, RetainedFact]] = ({}, {})
    """Facts of each class by state, for each side; empty if facts were not tracked."""

    @property
    def aligned(self) -> tuple[AlignedTurns, ...]:
        """Turns of two sessions side by side by their actions; empty for one session.

        Raises:
            OSError: If a recording can no longer be read.
        """
        return self.alignment.rows

    def fuller_messages(self, side: Side) -> tuple[FateDifference, ...]:
        """Return the messages that this side retains more of than the other."""
        return tuple([difference for difference in self.fate_differences if difference.fuller_side == side])

    def facts_of(self, side: Side) -> tuple[FactDifference, ...]:
        """Return the facts that only the window of this side contains."""
        return tuple([fact for fact in self.facts if fact.holder == side])

    def by_class(self) -> Iterator[tuple[FactClass, RetainedFact, RetainedFact]]:
        """Yield each class of facts in either log, with its counts on both sides."""
        left, right = self.retention
        for cls in CLASSES:
            if cls in left or cls in right:
                yield cls, left.get(cls, RetainedFact()), right.get(cls, RetainedFact())

    def regrets(self, side: Side) -> tuple[Regret, ...]:
        """Return the regrets that only this side has, matched by reply within one session and by fact between two."""
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
    """Compare two replays.

    Args:
        left: First replay.
        right: Second replay.
        turn: Turn of the left side for which fates and facts are compared, with its counterpart on the right side;
            None for the current context of each side.
        stop: Called once per turn; cancels the comparison when it returns True.

    Raises:
        ValueError: If the left side does not have that turn.
        OSError: If a source can no longer be read.
        ReplayCancelled: If `stop` returned True.
    """
    ends_at = _last_turns(left, right)
    if turn is not None and not 1 <= turn <= ends_at[0]:
        raise ValueError(f"there is no turn {turn}: the last turn is {ends_at[0]}")
    alignment = LaneAlignment(left, right)
    at = ends_at if turn is None else (turn, alignment.counterpart(turn))
    walk = PairedWalk(left, right, key := message_key(left, right), at)
    turns = tuple(_stop_on_request(walk.turns(), stop))
    bare = Comparison(left, right, alignment, turns, walk.first, at, ({}, {}), (), ((), ()))
    return _with_outcomes(bare, walk, key)


def turns_reached(rows: Sequence[AlignedTurns]) -> Iterator[tuple[int, int]]:
    """Yield the turns that both sides have reached at each row, at least 1."""
    left = right = 1
    for row in rows:
        left, right = row.left_turn or left, row.right_turn or right
        yield left, right


def comparison_at(
    comparison: Comparison, turn: int, stop: Stop = lambda: False, other: int | None = None
) -> Comparison:
    """Return the comparison with the fates and facts of another turn.

    Args:
        comparison: Comparison of the same two replays.
        turn: Turn to compare; a shorter side is compared at its last turn.
        other: Turn of the right side; the same turn by default.
        stop: Called once per turn; cancels the comparison when it returns True.

    Raises:
        ValueError: If `turn` is less than 1.
        OSError: If a source can no longer be read.
        ReplayCancelled: If `stop` returned True.
    """
    ends_at = _last_turns(comparison.left, comparison.right)
    if turn < 1:
        raise ValueError(f"there is no turn {turn}: the first turn is 1")
    at = (min(turn, ends_at[0]), min(other or turn, ends_at[1]))
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
    """Return the comparison with the fates and facts at its turns, which the walk must have passed."""
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
    """Fate and size of a message."""

    fate: FateKind
    tokens: int
    """Size of the complete message, as originally sent."""


def message_outcomes(lane: Lane, turn: int, there: Sequence[Message]) -> dict[Message, _Outcome]:
    """Return the fate of every message up to a turn, oldest first.

    Args:
        lane: Replay to examine.
        turn: Turn of the window.
        there: Messages in the window of that turn.

    Raises:
        ValueError: If the replay does not have that turn.
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
    """Return the facts that only one side's window contains, and the facts of each side by class and state."""
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
    """State of a fact, and its first source."""

    state: State
    message: str
    """Id of the message that stated it first."""


def _track_facts(lane: Lane, log: Sequence[Message], window: Sequence[Message], turn: int) -> FactTracker | None:
    """Return the state of a log's facts when the window of a turn is sent; None if facts are not tracked."""
    if lane.facts is None:
        return None
    archive = Archive()
    archive.follow(plan for plan in lane.replay.plans if plan.turn <= turn)
    tracker = FactTracker(lane.facts, retelling=repeating_summaries(lane.session))
    tracker.add(log)
    tracker.show(turn, window, archive.within_reach)
    return tracker


def _fact_places(tracker: FactTracker, log: Sequence[Message]) -> dict[tuple[FactClass, str], _FactPlace]:
    """Return every fact by class and text, in the order in which they were first stated."""
    order = {message.id: place for place, message in enumerate(log)}
    places = [(fact, _FactPlace(state, message)) for state in STATES for fact, message in tracker.facts(state)]
    places.sort(key=lambda pair: order.get(pair[1].message, len(order)))  # the recording's summaries tell things too
    return {(fact.cls, fact.text): place for fact, place in places}


def _last_fates(plans: Sequence[Plan], turn: int) -> dict[str, FateKind]:
    """Return the last fate that changed each message, by id."""
    fates: dict[str, FateKind] = {}
    for plan in plans:
        if plan.turn <= turn:
            fates |= {name: fate.kind for name, fate in plan.by_id.items() if fate.leaves or name in plan.rewrites}
    return fates


def _fate_of(message: Message, there: Message | None, last: FateKind) -> FateKind:
    """Return the fate of a message in a window, using the last planned fate if it matches the window."""
    if there is message:
        return "kept"
    if there is None:
        return last if last in LEAVE_KINDS or last == "retrieved" else "dropped"
    return last if last in REWRITE_KINDS else "trimmed"


def _match_messages(
    ours: Sequence[Message], theirs: Sequence[Message], key: Key
) -> tuple[list[tuple[Message, Message]], tuple[tuple[Message, ...], tuple[Message, ...]]]:
    """Return the messages that two logs share, in pairs, and those in only one log. Duplicates are paired in order."""
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
