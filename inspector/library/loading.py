"""Opening a session in steps, so that each can be shown as soon as there is something to show.

The app takes one step after the other; `Library.open` waits for the last. The steps: the end of a long file, the whole
file with sizes estimated from lengths, the plans applied on an earlier visit, batches of exact counts, and, where that
is wanted, a copy in the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from inspector import formats
from inspector.conversation import Session
from inspector.library.plan_stack import with_stored_plans
from inspector.library.targets import OpenError, Tell, place_of, resolve, session_id_in
from inspector.library.workbench import Workbench
from inspector.store import DamagedError, ImportCancelledError, Store, StoreError
from inspector.tokens import Sizes, count_session, count_sizes, counter_for, quick
from inspector.window import compute_timeline

_Cancel = Callable[[], bool]


@dataclass(frozen=True)
class Step:
    """One step of opening a target."""

    bench: Workbench | None = None
    """A new bench, or one with better counts; None where the step only reports progress."""
    activity: str = ""
    """The activity that follows, in one word; empty after the last step."""
    count: int = 0
    total: int = 0
    """`count` of `total` messages are counted; 0 of 0 where nothing is counted."""
    notes: tuple[str, ...] = ()
    """Remarks about the target, each a sentence."""
    problem: str = ""
    """An error that does not stop the opening, in one sentence; else empty."""
    first: bool = False
    """Whether this is the first bench of the opening."""

    @property
    def share(self) -> float | None:
        """How much of the counting is done, from 0 to 1; None where nothing is counted."""
        return self.count / self.total if self.total else None


@dataclass(frozen=True)
class Opener:
    """Opens targets: files, sessions of files, and stored sessions."""

    store: Store | None = None
    """Where counts are cached, and where stored sessions and applied plans are."""
    limit: int = 0
    """Overrides the context window of the session's model when it is not 0; in tokens."""
    required: bool = False
    """Whether a failure of the store is raised; where it is not, a step reports it as its `problem`."""
    keeps: bool = False
    """Whether the session is copied into the store."""
    glimpses: bool = False
    """Whether the end of a long file is shown while the rest is still being read."""
    refine: float = inf
    """Seconds between two benches with better counts: each costs a calibration of the whole session."""

    def open(self, target: str, tell: Tell | None = None) -> tuple[Workbench, tuple[str, ...]]:
        """A bench with the target's session, exact counts and applied plans, and remarks about the target.

        `tell` is called with the progress. Raises as `steps` does.
        """
        bench: Workbench | None = None
        notes: list[str] = []
        for step in self.steps(target, tell):
            bench = step.bench or bench
            notes += [*step.notes, step.problem] if step.problem else step.notes
            if tell and step.total:
                tell(step.activity, step.count, step.total)
        assert bench is not None, "a target that is opened has a bench, and any other raises"
        return bench, tuple(notes)

    def steps(self, target: str, tell: Tell | None = None, is_cancelled: _Cancel = lambda: False) -> Iterator[Step]:
        """Read, count and store a target. Each step has a bench of its own: a change on one is not seen on the next.

        `tell` is called with the progress of the reading; where `is_cancelled` returns true, the steps end.
        Raises OpenError for a target that names no session or cannot be read; and StoreError where the store is
        required, or the target lies in it.
        """
        try:
            for step in self._steps(target, tell, is_cancelled):
                yield replace(step, bench=step.bench.copy()) if step.bench else step
        except ImportCancelledError:
            return

    def _steps(self, target: str, tell: Tell | None, is_cancelled: _Cancel) -> Iterator[Step]:
        path, number = place_of(target)
        tail = formats.tail(path) if self.glimpses and path is not None and not number else None
        if tail is not None:
            yield Step(Workbench(tail, quick(tail), limit=self.limit, partial=True), activity="reading", first=True)
        source = resolve(target, None if path is not None else self.store, tell)
        bench = Workbench(source.session, quick(source.session), limit=self.limit, store_id=source.store_id)
        yield Step(bench, "counting", 0, max(1, len(source.session.messages)), source.notes, first=tail is None)
        try:
            yield from self._steps_of_session(bench, path is None, is_cancelled)
        except OSError as error:
            raise OpenError(
                f"{source.session.path} can no longer be read ({error.strerror or error}): try again."
            ) from error
        yield Step()

    def _steps_of_session(self, bench: Workbench, is_stored: bool, is_cancelled: _Cancel) -> Iterator[Step]:
        """The steps after the first. `is_stored`: the session was loaded from the store."""
        strict = self.required or is_stored
        store = self.store
        try:
            bench = _with_earlier_plans(bench, store) if store else bench
            yield Step(bench, activity="counting")
        except StoreError as error:
            if strict:
                raise
            yield Step(problem=f"Counts are not kept, and applied plans are not seen: {error}.")
            store = None
        for step in self._sized_benches(bench, store, strict, is_cancelled):
            bench = step.bench or bench
            yield step
        if self.keeps and store is not None and not is_cancelled():
            yield from _store_steps(bench, store, is_stored, is_cancelled)

    def _sized_benches(
        self, bench: Workbench, store: Store | None, strict: bool, is_cancelled: _Cancel
    ) -> Iterator[Step]:
        """Steps with sizes of rising accuracy; counted again without the store where it cannot be written to."""
        try:
            yield from _count_steps(bench, store, self.refine, is_cancelled)
        except StoreError as error:
            if strict and isinstance(error, DamagedError):
                raise
            yield Step(problem=f"Counts are not kept: {error}.")
            yield from _count_steps(bench, None, self.refine, is_cancelled)


