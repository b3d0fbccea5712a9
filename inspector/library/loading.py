"""Opening a session in steps, so that each can be shown as soon as there is something to show.

A generator that runs in a worker thread. The first step with a bench comes as soon as the file has been read, with
sizes estimated from lengths; exact counts, the stored plans and the copy in the store follow while one looks at it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from inspector.formats import glimpse
from inspector.library.opening import known_counts, placed, with_stored_plans
from inspector.library.targets import OpenError, place_of, resolve, stored_id
from inspector.library.workbench import Workbench
from inspector.store import Cancelled, Store, StoreError
from inspector.tokens import count_session, counted, counter_for, quick
from inspector.window.timeline import timeline

_REFINE = 1.0
"""Seconds between two frames with better counts: each costs a calibration of the whole session."""


@dataclass(frozen=True)
class Step:
    """How far the opening of a target has come."""

    bench: Workbench | None = None
    """A new or better bench; None while there is only progress to tell."""
    doing: str = ""
    """What goes on, in a word; empty when all is done."""
    share: float | None = None
    problem: str = ""
    """Why it could not be opened, or not be stored, in one sentence."""
    note: str = ""
    first: bool = False
    """The first bench of this opening: show it from its end."""

    def apart(self) -> Step:
        """With a bench whose plans are its own: what a person does on the screen's bench is not done on this one."""
        if self.bench is None:
            return self
        bench = replace(self.bench, plans=dict(self.bench.plans), versions=dict(self.bench.versions))
        return replace(self, bench=bench)


_Cancel = Callable[[], bool]


def opening(target: str, store: Store | None, limit: int, cancelled: _Cancel) -> Iterator[Step]:
    """Read, count and store a target. Problems come as steps; nothing is raised for bad input."""
    path, number = place_of(target)
    in_file = path is not None
    glimpsed = glimpse(path) if path is not None and not number else None
    if glimpsed is not None:
        yield Step(Workbench(glimpsed, quick(glimpsed), limit=limit, partial=True), doing="reading", first=True)
    try:
        read = resolve(target, None if in_file else store)
    except OpenError as problem:
        yield Step(problem=str(problem))
        return
    bench = Workbench(read.session, quick(read.session), limit=limit, stored=read.stored)
    yield Step(bench, doing="counting", share=0.0, first=glimpsed is None, note=" ".join(read.notes)).apart()
    try:
        for step in (
            _kept_steps(bench, store, in_file, cancelled) if store is not None else _counting(bench, None, cancelled)
        ):
            bench = step.bench or bench
            yield step.apart()
    except Cancelled:
        return
    except (StoreError, OSError) as problem:
        yield Step(problem=f"{problem}.")
        if bench.sizes.counting:
            with suppress(OSError):
                for step in _counting(bench, None, cancelled):
                    yield step.apart()
    yield Step()


def _kept_steps(bench: Workbench, store: Store, in_file: bool, cancelled: _Cancel) -> Iterator[Step]:
    """Steps with the stored plans, with better counts, and with a copy in the store."""
    bench = _found_again(bench, store)
    yield Step(bench, doing="counting", share=0.0)
    for step in _counting(bench, store, cancelled):
        bench = step.bench or bench
        yield step
    if not cancelled():
        yield from _storing(bench, store, in_file, cancelled)


def _found_again(bench: Workbench, store: Store) -> Workbench:
    """With the plans that were applied on an earlier visit, where this log was stored then."""
    kept = bench.stored or stored_id(bench.session, store)
    return with_stored_plans(bench, store, kept) if kept else bench


def _counting(bench: Workbench, store: Store | None, cancelled: _Cancel) -> Iterator[Step]:
    """Steps with better and better sizes; what was counted for the first time is cached."""
    session = bench.session
    counter = counter_for(session.model)
    known = known_counts(store, session, counter.name)
    shown = time.monotonic()
    for batch in count_session(session, counter, known, cancelled):
        if store is not None and batch.fresh:
            store.save_counts(counter.name, batch.fresh)
        share = batch.done / max(1, len(batch.counts))
        if batch.finished or time.monotonic() - shown > _REFINE:
            shown = time.monotonic()
            yield Step(bench.resized(counted(session, batch.counts, counter)), doing="counting", share=share)
        else:
            yield Step(doing="counting", share=share)


def _storing(bench: Workbench, store: Store, in_file: bool, cancelled: _Cancel) -> Iterator[Step]:
    """Copy the log into the store, whole or not at all; what is there already is not written again."""
    yield Step(doing="storing")
    session = bench.session
    kept = store.add(placed(session), cancelled=cancelled).id if in_file else bench.stored
    line = timeline(session, bench.sizes)
    store.set_size(kept, sum(bench.sizes.tokens), line.peak, bench.sizes.counter.name)
    yield Step(replace(bench, stored=kept))
