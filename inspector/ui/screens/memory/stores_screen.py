"""The memory stores of other programs: stores, their items with details, findings, and a search over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from inspector.core.text import clipped, fold, one_line, visible
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_patch, edit_file
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.screens.memory.store_lines import (
    StoreGroup,
    StoreLine,
    StoresReading,
    audited,
    read_stores,
    sessions_with,
)
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.text_view import Spans, TextView
from inspector.ui.workers.latest import LatestOnly

_NAME = 16
"""Cells of the name of an item."""
_PATCH_COLOURS = {"+": "success", "-": "error", "@": "primary"}


class StoreList(LineList):
    """One store per line, after the findings and all items."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")
    groups: Sequence[StoreGroup] = ()

    @property
    def count(self) -> int:
        return len(self.groups)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        group, palette = self.groups[line], self.palette
        about = f" {group.about} "
        title = clipped(one_line(group.title), max(4, width - len(about) - 1))
        return [(f" {title}".ljust(max(0, width - len(about))), palette.ink()), (about, palette.dim)]


class StoreItemList(LineList):
    """The items of a store, or the findings, one per line."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")
    rows: Sequence[StoreLine] = ()
    empty = "  reading the stores …"

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> StoreLine | None:
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        name = clipped(one_line(row.name), _NAME).ljust(_NAME)
        ink = palette.dim if row.is_partial else palette.ink()
        return [(f" {name} ", palette.dim), (clipped(one_line(row.row or row.text), max(4, width - _NAME - 3)), ink)]


class StoresScreen(Overlay[None]):
    """Stores on the left, their items next to them, and the item under the cursor on the right."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("stores")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#store-list"

    def __init__(self, folder: Path, sessions: Sequence[str] = ()) -> None:
        """Create the screen.

        Args:
            folder: Folder whose memories are shown with those of the user.
            sessions: Paths of the listed sessions.
        """
        super().__init__()
        self.folder = folder
        self.sessions = sessions
        self.reading = StoresReading()
        self.readings: LatestOnly[StoresReading] = LatestOnly(self, "memory stores", self.show_reading)
        self.audits: LatestOnly[StoresReading] = LatestOnly(self, "memory audit", self.show_audit)
        self.users: LatestOnly[Sequence[StoreLine]] = LatestOnly(self, "sessions of an item", self.show_users)
        self.results: LatestOnly[Sequence[StoreLine]] = LatestOnly(self, "memory search", self.show_rows)

    def compose(self) -> ComposeResult:
        yield Static("Memory stores", id="stores-head", classes="bar", markup=False)
        yield Input(placeholder="search all stores", id="store-words")
        with Horizontal(id="stores"):
            yield StoreList(id="store-list")
            yield StoreItemList(id="store-items")
            yield TextView(id="text")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(KeyBar).keys = (
            Key("left right", "list"),
            Key("find", "search"),
            Key("editor", "editor"),
            Key("copy", "copy the patch"),
            Key("sessions", "show sessions"),
            Key("refresh"),
            Key("back", "back"),
        )
        self.action_read()

    def action_read(self) -> None:
        self.readings.ask(partial(read_stores, self.folder))

    def show_reading(self, reading: StoresReading) -> None:
        if reading.stores:
            self.query_one(StoreItemList).empty = "  looking for findings …"
            self.audits.ask(partial(audited, reading, self.folder))
        self._show_groups(reading)
        self.show_group()

    def show_audit(self, reading: StoresReading) -> None:
        self.query_one(StoreItemList).empty = "  nothing here; try another store on the left"
        self._show_groups(reading)
        stores = self.query_one(StoreList)
        if stores.cursor == 0 and not self.query_one("#store-words", Input).value.strip():
            stores.cursor = next((place for place, group in enumerate(reading.groups) if group.lines), 0)
            stores.renew()
            self.show_group()

    def _show_groups(self, reading: StoresReading) -> None:
        self.reading = reading
        self.query_one("#stores-head", Static).update(f"Memory stores   {reading.sentence}")
        stores = self.query_one(StoreList)
        stores.groups = reading.groups
        stores.renew()

    @on(LineList.Moved, "#store-list")
    def show_group(self) -> None:
        stores = self.query_one(StoreList)
        if 0 <= stores.cursor < stores.count:
            self.show_rows(stores.groups[stores.cursor].lines)

    def show_rows(self, rows: Sequence[StoreLine]) -> None:
        items = self.query_one(StoreItemList)
        items.rows = rows
        items.cursor = 0
        items.renew()
        self.show_item()

    @on(LineList.Moved, "#store-items")
    def show_item(self) -> None:
        row = self.query_one(StoreItemList).current
        view = self.query_one(TextView)
        view.show(_detail(row, max(20, view.size.width - 2)) if row is not None else ())

    @on(LineList.Opened, "#store-list")
    def action_next(self) -> None:
        self.query_one(StoreItemList).focus()

    def action_previous(self) -> None:
        self.query_one(StoreList).focus()

    def action_search(self) -> None:
        words = self.query_one("#store-words", Input)
        words.add_class("-open")
        words.focus()

    def action_back(self) -> None:
        """Close the search, or else the screen."""
        words = self.query_one("#store-words", Input)
        if not words.has_class("-open"):
            self.dismiss()
            return
        words.remove_class("-open")
        words.value = ""
        self.query_one(StoreItemList).focus()

    @on(Input.Changed, "#store-words")
    def search_words(self, event: Input.Changed) -> None:
        if event.value.strip():
            self.results.ask(partial(self.reading.search, event.value))
        else:
            self.show_group()

    @on(Input.Submitted, "#store-words")
    def to_results(self) -> None:
        self.query_one(StoreItemList).focus()

    def action_copy(self) -> None:
        row = self.query_one(StoreItemList).current
        self.notify("Nothing to copy here." if row is None else copy_patch(self.app, row.patch or row.text))

    def action_sessions(self) -> None:
        """List the sessions that loaded the item under the cursor, in place of the items."""
        row = self.query_one(StoreItemList).current
        if row is None or row.store is None:
            self.notify("Only items have sessions. The sessions of a finding are in its evidence.")
        else:
            self.users.ask(partial(sessions_with, row, self.sessions))

    def show_users(self, rows: Sequence[StoreLine]) -> None:
        if rows:
            self.show_rows(rows)
        else:
            self.notify("No listed session contains the text of this item.")

    def action_edit(self) -> None:
        row = self.query_one(StoreItemList).current
        if row is None or not row.path or not row.line:
            self.notify("This item has no line in a file.")
        elif problem := edit_file(self.app, row.path, row.line):
            self.notify(problem, severity="error")

    def action_scroll(self, pages: int) -> None:
        self.query_one(TextView).action_page(pages)


def _detail(row: StoreLine, width: int) -> Sequence[Spans]:
    """Return the facts of an item or finding, and its text, in which the lines of a patch have colours."""
    rows: list[Spans] = [((piece, "ink-muted"),) for fact in row.facts for piece in fold(visible(fact), width)]
    rows.append((("", "ink-muted"),))
    for line in row.text.split("\n"):
        colour = _PATCH_COLOURS.get(line[:1], "foreground") if row.patch else "foreground"
        rows += [((piece, colour),) for piece in (fold(visible(line), width) if line else [""])]
    return rows
