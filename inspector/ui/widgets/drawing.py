"""A widget that draws lines of text as they are, unless they must be wrapped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget


class Drawing(Widget):
    """Draws the lines of a text, which subclasses return from `render`.

    Textual wraps, aligns and selects text, which takes longer than the rest of drawing a line. It is only asked to do
    so if a line is too wide.
    """

    _strips: list[Strip]
    _is_wrapped = False

    def render(self) -> Text:
        """Return the lines; subclasses override it."""
        return Text()

    def render_line(self, y: int) -> Strip:
        """Return a line. All lines are drawn again after a change."""
        if self._dirty_regions:
            self._strips, width = strips_of(self.render(), self.visual_style.rich_style), self.size.width
            self._is_wrapped = any(
                strip.cell_length > width and cell_len(strip.text.rstrip()) > width for strip in self._strips
            )
            if not self._is_wrapped:
                self._dirty_regions.clear()
        if self._is_wrapped:
            return super().render_line(y)
        return self._strips[y] if y < len(self._strips) else Strip([])


def strips_of(text: Text, base: Style) -> list[Strip]:
    """Return the lines of a text, whose styles are added to a base style."""
    lines: list[list[Segment]] = [[]]
    for run, style in _runs(text, base + _style_of(text.style)):
        first, *others = run.split("\n")
        if first:
            lines[-1].append(Segment(first, style))
        lines += [[Segment(other, style)] if other else [] for other in others]
    return [Strip(line) for line in lines]


def _runs(text: Text, base: Style) -> Iterator[tuple[str, Style]]:
    """Yield the runs of a text with their styles. Where spans overlap, the styles of later ones are added."""
    plain, spans, end = text.plain, text.spans, 0
    if any(span.end > following.start for span, following in pairwise(spans)):
        edges = sorted({0, len(plain), *(span.start for span in spans), *(span.end for span in spans)})
        for start, end in pairwise(edges):
            styles = [_style_of(span.style) for span in spans if span.start <= start < span.end]
            yield plain[start:end], Style.combine([base, *styles])
        return
    for span in spans:
        if span.start > end:
            yield plain[end : span.start], base
        end = span.end
        yield plain[span.start : end], base + _style_of(span.style)
    yield plain[end:], base


def _style_of(style: str | Style) -> Style:
    return Style.parse(style) if isinstance(style, str) else style
