"""The window as bars on one scale, and its six sections with their budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive

from inspector.core.text import LETTERS
from inspector.engine.window import SECTIONS
from inspector.llm import tokens
from inspector.ui.palette import CHIP_INK, FILLS, ThemePalette, mark_of
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.scrubber import compact

if TYPE_CHECKING:
    from inspector.engine.window import Section, Window
    from inspector.library import Preview

COUNTING = "counting"
"""Text in place of a number that is still being counted."""
_LABEL = 20
"""Cells before a bar, for its name and tokens; fewer in narrow terminals."""
_WIDE = 72
EIGHTHS = " ▏▎▍▌▋▊▉█"


class _PreviewBars(Drawing):
    """A widget that draws the current preview."""

    preview: reactive[Preview | None] = reactive(None)

    palette = ThemePalette()


class WindowBars(_PreviewBars):
    """The current window, the one under a plan being tried, and the recorded one if plans are applied, on one scale.

    The axis below them shows the scale, the trigger and the limit. A line in a bar separates the part beyond the limit.
    """

    threshold: reactive[int] = reactive(0)
    """Tokens above which the strategy being tried would compress; 0 for no mark."""

    def render(self) -> Text:
        preview = self.preview
        if preview is None:
            return Text()
        bars = self.bars(preview)
        names = max(cell_len(name) for name, _, _ in bars)
        numbers = max(cell_len(_total_text(window, preview)) for _, window, _ in bars)
        label = _LABEL if self.size.width >= _WIDE else names + numbers + 2
        scale = _scale_of(preview)
        width = max(4, self.size.width - label)
        lines = []
        for name, window, strong in bars:
            line = Text(no_wrap=True)
            line.append(f"{name:>{label - numbers - 2}} ", self.palette.ink() if strong else self.palette.faint)
            ink = self.palette.strong if strong and not window.sizes.is_partial else self.palette.dim
            line.append(f"{_total_text(window, preview):>{numbers}} ", ink)
            lines.append(line.append_text(self.bar(window, scale, width)))
        lines.append(self.axis(preview, scale, label, width))
        return Text("\n", no_wrap=True).join(lines[: self.size.height])

    def bars(self, preview: Preview) -> Sequence[tuple[str, Window, bool]]:
        """Return the name of each bar, its window, and True for the bar in focus."""
        if preview.plan is not None:
            return ("now", preview.before, False), ("then", preview.after, True)
        if preview.applied:
            return ("recorded" if self.size.width >= _WIDE else "was", preview.recorded, False), (
                "now",
                preview.before,
                True,
            )
        return (("now", preview.before, True),)

    def bar(self, window: Window, scale: int, width: int) -> Text:
        """Return the sections and free space of a window, with a line at the limit if the window exceeds it.

        Args:
            window: Window to draw.
            scale: Tokens at the right end.
            width: Cells of the bar.
        """
        line = Text(no_wrap=True)
        trough = Style(bgcolor=self.palette.colour("trough"))
        beyond = min(width, round(width * window.limit / scale))
        if window.sizes.is_partial:
            return line.append(" " * beyond, trough)
        width_so_far = 0
        reach = 0
        for section in SECTIONS:
            reach += window.breakdown[section].tokens
            end = min(width, round(width * reach / scale))
            line.append_text(self.segment(section, end - width_so_far))
            width_so_far = end
        reserve = min(width - width_so_far, round(width * window.reserve / scale))
        line.append(" " * max(0, beyond - width_so_far - reserve), trough)
        if beyond > width_so_far:
            line.append(
                "╱" * reserve, Style(color=self.palette.colour("ink-faint"), bgcolor=self.palette.colour("trough"))
            )
        elif window.excess and beyond < width_so_far:
            limit = Text("┃", self.palette.ink("error", bold=True))
            line = Text.assemble(line[:beyond], limit, line[beyond + 1 :], no_wrap=True)
        return line

    def segment(self, section: Section, cells: int) -> Text:
        """Return a section's part of the bar, with its letter if there is room."""
        letter = LETTERS[section].center(3) if cells >= 3 else ""
        text = letter + (FILLS[section] if self.app.no_color else " ") * (cells - len(letter))
        return Text(text, self.palette.chip(section))

    def axis(self, preview: Preview, scale: int, label: int, width: int) -> Text:
        """Return the axis: round numbers, the trigger, and the limit if a window exceeds it.

        Args:
            preview: Windows to draw.
            scale: Tokens at the right end.
            label: Cells before the axis.
            width: Cells of the axis.
        """
        limit = preview.before.limit
        cells = [" "] * width
        for value in range(0, scale + 1, _axis_step(scale, width)):
            text = _thousands(value)
            _write(cells, text, min(round(width * value / scale), width - len(text)))
        marks = [(self.threshold, f"▲ {_thousands(self.threshold)} trigger", "warning")] if self.threshold else []
        if limit < scale:
            marks.append((limit, f"▲ {_thousands(limit)} limit", "error"))
        line = Text(no_wrap=True)
        positions = []
        for value, text, colour in marks:
            at = max(0, min(round(width * value / scale), width - len(text)))
            if value < scale and len(text) <= width:
                _write(cells, text, at)
                positions.append((at, at + len(text), colour))
        line.append(" " * label + "".join(cells), self.palette.faint)
        for start, end, colour in positions:
            line.stylize(self.palette.ink(colour), label + start, label + end)
        return line


