"""Automatic backups of plans, memories and bookmarks, which exist nowhere else.

Sessions can be imported again from their files, so a backup holds none of their messages. Backups are SQLite files in a
private folder next to the store: `inspector.backups/` for `inspector.db`. Deleting text from the store deletes all
backups, so a backup never holds anything that was forgotten on purpose.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from inspector.core.text import make_private_file, make_private_folder, publish

MAX_BACKUPS = 5
INTERVAL = 24 * 3600.0
"""Seconds between two automatic backups."""
IDENTITY_TABLE = "_sqlite_migrations"
"""Holds the times of the migrations, which tell one store from another."""
_COPIED_ROWS = {
    IDENTITY_TABLE: "TRUE",
    "session": "id IN (SELECT session_id FROM plan UNION SELECT session_id FROM bookmark)",
    "plan": "TRUE",
    "plan_fate": "TRUE",
    "plan_message": "TRUE",
    "memory": "kind <> 'retrieval'",
    "bookmark": "TRUE",
}
"""Tables of a backup, and an SQL condition for the rows that it holds."""
_IRREPLACEABLE = ("plan", "memory", "bookmark")


def backup_folder(path: Path) -> Path:
    """Return the folder for the backups of a store."""
    return path.with_name(f"{path.stem}.backups")


def backups_of(path: Path) -> list[Path]:
    """Return the backups of a store, the newest first."""
    return sorted(backup_folder(path).glob("*.db"), reverse=True)


def back_up_if_due(path: Path) -> bool:
    """Write a backup if the newest one is older than `INTERVAL` and the store has changed since. Never raises.

    Returns:
        True if a backup was written.
    """
    with suppress(OSError, sqlite3.Error, UnicodeDecodeError):
        newest = next(iter(backups_of(path)), None)
        if newest is None or time.time() - newest.stat().st_mtime > INTERVAL:
            return back_up(path)
    return False


def back_up(path: Path) -> bool:
    """Write a backup of a store, unless the newest one has the same content or there is nothing to back up.

    Writers wait until the backup is complete, so that text deleted meanwhile cannot be in it.

    Returns:
        True if a backup was written.

    Raises:
        sqlite3.Error: The store is damaged, or another program is writing to it.
        OSError: The backup cannot be written.
        UnicodeDecodeError: The store is damaged.
    """
    uri = f"file:{quote(str(path))}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as source:
        source.execute("BEGIN IMMEDIATE")
        if not any(source.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in _tables(source)):
            return False
        folder = backup_folder(path)
        make_private_folder(folder)
        with TemporaryDirectory(prefix=".inspector-", dir=folder) as work:
            new = Path(work, "backup.db")
            make_private_file(new)
            _copy(source, new)
            return _publish(new, folder, backups_of(path))


def delete_backups(path: Path) -> None:
    """Delete all backups of a store, after text was deleted from it."""
    for file in backups_of(path):
        file.unlink(missing_ok=True)


def _tables(source: sqlite3.Connection) -> Iterator[str]:
    """Yield the tables with irreplaceable rows that a store has; an older one lacks some."""
    for table in _IRREPLACEABLE:
        if source.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            yield table


def _copy(source: sqlite3.Connection, new: Path) -> None:
    """Copy the tables in `_COPIED_ROWS` to a new database. Equal content makes equal files."""
    with closing(sqlite3.connect(new, isolation_level=None)) as target:
        target.execute("PRAGMA journal_mode = OFF")
        target.execute("BEGIN")
        for table, condition in _COPIED_ROWS.items():
            declaration = source.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            if declaration is None or ("bookmark" in condition and "bookmark" not in _tables(source)):
                continue
            target.execute(declaration[0])
            rows = source.execute(f"SELECT * FROM {table} WHERE {condition}")
            marks = ", ".join("?" * len(rows.description))
            target.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        target.execute("COMMIT")


def _publish(new: Path, folder: Path, old: list[Path]) -> bool:
    """Move a backup to its folder and delete the oldest ones, unless it equals the newest one."""
    if old and old[0].read_bytes() == new.read_bytes():
        os.utime(old[0])
        return False
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    publish(new, folder / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S.%f}.db", replace=False)
    for file_to_delete in old[MAX_BACKUPS - 1 :]:
        file_to_delete.unlink(missing_ok=True)
    return True
