"""The working memory of conversations, as agents have kept it beside a store, and how it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from inspector.core.errors import InspectorError
from inspector.memory import SQLiteMemoryManager, WorkingMemoryError, notes_path


class NotesError(InspectorError):
    """Notes that cannot be read. Its text is one sentence."""


@dataclass(frozen=True, slots=True)
class NotesVersion:
    """The notes about a conversation as they were written at one time."""

    text: str
    time: str
    """In ISO 8601."""


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes about a conversation, the oldest version first; there is at least one."""

    conversation_id: str
    versions: tuple[NotesVersion, ...]


def notes_file(store: str) -> str:
    """Where the notes beside a store are kept."""
    return str(notes_path(Path(store)))


def read_notes(store: str) -> list[Notes]:
    """All notes beside a store, those first that were written last; nothing is made where there are none.

    Raises NotesError.
    """
    path = notes_path(Path(store))
    try:
        return asyncio.run(_read(SQLiteMemoryManager(path))) if path.is_file() else []
    except (WorkingMemoryError, OSError) as error:
        raise NotesError(str(error)) from error


async def _read(manager: SQLiteMemoryManager) -> list[Notes]:
    notes = []
    for record in await manager.list():
        versions = await manager.history({"conversation_id": record.conversation_id})
        texts = [NotesVersion(version.working_memory, version.updated_at.isoformat()) for version in versions]
        notes.append(Notes(record.conversation_id, tuple(texts)))
    return [note for note in notes if note.versions]


def line_diff(before: str, after: str) -> Iterator[tuple[Literal["same", "removed", "added"], str]]:
    """Two texts line by line: what is in both, what has left, and what came."""
    old, new = before.splitlines(), after.splitlines()
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (("same", line) for line in old[i1:i2])
        else:
            yield from (("removed", line) for line in old[i1:i2])
            yield from (("added", line) for line in new[j1:j2])
