"""What a window holds of one file or page more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.actions import Actions
from inspector.caches import MessageCache
from inspector.text import plural
from inspector.tokens import digest
from inspector.window import Window

Relation = Literal["newest", "same", "stale"]
"""newest: the last reading of it. same: a later one says the same. stale: it was read again and said something else."""
_DIGESTS: MessageCache[bytes] = MessageCache("digests of readings")


@dataclass(frozen=True, slots=True)
class Reading:
    """A result that holds what was read."""

    message: str
    """The id of the result."""
    tokens: int
    relation: Relation


@dataclass(frozen=True, slots=True)
class RepeatedReading:
    """A file or page, or a part of one, that was read more than once."""

    resource: str
    readings: tuple[Reading, ...]
    """Oldest first."""

    @property
    def wasted(self) -> int:
        """Tokens of all readings but the newest."""
        return sum(reading.tokens for reading in self.readings if reading.relation != "newest")

    @property
    def sentence(self) -> str:
        """How often it was read: "read 4 times, 3 stale"."""
        counts = [sum(reading.relation == relation for reading in self.readings) for relation in ("same", "stale")]
        words = [f"{count} {word}" for count, word in zip(counts, ("the same again", "stale"), strict=True) if count]
        return f"read {plural(len(self.readings), 'time')}, {', '.join(words)}"


def repeats(window: Window) -> tuple[RepeatedReading, ...]:
    """What was read more than once, the most wasteful first. Raises OSError where a recording is gone."""
    actions = Actions(window.messages)
    readings: dict[tuple[str, str], list[int]] = {}
    for place, message in enumerate(window.messages):
        if message.answers is None or message.is_error or message.placeholder is not None:
            continue
        action = actions.of(message)
        if action and action.kind in ("read", "fetch") and action.resource:
            part = "" if action.is_whole else action.subject
            readings.setdefault((action.resource, part), []).append(place)
    rows = [_repeat(window, resource, places) for (resource, _), places in readings.items() if len(places) > 1]
    return tuple(sorted(rows, key=lambda repeat: -repeat.wasted))


def _repeat(window: Window, resource: str, places: list[int]) -> RepeatedReading:
    texts = [_DIGESTS.get(window.messages[place], digest) for place in places]
    rows: list[Reading] = []
    for number, place in enumerate(places):
        later = texts[number + 1 :]
        relation: Relation = "newest" if not later else "same" if texts[number] in later else "stale"
        rows.append(Reading(window.messages[place].id, window.tokens[place], relation))
    return RepeatedReading(resource, tuple(rows))
