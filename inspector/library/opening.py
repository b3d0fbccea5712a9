"""Sessions on the bench: counted, seen through their applied plans, and kept in the store when that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from inspector import __version__
from inspector.conversation import Session
from inspector.formats import files_read, find
from inspector.library.listing import Entry, strangers
from inspector.library.outputs import Outputs
from inspector.library.targets import OpenError, Read, Tell, nothing_in, place_of, read_file, resolve
from inspector.library.workbench import Workbench
from inspector.store import Added, DamagedError, Store, StoreError, default_path
from inspector.text import digest_of_file, tighten
from inspector.tokens import Sizes, count_session, counted, counter_for, quick
from inspector.window import Plan
from inspector.window.timeline import timeline


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What came of importing one session; `problem` says why nothing did."""

    added: Added | None = None
    title: str = ""
    format: str = ""
    """Empty where the file could not be read."""
    path: str = ""
    damage: tuple[str, ...] = ()
    """What of the source could not be read, in sentences."""
    problem: str = ""
    aside: bool = False
    """Whether the problem is only of files that happen to lie in a folder that was named."""


def placed(session: Session) -> Session:
    """A session whose source can be found from any folder."""
    return replace(session, path=str(Path(session.path).absolute())) if session.path else session


def _digest_of_source(file: Path) -> bytes:
    """What a file's sessions follow from: all that is read for it, and the version of the reader.

    Empty where it cannot be read, or is no file that can be read twice.
    """
    if not file.is_file():
        return b""
    try:
        digests = [each.name.encode("utf-8", "surrogateescape") + digest_of_file(each) for each in files_read(file)]
    except OSError:
        return b""
    return sha256(b"\0".join([__version__.encode(), *digests])).digest()


class _KnownCounts(Mapping[bytes, int]):
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
    return {} if store is None else _KnownCounts(store, session, counter)


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


def with_stored_plans(bench: Workbench, store: Store, id: str) -> Workbench:
    """A bench with the plans that the store has for a session under `id`, and with their versions."""
    stacks = {agent: store.stack(id, agent) for agent in bench.session.agents}
    plans = {agent: stack.plans for agent, stack in stacks.items() if stack.plans}
    return replace(bench, stored=id, plans=plans, versions={agent: stacks[agent].version for agent in plans})


def store_plan(store: Store, bench: Workbench, agent: str, plan: Plan) -> None:
    """Store a plan that was made for what a bench shows of its stored session.

    Raises StaleError where the stack in the store is another one by now, and StoreError.
    """
    bench.versions[agent] = store.push(bench.stored, agent, plan, bench.versions.get(agent, 0))


def unstore_plan(store: Store, bench: Workbench, agent: str) -> None:
    """Take the newest plan of a bench's stored session off its stack. Raises StaleError, and StoreError."""
    with store.atomic():
        store.undo(bench.stored, agent, bench.versions.get(agent, 0))
        number = store.version(bench.stored, agent)
    bench.versions[agent] = number


@dataclass
class OpenSession:
    """A session on the bench, and the store that keeps what is done to it."""

    bench: Workbench
    library: Library
    notes: tuple[str, ...] = ()

    def push(self, plan: Plan, agent: str) -> None:
        """Apply a plan and keep it; a session that is not in the store yet is put there.

        Raises StaleError where the session's plans have changed since it was opened, and StoreError; nothing is stored.
        """
        store = self.library.needed
        with store.atomic():
            bench = replace(
                self.bench, stored=store.add(placed(self.bench.session)).id, versions=dict(self.bench.versions)
            )
            store_plan(store, bench, agent, plan)
        self.bench.stored, self.bench.versions = bench.stored, bench.versions
        self.bench.apply(plan, agent)

    def undo(self, agent: str) -> Plan | None:
        """Take the newest plan off, here and in the store. Raises StaleError and StoreError: nothing is changed."""
        if self.bench.stored:
            unstore_plan(self.library.needed, self.bench, agent)
        return self.bench.undo(agent)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make `push` or `undo` one with what is done beside it: after an error inside, nothing is stored."""
        with self.library.needed.atomic():
            yield


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
        try:
            read, bench = self.read(target, self.store, limit, tell)
        except StoreError as error:
            if self.required or place_of(target)[0] is None:
                raise
            read, bench = self.read(target, None, limit, tell)
            note = f"Counts are not kept, and applied plans are not seen: {error}."
            return OpenSession(bench, self, (*read.notes, note))
        return OpenSession(bench, self, read.notes)

    def read(self, target: str, store: Store | None, limit: int, tell: Tell | None) -> tuple[Read, Workbench]:
        """What a target names, and it on the bench. Raises OpenError, and StoreError."""
        read = resolve(target, store, tell)
        try:
            sizes = sized(read.session, store, tell)
        except DamagedError:
            raise
        except StoreError as error:  # it can be read, but not written to
            read = replace(read, notes=(*read.notes, f"Counts are not kept: {error}."))
            sizes = sized(read.session, None, tell)
        except OSError as error:
            reason = error.strerror or error
            raise OpenError(f"{read.session.path} can no longer be read ({reason}): try again.") from error
        bench = Workbench(read.session, sizes, limit=limit)
        return read, with_stored_plans(bench, store, read.stored) if store and read.stored else bench

    def take_in(self, targets: Iterable[str], tell: Tell | None = None) -> Iterator[ImportOutcome]:
        """Import every session of files and folders, one by one; what cannot be read is said and passed over."""
        for target in targets:
            path, number = place_of(target)
            if path is None or number:
                yield ImportOutcome(problem=f"There is no file {target}: check the name.")
                continue
            strange: list[Entry] = []
            if not (files := find(path)):
                yield ImportOutcome(problem=nothing_in(path), aside=True)
            for file in files:
                for taken in self.take_in_file(file, tell):
                    if path.is_dir() and not taken.format:
                        strange.append(Entry(str(file), file.name, "given", problem=taken.problem))
                    else:
                        yield taken
            if strange:
                yield ImportOutcome(problem=strangers(target, strange).problem, aside=True)

    def take_in_file(self, file: Path, tell: Tell | None) -> Iterator[ImportOutcome]:
        store = self.needed
        path, digest = str(file.absolute()), _digest_of_source(file)
        try:
            known = store.imported(path, digest) if digest else None
            sessions = [] if known is not None else read_file(file, tell)
        except (OpenError, StoreError) as problem:
            yield ImportOutcome(problem=str(problem))
            return
        for each in known or ():
            added = Added(each.id, new=False, added=0, total=each.messages)
            yield ImportOutcome(added, each.title, each.format, str(file), tuple(map(str, each.problems)))
        ids: list[str] = []
        for session in sessions:
            damage = tuple(map(str, session.problems))
            try:
                added = store.add(placed(session), (lambda done, total: tell("storing", done, total)) if tell else None)
                sizes = sized(session, store, tell)
                store.set_size(added.id, sum(sizes.tokens), timeline(session, sizes).peak, sizes.counter.name)
                ids.append(added.id)
                yield ImportOutcome(added, session.title, session.format, session.path, damage)
            except StoreError as error:
                yield ImportOutcome(None, session.title, session.format, session.path, damage, f"{file}: {error}.")
        if digest and sessions and len(ids) == len(sessions):
            with suppress(StoreError):  # it is stored all the same, and is read once more the next time
                store.note_source(path, digest, ids)
