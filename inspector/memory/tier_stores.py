"""Storage of a tier's entries: dictionaries, or a store's file. Both behave the same."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol

from inspector.core.conversation import Message
from inspector.engine.prompts import messages_of
from inspector.engine.retrieval import FullTextIndex, Retrieval, SearchDocument, select
from inspector.store import (
    Memory,
    MemoryFilter,
    MemoryKind,
    MemorySearch,
    Store,
    StoredTierName,
    estimate_tokens,
    expiry_of,
)

_ORIGIN = "manager"
_DEPTH = 50
"""Minimum number of matches to consider: large ones are skipped, and others become near misses."""
_FIELDS = 5
"""Fields of an entry in a cache."""
Identity = tuple[str, str | None, str | None, str | None, str]


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """An entry of a tier, with its source."""

    text: str
    message_ids: tuple[str, ...] = ()
    """Ids of the messages that it represents, in order."""
    kind: MemoryKind = "archived"
    session_id: str | None = None
    message: Message | None = field(default=None, compare=False, repr=False)
    """The message itself, if the entry is one of this session."""
    key: str | None = None
    """Name by which it is set and read; a tier has one entry of each kind with it."""

    @property
    def source(self) -> str | None:
        """Id of the last message that it represents. A session's summary covers all messages up to it."""
        return self.message_ids[-1] if self.message_ids else None

    @property
    def identity(self) -> Identity:
        """The fields by which two entries are the same one."""
        if self.key is not None:
            return self.kind, self.key, None, None, ""
        return self.kind, None, self.session_id, self.source, self.text


@dataclass(frozen=True, slots=True)
class TierRetrieval:
    """Results of a search in a tier, with reasons."""

    retrieval: Retrieval[int]
    """Its results and near misses, by the numbers of entries."""
    entries: Mapping[int, MemoryEntry]
    """The entries of the results and of the near misses."""

    @property
    def results(self) -> list[MemoryEntry]:
        """Retrieved entries, the best first."""
        return [self.entries[result.key] for result in self.retrieval.results]


@dataclass(frozen=True, slots=True)
class MemoryTurn:
    """The messages of one turn, every one with an id."""

    messages: tuple[Message, ...]

    def entries(self, session_id: str | None) -> list[MemoryEntry]:
        """Return one entry for each message that is not empty."""
        texts = ((message, message.text) for message in self.messages if message.kind != "notice")
        return [
            MemoryEntry(text, (message.id,), "archived", session_id, message) for message, text in texts if text.strip()
        ]


class MemoryTier(Protocol):
    """Entries of a tier. Expired ones are invisible."""

    def add(self, turn: Any, reason: str = "") -> list[MemoryEntry]:
        """Add a turn or entries. Existing entries are kept, but one with the same key is replaced.

        Args:
            turn: A turn, an entry, or a list of either.
            reason: Reason for adding it, shown by `inspector memory`.

        Returns:
            The entries.
        """

    def remove(self, entry: MemoryEntry) -> bool:
        """Remove an entry. Return True if it existed."""

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        """Return at most `limit` entries that contain any of the words, the best first."""

    def search(self, words: str, limit: int = 5, budget: int | None = None) -> TierRetrieval:
        """Return the best matches with reasons, and near misses.

        Args:
            words: The query.
            limit: Maximum number of entries.
            budget: Maximum number of their tokens, or None.
        """

    def set(self, key: str, text: str, kind: MemoryKind = "state", ttl: float | None = None) -> MemoryEntry:
        """Set the text of a name, replacing an older one.

        Args:
            key: The name.
            text: The text.
            kind: Kind of the entry.
            ttl: Seconds until it expires, or None for never.
        """

    def get(self, key: str, kind: MemoryKind = "state") -> str | None:
        """Return the text of the entry with this key and kind, or None."""

    def texts(self, kind: MemoryKind = "state") -> dict[str, str]:
        """Return all texts of a kind by name, in the order in which the names were first written."""

    def __contains__(self, entry: object) -> bool: ...

    def __iter__(self) -> Iterator[MemoryEntry]:
        """Yield all entries, the oldest first."""

    def __len__(self) -> int: ...


