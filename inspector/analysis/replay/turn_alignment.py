"""Align the turns of two sessions by what happens in them: prompts, tool calls and their targets.

Each turn becomes a set of weighted features. Pairs of turns that share features are candidates, and the heaviest chain
of them that is in order on both sides is the alignment; all other turns are aligned with a gap. Rare features give
anchors first. Between two anchors, the n-th turn with a feature meets only those of about the same rank on the other
side, so that the cost stays nearly linear in the turns.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import splitext
from typing import Annotated

from inspector.analysis.replay.context_growth import ContextStep, context_steps
from inspector.analysis.replay.paired_walk import Lane
from inspector.analysis.tool_activity import Action, Actions, row_words
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import one_line

Feature = tuple[str, str]
Pairs = list[tuple[int, int]]
_WEIGHTS: Mapping[str, int] = {"prompt": 20, "call": 8, "target": 3, "program": 2, "asked": 1, "answer": 1}
"""Weight of a shared feature by its kind."""
_RARE = 3
"""Occurrences on each side up to which a feature can give an anchor."""
_RANKS = 2
"""Maximum difference in rank between two turns with the same feature, from the start or from the end."""
_MAX_CALLS = 8
"""Maximum number of calls of a turn that are compared."""
_SEPARATORS = re.compile(r"[/\\]")
_WORD = re.compile(r"[\w.~@%+/-]+")


@dataclass(frozen=True)
class TurnActions:
    """The new prompts of a turn and the reply to them."""

    turn: int
    prompts: tuple[str, ...]
    calls: tuple[Action, ...]
    reply: str
    """First words of the reply."""

    @cached_property
    def text(self) -> str:
        """One line without control characters: the prompts, then the calls of the reply or its first words."""
        calls = ", ".join([f"{call.tool} {call.subject}".strip() for call in self.calls])
        return " → ".join(filter(None, [*self.prompts, calls or self.reply]))

    @cached_property
    def features(self) -> frozenset[Feature]:
        features = [("prompt", prompt.casefold()) for prompt in self.prompts]
        if self.prompts:
            features.append(("asked", ""))
        for call in self.calls[:_MAX_CALLS]:
            features.extend(_call_features(call))
        if not self.calls and not self.prompts:
            features.append(("answer", ""))
        return frozenset(features)


def _call_features(call: Action) -> Iterator[Feature]:
    """Yield the features of a call. Paths are reduced to their last two names, so that the folder can differ."""
    subject = call.subject.casefold()
    target = "/".join(_SEPARATORS.split(call.resource)[-2:]) if call.resource else subject
    yield "call", f"{call.kind if call.kind != 'other' else call.tool} {target}"
    for name in {call.resource} if call.resource else _files_in(call.subject):
        yield "target", _SEPARATORS.split(name)[-1].casefold()
    if call.kind == "run" and subject:
        yield "program", subject.split()[0]


def _files_in(command: str) -> set[str]:
    """Return the words of a command that name a file, such as `tests/test_orders.py` or `report.csv`."""
    words = {word.rstrip("/.") for word in _WORD.findall(command)}
    return {word for word in words if "/" in word or splitext(word)[1][1:2].isalpha()}


@json_object("Aligned turns", "left=left_turn right=right_turn left_action right_action same")
@dataclass(frozen=True, slots=True)
class AlignedTurns:
    """A turn of each session that have actions in common, or a turn of one session next to a gap."""

    left: TurnActions | None
    right: TurnActions | None

    @property
    def left_turn(self) -> Annotated[int | None, "null for a gap"]:
        return self.left.turn if self.left else None

    @property
    def right_turn(self) -> Annotated[int | None, "null for a gap"]:
        return self.right.turn if self.right else None

    @property
    def left_action(self) -> Annotated[str, "prompts and actions of the turn, on one line; empty for a gap"]:
        return self.left.text if self.left else ""

    @property
    def right_action(self) -> Annotated[str, "the same of the right side"]:
        return self.right.text if self.right else ""

    @property
    def same(self) -> Annotated[bool, "true if both turns have the same prompts and calls, or the same text"]:
        if self.left is None or self.right is None or self.left.features != self.right.features:
            return False
        return bool(self.left.calls) or self.left.reply == self.right.reply


def turn_actions(lane: Lane) -> list[TurnActions]:
    """Return the prompts and actions of each turn of a lane, the current context included.

    Raises:
        OSError: If the recording can no longer be read.
    """
    actions = Actions(lane.log.messages)
    return [_actions_of(lane.log, step, actions) for step in context_steps(lane.log, lane.replay.agent)]


def _actions_of(log: Session, step: ContextStep, actions: Actions) -> TurnActions:
    new = [log.messages[position] for position in step.new]
    prompts = [message for message in new if message.role == "user" and message.kind == "chat"]
    asked = tuple([row_words(message, actions) for message in prompts if log.original_of(message) is message])
    if step.reply < 0:
        return TurnActions(step.turn, asked, (), "")
    reply = log.messages[step.reply]
    return TurnActions(step.turn, asked, tuple(actions.calls_of(reply)), one_line(reply.preview))


def align_turns(left: Sequence[TurnActions], right: Sequence[TurnActions]) -> tuple[AlignedTurns, ...]:
    """Align the turns of two sessions. Their last turns, the current contexts, always meet.

    Args:
        left: Turns of the first session, oldest first.
        right: Turns of the second session, oldest first.

    Returns:
        Every turn of both once, in order; those without a counterpart with a gap on the other side.
    """
    chain = align_features([turn.features for turn in left[:-1]], [turn.features for turn in right[:-1]])
    if left and right:
        chain.append((len(left) - 1, len(right) - 1))
    rows: list[AlignedTurns] = []
    start, other = 0, 0
    for mine, theirs in [*chain, (len(left), len(right))]:
        rows += [AlignedTurns(turn, None) for turn in left[start:mine]]
        rows += [AlignedTurns(None, turn) for turn in right[other:theirs]]
        if mine < len(left) and theirs < len(right):
            rows.append(AlignedTurns(left[mine], right[theirs]))
        start, other = mine + 1, theirs + 1
    return tuple(rows)


def align_features(left: Sequence[frozenset[Feature]], right: Sequence[frozenset[Feature]]) -> Pairs:
    """Return the positions that meet, in ascending order on both sides. Only positions with a common feature meet."""
    anchors = _heaviest_chain(_candidates(left, right, (0, 0), (len(left), len(right)), rare=True))
    chain: Pairs = []
    start = (0, 0)
    for end in [*anchors, (len(left), len(right))]:
        if start[0] < end[0] and start[1] < end[1]:
            chain += _heaviest_chain(_candidates(left, right, start, end, rare=False))
        chain.append(end)
        start = (end[0] + 1, end[1] + 1)
    return chain[:-1]


def _candidates(
    left: Sequence[frozenset[Feature]],
    right: Sequence[frozenset[Feature]],
    start: tuple[int, int],
    end: tuple[int, int],
    *,
    rare: bool,
) -> Mapping[tuple[int, int], int]:
    """Return the weights of the pairs to choose from.

    Args:
        left: Features of each turn of the first session.
        right: Features of each turn of the second session.
        start: First turn of each side to pair.
        end: Turn of each side after the last one to pair.
        rare: Only use features that few turns have.
    """
    ours, theirs = (_places(turns, first, last) for turns, first, last in zip((left, right), start, end, strict=True))
    weights: defaultdict[tuple[int, int], int] = defaultdict(int)
    for feature in ours.keys() & theirs.keys():
        mine, others, weight = ours[feature], theirs[feature], _WEIGHTS[feature[0]]
        if rare and max(len(mine), len(others)) > _RARE:
            continue
        for rank, place in enumerate(mine):
            for other in _near_ranks(rank, len(others) - len(mine), len(others)):
                weights[place, others[other]] += weight
    return weights


def _places(turns: Sequence[frozenset[Feature]], start: int, end: int) -> dict[Feature, list[int]]:
    """Return the turns that have each feature, in order."""
    places: defaultdict[Feature, list[int]] = defaultdict(list)
    for place in range(start, end):
        for feature in turns[place]:
            places[feature].append(place)
    return places


def _near_ranks(rank: int, shift: int, count: int) -> Iterable[int]:
    """Return the ranks below `count` that are near a rank, counted from the start or, with `shift`, from the end."""
    if count <= 2 * _RANKS + 1:
        return range(count)
    near = {*range(rank - _RANKS, rank + _RANKS + 1), *range(rank + shift - _RANKS, rank + shift + _RANKS + 1)}
    return [one for one in near if 0 <= one < count]


def _heaviest_chain(weights: Mapping[tuple[int, int], int]) -> Pairs:
    """Return the pairs with the largest total weight that ascend on both sides."""
    order = sorted(weights, key=lambda pair: (pair[0], -pair[1]))
    before: list[int] = []
    """For each pair, the one that precedes it in its heaviest chain; -1 for none."""
    rights, totals, ends = list[int](), list[int](), list[int]()
    """Chains by the right position of their last pair, ascending: this position, the total weight, the last pair."""
    for number, pair in enumerate(order):
        place = bisect_left(rights, pair[1])
        before.append(ends[place - 1] if place else -1)
        total = weights[pair] + (totals[place - 1] if place else 0)
        stop = place
        while stop < len(rights) and totals[stop] <= total:
            stop += 1
        if stop > place or place == len(rights) or rights[place] != pair[1]:
            rights[place:stop], totals[place:stop], ends[place:stop] = [pair[1]], [total], [number]
    chain: Pairs = []
    last = ends[-1] if ends else -1
    while last >= 0:
        chain.append(order[last])
        last = before[last]
    return chain[::-1]
