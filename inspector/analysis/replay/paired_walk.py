"""Walk two replays in parallel, turn by turn, to find equal windows and the first difference.

A step costs as much as the messages added since the previous one, and a compression as much as its window. The common
prefix of two windows is carried over from the previous step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import zip_longest
from typing import Annotated

import orjson

from inspector.analysis.replay.context_growth import (
    advance_to_step,
    context_steps,
    uncompacted_session,
    uncompacted_sizes,
)
from inspector.analysis.replay.frames import Frame, Replay
from inspector.analysis.replay.run import RECORDED
from inspector.core.conversation import Message, Session, ToolCall, readable
from inspector.core.json_objects import Tokens, json_object
from inspector.engine.compression import Recall, place_of, with_recall
from inspector.engine.facts import FactIndex
from inspector.engine.window import Plan, WindowCursor
from inspector.llm.tokens import Sizes

Key = Callable[[Message], Hashable]
"""A function that returns equal keys for messages that count as equal."""


@dataclass(frozen=True, eq=False)
class Lane:
    """One side of a comparison: a session and its replay under a preset."""

    session: Session
    sizes: Sizes
    replay: Replay
    facts: FactIndex | None = None
    """Facts of the session; None if facts are not compared."""

    @property
    def is_recording(self) -> bool:
        return self.replay.preset == RECORDED.name

    @cached_property
    def whole_log(self) -> Session:
        """Session without its own compactions."""
        return uncompacted_session(self.session)

    @property
    def log(self) -> Session:
        """Log that was replayed: without the recording's own compactions, unless the recording itself was replayed."""
        return self.session if self.is_recording else self.whole_log


@json_object(keys="turn left=left_tokens right=right_tokens same")
@dataclass(frozen=True, slots=True)
class Pair:
    """One turn of both replays; None on a side without that turn."""

    turn: int
    left: Frame | None
    right: Frame | None
    same: Annotated[bool, "true if the windows contain the same messages"]

    @property
    def left_tokens(self) -> Annotated[Tokens | None, "null if the side has no such turn"]:
        return self.left.total if self.left else None

    @property
    def right_tokens(self) -> Annotated[Tokens | None, "null if the side has no such turn"]:
        return self.right.total if self.right else None


@json_object("First difference", "turn same_before=place left right")
@dataclass(frozen=True, slots=True)
class Difference:
    """The first turn whose windows differ, and the first message that differs."""

    turn: int
    place: Annotated[int, "equal messages at the beginning of both windows"]
    left: Annotated[Message | None, "null if the window ends there"]
    right: Annotated[Message | None, "null if the window ends there"]


def message_key(left: Lane, right: Lane) -> Key:
    """Return a key function for the messages of two lanes: identity within one log, otherwise a digest of the text."""
    log = frozenset(left.session.messages) if left.session is right.session else frozenset()
    keys: dict[Message, Hashable] = {}

    def key(message: Message) -> Hashable:
        if message in log:
            return message
        if message not in keys:
            keys[message] = message_digest(message)
        return keys[message]

    return key


