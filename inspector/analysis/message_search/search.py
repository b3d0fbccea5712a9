"""Search messages incrementally, so that the first matches are available immediately."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import orjson

from inspector.analysis.message_search.match_positions import excerpt_of
from inspector.analysis.message_search.query import MessageQuery, QueryFacts, fold_text
from inspector.core.conversation import Message, ToolCall, readable
from inspector.core.text import dumps

_PAUSE = 0.05
"""Seconds between two batches after the first match."""


@dataclass(frozen=True, slots=True)
class Haystack:
    """Messages to search. `messages` and `tokens` run in parallel."""

    messages: Sequence[Message]
    tokens: Sequence[int]
    names: Mapping[str, str] = field(default_factory=dict)
    """Name of the tool that returned each tool result, by message id."""
    bookmarks: Collection[str] = ()
    """Ids of bookmarked messages."""
    request_of: Callable[[Message], str] = lambda _: ""
    """Returns the text of a result's call, which is searched together with the result."""

    def facts_at(self, place: int) -> QueryFacts:
        """Return the properties of the message at a place, without reading its text."""
        message = self.messages[place]
        tools = [call.name for call in message.calls]
        if message.role == "tool":
            tools.append(self.names.get(message.id) or message.name)
        return QueryFacts(message, self.tokens[place], tuple(tools), message.id in self.bookmarks)


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A matching message."""

    place: int
    """Its place among the searched messages."""
    id: str
    excerpt: str = ""
    """Text around the first word, with its control characters; "" if the query contains no words."""


@dataclass(frozen=True, slots=True)
class HitBatch:
    """Matches found since the previous batch."""

    hits: tuple[MessageHit, ...]
    count: int
    """Number of messages searched so far."""
    total: int

    @property
    def is_last(self) -> bool:
        return self.count == self.total


def search_messages(
    query: MessageQuery,
    haystack: Haystack,
    start: int = 0,
    only: Sequence[int] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[HitBatch]:
    """Yield batches of matching messages, from `start` to the end and then from the beginning.

    The first match is yielded immediately, further ones every few hundredths of a second, and the last batch after the
    last message.

    Args:
        query: Conditions to match.
        haystack: Messages to search.
        start: Place to start from.
        only: Places to search; None for all messages.
        stop: Called once per message; ends the search when it returns True.

    Raises:
        OSError: If a recording can no longer be read.
        StoreError: If a text is in a store that can no longer be read.
    """
    places = range(len(haystack.messages)) if only is None else only
    total = len(places)
    hits: list[MessageHit] = []
    has_hit, report_time = False, time.monotonic()
    turned = chain((place for place in places if place >= start), (place for place in places if place < start))
    for count, place in enumerate(turned, 1):
        if stop():
            return
        if hit := _hit_at(query, haystack, place):
            hits.append(hit)
        if count < total and ((hits and not has_hit) or time.monotonic() - report_time > _PAUSE):
            yield HitBatch(tuple(hits), count, total)
            has_hit, report_time = has_hit or bool(hits), time.monotonic()
            hits.clear()
    yield HitBatch(tuple(hits), total, total)


def _hit_at(query: MessageQuery, haystack: Haystack, place: int) -> MessageHit | None:
    facts = haystack.facts_at(place)
    if not query.fits(facts):
        return None
    message = facts.message
    if not query.reads_text:
        return MessageHit(place, message.id)
    text = readable_text(message)
    if not query.fits_text(fold_text(text)):
        request = haystack.request_of(message) if message.answers is not None else ""
        text = f"{request}\n\n{text}"
        if not request or not query.fits_text(fold_text(text)):
            return None
    return MessageHit(place, message.id, excerpt_of(text, query.words) if query.words else "")


def readable_text(message: Message) -> str:
    """Return all readable text of a message, with the arguments of calls on separate lines.

    Control characters are not removed.
    """
    return "\n\n".join(
        f"{part.name}\n{plain_arguments(part.arguments)}" if isinstance(part, ToolCall) else readable(part)
        for part in message.parts
    )


def plain_arguments(arguments: str) -> str:
    """Return the arguments of a call as `key: value` lines if they are an object, so that code in them is readable."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    if not isinstance(value, dict):
        return arguments
    return "\n".join(f"{key}: {item if isinstance(item, str) else dumps(item)}" for key, item in value.items())
