"""Common behavior of all backends of working memory, built on the few methods that each implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from inspector.memory.working_memory.working_records import MemoryMetrics, MemoryRecord, RetentionPolicy

HISTORY = 100
"""Versions of a conversation's memory that are kept, the present one among them."""
PREVIOUS = "previous"
"""The key under which `store` is handed the memory that it is to replace."""


def now() -> datetime:
    """Return the UTC time."""
    return datetime.now(UTC)


def to_bytes(text: str) -> bytes:
    """Return a text as UTF-8, including halves of surrogate pairs."""
    return text.encode("utf-8", "surrogatepass")


def to_text(value: bytes) -> str:
    """Return the text of bytes from `to_bytes`."""
    return value.decode("utf-8", "surrogatepass")


def _conversation_of(values: Mapping[str, Any]) -> str | None:
    """Return the requested conversation, or None if none is given. Raises TypeError if its id is not a string."""
    conversation_id = values.get("conversation_id")
    if conversation_id is None or conversation_id == "":
        return None
    if not isinstance(conversation_id, str):
        raise TypeError(f"A conversation_id is a text, not {type(conversation_id).__name__}.")
    return conversation_id


class MemoryManagerBase(ABC):
    """Keeps one working memory for each conversation, and its earlier versions.

    Requests are dictionaries with a `conversation_id`; one without it is passed over. All methods may be called by
    several tasks at once, and raise WorkingMemoryError, one sentence, where the backend cannot be used.
    """

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock
        self._reads = self._writes = 0

    async def store(self, data: Mapping[str, Any]) -> None:
        """Keep `data["working_memory"]` for its conversation.

        Where `data` has `previous` (a text, or None for no memory), the memory is replaced only if it still says just
        that; otherwise ConflictError is raised.
        """
        conversation_id = _conversation_of(data)
        if conversation_id is None:
            return
        text = data.get("working_memory", "")
        if not isinstance(text, str):
            raise TypeError(f"A working_memory is a text, not {type(text).__name__}.")
        record = MemoryRecord(conversation_id, text, self._clock())
        if PREVIOUS in data:
            await self._replace(record, data[PREVIOUS])
        else:
            await self._put(record)
        self._writes += 1

    async def retrieve(self, query: Mapping[str, Any]) -> list[MemoryRecord] | None:
        """Return the memory of a conversation as a list of one, or None."""
        conversation_id = _conversation_of(query)
        if conversation_id is None:
            return None
        record = await self._get(conversation_id)
        self._reads += 1
        return None if record is None else [record]

    async def delete(self, query: Mapping[str, Any]) -> bool:
        """Remove the memory of a conversation with its history. Says whether there was one."""
        conversation_id = _conversation_of(query)
        return conversation_id is not None and await self._remove(conversation_id)

    async def history(self, query: Mapping[str, Any]) -> list[MemoryRecord]:
        """Return the last 100 versions of a conversation's memory, the oldest first, including the current one."""
        conversation_id = _conversation_of(query)
        return [] if conversation_id is None else list(await self._versions(conversation_id))

    async def cleanup(self, policy: RetentionPolicy) -> list[str]:
        """Remove what a policy does not keep; gives the ids of the conversations whose memory is gone."""
        records = await self.list()
        limit = None if policy.max_age is None else self._clock() - policy.max_age
        keeps = [record for record in records if limit is None or record.updated_at >= limit][: policy.max_entries]
        ids = [record.conversation_id for record in records[::-1] if record not in keeps]
        return [name for name in ids if await self._remove(name)]

    async def metrics(self) -> MemoryMetrics:
        """Return the number and size of the memories, and how often they were used."""
        records, time = await self.list(), self._clock()
        ages = [time - record.updated_at for record in records]
        size = sum(record.bytes for record in records)
        oldest, newest = max(ages, default=None), min(ages, default=None)
        return MemoryMetrics(len(records), size, self._reads, self._writes, oldest, newest)

    async def list(self) -> list[MemoryRecord]:
        """Return the memories of all conversations, the most recently written first."""
        return sorted(await self._all(), key=lambda record: (record.updated_at, record.conversation_id), reverse=True)

    async def close(self) -> None:  # noqa: B027  most have nothing to let go of
        """Let go of files and connections."""

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @abstractmethod
    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        """Return the current memory of a conversation, or None."""

    @abstractmethod
    async def _put(self, record: MemoryRecord) -> None:
        """Make a record the present memory of its conversation."""

    @abstractmethod
    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        """Replace a memory with the text `previous` (None for no memory) in one step. Raises ConflictError."""

    @abstractmethod
    async def _remove(self, conversation_id: str) -> bool:
        """Remove the memory of a conversation and all its versions."""

    @abstractmethod
    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        """Return all versions that are kept, the oldest first."""

    @abstractmethod
    async def _all(self) -> Sequence[MemoryRecord]:
        """Return the current memories of all conversations, in any order."""
