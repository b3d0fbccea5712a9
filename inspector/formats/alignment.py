"""Which messages of a window the messages of its request are made of.

A request joins neighbours of one side, leaves out what says nothing, and puts in what its provider misses. What has
become of each message is told by its words, in the order of each side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.conversation import Dialect, Message, Part, Raw, Text, Thinking, ToolCall, ToolResult, readable
from inspector.formats.companion import JOINT, KINDS, Portion, fit_text
from inspector.formats.request_log import exchange_of
from inspector.providers import EMPTY, FIRST_WORDS, NEXT_WORDS, wire_of

_FAR = 50
"""Messages of one side that are looked through for the next one that a request holds."""
_Key = tuple[type[Part], str]


def pieces_in(request: Raw, dialect: Dialect, messages: Sequence[Message]) -> dict[int, tuple[Portion, ...]]:
    """The pieces of those messages of a request that are of several, or not what their role says, by their index.

    `dialect` is the form of its messages when it is read again, `messages` are those that it was made of.
    """
    exchange = exchange_of(request)
    if exchange is None:
        return {}
    sides = {role: _Speaker([m for m in messages if m.role == role]) for role in ("system", "user", "assistant")}
    raws = [(-1, {"role": "system", "content": exchange.system})] if exchange.system else []
    rows: dict[int, tuple[Portion, ...]] = {}
    for index, raw in [*raws, *enumerate(exchange.messages)]:
        side = sides.get(wire_of(dialect).role(raw))
        pieces = tuple(side.pieces(raw, dialect)) if side else ()
        if len(pieces) > 1 or any(piece.kind != "chat" or piece.name for piece in pieces):
            rows[index] = pieces
    return rows


@dataclass
class _Speaker:
    """The messages of one role, in order."""

    messages: Sequence[Message]
    at: int = 0
    """The first of them that no message of the request was found to hold."""
    _keys: dict[int, list[_Key]] = field(default_factory=dict)

    def pieces(self, raw: Raw, dialect: Dialect) -> list[Portion]:
        """The pieces of the next message of the request that is of this role."""
        content = raw.get("content")
        if content in (FIRST_WORDS, NEXT_WORDS):
            return [Portion(kind="injected")]
        owners = self._of_blocks(content, raw, dialect) if isinstance(content, list) else self._of_text(content or "")
        if owners and self._has_caller(owners[-1][0], raw, dialect):
            owners.append((owners[-1][0] + 1, 0))
        self.at = max([self.at, *(place + 1 for place, _ in owners)])
        if len(owners) == 1:
            owners = [(owners[0][0], 0)]
        return [_portion_of(self.messages[place] if place >= 0 else None, length) for place, length in owners]

    def _of_text(self, text: str) -> list[tuple[int, int]]:
        """The places of the messages whose texts were joined to this one, and the length of each."""
        for start in range(self.at, min(self.at + _FAR, len(self.messages))):
            if owners := self._from(start, text):
                return owners
        return []

    def _from(self, start: int, text: str) -> list[tuple[int, int]]:
        """The same, where the first of them is at `start`; empty where it is not."""
        owners: list[tuple[int, int]] = []
        for place in range(start, len(self.messages)):
            words = _words(self.messages[place])
            if words.rstrip() == text.rstrip():
                return [*owners, (place, len(text))]
            if words and not text.startswith(words + JOINT):
                break
            if words:
                owners.append((place, len(words)))
                text = text[len(words + JOINT) :]
        return []

    def _of_blocks(self, blocks: Sequence[Any], raw: Raw, dialect: Dialect) -> list[tuple[int, int]]:
        """The places of the messages that blocks come from, -1 for none, and how many are of each.

        What stands behind a call goes with it: results must follow their calls.
        """
        owners: list[tuple[int, int]] = []
        left: list[_Key] = []
        at = self.at
        for key, is_result in _block_keys(blocks, raw, dialect):
            owner = -1 if is_result or not owners else owners[-1][0]
            if key in left:
                left = left[left.index(key) + 1 :]
            elif key and (place := self._holder(key, at)) is not None:
                owner, at = place, place + 1
                left = self.keys(place)[self.keys(place).index(key) + 1 :]
            if owners and owners[-1][0] == owner:
                owners[-1] = owner, owners[-1][1] + 1
            else:
                owners.append((owner, 1))
        return owners

    def _holder(self, key: _Key, at: int) -> int | None:
        """The place of the next message with a part of this key, from `at`."""
        places = range(at, min(at + _FAR, len(self.messages)))
        return next((place for place in places if key in self.keys(place)), None)

    def _has_caller(self, place: int, raw: Raw, dialect: Dialect) -> bool:
        """Whether the calls of a message are made behind the one at a place, by a message without a word."""
        if place < 0 or self.messages[place].calls or place + 1 >= len(self.messages):
            return False
        after = self.messages[place + 1]
        calls = any(isinstance(part, ToolCall) for part in wire_of(dialect).parse(raw))
        return calls and bool(after.calls) and not _words(after)

    def keys(self, place: int) -> list[_Key]:
        if place not in self._keys:
            message = self.messages[place]
            self._keys[place] = _keys_of(message.parts) or ([(Text, EMPTY)] if message.role == "user" else [])
        return self._keys[place]


def _block_keys(blocks: Sequence[Any], raw: Raw, dialect: Dialect) -> Iterator[tuple[_Key | None, bool]]:
    """The key of each block, None behind a call and where it has none; and whether it is a result."""
    has_call = False
    for block in blocks:
        parts = wire_of(dialect).parse({**raw, "content": [block], "tool_calls": None})
        keys = [] if has_call else _keys_of(parts)
        has_call = has_call or any(isinstance(part, ToolCall) for part in parts)
        yield (keys[0] if keys else None), any(isinstance(part, ToolResult) for part in parts)


def _keys_of(parts: Sequence[Part]) -> list[_Key]:
    """What parts are known again by: their words."""
    keys = [(ToolCall, p.arguments) if isinstance(p, ToolCall) else (_kind(p), readable(p).strip()) for p in parts]
    return [key for key, part in zip(keys, parts, strict=True) if key[1] and not isinstance(part, ToolResult)]


def _kind(part: Part) -> type[Part]:
    return Thinking if isinstance(part, Thinking) else Text


def _words(message: Message) -> str:
    """A message as the one text that a request makes of it."""
    silent = (Thinking, ToolCall, ToolResult)
    texts = [readable(part) for part in message.parts if not isinstance(part, silent)]
    return JOINT.join(filter(None, texts))


def _portion_of(message: Message | None, length: int) -> Portion:
    if message is None:
        return Portion(length)
    kind = message.kind if message.kind in KINDS else "chat"
    return Portion(length, kind, *map(fit_text, (message.id, message.name, message.time)))
