"""Three tiers of memory, and moves between them.

Working memory is in the prompt, session memory has the turns of this session, and persistent memory outlives it: in a
store's SQLite file, or in dictionaries if nothing is to be written. In every tier an entry keeps the ids of its
messages. An entry is added to a tier once, so every move may be repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal
from uuid import uuid4

from inspector.core.conversation import Message
from inspector.engine.facts import message_classes
from inspector.engine.strategies import Summariser
from inspector.engine.summaries import gist, summarise
from inspector.llm.providers import DEFAULT_DIALECT, text_message
from inspector.llm.tokens import CharsCounter, Counter
from inspector.memory.tier_stores import (
    InMemoryTier,
    KeyedMemory,
    MemoryEntry,
    MemoryTier,
    MemoryTurn,
    StoredTier,
    entries_from_json,
    entries_json,
    turn_ids,
    turn_of,
)
from inspector.store import Store, StoreError

_REMEMBER = re.compile(
    r"\b(?:remember|don't forget|do not forget|keep in mind|note that|from now on|in (?:the )?future)\b"
)
_SUMMARY_TOKENS = 1_000
_RETRIEVAL_TTL = 300.0
"""Seconds that a retrieval is kept for."""


class Tiers:
    """The tiers of one session.

    `session_id` is the session's id in the store, where it was added there; entries of a session that was not carry
    the ids of their messages only. `should_persist` may be overridden, or given as `persist`. `log` gives
    all messages of a session that is kept elsewhere: they are archived whether their turns were ended or not.
    `retrieval_ttl` is for how many seconds the same words are not searched for again; they are at once when something
    persistent has changed. With a store, it belongs to sessions that are in it.
    """

    def __init__(
        self,
        store: Store | None = None,
        session_id: str | None = None,
        *,
        persist: Callable[[Any], bool] | None = None,
        summarise: Summariser = summarise,
        summary_tokens: int = _SUMMARY_TOKENS,
        counter: Counter | None = None,
        log: Callable[[], Iterable[Message]] | None = None,
        retrieval_ttl: float = _RETRIEVAL_TTL,
    ) -> None:
        self._ids = turn_ids()
        self.working_memory: MemoryTier = InMemoryTier(session_id, self._ids)
        """Entries retrieved from other tiers into the prompt, and entries of the current turn."""
        memory = InMemoryTier(session_id, self._ids)
        self.session_memory: MemoryTier = memory
        self.persistent_memory: MemoryTier = (
            StoredTier(store, session_id, self._ids) if store else InMemoryTier(session_id, self._ids, caches=memory)
        )
        self._has_retrievals = store is None or session_id is not None
        place = StoredTier(store, session_id, self._ids, "session") if store and session_id else memory
        self.state = KeyedMemory(place, "state")
        """Named notes of the session. They end with it, and in a store they outlive the program."""
        self.retrievals = KeyedMemory(place, "retrieval", retrieval_ttl)
        """What `recall` has brought back, by its words: not searched for again for a while."""
        self.profile = KeyedMemory(self.persistent_memory, "profile")
        """Facts about the user by name: `tiers.profile.set("name", "Alice")`."""
        self.preferences = KeyedMemory(self.persistent_memory, "preference")
        """Preferences of the user by name: `tiers.preferences.set("language", "German")`."""
        self._session_id = session_id
        self._persist = persist
        self._summarise = summarise
        self._summary_tokens = summary_tokens
        self._counter = counter or CharsCounter(4.0)
        self._log = log
        self._archive_entry: MemoryEntry | None = None

    def on_turn_end(self, turn: Any) -> None:
        """Move a turn from the prompt to session memory, and copy it to persistent memory if it should persist.

        A turn is a message, a text, or a list of them. A text or a message without an id is new each time.
        """
        messages = turn_of(turn, self._ids)
        for entry in self.session_memory.add(messages):
            self.working_memory.remove(entry)
        if self.should_persist(turn):
            reason = ", ".join(persist_reasons(messages)) or "should_persist returned True"
            self.persistent_memory.add(messages, reason)

    def should_persist(self, turn: Any) -> bool:
        """Return True if a turn is worth more than its session. By default, if there is a reason."""
        return self._persist(turn) if self._persist else bool(persist_reasons(turn))

    def on_session_end(self) -> MemoryEntry | None:
        """Archive the session as a summary, in place of the one that was made of it before; None when it is empty.

        Raises SummaryError when the summariser does; then nothing has changed.
        """
        summary = self.summarize_session()
        if summary is None:
            return None
        self.persistent_memory.add(summary, "the session has ended")
        if self._archive_entry is not None and self._archive_entry != summary:
            self.persistent_memory.remove(self._archive_entry)
        self._archive_entry = summary
        return summary

    def summarize_session(self) -> MemoryEntry | None:
        """Return a summary of the session, or None if it is empty. Raises SummaryError."""
        entries = self._session_entries()
        messages = [
            entry.message or text_message(entry.source or "", "user", entry.text, DEFAULT_DIALECT) for entry in entries
        ]
        text = self._summarise(messages, self._summary_tokens, self._counter.count) if messages else ""
        ids = tuple(message_id for entry in entries for message_id in entry.message_ids)
        return MemoryEntry(text, ids, "summary", self._session_id) if text.strip() else None

    def _session_entries(self) -> list[MemoryEntry]:
        """Return the content of the session, the oldest first: its log, and entries added to its memory."""
        entries = [e for e in self.session_memory if e.session_id == self._session_id and e.key is None]
        if self._log is None:
            return entries
        by_text = {entry.text: entry for entry in entries}
        turn = MemoryTurn(tuple(message for message in self._log() if message.role != "system"))
        log_entries = [by_text.pop(entry.text, entry) for entry in turn.entries(self._session_id)]
        return log_entries + list(by_text.values())

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        """Return at most `limit` entries of persistent memory that contain any of the words, best first.

        They are added to working memory.
        """
        entries = self._cached_retrieval(words, limit)
        self.working_memory.add(entries)
        return entries

    def _cached_retrieval(self, words: str, limit: int) -> list[MemoryEntry]:
        """Return entries of the persistent tier, from a cache while that tier is unchanged."""
        name = f"{limit} {words}"
        with suppress(StoreError, ValueError):
            if self._has_retrievals and (text := self.retrievals.get(name)) is not None:
                return entries_from_json(text)
        entries = self.persistent_memory.recall(words, limit)
        with suppress(StoreError):  # a store that nobody may write to has no room for what can be found again
            if self._has_retrievals:
                self.retrievals.set(name, entries_json(entries))
        return entries

    def promote(self, entry: MemoryEntry, to: Literal["session", "persistent"] = "persistent") -> None:
        """Move an entry out of the prompt to the tier `to`. A persistent entry is kept in the session too."""
        self.session_memory.add(entry)
        if to == "persistent":
            self.persistent_memory.add(entry)
        self.working_memory.remove(entry)

    def demote(self, entry: MemoryEntry, to: Literal["session", "working"] = "session") -> None:
        """Move an entry from persistent memory to the tier `to`. An entry in the prompt is kept in the session too."""
        self.session_memory.add(entry)
        if to == "working":
            self.working_memory.add(entry)
        self.persistent_memory.remove(entry)

    def inherit(self, other: Tiers) -> None:
        """Copy the persistent entries of an earlier session that has no store. With a store, they are there already."""
        if isinstance(other.persistent_memory, InMemoryTier):
            earlier = uuid4().hex  # messages of two sessions may have the same ids
            for entry in other.persistent_memory:
                is_named = entry.key is not None or entry.session_id is not None
                self.persistent_memory.add(entry if is_named else replace(entry, session_id=earlier))


def persist_reasons(turn: Any) -> tuple[str, ...]:
    """Return the reasons why a turn should outlive its session; empty if there are no reasons.

    Only the user can ask for something to be remembered, set a constraint or name an important identifier.
    """
    reasons: dict[str, None] = {}
    for message in turn_of(turn, turn_ids()).messages:
        reasons |= dict.fromkeys(_reasons_of(message))
    return tuple(reasons)


def _reasons_of(message: Message) -> Iterator[str]:
    classes = message_classes(message)
    if message.role == "user" and message.kind == "chat":
        if _REMEMBER.search(message.text.lower()):
            yield "asked to remember"
        if "constraint" in classes:
            yield "a constraint"
        if gist(message).facts:
            yield "an identifier"
    if "decision" in classes:
        yield "a decision"
    if message.is_error or "error" in classes:
        yield "an error"
