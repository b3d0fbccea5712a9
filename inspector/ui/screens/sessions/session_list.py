"""The list of sessions, one per line, grouped by origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from textual.binding import BindingType

from inspector import library
from inspector.core.text import clipped, clipped_words, one_line, plural
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import key_of
from inspector.ui.screens.sessions.list_columns import ListColumn, cell_style, cell_text, list_columns
from inspector.ui.widgets.lines import LineList, Span

if TYPE_CHECKING:
    from inspector.library import Entry

_MARKED = "▸"
_HEADINGS = {"given": "named on the command line", "stored": "in the store", "found": "on this machine"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A line above a group of sessions."""

    text: str


class SessionList(LineList):
    """Sessions under headings if they have several origins. The cursor stops at sessions only."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[Entry | Heading | None] = ()
        self.distinctions: Mapping[str, str] = {}
        self.is_moved = False
        self.chosen: Sequence[str] = ()
        """Columns that the user has chosen; empty for the usual ones."""
        self.mark = ""
        """Target of the session that others are compared with; empty for none."""
        self._early_moves, self._is_opened_early = 0, False

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def entries(self) -> list[Entry]:
        return [row for row in self.rows if row is not None and not isinstance(row, Heading)]

    def show(self, entries: Sequence[Entry]) -> None:
        """Show entries, which are grouped by origin. The cursor stays on its session once the user has moved it."""
        target = self.current.target if self.current and self.is_moved else None
        self.rows = list(_rows_of(entries))
        self.distinctions = library.distinctions(entries) if entries else {}
        self.renew()
        places = {entry.target: place for place, entry in self._places()}
        first = next(iter(places.values()), 0)
        self.cursor = places.get(target or "", self._nearest(self.cursor) if self.is_moved else first)
        self.post_message(self.Moved(self))

    def _places(self) -> Iterator[tuple[int, Entry]]:
        for place, row in enumerate(self.rows):
            if row is not None and not isinstance(row, Heading):
                yield place, row

    def _nearest(self, line: int) -> int:
        return min((place for place, _ in self._places()), key=lambda place: abs(place - line), default=0)

    def go_to(self, file: Path) -> None:
        """Move the cursor to the session of a file, if it is listed."""
        for place, entry in self._places():
            if Path(entry.path).name == file.name and Path(entry.path).resolve() == file:
                self.is_moved = True
                self.cursor = place
                return

    def catch_up(self) -> None:
        """Run the actions that were requested while the list was empty."""
        moves, opens = self._early_moves, self._is_opened_early
        self.forget_keys()
        if moves:
            self.action_move(moves)
        if opens:
            self.action_open()

    def forget_keys(self) -> None:
        self._early_moves, self._is_opened_early = 0, False

    def by_hand(self) -> None:
        self.is_moved = True

    def action_open(self) -> None:
        self._is_opened_early = not self.count
        super().action_open()

    def action_move(self, lines: int) -> None:
        """Move by a number of lines. Moves while the list is empty are made when sessions arrive."""
        if not self.count:
            self._early_moves += lines
            return
        self.by_hand()
        self.move_past_headings(lines)

    def action_go(self, line: int) -> None:
        self.action_move(-self.count if line >= 0 else self.count)

    def is_selectable(self, line: int) -> bool:
        row = self.rows[line]
        return row is not None and not isinstance(row, Heading)

    def show_cursor(self) -> None:
        """Scroll to the cursor, with the heading above it visible."""
        if self.cursor and self.cursor < self.count and isinstance(self.rows[self.cursor - 1], Heading):
            self.show_line(self.cursor - 1)
        super().show_cursor()

    @property
    def current(self) -> Entry | None:
        row = self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None
        return None if isinstance(row, Heading) else row

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row = self.rows[line]
        if row is None:
            return []
        if isinstance(row, Heading):
            return [(f" {clipped(row.text, max(0, width - 1))}", self.palette.faint)]
        mark = (_MARKED if row.target == self.mark else " ", self.palette.ink("primary", bold=True))
        if row.unsupported:
            return [mark, (clipped_words(_unsupported_line(row), width - 1), self.palette.faint)]
        if row.problem:
            return [mark, *self.problem_spans(row, width - 1)]
        columns = list_columns(width, self.chosen)
        start = columns[0].start if columns else width
        return [mark, *self.title_spans(row, start - 1), *self.cell_spans(row, columns)]

    def title_spans(self, entry: Entry, room: int) -> Iterator[Span]:
        prefix = self.distinctions.get(entry.target, entry.number)
        if prefix:
            prefix = f"{clipped(one_line(prefix), max(4, room // 2))} "
            yield prefix, self.palette.dim
        rest = max(0, room - cell_len(prefix))
        ink = self.palette.ink() if entry.origin == "found" else self.palette.strong
        yield set_cell_size(clipped(one_line(entry.title) or "untitled", max(0, rest - 1)), rest), ink

    def cell_spans(self, entry: Entry, columns: Sequence[ListColumn]) -> Iterator[Span]:
        for column in columns:
            text = cell_text(entry, column)
            style = self.palette.faint if text == "?" else cell_style(entry, column.name, self.palette)
            yield column.fit(text), style

    def problem_spans(self, entry: Entry, room: int) -> Iterator[Span]:
        name = _problem_name(entry, room)
        yield f"{name}  ", self.palette.ink()
        yield clipped_words(one_line(entry.problem), max(0, room - cell_len(name) - 2)), self.palette.ink("error")


def _problem_name(entry: Entry, room: int) -> str:
    return clipped(one_line(entry.title), room // 3)


def problem_fits(entry: Entry, width: int) -> bool:
    """Return True if the row of an unreadable entry shows its whole problem within `width` cells."""
    room = width - cell_len(_problem_name(entry, width)) - 3
    return not entry.unsupported and cell_len(one_line(entry.problem)) <= room


def _rows_of(entries: Sequence[Entry]) -> Iterator[Entry | Heading | None]:
    """Yield the entries, with headings over discovered sessions and over all groups except the first."""
    groups = [(origin, list(group)) for origin, group in groupby(entries, lambda entry: entry.origin)]
    for number, (origin, group) in enumerate(groups):
        if number:
            yield None
        if number or origin == "found":
            yield Heading(f"{_HEADINGS[origin]} · {plural(len(group), 'session')}")
        yield from group


def _unsupported_line(entry: Entry) -> str:
    count = len(entry.unsupported)
    holds = "holds" if count == 1 else "hold"
    others = f", {len(entry.passed_over):,} more skipped" if entry.passed_over else ""
    return f"{plural(count, 'file')} here {holds} no conversation that can be read{others} · {key_of('open')}: why"
