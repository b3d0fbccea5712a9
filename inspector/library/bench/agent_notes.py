"""Read the working memory that agents keep next to a store, and its history."""

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
    """Raised if notes cannot be read. The text is one sentence."""


@dataclass(frozen=True, slots=True)
class NotesVersion:
    """One version of the notes about a conversation."""

    text: str
    time: str
    """ISO 8601 time of the version."""


@dataclass(frozen=True, slots=True)
class Notes:
    """All versions of the notes about a conversation, oldest first. There is at least one."""

    conversation_id: str
    versions: tuple[NotesVersion, ...]


def notes_file(store: str) -> str:
    """Return the path of the notes that belong to a store."""
    return str(notes_path(Path(store)))


def read_notes(store: str) -> list[Notes]:
    """Return all notes that belong to a store, last written first. No file is created.

    Raises:
        NotesError: If the notes cannot be read.
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
    """Yield the lines of two texts, each marked as in both, removed or added."""
    old, new = before.splitlines(), after.splitlines()
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (("same", line) for line in old[i1:i2])
        else:
            yield from (("removed", line) for line in old[i1:i2])
            yield from (("added", line) for line in new[j1:j2])
