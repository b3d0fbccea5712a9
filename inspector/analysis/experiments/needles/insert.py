"""Insert needles into a copy of a window at given depths, without changing anything else.

A needle is added to an existing message near its depth whose role would typically state such a fact. Messages that
strategies must not remove are excluded, because a needle in them proves nothing. If no suitable message is near enough,
the needle becomes a separate injected message, at a place where no call waits for its result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, count
from random import Random
from typing import Annotated, Any

from inspector.analysis.experiments.needles.needles import KINDS, Needle, needles
from inspector.core.conversation import InMemoryBody, Message, Raw
from inspector.core.json_objects import Fraction, json_object
from inspector.core.text import dumps
from inspector.engine.strategies import PlanBuilder
from inspector.engine.window import Window
from inspector.llm.providers import message_from_raw, text_message

MAX_DEPTH_SHIFT = 0.06
"""Additional distance, as a share of the conversation's tokens, at which an existing message is still preferred."""
_STRANGE = 0.02
"""Additional distance at which a message with a typical role is still preferred to another one."""
_CROWD = 0.01
"""Additional distance that each needle already in a message counts as."""
_FACTS = ("kind", "name", "agent", "parent", "time", "model", "usage", "is_error")
_TEXTS = ("text", "input_text", "output_text")
"""Types of blocks that contain plain text."""


class InsertionError(ValueError):
    """Raised if nothing can be inserted into a window. The text is one sentence."""


@json_object("Needle", "class=needle.cls value=needle.value line=needle.line depth at message", rounded="at")
@dataclass(frozen=True, slots=True)
class InsertedNeedle:
    """A needle and its place in the window."""

    needle: Needle
    depth: Annotated[Fraction, "requested depth: 0 is the oldest end"]
    at: Annotated[Fraction, "actual depth"]
    """Actual depth: the share of the conversation's tokens before it."""
    message: Annotated[str, "id of the message with the needle"]


@dataclass(frozen=True)
class SeededWindow:
    """A window with inserted needles. `window` is a modified copy that is not stored anywhere."""

    window: Window
    needles: tuple[InsertedNeedle, ...]

    @cached_property
    def hosts(self) -> dict[str, tuple[int, ...]]:
        """Indices of the needles in each message, by message id."""
        numbers: dict[str, tuple[int, ...]] = {}
        for number, insertion in enumerate(self.needles):
            numbers[insertion.message] = (*numbers.get(insertion.message, ()), number)
        return numbers


def insert_needles(
    window: Window, depths: Sequence[float], seed: int = 0, classes: Sequence[str] = tuple(KINDS)
) -> SeededWindow:
    """Insert one needle of each class at each depth.

    Args:
        window: Window to copy.
        depths: Depths from 0 (oldest) to 1 (newest).
        seed: Seed of the random values.
        classes: Classes of the needles.

    Raises:
        InsertionError: If there is no place for a needle.
    """
    inserter = _NeedleInserter(window)
    texts = [*(message.text for message in window.messages), dumps(window.context.tools)]
    supply = needles(Random(f"needles {seed}"), classes, texts)
    return inserter.seeded_window([inserter.put(next(supply), depth) for depth in depths for _ in classes])


