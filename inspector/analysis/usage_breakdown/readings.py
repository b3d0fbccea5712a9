"""Find duplicate content in a window: repeated reads of a file or page, and identical tool results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis.tool_activity import Action, Actions, is_content
from inspector.core.conversation import Message
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import plural
from inspector.engine.window import Window
from inspector.llm.tokens import result_identities

Relation = Literal["newest", "same", "stale"]
"""Relation of a read to the later ones of the same file.

newest  the last read
same    a later read has the same content
stale   it was read again later, with different content
"""
_ANSWERING = frozenset({"WebFetch", "web_fetch"})
"""Tools that answer a question about a page. Their results differ with the question, although the page does not."""
_SHORTEST = 200
"""Minimum characters of a tool result whose exact repetition is reported."""


@json_object("Single reading")
@dataclass(frozen=True, slots=True)
class Reading:
    """A tool result that contains the content of a read."""

    message: Annotated[str, "id of the result"]
    tokens: Tokens
    relation: Annotated[
        Relation,
        "newest: the last one. same: a later one has the same content. stale: a later one has different content",
    ]


@json_object(keys="resource by_text wasted readings")
@dataclass(frozen=True, slots=True)
class RepeatedReading:
    """A file, page or part of one that was read several times, or a result that was returned several times."""

    resource: Annotated[str, "path or URL; otherwise the tool and the arguments of the newest call"]
    readings: Annotated[tuple[Reading, ...], "oldest first"]
    by_text: Annotated[bool, "true if they are grouped by equal content instead of by resource"] = False

    @property
    def wasted(self) -> Annotated[Tokens, "of all readings but the newest"]:
        return sum(reading.tokens for reading in self.readings if reading.relation != "newest")

    @property
    def sentence(self) -> str:
        """Number of reads in words: "read 4 times, 3 stale", or "the same 4 times" for identical results."""
        times = plural(len(self.readings), "time")
        if self.by_text:
            return f"the same {times}"
        counts = [sum(reading.relation == relation for reading in self.readings) for relation in ("same", "stale")]
        words = [f"{count} {word}" for count, word in zip(counts, ("the same again", "stale"), strict=True) if count]
        return f"read {times}, {', '.join(words)}"


@dataclass(frozen=True, slots=True)
class RepeatedResult:
    """Tool results with the same content among some messages: a file, a page, a part of one, or one long text."""

    resource: str
    """Path, address or call, as in `RepeatedReading`."""
    places: tuple[int, ...]
    """Positions of two or more results among the messages, in ascending order."""
    relations: tuple[Relation, ...]
    """Relation of each of the results."""
    by_text: bool = False


def repeats(window: Window) -> tuple[RepeatedReading, ...]:
    """Return the repeated reads and results of a window, the most wasteful first.

    A result is counted as wasted only once.

    Raises:
        OSError: If the recording can no longer be read.
    """
    rows = (_reading_of(window, repeated) for repeated in repeated_results(window.messages))
    return tuple(sorted(rows, key=lambda repeat: -repeat.wasted))


def repeated_results(messages: Sequence[Message]) -> list[RepeatedResult]:
    """Return the groups of tool results with the same content, files and pages first.

    A result is superseded in at most one group. Errors and placeholders are ignored.

    Raises:
        OSError: If the recording can no longer be read.
    """
    actions = Actions(messages)
    results = {place: _action_of(actions, message) for place, message in enumerate(messages) if is_content(message)}
    texts = dict(zip(results, result_identities([messages[place] for place in results]), strict=True))
    rows = list(_repeats_of_places(results, texts))
    older = {place for row in rows for place in row.places[:-1]}
    rest = {place: action for place, action in results.items() if place not in older}
    return [*rows, *_repeats_of_texts(messages, rest, texts)]


def _action_of(actions: Actions, message: Message) -> Action | None:
    """Return the read that a result completes if it contains one file; otherwise the action of its call."""
    reads = actions.reads_of(message)
    return reads[0] if len(reads) == 1 else actions.of(message)


def _repeats_of_places(results: dict[int, Action | None], texts: dict[int, bytes]) -> Iterator[RepeatedResult]:
    """Yield the files, pages and parts of them that were read several times."""
    readings: dict[tuple[str, str], list[int]] = {}
    for place, action in results.items():
        if action and action.kind in ("read", "fetch") and action.resource:
            part = texts[place].hex() if action.tool in _ANSWERING else _part_of(action)
            readings.setdefault((action.resource, part), []).append(place)
    for (resource, _), places in readings.items():
        last = {texts[place]: place for place in places}
        relations: list[Relation] = ["stale" if last[texts[place]] == place else "same" for place in places[:-1]]
        if relations:
            yield RepeatedResult(resource, tuple(places), (*relations, "newest"))


def _part_of(action: Action) -> str:
    """Return the lines that a read states; "" for a whole file."""
    return "" if action.is_whole else str(action.lines or action.subject)


def _repeats_of_texts(
    messages: Sequence[Message], results: dict[int, Action | None], texts: dict[int, bytes]
) -> Iterator[RepeatedResult]:
    """Yield the groups of long results with identical text."""
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
