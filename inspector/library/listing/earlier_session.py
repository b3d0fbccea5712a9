"""Find the session that contains what a compaction dropped with which another session begins."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.formats import FORMATS
from inspector.library.listing.quick_metadata import read_headline
from inspector.store import Store

_MAX_FILES = 500
"""Maximum number of files that are searched, newest first."""
_MAX_STORED = 100
"""Maximum number of stored sessions that are searched, newest first."""
_LAST = 20
"""Number of last messages whose records are read, because the ids of replies are not those of their records."""
_MAX_BYTES = 1 << 30
"""Maximum number of bytes of all searched files."""


@json_object("Earlier session")
@dataclass(frozen=True, slots=True)
class EarlierSession:
    """The session that contains what the first compaction of another one dropped."""

    target: Annotated[str, "path, or id in the store, that opens it"]
    title: str


def find_earlier_session(session: Session, store: Store | None = None) -> EarlierSession | None:
    """Find the session whose messages the first compaction of a session dropped: in a file next to it, or stored.

    The file with the last dropped message takes precedence over a file with a message that the compaction kept.

    Args:
        session: The session that may begin with a compaction.
        store: Store whose sessions are searched if no file contains these messages; None for none.

    Returns:
        The session, or None if the recording does not begin with a compaction, or if no session contains the messages.

    Raises:
        StoreError: If the store cannot be read.
    """
    path = Path(session.path)
    ids = FORMATS[session.format].earlier_ids(path) if session.format in FORMATS and session.path else ()
    places = {place: file for file in _files_beside(path) if (place := _first_id_in(file, ids)) >= 0} if ids else {}
    if not places:
        return _find_stored(session, store, frozenset(ids)) if store and ids else None
    file = places[min(places)]
    return EarlierSession(str(file), read_headline(file, file.stat().st_size)[0])


def _find_stored(session: Session, store: Store, ids: frozenset[str]) -> EarlierSession | None:
    """Return the newest stored session in the same format with one of some messages, or None."""
    rows = [row for row in store.sessions() if row.format == session.format and row.path != session.path]
    for row in rows[:_MAX_STORED]:
        messages = store.load(row.id).messages
        if any(message.id in ids for message in messages) or any(
            message.record.get("uuid") in ids for message in messages[-_LAST:]
        ):
            return EarlierSession(row.id, row.title)
    return None


def _files_beside(path: Path) -> Iterator[Path]:
    """Yield the files of the same kind in a file's folder, oldest first, as far as they are searched."""
    sizes: list[tuple[float, int, Path]] = []
    for file in path.parent.glob(f"*{path.suffix}"):
        try:
            state = file.stat()
        except OSError:
            continue
        if state.st_size and file.is_file() and file.name != path.name:
            sizes.append((state.st_mtime, state.st_size, file))
    newest, total = [], 0
    for _, size, file in sorted(sizes, reverse=True)[:_MAX_FILES]:
        total += size
        if total <= _MAX_BYTES:
            newest.append(file)
    yield from reversed(newest)


def _first_id_in(path: Path, ids: Sequence[str]) -> int:
    """Return the place of the first id that is the `uuid` of a record in a file, or -1."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return next((place for place, uuid in enumerate(ids) if _has_record(data, uuid)), -1)
    except (OSError, ValueError):
        return -1


def _has_record(data: mmap.mmap, uuid: str) -> bool:
    name = uuid.encode("utf-8", "surrogatepass")
    return any(data.find(b'"uuid":' + space + b'"' + name + b'"') >= 0 for space in (b"", b" "))
