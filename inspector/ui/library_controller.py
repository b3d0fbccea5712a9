"""Controller for the library of sessions and for importing files into the store, independent of any screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from inspector import library as libraries, store as stores
from inspector.core.crash import error_message
from inspector.core.text import clipped, one_line, plural
from inspector.ui.key_remaps import with_keys
from inspector.ui.workers.jobs import Busy, Host, Jobs

if TYPE_CHECKING:
    from inspector.analysis.experiments import SessionFigures
    from inspector.library import AgentFolder, Entry, Library, Opener
    from inspector.store import SessionStore, Store

IMPORTING = "importing"
_BATCH = 0.15
"""Seconds between two additions to the library: each one sorts and redraws it."""
_DETAIL_BATCH = 1.0
"""Seconds between two additions of details."""
_MAX_DETAILED = 5_000
"""Maximum number of messages of a session whose details are computed for the list."""
_TITLE = 60
"""Maximum cells of a title in a notice."""
_MAX_FOUND_DETAILED = 200
"""Maximum number of sessions found on this machine whose details are computed, the newest first."""


@dataclass(frozen=True)
class _Listing:
    """Entries found since the previous report; `busy` is None in the last report."""

    entries: tuple[Entry, ...]
    busy: Busy | None
    folders: tuple[AgentFolder, ...] = ()
    """Agents with sessions on this machine; only in the last report."""


@dataclass
class _ImportCount:
    """Numbers of sessions that were added to the store and that could not be read."""

    new: int = 0
    problems: int = 0
    share: float = 0.0
    store_problem: str = ""
    """Error of the store that ended the import, as a sentence."""


@dataclass(frozen=True, eq=False)
class LibraryState:
    """Sessions known so far, by their targets, and the current background work."""

    entries: dict[str, Entry] = field(default_factory=dict)
    busy: Busy | None = None
    folders: tuple[AgentFolder, ...] = ()
    """Agents with sessions on this machine; empty if nothing was searched."""
    has_found: bool = False
    """True if the sessions of those agents are listed."""


class LibraryController:
    """Lists the named, stored and discovered sessions, and calls `on_change` after every change."""

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
        """Create a controller that has not listed anything yet.

        Args:
            jobs: Runs the listing and the imports in threads.
            host: Shows notices.
            on_change: Called after every change of `state`.
            library: Stored sessions; None for no library.
            targets: Files and folders to list.
            look_around: True to offer sessions from the agents' own folders.
            limit: Context window in tokens that overrides the models' own; 0 keeps theirs.
        """
        self.state = LibraryState()
        self._jobs = jobs
        self._host = host
        self._library = library
        self._targets = tuple(targets)
        self.looks_around = look_around
        """True if sessions from the agents' own folders are offered."""
        self._on_change = on_change
        self._limit = limit
        self.compared: dict[Any, SessionFigures] = {}
        """Figures of presets on sessions, by what they depend on, of the comparisons so far."""
        self.has_begun = False
        """True if a listing has started."""
        self._is_detailed = False
        """True if the list shows details, for which whole sessions are analysed."""
        self._cancel = Event()
        """Set when the current listing is no longer wanted."""
        self._details = Event()
        """Set when the details that are being computed are no longer wanted."""
        self._closed = Event()

    @property
    def store(self) -> Store | None:
        return self._library.store if self._library else None

    @property
    def readable(self) -> SessionStore | None:
        """Store that sessions are listed, searched and opened from: that of a team, or the one on this machine."""
        return self._library.sessions if self._library else None

    @property
    def team_titles(self) -> list[str]:
        """Titles of the listed sessions with several agents."""
        return [entry.title for entry in self.state.entries.values() if (entry.agents or 0) > 1]

    def first_step(self) -> str:
        """Return a short phrase on how to open a session while none is open."""
        has_some = any(not entry.problem for entry in self.state.entries.values())
        is_known = self.has_begun and self.state.busy is None
        return with_keys(
            "choose one and press {open}" if has_some or not is_known else "{try} in Sessions opens samples"
        )

    @property
    def is_listing(self) -> bool:
        """True until all sessions are listed."""
        busy = self.state.busy
        return not self.has_begun or (busy is not None and busy.what != IMPORTING)

    def opener(self) -> Opener:
        """Return an opener for previews. Imports the engine, so call it in a thread."""
        return libraries.Opener(self.store, self._limit, team=self._library.team if self._library else None)

    def _set(self, state: LibraryState) -> None:
        self.state = state
        self._on_change()

    def list_sessions(self) -> None:
        """List the sessions of the named files and folders and of the store, and search the agents' own folders."""
        self.has_begun = True
        self._cancel.set()
        self._cancel = Event()
        self._set(replace(self.state, entries={}, busy=Busy("looking"), has_found=False))
        job = partial(_list, self._targets, self.readable, self.looks_around, self._is_detailed, self._cancel)
        self._jobs.start("library", job, partial(self._set_listing, self._cancel), self._fail)

    def _set_listing(self, cancel: Event, listing: _Listing) -> None:
        if not cancel.is_set():
            new = {entry.target: entry for entry in listing.entries}
            folders = listing.folders or self.state.folders
            self._set(replace(self.state, entries=self.state.entries | new, busy=listing.busy, folders=folders))
            self._compute_details()

    def set_detailed(self, is_detailed: bool) -> None:
        """Compute the details of the sessions, such as their costs, in the background, or stop to do so.

        Sessions found on this machine are read last, and only the newest small ones.
        """
        if is_detailed != self._is_detailed:
            self._is_detailed = is_detailed
            self._compute_details()

    def _compute_details(self) -> None:
        self._details.set()
        if not self._is_detailed or self.state.busy is not None:
            return
        entries = [entry for entry in self.state.entries.values() if not entry.problem]
        rows = [entry for entry in entries if entry.origin != "found"]
        others = sorted((entry for entry in entries if entry.origin == "found"), key=lambda entry: entry.changed)
        rows += others[: -_MAX_FOUND_DETAILED - 1 : -1]
        rows = [row for row in rows if not row.is_detailed and (row.messages or 0) <= _MAX_DETAILED]
        if rows:
            self._details = Event()
            job = partial(_detail, rows, self.readable, self._details)
            self._jobs.start("details", job, partial(self._set_details, self._details), self._fail)

    def _set_details(self, cancel: Event, rows: Sequence[Entry]) -> None:
        """Add details to the entries, whose other numbers may have been refined in the meantime."""
        if cancel.is_set():
            return
        entries = dict(self.state.entries)
        for row in rows:
            if row.target in entries:
                details = {"cost": row.cost, "rereads": row.rereads, "is_detailed": True}
                entries[row.target] = replace(entries[row.target], **details)  # type: ignore[arg-type]
        self._set(replace(self.state, entries=entries))

    def add_targets(self, targets: Sequence[str]) -> None:
        """Add files or folders to list, from the next listing on."""
        self._targets = tuple(dict.fromkeys([*self._targets, *targets]))

    def add_samples(self) -> bool:
        """Add the sample sessions to the list. Return False if they are not installed."""
        samples = libraries.sample_targets()
        if samples and not any(Path(target).resolve() == Path(samples[0]) for target in self._targets):
            self._targets = (*self._targets, *samples)
            self.list_sessions()
        return bool(samples)

    def toggle_found(self) -> None:
        """Show or hide the sessions that agents have saved on this machine."""
        if self.state.has_found:
            entries = {name: entry for name, entry in self.state.entries.items() if entry.origin != "found"}
            self._set(replace(self.state, entries=entries, has_found=False))
        elif self.state.busy is None:
            self._set(replace(self.state, busy=Busy("looking"), has_found=True))
            job = partial(_list_found, tuple(self.state.entries.values()))
            self._jobs.start("library", job, partial(self._set_listing, self._cancel), self._fail)

    def refine(self, entry: Entry) -> None:
        """Replace a listed entry with one that has more details."""
        if entry.target in self.state.entries:
            self._set(replace(self.state, entries=self.state.entries | {entry.target: entry}))

    def _fail(self, error: Exception) -> None:
        self._set(replace(self.state, busy=None))
        self._host.notify(error_message(error), severity="error")

    def import_files(self, paths: Sequence[str]) -> None:
        """Import files into the store one after the other. Each is imported completely or not at all."""
        if self._library is None or self.store is None:
            self._host.notify("Cannot import: there is no store.")
        else:
            job = partial(_import, self._library, tuple(paths), self._closed)
            self._jobs.start("import", job, self._set_count, self._fail)

    def remove(self, entry: Entry) -> None:
        """Remove a stored session for good."""
        if self._library is not None and self._library.team is not None:
            self._host.notify("A session of a team's store is not removed from here.")
        elif self.store is not None:
            job = partial(_remove, self.store, entry)
            self._jobs.start("remove", job, self._set_removed, self._fail)

    def _set_removed(self, entry: Entry) -> None:
        entries = {name: one for name, one in self.state.entries.items() if name != entry.target}
        self._set(replace(self.state, entries=entries))
        self._host.notify(f"Removed for good: {clipped(one_line(entry.title), _TITLE)}")

    def close(self) -> None:
        """Cancel all work because the app is closing. The store keeps its sessions."""
        self._cancel.set()
        self._details.set()
        self._closed.set()

    def _set_count(self, count: _ImportCount) -> None:
        if count.share < 1 and not count.store_problem:
            self._set(replace(self.state, busy=Busy(IMPORTING, count.share)))
            return
        problems = f", {count.problems} unreadable" if count.problems else ""
        problem = f"{count.store_problem} " if count.store_problem else ""
        self._host.notify(f"{problem}{plural(count.new, 'new session')} in the store{problems}.")
        self.state, self._targets = LibraryState(), ()  # imported sessions are listed as stored ones
        self.list_sessions()


