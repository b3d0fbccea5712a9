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
from inspector.library.targets import OpenError, Tell, place_of, resolve, stored_id
from inspector.library.workbench import Workbench
from inspector.store import DamagedError, ImportCancelledError, Store, StoreError
from inspector.tokens import Sizes, count_session, count_sizes, counter_for, quick
from inspector.window import compute_timeline

_Cancel = Callable[[], bool]


@dataclass(frozen=True)
class Step:
    """One step of opening a target."""

    bench: Workbench | None = None
    """A new or better bench; None where the step says only how far the opening is."""
    doing: str = ""
    """What comes next, in a word; empty when all is done."""
    done: int = 0
    total: int = 0
    """Messages counted, of how many; 0 of 0 where nothing is counted."""
    notes: tuple[str, ...] = ()
    """What there is to say about the target, in sentences."""
    problem: str = ""
    """What failed, in one sentence, although the opening goes on."""
    first: bool = False
    """Whether this is the first bench of the opening."""

    @property
    def share(self) -> float | None:
        """How much of the counting is done, from 0 to 1; None where nothing is counted."""
        return self.done / self.total if self.total else None


@dataclass(frozen=True)
class Opener:
    """Opens targets: files, sessions of files, and stored sessions."""

    store: Store | None = None
    """Where counts are cached, and where stored sessions and applied plans are."""
    limit: int = 0
    """Overrides the context window of the session's model when it is not 0; in tokens."""
    required: bool = False
    """Whether the store is needed: without it, what cannot be read from it is told and passed over."""
    keeps: bool = False
    """Whether the session is put into the store."""
    glimpses: bool = False
    """Whether the end of a long file is shown while the rest is still being read."""
    refine: float = inf
    """Seconds between two benches with better counts: each costs a calibration of the whole session."""

    def open(self, target: str, tell: Tell | None = None) -> tuple[Workbench, tuple[str, ...]]:
        """The target on the bench, counted and with its applied plans, and what there is to say about it.

        `tell` hears how far it is. Raises as `steps` does.
        """
        bench: Workbench | None = None
        notes: list[str] = []
        for step in self.steps(target, tell):
            bench = step.bench or bench
            notes += [*step.notes, step.problem] if step.problem else step.notes
            if tell and step.total:
                tell(step.doing, step.done, step.total)
        assert bench is not None, "a target that is opened has a bench, and any other raises"
        return bench, tuple(notes)

    def steps(self, target: str, tell: Tell | None = None, cancelled: _Cancel = lambda: False) -> Iterator[Step]:
        """Read, count and store a target. What is done on the bench of one step is not done on that of another.

        `tell` hears how far the reading is. Raises OpenError for a target that names no session or cannot be read; and
        StoreError where the store is required, or the target lies in it.
        """
        try:
            for step in self._steps(target, tell, cancelled):
                yield replace(step, bench=step.bench.copy()) if step.bench else step
        except ImportCancelledError:
            return

    def _steps(self, target: str, tell: Tell | None, cancelled: _Cancel) -> Iterator[Step]:
        path, number = place_of(target)
        tail = formats.tail(path) if self.glimpses and path is not None and not number else None
        if tail is not None:
            yield Step(Workbench(tail, quick(tail), limit=self.limit, partial=True), doing="reading", first=True)
        read = resolve(target, None if path is not None else self.store, tell)
        bench = Workbench(read.session, quick(read.session), limit=self.limit, stored=read.stored)
        yield Step(bench, "counting", 0, max(1, len(read.session.messages)), read.notes, first=tail is None)
        try:
            yield from self._steps_of_session(bench, path is None, cancelled)
        except OSError as error:
            raise OpenError(
                f"{read.session.path} can no longer be read ({error.strerror or error}): try again."
            ) from error
        yield Step()

    def _steps_of_session(self, bench: Workbench, stored: bool, cancelled: _Cancel) -> Iterator[Step]:
        """The steps after the first. `stored` tells that the session was loaded from the store."""
        strict = self.required or stored
        store = self.store
        try:
            bench = _with_earlier_plans(bench, store) if store else bench
            yield Step(bench, doing="counting")
        except StoreError as error:
            if strict:
                raise
            yield Step(problem=f"Counts are not kept, and applied plans are not seen: {error}.")
            store = None
        for step in self._counting(bench, store, strict, cancelled):
            bench = step.bench or bench
            yield step
        if self.keeps and store is not None and not cancelled():
            yield from _storing(bench, store, stored, cancelled)

    def _counting(self, bench: Workbench, store: Store | None, strict: bool, cancelled: _Cancel) -> Iterator[Step]:
        """Steps with better and better sizes, without the store where that can be read but not written to."""
        try:
            yield from _count_steps(bench, store, self.refine, cancelled)
        except StoreError as error:
            if strict and isinstance(error, DamagedError):
                raise
            yield Step(problem=f"Counts are not kept: {error}.")
            yield from _count_steps(bench, None, self.refine, cancelled)