class _NeedleInserter:
    """Collects the insertions into a window. Indices are places in the window's messages."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.draft = PlanBuilder(window)
        self.raws: dict[int, Raw] = {}
        """New versions of messages, by place."""
        self.needle_counts: dict[int, int] = {}
        """Number of needles in each message, by place."""
        self.own: dict[int, list[Message]] = {}
        """Separate messages for needles, by the place they are inserted before."""
        ids = frozenset(window.ids)
        self.ids = (name for name in (f"needle {number}" for number in count(1)) if name not in ids)
        sizes = [
            0 if message.role == "system" else size
            for message, size in zip(window.messages, window.tokens, strict=True)
        ]
        self.before = list(accumulate(sizes, initial=0))
        """Tokens of the conversation before each message."""
        self.hosts = sorted(self.free_hosts())
        self.middles = [(self.depth(index) + self.depth(index + 1)) / 2 for index in self.hosts]
        """Depth of the middle of each host, in the order of `hosts`."""

    def depth(self, index: int) -> float:
        """Return the depth of the place before a message."""
        return self.before[index] / max(1, self.before[-1])

    def free_hosts(self) -> Iterator[int]:
        """Yield the messages with text that strategies can remove, without orphaned results and open calls."""
        groups, messages = self.window.groups, self.window.messages
        excluded = {groups.of[index] for index in (*self.draft.protection, *groups.orphans, *groups.open_calls)}
        for number, members in enumerate(groups.members):
            if number not in excluded and members[0] >= self.first_user:
                yield from (index for index in members if _has_words(messages[index]))

    @cached_property
    def first_user(self) -> int:
        """Index of the message that opens the conversation.

        Raises:
            InsertionError: If there is no user message.
        """
        roles = [message.role for message in self.window.messages]
        if "user" not in roles:
            raise InsertionError("This window contains no request, so no facts can be planted in it.")
        return roles.index("user")

    @cached_property
    def gaps(self) -> list[int]:
        """Places for a new message: after the opening, at or before the newest step, and outside of groups."""
        messages, groups = self.window.messages, self.window.groups
        excluded = {place for members in groups.members for place in range(members[0] + 1, members[-1] + 1)}
        excluded.update(place for index in groups.orphans for place in range(self.exchange_of(index), index + 1))
        newest = min((*self.draft.newest_step(), *self.window.live), default=len(messages))
        end = max(newest, self.first_user + 1)
        return [place for place in range(self.first_user + 1, end + 1) if place not in excluded]

    def exchange_of(self, index: int) -> int:
        """Return the start of the exchange around an orphaned result, which providers refer to when they reject it."""
        while index and self.window.messages[index - 1].role in ("tool", "system"):
            index -= 1
        return index

    def put(self, needle: Needle, depth: float) -> InsertedNeedle:
        """Insert a needle into the best host with plain text, or as a separate message.

        Raises:
            InsertionError: If there is no place for it.
        """
        gap = min(self.gaps, key=lambda place: abs(self.depth(place) - depth), default=None)
        reach = 1.0 if gap is None else abs(self.depth(gap) - depth) + MAX_DEPTH_SHIFT
        for place in self.near(needle, depth, reach):
            index = self.hosts[place]
            message = self.window.messages[index]
            raw = _with_line(self.raws.get(index, message.raw), needle.line)
            if raw is not None:
                self.raws[index] = raw
                self.needle_counts[index] = self.needle_counts.get(index, 0) + 1
                return InsertedNeedle(needle, depth, self.middles[place], message.id)
        if gap is None:
            raise InsertionError("This window has no room, so no facts can be planted in it.")
        return self.put_alone(needle, depth, gap)

    def near(self, needle: Needle, depth: float, reach: float) -> list[int]:
        """Return the hosts within `reach` of a depth, the best one for this needle first.

        Args:
            needle: Needle to insert.
            depth: Requested depth.
            reach: Maximum difference in depth.
        """
        home = KINDS[needle.cls].home

        def distance(place: int) -> float:
            index = self.hosts[place]
            strange = 0.0 if self.window.messages[index].role in home else _STRANGE
            return abs(self.middles[place] - depth) + strange + _CROWD * self.needle_counts.get(index, 0)

        places = range(bisect_left(self.middles, depth - reach), bisect_right(self.middles, depth + reach))
        return sorted(places, key=distance)

    def put_alone(self, needle: Needle, depth: float, place: int) -> InsertedNeedle:
        window = self.window
        facts: dict[str, Any] = {"kind": "injected", "agent": window.agent}
        message = text_message(next(self.ids), "user", needle.line, window.context.dialect, **facts)
        self.own.setdefault(place, []).append(message)
        return InsertedNeedle(needle, depth, self.depth(place), message.id)

    def seeded_window(self, needles: Sequence[InsertedNeedle]) -> SeededWindow:
        """Return a copy of the window that contains the needles, with a separate context."""
        window, measure = self.window, self.window.sizes.measure
        new = {index: _rewrite(window.messages[index], raw) for index, raw in self.raws.items()}
        messages: list[Message] = []
        tokens: list[int] = []
        for index in range(len(window.messages) + 1):
            for message in self.own.get(index, ()):
                messages.append(message)
                tokens.append(measure(message))
            if index < len(window.messages):
                old, size = window.messages[index], window.tokens[index]
                messages.append(new.get(index, old))
                tokens.append(size + max(0, measure(new[index]) - measure(old)) if index in new else size)
        copy = replace(
            window,
            messages=tuple(messages),
            tokens=tuple(tokens),
            context=replace(window.context),
            originals={**window.originals, **{message.id: message for message in new.values()}},
        )
        return SeededWindow(copy, tuple(needles))


def _has_words(message: Message) -> bool:
    return message.role != "system" and message.kind == "chat" and message.chars > 0


def _rewrite(message: Message, raw: Raw) -> Message:
    """Return a copy of a message with different content."""
    facts = {name: getattr(message, name) for name in _FACTS}
    return message_from_raw(message.id, raw, message.dialect, body=InMemoryBody(raw, message.record), **facts)


def _with_line(raw: Raw, line: str) -> Raw | None:
    """Return a raw message with an additional line in its text; None if it contains no plain text."""
    content = _with_line_in(raw.get("content"), line)
    return None if content is None else {**raw, "content": content}


def _with_line_in(content: Any, line: str) -> Any:
    """Return the content of a message or result with an additional line in its last text; None if it has no text."""
    if isinstance(content, str):
        return _amid(content, line) if content.strip() else None
    for place in range(len(content) - 1, -1, -1) if isinstance(content, list) else ():
        block = content[place]
        new = _with_line_in(block, line) if isinstance(block, str) else _block_with(block, line)
        if new is not None:
            return [*content[:place], new, *content[place + 1 :]]
    return None


def _block_with(block: Any, line: str) -> Any:
    match block:
        case {"type": str(kind), "text": str(text)} if kind in _TEXTS and text.strip():
            return {**block, "text": _amid(text, line)}
        case {"type": "tool_result", "content": inner}:
            content = _with_line_in(inner, line)
            return None if content is None else {**block, "content": content}
    return None


def _amid(text: str, line: str) -> str:
    """Insert a line in the middle of a text, or at its end if it has fewer than three lines."""
    lines = text.split("\n")
    place = len(lines) // 2 if len(lines) > 2 else len(lines)
    return "\n".join([*lines[:place], line, *lines[place:]])
