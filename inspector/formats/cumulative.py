"""Logs of calls as the conversations that they were.

A program that sends its whole history with every call logs the same messages over and over. A request that begins
with all of an earlier one, and goes on with a reply, continues that conversation; what was reported on the earlier
reply stays with the message that it has become.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from inspector.conversation import Dialect, Thinking, ToolResult
from inspector.formats.request_log import Exchange
from inspector.providers import wire_of
from inspector.text import dumps

_Point = tuple[int, int]
"""So many messages, and the fingerprint of what they say."""


@dataclass(slots=True)
class Chain:
    """The newest request of a conversation, and what is known of the replies inside it."""

    exchange: Exchange
    dialect: Dialect
    replies: dict[int, Exchange] = field(default_factory=dict)
    """By the place of a reply among the messages: the exchange that it came in."""

    def take(self, exchange: Exchange) -> None:
        """Go on with a later request. The conversation keeps the place and the notes of its first."""
        if self.exchange.reply:
            self.replies[len(self.exchange.messages)] = self.exchange
        exchange.number = self.exchange.number
        exchange.record = exchange.record | self.exchange.record
        self.exchange = exchange


def chained(exchanges: Iterable[tuple[Exchange, Dialect]]) -> list[Chain]:
    """The conversations in a log, in the order in which they began."""
    chains: list[Chain] = []
    ends: dict[_Point, Chain] = {}
    for exchange, dialect in exchanges:
        points = [] if exchange.is_run else list(_points_of(exchange, dialect))
        chain = _continued(exchange, dialect, points, ends)
        if chain:
            chain.take(exchange)
        else:
            chain = Chain(exchange, dialect)
            chains.append(chain)
        for point in points[len(exchange.messages) :]:  # as it was asked, and as it was answered
            ends[point] = chain
    return chains


def _continued(exchange: Exchange, dialect: Dialect, points: list[_Point], ends: dict[_Point, Chain]) -> Chain | None:
    """The conversation that a request goes on with, by the longest beginning that it shares."""
    messages = exchange.messages
    for length, so_far in reversed(points[1:]):
        chain = ends.get((length, so_far))
        if not chain or chain.dialect != dialect or length >= len(points) - 1:
            continue
        size = len(chain.exchange.messages)
        goes_on = chain.exchange.reply is None or _answered(messages, length)
        if length > size or (length == size and goes_on):
            return chain
    return None


def _answered(messages: list[Any], length: int) -> bool:
    """Whether a reply comes next, perhaps not word for word as it was logged."""
    following = messages[length] if length < len(messages) else None
    return isinstance(following, dict) and following.get("role") == "assistant"


def _points_of(exchange: Exchange, dialect: Dialect) -> Iterator[_Point]:
    """Every beginning of a request, from nothing to all of it with its reply."""
    so_far = hash(dumps(exchange.system))
    reply = [exchange.reply] if exchange.reply else []
    yield 0, so_far
    for length, raw in enumerate((*exchange.messages, *reply), 1):
        so_far = hash((so_far, _fingerprint(raw, dialect)))
        yield length, so_far


def _fingerprint(raw: Any, dialect: Dialect) -> int:
    """What a message says, however it was written down. Reasoning is mostly not sent back."""
    if not isinstance(raw, dict):
        return 0
    wire = wire_of(dialect)
    parts = [part for part in wire.parse(raw) if not isinstance(part, Thinking) and _tells(part)]
    return hash((wire.role(raw), tuple(parts)))


def _tells(part: Any) -> bool:
    """Whether a part is more than an empty text."""
    return isinstance(part, ToolResult) or getattr(part, "text", "text") != ""
