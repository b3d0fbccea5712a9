"""Open a session in steps, each of which can be displayed as soon as it is available.

The app shows every step; `Library.open` waits for the last one. The steps are: the end of a long file, the whole file
with estimated sizes, the plans applied earlier, batches of exact counts and, if requested, a copy in the store.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from inspector import formats
from inspector.core.conversation import Session
from inspector.core.work_pool import ProgressCallback, Stop
from inspector.engine.window import compute_timeline
from inspector.library.bench.file_extracts import FileExtracts, extracts_of_file
from inspector.library.bench.plan_stack import with_stored_plans
from inspector.library.bench.stored_extracts import StoredExtracts, Write
from inspector.library.bench.workbench import Workbench
from inspector.library.opening.file_index import FileIndex, file_index, index_step
from inspector.library.opening.joined_storing import JoinedStoring
from inspector.library.opening.opening_steps import Step
from inspector.library.opening.session_refs import (
    OpenError,
    ResolvedTarget,
    find_session_id,
    place_of,
    resolve,
    session_id_in,
)
from inspector.llm.tokens import Sizes, StoredCounts, count_session, count_sizes, counter_for, estimate_sizes
from inspector.store import DamagedError, ImportCancelledError, SessionStore, Store, StoreError

LARGE_SESSION_BYTES = 4 << 20
"""Size in bytes from which reading and counting a session takes longer than starting a process."""
STORING = "storing"
"""Activity after which the store contains exactly the log that is open."""
_MESSAGE_BYTES = 2_000
"""Estimated bytes of a message in a file."""


@dataclass(frozen=True)
class Opener:
    """Opens targets: files, sessions of files, and stored sessions."""

    store: Store | None = None
    """Store for cached counts, stored sessions and applied plans."""
    limit: int = 0
    """Context window in tokens that overrides the model's; 0 for the model's."""
    required: bool = False
    """True to raise errors of the store. Otherwise, a step reports them as its `problem`."""
    keeps: bool = False
    """True to copy the session into the store."""
    shows_tail: bool = False
    """True to show the end of a long file while the rest is still being read."""
    refine: float = inf
    """Seconds between two benches with better counts, each of which costs a calibration of the whole session."""
    write: Write | None = None
    """Makes changes in the store in the background; None to make them at once."""
    team: SessionStore | None = None
    """Team's store to read sessions from in place of `store`."""
    helper_from: float = inf
    """Size in bytes from which a helper process reads, counts and stores a session, so that no thread is blocked."""

    def with_store(self, store: Store | None) -> Opener:
        """Return a copy with another store, which is changed at once."""
        return replace(self, store=store, write=None)

    def open(self, target: str, on_progress: ProgressCallback | None = None) -> tuple[Workbench, tuple[str, ...]]:
        """Open a target with exact counts and its applied plans.

        Args:
            target: Target to open.
            on_progress: Called with the progress.

        Returns:
            The bench, and remarks about the target.

        Raises:
            OpenError: If the target does not exist or cannot be read.
            StoreError: If the store fails and is required, or contains the target.
        """
        bench: Workbench | None = None
        notes: list[str] = []
        for step in self.steps(target, on_progress):
            bench = step.bench or bench
            notes += [*step.notes, step.problem] if step.problem else step.notes
            if on_progress and step.total:
                on_progress(step.activity, step.count, step.total)
        assert bench is not None, "a target that is opened has a bench, and any other raises"
        return bench, tuple(notes)

    def steps(
        self, target: str, on_progress: ProgressCallback | None = None, is_cancelled: Stop = lambda: False
    ) -> Iterator[Step]:
        """Read, count and store a target step by step.

        Each step has a separate bench, so changes to one do not affect the next.

        Args:
            target: Target to open.
            on_progress: Called with the progress of reading.
            is_cancelled: Called regularly; ends the steps when it returns True.

        Raises:
            OpenError: If the target does not exist or cannot be read.
            StoreError: If the store fails and is required, or contains the target.
        """
        extracts: StoredExtracts | FileExtracts | None = None
        is_stored = self._is_stored(place_of(target)[0])
        try:
            for step in self._steps(target, on_progress, is_cancelled):
                is_stored = is_stored or step.activity == STORING
                bench = step.bench
                if bench and self.store:
                    kept = (bench.store_id or "") if is_stored else ""
                    if extracts is None or extracts.session is not bench.session or extracts.id != kept:
                        extracts = self._extracts_of(bench.session, self.store, kept)
                    bench = replace(bench, extracts=extracts)
                yield replace(step, bench=bench.copy()) if bench else step
        except ImportCancelledError:
            return

    def _is_stored(self, path: Path | None) -> bool:
        """Return True if the target of a path is in the store, and not in a file or a team's store."""
        return path is None and self.team is None

    def _extracts_of(self, session: Session, store: Store, id: str) -> StoredExtracts | FileExtracts | None:
        return StoredExtracts(session, store, id, self.write) if id else extracts_of_file(session, store.path)

    def _steps(self, target: str, on_progress: ProgressCallback | None, is_cancelled: Stop) -> Iterator[Step]:
        path, number = place_of(target)
        tail = self._tail(target, path) if self.shows_tail and not number else None
        if tail is not None:
            yield Step(
                Workbench(tail, estimate_sizes(tail), limit=self.limit, partial=True), activity="reading", first=True
            )
        bench = None
        for step in self._helper_steps(target, path, is_cancelled):
            bench = step.bench or bench
            yield replace(step, first=step.first and tail is None)
            if step == Step():
                return
        if bench is None:
            yield from self._own_steps(target, path, tail is None, on_progress, is_cancelled)
        else:
            yield from self._steps_of_session(bench, self._is_stored(path), is_cancelled)

    def _own_steps(
        self, target: str, path: Path | None, first: bool, on_progress: ProgressCallback | None, is_cancelled: Stop
    ) -> Iterator[Step]:
        """Yield the steps of a target without a helper: from the index of its file, or by reading and counting it."""
        index = file_index(target, path, self.store)
        known = self._known_step(index) if index and self.store else None
        if known and known.bench:
            yield replace(known, first=first)
            yield from self._steps_of_session(known.bench, False, is_cancelled, is_sized=True)
            return
        source = resolve(target, None if path is not None else self.team or self.store, on_progress)
        store_id = source.store_id if self._is_stored(path) else ""
        session = self._joined(source)
        bench = Workbench(session, estimate_sizes(session), limit=self.limit, store_id=store_id)
        total = max(1, len(session.messages))
        yield Step(bench, "counting", 0, total, source.notes, source.siblings, first=first)
        for step in self._steps_of_session(bench, self._is_stored(path), is_cancelled):
            yield step
            if index and step.bench and step.count == step.total > 0:
                index.save(index_step(step.bench, source.notes, source.siblings))

    def _joined(self, source: ResolvedTarget) -> Session:
        """Return a session. One of a file is joined with the captured requests that the store has of it."""
        if self.store and not source.store_id:
            with suppress(StoreError):
                return JoinedStoring(self.store).joined(source.session)[0]
        return source.session

    def _known_step(self, index: FileIndex) -> Step | None:
        """Return the step of an index, unless the store has captured requests that it lacks."""
        assert self.store is not None
        known = index.load(self.store, self.limit)
        session = known.bench.session if known and known.bench else None
        return known if session and self._joined(ResolvedTarget(session)) is session else None

    def _tail(self, target: str, path: Path | None) -> Session | None:
        """Return the newest context of a long file or stored session, or None. A later step reports errors."""
        if path is not None:
            return formats.tail(path)
        if self.team is not None:
            return None
        with suppress(StoreError, OpenError):
            return self.store.load_tail(find_session_id(target, self.store)) if self.store else None
        return None

    def _helper_steps(self, target: str, path: Path | None, is_cancelled: Stop) -> Iterator[Step]:
        """Yield the steps of a long session from a helper, and `Step()` if it finishes; nothing for others."""
        if (
            self.helper_from == inf
            or (path is None and self.team is not None)
            or not (self.store is None or Path(self.store.path).is_file())
        ):
            return
        if self.helper_from <= (_size_of_file(path) if path is not None else _size_in_store(target, self.store)):
            from inspector.library.opening.opener_process import helper_steps

            yield from helper_steps(replace(self, shows_tail=False, helper_from=inf), target, is_cancelled)

    def _steps_of_session(
        self, bench: Workbench, is_stored: bool, is_cancelled: Stop, is_sized: bool = False
    ) -> Iterator[Step]:
        """Yield the steps after the first.

        Args:
            bench: Bench of the first step.
            is_stored: True if the session was loaded from the store.
            is_cancelled: Called regularly; ends the steps when it returns True.
            is_sized: True if the sizes are exact.
        """
        try:
            yield from self._count_and_keep(bench, is_stored, is_cancelled, is_sized)
        except OSError as error:
            path = bench.session.path
            raise OpenError(f"{path} can no longer be read ({error.strerror or error}). Try again.") from error
        yield Step()

    def _count_and_keep(self, bench: Workbench, is_stored: bool, is_cancelled: Stop, is_sized: bool) -> Iterator[Step]:
        strict = self.required or is_stored
        store = self.store
        try:
            bench = _with_earlier_plans(bench, store) if store else bench
            yield Step(bench, activity="counting")
        except StoreError as error:
            if strict:
                raise
            yield Step(problem=f"Counts are not saved and applied plans are not shown: {error}.")
            store = None
        for step in () if is_sized else self._sized_benches(bench, store, strict, is_cancelled):
            bench = step.bench or bench
            yield step
        if self.keeps and store is not None and not is_cancelled():
            yield from _store_steps(bench, store, is_stored, is_cancelled)

    def _sized_benches(self, bench: Workbench, store: Store | None, strict: bool, is_cancelled: Stop) -> Iterator[Step]:
        """Yield steps with sizes of increasing accuracy, restarting without the store if it cannot be written."""
        try:
            yield from _count_steps(bench, store, self.refine, is_cancelled)
        except StoreError as error:
            if strict and isinstance(error, DamagedError):
                raise
            yield Step(problem=f"Counts are not saved: {error}.")
            yield from _count_steps(bench, None, self.refine, is_cancelled)


