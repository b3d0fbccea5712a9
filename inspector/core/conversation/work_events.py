"""Facts about the state of the work that a format records in addition to the text: the folder, the branch, the mode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class WorkEvent(NamedTuple):
    """A recorded change of the state of the work."""

    part: str
    """The part of the state: "where", "mode", "instruction", "running"; or "request" or "removed", about the
    request that a reply answers."""
    name: str
    """The item of the part: "folder", "branch", "permission", the name of a skill, the id of a process."""
    value: str
    """The new value. "" ends the item."""


NEW_TOOLS = WorkEvent("request", "tools", "changed")
"""Event of a reply to a request that defines other tools than the request before it."""
REMOVED = "removed"
"""Part of the event of a reply to a request from which the API removed content: the kind of edit, and the tokens."""


LISTED = "listed"
"""Value of an event about a command that the agent is reported to run, named by the command itself."""


class WorkEvents:
    """Turns values that are recorded again and again into events, one for each change."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str, str], str] = {}
        self._waiting: dict[str, list[WorkEvent]] = {}

    def note(self, part: str, values: Iterable[tuple[str, object]], thread: str = "") -> None:
        """Note the recorded values of a part, for the next message of a thread. Other values than text are ignored.

        Args:
            part: The part of the state.
            values: Names and values.
            thread: The agent or thread that they belong to.
        """
        for name, value in values:
            if isinstance(value, str) and value and self._last.get((thread, part, name)) != value:
                self._last[thread, part, name] = value
                self._waiting.setdefault(thread, []).append(WorkEvent(part, name, value))

    def add(self, part: str, name: str, value: str, thread: str = "") -> None:
        """Add an event for the next message of a thread, whether or not the value has changed.

        Args:
            part: Part of the state.
            name: Name of the item within the part.
            value: New value.
            thread: Conversation that it belongs to; "" for the main one.
        """
        self._waiting.setdefault(thread, []).append(WorkEvent(part, name, value))

    def copy(self) -> WorkEvents:
        """Return a copy that can take the events without removing them here."""
        other = WorkEvents()
        other._last = dict(self._last)
        other._waiting = {thread: list(events) for thread, events in self._waiting.items()}
        return other

    def take(self, thread: str = "") -> tuple[WorkEvent, ...]:
        """Return the events since the last call for a thread."""
        return tuple(self._waiting.pop(thread, ()))


def named_values(fields: object, names: Iterable[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    """Yield the values of a JSON object under other names.

    Args:
        fields: The object. Anything else has no values.
        names: The name of each value, and the field that holds it.
    """
    if isinstance(fields, dict):
        yield from ((name, fields[field]) for name, field in names if field in fields)
