"""The window as bars: now and then to one scale, and the six sections with their allocation marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector import tokens
from inspector.text import LETTERS
from inspector.ui.palette import CHIP_INK, Palette, mark_of
from inspector.window import SECTIONS

if TYPE_CHECKING:
    from inspector.library import Preview
    from inspector.window import Section, Window

_LABEL = 20
EIGHTHS = " ▏▎▍▌▋▊▉█"
SHORT = {"scratchpad": "Scratch"}


class _PreviewBars(Widget):
    """A widget that draws the current preview by itself."""

    preview: reactive[Preview | None] = reactive(None)

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)


class WindowBars(_PreviewBars):
    """Two bars over each other: the window now, and with the plan that is tried on; below, scale and trigger."""

    threshold: reactive[int] = reactive(0)

    def render(self) -> Text:
        preview = self.preview
        if preview is None:
            return Text()
        width = max(10, self.size.width - _LABEL - 1)
        scale = max(preview.before.limit, preview.before.total, preview.after.total, 1)
        has_plan = preview.plan is not None
        lines = [self.bar("now", preview.before, scale, width, strong=not has_plan)]
        if has_plan:
            lines.append(self.bar("then", preview.after, scale, width, strong=True))
        elif preview.applied:
            lines.insert(0, self.bar("recorded", preview.recorded, scale, width, strong=False))
        lines.append(self.axis(scale, width))
        return Text("\n", no_wrap=True).join(lines[: self.size.height])

    def bar(self, name: str, window: Window, scale: int, width: int, strong: bool) -> Text:
        number = self.palette.strong if strong else self.palette.dim
        line = Text(no_wrap=True)
        line.append(f"{name:>8} ", self.palette.ink() if strong else self.palette.faint)
        line.append(f"{mark_of(window)}{window.total:,}".rjust(_LABEL - 10) + " ", number)
        trough = self.palette.colour("trough")
        width_so_far = 0
        reach = 0
        for section in SECTIONS:
            reach += window.breakdown[section].tokens
            end = min(width, round(width * reach / scale))
            line.append_text(self.segment(section, end - width_so_far))
            width_so_far = end
        reserve = min(width - width_so_far, round(width * window.reserve / scale))
        beyond = round(width * window.limit / scale)
        free = max(0, min(width, beyond) - width_so_far - reserve)
        line.append(" " * free, Style(bgcolor=trough))
        if beyond > width_so_far:
            line.append("╱" * reserve, Style(color=self.palette.colour("ink-faint"), bgcolor=trough))
        return line

    def segment(self, section: Section, cells: int) -> Text:
        """A section's stretch of the bar, with its letter where there is room for it."""
        letter = LETTERS[section].center(3) if cells >= 3 else ""
        text = letter + " " * (cells - len(letter))
        return Text(text, self.palette.chip(section))

    def axis(self, scale: int, width: int) -> Text:
        """Round numbers, and over them the marks that matter: the trigger, and the limit where it was passed."""
        assert self.preview is not None
        limit = self.preview.before.limit
        cells = [" "] * width
        for value in range(0, scale + 1, _axis_step(scale)):
            _write(cells, _thousands(value), round(width * value / scale))
        marks = [(self.threshold, f"▲ {_thousands(self.threshold)} trigger", "warning")] if self.threshold else []
        if limit < scale:
            marks.append((limit, f"▲ {_thousands(limit)} limit", "error"))
        line = Text(no_wrap=True)
        positions = []
        for value, label, colour in marks:
            at = max(0, min(round(width * value / scale), width - len(label)))
            if value < scale:
                _write(cells, label, at)
                positions.append((at, at + len(label), colour))
        line.append(" " * _LABEL + "".join(cells), self.palette.faint)
        for start, end, colour in positions:
            line.stylize(self.palette.ink(colour), _LABEL + start, _LABEL + end)
        return line


def _thousands(tokens: int) -> str:
    return f"{tokens // 1000}k" if tokens else "0"