def _size_of_file(path: Path) -> int:
    """Return the size of a file whose texts are read on demand; -1 for any other file."""
    with suppress(OSError):
        return path.stat().st_size if formats.stays_in_file(path) else -1
    return -1


def _size_in_store(target: str, store: Store | None) -> int:
    """Return the estimated size of a stored session in bytes.

    Raises:
        OpenError: If the target does not exist.
    """
    session_id = find_session_id(target, store)
    rows = store.sessions() if store is not None else []
    return _MESSAGE_BYTES * next((row.messages for row in rows if row.id == session_id), 0)


def _with_earlier_plans(bench: Workbench, store: Store) -> Workbench:
    """Return the bench with its stored plans if the store contains its log; otherwise the bench itself."""
    session_id = bench.store_id or session_id_in(bench.session, store)
    return with_stored_plans(bench, store, session_id) if session_id else bench


def _count_steps(bench: Workbench, store: Store | None, refine: float, is_cancelled: Stop) -> Iterator[Step]:
    """Yield steps with sizes of increasing accuracy, and cache new counts in the store."""
    session = bench.session
    counter = counter_for(session.model)
    refresh_time = time.monotonic()
    for batch in count_session(session, counter, known_counts(store, session, counter.name), is_cancelled):
        if store is not None and batch.fresh:
            store.save_counts(counter.name, batch.fresh)
        better = None
        if batch.is_complete or time.monotonic() - refresh_time > refine:
            refresh_time = time.monotonic()
            better = bench.with_sizes(count_sizes(session, batch.counts, counter, batch.tools))
        yield Step(better, "counting", batch.count, max(1, len(batch.counts)))


