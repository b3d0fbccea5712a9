"""The bookmarks of a session with their notes, to jump to or remove."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import Message, Session
from inspector.core.text import clipped, one_line, plural
from inspector.engine.window import call_names
from inspector.library import speaker
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList, Span

_NOTE = 40
"""Cells reserved for a note if there is one; at most half of the line."""


class BookmarkList(LineList):
    """One bookmark per line, in the order of the log."""

    empty = "  No bookmarks."

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[tuple[int, Message, str]] = ()
        """Number in the log, message and note of each bookmark."""
        self.actions = Actions(())
        self.names: Mapping[str, str] = {}

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> Message | None:
        return self.rows[self.cursor][1] if self.cursor < self.count else None

    def show(self, session: Session, notes: Mapping[str, str]) -> None:
        self.actions, messages = Actions(session.messages), enumerate(session.messages, 1)
        self.names = call_names(session.messages)
        self.rows = [(number, message, notes[message.id]) for number, message in messages if message.id in notes]
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        number, message, note = self.rows[line]
        who = one_line(speaker(message, self.names))
        room = max(0, width - 27)
        words = clipped(one_line(note), room if room < 2 * _NOTE else room // 2)
        gap = "   " if words else ""
        return [
            (f"{number:>8}  ", self.palette.faint),
            (f"{clipped(who, 13):<14} ", self.palette.dim),
            (words + gap, self.palette.ink("warning")),
            (row_words(message, self.actions, max(0, room - len(words) - len(gap))), self.palette.dim),
        ]


class BookmarksScreen(Overlay[str]):
    """Lists bookmarks. Dismissed with the ID of the message to go to, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("bookmarks")
    AUTO_FOCUS = "#marked"

    def __init__(self, session: Session, notes: Callable[[], Mapping[str, str]], remove: Callable[[str], None]) -> None:
        """Create the list for a session.

        Args:
            session: Session with the bookmarked messages.
            notes: Returns the current notes by message ID.
            remove: Removes the bookmark of the message with an ID.
        """
        super().__init__()
        self.session = session
        self.notes = notes
        self.remove_one = remove

    def compose(self) -> ComposeResult:
        yield Static(id="about-marks", classes="bar", markup=False)
        yield BookmarkList(id="marked")
        yield KeyBar(
            (
                Key("up down", "move"),
                Key("open", "go there"),
                Key("drop", "remove"),
                Key("back", "back"),
            ),
            id="keys",
        )

    def on_mount(self) -> None:
        self.show()

    def show(self) -> None:
        notes = self.notes()
        self.query_one(BookmarkList).show(self.session, notes)
        title = clipped(one_line(self.session.title), max(0, self.app.size.width - 20))
        self.query_one("#about-marks", Static).update(f"{plural(len(notes), 'bookmark')}   {title}")

    @on(LineList.Opened, "#marked")
    def action_go(self) -> None:
        if message := self.query_one(BookmarkList).current:
            self.dismiss(message.id)

    def action_remove(self) -> None:
        if message := self.query_one(BookmarkList).current:
            self.remove_one(message.id)
            self.show()
