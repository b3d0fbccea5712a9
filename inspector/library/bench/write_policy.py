"""Decide whether an output file can be written, depending on what already exists.

A file can be replaced without confirmation if Inspector wrote it and it has not changed since: the store records the
digest of every written file. Databases and recordings are never replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from inspector import formats
from inspector.core.text import (
    SIDECARS,
    digest_of_file,
    has_content,
    is_database,
    is_sidecar,
    is_source,
    is_stream,
    same_file,
    stage_file,
)
from inspector.store import Store, StoreError


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Reason why a file is not written without confirmation."""

    text: str
    """A clause that starts with the file's name."""
    final: bool
    """True if it cannot be written even with confirmation."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Files that a program with this store writes for the user."""

    db: Path | None = None
    """File of the store, whether it could be opened or not; None without a store."""
    store: Store | None = None

    def obstacle(self, path: Path, source: str = "") -> Obstacle | None:
        """Return the obstacle to writing a file; None if it can be written.

        Streams and empty files are no obstacles.

        Args:
            path: File to write.
            source: Path of the recording that the output is made from.

        Raises:
            OSError: If the existing file cannot be read.
        """
        if is_stream(path):
            return None
        if self.db is not None and _in_use(path, self.db):
            return Obstacle(f"{path} belongs to the store in use, which is never overwritten", final=True)
        if not has_content(path) or path.is_dir():
            return None
        if words := _what_it_is(path, source):
            return Obstacle(f"{path} {words}", final=True)
        is_own = self.is_own(path)
        if self.is_imported(path) or (not is_own and formats.is_log(path)):
            return Obstacle(f"{path} is a recorded log, which is never overwritten", final=True)
        return None if is_own else Obstacle(f"{path} exists", final=False)

    def is_own(self, path: Path) -> bool:
        """Return True if Inspector wrote this file and it has not changed since."""
        if self.store is None or not path.is_file() or is_stream(path):
            return False
        with suppress(StoreError, OSError):
            return self.store.is_own_output(str(path.resolve()), digest_of_file(path))
        return False

    def is_imported(self, path: Path) -> bool:
        """Return True if a stored session was imported from this file, or from the request that it accompanies."""
        if self.store is None:
            return False
        whole = formats.request_path(path) or path
        with suppress(StoreError):
            return any(is_source(path, row.path) or is_source(whole, row.path) for row in self.store.sessions())
        return False

    def remove_own(self, path: Path) -> None:
        """Remove a file if Inspector wrote it and it has not changed since."""
        with suppress(OSError):
            if self.is_own(path):
                path.unlink()

    @contextmanager
    def write_all(self, texts: Mapping[Path, str], replace: bool = False) -> Iterator[None]:
        """Write several files when the block ends, in order; see `write`."""
        with ExitStack() as stack:
            for path, text in reversed(list(texts.items())):
                stack.enter_context(self.write(path, text, replace))
            yield

    @contextmanager
    def write(self, path: Path, text: str, replace: bool = False) -> Iterator[None]:
        """Write a file when the block ends, and record that Inspector wrote it; see `stage_file`.

        Args:
            path: File to write.
            text: Text to write.
            replace: True to replace an existing file whose obstacles have been checked.

        Raises:
            OSError: If the file cannot be written.
        """
        with stage_file(path, text, replace or self.is_own(path)):
            yield
        if self.store is not None and not is_stream(path):
            with suppress(StoreError, OSError):  # the file is written anyway, but not recorded as ours
                self.store.note_output(str(path.resolve()), digest_of_file(path))


def _what_it_is(path: Path, source: str) -> str:
    """Return the reason why a file with content must never be written; "" if there is no such reason."""
    if is_source(path, source):
        return "is the session itself, which is never overwritten"
    if source and any(same_file(path, part) for part in formats.files_of(Path(source))):
        return "belongs to the session itself, which is never overwritten"
    if is_database(path):
        return "is a database, which is never overwritten"
    return "belongs to a database, which is never overwritten" if is_sidecar(path) else ""


def _in_use(path: Path, db: Path) -> bool:
    """Return True if a path is a store's file, or one of the files that SQLite keeps next to it."""
    store, target = db.resolve(), path.resolve()
    files = [store, *(store.with_name(store.name + ending) for ending in SIDECARS)]
    return any(target == file or same_file(path, file) for file in files)