def _scale_of(preview: Preview) -> int:
    """Return the tokens at the right end of all bars, the same before and after a plan is applied."""
    windows = [window for window in (preview.recorded, preview.before, preview.after) if not window.sizes.is_partial]
    return max(preview.before.limit, *(window.total for window in windows), 1)


def _total_text(window: Window, preview: Preview) -> str:
    """Return the size of a window: the reported one of a request that the file contains wholly, unless plans apply."""
    if window.sizes.is_partial:
        return COUNTING
    is_recorded = window is preview.recorded or (window is preview.before and not preview.applied)
    if is_recorded and window.reported and window.context.records_system and not window.unrecorded:
        return f"{window.reported:,}"
    return f"{mark_of(window)}{window.total:,}"


def _thousands(tokens: int) -> str:
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{tokens // 1000}k" if tokens else "0"


def _write(cells: list[str], label: str, at: int) -> None:
    """Write a label into a line of cells and clear labels that it overlaps. Does nothing if it does not fit."""
    end = at + len(label)
    if end > len(cells):
        return
    for step, place in ((-1, at - 1), (1, end)):
        while 0 <= place < len(cells) and cells[place] != " ":
            cells[place] = " "
            place += step
    cells[at:end] = label


def _axis_step(scale: int, width: int) -> int:
    """Return a round step that results in up to six labels, or fewer in a narrow bar."""
    step = 1_000
    while scale / step > min(6, max(1, width // 8)):
        step = step * 5 if str(step)[0] == "1" else step * 2
    return step


@dataclass(frozen=True, slots=True)
class _SectionSizes:
    """Sizes of one section before and after a plan, as the bars need them."""

    section: Section
    name: str
    before: int
    after: int
    mark: str
    recorded: bool
    allocation: int
    is_counted: bool
    is_joined: bool = False
    """True if System includes this section."""

    @property
    def differs(self) -> bool:
        return self.before != self.after and self.is_counted

    @property
    def before_text(self) -> str:
        if not self.is_counted:
            return "…"
        if self.is_joined:
            return "in S"
        return f"{self.mark}{self.before:,}" if self.recorded or self.before else "?"

    @property
    def short_text(self) -> str:
        """Size after the plan, abbreviated."""
        return compact(self.after) if self.is_counted and not self.is_joined else self.after_text

    @property
    def after_text(self) -> str:
        return f"{self.mark}{self.after:,}" if self.differs else self.before_text


@dataclass(frozen=True, slots=True)
class _SectionLayout:
    """Widths of a section's parts, from left to right. The gauge gets the remaining cells."""

    name: int
    before: int
    after: int
    """Cells of the arrow, the number after it and a blank; without a difference, of a note."""
    note: str = ""
    gauge: int = 0
    """Minimum cells of the gauge. With fewer, the next layout is better."""
    is_short: bool = False
    """True if numbers are abbreviated because there is too little room for their digits."""

    @property
    def cells(self) -> int:
        return _CHIP + self.name + self.before + self.after + self.gauge


_CHIP = 3
SHORT = {"scratchpad": "Scratch"}
"""Short names of sections for narrow terminals."""
_FULL_NAME, _SHORT_NAME = 12, 9
_ARROW = " → "
_OVER = " over"


class SectionBars(_PreviewBars):
    """The six sections in two columns: tokens, a bar on one scale, a mark at the budget, and "over" beyond it."""

    def render(self) -> Text:
        if self.preview is None:
            return Text()
        rows = list(_sizes_of(self.preview))
        scale = max(max(row.before, row.after, row.allocation // 2) for row in rows) or 1
        half = (self.size.width - 2) // 2
        layout = _layout(rows, half)
        lines = []
        for left, right in zip(rows[:3], rows[3:], strict=True):
            line = self.section_line(left, layout, half, scale).append("  ")
            lines.append(line.append_text(self.section_line(right, layout, self.size.width - half - 2, scale)))
        return Text("\n", no_wrap=True).join(lines)

    def section_line(self, sizes: _SectionSizes, layout: _SectionLayout, width: int, scale: int) -> Text:
        """Return a section in exactly `width` cells, with numbers and gauges aligned and no number cut.

        Args:
            sizes: Sizes of the section.
            layout: Widths of its parts.
            width: Cells of the line.
            scale: Tokens at the right end of a gauge.
        """
        line = Text(no_wrap=True)
        line.append(f" {LETTERS[sizes.section]} ", self.palette.chip(sizes.section))
        if layout.name:
            short = sizes.name if layout.name == _FULL_NAME else SHORT.get(sizes.section, sizes.name)
            line.append(f" {short}".ljust(layout.name), self.palette.ink())
        if layout.after:
            line.append(
                f"{sizes.before_text:>{layout.before}}", self.palette.dim if sizes.differs else self.palette.ink()
            )
            if sizes.differs:
                line.append(_ARROW, self.palette.ink())
                line.append(sizes.after_text.rjust(layout.after - len(_ARROW) - 1) + " ", self.palette.strong)
            else:
                note = "" if sizes.recorded else layout.note
                line.append(f" {note}".ljust(layout.after), self.palette.faint)
        else:
            text = sizes.short_text if layout.is_short else sizes.after_text
            line.append(f"{text:>{layout.before}}", self.palette.strong if sizes.differs else self.palette.ink())
        room = width - line.cell_len
        if room >= _MIN_GAUGE and sizes.is_counted:
            line.append_text(self.gauge(sizes, room, scale))
        line.truncate(width, pad=True)
        return line

    def gauge(self, sizes: _SectionSizes, width: int, scale: int) -> Text:
        """Return the size after the plan as a bar, the size before as a shade, and the budget as a mark.

        Args:
            sizes: Sizes of the section.
            width: Cells of the gauge.
            scale: Tokens at the right end.
        """
        over = sizes.after > sizes.allocation
        room = max(1, width - (len(_OVER) + 1 if width > _WORDY else 1))
        shade = min(room, round(room * min(sizes.before, scale) / scale))
        eighths = round(room * min(sizes.after, scale) / scale * 8)
        full, rest = divmod(max(eighths, 1 if sizes.after else 0), 8)
        bar = "█" * full + (EIGHTHS[rest] if rest else "")
        bar = bar[:room].ljust(max(shade, 0), "░")
        end, ink, line = len(bar), self.palette.ink(f"section-{sizes.section}"), Text(no_wrap=True)
        if sizes.allocation <= scale:
            at = min(room - 1, round(room * sizes.allocation / scale))
            inside = at < end and bar[at] == "█"
            style = Style(color=CHIP_INK, bgcolor=self.palette.section(sizes.section)) if inside else self.palette.dim
            line.append(bar[:at].ljust(at), ink).append("┊", style)
            end = max(end, at + 1)
        worded = over and width > _WORDY
        line.append(bar.ljust(room)[line.cell_len : end if worded else room], ink)
        return line.append(_OVER, self.palette.ink("warning")) if worded else line


_MIN_GAUGE, _WORDY = 4, 14
"""Minimum cells of a gauge, and cells above which it shows "over" as a word."""


def _layout(rows: Sequence[_SectionSizes], half: int) -> _SectionLayout:
    """Return the most detailed layout that fits into `half` a line without cutting a number."""
    before = max(len(row.before_text) for row in rows)
    after = max(len(row.after_text) for row in rows)
    arrow = max((len(_ARROW) + len(row.after_text) + 1 for row in rows if row.differs), default=0)
    layouts = (
        _SectionLayout(_FULL_NAME, max(9, before), max(12, arrow), "unrecorded", gauge=15),
        _SectionLayout(_SHORT_NAME, max(8, before), max(8, arrow), "unrec.", gauge=6),
        _SectionLayout(_SHORT_NAME, before, max(1, arrow), gauge=_MIN_GAUGE),
        _SectionLayout(0, before + 1, max(1, arrow), gauge=_MIN_GAUGE),
        _SectionLayout(0, after + 1, 0),
    )
    return next((layout for layout in layouts if layout.cells <= half), _SectionLayout(0, 5, 0, is_short=True))


def _sizes_of(preview: Preview) -> Iterator[_SectionSizes]:
    for section in SECTIONS:
        before, after = preview.before.breakdown[section], preview.after.breakdown[section]
        is_joined = section == "tools" and preview.before.joins_tools
        recorded = before.certainty != "unrecorded" or is_joined
        yield _SectionSizes(
            section,
            preview.before.section_name(section),
            before.tokens,
            after.tokens,
            tokens.mark(before.certainty),
            recorded,
            preview.before.allocation(section),
            not preview.recorded.sizes.is_partial,
            is_joined,
        )