def _store_steps(bench: Workbench, store: Store, is_stored: bool, is_cancelled: Stop) -> Iterator[Step]:
    """Copy the log into the store in one transaction, without rewriting messages that are already there."""
    yield Step(activity=STORING)
    try:
        session_id = (
            bench.store_id
            if is_stored
            else JoinedStoring(store).add(bench.session, is_cancelled=is_cancelled).addition.id
        )
        save_size(store, session_id, bench.session, bench.sizes)
    except ImportCancelledError:
        raise
    except StoreError as error:
        yield Step(problem=f"The session is not stored and applied plans are not saved: {error}.")
    else:
        yield Step(replace(bench, store_id=session_id))


def exact_sizes(session: Session, store: Store | None = None, on_progress: ProgressCallback | None = None) -> Sizes:
    """Return exact sizes, and cache new counts in the store.

    Args:
        session: Session to count.
        store: Cache of counts; None for no cache.
        on_progress: Called with the progress.

    Raises:
        StoreError: If the store cannot be used.
        OSError: If a source can no longer be read.
    """
    bench = Workbench(session, estimate_sizes(session))
    for step in _count_steps(bench, store, inf, lambda: False):
        bench = step.bench or bench
        if on_progress:
            on_progress(step.activity, step.count, step.total)
    return bench.sizes


def save_size(store: Store, id: str, session: Session, sizes: Sizes) -> None:
    """Store the tokens of a session and of its largest window, unless the store contains more or fewer messages.

    Args:
        store: Store that contains the session.
        id: Id of the session in the store.
        session: The session.
        sizes: Exact token counts of the session.

    Raises:
        StoreError: If the store cannot be written.
    """
    peak = compute_timeline(session, sizes).peak
    store.set_size(id, sum(sizes.tokens), peak, sizes.counter.name, len(session.messages))


def known_counts(store: Store | None, session: Session, counter: str) -> Mapping[bytes, int]:
    """Return the cached counts for a session; empty without a store.

    Args:
        store: Cache of counts.
        session: Session to count.
        counter: Name of the token counter.

    Raises:
        StoreError: If the store cannot be read.
    """
    if store is None:
        return {}
    known = StoredCounts(lambda digests: store.counts(digests, counter))
    for session_id in store.ids_under(session.id):
        known.look_up(store.digests(session_id))
    return known
