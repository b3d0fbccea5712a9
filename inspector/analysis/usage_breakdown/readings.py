"""What a window holds more than once: readings of one file or page, and results that say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis.tool_activity import Action, Actions
from inspector.core.conversation import Message
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import plural
from inspector.engine.window import Window
from inspector.llm.tokens import result_identities

Relation = Literal["newest", "same", "stale"]
"""newest: the last reading of it. same: a later one says the same. stale: it was read again and said something else."""
_SHORTEST = 200
"""Characters from which on a result that another one repeats word for word is worth being named."""


@json_object("Single reading")
@dataclass(frozen=True, slots=True)
class Reading:
    """A result that holds what was read."""

    message: Annotated[str, "id of the result"]
    tokens: Tokens
    relation: Annotated[
        Relation, "newest: the last one. same: a later one says the same. stale: a later one says something else"
    ]


@json_object(keys="resource by_text wasted readings")
@dataclass(frozen=True, slots=True)
class RepeatedReading:
    """A file or page that was read more than once, or a result that was given more than once."""

    resource: Annotated[str, "path or address; of what is none, the tool and what the newest call asked for"]
    readings: Annotated[tuple[Reading, ...], "oldest first"]
    by_text: Annotated[
        bool, "whether they belong together because they say the same, whatever they were asked with"
    ] = False

    @property
    def wasted(self) -> Annotated[Tokens, "of all readings but the newest"]:
        return sum(reading.tokens for reading in self.readings if reading.relation != "newest")

    @property
    def sentence(self) -> str:
        """How often it was read: "read 4 times, 3 stale"; of results that say the same: "the same 4 times"."""
        times = plural(len(self.readings), "time")
        if self.by_text:
            return f"the same {times}"
        counts = [sum(reading.relation == relation for reading in self.readings) for relation in ("same", "stale")]
        words = [f"{count} {word}" for count, word in zip(counts, ("the same again", "stale"), strict=True) if count]
        return f"read {times}, {', '.join(words)}"


@dataclass(frozen=True, slots=True)
class RepeatedResult:
    """Results of some messages that hold the same: readings of one file, page or part, or one long text."""

    resource: str
    """As that of `RepeatedReading`."""
    places: tuple[int, ...]
    """Their places among the messages, ascending; two or more."""
    relations: tuple[Relation, ...]
    """One for each of them."""
    by_text: bool = False


def repeats(window: Window) -> tuple[RepeatedReading, ...]:
    """What was read or given more than once, the most wasteful first: a result is wasted in one of them at the most.

    Raises OSError where a recording is gone.
    """
    rows = (_reading_of(window, repeated) for repeated in repeated_results(window.messages))
    return tuple(sorted(rows, key=lambda repeat: -repeat.wasted))


def repeated_results(messages: Sequence[Message]) -> list[RepeatedResult]:
    """Results that hold the same, of files and pages first; each is older than another in one of them at the most.

    Failures and placeholders hold nothing. Raises OSError where a recording is gone.
    """
    actions = Actions(messages)
    results: dict[int, Action | None] = {
        place: actions.of(message)
        for place, message in enumerate(messages)
        if message.answers is not None and not message.is_error and message.placeholder is None
    }
    texts = dict(zip(results, result_identities([messages[place] for place in results]), strict=True))
    rows = list(_repeats_of_places(results, texts))
    older = {place for row in rows for place in row.places[:-1]}
    rest = {place: action for place, action in results.items() if place not in older}
    return [*rows, *_repeats_of_texts(messages, rest, texts)]


def _repeats_of_places(results: dict[int, Action | None], texts: dict[int, bytes]) -> Iterator[RepeatedResult]:
    """Files and pages, and parts of them, that were read more than once."""
    readings: dict[tuple[str, str], list[int]] = {}
    for place, action in results.items():
        if action and action.kind in ("read", "fetch") and action.resource:
            part = "" if action.is_whole else action.subject
            readings.setdefault((action.resource, part), []).append(place)
    for (resource, _), places in readings.items():
        last = {texts[place]: place for place in places}
        relations: list[Relation] = ["stale" if last[texts[place]] == place else "same" for place in places[:-1]]
        if relations:
            yield RepeatedResult(resource, tuple(places), (*relations, "newest"))


def _repeats_of_texts(
    messages: Sequence[Message], results: dict[int, Action | None], texts: dict[int, bytes]
) -> Iterator[RepeatedResult]:
    """Long results that say word for word the same."""
    same: dict[bytes, list[int]] = {}
    for place in results:
        if messages[place].chars >= _SHORTEST:
            same.setdefault(texts[place], []).append(place)
    for places in same.values():
        if len(places) > 1:
            action = results[places[-1]]
            name = " ".join(filter(None, (action.tool, action.subject))) if action else messages[places[-1]].id
            relations: list[Relation] = ["same"] * (len(places) - 1)
            yield RepeatedResult(name, tuple(places), (*relations, "newest"), by_text=True)


def _reading_of(window: Window, repeated: RepeatedResult) -> RepeatedReading:
    pairs = zip(repeated.places, repeated.relations, strict=True)
    rows = [Reading(window.ids[place], window.tokens[place], relation) for place, relation in pairs]
    return RepeatedReading(repeated.resource, tuple(rows), repeated.by_text)
