"""The context of OpenHands: its events, and the positions of the summaries that replace condensed events.

A condensation names the events that it removes, and may have a summary with the number of events before it. In the
agent SDK, each summary becomes an event of the context, which a later condensation may remove by its id
(https://github.com/OpenHands/software-agent-sdk: `Condensation.apply`, `View.from_events`). In earlier versions, the
newest summary replaces all others and stays at its position, and the system prompt and the first message of the user
are added to the request again (https://github.com/All-Hands-AI/OpenHands: `memory/view.py` and
`memory/conversation_memory.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from inspector.core.conversation import MAIN, CallHead, Kind, Role, Text
from inspector.core.sequences import common_start
from inspector.formats.building.blocks import blocks_of
from inspector.formats.building.log_builder import LogBuilder

FOLDER = (("folder", "working_dir"),)
"""Name of the recorded folder in the state of the work, and its field."""
_NEW = -1
"""Stands for the position of a summary that has none yet."""


class Summary(NamedTuple):
    """Facts of a condensation about the events that it removes."""

    name: str
    """The id of the condensation."""
    text: Any
    """None where it says nothing."""
    offset: Any
    """Number of events of the context before it. Without a number it is not sent."""
    record: dict[str, Any]
    time: str


@dataclass(slots=True)
class _Event:
    """An event of the context."""

    id: Hashable
    places: list[int]
    """The positions of its messages; the actions of one reply have the same."""


class CondensedLog:
    """Knows which event each message of the context came of."""

    def __init__(self, log: LogBuilder, *, has_one_summary: bool) -> None:
        """`has_one_summary` is how the versions before the agent SDK make their requests."""
        self.log = log
        self.has_one_summary = has_one_summary
        self.events: list[_Event] = []
        self.summaries: set[Hashable] = set()
        """The ids of the summaries so far."""
        self._last: tuple[_Event, int] | None = None
        """The newest summary, with its offset."""
        self._heads: dict[Role, int] = {}
        """The positions of the system prompt and of the first words of the user, by their roles."""
        self._parts: Counter[int] = Counter()
        """Number of events of each message."""
        self._names: dict[int, str] = {}
        """The ids of the messages that copies are of."""

    def keep(self, event: Hashable, places: Iterable[int]) -> None:
        """Note that an event has come into the context, with the positions of its messages."""
        self.events.append(_Event(event, [*places]))
        self._parts.update(self.events[-1].places)
        for message, place in ((self.log.messages[place], place) for place in self.events[-1].places):
            if message.kind == "chat":
                self._heads.setdefault(message.role, place)

    def drop(self, count: int) -> None:
        """Forget the newest events, so that so many are left: their messages are taken out of the log."""
        for event in self.events[count:]:
            self._parts.subtract(event.places)
        del self.events[count:]

    def condense(self, gone: Container[Hashable], summary: Summary) -> None:
        """Go on with a context without some events, and with a summary, where there is one that is sent."""
        self.events = [event for event in self.events if event.id not in gone]
        if not self.log.has_room_for(len(self.events)):
            self.events = []
        new = self._last if self.has_one_summary else None
        is_sent = summary.text is not None and type(summary.offset) is int
        if is_sent:
            new = _Event(f"{summary.name}-summary", [_NEW]), summary.offset
        if self.has_one_summary:
            self.events = [event for event in self.events if event.id not in self.summaries]
        if new:
            self._last = event, offset = new
            self.summaries.add(event.id)
            self.events.insert(max(-len(self.events), min(offset, len(self.events))), event)
        self._go_on(summary)
        if summary.text is not None and not is_sent:
            self._add_summary(summary, "notice")

    def _go_on(self, summary: Summary) -> None:
        """Continue the log from the last message before which the context is unchanged, with the messages after it."""
        rows, path = self._rows(), self._path()
        same = common_start(rows, path)
        self.log.begin_anew(after=rows[same - 1] if same else -1)
        moved = dict[int, int]()
        for place in rows[same:]:
            moved[place] = self._add_summary(summary, "summary") if place == _NEW else self._copy(place)
        stay = frozenset(rows[:same])
        self._heads = {role: at if at in stay else moved.get(at, at) for role, at in self._heads.items()}
        for event in self.events:
            event.places = [moved.get(place, place) for place in event.places]

    def _add_summary(self, summary: Summary, kind: Kind) -> int:
        place = self.log.add_parts(
            summary.name, "user", blocks_of(summary.text) or [Text("")], summary.record, kind=kind, time=summary.time
        )
        self._parts[place] = 1
        return place

    def _copy(self, place: int) -> int:
        message = self.log.messages[place]
        name = self._names.get(place, message.id)
        copy = self.log.add(
            name, message.raw, {}, kind=message.kind_of_copy, time=message.time, is_error=message.is_error
        )
        self._names[copy], self._parts[copy] = name, self._parts[place]
        return copy

    def _path(self) -> list[int]:
        """Return the log positions of the context."""
        path: list[int] = []
        place = self.log.ends.get(MAIN, -1)
        while place >= 0:
            path.append(place)
            place = self.log.messages[place].parent
        return path[::-1]

    def _rows(self) -> list[int]:
        """Return the positions of the messages that are sent."""
        events = [event for event in self.events if event.places != [_NEW]]
        places = [*dict.fromkeys(chain.from_iterable(event.places for event in events))]
        if not self.has_one_summary:
            parts = Counter(chain.from_iterable(event.places for event in events))
            places = [place for place in places if parts[place] == self._parts[place]]
        places = self._with_whole_calls(places)
        at = next((at for at, event in enumerate(self.events) if event.places == [_NEW]), None)
        if at is not None:  # before the first message that any of the events behind it is a part of
            behind = {place for event in self.events[at:] for place in event.places}
            places.insert(next((at for at, place in enumerate(places) if place in behind), len(places)), _NEW)
        return self._with_heads(places) if self.has_one_summary else places

    def _with_whole_calls(self, places: Sequence[int]) -> list[int]:
        """Messages without replies whose calls have lost a result, and without results whose call has gone."""
        messages = self.log.messages
        answers = {messages[place].answers for place in places}
        whole = [place for place in places if all(call.id in answers or _ends(call) for call in messages[place].calls)]
        calls = {call.id for place in whole for call in messages[place].calls}
        return [place for place in whole if (answer := messages[place].answers) is None or answer in calls]

    def _with_heads(self, places: list[int]) -> list[int]:
        """Return the messages with the system prompt first, followed by words of the user."""
        prompt, task = self._heads.get("system"), self._heads.get("user")
        has_prompt = any(self._is_said(place, "system") for place in places)
        if prompt is not None and not has_prompt:
            places, has_prompt = [prompt, *places], True
        at = 1 if has_prompt else 0
        if task is not None and not any(self._is_said(place, "user") for place in places[at : at + 1]):
            places.insert(at, task)
        return places

    def _is_said(self, place: int, role: Role) -> bool:
        message = self.log.messages[place]
        return place != _NEW and message.role == role and message.kind == "chat"


def _ends(call: CallHead) -> bool:
    """Return True if a call ends the work, so that nothing answers it."""
    return call.name == "finish"
