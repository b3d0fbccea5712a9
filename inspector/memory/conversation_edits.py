"""A memory whose conversation can be taken over from elsewhere, corrected, and begun again."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Self, cast

from inspector.engine.compression import CompressionEngine
from inspector.engine.window import Plan
from inspector.memory.compressions import Compressions
from inspector.memory.message_adapter import LLMMessage, MessageAdapter
from inspector.memory.persistence import PersistentManager, SessionWriter, state_of
from inspector.memory.tiers import Tiers


class EditableMemory:
    """A memory that can be reset, filled from a history, and relieved of its last message."""

    engine: CompressionEngine
    adapter: MessageAdapter
    compressions: Compressions
    tiers: Tiers
    taken_back: list[str]
    """Ids of the messages that were taken back."""
    _guard: AbstractContextManager[object]
    _writer: SessionWriter | None
    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **arguments: Any) -> Self:
        """Create a memory that keeps its arguments, for `reset`."""
        memory = super().__new__(cls)
        memory._arguments, memory.taken_back = (args, arguments), []
        return memory

    @property
    def last_compression_savings(self) -> int:
        """Tokens that the last compression took out of the context, its summary already subtracted."""
        return self.compressions.last_savings

    async def add_message(self, message: Any, actual_tokens: Any = None) -> None:
        """Append a message."""
        raise NotImplementedError

    def save(self) -> str:
        """Store the session."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the session."""
        raise NotImplementedError

    async def add_messages(self, messages: Iterable[Any]) -> None:
        """Append the messages of a history, oldest first, as `add_message` does."""
        for message in messages:
            await self.add_message(message)

    @classmethod
    async def from_history(cls, messages: Iterable[Any], *args: Any, **arguments: Any) -> Self:
        """Return a new memory with the messages of a history.

        Args:
            messages: The messages, oldest first, in any form that `add_message` accepts.
            args: Arguments of the constructor.
            arguments: Arguments of the constructor.
        """
        memory = cls(*args, **arguments)
        await memory.add_messages(messages)
        return memory

    def take_back(self) -> LLMMessage | None:
        """Remove the last message from the conversation, and return it. Later contexts do not contain it.

        Returns None for an empty conversation, or if a compression has removed it. Statistics still count it, because
        its call was paid for. The store keeps it, marked as taken back. Not while a message is being added.
        """
        with self._guard:
            log = self.engine.log
            message = self.adapter.original(log[-1]) if log else None
            if message is None or (log[-1].kind != "notice" and log[-1].id not in self.engine.window().ids):
                return None
            pieces = [log[place] for place in self.adapter.runs(log)[-1]]
            self.engine.rewind(len(log) - len(pieces))
            self.adapter.forget(pieces, self.engine.log)
            self.taken_back += [piece.id for piece in pieces]
            if self._writer is not None:
                self._writer.journal.write({"state": state_of(cast(PersistentManager, self))})
        return message

    def reset(self) -> None:
        """Begin again as a new memory with the same arguments: without messages, summaries and statistics.

        Persistent memory is kept, and so are the numbers of a shared tracker. If the session was written to a store, it
        is closed there and stays, and a new session begins. Not while a message is being added.
        """
        is_written, tiers, stored = self._writer is not None, self.tiers, self._arguments
        self.close()
        vars(self).clear()
        args, arguments = self._arguments = stored
        self.taken_back = []
        is_named = {"session_id": None} if "session_id" in arguments else {}
        type(self).__init__(self, *args, **{**arguments, **is_named})
        self.tiers.inherit(tiers)
        if is_written:
            self.save()


def write_plans(writer: SessionWriter | None, manager: PersistentManager, plans: Iterable[Plan]) -> None:
    """Write plans with the state of a manager after them, if it has a writer."""
    for plan in plans:
        if writer:
            writer.write_plan(plan, state_of(manager))
