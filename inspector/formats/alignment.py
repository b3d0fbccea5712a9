"""Alignment of the messages of a request with the messages of the window from which it was made.

A request joins adjacent messages of the same role, omits empty ones, and adds messages that its provider requires.
Messages are matched by their text, in the order of each role.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import Any

from inspector.core.conversation import (
    SENT_KINDS,
    Dialect,
    Message,
    Part,
    Raw,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    readable,
)
from inspector.formats.readers.requests.request_log import exchange_of
from inspector.formats.sidecar import JOINT, Portion, fit_text
from inspector.llm.providers import EMPTY, FIRST_WORDS, NEXT_WORDS, NO_RESULT, wire_of

_LOOKAHEAD = 50
"""Maximum number of messages that are searched for the next one in a request."""
_NOBODY, _PUT_IN = -1, -2
"""Owners of blocks that belong to their neighbors, or that were added for the provider."""
_Key = tuple[type[Part], str]


def pieces_in(
    request: Raw, dialect: Dialect, messages: Sequence[Message], open_calls: Collection[int] = ()
) -> dict[int, tuple[Portion, ...]]:
    """Return the portions of messages that consist of several, or whose kind differs from their role.

    Args:
        request: The request as it was exported.
        dialect: Wire format in which the request will be recognized when it is read again.
        messages: Messages of the window from which the request was made.
        open_calls: Positions of the calls of the last reply that have no result.

    Returns:
        The portions by index of the message in the request; -1 is the system prompt. Empty if it is not a request.
    """
    exchange = exchange_of(request)
    if exchange is None:
        return {}
    sides = {role: _Speaker([m for m in messages if m.role == role]) for role in ("system", "user", "assistant")}
    raws = [(-1, {"role": "system", "content": exchange.system})] if exchange.system else []
    rows: dict[int, tuple[Portion, ...]] = {}
    answers = dict(_answers_put_in(exchange.messages, dialect, open_calls))
    for index, raw in [*raws, *enumerate(exchange.messages)]:
        side = sides.get(wire_of(dialect).role(raw))
        own = answers.get(index, set())
        pieces = side.pieces(raw, dialect, own) if side else [Portion(invented=bool(own))]
        if len(pieces) > 1 or any(map(_is_odd, pieces)):
            rows[index] = tuple(pieces)
    if _has_next_words(exchange.messages, messages):
        rows[len(exchange.messages) - 1] = (Portion(kind="injected", invented=True),)
    return rows


def _is_odd(piece: Portion) -> bool:
    """Return True if the kind of a portion differs from the role of its message."""
    return piece.kind != "chat" or bool(piece.name) or piece.invented


def _has_next_words(raws: Sequence[Any], messages: Sequence[Message]) -> bool:
    """Return True if a request of these messages ends with a placeholder for the next message, after the last reply."""
    last = next((message for message in reversed(messages) if message.kind != "notice"), None)
    end = {"role": "user", "content": NEXT_WORDS}
    return last is not None and last.role == "assistant" and bool(raws) and raws[-1] == end


def _answers_put_in(
    raws: Sequence[Any], dialect: Dialect, open_calls: Collection[int]
) -> Iterator[tuple[int, set[int]]]:
    """Yield the messages after the last reply by index, and the results in each that were added."""
    wire = wire_of(dialect)
    roles = [wire.role(raw) for raw in raws]
    first = len(roles) - roles[::-1].index("assistant") if open_calls and "assistant" in roles else len(roles)
    number = 0
    for index, raw in enumerate(raws[first:], first):
        results = [part for part in wire.parse(raw) if isinstance(part, ToolResult)]
        places = (place for place, result in enumerate(results) if readable(result) == NO_RESULT)
        yield index, {place for place in places if number + place in open_calls}
        number += len(results)


class _Speaker:
    """The messages of one role, in order."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.at = 0
        """Position of the first message that no message of the request contains."""
        self._keys: dict[int, dict[_Key, list[int]]] = {}

    def pieces(self, raw: Raw, dialect: Dialect, answers: Collection[int] = ()) -> list[Portion]:
        """Return the portions of the next message of the request with this role, given the results added to it."""
        content = raw.get("content")
        if content in (FIRST_WORDS, NEXT_WORDS):
            return [Portion(kind="injected")]
        if isinstance(content, list):
            owners = self._of_blocks(_block_keys(content, raw, dialect), answers)
        else:
            owners = self._of_text(content or "")
        if owners and self._has_caller(owners[-1][0], raw, dialect):
            owners.append((owners[-1][0] + 1, 0))
        self.at = max([self.at, *(place + 1 for place, _ in owners)])
        if len(owners) == 1:
            owners = [(owners[0][0], 0)]
        return [self._portion_of(place, length) for place, length in owners]

    def _portion_of(self, place: int, length: int) -> Portion:
        if place < 0:
            return Portion(length, invented=place == _PUT_IN)
        message = self.messages[place]
        kind = message.kind if message.kind in SENT_KINDS else "chat"
        return Portion(length, kind, fit_text(message.id), fit_text(message.name), fit_text(message.time))

    @cached_property
    def _words(self) -> list[str]:
        return list(map(_words, self.messages))

    @cached_property
    def _voiced(self) -> list[int]:
        """Positions of the messages that have text."""
        return [place for place, words in enumerate(self._words) if words]

    def _of_text(self, text: str) -> list[tuple[int, int]]:
        """Return the positions of the messages whose texts were joined to this one, with their lengths."""
        if not text.strip():
            places = range(self.at, min(self.at + _LOOKAHEAD, len(self.messages)))
            return [(place, len(text)) for place in places if not self._words[place].strip()][:1]
        start = bisect_left(self._voiced, self.at)
        starts = range(start, min(start + _LOOKAHEAD, len(self._voiced)))
        return next(filter(None, (self._from(start, text) for start in starts)), [])

    def _from(self, start: int, text: str) -> list[tuple[int, int]]:
        """Return the same for messages that begin at `start`, or nothing if they do not match.

        The text is compared in place, because slicing it after each match would take quadratic time.
        """
        owners: list[tuple[int, int]] = []
        at, end = 0, len(text.rstrip())
        for number in range(start, len(self._voiced)):
            place = self._voiced[number]
            words = self._words[place]
            if at + len(words.rstrip()) == end and text.startswith(words.rstrip(), at):
                return [*owners, (place, len(text) - at)]
            after = at + len(words)
            if not (text.startswith(words, at) and text.startswith(JOINT, after)):
                break
            owners.append((place, len(words)))
            at = after + len(JOINT)
        return []

    def _of_blocks(self, keys: Iterable[tuple[_Key | None, bool]], answers: Collection[int]) -> list[tuple[int, int]]:
        """Return the positions of the messages that blocks come from (negative for none), and the number of blocks.

        Blocks after a call belong to its message, because results must follow their calls. A block without a key (such
        as encrypted reasoning) belongs with the block before it, or with the one after it if it is the first.
        """
        owners: list[tuple[int, int]] = []
        numbers, was_result = count(), False
        holder, start, at = _NOBODY, 0, self.at
        for key, is_result in keys:
            owner = _owner_of(owners, is_result, is_result and next(numbers) in answers)
            if key and (place := self._place_in(holder, key, start)) is not None:
                start = place + 1
            elif key and (next_holder := self._holder(key, at)) is not None:
                owner = holder = next_holder
                at, start = holder + 1, self.keys(holder)[key][0] + 1
            _add_block(owners, owner, takes_before=not was_result)
            was_result = is_result
        return owners

    def _holder(self, key: _Key, at: int) -> int | None:
        """Return the position of the next message with a part of this key, from `at`."""
        places = range(at, min(at + _LOOKAHEAD, len(self.messages)))
        return next((place for place in places if key in self.keys(place)), None)

    def _place_in(self, holder: int, key: _Key, start: int) -> int | None:
        """Return the first position of a part with this key in a message, from `start`."""
        places = self.keys(holder).get(key, []) if holder >= 0 else []
        number = bisect_left(places, start)
        return places[number] if number < len(places) else None

    def _has_caller(self, place: int, raw: Raw, dialect: Dialect) -> bool:
        """Return True if the calls of a message follow the one at a position in a message without text."""
        if place < 0 or self.messages[place].calls or place + 1 >= len(self.messages):
            return False
        after = self.messages[place + 1]
        calls = any(isinstance(part, ToolCall) for part in wire_of(dialect).parse(raw))
        return calls and bool(after.calls) and not _words(after)

    def keys(self, place: int) -> dict[_Key, list[int]]:
        """Return the keys of a message's parts, with the positions of each."""
        if place not in self._keys:
            message = self.messages[place]
            keys = _keys_of(message.parts) or ([(Text, EMPTY)] if message.role == "user" else [])
            places: defaultdict[_Key, list[int]] = defaultdict(list)
            for number, key in enumerate(keys):
                places[key].append(number)
            self._keys[place] = dict(places)
        return self._keys[place]


