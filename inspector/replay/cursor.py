"""Two replays walked side by side, turn after turn: where their windows say the same, and where they first part.

A step costs what comes in since the one before, and a compression costs its window: what two windows share from their
beginning on is known from the step before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import zip_longest

import orjson

from inspector.conversation import Message, Session, ToolCall, readable
from inspector.facts import FactIndex
from inspector.replay.frames import Frame, Replay
from inspector.replay.run import RECORDED, window_of
from inspector.replay.steps import Step, steps
from inspector.tokens import Sizes
from inspector.window import OpenCalls, Plan, Window, apply, view

Key = Callable[[Message], Hashable]
"""What makes two messages the same."""


@dataclass(frozen=True, eq=False)
class Lane:
    """One side of a comparison: a session, and what a preset made of it."""

    session: Session
    sizes: Sizes
    replay: Replay
    facts: FactIndex | None = None
    """What the session tells; without it, nothing is said of facts."""

    @property
    def recorded(self) -> bool:
        return self.replay.preset == RECORDED.name


@dataclass(frozen=True, slots=True)
class Pair:
    """One turn of both; None on the side that has no such turn."""

    turn: int
    left: Frame | None
    right: Frame | None
    same: bool
    """Whether the two windows say the very same."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first turn whose windows are not the same, and the first message in which they are not."""

    turn: int
    place: int
    """How many messages before it are the same."""
    left: Message | None
    """None where the window ends there."""
    right: Message | None


def sameness(left: Lane, right: Lane) -> Key:
    """What makes messages of two lanes the same: who they are, as far as both are of one log; else what they say."""
    log = frozenset(left.session.messages) if left.session is right.session else frozenset()
    known: dict[Message, Hashable] = {}

    def key(message: Message) -> Hashable:
        if message in log:
            return message
        if message not in known:
            known[message] = digest(message)
        return known[message]

    return key


def digest(message: Message) -> bytes:
    """16 bytes for what a message says and who says it, whatever it is called and however it is written down."""
    found = blake2b(message.role.encode(), digest_size=16)
    for part in message.parts:
        text = f"{part.name}({_normal(part.arguments)})" if isinstance(part, ToolCall) else readable(part)
        if text:
            found.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return found.digest()


