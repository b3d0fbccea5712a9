"""The library: opens and imports targets, using the store if it is available."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from inspector import library as face, store as stores
from inspector.core.conversation import MAIN
from inspector.core.text import restrict_permissions
from inspector.core.work_pool import ProgressCallback
from inspector.llm import tokens
from inspector.store import ExtractFile, SessionStore, Store, StoreError, UnwritableError, default_path

if TYPE_CHECKING:
    from inspector.engine.window import Plan
    from inspector.library.bench.plan_stack import PlanStacks
    from inspector.library.bench.session_bookmarks import Change
    from inspector.library.bench.workbench import Workbench
    from inspector.library.bench.write_policy import Outputs
    from inspector.library.opening.imports import ImportOutcome
    from inspector.library.opening.loading import Opener


@dataclass
class OpenSession:
    """An open session: its workbench, its library and its plan stacks."""

    bench: Workbench
    library: Library
    notes: tuple[str, ...] = ()
    plans: PlanStacks = field(init=False)

    def __post_init__(self) -> None:
        self.plans = face.PlanStacks(self.bench, self._write)

    def _write(self, change: Change) -> None:
        change(self.library.required_store)

    def push(self, plan: Plan, agent: str = MAIN) -> None:
        """Apply a plan and store it, together with the session if it is not in the store yet.

        Args:
            plan: Plan to put on top of the stack.
            agent: Agent whose window it changes.

        Raises:
            StaleError: The stored plans have changed since the session was opened. Nothing is changed.
            StoreError: The store cannot be used. Nothing is changed.
        """
        with self.transaction():
            self.keep()
            self.plans.push(plan, agent)

    def keep(self) -> str:
        """Return the session's id in the store, after storing the session if necessary.

        Raises:
            StoreError: If the store cannot be used.
        """
        if not self.bench.store_id:
            self.bench.store_id = face.JoinedStoring(self.library.required_store).add(self.bench.session).addition.id
        return self.bench.store_id

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Remove the newest plan, also from the store, and return it; None if there is no plan.

        If an error is raised, nothing is changed.

        Raises:
            StaleError: If the stored plans have changed since the session was opened.
            StoreError: If the store cannot be used.
        """
        if not self.bench.store_id:
            return self.plans.undo(agent)
        with self.transaction():
            return self.plans.undo(agent)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Combine `push`, `undo` and other changes in the block into one transaction, which an error rolls back."""
        bench = self.bench
        before = bench.store_id, dict(bench.plans), dict(bench.versions)
        try:
            with self.library.required_store.atomic():
                yield
        except BaseException:
            bench.store_id, bench.plans, bench.versions = before
            raise


def _tighten_default_folder(store: Path) -> None:
    """Restrict the default folder to its owner, if an earlier version created it. Other folders are not touched."""
    if "INSPECTOR_DB" not in os.environ and store == default_path():
        restrict_permissions(store.parent)


class Library:
    """The store, if it can be opened, and the operations that use it. A context manager that closes the store."""

    def __init__(self, db: Path | None = None, required: bool = False, team: str = "") -> None:
        """Open the store.

        Args:
            db: File of the store; None for the default one.
            required: True to raise an error if the store cannot be opened. Otherwise, `warning` is set to the reason.
            team: Address of a team's store to read sessions from. Plans, bookmarks and counts stay in the file.

        Raises:
            StoreError: If the store is required and cannot be opened, or the team's store cannot.
        """
        self.team = stores.TeamStore(team) if team else None
        """The team's store that sessions are read from, if any."""
        self.path = db or default_path()
        """File of the store, whether it could be opened or not."""
        self.store: Store | None = None
        self.required = required
        self.warning = ""
        self.is_refused = False
        """True if a store is there that cannot be used."""
        self._keeps_counts = False
        _tighten_default_folder(self.path)
        try:
            self.store = Store(self.path)
            if self.store.was_public:
                self.warning = f"Other users could read {self.path}. Its permissions are now restricted to you."
        except StoreError as error:
            if required:
                raise
            self.is_refused = not isinstance(error, UnwritableError)
            self.warning = f"Nothing is saved and applied plans are not shown: {error}."

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        if self._keeps_counts:
            tokens.keep_counts(None)
        if self.store:
            self.store.close()
        if self.team:
            self.team.close()

    @property
    def sessions(self) -> SessionStore | None:
        """Store that sessions are read from; None if it cannot be used."""
        return self.team or self.store

    @property
    def required_sessions(self) -> SessionStore:
        """Store that sessions are read from.

        Raises:
            StoreError: If no store is open.
        """
        return self.team or self.required_store

    @property
    def outputs(self) -> Outputs:
        """Access to the files written for the user."""
        return face.Outputs(self.path, self.store)

    @property
    def required_store(self) -> Store:
        """Store that is open.

        Raises:
            StoreError: If there is no store.
        """
        if self.store is None:
            raise StoreError(self.warning)
        return self.store

    def open(self, target: str, limit: int = 0, on_progress: ProgressCallback | None = None) -> OpenSession:
        """Open a target with exact counts and its applied plans.

        If the store cannot be used, a file is opened without it, and a note reports the reason.

        Args:
            target: Target to open.
            limit: Context window in tokens that overrides the model's; 0 for the model's.
            on_progress: Called with the progress.

        Raises:
            OpenError: If the target does not exist or cannot be read.
            StoreError: If the store fails and is required, or contains the target.
        """
        bench, notes = self.opener(limit).open(target, on_progress)
        if self.store and not self._keeps_counts and self.path.is_file():
            self._keeps_counts = True
            tokens.keep_counts(ExtractFile(self.path))
        return OpenSession(bench, self, notes)

    def opener(self, limit: int = 0) -> Opener:
        """Return an `Opener` with this store. `limit` overrides the model's context window unless it is 0."""
        return face.Opener(self.store, limit, self.required, team=self.team)

    def import_targets(
        self, targets: Iterable[str], on_progress: ProgressCallback | None = None
    ) -> Iterator[ImportOutcome]:
        """Import every session of files and folders into the store, and yield an outcome for each."""
        return face.import_targets(self.required_store, targets, on_progress)
