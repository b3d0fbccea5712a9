"""Two replays walked side by side, turn after turn: where their windows say the same, and where they first part.

A step costs what comes in since the one before, and a compression costs its window: what two windows share from their
beginning on is known from the step before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import zip_longest

import orjson

from inspector.conversation import Message, Session, ToolCall, readable
from inspector.facts import FactIndex
from inspector.replay.frames import Frame, Replay
from inspector.replay.lineage import Step, steps
from inspector.replay.replaying import RECORDED, window_of
from inspector.tokens.sizes import Sizes
from inspector.window.plan import Plan, apply, in_order, view
from inspector.window.window import Window

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
        text = f"{part.name}({normal(part.arguments)})" if isinstance(part, ToolCall) else readable(part)
        if text:
            found.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return found.digest()


def normal(arguments: str) -> str:
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

    def walk(self) -> Iterator[Strand]:
        """Itself, after each step."""
        for step in steps(self.lane.session, self.lane.replay.agent, joined=not self.lane.recorded):
            self.touched = len(self.messages)
            rewound = step.kept < len(self.path)
            self.path[step.kept :] = step.new
            if rewound:
                self.become(view(self.whole(step), self.plans))
            else:
                self.take_in(step)
            for plan in self.made[step.turn]:
                self.plans.append(plan)
                self.become(apply(self.window(step), plan))
            yield self

    def take_in(self, step: Step) -> None:
        for position in step.new:
            message = self.lane.session.messages[position]
            self.messages.append(message)
            self.tokens.append(self.lane.sizes.tokens[position])
            self.keys.append(self.key(message))
        if self.plans and not settled(self.messages, len(step.new)):
            new = in_order(self.window(step))
            self.become(view(self.whole(step), self.plans) if new.groups.orphans else new)

    def become(self, window: Window) -> None:
        """The window is another one."""
        keys = [self.key(message) for message in window.messages]
        agreed = common(self.keys, keys)
        self.touched = min(self.touched, agreed)
        self.messages, self.tokens, self.keys = list(window.messages), list(window.tokens), keys

    def window(self, step: Step) -> Window:
        lane = self.lane
        messages, tokens = tuple(self.messages), tuple(self.tokens)
        return Window(lane.session, lane.sizes, step.turn, messages, tokens, lane.sizes.limit, 0, lane.replay.agent)

    def whole(self, step: Step) -> Window:
        return window_of(self.lane.session, self.lane.sizes, self.path, step, self.lane.replay.agent)


def settled(messages: Sequence[Message], new: int) -> bool:
    """Whether the last `new` messages stand where a compressed window has them: results right behind their call."""
    waiting: list[str] = []
    for message in messages[len(messages) - new :]:
        if message.role == "system":
            return False
        if message.role != "tool":
            waiting = [call.id for call in message.calls]
        elif message.answers in waiting:
            waiting.remove(message.answers)
        else:
            return False
    return True


def common(left: Sequence[Hashable], right: Sequence[Hashable], start: int = 0) -> int:
    """How many places from the beginning on are the same; the first `start` are known to be."""
    end = min(len(left), len(right))
    return next((place for place in range(start, end) if left[place] != right[place]), end)


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
                self.first = Difference(turn, self.agreed, *(at_place(strand, self.agreed) for strand in strands))
            yield Pair(turn, *frames, same)

    def agree(self, mine: Strand | None, other: Strand | None) -> bool:
        """Whether both windows are now the same; one that is not there is not."""
        if mine is None or other is None:
            return False
        self.agreed = common(mine.keys, other.keys, min(self.agreed, mine.touched, other.touched))
        return self.agreed == len(mine.keys) == len(other.keys)


def at_place(strand: Strand | None, place: int) -> Message | None:
    return strand.messages[place] if strand and place < len(strand.messages) else None
