"""The memories in the window of a turn: injected rules, notes that were read, recalled items, and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.memory_audit import ItemFinder, WindowItem, window_items
from inspector.core.conversation import Session
from inspector.core.text import clipped, fold, one_line, plural, visible
from inspector.engine.window import Window
from inspector.formats import discover_memories, user_memories
from inspector.library import Preview, working_folder
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_patch, edit_file
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.widgets.text_view import TextView
from inspector.ui.workers.latest import LatestOnly

_HOW, _NAME = 11, 18
_EMPTY = "  This window holds no memories: no injected files or notes, no recalled items, no summary."


class WindowMemoryList(PlainList[WindowItem]):
    """One memory per line."""

    empty = "  looking for memories …"

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        end = f"  ~{row.tokens:,} {f'#{row.number:,}' if row.number else '':>6} "
        name = f"{Path(row.path).name}:{row.line}" if row.line else Path(row.path).name or _memory_name(row)
        room = max(4, width - _HOW - _NAME - 3 - len(end))
        return [
            (f" {row.how:<{_HOW}}", palette.dim),
            (set_cell_size(clipped(one_line(name), _NAME), _NAME) + "  ", palette.ink("primary")),
            (set_cell_size(clipped(one_line(row.text), room), room), palette.ink()),
            (end, palette.faint),
        ]


class WindowMemoriesScreen(Overlay[str]):
    """The memories in a window, with the text under the cursor. Dismissed with the ID of a message to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("window_memories")
    AUTO_FOCUS = "#window-memories"

    def __init__(self, window: Window, session: Session) -> None:
        super().__init__()
        self.when = f"before turn {window.turn:,}"
        self.find = partial(_memories_in, window, session)
        self.jobs: LatestOnly[Sequence[WindowItem]] = LatestOnly(self, "window memories", self.show_rows)

    def compose(self) -> ComposeResult:
        yield Static(f"Memories {self.when}", classes="bar", id="window-memories-title", markup=False)
        yield WindowMemoryList(id="window-memories")
        yield TextView(id="text")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_item()
        self.jobs.ask(self.find)

    def show_rows(self, rows: Sequence[WindowItem]) -> None:
        self.query_one(WindowMemoryList).show_rows(rows, _EMPTY)
        tokens = sum(row.tokens for row in rows)
        hidden = sum(row.how == "unrecorded" for row in rows)
        title = f"Memories {self.when}   {plural(len(rows), 'item')}, ~{plural(tokens, 'token')}"
        title += f", {hidden:,} of them unrecorded" if hidden else ""
        self.query_one("#window-memories-title", Static).update(title)
        self.show_item()

    @on(LineList.Moved)
    def show_item(self) -> None:
        row = self.query_one(WindowMemoryList).current
        view = self.query_one(TextView)
        width = max(20, view.size.width - 2)
        lines = [(place, "ink-muted") for place in fold(visible(_place_of_item(row)), width)] if row else []
        text = visible(row.text).split("\n") if row else []
        lines += [(piece, "foreground") for line in text for piece in (fold(line, width) if line else [""])]
        view.show([(line,) for line in lines])
        self.query_one(KeyBar).keys = available(
            (row and row.message, Key("open", "go to the message")),
            (row and row.line, Key("editor", "editor")),
            (row, Key("copy", "copy")),
            (True, Key("back", "back")),
        )

    @on(LineList.Opened)
    def open_message(self) -> None:
        row = self.query_one(WindowMemoryList).current
        if row is not None and row.message:
            self.dismiss(row.message)
        elif row is not None:
            self.notify("The recording does not contain it: the program loads it by itself.")

    def action_edit(self) -> None:
        row = self.query_one(WindowMemoryList).current
        if row is None or not row.line:
            self.notify("This item has no line in a file of this machine.")
        elif problem := edit_file(self.app, row.path, row.line):
            self.notify(problem, severity="error")

    def action_copy(self) -> None:
        row = self.query_one(WindowMemoryList).current
        self.notify("Nothing to copy here." if row is None else copy_patch(self.app, row.text))

    def action_scroll(self, pages: int) -> None:
        self.query_one(TextView).action_page(pages)


def memories_screen(preview: Preview | None) -> WindowMemoriesScreen | None:
    """Return the screen for the window of a preview, or None without one."""
    return WindowMemoriesScreen(preview.recorded, preview.session) if preview is not None else None


def _memories_in(window: Window, session: Session) -> Sequence[WindowItem]:
    """Return the memories in a window, matched with the stores of the user and of the folder that the agent worked in.

    Raises:
        OSError: The recording can no longer be read.
    """
    folder = working_folder(session.path)
    stores = discover_memories(folder) if folder else user_memories()
    return window_items(window, session, ItemFinder(stores))


def _place_of_item(row: WindowItem) -> str:
    """Return where a memory is, as one line."""
    place = f"{row.path}:{row.line}" if row.line else row.path or _memory_name(row)
    if row.store and row.store != row.path:
        place = f"{row.item} in {row.store}"
    how = f"in message #{row.number:,}" if row.number else "loaded by the program, not in the recording"
    end = f"{row.how}, {how}, ~{plural(row.tokens, 'token')}"
    return f"{one_line(place)}   {end}" if place else end


def _memory_name(row: WindowItem) -> str:
    """Return the name of a memory, or an empty string for a summary, whose name says only what it is."""
    return "" if row.name == row.how else one_line(row.name)
