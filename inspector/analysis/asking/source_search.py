"""Sources of a reply: the messages that state its values and sentences, and those that no message states.

Values are searched by the terms of the fact index, so that another spelling of a path or an amount is the same value.
Sentences are searched by the relation that also judges summaries. No model is used.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal

from inspector.core.conversation import Message, Session, Text
from inspector.core.json_objects import OPEN, json_object
from inspector.core.text import one_line
from inspector.engine.facts import (
    SENTENCES,
    FactClass,
    FactIndex,
    RelatedText,
    content_words,
    may_relate,
    may_restate,
    sentence_of,
    sentences_of,
    source_words,
)
from inspector.engine.window import Window, call_names

Relation = Literal["states", "contains", "values"]
_NUMBER_CLASSES = frozenset({"number", "amount", "date"})
_NUMBER = re.compile(r"\d[\d.,:]*\d|\d")
_ABOUT = 0.75
"""Share of the words of a sentence that a message about the same thing has close to each other."""
_WEIGHTS: Mapping[Relation, float] = {"states": 2, "contains": 1, "values": 0.5}
_ORDER = tuple(_WEIGHTS)
_MAX_PLACES = 20
_MAX_SENTENCES = 200
"""Maximum number of sentences of a reply that are searched."""
_MAX_CHARS = 4_000_000
"""Number of characters outside the window that are searched for sentences, the newest first."""


@json_object("Source place", "message id turn role tool kind in_window relation")
@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A message that states a value or a sentence of a reply."""

    message: Annotated[int | None, "position in the log, from 1; null for the definitions of the tools"]
    id: Annotated[str, "id of the message; empty for the definitions of the tools"]
    turn: Annotated[int, "the first turn whose request contains it, or that it replies in; 0 for the tools"]
    role: str
    tool: Annotated[str, "the tool that returned it; empty for other messages"]
    kind: Annotated[str, OPEN, "of message"]
    in_window: Annotated[bool, "false if the request of the reply no longer contains the message"]
    relation: Annotated[
        Relation,
        "states: the value with words that it belongs to, or the sentence; contains: the value in other "
        "surroundings, or most words of the sentence; values: only values of the sentence",
    ]

    @property
    def words(self) -> str:
        """The message in a few words."""
        if self.message is None:
            return "the tool definitions"
        who = self.tool or (self.kind if self.kind in ("summary", "injected") else self.role)
        return f"#{self.message:,} {one_line(who)}, turn {self.turn:,}"


@json_object("Reply source", "kind class=cls text stated in_window count places")
@dataclass(frozen=True, slots=True)
class ReplySource:
    """A value or a sentence of a reply, with the messages that state it."""

    kind: Literal["value", "statement"]
    cls: Annotated[str | None, "class of facts; null for a sentence of no class"]
    text: str
    count: Annotated[int, "number of places"]
    places: Annotated[
        tuple[SourcePlace, ...],
        "those that state it, then the others; those in the request first, the oldest first; at most 20",
    ]

    @property
    def stated(self) -> Annotated[bool, "false if no earlier message and no tool definition states it"]:
        return any(place.relation != "values" for place in self.places)

    @property
    def in_window(self) -> Annotated[bool, "true if the request of the reply contained it"]:
        return any(place.in_window for place in self.places)


def reply_sources(session: Session, index: FactIndex, window: Window, reply: Message) -> tuple[ReplySource, ...]:
    """Return the values and sentences of a reply, each with the earlier messages that state it.

    Args:
        session: The session.
        index: Its facts.
        window: Window that the reply was generated from.
        reply: A message of the log.

    Raises:
        OSError: A message body cannot be read any more.
    """
    search = _SourceSearch(session, index, window, reply)
    values = tuple(search.values())
    return (*values, *search.statements(values))


def source_weights(sources: Iterable[ReplySource]) -> dict[str, float]:
    """Return how much of a reply each message states, by message id. A source is divided among its messages."""
    weights: dict[str, float] = {}
    for source in sources:
        places = [place for place in source.places if place.in_window and place.id]
        for place in places:
            weights[place.id] = weights.get(place.id, 0) + _WEIGHTS[place.relation] / len(places)
    return weights


