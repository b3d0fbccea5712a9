"""The library: the store, if there is one, and all that can be opened with it or without it.

`Outputs` tells where something may be written: a file may be replaced without a question when Inspector wrote it and
nobody has changed it since (the store keeps the digest of every file that was written). Databases and recordings are
never replaced.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from inspector.conversation import MAIN
from inspector.formats import is_log
from inspector.library.imports import ImportOutcome, import_targets
from inspector.library.loading import Opener, with_absolute_path
from inspector.library.plan_stack import Change, PlanStacks
from inspector.library.targets import Tell
from inspector.library.workbench import Workbench
from inspector.store import Store, StoreError, default_path
from inspector.text import (
    SIDECARS,
    digest_of_file,
    has_content,
    is_database,
    is_sidecar,
    is_source,
    is_stream,
    same_file,
    staged,
    tighten,
)
from inspector.window import Plan


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
        if is_source(path, source):
            return Obstacle(f"{path} is the session itself, which is never written to", final=True)
        if is_database(path):
            return Obstacle(f"{path} is a database, which is never written over", final=True)
        if is_sidecar(path):
            return Obstacle(f"{path} belongs to a database, which is never written over", final=True)
        if self.wrote(path):
            return None
        if is_log(path) or self.is_imported(path):
            return Obstacle(f"{path} holds a recorded log, which is never written to", final=True)
        return Obstacle(f"{path} exists", final=False)

    def wrote(self, path: Path) -> bool:
        """Whether Inspector wrote this file, and it is as it was then."""
        if self.store is None or not path.is_file() or is_stream(path):
            return False
        with suppress(StoreError, OSError):
            return self.store.has_written(str(path.resolve()), digest_of_file(path))
        return False

    def is_imported(self, path: Path) -> bool:
        """Whether a stored session was read from this file."""
        if self.store is None:
            return False
        with suppress(StoreError):
            return any(is_source(path, row.path) for row in self.store.sessions())
        return False

    @contextmanager
    def written(self, path: Path, text: str, replace: bool = False) -> Iterator[None]:
        """Write a text to a file when the block ends, see `files.staged`, and keep in mind that it is ours.

        `replace` says that nothing stands in the way any more. Raises OSError.
        """
        with staged(path, text, replace or self.wrote(path)):
            yield
        if self.store is not None and not is_stream(path):
            with suppress(StoreError, OSError):  # the file is there all the same; it only is not known as ours
                self.store.note_written(str(path.resolve()), digest_of_file(path))


def _in_use(path: Path, db: Path) -> bool:
    """Whether a path is a store's file, or one of those that SQLite keeps beside it."""
    store, target = db.resolve(), path.resolve()
    files = [store, *(store.with_name(store.name + ending) for ending in SIDECARS)]
    return any(target == file or same_file(path, file) for file in files)


@dataclass
class OpenSession:
    """A session on the bench, and the store that keeps what is done to it."""

    bench: Workbench
    library: Library
    notes: tuple[str, ...] = ()
    plans: PlanStacks = field(init=False)

    def __post_init__(self) -> None:
        self.plans = PlanStacks(self.bench, self._write)

    def _write(self, change: Change) -> None:
        change(self.library.needed)

    def push(self, plan: Plan, agent: str = MAIN) -> None:
        """Apply a plan and keep it; a session that is not in the store yet is put there.

        Raises StaleError where the session's plans have changed since it was opened, and StoreError; then nothing is
        changed.
        """
        with self.changing():
            if not self.bench.stored:
                self.bench.stored = self.library.needed.add(with_absolute_path(self.bench.session)).id
            self.plans.push(plan, agent)

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Take the newest plan off, here and in the store. Raises StaleError and StoreError: nothing is changed."""
        if not self.bench.stored:
            return self.plans.undo(agent)
        with self.changing():
            return self.plans.undo(agent)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make `push` or `undo` one with what is done beside it: after an error inside, nothing is changed."""
        bench = self.bench
        before = bench.stored, dict(bench.plans), dict(bench.versions)
        try:
            with self.library.needed.atomic():
                yield
        except BaseException:
            bench.stored, bench.plans, bench.versions = before
            raise


def _tighten_default_folder(store: Path) -> None:
    """Close the program's own folder to others, where an earlier version made it; no folder that a person has named."""
    if "INSPECTOR_DB" not in os.environ and store == default_path():
        tighten(store.parent)


class Library:
    """The store, if there is one, and everything that can be opened with it or without it."""

    def __init__(self, db: Path | None = None, needed: bool = False) -> None:
        """Open the store. Raises StoreError when it cannot be opened and is `needed`; else `warning` says why."""
        self.path = db or default_path()
        """The store's file, whether it could be opened or not."""
        self.store: Store | None = None
        self.required = needed
        self.warning = ""
        _tighten_default_folder(self.path)
        try:
            self.store = Store(self.path)
            if self.store.tightened:
                self.warning = f"{self.path} could be read by others; now it is yours alone."
        except StoreError as error:
            if needed:
                raise
            self.warning = f"Nothing is kept, and applied plans are not seen: {error}."

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.store:
            self.store.close()

    @property
    def outputs(self) -> Outputs:
        """The files that may be written for the person."""
        return Outputs(self.path, self.store)

    @property
    def needed(self) -> Store:
        """The store. Raises StoreError where there is none."""
        if self.store is None:
            raise StoreError(self.warning)
        return self.store

    def open(self, target: str, limit: int = 0, tell: Tell | None = None) -> OpenSession:
        """A target on the bench: counted, and with its applied plans. Raises OpenError.

        A file is opened without the store where that cannot be used, and a note says so; unless the store is needed, or
        the target lies in it: then StoreError is raised.
        """
        bench, notes = self.opener(limit).open(target, tell)
        return OpenSession(bench, self, notes)

    def opener(self, limit: int = 0) -> Opener:
        """What opens targets with this store. `limit` overrides the models' context windows when it is not 0."""
        return Opener(self.store, limit, self.required)

    def import_targets(self, targets: Iterable[str], tell: Tell | None = None) -> Iterator[ImportOutcome]:
        """Import every session of files and folders, one by one; what cannot be read is said and passed over."""
        return import_targets(self.needed, targets, tell)
