"""Working memory in dictionaries, for development and tests."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from datetime import datetime

from inspector.core.text import visible
from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase, now
from inspector.memory.working_memory.working_records import ConflictError, MemoryRecord


class InMemoryManager(MemoryManagerBase):
    """Keeps memories as long as the program runs. Belongs to one thread."""

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        super().__init__(clock)
        self.memories: dict[str, str] = {}
        """The present memories, by conversation."""
        self.access_count: Counter[str] = Counter()
        """How many times each conversation's memory was stored."""
        self._records: dict[str, deque[MemoryRecord]] = {}

    def show_memory(self, conversation_id: str) -> None:
        """Print the memory of a conversation, and how many times it was stored."""
        count = self.access_count[conversation_id]
        memory = self.memories.get(conversation_id, "there is no memory")
        print(f"{visible(conversation_id)} (stored {count:,} times):")
        print("".join(f"  {visible(line)}\n" for line in memory.splitlines()), end="")

    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        records = self._records.get(conversation_id)
        return records[-1] if records else None

    async def _put(self, record: MemoryRecord) -> None:
        name = record.conversation_id
        self._records.setdefault(name, deque(maxlen=HISTORY)).append(record)
        self.memories[name] = record.working_memory
        self.access_count[name] += 1

    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        if self.memories.get(record.conversation_id) != previous:
            raise ConflictError(record.conversation_id)
        await self._put(record)

    async def _remove(self, conversation_id: str) -> bool:
        self.access_count.pop(conversation_id, None)
        self.memories.pop(conversation_id, None)
        return self._records.pop(conversation_id, None) is not None

    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        return tuple(self._records.get(conversation_id, ()))

    async def _all(self) -> Sequence[MemoryRecord]:
        return [records[-1] for records in self._records.values()]
