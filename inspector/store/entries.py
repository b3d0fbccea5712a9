"""The entries of the session tier and of the persistent tier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from inspector.store import memory_entries, vector_rows
from inspector.store.connections import Connections, snapshot, transaction
from inspector.store.memory_entries import Memory, MemoryFilter, MemoryKind, MemorySize, StoredTierName, expiry_of

PERSISTENT = MemoryFilter(tier="persistent")
ANY = MemoryFilter()
_CHUNK = 500
"""Entries that are asked for in one statement."""


class Entries:
    """The entries of a store. Every method raises StoreError, one sentence, when the file cannot be used."""

    def __init__(self, connections: Connections, clock: Callable[[], str]) -> None:
        self._connections = connections
        self._clock = clock

    @property
    def now(self) -> datetime:
        """The time by the store's clock."""
        return datetime.fromisoformat(self._clock())

    @property
    def has_traces(self) -> bool:
        """True if the log may contain text that was deleted here, because another program is reading.

        The text is removed when the last program closes the store, or the next time the store is used.
        """
        return self._connections.has_traces

    # what is remembered

    def remember(
        self,
        kind: MemoryKind,
        text: str,
        session_id: str | None = None,
        message_id: str | None = None,
        once: bool = False,
        *,
        tier: StoredTierName = "persistent",
        key: str | None = None,
        agent: str = "",
        message_ids: Iterable[str] = (),
        reason: str = "",
        origin: str = "",
        tokens: int | None = None,
        ttl: float | None = None,
        is_pinned: bool = False,
    ) -> int:
        """Add an entry to a tier and return its number.

        An entry with a key replaces the one with the same key: in its session in the session tier, and in all sessions
        in the persistent tier.

        Args:
            kind: Kind of the entry.
            text: Text of the entry.
            session_id, message_id: Session and message that it comes from.
            once: True to keep an equal entry of the same message instead of adding another.
            tier: Tier that it is added to.
            key: Name of the entry.
            message_ids: Messages that it represents, in order. The last one takes the place of `message_id`.
            agent, reason, origin: Agent that it comes from, reason for adding it, and the adding strategy or program.
            tokens: Number of tokens, if counted.
            ttl: Seconds until it expires, or None for never.
            is_pinned: True if it never expires and survives an undone plan.

        Raises:
            StoreError: The session is not stored, or the file cannot be written.
        """
        ids = tuple(message_ids) or (() if message_id is None else (message_id,))
        now = self._clock()
        expires_at = None if is_pinned else expiry_of(now, ttl)
        entry = Memory(
            0, kind, text, session_id, ids[-1] if ids else None, tokens, now, tier=tier, key=key, agent=agent,
            message_ids=ids, reason=reason, origin=origin, is_pinned=is_pinned, expires_at=expires_at,
        )  # fmt: skip
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.remember(connection, entry, once)

    def find(
        self,
        kind: MemoryKind,
        text: str,
        session_id: str | None = None,
        message_id: str | None = None,
        tier: StoredTierName = "persistent",
    ) -> int | None:
        """Return the number of an equal entry of a tier, or None.

        Args:
            kind: Kind of the entry.
            text: Text of the entry.
            session_id: Session that it comes from.
            message_id: Message that it comes from.
            tier: The tier.
        """
        with self._connections.use() as connection:
            return memory_entries.find_memory(connection, kind, text, session_id, message_id, self._clock(), tier)

    def get(self, id: int) -> Memory:
        """Return an entry by its number. Raises StoreError if it does not exist or has expired."""
        with self._connections.use() as connection:
            return memory_entries.memory(connection, id, self._clock())

    def page(self, limit: int = 1000, offset: int = 0, *, meant: MemoryFilter = ANY) -> list[Memory]:
        """Return entries, the newest first.

        Args:
            limit: Maximum number of entries, or a negative number for all.
            offset: Number of entries to skip.
            meant: Filter for the entries.
        """
        with self._connections.use() as connection:
            return memory_entries.memories(connection, meant, self._clock(), limit, offset)

    def select(self, ids: Iterable[int], meant: MemoryFilter = ANY) -> dict[int, Memory]:
        """Return the entries with these numbers that exist and match the filter, by number."""
        rest = list(ids)
        with self._connections.use() as connection, snapshot(connection):
            now = self._clock()
            chunks = (rest[start : start + _CHUNK] for start in range(0, len(rest), _CHUNK))
            return {
                entry.id: entry for chunk in chunks for entry in memory_entries.select(connection, chunk, meant, now)
            }

    def sizes(self, meant: MemoryFilter = ANY) -> list[MemorySize]:
        """Return the number and size of the matching entries, by tier and kind."""
        with self._connections.use() as connection:
            return memory_entries.sizes(connection, meant, self._clock())

    def recall(self, words: str, limit: int = 5, *, meant: MemoryFilter = PERSISTENT) -> list[Memory]:
        """Return entries with any of the words, the best match by BM25 first.

        Args:
            words: The words.
            limit: Maximum number of entries.
            meant: Filter for the entries. By default those of the persistent tier.
        """
        with self._connections.use() as connection:
            return memory_entries.recall(connection, words, limit, meant, self._clock())

    def count_word(self, word: str) -> int:
        """Return the number of entries that contain a word."""
        with self._connections.use() as connection:
            return memory_entries.count_word(connection, word)

    # what becomes of it

    def promote(self, id: int) -> Memory:
        """Let an entry of the session tier outlive its session. One of the persistent tier stays as it is."""
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.move(connection, id, "persistent", self._clock(), None)

    def demote(self, id: int, session_id: str | None = None) -> Memory:
        """Move an entry into the session tier, from where it is deleted with its session.

        Args:
            id: Number of the entry.
            session_id: The session; by default the one that the entry comes from.

        Raises:
            StoreError: The entry comes from no session, and none is given.
        """
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.move(connection, id, "session", self._clock(), session_id)

    def pin(self, id: int) -> Memory:
        """Let an entry stay until it is forgotten by its number: it never expires, nor goes with an undone plan."""
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.mark(connection, id, self._clock(), is_pinned=1, expires_at=None)

    def unpin(self, id: int) -> Memory:
        """Take a pin away; the entry has no time to expire at until it is given one."""
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.mark(connection, id, self._clock(), is_pinned=0)

    def expire(self, id: int, ttl: float | None) -> Memory:
        """Set the lifetime of an entry.

        Args:
            id: Number of the entry.
            ttl: Seconds from now; None if it never expires.

        Raises:
            StoreError: The entry is pinned.
        """
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.set_expiry(connection, id, self._clock(), ttl)

    def touch(self, ids: Iterable[int]) -> None:
        """Note that entries came back into a window now."""
        with self._connections.use() as connection, transaction(connection):
            memory_entries.touch(connection, ids, self._clock())

    def forget(self, *ids: int) -> int:
        """Delete entries and every trace of their texts in the file (see `has_traces`), and return their number.

        The log does not change: its texts are deleted with their session only.
        """
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.forget(connection, ids)

    def sweep_expired(self) -> int:
        """Delete what has expired, with every trace. Gives how many entries there were. No reader saw them already."""
        with self._connections.use() as connection, transaction(connection):
            return memory_entries.sweep(connection, self._clock())

    # vectors

    def save_vectors(self, model: str, rows: Iterable[tuple[int, str, bytes]]) -> None:
        """Store vectors computed by an embedding model. Entries that were removed or changed meanwhile are skipped.

        Args:
            model: Name of the model.
            rows: Number of the entry, the embedded text, and the vector as 32-bit floats.
        """
        with self._connections.use() as connection, transaction(connection):
            vector_rows.save_vectors(connection, model, rows)

    def vectors(self, model: str, after: int = 0) -> list[tuple[int, bytes]]:
        """Return the vectors of an embedding model with the numbers of their entries.

        Args:
            model: Name of the embedding model.
            after: Return only entries with numbers above this one.
        """
        with self._connections.use() as connection:
            return vector_rows.vectors(connection, model, after)

    def vector_state(self, model: str) -> tuple[int, int]:
        """Return a value that changes whenever vectors of a model are added or removed."""
        with self._connections.use() as connection:
            return vector_rows.vector_state(connection, model)

    def without_vector(self, model: str, limit: int = 100) -> list[tuple[int, str]]:
        """Return entries without a vector of a model, with their texts, the newest first.

        Args:
            model: Name of the embedding model.
            limit: Maximum number of entries.
        """
        with self._connections.use() as connection:
            return vector_rows.without_vector(connection, model, limit)
