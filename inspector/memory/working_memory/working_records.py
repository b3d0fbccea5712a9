"""Records and errors of working memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from inspector.core.errors import InspectorError


class WorkingMemoryError(InspectorError, RuntimeError):
    """Working memory could not be read or written. Its text is one sentence."""


class ConflictError(WorkingMemoryError):
    """Another writer has changed a conversation's memory since it was read, so nothing was stored."""

    def __init__(self, conversation_id: str) -> None:
        super().__init__(f"The memory of {conversation_id!r} was changed by another writer: read it again.")


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """The memory of a conversation, as it was written at one time."""

    conversation_id: str
    working_memory: str
    updated_at: datetime
    """In UTC."""

    @property
    def bytes(self) -> int:
        """Bytes of its text as UTF-8."""
        return len(self.working_memory.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Maximum age and number of memories; None sets no limit."""

    max_age: timedelta | None = None
    """A memory that was not written for longer is removed."""
    max_entries: int | None = None
    """Of more, those are removed that were not written for the longest time."""

    def __post_init__(self) -> None:
        if self.max_age is not None and self.max_age < timedelta(0):
            raise ValueError(f"max_age is a time from 0 on, not {self.max_age}.")
        if self.max_entries is not None and self.max_entries < 0:
            raise ValueError(f"max_entries is a number from 0 on, not {self.max_entries}.")


@dataclass(frozen=True, slots=True)
class MemoryMetrics:
    """Size of a backend, and its use by this manager."""

    entries: int
    bytes: int
    """Bytes of the current memories, without their history."""
    reads: int
    writes: int
    oldest: timedelta | None = None
    """How long ago the memory was written that was not written for the longest time; None without memories."""
    newest: timedelta | None = None
