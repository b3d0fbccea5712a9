"""Conversations in a log of requests.

A program that sends its whole history with every call logs the same messages repeatedly. A request that begins with all
messages of an earlier one, followed by a reply, continues that conversation, and the reply keeps the data reported for
it in the earlier response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from inspector.core.conversation import Dialect, Thinking, ToolResult
from inspector.core.text import dumps
from inspector.formats.readers.requests.request_log import Exchange
from inspector.llm.providers import wire_of

_Point = tuple[int, int]
"""Number of messages, and their combined fingerprint."""


@dataclass(slots=True)
class Chain:
    """The newest request of a conversation, and the exchanges in which its replies were logged."""

    exchange: Exchange
    dialect: Dialect
    replies: dict[int, Exchange] = field(default_factory=dict)
    """Exchange of each reply, by its position among the messages."""

    def feed(self, exchange: Exchange) -> None:
        """Continue with a later request.

        The conversation keeps the position and the record of its first request, and the newest tools.
        """
        if self.exchange.reply:
            self.replies[len(self.exchange.messages)] = self.exchange
        exchange.number = self.exchange.number
        exchange.has_new_tools = bool(exchange.tools and self.exchange.tools) and exchange.tools != self.exchange.tools
        exchange.tools = exchange.tools or self.exchange.tools
        exchange.record = exchange.record | self.exchange.record
        self.exchange = exchange

    def think_again(self) -> None:
        """Replace replies that were sent back without their reasoning by the logged replies."""
        messages = self.exchange.messages
        answers = {place: known.reply for place, known in self.replies.items() if place < len(messages)}
        again = {
            place: reply
            for place, reply in answers.items()
            if isinstance(messages[place], dict)
            and _thinks(reply, self.dialect)
            and not _thinks(messages[place], self.dialect)
            and _fingerprint(reply, self.dialect) == _fingerprint(messages[place], self.dialect)
        }
        if again:
            self.exchange.messages = [again.get(place, raw) for place, raw in enumerate(messages)]


def _thinks(raw: Any, dialect: Dialect) -> bool:
    """Return True if a message contains reasoning."""
    return any(isinstance(part, Thinking) for part in wire_of(dialect).parse(raw))


def chains_of(exchanges: Iterable[tuple[Exchange, Dialect]]) -> list[Chain]:
    """Return the conversations in a log, in the order in which they began.

    Args:
        exchanges: Recorded requests in the order of the file, each with its wire format.
    """
    chains: list[Chain] = []
    ends: dict[_Point, Chain] = {}
    for exchange, dialect in exchanges:
        points = [] if exchange.is_run else list(_points_of(exchange, dialect))
        chain = _chain_before(exchange, dialect, points, ends)
        if chain:
            chain.feed(exchange)
        else:
            chain = Chain(exchange, dialect)
            chains.append(chain)
        for point in points[len(exchange.messages) :]:  # as it was asked, and as it was answered
            ends[point] = chain
    for chain in chains:
        chain.think_again()
    return chains


def _chain_before(
    exchange: Exchange, dialect: Dialect, points: list[_Point], ends: dict[_Point, Chain]
) -> Chain | None:
    """Return the conversation that a request continues, by the longest shared prefix."""
    messages = exchange.messages
    for length, so_far in reversed(points[1:]):
        chain = ends.get((length, so_far))
        if not chain or chain.dialect != dialect or length >= len(points) - 1:
            continue
        size = len(chain.exchange.messages)
        goes_on = chain.exchange.reply is None or _has_reply(messages, length)
        if length > size or (length == size and goes_on):
            return chain
    return None


def _has_reply(messages: list[Any], length: int) -> bool:
    """Return True if the next message is a reply, which may differ from the logged one."""
    reply = messages[length] if length < len(messages) else None
    return isinstance(reply, dict) and reply.get("role") == "assistant"


def _points_of(exchange: Exchange, dialect: Dialect) -> Iterator[_Point]:
    """Yield every prefix of a request, from the empty one to all of it with its reply."""
    so_far = hash(dumps(exchange.system))
    reply = [exchange.reply] if exchange.reply else []
    yield 0, so_far
    for length, raw in enumerate((*exchange.messages, *reply), 1):
        so_far = hash((so_far, _fingerprint(raw, dialect)))
        yield length, so_far


def _fingerprint(raw: Any, dialect: Dialect) -> int:
    """Return a hash of a message without its reasoning, which is usually not sent again, in any notation."""
    if not isinstance(raw, dict):
        return 0
    wire = wire_of(dialect)
    parts = [part for part in wire.parse(raw) if not isinstance(part, Thinking) and _tells(part)]
    return hash((wire.role(raw), tuple(parts)))


def _tells(part: Any) -> bool:
    """Return True if a part is more than an empty text."""
    return isinstance(part, ToolResult) or getattr(part, "text", "text") != ""
