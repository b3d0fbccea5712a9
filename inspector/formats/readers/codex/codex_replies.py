"""Replies that a rollout records twice, as an item and as an event, by which a missing item is noticed."""

from __future__ import annotations

from collections import deque

_PREFIX = 200
"""Characters that are compared. An item may end with citations that the event lacks."""
_RECENT = 8
"""Items before an event that may be its item."""
_MAX_WAITING = 100


class RepeatedReplies:
    """Compares the events with the items, turn by turn."""

    def __init__(self) -> None:
        self._recent: deque[str] = deque(maxlen=_RECENT)
        """Beginnings of the newest items that no event has repeated."""
        self._waiting: list[tuple[int, str]] = []
        """Events of the turn that have no item so far, each with its line and its beginning."""
        self._last = ("", "")
        self._has_pairs = False
        """True if some event has its item. Otherwise the rollout records no items."""

    def add_event(self, text: str, time: str, number: int) -> None:
        """Add an event on a line. The same event on two lines in a row counts once."""
        start = text.strip()[:_PREFIX]
        if not start or self._last == (start, time):
            return
        self._last = start, time
        for known in self._recent:
            if known.startswith(start):
                self._recent.remove(known)
                self._has_pairs = True
                return
        if len(self._waiting) < _MAX_WAITING:
            self._waiting.append((number, start))

    def add_item(self, text: str) -> None:
        """Add a reply that is an item."""
        start = text.strip()[:_PREFIX]
        for event in self._waiting:
            if start.startswith(event[1]):
                self._waiting.remove(event)
                self._has_pairs = True
                return
        self._recent.append(start)

    def end_turn(self) -> list[int]:
        """Return the lines of the turn's events whose items are missing, and begin another turn."""
        waiting, self._waiting = self._waiting, []
        return [number for number, _ in waiting] if self._has_pairs else []

    def begin(self) -> None:
        """Forget the events of a turn that did not end. A fork copies such events without all of their items."""
        self._waiting.clear()
