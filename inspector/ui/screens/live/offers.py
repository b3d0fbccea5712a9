"""Sessions that the Live screen offers to follow."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from inspector.core.errors import InspectorError
from inspector.library import Entry, age_of, list_entries
from inspector.store import Store

_MAX_OFFERS = 50
"""Maximum number of sessions to offer, by the time of their last change."""
RECENT = 120.0
"""Seconds after a change during which a session is probably still being written."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A session that can be followed, and the time of its last change in Unix seconds."""

    entry: Entry
    changed: float

    @property
    def target(self) -> str:
        """Its file, or its ID in the store."""
        return self.entry.path or self.entry.target

    @property
    def is_recent(self) -> bool:
        """True if it is probably still being written."""
        return time.time() - self.changed < RECENT


def recent_offers(entries: Sequence[Entry], store: Store | None, look_around: bool) -> tuple[Offer, ...]:
    """Return the most recently changed sessions, each file once, by the times of the files. Runs in a thread."""
    others: list[Entry] = []
    with suppress(InspectorError):  # the store may be unreadable at the moment
        others += [entry for entry, _ in list_entries((), store, look_around)]
    offers: dict[str, Offer] = {}
    for entry in (*others, *entries):
        changed = 0.0 if entry.problem else _time_of_change(entry)
        if changed:
            offers.setdefault(entry.path or entry.target, Offer(entry, changed))
    return tuple(sorted(offers.values(), key=lambda offer: offer.changed, reverse=True)[:_MAX_OFFERS])


def _time_of_change(entry: Entry) -> float:
    """Return when a session's file or stored copy changed, in Unix seconds; 0 if it cannot be followed."""
    if entry.path:
        with suppress(OSError, ValueError):
            return Path(entry.path).stat().st_mtime
        return 0.0
    age = age_of(entry.changed, datetime.now(UTC))
    return 0.0 if age is None else time.time() - age
