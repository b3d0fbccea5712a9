"""Read-only lines that scroll: the full text of a message, a diff, help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.style import Style

from inspector.ui.marking import marked_runs
from inspector.ui.message_lines import Line
from inspector.ui.widgets.detail import style_of
from inspector.ui.widgets.lines import LineList, Span

if TYPE_CHECKING:
    from inspector.analysis.message_search import Place

Spans = tuple[tuple[str, str], ...]
"""A line as runs of (text, colour name), the colour optionally with " bold" or " on NAME" behind it."""


class TextView(LineList):
    """Lines that are shown as they are; arrows scroll, there is no cursor."""

    shows_cursor = False

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: Sequence[Line | Spans] = ()
        self.places: Mapping[int, Sequence[Place]] = {}
        """Where in the lines words stand that are looked for."""
        self.current: tuple[int, int] | None = None
        """The line and the number in it of the place that was gone to."""

    @property
    def count(self) -> int:
        return len(self.lines)

    def show(self, lines: Sequence[Line | Spans], keep_place: bool = False) -> None:
        """New lines, from the top, or from where the reader was."""
        self.lines, self.places = lines, {}
        if not keep_place:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.renew()

    def mark(self, places: Mapping[int, Sequence[Place]]) -> None:
        """Set apart what is looked for, by line."""
        self.places = places
        self.strips.clear()
        self.refresh()

    def mark_current(self, current: tuple[int, int] | None) -> None:
        """Set one of the places apart from the others: its line, and its number there."""
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
        """Nothing to be kept in sight: the reader scrolls."""

    def action_move(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.scrollable_content_region.height - 1))

    def action_go(self, line: int) -> None:
        self.scroll_to(y=0 if line >= 0 else self.count, animate=False, immediate=True)