def _with_earlier_plans(bench: Workbench, store: Store) -> Workbench:
    """With the plans that were applied on an earlier visit, where this log was stored then."""
    stored = bench.stored or stored_id(bench.session, store)
    return with_stored_plans(bench, store, stored) if stored else bench


def _count_steps(bench: Workbench, store: Store | None, refine: float, cancelled: _Cancel) -> Iterator[Step]:
    """Steps with better and better sizes; what was counted for the first time is cached."""
    session = bench.session
    counter = counter_for(session.model)
    refined = time.monotonic()
    for batch in count_session(session, counter, known_counts(store, session, counter.name), cancelled):
        if store is not None and batch.fresh:
            store.save_counts(counter.name, batch.fresh)
        better = None
        if batch.is_complete or time.monotonic() - refined > refine:
            refined = time.monotonic()
            better = bench.resized(count_sizes(session, batch.counts, counter, batch.tools))
        yield Step(better, "counting", batch.count, max(1, len(batch.counts)))


def _storing(bench: Workbench, store: Store, stored: bool, cancelled: _Cancel) -> Iterator[Step]:
    """Copy the log into the store, whole or not at all; what is there already is not written again."""
    yield Step(doing="storing")
    try:
        session_id = bench.stored if stored else store.add(with_absolute_path(bench.session), is_cancelled=cancelled).id
        save_size(store, session_id, bench.session, bench.sizes)
    except ImportCancelledError:
        raise
    except StoreError as error:
        yield Step(problem=f"The session is not stored, and what is applied to it is not kept: {error}.")
    else:
        yield Step(replace(bench, stored=session_id))


def exact_sizes(session: Session, store: Store | None = None, tell: Tell | None = None) -> Sizes:
    """Exact sizes; what was counted for the first time is cached. Raises StoreError, and OSError for a lost source."""
    bench = Workbench(session, quick(session))
    for step in _count_steps(bench, store, inf, lambda: False):
        bench = step.bench or bench
        if tell:
            tell(step.doing, step.done, step.total)
    return bench.sizes


def save_size(store: Store, id: str, session: Session, sizes: Sizes) -> None:
    """Note in the store how large a session and its largest window are. Raises StoreError."""
    store.set_size(id, sum(sizes.tokens), compute_timeline(session, sizes).peak, sizes.counter.name)


def with_absolute_path(session: Session) -> Session:
    """A session whose source can be found from any folder."""
    return replace(session, path=str(Path(session.path).absolute())) if session.path else session


class _KnownCounts(Mapping[bytes, int]):
    """What the store has cached of a session's counts: fetched at once where the session is stored, else one by one.

    Counts are kept by content, so nothing in the cache can be wrong for a message with that content.
    """

    def __init__(self, store: Store, session: Session, counter: str) -> None:
        self.store = store
        self.counter = counter
        digests = (key for stored in store.ids_under(session.id) for key in store.digests(stored))
        self.fetched = store.counts(digests, counter)

    def __getitem__(self, key: bytes) -> int:
        return self.fetched[key] if key in self.fetched else self.store.counts([key], self.counter)[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.fetched)

    def __len__(self) -> int:
        return len(self.fetched)


def known_counts(store: Store | None, session: Session, counter: str) -> Mapping[bytes, int]:
    """The cache of counts for a session; empty without a store. Raises StoreError."""
    return {} if store is None else _KnownCounts(store, session, counter)
