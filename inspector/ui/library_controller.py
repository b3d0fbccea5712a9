"""The library of sessions that the app lists, and putting files into the store, without a screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from inspector import library as libraries, store as stores
from inspector.core.crash import failure_sentence
from inspector.ui.workers.jobs import Busy, Host, Jobs

if TYPE_CHECKING:
    from inspector.library import AgentFolder, Entry, Library, Opener
    from inspector.store import Store

IMPORTING = "importing"
_BATCH = 0.15
"""Seconds between two additions to the library: each sorts and draws it anew."""


@dataclass(frozen=True)
class _Listing:
    """Entries that were found since the last of these; `busy` is None for the last one of all."""

    entries: tuple[Entry, ...]
    busy: Busy | None
    folders: tuple[AgentFolder, ...] = ()
    """With the last one: what agents have left on this machine."""


@dataclass
class _ImportCount:
    """How many sessions are new in the store, and how many could not be read."""

    new: int = 0
    problems: int = 0
    share: float = 0.0
    store_problem: str = ""
    """Why the store took no more, as a sentence."""


@dataclass(frozen=True, eq=False)
class LibraryState:
    """The sessions that are known by now, by their targets, and what is done in the background."""

    entries: dict[str, Entry] = field(default_factory=dict)
    busy: Busy | None = None
    folders: tuple[AgentFolder, ...] = ()
    """What agents have left on this machine, where anybody looked."""
    has_found: bool = False
    """Whether that is listed."""


class LibraryController:
    """Lists what was given, what is stored and what lies on this machine. `on_change` is called after every change."""

    def __init__(
        self,
        jobs: Jobs,
        host: Host,
        on_change: Callable[[], None],
        library: Library | None,
        targets: Sequence[str] = (),
        look_around: bool = True,
        limit: int = 0,
    ) -> None:
        """`targets` are files and folders to list, `look_around` offers sessions of agents' own folders.

        `limit` overrides the models' context windows where it is not 0.
        """
        self.state = LibraryState()
        self._jobs = jobs
        self._host = host
        self._library = library
        self._targets = tuple(targets)
        self.looks_around = look_around
        """Whether sessions of agents' own folders are offered."""
        self._on_change = on_change
        self._limit = limit
        self.has_begun = False
        """Whether anything was looked for yet."""
        self._cancel = Event()
        """Set when the listing that is going on is no longer wanted."""
        self._closed = Event()

    @property
    def store(self) -> Store | None:
        return self._library.store if self._library else None

    def first_step(self) -> str:
        """What leads to a session where none is open, in a few words."""
        has_some = any(not entry.problem for entry in self.state.entries.values())
        is_known = self.has_begun and self.state.busy is None
        return "choose one and press enter" if has_some or not is_known else "d in the library opens sample sessions"

    def opener(self) -> Opener:
        """Opens what is looked at. Loads the engine: for threads."""
        return libraries.Opener(self.store, self._limit)

    def _set(self, state: LibraryState) -> None:
        self.state = state
        self._on_change()

    def list_sessions(self) -> None:
        """List the sessions of the files and folders, those in the store, and those of agents' own folders."""
        self.has_begun = True
        self._cancel.set()
        self._cancel = Event()
        self._set(replace(self.state, entries={}, busy=Busy("looking"), has_found=False))
        job = partial(_list, self._targets, self.store, self.looks_around, self._cancel)
        self._jobs.start("library", job, partial(self._set_listing, self._cancel), self._fail)

    def _set_listing(self, cancel: Event, listing: _Listing) -> None:
        if not cancel.is_set():
            new = {entry.target: entry for entry in listing.entries}
            folders = listing.folders or self.state.folders
            self._set(replace(self.state, entries=self.state.entries | new, busy=listing.busy, folders=folders))

    def add_targets(self, targets: Sequence[str]) -> None:
        """List these too, from the next listing on."""
        self._targets = tuple(dict.fromkeys([*self._targets, *targets]))

    def add_samples(self) -> bool:
        """List the sample sessions too. False where there are none."""
        samples = libraries.sample_targets()
        if samples and not any(Path(target).resolve() == Path(samples[0]) for target in self._targets):
            self._targets = (*self._targets, *samples)
            self.list_sessions()
        return bool(samples)

    def toggle_found(self) -> None:
        """List what agents have left on this machine, or leave it out again."""
        if self.state.has_found:
            entries = {name: entry for name, entry in self.state.entries.items() if entry.origin != "found"}
            self._set(replace(self.state, entries=entries, has_found=False))
        elif self.state.busy is None:
            self._set(replace(self.state, busy=Busy("looking"), has_found=True))
            job = partial(_list_found, tuple(self.state.entries.values()))
            self._jobs.start("library", job, partial(self._set_listing, self._cancel), self._fail)

    def refine(self, entry: Entry) -> None:
        """More is known of a session that is listed."""
        if entry.target in self.state.entries:
            self._set(replace(self.state, entries=self.state.entries | {entry.target: entry}))

    def _fail(self, error: Exception) -> None:
        self._set(replace(self.state, busy=None))
        self._host.notify(failure_sentence(error), severity="error")

    def import_files(self, paths: Sequence[str]) -> None:
        """Put files into the store, one after the other; each is there whole or not at all."""
        if self._library is None or self.store is None:
            self._host.notify("There is no store to import into.")
        else:
            job = partial(_import, self._library, tuple(paths), self._closed)
            self._jobs.start("import", job, self._set_count, self._fail)

    def close(self) -> None:
        """Stop all work: the app is gone. What is in the store stays there."""
        self._cancel.set()
        self._closed.set()

    def _set_count(self, count: _ImportCount) -> None:
        if count.share < 1 and not count.store_problem:
            self._set(replace(self.state, busy=Busy(IMPORTING, count.share)))
            return
        problems = f", {count.problems} could not be read" if count.problems else ""
        problem = f"{count.store_problem} " if count.store_problem else ""
        self._host.notify(f"{problem}{count.new} new sessions in the store{problems}.")
        self.state, self._targets = LibraryState(), ()  # what was imported is now stored
        self.list_sessions()


def _list(
    targets: Sequence[str],
    store: Store | None,
    look_around: bool,
    cancel: Event,
    report: Callable[[_Listing], object],
) -> None:
    """In a thread: entries are reported as they are found, some at a time."""
    new: list[Entry] = []
    report_time = time.monotonic()
    for entry, share in libraries.list_entries(targets, store, look_around=False):
        if cancel.is_set():
            return
        new.append(entry)
        if time.monotonic() - report_time > _BATCH:
            report(_Listing(tuple(new), Busy("reading", share)))
            new, report_time = [], time.monotonic()
    report(_Listing(tuple(new), None, libraries.agent_folders() if look_around else ()))


def _list_found(entries: Sequence[Entry], report: Callable[[_Listing], object]) -> None:
    """In a thread: what agents have left, but for what is listed already."""
    report(_Listing(tuple(libraries.found_beside(entries)), None))


def _import(library: Library, paths: Sequence[str], closed: Event, report: Callable[[_ImportCount], object]) -> None:
    """In a thread: how far it is, after each file."""
    count = _ImportCount()
    try:
        for number, path in enumerate(paths, 1):
            for outcome in library.import_targets([path]):
                if closed.is_set():
                    return
                count.new += bool(outcome.addition and outcome.addition.new)
                count.problems += bool(outcome.problem)
            count.share = number / len(paths)
            report(replace(count))
    except stores.StoreError as problem:
        count.store_problem = f"{problem}."
        report(count)