class _SourceSearch:
    """The search for the sources of one reply."""

    def __init__(self, session: Session, index: FactIndex, window: Window, reply: Message) -> None:
        self._session, self._index, self._window, self._reply = session, index, window, reply
        self._turns = session.turns(reply.agent)
        self._numbers = {message: number for number, message in enumerate(session.messages, 1)}
        end = self._numbers.get(reply, len(session.messages) + 1) - 1
        self._shown = frozenset(window.ids)
        self._earlier = [message for message in session.messages[:end] if message.kind != "notice"]
        self._tools = call_names(self._earlier)
        self._texts: dict[Message, str] = {}
        self._lowers: dict[Message, str] = {}
        self._related_texts: dict[Message, RelatedText] = {}

    @cached_property
    def _holders(self) -> Mapping[int, list[Message]]:
        """Earlier messages by the terms of the reply that they contain."""
        wanted = frozenset(self._index.facts[fact].term for fact in self._facts)
        holders: dict[int, list[Message]] = {term: [] for term in wanted}
        for message in self._earlier:
            for term in self._index.stated_among(message, wanted):
                holders[term].append(message)
        return holders

    @cached_property
    def _facts(self) -> tuple[int, ...]:
        return self._index.facts_of(self._reply).facts

    def values(self) -> Iterator[ReplySource]:
        """Yield the values of the reply."""
        always = frozenset(self._index.always)
        for fact in self._facts:
            cls, text, term = self._index.facts[fact]
            if cls in SENTENCES or cls == "tool":
                continue
            words = source_words(self._text(self._reply), text)
            messages = self._holders[term] or (self._with_number(text, words) if cls in _NUMBER_CLASSES else [])
            places = [self._place(message, self._value_relation(message, text, words)) for message in messages]
            places += [_TOOLS] if term in always else []
            yield _source("value", cls, text, places)

    def _with_number(self, value: str, words: frozenset[str]) -> list[Message]:
        """Return the messages that contain the numbers of a value near the words that it belongs to."""
        numbers = _NUMBER.findall(value)
        return [
            message
            for message in self._earlier
            if numbers and all(number in self._text(message) for number in numbers)
            if words and self._relates(message, numbers[0], words)
        ]

    def _value_relation(self, message: Message, value: str, words: frozenset[str]) -> Relation:
        if not words or content_words(value) >= words:
            return "states"
        return "states" if self._relates(message, value, words) else "contains"

    def _relates(self, message: Message, value: str, words: frozenset[str]) -> bool:
        is_possible = may_relate(self._lower(message), words)
        return is_possible and self._related(message).relates(value, [words], by_chance=True)

    def statements(self, values: Sequence[ReplySource]) -> Iterator[ReplySource]:
        """Yield the sentences of the reply that are long enough to be restated.

        Args:
            values: The values of the reply, whose places are those of a sentence that no message states.
        """
        for cls, text in self._sentences():
            sentence, words = sentence_of(text), content_words(text)
            if len(sentence.clause) < sentence.least:
                continue
            places = []
            for message, lower in self._searched:
                if not _has_half_of(words, lower) or not may_restate(lower, sentence):
                    continue
                if (body := self._related(message)).restates(sentence):
                    places.append(self._place(message, "states"))
                elif body.is_about(sentence, _ABOUT):
                    places.append(self._place(message, "contains"))
            if not places:
                firsts = [value.places[0] for value in values if value.places and _has_value(text, value)]
                places = [*dict.fromkeys(replace(place, relation="values") for place in firsts)]
            yield _source("statement", cls, text, places)

    def _sentences(self) -> Iterator[tuple[FactClass | None, str]]:
        """Yield the sentences of the reply with their classes, and those that its calls state."""
        classes = [self._index.facts[fact] for fact in self._facts if self._index.facts[fact].cls in SENTENCES]
        texts = (part.text for part in self._reply.parts if isinstance(part, Text))
        sentences = list(dict.fromkeys(sentence for text in texts for sentence in sentences_of(text)))[:_MAX_SENTENCES]
        for sentence in sentences:
            own = [fact for fact in classes if fact.text in sentence or sentence in fact.text]
            classes = [fact for fact in classes if fact not in own]
            yield (own[0].cls if own else None), sentence
        yield from ((fact.cls, fact.text) for fact in classes)

    @cached_property
    def _searched(self) -> list[tuple[Message, str]]:
        """Messages that are searched for sentences, oldest first: those of the window, and the newest others."""
        rest, rows = _MAX_CHARS, []
        for message in reversed(self._earlier):
            is_shown = message.id in self._shown
            if not is_shown and message.chars > rest:
                continue
            rest -= 0 if is_shown else message.chars
            rows.append((message, self._lower(message)))
        return rows[::-1]

    def _text(self, message: Message) -> str:
        text = self._texts.get(message)
        if text is None:
            text = self._texts[message] = message.placeholder or message.text
        return text

    def _lower(self, message: Message) -> str:
        lower = self._lowers.get(message)
        if lower is None:
            lower = self._lowers[message] = self._text(message).lower()
        return lower

    def _related(self, message: Message) -> RelatedText:
        related = self._related_texts.get(message)
        if related is None:
            related = self._related_texts[message] = RelatedText(self._text(message))
        return related

    def _place(self, message: Message, relation: Relation) -> SourcePlace:
        number = self._numbers[message]
        return SourcePlace(
            message=number,
            id=message.id,
            turn=bisect_left(self._turns, number - 1) + 1,
            role=message.role,
            tool=self._tools.get(message.id, message.name) if message.role == "tool" else "",
            kind=message.kind,
            in_window=message.id in self._shown,
            relation=relation,
        )


_TOOLS = SourcePlace(None, "", 0, "tools", "", "chat", True, "contains")
"""The definitions of the tools, which are sent with each request."""


def _has_half_of(words: Collection[str], lower: str) -> bool:
    return sum(word in lower for word in words) * 2 >= len(words)


def _has_value(sentence: str, value: ReplySource) -> bool:
    """Return True if a sentence contains a value, or all numbers of a number."""
    if value.cls not in _NUMBER_CLASSES:
        return value.text in sentence
    return all(number in sentence for number in _NUMBER.findall(value.text))


def _source(
    kind: Literal["value", "statement"], cls: str | None, text: str, places: Collection[SourcePlace]
) -> ReplySource:
    order = sorted(places, key=lambda place: (_ORDER.index(place.relation), not place.in_window, place.message or 0))
    return ReplySource(kind, cls, text, len(order), tuple(order[:_MAX_PLACES]))


def stated_nowhere(sources: Sequence[ReplySource]) -> list[ReplySource]:
    """Return the values and sentences that no earlier message states, values first."""
    return sorted((source for source in sources if not source.stated), key=lambda source: source.kind != "value")
