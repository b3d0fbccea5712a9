"""Archived messages of a manager's conversation, kept in persistent memory and indexed for retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from inspector.core.conversation import Message
from inspector.engine.compression import CompressionEngine
from inspector.engine.retrieval import Embedder, conversation_index
from inspector.engine.strategies import MessageSearch, Services
from inspector.engine.summaries import describe_error
from inspector.engine.window import Plan, archived_ids
from inspector.llm.providers import text_message
from inspector.memory.config import MemoryConfig
from inspector.memory.tier_stores import MemoryEntry
from inspector.memory.tiers import Tiers
from inspector.store import Store

_MAX_ENTRIES = 24
"""Entries of other sessions that are looked at for one request."""
_SPEAKER = "another session"


class ConversationArchive:
    """The archive of one conversation. `guard` is held for moments, while the engine is read."""

    def __init__(
        self,
        config: MemoryConfig,
        engine: CompressionEngine,
        tiers: Tiers,
        guard: AbstractContextManager[object],
        store: Store | None,
        session_id: str | None,
    ) -> None:
        self._engine, self._tiers, self._guard = engine, tiers, guard
        self._store, self._session_id = store, session_id
        self._is_stored = session_id is None
        """True if the session may own entries: it is in the store, or there is no store."""
        self._with_others = config.recall_other_sessions
        self._search_others()

    def _search_others(self) -> None:
        self._engine.others = self.entries_of_others if self._store and self._with_others else None

    def archive_plan(self, plan: Plan) -> None:
        """Put what a plan has archived into persistent memory, and index it. For a worker thread.

        Raises nothing: the engine's last failure says what went wrong.
        """
        ids = set(archived_ids(plan))
        if not ids:
            return
        with self._guard:
            archived = self._archived
        try:
            self._keep([message for message in archived if message.id in ids], plan)
            self._engine.services.search(archived, "", 0)
        except Exception as error:  # a search may be the caller's own
            with self._guard:
                self._engine.last_failure = f"Archived messages could not be stored: {describe_error(error)}."

    def _keep(self, messages: Sequence[Message], plan: Plan) -> None:
        with self._store.atomic() if self._store else nullcontext():
            for message in messages:
                text = message.text
                if not text.strip():
                    continue
                if self._store is None:
                    entry = MemoryEntry(text, (message.id,), "archived", self._session_id, message)
                    self._tiers.persistent_memory.add(entry)
                    continue
                self._store.entries.remember(
                    "archived", text, self._owner, message.id, once=True,
                    agent=message.agent, reason=plan.by_id[message.id].reason, origin=plan.strategy,
                )  # fmt: skip

    def move(self, store: Store, session_id: str) -> None:
        """Assign the archived messages to the session `session_id` of a store.

        Raises:
            StoreError: The store cannot be written.
        """
        before = self._store, self._session_id if self._is_stored else None
        self._store, self._session_id, self._is_stored = store, session_id, True
        self._search_others()
        if before == (store, session_id):
            return
        with store.atomic():
            if before[0] is store:
                find = store.entries.find
                numbers = [find("archived", message.text, before[1], message.id) for message in self._archived]
                store.entries.forget(*[number for number in numbers if number is not None])
            for plan in self._engine.plans:
                ids = set(archived_ids(plan))
                self._keep([message for message in self._archived if message.id in ids], plan)

    @property
    def _owner(self) -> str | None:
        """Id of the session that owns entries: None until it is in the store, so that `move` assigns them later."""
        if not self._is_stored and self._store and self._session_id is not None:
            self._is_stored = self._session_id in self._store.ids_under(self._session_id)
        return self._session_id if self._is_stored else None

    @property
    def _archived(self) -> Sequence[Message]:
        return self._engine.cursor.archived

    def entries_of_others(self, words: str) -> list[Message]:
        """Return entries of persistent memory from other sessions that contain any of the words, as messages."""
        assert self._store is not None, "only a store has other sessions"
        entries = self._store.entries.recall(words, _MAX_ENTRIES)
        texts = {message.text for message in self._engine.cursor.archived} if self._session_id is None else set()
        dialect = self._engine.cursor.context.dialect
        return [
            text_message(f"entry {entry.id}", "user", entry.text, dialect, name=_SPEAKER, time=entry.created_at)
            for entry in entries
            if (self._session_id is None or entry.session_id != self._session_id) and entry.text not in texts
        ]


def services_by_meaning(services: Services | None, embedder: Embedder) -> Services:
    """Return services that search by words and, with an embedder, by meaning.

    Raises:
        ValueError: `services` are given, which include their own search.
    """
    if services is not None:
        raise ValueError("Give services or an embedder: services include their own search.")
    return Services(search=MessageSearch(conversation_index(embedder)).search)
