"""The working memory of conversations and its history, version by version, as a diff."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from inspector import library
from inspector.core.text import clipped, fold, one_line, plural, visible
from inspector.library import Notes
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.text_view import Spans, TextView
from inspector.ui.workers.latest import LatestOnly

_SIGNS = {"same": ("  ", "foreground"), "removed": ("− ", "error"), "added": ("+ ", "success")}
"""Prefix and colour of each kind of diff line."""


class ConversationList(LineList):
    """One conversation per line."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.notes: Sequence[Notes] = ()

    @property
    def count(self) -> int:
        return len(self.notes)

    @property
    def current(self) -> Notes | None:
        return self.notes[self.cursor] if 0 <= self.cursor < len(self.notes) else None

    def spans(self, line: int, width: int) -> Sequence[Span]:
        notes, palette = self.notes[line], self.palette
        number = f"{len(notes.versions):>4} "
        name = clipped(one_line(notes.conversation_id), max(4, width - len(number) - 2))
        return [(f" {name}".ljust(max(0, width - len(number))), palette.ink()), (number, palette.dim)]


class NotesScreen(Overlay[None]):
    """Conversations on the left, and the notes of one of them on the right as a diff with the previous version."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("notes")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#conversations"

    def __init__(self, store: str) -> None:
        """Create the screen for the notes that are saved next to the store at the path `store`."""
        super().__init__()
        self.store = store
        self.place = -1
        """Index of the version that is shown; -1 for the newest."""
        self.readings: LatestOnly[Sequence[Notes] | str] = LatestOnly(self, "notes", self.show_result)
        self.texts: LatestOnly[Sequence[Spans]] = LatestOnly(self, "notes diff", self.show_lines)

    def compose(self) -> ComposeResult:
        yield Static("Working memory of conversations", id="notes-head", classes="bar", markup=False)
        with Horizontal(id="notes"):
            yield ConversationList(id="conversations")
            yield TextView(id="text")
        yield Static(id="empty", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()
        self.action_read()

    def action_read(self) -> None:
        self.readings.ask(partial(_read_notes, self.store))

    def on_resize(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self.show)

    @property
    def conversations(self) -> ConversationList:
        return self.query_one(ConversationList)

    def show_result(self, notes: Sequence[Notes] | str) -> None:
        empty = self.query_one("#empty", Static)
        if isinstance(notes, str):
            self.notify(notes, severity="error")
            notes = ()
        empty.set_class(not notes, "-shown")
        empty.update(_nothing(self.store))
        self.query_one("#notes").display = bool(notes)
        self.conversations.notes = notes
        self.conversations.renew()
        self.conversations.focus()
        self.call_after_refresh(self.show)

    @on(LineList.Moved, "#conversations")
    def show_newest(self) -> None:
        self.place = -1
        self.show()

    def action_version(self, step: int) -> None:
        """Show another version of the notes, or the nearest existing one."""
        if (notes := self.conversations.current) is not None:
            last = len(notes.versions) - 1
            now = last if self.place < 0 else self.place
            self.place = min(max(now + step, 0), last)
            self.show()

    def action_scroll(self, pages: int) -> None:
        self.query_one(TextView).action_page(pages)

    def show(self) -> None:
        if not self.query(ConversationList):  # not composed yet, or already removed
            return
        notes = self.conversations.current
        self.show_keys()
        if notes is not None:
            place = len(notes.versions) - 1 if self.place < 0 else min(self.place, len(notes.versions) - 1)
            text = f"{one_line(notes.conversation_id)}   version {place + 1} of {len(notes.versions)}"
            when = notes.versions[place].time[:19].replace("T", " ")
            self.query_one("#notes-head", Static).update(f"Working memory   {text}   {when}")
            width = max(20, self.query_one(TextView).size.width - 2)
            self.texts.ask(partial(_lines, notes, place, width))

    def show_lines(self, rows: Sequence[Spans]) -> None:
        self.query_one(TextView).show(rows)

    def show_keys(self) -> None:
        self.query_one(KeyBar).keys = (
            Key("up down", "conversation"),
            Key("left right", "version"),
            Key("toggle", "scroll"),
            Key("refresh"),
            Key("back", "back"),
        )


def _read_notes(store: str) -> Sequence[Notes] | str:
    try:
        return library.read_notes(store)
    except library.NotesError as error:
        return str(error)


def _nothing(store: str) -> str:
    return (
        "No agent has saved notes here yet.\n\n"
        "A WorkingMemoryAgent keeps notes about each conversation in\n"
        f"{visible(library.notes_file(store))}\n\n"
        "To see an example:   inspector demo working-memory --db FILE"
    )


def _lines(notes: Notes, place: int, width: int) -> Sequence[Spans]:
    """Return the notes of a version, with added and removed lines."""
    before = notes.versions[place - 1].text if place else ""
    after = notes.versions[place].text
    changes = list(library.line_diff(before, after))
    new, gone = (sum(kind == which for kind, _ in changes) for which in ("added", "removed"))
    change = (
        f"+{plural(new, 'line')}, −{plural(gone, 'line')}" if place else f"the first version, {plural(new, 'line')}"
    )
    rows: list[Spans] = [((change, "ink-muted"),), (("", "ink-muted"),)]
    for kind, line in changes:
        sign, colour = _SIGNS[kind]
        rows += [((sign + piece, colour),) for piece in (fold(visible(line), max(4, width - 2)) if line else [""])]
    return rows
