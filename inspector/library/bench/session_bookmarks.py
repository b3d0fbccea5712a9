"""Bookmarks of an open session. Changes are made here at once, and in the store once it contains the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.library.bench.workbench import Workbench
from inspector.store import Store

Change = Callable[[Store], object]
"""A change to the store."""


class SessionBookmarks:
    """Notes by message id. `write` makes a change in the store, at once or later; None to store nothing."""

    def __init__(self, bench: Workbench, write: Callable[[Change], None] | None = None) -> None:
        self._write = write
        self._store_id = bench.store_id
        self._session = bench.session
        self._early: dict[str, str | None] = {}
        """Changes made before the session was in the store; None for a removed bookmark."""
        self.notes: Mapping[str, str] = dict(bench.bookmarks)
        """Current notes. Every change creates a new mapping."""

    def __contains__(self, message_id: str) -> bool:
        return message_id in self.notes

    def can_take(self, message_id: str) -> bool:
        """Return True if a message is in the log. Messages created by a plan cannot be bookmarked."""
        return any(message.id == message_id for message in self._session.messages)

    def put(self, message_id: str, note: str) -> None:
        """Bookmark a message, or replace the note of its bookmark."""
        self.notes = {**self.notes, message_id: note}
        self._store(message_id, note)

    def remove(self, message_id: str) -> None:
        """Remove a bookmark."""
        self.notes = {name: note for name, note in self.notes.items() if name != message_id}
        self._store(message_id, None)

    def set_bench(self, bench: Workbench) -> None:
        """Continue with a better bench of the same session. Once it is stored, earlier changes are stored too."""
        self._session = bench.session
        if self._store_id:
            return
        notes: dict[str, str | None] = {**bench.bookmarks, **self.notes, **self._early}
        self.notes = {name: note for name, note in notes.items() if note is not None}
        self._store_id = bench.store_id
        if self._store_id:
            early, self._early = self._early, {}
            for message_id, note in early.items():
                self._store(message_id, note)

    def _store(self, message_id: str, note: str | None) -> None:
        store_id = self._store_id
        if not store_id:
            self._early[message_id] = note
            return

        def change(store: Store) -> None:
            if note is None:
                store.bookmarks.remove(store_id, message_id)
            else:
                store.bookmarks.put(store_id, message_id, note)

        if self._write is not None:
            self._write(change)
