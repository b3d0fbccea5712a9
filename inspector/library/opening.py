"""Sessions on the bench: counted, seen through their applied plans, and kept in the store when that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from inspector.conversation import Session
from inspector.formats import find
from inspector.library.listing import Entry, strangers
from inspector.library.targets import NotOpened, Tell, place_of, read_file, resolve
from inspector.store import Added, Store, StoreError, default_path
from inspector.tokens.sizes import Sizes, count_session, counted, counter_for, quick
from inspector.window.plan import Plan
from inspector.window.timeline import timeline
from inspector.workbench import Workbench


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of importing one session; `problem` says why nothing did."""

    session: Session | None = None
    added: Added | None = None
    problem: str = ""
    aside: bool = False
    """Whether the problem is only of files that happen to lie in a folder that was named."""


class KnownCounts(Mapping[bytes, int]):
    """What the store has cached of a session's counts: fetched at once where the session is stored, else one by one.

    Counts are kept by content, so nothing in the cache can be wrong for a message with that content.
    """

    def __init__(self, store: Store, session: Session, counter: str) -> None:
        self.store = store
        self.counter = counter
        digests = (key for stored in store.named(session.id) for key in store.digests(stored))
        self.fetched = store.counts(digests, counter)

    def __getitem__(self, key: bytes) -> int:
        return self.fetched[key] if key in self.fetched else self.store.counts([key], self.counter)[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.fetched)

    def __len__(self) -> int:
        return len(self.fetched)


def known_counts(store: Store | None, session: Session, counter: str) -> Mapping[bytes, int]:
    """The cache of counts for a session; empty without a store. Raises StoreError."""
    return {} if store is None else KnownCounts(store, session, counter)


def sized(session: Session, store: Store | None = None, tell: Tell | None = None) -> Sizes:
    """Exact sizes; what was counted for the first time is cached. Raises StoreError, and OSError for a lost source."""
    counter = counter_for(session.model)
    sizes = quick(session)
    for batch in count_session(session, counter, known_counts(store, session, counter.name)):
        if store is not None and batch.fresh:
            store.save_counts(counter.name, batch.fresh)
        if tell:
            tell("counting", batch.done, len(batch.counts))
        if batch.finished:
            sizes = counted(session, batch.counts, counter)
    return sizes


def stored_plans(store: Store, session: Session, id: str) -> dict[str, tuple[Plan, ...]]:
    """The applied plans of each agent of a session that the store has under `id`."""
    return {agent: tuple(stack) for agent in session.agents if (stack := store.plans(id, agent))}


@dataclass
class Opened:
    """A session on the bench, and the store that keeps what is done to it."""

    bench: Workbench
    library: Library
    notes: tuple[str, ...] = ()

    def push(self, plan: Plan, agent: str) -> None:
        """Apply a plan and keep it; a session that is not in the store yet is put there. Raises StoreError."""
        store = self.library.needed
        self.bench.stored = store.add(self.bench.session).id
        store.push(self.bench.stored, agent, plan)
        self.bench.apply(plan, agent)

    def undo(self, agent: str) -> Plan | None:
        """Take the newest plan off, here and in the store. Raises StoreError."""
        if self.bench.stored:
            self.library.needed.undo(self.bench.stored, agent)
        return self.bench.undo(agent)


class Library:
    """The store, if there is one, and everything that can be opened with it or without it."""

    def __init__(self, db: Path | None = None, needed: bool = False) -> None:
        """Open the store. Raises StoreError when it cannot be opened and is `needed`; else `warning` says why."""
        self.store: Store | None = None
        self.warning = ""
        try:
            self.store = Store(db or default_path())
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
    def needed(self) -> Store:
        """The store. Raises StoreError where there is none."""
        if self.store is None:
            raise StoreError(self.warning)
        return self.store

    def open(self, target: str, limit: int = 0, tell: Tell | None = None) -> Opened:
        """A target on the bench: counted, and with its applied plans. Raises NotOpened."""
        read = resolve(target, self.store, tell)
        notes = read.notes
        try:
            sizes = sized(read.session, self.store, tell)
            plans = stored_plans(self.store, read.session, read.stored) if self.store and read.stored else {}
        except StoreError as error:
            notes, plans = (*notes, f"Counts are not kept, and applied plans are not seen: {error}."), {}
            sizes = sized(read.session, None, tell)
        except OSError as error:
            raise NotOpened(
                f"{read.session.path} can no longer be read ({error.strerror or error}): try again."
            ) from error
        return Opened(Workbench(read.session, sizes, plans, limit, read.stored), self, notes)

    def take_in(self, targets: Iterable[str], tell: Tell | None = None) -> Iterator[TakenIn]:
        """Import every session of files and folders, one by one; what cannot be read is said and passed over."""
        for target in targets:
            path, number = place_of(target)
            if path is None or number:
                yield TakenIn(problem=f"There is no file {target}: check the name.")
                continue
            strange: list[Entry] = []
            for file in find(path):
                for taken in self.take_in_file(file, tell):
                    if path.is_dir() and taken.session is None:
                        strange.append(Entry(str(file), file.name, "given", problem=taken.problem))
                    else:
                        yield taken
            if strange:
                yield TakenIn(problem=strangers(target, strange).problem, aside=True)

    def take_in_file(self, file: Path, tell: Tell | None) -> Iterator[TakenIn]:
        store = self.needed
        try:
            sessions = read_file(file, tell)
        except NotOpened as problem:
            yield TakenIn(problem=str(problem))
            return
        for session in sessions:
            try:
                added = store.add(session, (lambda done, total: tell("storing", done, total)) if tell else None)
                sizes = sized(session, store, tell)
                store.set_size(added.id, sum(sizes.tokens), timeline(session, sizes).peak, sizes.counter.name)
                yield TakenIn(replace(session, id=added.id), added)
            except StoreError as error:
                yield TakenIn(session, problem=f"{file}: {error}.")