class InMemoryTier:
    """A tier in dictionaries."""

    def __init__(
        self,
        session_id: str | None = None,
        ids: Iterator[str] | None = None,
        *,
        caches: InMemoryTier | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Create an empty tier.

        Args:
            session_id: Session of the entries; None for no session.
            ids: IDs for messages without one.
            caches: Tier with cached retrievals, which become invalid when this tier changes.
            clock: Returns the time in seconds since 1970.
        """
        self._entries: dict[Identity, MemoryEntry] = {}
        self._numbers: dict[Identity, int] = {}
        self._expiry: dict[Identity, float] = {}
        self._last = 0
        self._index: FullTextIndex[int] = FullTextIndex()
        self._session_id = session_id
        self._ids = ids or turn_ids()
        self._caches = caches
        self._clock = clock

    def add(self, turn: Any, reason: str = "") -> list[MemoryEntry]:  # nobody looks at it here
        return [self._put(entry) for entry in entries_of(turn, self._session_id, self._ids)]

    def _put(self, entry: MemoryEntry, ttl: float | None = None) -> MemoryEntry:
        name = entry.identity
        if entry.key is None and self._is_there(name):
            return self._entries[name]
        self._last += 1
        self._numbers[name] = self._last
        self._entries[name] = entry
        self._expiry.pop(name, None)
        if ttl is not None:
            self._expiry[name] = self._clock() + ttl
        self._renew()
        return entry

    def remove(self, entry: MemoryEntry) -> bool:
        is_there = self._is_there(entry.identity)
        self._drop(entry.identity)
        return is_there

    def _drop(self, name: Identity) -> None:
        if name in self._entries:
            del self._entries[name], self._numbers[name]
            self._expiry.pop(name, None)
            self._renew()

    def _renew(self) -> None:
        """Forget what was retrieved from here before."""
        if self._caches is not None:
            for entry in [entry for entry in self._caches if entry.kind == "retrieval"]:
                self._caches.remove(entry)

    def _is_there(self, name: Identity) -> bool:
        return name in self._entries and self._expiry.get(name, self._clock() + 1) > self._clock()

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        return self.search(words, limit).results

    def search(self, words: str, limit: int = 5, budget: int | None = None) -> TierRetrieval:
        entries = {self._numbers[entry.identity]: entry for entry in self}
        texts = {number: entry.text for number, entry in entries.items()}
        self._index.hold(texts)
        matches = self._index.search(words, max(_DEPTH, 4 * limit))
        documents = {
            match.key: SearchDocument(texts[match.key], estimate_tokens(texts[match.key])) for match in matches
        }
        return TierRetrieval(select(words, matches, documents, limit, budget), entries)

    def set(self, key: str, text: str, kind: MemoryKind = "state", ttl: float | None = None) -> MemoryEntry:
        expiry_of("1970-01-01T00:00:00Z", ttl)
        return self._put(MemoryEntry(text, (), kind, self._session_id, key=key), ttl)

    def get(self, key: str, kind: MemoryKind = "state") -> str | None:
        name = MemoryEntry("", kind=kind, key=key).identity
        return self._entries[name].text if self._is_there(name) else None

    def texts(self, kind: MemoryKind = "state") -> dict[str, str]:
        return {entry.key: entry.text for entry in self if entry.kind == kind and entry.key is not None}

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, MemoryEntry) and self._is_there(entry.identity)

    def __iter__(self) -> Iterator[MemoryEntry]:
        for name in [name for name in self._expiry if not self._is_there(name)]:
            self._drop(name)
        return iter(list(self._entries.values()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class StoredTier:
    """The persistent tier of a store, or the session tier of a session that is in it.

    Every method raises StoreError, one sentence, when its file cannot be used.
    """

    def __init__(
        self,
        store: Store,
        session_id: str | None = None,
        ids: Iterator[str] | None = None,
        tier: StoredTierName = "persistent",
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._ids = ids or turn_ids()
        self._tier: StoredTierName = tier
        self._meant = MemoryFilter(tier=tier, session_id=session_id if tier == "session" else None)
        self._search = MemorySearch(store.entries, meant=self._meant)

    def add(self, turn: Any, reason: str = "") -> list[MemoryEntry]:
        entries = entries_of(turn, self._session_id, self._ids)
        for entry in entries:
            self._remember(entry, reason)
        return entries

    def _remember(self, entry: MemoryEntry, reason: str, ttl: float | None = None) -> None:
        session_id = self._session_id if self._tier == "session" else entry.session_id
        self._store.entries.remember(
            entry.kind, entry.text, session_id, message_ids=entry.message_ids, once=True, tier=self._tier,
            key=entry.key, reason=reason, origin=_ORIGIN, ttl=ttl,
        )  # fmt: skip

    def remove(self, entry: MemoryEntry) -> bool:
        number = self._number(entry)
        return number is not None and self._store.entries.forget(number) > 0

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        return self.search(words, limit).results

    def search(self, words: str, limit: int = 5, budget: int | None = None) -> TierRetrieval:
        hits = self._search.search(words, limit, budget)
        return TierRetrieval(hits.retrieval, {number: _entry_of(memory) for number, memory in hits.entries.items()})

    def set(self, key: str, text: str, kind: MemoryKind = "state", ttl: float | None = None) -> MemoryEntry:
        entry = MemoryEntry(text, (), kind, self._session_id, key=key)
        self._remember(entry, "", ttl)
        return entry

    def get(self, key: str, kind: MemoryKind = "state") -> str | None:
        rows = self._store.entries.page(1, meant=replace(self._meant, kind=kind, key=key))
        return rows[0].text if rows else None

    def texts(self, kind: MemoryKind = "state") -> dict[str, str]:
        rows = reversed(self._store.entries.page(-1, meant=replace(self._meant, kind=kind)))
        return {row.key: row.text for row in rows if row.key is not None}

    def _number(self, entry: MemoryEntry) -> int | None:
        if entry.key is not None:
            rows = self._store.entries.page(1, meant=replace(self._meant, kind=entry.kind, key=entry.key))
            return rows[0].id if rows else None
        session_id = self._session_id if self._tier == "session" else entry.session_id
        return self._store.entries.find(entry.kind, entry.text, session_id, entry.source, self._tier)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, MemoryEntry) and self._number(entry) is not None

    def __iter__(self) -> Iterator[MemoryEntry]:
        return map(_entry_of, reversed(self._store.entries.page(-1, meant=self._meant)))

    def __len__(self) -> int:
        return sum(size.entries for size in self._store.entries.sizes(self._meant))


class KeyedMemory:
    """The entries of one kind of a tier that have keys."""

    def __init__(self, tier: MemoryTier, kind: MemoryKind, ttl: float | None = None) -> None:
        """Create a view of the named entries of a tier.

        Args:
            tier: The tier.
            kind: Kind of the entries.
            ttl: Default number of seconds until an entry expires, or None for never.
        """
        self._tier = tier
        self._kind: MemoryKind = kind
        self._ttl = ttl

    def set(self, key: str, text: str, ttl: float | None = None) -> None:
        """Set the text of a name, replacing an older one.

        Args:
            key: The name.
            text: The text.
            ttl: Seconds until it expires, or None for the default.

        Raises:
            TypeError: The name or the text is not a text.
        """
        for value in (key, text):
            if not isinstance(value, str):
                raise TypeError(f"A name and its content are texts, not {type(value).__name__}.")
        self._tier.set(key, text, self._kind, self._ttl if ttl is None else ttl)

    def get(self, key: str, default: str | None = None) -> str | None:
        """Return the text of the entry with this key, or `default`."""
        text = self._tier.get(key, self._kind)
        return default if text is None else text

    def list(self) -> dict[str, str]:
        """Return all texts by name."""
        return self._tier.texts(self._kind)

    def delete(self, key: str) -> bool:
        """Remove the entry with this key. Return True if it existed."""
        return self._tier.remove(MemoryEntry("", kind=self._kind, key=key))


def turn_of(turn: Any, ids: Iterator[str]) -> MemoryTurn:
    """Return a turn in any accepted form, with an id for every message."""
    return turn if isinstance(turn, MemoryTurn) else MemoryTurn(tuple(messages_of(turn, "user", "chat", ids)))


def entries_of(turn: Any, session_id: str | None, ids: Iterator[str]) -> list[MemoryEntry]:
    """Return a turn, an entry, or a list of either as entries."""
    if isinstance(turn, MemoryEntry):
        return [turn]
    if isinstance(turn, Iterable) and not isinstance(turn, str | bytes | dict):
        items = list(turn)
        if any(isinstance(item, MemoryEntry) for item in items):
            return [entry for item in items for entry in entries_of(item, session_id, ids)]
        turn = items
    return turn_of(turn, ids).entries(session_id)


def turn_ids() -> Iterator[str]:
    """Yield ids for messages that have none."""
    return (f"said {number}" for number in count(1))


def _entry_of(memory: Memory) -> MemoryEntry:
    """Return an entry from that of a store."""
    return MemoryEntry(memory.text, memory.message_ids, memory.kind, memory.session_id, key=memory.key)


def entries_json(entries: Iterable[MemoryEntry]) -> str:
    """Return entries as a text for a cache, without their messages. See `entries_from_json`."""
    return json.dumps([[e.text, e.message_ids, e.kind, e.session_id, e.key] for e in entries])


def entries_from_json(text: str) -> list[MemoryEntry]:
    """Return the entries in a text from `entries_json`. Raises ValueError for any other text."""
    rows = json.loads(text)
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == _FIELDS for row in rows):
        raise ValueError("these are not entries")
    return [MemoryEntry(said, tuple(ids), kind, session_id, key=key) for said, ids, kind, session_id, key in rows]
