"""Methods of a manager's memory for its tiers, which agents call and override."""

from __future__ import annotations

from typing import Any

from inspector.memory.tier_stores import KeyedMemory, MemoryEntry, MemoryTier
from inspector.memory.tiers import Tiers, persist_reasons


class TieredMemory:
    """A memory with three tiers."""

    tiers: Tiers

    @property
    def working_memory(self) -> MemoryTier:
        """The entries that were put into the prompt from the other tiers."""
        return self.tiers.working_memory

    @property
    def session_memory(self) -> MemoryTier:
        """The messages of the turns that have ended."""
        return self.tiers.session_memory

    @property
    def persistent_memory(self) -> MemoryTier:
        """The entries that outlive the session."""
        return self.tiers.persistent_memory

    @property
    def session_state(self) -> KeyedMemory:
        """Named notes of the session: `memory.session_state.set("step", "3 of 4")`, `get` and `list`."""
        return self.tiers.state

    @property
    def profile(self) -> KeyedMemory:
        """Facts about the user by name. They outlive the session."""
        return self.tiers.profile

    @property
    def preferences(self) -> KeyedMemory:
        """Preferences of the user by name. They outlive the session."""
        return self.tiers.preferences

    def on_turn_end(self, turn: Any) -> None:
        """Add a turn to session memory, and to persistent memory if `should_persist` returns True.

        `turn` is a message, a text, or a list of them. Raises StoreError if the store cannot be written.
        """
        self.tiers.on_turn_end(turn)

    def should_persist(self, turn: Any) -> bool:
        """Return True if a turn is worth persistent memory. To be overridden. By default, if `persist_reasons` has
        one."""
        return bool(persist_reasons(turn))

    def retrieve(self, words: str, limit: int = 5) -> list[MemoryEntry]:
        """Return at most `limit` entries of persistent memory that contain any of the words, best first.

        They are added to working memory. The agent decides where the context contains them; see `PromptBuilder`.
        """
        return self.tiers.recall(words, limit)

    def summarize_session(self) -> MemoryEntry | None:
        """Return a summary of the session, which is not archived, or None if the session is empty."""
        return self.tiers.summarize_session()

    def on_session_end(self) -> MemoryEntry | None:
        """Archive the session as a summary in persistent memory; None when it said nothing. Raises StoreError."""
        return self.tiers.on_session_end()
