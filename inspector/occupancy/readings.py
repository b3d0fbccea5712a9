"""What a window holds more than once: readings of one file or page, and results that say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inspector.actions import Action, Actions
from inspector.text import plural
from inspector.tokens import result_identities
from inspector.window import Window

Relation = Literal["newest", "same", "stale"]
"""newest: the last reading of it. same: a later one says the same. stale: it was read again and said something else."""
_SHORTEST = 200
"""Characters from which on a result that another one repeats word for word is worth being named."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A result that holds what was read."""

    message: str
    """The id of the result."""
    tokens: int
    relation: Relation


@dataclass(frozen=True, slots=True)
class RepeatedReading:
    """A file or page, or a part of one, that was read more than once, or a result that was given more than once."""

    resource: str
    """The path or address; of what is none, the tool and what the newest call asked for."""
    readings: tuple[Reading, ...]
    """Oldest first."""
    by_text: bool = False
    """Whether they belong together because they say the same, whatever they were asked with."""

    @property
    def wasted(self) -> int:
        """Tokens of all readings but the newest."""
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


def repeats(window: Window) -> tuple[RepeatedReading, ...]:
    """What was read or given more than once, the most wasteful first: a result is wasted in one of them at the most.

    Raises OSError where a recording is gone.
    """
    actions = Actions(window.messages)
    results: dict[int, Action | None] = {
        place: actions.of(message)
        for place, message in enumerate(window.messages)
        if message.answers is not None and not message.is_error and message.placeholder is None
    }
    texts = dict(zip(results, result_identities([window.messages[place] for place in results]), strict=True))
    rows = list(_repeats_of_places(window, results, texts))
    wasted = {reading.message for row in rows for reading in row.readings if reading.relation != "newest"}
    rest = {place: action for place, action in results.items() if window.ids[place] not in wasted}
    return tuple(sorted([*rows, *_repeats_of_texts(window, rest, texts)], key=lambda repeat: -repeat.wasted))


def _repeats_of_places(
    window: Window, results: dict[int, Action | None], texts: dict[int, bytes]
) -> Iterator[RepeatedReading]:
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
            yield _repeat(window, resource, places, [*relations, "newest"])


def _repeats_of_texts(
    window: Window, results: dict[int, Action | None], texts: dict[int, bytes]
) -> Iterator[RepeatedReading]:
    """Long results that say word for word the same."""
    same: dict[bytes, list[int]] = {}
    for place in results:
        if window.messages[place].chars >= _SHORTEST:
            same.setdefault(texts[place], []).append(place)
    for places in same.values():
        if len(places) > 1:
            action = results[places[-1]]
            name = " ".join(filter(None, (action.tool, action.subject))) if action else window.ids[places[-1]]
            relations: list[Relation] = ["same"] * (len(places) - 1)
            yield _repeat(window, name, places, [*relations, "newest"], by_text=True)


def _repeat(
    window: Window, resource: str, places: list[int], relations: list[Relation], *, by_text: bool = False
) -> RepeatedReading:
    rows = [
        Reading(window.ids[place], window.tokens[place], relation)
        for place, relation in zip(places, relations, strict=True)
    ]
    return RepeatedReading(resource, tuple(rows), by_text)