def _write(cells: list[str], label: str, at: int) -> None:
    """Put a label into a line of cells, and take out whole what it cuts into; nothing where there is no room."""
    end = at + len(label)
    if end > len(cells):
        return
    for step, place in ((-1, at - 1), (1, end)):
        while 0 <= place < len(cells) and cells[place] != " ":
            cells[place] = " "
            place += step
    cells[at:end] = label


def _axis_step(scale: int) -> int:
    """A round step that gives four to eight labels."""
    step = 1_000
    while scale / step > 6:
        step = step * 5 if str(step)[0] == "1" else step * 2
    return step


@dataclass(frozen=True, slots=True)
class _SectionSizes:
    """One section before and after, as the bars need it."""

    section: Section
    before: int
    after: int
    mark: str
    recorded: bool
    allocation: int


class SectionBars(_PreviewBars):
    """The six sections in two columns: tokens, fill to one scale, the allocation mark, and whether it is over."""

    def render(self) -> Text:
        if self.preview is None:
            return Text()
        rows = list(_sizes_of(self.preview))
        scale = max(max(row.before, row.after, row.allocation // 2) for row in rows) or 1
        half = (self.size.width - 2) // 2
        lines = []
        for left, right in zip(rows[:3], rows[3:], strict=True):
            line = self.section_line(left, half, scale)
            line.append("  ")
            line.append_text(self.section_line(right, self.size.width - half - 2, scale))
            lines.append(line)
        return Text("\n", no_wrap=True).join(lines)

    def section_line(self, sizes: _SectionSizes, width: int, scale: int) -> Text:
        """Exactly `width` cells; the gauges of all sections begin in the same column."""
        wide = width >= 46
        differs = sizes.before != sizes.after
        name = sizes.section.capitalize() if wide else SHORT.get(sizes.section, sizes.section.capitalize())
        line = Text(no_wrap=True)
        line.append(f" {LETTERS[sizes.section]} ", self.palette.chip(sizes.section))
        line.append(f" {name:<{11 if wide else 8}}", self.palette.ink())
        before = f"{sizes.mark}{sizes.before:,}" if sizes.recorded or sizes.before else "?"
        line.append(f"{before:>9}", self.palette.dim if differs else self.palette.ink())
        if differs:
            line.append(" → ", self.palette.ink())
            line.append(f"{sizes.mark}{sizes.after:,}".rjust(8) + " ", self.palette.strong)
        else:
            line.append(f" {'' if sizes.recorded else 'unrecorded' if wide else 'unrec.':<10} ", self.palette.faint)
        line.append_text(self.gauge(sizes, max(4, width - line.cell_len), scale))
        line.truncate(width)
        line.append(" " * (width - line.cell_len))
        return line

    def gauge(self, sizes: _SectionSizes, width: int, scale: int) -> Text:
        """After as fill, what was before as a shade, the allocation as a line across."""
        over = sizes.after > sizes.allocation
        room = max(1, width - (6 if width > 14 else 2))
        fill = room * min(sizes.after, scale) / scale
        shade = min(room, round(room * min(sizes.before, scale) / scale))
        eighths = round(fill * 8)
        full, rest = divmod(max(eighths, 1 if sizes.after else 0), 8)
        bar = "█" * full + (EIGHTHS[rest] if rest else "")
        bar = bar[:room].ljust(max(shade, 0), "░").ljust(room)
        line = Text(bar, self.palette.ink(f"section-{sizes.section}"), no_wrap=True)
        if sizes.allocation <= scale:
            at = min(room - 1, round(room * sizes.allocation / scale))
            inside = bar[at] == "█"
            style = Style(color=CHIP_INK, bgcolor=self.palette.section(sizes.section)) if inside else self.palette.dim
            line = Text.assemble(line[:at], ("┊", style), line[at + 1 :])
        if over:
            line.append(" over" if width > 14 else " !", self.palette.ink("error", bold=True))
        return line


def _sizes_of(preview: Preview) -> Iterator[_SectionSizes]:
    for section in SECTIONS:
        before, after = preview.before.breakdown[section], preview.after.breakdown[section]
        recorded = before.certainty != "unrecorded"
        yield _SectionSizes(
            section,
            before.tokens,
            after.tokens,
            tokens.mark(before.certainty),
            recorded,
            preview.after.budget.section(section),
        )
