"""A search in the words of all stored and listed sessions while the user types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from inspector import library
from inspector.core.crash import error_message
from inspector.core.text import clipped, one_line, plural
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.messages import OpenTarget
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.workers.jobs import CooperativeStop, ScreenJobs

if TYPE_CHECKING:
    from inspector.library import Entry, SearchProgress, SessionHit
    from inspector.store import SessionStore

_PAUSE = 0.1
"""Seconds without a key before the search starts."""
_MAX_HITS = 200
"""Maximum number of hits to list."""
_NAME = 28


class HitList(LineList):
    """Hits of a search: the session, the number of the message, and the matching line."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.hits: Sequence[SessionHit] = ()

    @property
    def count(self) -> int:
        return len(self.hits)

    @property
    def current(self) -> SessionHit | None:
        return self.hits[self.cursor] if 0 <= self.cursor < len(self.hits) else None

    def show(self, hits: Sequence[SessionHit]) -> None:
        """Show more hits. The cursor stays, because new hits are appended."""
        self.hits = hits
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        hit, room = self.hits[line], max(0, width - _NAME - 11)
        name = set_cell_size(clipped(one_line(hit.title) or "untitled", _NAME), _NAME)
        row: list[Span] = [(f" {name} ", self.palette.strong), (f"{hit.number:>6}  ", self.palette.faint)]
        text, at = clipped(hit.text, room), 0
        for start, end in (*hit.spans, (len(text), len(text))):
            row.append((text[at:start], self.palette.dim))
            row.append((text[start:end], self.palette.ink("warning", bold=True)))
            at = end
        return row


class SearchScreen(Overlay[None]):
    """Searches stored sessions by index and listed ones by reading them. Another query or esc cancels the search."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("session_search")
    AUTO_FOCUS = "#words"

    def __init__(self, entries: Sequence[Entry], store: SessionStore | None) -> None:
        super().__init__()
        self.entries = entries
        self.store = store
        self.words = ""
        self.progress: SearchProgress | None = None
        self._jobs = ScreenJobs(self)
        self._cancel = Event()

    def compose(self) -> ComposeResult:
        yield Static("Search the words of all sessions", classes="bar")
        yield Input(placeholder="words", id="words")
        yield HitList(id="hits")
        yield Static(id="found", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(KeyBar).keys = (
            Key("down", "to the hits"),
            Key("open", "open the message"),
            Key("back", "back"),
        )
        self.show_status()

    def on_unmount(self) -> None:
        self._cancel.set()

    @on(Input.Changed, "#words")
    def search(self, event: Input.Changed) -> None:
        self._cancel.set()
        self._cancel, self.words, self.progress = Event(), event.value.strip(), None
        self.query_one(HitList).cursor = 0
        self.query_one(HitList).show(())
        self.show_status()
        if self.words:
            job = partial(_search, self.words, self.store, self.entries, self._cancel)
            self._jobs.start("search", job, partial(self.show_result, self._cancel), partial(self.fail, self._cancel))

    def show_result(self, cancel: Event, progress: SearchProgress) -> None:
        if not cancel.is_set():
            hits = self.query_one(HitList)
            self.progress = progress
            if progress.hits:
                hits.show((*hits.hits, *progress.hits))
            self.show_status()

    def fail(self, cancel: Event, error: Exception) -> None:
        if not cancel.is_set():
            self.progress = library.SearchProgress(is_last=True)
            self.show_status()
            self.notify(error_message(error), severity="error")

    def show_status(self) -> None:
        """Show the number of hits and the scope of the search."""
        listed = sum(entry.origin != "stored" and not entry.problem for entry in self.entries)
        if not self.words:
            text = f"Type words to search stored sessions and the {plural(listed, 'session')} listed."
        elif self.progress is None:
            text = "searching …"
        else:
            count = len(self.query_one(HitList).hits)
            most = " or more" if count >= _MAX_HITS else ""
            going = "" if self.progress.is_last else f" of {listed:,}, searching …"
            text = f"{plural(count, 'message')}{most} · searched: {self.progress.scope}{going}"
        self.query_one("#found", Static).update(text)

    @on(Input.Submitted, "#words")
    def action_to_hits(self) -> None:
        self.query_one(HitList).focus()

    @on(LineList.Opened, "#hits")
    def open_hit(self) -> None:
        if hit := self.query_one(HitList).current:
            self.dismiss()
            self.app.post_message(OpenTarget(hit.target, hit.message, self.words))


def _search(
    words: str,
    store: SessionStore | None,
    entries: Sequence[Entry],
    cancel: Event,
    report: Callable[[SearchProgress], object],
) -> None:
    """Report hits after a pause. Runs in a thread."""
    if not cancel.wait(_PAUSE):
        for progress in library.search_sessions(words, store, entries, _MAX_HITS, CooperativeStop(cancel).is_set):
            report(progress)
