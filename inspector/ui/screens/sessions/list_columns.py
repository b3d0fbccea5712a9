"""The columns of the list of sessions: their widths, heads and cells, and the choice that the settings keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive

from inspector import library
from inspector.core.settings import load_settings
from inspector.core.text import clipped, dollars, one_line
from inspector.ui.palette import Palette
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.scrubber import compact

SETTING = "library_columns"
"""Name of the setting with the chosen columns, separated by spaces."""
_MIN_TITLE = 16
"""Minimum cells of a title. Chosen columns that leave less are not shown."""
_BLANK = ("project", "model", "format", "left")
"""Columns without a sign for a value that is not recorded."""
_UNKNOWN = "?"
"""Sign for a value that is unknown until the session has been read."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Width of a column, and the width of the list from which it is shown unless the user has chosen columns."""

    cells: int
    usual_from: int | None = None
    is_left: bool = False
    short: tuple[int, int, str] | None = None
    """Width of the list below which the column has a short form, and the cells and the head of that form."""


_LAYOUTS: Mapping[str, _Layout] = {
    "project": _Layout(15, 64, is_left=True),
    "model": _Layout(18, 104, is_left=True),
    "format": _Layout(16, is_left=True),
    "agents": _Layout(8),
    "messages": _Layout(10, 132),
    "turns": _Layout(8),
    "size": _Layout(9, 40),
    "peak": _Layout(7, 0),
    "compactions": _Layout(13, 0, short=(140, 3, "◆")),
    "re-reads": _Layout(10),
    "cost": _Layout(9),
    "state": _Layout(11, 0, is_left=True, short=(140, 3, "!")),
    "left": _Layout(6),
    "when": _Layout(19, 76, is_left=True, short=(110, 12, "when")),
}
USUAL = tuple(name for name, layout in _LAYOUTS.items() if layout.usual_from is not None)
"""Columns that are shown unless the user has chosen others, as far as they fit."""
OFFERED = tuple(_LAYOUTS)
"""Columns that can be chosen. The title is always shown."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column at its place in a line."""

    name: str
    start: int
    cells: int
    head: str
    is_short: bool
    is_left: bool

    def fit(self, text: str, clips: bool = True) -> str:
        """Return a text that fills the column."""
        if self.is_short and self.cells < 4:
            return f" {text[:2]:<2}"
        text = clipped(text, self.cells - 1 - self.is_left) if clips else text
        gap = " " * max(0, self.cells - cell_len(text) - self.is_left)
        return f" {text}{gap}" if self.is_left else f"{gap}{text}"


def chosen_columns() -> tuple[tuple[str, ...], str]:
    """Return the columns in the user's settings, empty if none were chosen, and a sentence about unknown names."""
    value = load_settings().get(SETTING, "")
    names = value.split() if isinstance(value, str) else []
    unknown = [name for name in names if name not in _LAYOUTS]
    problem = f"settings.toml, {SETTING}: there is no column {one_line(unknown[0])}." if unknown else ""
    return tuple(dict.fromkeys(name for name in names if name in _LAYOUTS)), problem


def list_columns(width: int, chosen: Sequence[str] = ()) -> list[ListColumn]:
    """Return the columns to the right of the title.

    Args:
        width: Cells of a line.
        chosen: Columns that the user has chosen, in order. Those that do not fit are omitted from the end.
    """
    names = [*chosen] or [name for name in USUAL if width >= (_LAYOUTS[name].usual_from or 0)]
    sizes = {name: _size_of(name, width) for name in names}
    while len(names) > 1 and width - 1 - sum(sizes[name][0] for name in names) < _MIN_TITLE:
        names.pop()
    start = width - sum(sizes[name][0] for name in names)
    columns = []
    for name in names:
        columns.append(ListColumn(name, start, *sizes[name], is_left=_LAYOUTS[name].is_left))
        start += sizes[name][0]
    return columns


def _size_of(name: str, width: int) -> tuple[int, str, bool]:
    """Return the cells and the head of a column, and True if it has its short form."""
    layout = _LAYOUTS[name]
    if layout.short and width < layout.short[0]:
        return (*layout.short[1:], True)
    return layout.cells, name, False


def cell_text(entry: library.Entry, column: ListColumn) -> str:
    """Return the text of a cell: "?" for a value that is not counted yet, and "–" for one that is not recorded."""
    if library.SESSION_COLUMNS[column.name].value(entry) is not None:
        return _TEXTS[column.name](entry, column.is_short)
    if column.name in _BLANK:
        return ""
    if library.SESSION_COLUMNS[column.name].is_detail:
        return "–" if entry.is_detailed else _UNKNOWN
    return "–" if column.name == "when" or entry.tokens is not None else _UNKNOWN


