"""The library: opens targets and imports them, with the store where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from inspector import library as face
from inspector.core.conversation import MAIN
from inspector.core.text import restrict_permissions
from inspector.store import Store, StoreError, default_path

if TYPE_CHECKING:
    from inspector.engine.window import Plan
    from inspector.library.bench.plan_stack import PlanStacks
    from inspector.library.bench.session_bookmarks import Change
    from inspector.library.bench.workbench import Workbench
    from inspector.library.bench.write_policy import Outputs
    from inspector.library.opening.imports import ImportOutcome
    from inspector.library.opening.loading import Opener
    from inspector.library.opening.session_refs import ProgressCallback


@dataclass
class OpenSession:
    """An open session: its workbench, the library it came from, and its plan stacks."""

    bench: Workbench
    library: Library
    notes: tuple[str, ...] = ()
    plans: PlanStacks = field(init=False)

    def __post_init__(self) -> None:
        self.plans = face.PlanStacks(self.bench, self._write)

    def _write(self, change: Change) -> None:
        change(self.library.required_store)

    def push(self, plan: Plan, agent: str = MAIN) -> None:
        """Apply a plan and keep it; a session that is not in the store yet is put there.

        Raises StaleError where the session's plans have changed since it was opened, and StoreError; then nothing is
        changed.
        """
        with self.transaction():
            self.keep()
            self.plans.push(plan, agent)

    def keep(self) -> str:
        """The session's id in the store, where it is put if it is not there yet. Raises StoreError."""
        if not self.bench.store_id:
            stored = self.library.required_store.add(face.with_absolute_path(self.bench.session))
            self.bench.store_id = stored.id
        return self.bench.store_id

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Take the newest plan off, here and in the store. Raises StaleError and StoreError: nothing is changed."""
        if not self.bench.store_id:
            return self.plans.undo(agent)
        with self.transaction():
            return self.plans.undo(agent)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A block in which `push` and `undo` are one transaction with what is done beside them: an error undoes all."""
        bench = self.bench
        before = bench.store_id, dict(bench.plans), dict(bench.versions)
        try:
            with self.library.required_store.atomic():
                yield
        except BaseException:
            bench.store_id, bench.plans, bench.versions = before
            raise


def _tighten_default_folder(store: Path) -> None:
    """Close the program's own folder to others, where an earlier version made it; no folder that a person has named."""
    if "INSPECTOR_DB" not in os.environ and store == default_path():
        restrict_permissions(store.parent)


class Library:
    """The store, where it can be opened, and the operations that use it. A context manager: it closes the store."""

    def __init__(self, db: Path | None = None, required: bool = False) -> None:
        """Open the store. Raises StoreError when it cannot be opened and is `required`; else `warning` says why."""
        self.path = db or default_path()
        """The store's file, whether it could be opened or not."""
        self.store: Store | None = None
        self.required = required
        self.warning = ""
        _tighten_default_folder(self.path)
        try:
            self.store = Store(self.path)
            if self.store.was_public:
                self.warning = f"{self.path} could be read by others; now it is yours alone."
        except StoreError as error:
            if required:
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
        return face.Outputs(self.path, self.store)

    @property
    def required_store(self) -> Store:
        """The store. Raises StoreError where there is none."""
        if self.store is None:
            raise StoreError(self.warning)
        return self.store

    def open(self, target: str, limit: int = 0, on_progress: ProgressCallback | None = None) -> OpenSession:
        """Open a target: with exact counts and its applied plans. Raises OpenError.

        A file is opened without the store where that cannot be used, and a note says so; unless the store is needed, or
        the target lies in it: then StoreError is raised.
        """
        bench, notes = self.opener(limit).open(target, on_progress)
        return OpenSession(bench, self, notes)

    def opener(self, limit: int = 0) -> Opener:
        """An `Opener` that uses this store. `limit` overrides the models' context windows when it is not 0."""
        return face.Opener(self.store, limit, self.required)

    def import_targets(
        self, targets: Iterable[str], on_progress: ProgressCallback | None = None
    ) -> Iterator[ImportOutcome]:
        """Import every session of files and folders into the store; yields an outcome for each, read or not."""
        return face.import_targets(self.required_store, targets, on_progress)