def _list(
    targets: Sequence[str],
    store: SessionStore | None,
    look_around: bool,
    is_detailed: bool,
    cancel: Event,
    report: Callable[[_Listing], object],
) -> None:
    """Report entries in batches as they are found. Runs in a thread."""
    new: list[Entry] = []
    report_time = time.monotonic()
    for entry, share in libraries.list_entries(targets, store, look_around=False, detailed=is_detailed):
        if cancel.is_set():
            return
        new.append(entry)
        if time.monotonic() - report_time > _BATCH:
            report(_Listing(tuple(new), Busy("reading", share)))
            new, report_time = [], time.monotonic()
    report(_Listing(tuple(new), None, libraries.agent_folders() if look_around else ()))


def _detail(
    entries: Sequence[Entry], store: SessionStore | None, cancel: Event, report: Callable[[Sequence[Entry]], object]
) -> None:
    """Report entries with their details in batches. Runs in a thread."""
    new: list[Entry] = []
    report_time = time.monotonic()
    for entry in entries:
        if cancel.is_set():
            return
        if entry.origin != "found" or _is_small(Path(entry.path)):
            new.append(libraries.detailed_entry(entry, store))
        if time.monotonic() - report_time > _DETAIL_BATCH:
            report(new)
            new, report_time = [], time.monotonic()
    report(new)


def _is_small(file: Path) -> bool:
    """Return True if a file can be read quickly."""
    try:
        return file.stat().st_size <= libraries.LARGE_SESSION_BYTES
    except OSError:
        return False


def _list_found(entries: Sequence[Entry], report: Callable[[_Listing], object]) -> None:
    """Report the sessions in the agents' own folders that are not listed yet. Runs in a thread."""
    report(_Listing(tuple(libraries.found_beside(entries)), None))


def _remove(store: Store, entry: Entry, report: Callable[[Entry], object]) -> None:
    """Remove a stored session, and report it. Runs in a thread."""
    libraries.remove_session(store, entry.target)
    report(entry)


def _import(library: Library, paths: Sequence[str], closed: Event, report: Callable[[_ImportCount], object]) -> None:
    """Import files and report the counts after each. Runs in a thread."""
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
