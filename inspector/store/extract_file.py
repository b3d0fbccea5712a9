"""Extracts of messages by their content, in a file next to the store.

The file is a cache: it is private to its owner, bounded, and may be deleted at any time. A damaged file is deleted. If
it cannot be used, extracts are computed again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from inspector.core.text import make_private_file, make_private_folder

_SUFFIX = ".extracts"
_MAX_BYTES = 256 << 20
"""Size in bytes from which the oldest extracts are removed."""
_CHUNK = 500
"""Maximum number of extracts per statement."""
_WAIT = 2.0
"""Seconds to wait for another process."""
_SELECT = "SELECT key, mark, content FROM extract WHERE key IN"
_TABLE = """
    CREATE TABLE IF NOT EXISTS extract (
        number INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        mark BLOB NOT NULL,
        content TEXT NOT NULL
    )"""


class ExtractFile:
    """Texts by key. Thread-safe; methods never raise."""

    def __init__(self, store_path: Path) -> None:
        """Use the file that belongs to a store.

        Args:
            store_path: Path of the store.
        """
        self.path = store_path.with_name(store_path.name + _SUFFIX)
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_usable = True

    def load(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return the saved texts by key. Unknown keys and damaged texts are missing."""
        texts: dict[bytes, str] = {}

        def read(connection: sqlite3.Connection) -> None:
            for start in range(0, len(keys), _CHUNK):
                chunk = keys[start : start + _CHUNK]
                marks = ", ".join("?" * len(chunk))
                rows = connection.execute(f"{_SELECT} ({marks}) AND typeof(content) = 'text'", chunk)
                texts.update({key: text for key, mark, text in rows if _mark(key, text) == mark})

        self._run(read)
        return texts

    def save(self, texts: Mapping[bytes, str]) -> None:
        """Save texts by key, and remove the oldest ones if the file has become too large."""

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO extract (key, mark, content) VALUES (?, ?, ?)",
                    [(key, _mark(key, text), text) for key, text in texts.items()],
                )
                if _used_bytes(connection) > _MAX_BYTES:
                    border = "SELECT min(number) + (max(number) - min(number)) / 3 FROM extract"
                    connection.execute(f"DELETE FROM extract WHERE number <= ({border})")

        self._run(write)

    def __del__(self) -> None:
        self._close()

    def _run(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with self._lock:
            if not self._is_usable:
                return
            try:
                work(self._open())
            except (sqlite3.OperationalError, OSError):  # locked, read-only or full
                self._stop()
            except (sqlite3.Error, UnicodeError, OverflowError):
                self._stop()
                for suffix in ("", "-journal"):
                    with suppress(OSError):
                        self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            make_private_folder(self.path.parent)
            make_private_file(self.path)
            self._connection = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False)
            self._connection.text_factory = partial(str, encoding="utf-8", errors="replace")
            self._connection.execute("PRAGMA synchronous = OFF")  # damage by a power failure is noticed
            self._connection.execute("PRAGMA secure_delete = ON")
            self._connection.execute(_TABLE)
        return self._connection

    def _stop(self) -> None:
        self._is_usable = False
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def delete_extracts(store_path: Path) -> None:
    """Delete the extracts that belong to a store, after text was deleted from it."""
    with suppress(OSError):  # open in another process, on Windows
        store_path.with_name(store_path.name + _SUFFIX).unlink(missing_ok=True)


def _mark(key: bytes, text: str) -> bytes:
    """Return a digest by which damage of a row is noticed."""
    return blake2b(key + text.encode(), digest_size=8).digest()


def _used_bytes(connection: sqlite3.Connection) -> int:
    size, pages, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return int(size) * (int(pages) - int(free))
