"""A virtual list of lines. Only visible lines are drawn, so a million lines cost as much as forty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.core.text import CONTROL, one_line
from inspector.ui.bindings import bindings
from inspector.ui.palette import ThemePalette
from inspector.ui.room import toggle_zoom

T = TypeVar("T")
Span = tuple[str, Style]
"""A run of text in one style. Its control characters have been replaced with `visible`."""


def _harmless(text: str) -> str:
    """Replace control characters that are still in a text, as a last safeguard before the terminal."""
    return one_line(text) if CONTROL.search(text) else text


@dataclass
class ListMessage(Message):
    """A message of a list, which handlers can select by the list's ID."""

    list: LineList

    @property
    def control(self) -> LineList:
        return self.list


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines with a cursor. Subclasses provide the number of lines (`count`) and draw one line (`spans`)."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list")

    cursor: reactive[int] = reactive(0, repaint=False)
    shows_cursor = True
    lit = False
    """True if the cursor is drawn as if the list had the focus."""
    empty = ""
    """Text to show when there are no lines."""

    class Moved(ListMessage):
        """The cursor has moved to another line."""

    class Opened(ListMessage):
        """Enter was pressed or the line under the cursor was clicked."""

    class Counted(ListMessage):
        """The number of lines has changed."""

    class Widened(ListMessage):
        """The lines have become wider or narrower."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.counted = -1
        """Number of lines that was reported last."""
        self.strips: LRUCache[tuple[int, int, bool], Strip] = LRUCache(512)

    @property
    def count(self) -> int:
        """Number of lines; subclasses override it.

        Raises:
            TypeError: The subclass does not override it.
        """
        raise TypeError("a list of lines says how many it has")

    def spans(self, line: int, width: int) -> Sequence[Span]:
        """Return one line as runs of text, at most `width` cells wide; subclasses override it.

        Raises:
            TypeError: The subclass does not override it.
        """
        raise TypeError("a list of lines draws them")

    palette = ThemePalette()

    def renew(self) -> None:
        """Redraw all lines because they have changed."""
        self.strips.clear()
        show_changed_lines(self)

    def resize_to(self, lines: int) -> None:
        """Set the number of lines for the scroll bar.

        Setting `virtual_size` triggers a layout of the whole screen, which costs as much as drawing it. That is only
        necessary when the scroll bar appears or disappears.
        """
        size = Size(self.scrollable_content_region.width, lines)
        height = self.scrollable_content_region.height
        if (self.virtual_size.height > height) != (lines > height):
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(ScrollView.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = lines
            if self.scroll_offset.y > self.max_scroll_y:
                self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)

    def on_mount(self) -> None:
        self.renew()

    def on_resize(self) -> None:
        self.renew()
        self.show_cursor()
        self.post_message(self.Widened(self))

    def watch_show_vertical_scrollbar(self, is_shown: bool) -> None:
        self.post_message(self.Widened(self))
        if is_shown:  # a list that was scrolled before it had a scroll bar did not tell it
            self.vertical_scrollbar.position = self.scroll_y

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.strips.clear()

    def watch_has_focus(self, has_focus: bool) -> None:
        self.strips.clear()
        super().watch_has_focus(has_focus)

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        selected = self.shows_cursor and line == self.cursor
        if line >= self.count:
            base = self.visual_style.rich_style
            if self.empty and not self.count and y == 1:
                return Strip([Segment(self.empty, base + self.palette.dim)]).crop_extend(0, width, base)
            return Strip.blank(width, base)
        key = (line, width, selected)
        strip = self.strips.get(key)
        if strip is None:
            base = self.visual_style.rich_style
            if selected:
                base += self.palette.ink(on="cursor-line" if self.has_focus or self.lit else "cursor-line-blurred")
            strip = Strip([Segment(_harmless(text), base + style) for text, style in self.spans(line, width)])
            strip = strip.crop_extend(0, width, base)
            self.strips[key] = strip
        return strip

    def watch_cursor(self, before: int, after: int) -> None:
        if not self.is_mounted:
            return
        width = self.size.width
        for line in (before, after):
            self.refresh(Region(0, line - self.scroll_offset.y, width, 1))
        self.show_cursor()
        self.post_message(self.Moved(self))

    def show_cursor(self) -> None:
        """Scroll just enough to make the cursor's line visible."""
        if self.count:
            self.show_line(self.cursor)

    def show_line(self, line: int) -> None:
        self.scroll_to_region(Region(0, line, 1, 1), animate=False, force=True, immediate=True, x_axis=False)

    def is_selectable(self, line: int) -> bool:
        """Return True if the cursor can stop at a line, that is, if it is not a heading or blank."""
        return True

    def by_hand(self) -> None:
        """Handle a move of the cursor by the user rather than by the program."""

    def action_move(self, lines: int) -> None:
        self.by_hand()
        self.cursor = min(max(self.cursor + lines, 0), max(self.count - 1, 0))

    def move_past_headings(self, lines: int) -> None:
        """Move by a number of lines, or to the nearest line that can be selected."""
        places = [place for place in range(self.count) if self.is_selectable(place)]
        target = min(max(self.cursor + lines, 0), max(self.count - 1, 0))
        ahead = [place for place in places if (place >= target if lines > 0 else place <= target)]
        if places:
            self.cursor = (ahead[0] if lines > 0 else ahead[-1]) if ahead else places[-1 if lines > 0 else 0]

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.scrollable_content_region.height - 1))

    def action_go(self, line: int) -> None:
        self.by_hand()
        self.cursor = line if line >= 0 else max(self.count - 1, 0)

    def action_zoom(self) -> None:
        toggle_zoom(self)

    def action_open(self) -> None:
        if self.count:
            self.post_message(self.Opened(self))

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if 0 <= line < self.count and self.is_selectable(line):
            again = line == self.cursor
            self.by_hand()
            self.cursor = line
            if again:
                self.action_open()


class PlainList(LineList, Generic[T]):
    """Lines that are rows of one kind, in a list without turns. Subclasses draw one row (`spans`)."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[T] = ()

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> T | None:
        """Row under the cursor; None without any."""
        return self.rows[self.cursor] if self.cursor < self.count else None

    def show_rows(self, rows: Sequence[T], empty: str) -> None:
        """Show other rows.

        Args:
            rows: The rows.
            empty: Text to show without rows.
        """
        self.rows, self.empty = rows, empty
        self.renew()


def show_changed_lines(lines: LineList) -> None:
    """Show other lines in a list, whose `strips` are only those of lines that look as before."""
    lines.resize_to(lines.count)
    lines.cursor = min(max(lines.cursor, 0), max(lines.count - 1, 0))
    lines.refresh()
    if lines.count != lines.counted and lines.is_mounted:
        lines.counted = lines.count
        lines.post_message(lines.Counted(lines))
