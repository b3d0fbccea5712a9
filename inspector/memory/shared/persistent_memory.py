"""Shared persistent memory: entries that agents share across sessions, in the persistent tier of a store."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson

from inspector.engine.retrieval import (
    Index,
    Retrieval,
    SearchDocument,
    default_index,
    embedder_from_environment,
    select,
)
from inspector.memory.shared.memory_tools import MemoryTools
from inspector.memory.shared.permissions import GROUPS
from inspector.memory.shared.shared_entries import count_tokens, last_request, message_text, quote, writer_name
from inspector.store import Memory, MemoryFilter, Store, default_path

_SHARED = "shared"
"""Prefix of the keys of shared entries."""
_FACTS = MemoryFilter(tier="persistent", kind="fact")


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whose memory an entry belongs to, and for which groups it is."""

    user_id: str | None
    agent_id: str | None
    session_id: str | None
    groups: tuple[str, ...] = ()

    def key(self, message_id: str) -> str:
        """Return the key of an entry. An entry with the same id replaces an older one."""
        row = [_SHARED, self.user_id, self.agent_id, self.session_id, list(self.groups), message_id]
        return orjson.dumps(row).decode()

    def holds(self, other: _Owner) -> bool:
        """Return True if an entry of another owner belongs to this memory: all names given here are equal there."""
        pairs = ((self.user_id, other.user_id), (self.agent_id, other.agent_id), (self.session_id, other.session_id))
        return all(own is None or own == theirs for own, theirs in pairs)


class PersistentMemory:
    """Knowledge that outlives the session, shared by all agents and programs with the same owner.

    Methods raise StoreError, one sentence, if the store cannot be used.

    Args:
        user_id: User that owns the knowledge. At least one of the three ids is required. One that is not given matches
            any value.
        agent_id: Agent that owns the knowledge.
        session_id: Session that owns the knowledge.
        store: The store or its file. By default the user's own store.
        limit: Maximum number of entries of one retrieval.
        budget: Maximum number of their tokens.
        index: Search index. By default words, and meaning if the extra `semantic` is installed.

    Raises:
        ValueError: No id is given.
    """

    knows_groups = True
    """True if `retrieve` accepts the groups of the reader."""

    def __init__(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        *,
        store: Store | Path | str | None = None,
        limit: int = 5,
        budget: int = 2_000,
        index: Index[int] | None = None,
    ) -> None:
        if not (user_id or agent_id or session_id):
            raise ValueError("A persistent memory belongs to somebody: name a user_id, an agent_id or a session_id.")
        self._owner = _Owner(user_id or None, agent_id or None, session_id or None)
        self._store = store if isinstance(store, Store) else Store(store if store is not None else default_path())
        self._limit, self._budget = limit, budget
        self._index = index
        self._tools = MemoryTools(self, self._owner.agent_id or "")

    async def record(self, messages: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None) -> None:
        """Keep what messages say, with who said it and when; those that say nothing are passed over."""
        rows = [messages] if isinstance(messages, Mapping) else list(messages or ())
        await asyncio.to_thread(self._record, rows)

    async def retrieve(self, query: str | Sequence[Mapping[str, Any]], *, groups: Collection[str] | None = None) -> str:
        """Return entries relevant to a query, or to the newest request in messages: a line with the writer for each.

        Args:
            query: The query, or messages.
            groups: Groups of the reader, who sees entries for them and for everybody. By default all entries.

        Returns:
            The lines, or an empty text.
        """
        retrieval, entries = await asyncio.to_thread(self._search, _words(query), groups)
        by_id = {entry.id: entry for entry in entries}
        return "\n".join(_line(by_id[result.key]) for result in retrieval.results)

    async def search(
        self, query: str | Sequence[Mapping[str, Any]], *, groups: Collection[str] | None = None
    ) -> Retrieval[int]:
        """Search entries, and return their numbers in the store with explanations and near misses.

        Args:
            query: The query, or messages whose newest request is the query.
            groups: Groups of the reader, as in `retrieve`.
        """
        retrieval, _ = await asyncio.to_thread(self._search, _words(query), groups)
        return retrieval

    async def save_to_memory(self, thinking: str, content: list[str]) -> dict[str, Any]:
        """Record facts, as a tool that a model may call. See `MemoryTools`.

        Args:
            thinking: Why they will be needed. Not stored.
            content: The facts.
        """
        return await self._tools.save_to_memory(thinking, content)

    async def recall_from_memory(self, keywords: list[str], limit: int = 5) -> dict[str, Any]:
        """Return facts about keywords, as a tool that a model may call. See `MemoryTools`.

        Args:
            keywords: Words to search for.
            limit: Maximum number of facts; that of the memory also applies.
        """
        return await self._tools.recall_from_memory(keywords, limit)

    async def revision(self) -> tuple[Any, ...]:
        """Return a value that changes when anything is recorded or forgotten."""
        sizes = await asyncio.to_thread(self._store.entries.sizes, _FACTS)
        return tuple((size.entries, size.tokens, size.newest) for size in sizes)

    def _record(self, messages: Sequence[Mapping[str, Any]]) -> None:
        with self._store.atomic():
            for message in messages:
                text = message_text(message)
                if text.strip():
                    self._keep(message, text)

    def _keep(self, message: Mapping[str, Any], text: str) -> None:
        groups = tuple(sorted(map(str, message.get(GROUPS) or ())))
        owner = _Owner(self._owner.user_id, self._owner.agent_id, self._owner.session_id, groups)
        self._store.entries.remember(
            "fact",
            text,
            key=owner.key(str(message.get("id") or uuid4().hex)),
            agent=writer_name(message.get("agent_id")),
            reason="recorded to a shared memory",
            origin="agent",
            tokens=count_tokens(text),
        )

    def _search(self, words: str, groups: Collection[str] | None) -> tuple[Retrieval[int], list[Memory]]:
        facts = reversed(self._store.entries.page(-1, meant=_FACTS))
        by_line = {_line(entry): entry for entry in facts if self._may_read(entry, groups)}
        entries = list(by_line.values())  # what was said again is there once, as it was said last
        if self._index is None:
            self._index = default_index(embedder_from_environment())
        self._index.hold({entry.id: entry.text for entry in entries})
        documents = {
            entry.id: SearchDocument(entry.text, count_tokens(f"{_line(entry)}\n"), entry.created_at)
            for entry in entries
        }
        matches = self._index.search(words, self._limit + 10)
        return select(words, matches, documents, self._limit, self._budget, datetime.now(UTC)), entries

    def _may_read(self, entry: Memory, groups: Collection[str] | None) -> bool:
        owner = _owner_of(entry)
        if owner is None or not self._owner.holds(owner):
            return False
        return groups is None or not owner.groups or not set(groups).isdisjoint(owner.groups)


def _words(query: str | Sequence[Mapping[str, Any]]) -> str:
    return query if isinstance(query, str) else last_request(query)


def _line(entry: Memory) -> str:
    return f"[{writer_name(entry.agent)}]: {quote(entry.text)}"


def _owner_of(entry: Memory) -> _Owner | None:
    """Return the owner of an entry, or None if no shared memory recorded it."""
    with suppress(orjson.JSONDecodeError):
        match orjson.loads(entry.key or "null"):
            case [str(mark), user_id, agent_id, session_id, [*groups], str()] if mark == _SHARED:
                return _Owner(user_id, agent_id, session_id, tuple(groups))
    return None