def _add_block(owners: list[tuple[int, int]], owner: int, takes_before: bool) -> None:
    """Assign the next block to the owner of those before it, or to another owner that may include unowned blocks."""
    last = owners[-1][0] if owners else None
    if last is not None and (last == owner or (takes_before and last == _NOBODY and owner >= 0)):
        owners[-1] = owner, owners[-1][1] + 1
    else:
        owners.append((owner, 1))


def _owner_of(owners: Sequence[tuple[int, int]], is_result: bool, is_put_in: bool) -> int:
    """Return the owner of an unmatched block: that of the block before it, unless it is a result."""
    if is_result:
        return _PUT_IN if is_put_in else _NOBODY
    return owners[-1][0] if owners and owners[-1][0] != _PUT_IN else _NOBODY


def _block_keys(blocks: Sequence[Any], raw: Raw, dialect: Dialect) -> Iterator[tuple[_Key | None, bool]]:
    """Yield the key of each block, or None after a call and for blocks without a key, and True for results."""
    has_call = False
    for block in blocks:
        parts = wire_of(dialect).parse({**raw, "content": [block], "tool_calls": None})
        keys = [] if has_call else _keys_of(parts)
        has_call = has_call or any(isinstance(part, ToolCall) for part in parts)
        yield (keys[0] if keys else None), any(isinstance(part, ToolResult) for part in parts)


def _keys_of(parts: Sequence[Part]) -> list[_Key]:
    """Return the text by which parts are matched."""
    keys = [(ToolCall, p.arguments) if isinstance(p, ToolCall) else (_kind(p), readable(p).strip()) for p in parts]
    return [key for key, part in zip(keys, parts, strict=True) if key[1] and not isinstance(part, ToolResult)]


def _kind(part: Part) -> type[Part]:
    return Thinking if isinstance(part, Thinking) else Text


def _words(message: Message) -> str:
    """Return a message as the one text that a request makes of it."""
    silent = (Thinking, ToolCall, ToolResult)
    texts = [readable(part) for part in message.parts if not isinstance(part, silent)]
    return JOINT.join(filter(None, texts))
