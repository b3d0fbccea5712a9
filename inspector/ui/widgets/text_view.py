"""Read-only lines that scroll: the full text of a message, a diff, or help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.binding import BindingType

from inspector.ui.bindings import bindings
from inspector.ui.marking import marked_runs
from inspector.ui.message_lines import Line
from inspector.ui.widgets.detail import style_of
from inspector.ui.widgets.lines import LineList, Span

if TYPE_CHECKING:
    from inspector.analysis.message_search import Place

Spans = tuple[tuple[str, str], ...]
"""A line as runs of text and colour name, optionally followed by " bold" or " on NAME"."""


class TextView(LineList):
    """Lines without a cursor; arrow keys scroll."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("text")
    shows_cursor = False

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: Sequence[Line | Spans] = ()
        self.places: Mapping[int, Sequence[Place]] = {}
        """Search matches by line."""
        self.current: tuple[int, int] | None = None
        """Line of the current match, and its index on that line."""

    @property
    def count(self) -> int:
        return len(self.lines)

    def show(self, lines: Sequence[Line | Spans], keep_place: bool = False) -> None:
        """Show other lines from the top, or from the current scroll position with `keep_place`."""
        self.lines, self.places = lines, {}
        if not keep_place:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.renew()

    def mark(self, places: Mapping[int, Sequence[Place]]) -> None:
        """Highlight search matches, by line."""
        self.places = places
        self.strips.clear()
        self.refresh()

    def mark_current(self, current: tuple[int, int] | None) -> None:
        """Highlight one match as the current one, given its line and its index on that line."""
        self.current = current
        self.strips.clear()
        self.refresh()

    def renew(self) -> None:
        self.strips.clear()
        self.resize_to(self.count)
        self.refresh()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        content = self.lines[line]
        if isinstance(content, Line):
            style = style_of(self.palette, content)
            number = self.current[1] if self.current and self.current[0] == line else None
            marks = self.palette.mark, self.palette.current_mark
            return list(marked_runs(content.text, self.places.get(line, ()), style, *marks, number))
        return [(text, self.style(colour)) for text, colour in content]

    def style(self, colour: str) -> Style:
        name, _, ground = colour.partition(" on ")
        ink, _, bold = name.partition(" ")
        return self.palette.ink(ink or "foreground", on=ground, bold=bool(bold))

    def show_cursor(self) -> None:
        """Do nothing, because the view has no cursor."""

    def action_move(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.scrollable_content_region.height - 1))

    def action_go(self, line: int) -> None:
        self.scroll_to(y=0 if line >= 0 else self.count, animate=False, immediate=True)
