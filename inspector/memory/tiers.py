"""Three tiers of memory, and what moves between them.

Working memory is what is in the prompt, session memory what this session has said, persistent memory what outlives it:
in a store's SQLite file, or in dictionaries where nothing is to be written. An entry keeps the ids of the messages that
it comes from in every tier. What has come to a tier already is not put there again, so every move may be repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, Protocol

from inspector.conversation import Message
from inspector.facts import message_classes
from inspector.prompts import messages_of
from inspector.providers import DEFAULT_DIALECT, text_message
from inspector.store import Memory, MemoryFilter, MemoryKind, Store
from inspector.strategies import Summariser
from inspector.summaries import gist, summarise
from inspector.tokens import CharsCounter, Counter

_REMEMBER = re.compile(
    r"\b(?:remember|don't forget|do not forget|keep in mind|note that|from now on|in (?:the )?future)\b"
)
_WORD = re.compile(r"\w+")
_SUMMARY_TOKENS = 1_000
_PERSISTENT = MemoryFilter(tier="persistent")


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One thing that a tier holds, and where it comes from."""

    text: str
    message_ids: tuple[str, ...] = ()
    """The messages that it stands for, in order."""
    kind: MemoryKind = "archived"
    session_id: str | None = None
    message: Message | None = field(default=None, compare=False, repr=False)
    """The message itself, where it is one and came in this session."""

    @property
    def source(self) -> str | None:
        """The last message that it stands for: what a store keeps. A session's summary covers all up to there."""
        return self.message_ids[-1] if self.message_ids else None

    @property
    def identity(self) -> tuple[str, str | None, str | None, str]:
        """The fields by which two entries are the same one."""
        return self.kind, self.session_id, self.source, self.text


@dataclass(frozen=True, slots=True)
class _MemoryTurn:
    """The messages of one turn, every one with an id."""

    messages: tuple[Message, ...]

    def entries(self, session_id: str | None) -> list[MemoryEntry]:
        """One for each message that says something."""
        texts = ((message, message.text) for message in self.messages if message.kind != "notice")
        return [
            MemoryEntry(text, (message.id,), "archived", session_id, message) for message, text in texts if text.strip()
        ]


class MemoryTier(Protocol):
    """A store of a tier's entries."""

    def add(self, turn: Any) -> list[MemoryEntry]:
        """Take in a turn, an entry or several; gives the entries as they are held. What is there stays as it is."""

    def remove(self, entry: MemoryEntry) -> bool:
        """Take an entry out. Says whether it was there."""

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        """Entries that hold any of the words, the best first."""

    def __contains__(self, entry: object) -> bool: ...

    def __iter__(self) -> Iterator[MemoryEntry]:
        """All entries, the oldest first."""

    def __len__(self) -> int: ...


class InMemoryTier:
    """A tier in dictionaries."""

    def __init__(self, session_id: str | None = None, ids: Iterator[str] | None = None) -> None:
        self._entries: dict[tuple[str, str | None, str | None, str], MemoryEntry] = {}
        self._session_id = session_id
        self._ids = ids or _turn_ids()

    def add(self, turn: Any) -> list[MemoryEntry]:
        entries = _entries_of(turn, self._session_id, self._ids)
        return [self._entries.setdefault(entry.identity, entry) for entry in entries]

    def remove(self, entry: MemoryEntry) -> bool:
        return self._entries.pop(entry.identity, None) is not None

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        """By the share of the words that an entry holds; of equals, the newest first."""
        query = _words_in(words)
        matches = [(len(query & _words_in(entry.text)), order, entry) for order, entry in enumerate(self)]
        best = sorted((match for match in matches if match[0]), key=lambda match: match[:2], reverse=True)
        return [entry for _, _, entry in best[:limit]]

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, MemoryEntry) and entry.identity in self._entries

    def __iter__(self) -> Iterator[MemoryEntry]:
        return iter(list(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)


class StoredTier:
    """The persistent tier of a store. Every method raises StoreError, one sentence, when its file cannot be used."""

    def __init__(self, store: Store, session_id: str | None = None, ids: Iterator[str] | None = None) -> None:
        self._store = store
        self._session_id = session_id
        self._ids = ids or _turn_ids()

    def add(self, turn: Any) -> list[MemoryEntry]:
        entries = _entries_of(turn, self._session_id, self._ids)
        for entry in entries:
            self._store.remember(entry.kind, entry.text, entry.session_id, entry.source, once=True)
        return entries

    def remove(self, entry: MemoryEntry) -> bool:
        number = self._number(entry)
        if number is not None:
            self._store.forget(number)
        return number is not None

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        return list(map(_entry_of, self._store.recall(words, limit)))

    def _number(self, entry: MemoryEntry) -> int | None:
        return self._store.find_memory(entry.kind, entry.text, entry.session_id, entry.source)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, MemoryEntry) and self._number(entry) is not None

    def __iter__(self) -> Iterator[MemoryEntry]:
        return map(_entry_of, reversed(self._store.memories(-1)))

    def __len__(self) -> int:
        return sum(size.entries for size in self._store.entries.sizes(_PERSISTENT))


