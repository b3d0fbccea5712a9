"""Where a person lets something be written: what is there already, and whether it may be replaced.

A file may be replaced without a question when Inspector wrote it and nobody has changed it since: the store keeps the
digest of every file that was written. Databases and recordings are never replaced.
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
    """Why a file is not written to without a question."""

    text: str
    """A clause that begins with the file's name."""
    final: bool
    """Whether it is not written to at all, whatever the person says."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a program with this store writes for a person."""

    db: Path | None = None
    """The store's file, whether it could be opened or not; None where there is none."""
    store: Store | None = None

    def obstacle(self, path: Path, source: str = "") -> Obstacle | None:
        """What stands in the way of writing to `path` something made of the recording `source`; None when nothing.

        A stream and an empty file are no obstacle. Raises OSError when what is there cannot be read.
        """
        if is_stream(path):
            return None
        if self.db is not None and _in_use(path, self.db):
            return Obstacle(f"{path} belongs to the store that is in use, which is never written over", final=True)
        if not has_content(path) or path.is_dir():
            return None
        if words := _what_it_is(path, source):
            return Obstacle(f"{path} {words}", final=True)
        is_own = self.is_own(path)
        if self.is_imported(path) or (not is_own and formats.is_log(path)):
            return Obstacle(f"{path} holds a recorded log, which is never written to", final=True)
        return None if is_own else Obstacle(f"{path} exists", final=False)

    def is_own(self, path: Path) -> bool:
        """Whether Inspector wrote this file, and it is as it was then."""
        if self.store is None or not path.is_file() or is_stream(path):
            return False
        with suppress(StoreError, OSError):
            return self.store.is_own_output(str(path.resolve()), digest_of_file(path))
        return False

    def is_imported(self, path: Path) -> bool:
        """Whether a stored session was read from this file, or from the request that it is the companion of."""
        if self.store is None:
            return False
        whole = formats.request_path(path) or path
        with suppress(StoreError):
            return any(is_source(path, row.path) or is_source(whole, row.path) for row in self.store.sessions())
        return False

    def remove_own(self, path: Path) -> None:
        """Remove a file, where it is one that Inspector wrote and nobody has changed since."""
        with suppress(OSError):
            if self.is_own(path):
                path.unlink()

    @contextmanager
    def write_all(self, texts: Mapping[Path, str], replace: bool = False) -> Iterator[None]:
        """Write texts to files when the block ends, the first of them first; see `write`."""
        with ExitStack() as stack:
            for path, text in reversed(list(texts.items())):
                stack.enter_context(self.write(path, text, replace))
            yield

    @contextmanager
    def write(self, path: Path, text: str, replace: bool = False) -> Iterator[None]:
        """Write a text to a file when the block ends, see `files.stage_file`, and keep in mind that it is ours.

        `replace` says that nothing stands in the way any more. Raises OSError.
        """
        with stage_file(path, text, replace or self.is_own(path)):
            yield
        if self.store is not None and not is_stream(path):
            with suppress(StoreError, OSError):  # the file is there all the same; it only is not known as ours
                self.store.note_output(str(path.resolve()), digest_of_file(path))


def _what_it_is(path: Path, source: str) -> str:
    """What forbids to write to a file with content, whoever wrote it; empty where nothing does."""
    if is_source(path, source):
        return "is the session itself, which is never written to"
    if source and any(same_file(path, part) for part in formats.files_of(Path(source))):
        return "belongs to the session itself, which is never written to"
    if is_database(path):
        return "is a database, which is never written over"
    return "belongs to a database, which is never written over" if is_sidecar(path) else ""


def _in_use(path: Path, db: Path) -> bool:
    """Whether a path is a store's file, or one of those that SQLite keeps beside it."""
    store, target = db.resolve(), path.resolve()
    files = [store, *(store.with_name(store.name + ending) for ending in SIDECARS)]
    return any(target == file or same_file(path, file) for file in files)