def _normal(arguments: str) -> str:
    """JSON as one of its many spellings; other text as it is."""
    try:
        return orjson.dumps(orjson.loads(arguments), option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # no JSON, or too deep to be put in order
        return arguments


class Strand:
    """The windows of one lane, turn after turn. A step costs what comes in, a compression its window."""

    def __init__(self, lane: Lane, key: Key) -> None:
        self.lane = lane
        self.key = key
        self.path: list[int] = []
        self.made: defaultdict[int, list[Plan]] = defaultdict(list)
        for plan in lane.replay.plans:
            self.made[plan.turn].append(plan)
        self.plans: list[Plan] = []
        """Those that are seen through by now."""
        self.messages: list[Message] = []
        self.tokens: list[int] = []
        self.keys: list[Hashable] = []
        self.touched = 0
        """The first place of the window that the last step may have changed."""
        self.asked = OpenCalls()
        """Of the log."""
        self.open = OpenCalls()
        """Of the window."""
        self.answers: Counter[Message] = Counter()
        """How many results stand behind each message of the window."""
        self.lead = 0
        """How many system messages lead the window."""

    def walk(self) -> Iterator[Strand]:
        """Itself, after each step."""
        for step in steps(self.lane.session, self.lane.replay.agent, joined=not self.lane.recorded):
            self.touched = len(self.messages)
            rewound = step.kept < len(self.path)
            self.path[step.kept :] = step.new
            if rewound:
                self.asked = OpenCalls(map(self.lane.session.messages.__getitem__, self.path))
                self.become(view(self.whole(step), self.plans))
            else:
                for position in step.new:
                    self.take_in(self.lane.session.messages[position], self.lane.sizes.tokens[position])
            for plan in self.made[step.turn]:
                self.plans.append(plan)
                self.become(apply(self.window(step), plan))
            yield self

    def take_in(self, message: Message, tokens: int) -> None:
        """A message of the log, where a window that was compressed has it: system messages in front, results right
        behind their call. A result whose call has left leaves with it."""
        was_asked = self.asked.take(message) is not None
        place = len(self.messages)
        if self.plans and message.role == "system":
            place = self.lead
            self.lead += 1
        caller = self.open.take(message)
        if self.plans and caller:
            place = self.place_of(caller) + 1 + self.answers[caller]
            self.answers[caller] += 1
        elif self.plans and was_asked:
            return
        self.touched = min(self.touched, place)
        self.messages.insert(place, message)
        self.tokens.insert(place, tokens)
        self.keys.insert(place, self.key(message))

    def place_of(self, message: Message) -> int:
        """Where a message stands in the window; most that are asked for stand near its end."""
        near = range(len(self.messages) - 1, max(-1, len(self.messages) - 1 - _NEAR), -1)
        found = next((place for place in near if self.messages[place] is message), None)
        return self.messages.index(message) if found is None else found

    def become(self, window: Window) -> None:
        """The window is another one."""
        keys = [self.key(message) for message in window.messages]
        agreed = _common(self.keys, keys)
        self.touched = min(self.touched, agreed)
        self.messages, self.tokens, self.keys = list(window.messages), list(window.tokens), keys
        self.open = OpenCalls(window.messages)
        self.answers = Counter({window.messages[first]: len(rest) for first, *rest in window.groups.members if rest})
        self.lead = next((place for place, each in enumerate(self.messages) if each.role != "system"), len(keys))

    def window(self, step: Step) -> Window:
        return replace(self.whole(step), messages=tuple(self.messages), tokens=tuple(self.tokens))

    def whole(self, step: Step) -> Window:
        return window_of(self.lane.session, self.lane.sizes, self.path, step, self.lane.replay.agent)


_NEAR = 40
"""Places at the end of a window that are looked through before all of it is."""


def _common(left: Sequence[Hashable], right: Sequence[Hashable], start: int = 0) -> int:
    """How many places from the beginning on are the same; the first `start` are known to be."""
    end, size = min(len(left), len(right)), _NEAR
    while start < end and left[start : start + size] == right[start : start + size]:
        start, size = start + size, 2 * size
    return next((place for place in range(start, min(end, start + size)) if left[place] != right[place]), end)


class Walk:
    """Both lanes turn by turn. Where they first part, and what stands in the windows of `at`, is known at its end."""

    def __init__(self, left: Lane, right: Lane, key: Key, at: tuple[int, int]) -> None:
        self.frames = zip_longest(left.replay.frames, right.replay.frames)
        self.strands = zip_longest(Strand(left, key).walk(), Strand(right, key).walk())
        self.at = at
        self.there: list[tuple[Message, ...]] = [(), ()]
        self.agreed = 0
        """How many messages from the beginning on both windows share."""
        self.first: Difference | None = None

    def turns(self) -> Iterator[Pair]:
        for turn, (frames, strands) in enumerate(zip(self.frames, self.strands, strict=True), 1):
            for side, strand in enumerate(strands):
                if strand and turn == self.at[side]:
                    self.there[side] = tuple(strand.messages)
            same = self.agree(*strands)
            if not same and self.first is None:
                self.first = Difference(turn, self.agreed, *(_at_place(strand, self.agreed) for strand in strands))
            yield Pair(turn, *frames, same)

    def agree(self, mine: Strand | None, other: Strand | None) -> bool:
        """Whether both windows are now the same; one that is not there is not."""
        if mine is None or other is None:
            return False
        self.agreed = _common(mine.keys, other.keys, min(self.agreed, mine.touched, other.touched))
        return self.agreed == len(mine.keys) == len(other.keys)


def _at_place(strand: Strand | None, place: int) -> Message | None:
    return strand.messages[place] if strand and place < len(strand.messages) else None