class Tiers:
    """The tiers of one session.

    `session_id` is the session's id in the store, where it was added there; entries of a session that was not carry
    the ids of their messages only. `should_persist` may be overridden, or given as `persist`. `log` gives
    all messages of a session that is kept elsewhere: they are archived whether their turns were ended or not.
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
    ) -> None:
        self._ids = _turn_ids()
        self.working_memory: MemoryTier = InMemoryTier(session_id, self._ids)
        """What was put into the prompt from the other tiers, or is there until its turn ends."""
        self.session_memory: MemoryTier = InMemoryTier(session_id, self._ids)
        self.persistent_memory: MemoryTier = (
            StoredTier(store, session_id, self._ids) if store else InMemoryTier(session_id, self._ids)
        )
        self._session_id = session_id
        self._persist = persist
        self._summarise = summarise
        self._summary_tokens = summary_tokens
        self._counter = counter or CharsCounter(4.0)
        self._log = log
        self._archive_entry: MemoryEntry | None = None

    def on_turn_end(self, turn: Any) -> None:
        """Session memory takes a turn from the prompt, and persistent memory does too where it should.

        A turn is a message, a text, or a list of them. A text and a message without an id are new every time.
        """
        messages = _turn_of(turn, self._ids)
        for entry in self.session_memory.add(messages):
            self.working_memory.remove(entry)
        if self.should_persist(turn):
            self.persistent_memory.add(messages)

    def should_persist(self, turn: Any) -> bool:
        """Whether a turn is worth more than its session. By default, where there is a reason."""
        return self._persist(turn) if self._persist else bool(persist_reasons(turn))

    def on_session_end(self) -> MemoryEntry | None:
        """Archive the session as a summary, in place of the one that was made of it before; None when it is empty.

        Raises SummaryError when the summariser does; then nothing has changed.
        """
        summary = self.summarize_session()
        if summary is None:
            return None
        self.persistent_memory.add(summary)
        if self._archive_entry is not None and self._archive_entry != summary:
            self.persistent_memory.remove(self._archive_entry)
        self._archive_entry = summary
        return summary

    def summarize_session(self) -> MemoryEntry | None:
        """A summary of what the session has said; None when it said nothing. Raises SummaryError."""
        entries = self._session_entries()
        messages = [
            entry.message or text_message(entry.source or "", "user", entry.text, DEFAULT_DIALECT) for entry in entries
        ]
        text = self._summarise(messages, self._summary_tokens, self._counter.count) if messages else ""
        ids = tuple(message_id for entry in entries for message_id in entry.message_ids)
        return MemoryEntry(text, ids, "summary", self._session_id) if text.strip() else None

    def _session_entries(self) -> list[MemoryEntry]:
        """What the session has said, the oldest first: what is in `log`, and what else was put into its memory."""
        entries = [entry for entry in self.session_memory if entry.session_id == self._session_id]
        if self._log is None:
            return entries
        by_text = {entry.text: entry for entry in entries}
        turn = _MemoryTurn(tuple(message for message in self._log() if message.role != "system"))
        log_entries = [by_text.pop(entry.text, entry) for entry in turn.entries(self._session_id)]
        return log_entries + list(by_text.values())

    def recall(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        """Entries of persistent memory that hold any of the words, best first; working memory holds them from now."""
        entries = self.persistent_memory.recall(words, limit)
        self.working_memory.add(entries)
        return entries

    def promote(self, entry: MemoryEntry, to: Literal["session", "persistent"] = "persistent") -> None:
        """Move an entry up, out of the prompt; what is persistent stays in the session too."""
        self.session_memory.add(entry)
        if to == "persistent":
            self.persistent_memory.add(entry)
        self.working_memory.remove(entry)

    def demote(self, entry: MemoryEntry, to: Literal["session", "working"] = "session") -> None:
        """Move an entry down, out of persistent memory; what is in the prompt stays in the session too."""
        self.session_memory.add(entry)
        if to == "working":
            self.working_memory.add(entry)
        self.persistent_memory.remove(entry)


def persist_reasons(turn: Any) -> tuple[str, ...]:
    """Why a turn should outlive its session, in plain words; empty when nothing speaks for it.

    Only the person can ask for something to be remembered, set a constraint or name an identifier that matters.
    """
    reasons: dict[str, None] = {}
    for message in _turn_of(turn, _turn_ids()).messages:
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


def _turn_of(turn: Any, ids: Iterator[str]) -> _MemoryTurn:
    """A turn as somebody handed it over, with an id for every message."""
    return turn if isinstance(turn, _MemoryTurn) else _MemoryTurn(tuple(messages_of(turn, "user", "chat", ids)))


def _entries_of(turn: Any, session_id: str | None, ids: Iterator[str]) -> list[MemoryEntry]:
    """A turn, an entry, or a list of either, as entries."""
    if isinstance(turn, MemoryEntry):
        return [turn]
    if isinstance(turn, Iterable) and not isinstance(turn, str | bytes | dict):
        items = list(turn)
        if any(isinstance(item, MemoryEntry) for item in items):
            return [entry for item in items for entry in _entries_of(item, session_id, ids)]
        turn = items
    return _turn_of(turn, ids).entries(session_id)


def _entry_of(memory: Memory) -> MemoryEntry:
    """An entry as a store has it."""
    ids = () if memory.message_id is None else (memory.message_id,)
    return MemoryEntry(memory.text, ids, memory.kind, memory.session_id)


def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _turn_ids() -> Iterator[str]:
    return (f"said {number}" for number in count(1))