def _is_uncounted(entry: library.Entry) -> bool:
    """Return True if sizes were estimated from text lengths, which can be a third off, and two digits are shown."""
    return entry.estimated and entry.origin == "given"


def _two_digits(number: float) -> int:
    return round(float(f"{number:.1e}"))


def _size(entry: library.Entry, _: bool) -> str:
    tokens = entry.tokens or 0
    return f"{'≈' if entry.estimated else ''}{compact(_two_digits(tokens) if _is_uncounted(entry) else tokens)}"


def _peak(entry: library.Entry, _: bool) -> str:
    share = entry.peak_share or 0
    if 0 < share < 0.005:
        return "<1%"
    if _is_uncounted(entry):
        return f"≈{_two_digits(100 * share)}%"
    return f"{'≈' if entry.peak_estimated else ''}{share:.0%}"


def _state(entry: library.Entry, is_short: bool) -> str:
    if is_short and (entry.is_over or entry.damage):
        return "!"
    if entry.is_over:
        return f"{'≈' if entry.peak_estimated else ''}over"
    if entry.damage:
        return "damaged"
    return (f"{entry.days_left}d" if is_short else f"{entry.days_left} d left") if library.is_due(entry) else ""


def _when(entry: library.Entry, is_short: bool) -> str:
    return one_line(entry.changed[: 10 if is_short else 16].replace("T", " "))


_TEXTS: Mapping[str, Callable[[library.Entry, bool], str]] = {
    "project": lambda entry, _: one_line(entry.project),
    "model": lambda entry, _: one_line(entry.model),
    "format": lambda entry, _: one_line(entry.format),
    "agents": lambda entry, _: f"{entry.agents:,}",
    "messages": lambda entry, _: f"{entry.messages:,}",
    "turns": lambda entry, _: f"{entry.turns:,}",
    "size": _size,
    "peak": _peak,
    "compactions": lambda entry, _: f"{entry.compactions:,}" if entry.compactions else "",
    "re-reads": lambda entry, _: f"{entry.rereads:,}" if entry.rereads else "",
    "cost": lambda entry, _: dollars(entry.cost or 0),
    "state": _state,
    "left": lambda entry, _: f"{entry.days_left} d",
    "when": _when,
}


def cell_style(entry: library.Entry, name: str, palette: Palette) -> Style:
    """Return the style of a cell: red if the window is too large, yellow for compactions and damage.

    Args:
        entry: Session of the row.
        name: Name of the column.
        palette: Colors of the theme.
    """
    if name == "peak" and entry.is_over:
        return palette.ink("error", bold=True)
    if name == "state":
        return palette.ink("error" if entry.is_over else "warning", bold=True)
    return palette.ink("warning") if name == "compactions" and entry.compactions else palette.dim


class ColumnHeads(Drawing):
    """The names of the columns, with an arrow at the one that the list is sorted by. A click sorts by a column."""

    columns: reactive[Sequence[ListColumn]] = reactive(())
    order: reactive[tuple[str, bool]] = reactive(("when", False))
    """Column that the list is sorted by, and True if its order is reversed."""

    @dataclass
    class Clicked(Message):
        """The head of a column was clicked."""

        name: str

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        line = Text(no_wrap=True)
        first = self.columns[0].start if self.columns else self.size.width
        line.append(f" {self.head('session', 'session')}".ljust(first), self.ink("session", palette))
        for column in self.columns:
            text = column.fit(self.head(column.name, column.head), clips=False)
            line.append(text, self.ink(column.name, palette))
        return line

    @property
    def next_name(self) -> str:
        """Column that follows the one that the list is sorted by."""
        names = ["session", *(column.name for column in self.columns)]
        name = self.order[0]
        return names[(names.index(name) + 1) % len(names)] if name in names else names[0]

    def head(self, name: str, text: str) -> str:
        """Return the head of a column, with an arrow if the list is sorted by it: ▾ if the largest is on top."""
        if name != self.order[0]:
            return text
        return text + ("▾" if library.SESSION_COLUMNS[name].is_text == self.order[1] else "▴")

    def ink(self, name: str, palette: Palette) -> Style:
        return palette.strong if name == self.order[0] else palette.dim

    def on_click(self, event: events.Click) -> None:
        name = next((column.name for column in reversed(self.columns) if event.x >= column.start), "session")
        self.post_message(self.Clicked(name))
