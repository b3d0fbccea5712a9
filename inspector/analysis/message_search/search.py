"""Looking through messages for those that a query means: bit by bit, so that the first ones are there at once."""

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
"""Seconds between two reports while nothing is found for the first time."""


@dataclass(frozen=True, slots=True)
class Haystack:
    """What is looked through. `messages` and `tokens` run in parallel."""

    messages: Sequence[Message]
    tokens: Sequence[int]
    names: Mapping[str, str] = field(default_factory=dict)
    """For each tool result, by message id, the name of the tool that gave it."""
    bookmarks: Collection[str] = ()
    """Ids of the messages that have one."""
    request_of: Callable[[Message], str] = lambda _: ""
    """What the row of a result says of its call, which is looked through with its text."""

    def facts_at(self, place: int) -> QueryFacts:
        """What is known of the message at a place without its text."""
        message = self.messages[place]
        tools = [call.name for call in message.calls]
        if message.role == "tool":
            tools.append(self.names.get(message.id) or message.name)
        return QueryFacts(message, self.tokens[place], tuple(tools), message.id in self.bookmarks)


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message that fits."""

    place: int
    """Among the messages that were looked through."""
    id: str
    excerpt: str = ""
    """The text around the first word, raw; empty where no words were asked for."""


@dataclass(frozen=True, slots=True)
class HitBatch:
    """What was found since the last one."""

    hits: tuple[MessageHit, ...]
    count: int
    """Messages that have been looked at so far."""
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
    """The messages that fit, from `start` on and round the end; `only` those at some places, where these are named.

    The first one comes at once, the others every few hundredths of a second, the last batch when all is looked at.
    Where `stop` returns true, there are no more. Raises OSError or StoreError where a text cannot be read any more.
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
    """Everything in a message that a person can read, with what calls pass line by line; raw."""
    return "\n\n".join(
        f"{part.name}\n{plain_arguments(part.arguments)}" if isinstance(part, ToolCall) else readable(part)
        for part in message.parts
    )


def plain_arguments(arguments: str) -> str:
    """A call's arguments as `key: value` lines where they are an object, so that code in them can be read."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    if not isinstance(value, dict):
        return arguments
    return "\n".join(f"{key}: {item if isinstance(item, str) else dumps(item)}" for key, item in value.items())