def message_digest(message: Message) -> bytes:
    """Return a 16-byte digest of a message's role and content, ignoring its id and the formatting of JSON arguments."""
    digest = blake2b(message.role.encode(), digest_size=16)
    for part in message.parts:
        text = f"{part.name}({_normal(part.arguments)})" if isinstance(part, ToolCall) else readable(part)
        if text:
            digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def _normal(arguments: str) -> str:
    """Return JSON in a canonical form, and any other text unchanged."""
    try:
        return orjson.dumps(orjson.loads(arguments), option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # no JSON, or too deep to be put in order
        return arguments


class _Side:
    """The windows of one lane, turn by turn."""

    def __init__(self, lane: Lane, key: Key) -> None:
        log = lane.log
        self.key = key
        self.keys: list[Hashable] = []
        self.first_change = 0
        """First place in the window that the last step can have changed."""
        self._log, self._steps = log, context_steps(log, lane.replay.agent)
        self._frames = lane.replay.frames
        self._own_keys: list[Hashable] = []
        """Keys of the window's messages, without the retrieved content."""
        self._back: Recall | None = None
        self._place = 0
        """Place of the retrieved content in the window."""
        sizes = lane.sizes if lane.is_recording else uncompacted_sizes(lane.session, lane.sizes)
        self.cursor = WindowCursor(log.context, sizes, agent=lane.replay.agent, originals=log.by_id)
        self._plans: defaultdict[int, list[Plan]] = defaultdict(list)
        for plan in lane.replay.plans:
            self._plans[plan.turn].append(plan)

    def walk(self) -> Iterator[_Side]:
        """Advance through all steps and yield the side itself after each."""
        for step, frame in zip(self._steps, self._frames, strict=True):
            self.cursor.stable_length = len(self._own_keys)
            advance_to_step(self.cursor, self._log, step)
            for plan in self._plans[step.turn]:
                self.cursor.apply(plan)
            messages, change = self.cursor.messages, self.cursor.stable_length
            self._own_keys[change:] = [self.key(message) for message in messages[change:]]
            self._bring_back(frame.back, change)
            yield self

    def _bring_back(self, back: Recall | None, change: int) -> None:
        """Insert the key of this turn's retrieved content between the other keys.

        Args:
            back: Retrieved content; None if nothing was retrieved for this turn.
            change: First place at which the other keys changed.
        """
        last, before = self._back, self._place
        is_same = back is last or (back is not None and last is not None and back.message == last.message)
        if back and not (is_same and before < change):
            self._place = place_of(self.cursor.window())
        self._back, self.keys = back, self._own_keys
        if back:
            keys, place = self._own_keys, self._place
            self.keys = [*keys[:place], self.key(back.message) if back.message else None, *keys[place:]]
        places = [before] if last else []
        self.first_change = min([change] if is_same else [change, *places, *([self._place] if back else [])])

    @property
    def messages(self) -> Sequence[Message]:
        """Messages of the window that was sent."""
        return with_recall(self.cursor.window(), self._back).messages


_FIRST = 40
"""Number of places compared first. It doubles with every further step."""


def _common(left: Sequence[Hashable], right: Sequence[Hashable], start: int = 0) -> int:
    """Return the length of the common prefix, the first `start` places of which are known to be equal."""
    end, size = min(len(left), len(right)), _FIRST
    while start < end and left[start : start + size] == right[start : start + size]:
        start, size = start + size, 2 * size
    return next((place for place in range(start, min(end, start + size)) if left[place] != right[place]), end)


class PairedWalk:
    """Walk both lanes turn by turn.

    After the walk, `first` is the first difference, and `there` contains the two windows of the turns in `at`.
    """

    def __init__(self, left: Lane, right: Lane, key: Key, at: tuple[int, int]) -> None:
        self.frames = zip_longest(left.replay.frames, right.replay.frames)
        self.sides = zip_longest(_Side(left, key).walk(), _Side(right, key).walk())
        self.at = at
        self.there: list[Sequence[Message]] = [(), ()]
        self.common = 0
        """Number of messages in the common prefix of both windows."""
        self.first: Difference | None = None

    def turns(self) -> Iterator[Pair]:
        for turn, (frames, sides) in enumerate(zip(self.frames, self.sides, strict=True), 1):
            for number, side in enumerate(sides):
                if side and turn == self.at[number]:
                    self.there[number] = side.messages
            same = self.agree(*sides)
            if not same and self.first is None:
                self.first = Difference(turn, self.common, *(_at_place(side, self.common) for side in sides))
            yield Pair(turn, *frames, same)

    def agree(self, mine: _Side | None, other: _Side | None) -> bool:
        """Return True if both windows exist and are equal."""
        if mine is None or other is None:
            return False
        self.common = _common(mine.keys, other.keys, min(self.common, mine.first_change, other.first_change))
        return self.common == len(mine.keys) == len(other.keys)


def _at_place(side: _Side | None, place: int) -> Message | None:
    return side.messages[place] if side and place < len(side.keys) else None