def _with_earlier_plans(bench: Workbench, store: Store) -> Workbench:
    """The bench with its stored plans, where its log is in the store; else the bench as it is."""
    session_id = bench.store_id or session_id_in(bench.session, store)
    return with_stored_plans(bench, store, session_id) if session_id else bench


def _count_steps(bench: Workbench, store: Store | None, refine: float, is_cancelled: _Cancel) -> Iterator[Step]:
    """Steps with sizes of rising accuracy; new counts are cached in the store."""
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


def _store_steps(bench: Workbench, store: Store, is_stored: bool, is_cancelled: _Cancel) -> Iterator[Step]:
    """Copy the log into the store in one transaction; messages that are there already are not written again."""
    yield Step(activity="storing")
    try:
        session_id = (
            bench.store_id if is_stored else store.add(with_absolute_path(bench.session), is_cancelled=is_cancelled).id
        )
        save_size(store, session_id, bench.session, bench.sizes)
    except ImportCancelledError:
        raise
    except StoreError as error:
        yield Step(problem=f"The session is not stored, and what is applied to it is not kept: {error}.")
    else:
        yield Step(replace(bench, store_id=session_id))


def exact_sizes(session: Session, store: Store | None = None, tell: Tell | None = None) -> Sizes:
    """Exact sizes; new counts are cached in the store. Raises StoreError, and OSError for a lost source."""
    bench = Workbench(session, quick(session))
    for step in _count_steps(bench, store, inf, lambda: False):
        bench = step.bench or bench
        if tell:
            tell(step.activity, step.count, step.total)
    return bench.sizes


def save_size(store: Store, id: str, session: Session, sizes: Sizes) -> None:
    """Store the tokens of a session and of its largest window. Raises StoreError."""
    store.set_size(id, sum(sizes.tokens), compute_timeline(session, sizes).peak, sizes.counter.name)


def with_absolute_path(session: Session) -> Session:
    """The session with the path of its source made absolute."""
    return replace(session, path=str(Path(session.path).absolute())) if session.path else session


class _KnownCounts(Mapping[bytes, int]):
    """The cached counts of a session: read in one query where the session is stored, else one by one.

    Counts are kept by content, so nothing in the cache can be wrong for a message with that content.
    """

    def __init__(self, store: Store, session: Session, counter: str) -> None:
        self.store = store
        self.counter = counter
        digests = (key for session_id in store.ids_under(session.id) for key in store.digests(session_id))
        self.counts = store.counts(digests, counter)

    def __getitem__(self, key: bytes) -> int:
        return self.counts[key] if key in self.counts else self.store.counts([key], self.counter)[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)


def known_counts(store: Store | None, session: Session, counter: str) -> Mapping[bytes, int]:
    """The cache of counts for a session; empty without a store. Raises StoreError."""
    return {} if store is None else _KnownCounts(store, session, counter)
