"""The parts of Tune: the table, the chart with the selected row next to it, the verdict, and the offered keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.experiments import RULE, TrialResult
from inspector.analysis.replay import ReportedUsage, describe_rereads
from inspector.core.text import HASTY, clipped, dollars, one_line, plural, wrapped
from inspector.engine.compression import (
    Scale,
    fit_notice,
    is_free_text,
    resolve_threshold,
    threshold_text,
    thresholds_of,
    value_text,
)
from inspector.engine.strategies import Knob
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import with_keys
from inspector.ui.palette import Palette, ThemePalette
from inspector.ui.preset_columns import ColumnRoom, cell
from inspector.ui.screens.replay.progress import preset_summary
from inspector.ui.screens.tune.controller import TuneState
from inspector.ui.screens.tune.preset_rows import PresetRow, Table, knobs_of, value_of
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.knob_panel import around
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.pareto import BEST, Point
from inspector.ui.widgets.retention_bars import retention_lines
from inspector.ui.widgets.verdict_line import accented

_NAME, _VALUE = 12, 9
_MAX_NAMED = 12
"""Maximum number of rows for which all points of the chart have names."""
_STATEMENT = 80
"""Characters of an invented statement that the panel shows."""
_MARKED = "▸"
"""Symbol in front of the row that others are compared with."""


class PresetHeads(Static):
    """The names of the columns. A click sorts by a column."""

    room: ColumnRoom = ColumnRoom()

    @dataclass
    class HeadClicked(Message):
        """The head of a column was clicked."""

        column: str

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.HeadClicked(self.room.column_at(event.x)))


class RowList(LineList):
    """One preset per line."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list_ends"), *bindings("opening_list")]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.table = Table()
        self.mark = -1
        """Number of the row that others are compared with; -1 for none."""
        self.in_hand = False
        """True if the user has moved the cursor."""
        self.longest = 0
        """Cells of the longest name."""
        self.order = ""
        """Column that the rows are sorted by."""

    @property
    def count(self) -> int:
        return len(self.table.rows)

    @property
    def current(self) -> PresetRow | None:
        return self.table.rows[self.cursor] if 0 <= self.cursor < self.count else None

    def by_hand(self) -> None:
        self.in_hand = True

    def show(self, table: Table, number: int) -> None:
        """Show other rows, with the cursor on the row with the given number."""
        self.table = table
        names = (_shown_name(row, table.results.get(row.number)) for row in table.rows)
        self.longest = max(map(cell_len, names), default=0) + 1
        self.renew()
        self.cursor = table.place(number)

    def room(self, width: int) -> ColumnRoom:
        """Return the columns that fit a number of cells."""
        return ColumnRoom(width, self.longest, self.table.is_asked, self.order)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row = self.table.rows[line]
        result = self.table.results.get(row.number)
        palette, best, room = self.palette, self.table.is_best(row), self.room(width).names
        ink = palette.ink("success", bold=True) if best else palette.strong if row.is_simulation else palette.ink()
        spans: list[Span] = [
            (_MARKED if row.number == self.mark else " ", palette.ink("primary", bold=True)),
            (f"{result.sign(result if best else None) if result else ' '} ", _sign_ink(result, best, palette)),
            (set_cell_size(clipped(_fitting_name(row, result, room), room), room), ink),
        ]
        if row.failure:
            return [*spans, (f"  {one_line(row.failure)}", palette.ink("error"))]
        if result is None:
            return [*spans, ("  …", palette.faint)]
        return spans + self.result_spans(row, result, width)

    def result_spans(self, row: PresetRow, result: TrialResult, width: int) -> list[Span]:
        """Return the columns of a result, with a bar of retained facts if there is room.

        Args:
            row: Row of the result. If it is stale, the result is dimmed, because it belongs to other settings.
            result: Result to draw.
            width: Cells of the line.
        """
        plain, room = self.palette.faint if row.stale else self.palette.ink(), self.room(width)
        spans: list[Span] = []
        for column, cells, _ in room.columns:
            text, colour = cell(column, result, self.table.has_facts, row.steps)
            spans.append((f"{text:>{cells}}", self.palette.ink(colour) if colour and not row.stale else plain))
        return spans + room.kept_bar(result, self.palette)


def _shown_name(row: PresetRow, result: TrialResult | None) -> str:
    """Return the name of a row, with the basis of its cost unless that is simulated."""
    return one_line(row.name) + (f", {result.basis}" if result and result.basis != "simulated" else "")


def _fitting_name(row: PresetRow, result: TrialResult | None, room: int) -> str:
    """Return the name of a row with the basis of its cost, or without it if there is too little room."""
    name = _shown_name(row, result)
    return name if cell_len(name) <= room else one_line(row.name)


def _sign_ink(result: TrialResult | None, best: bool, palette: Palette) -> Style:
    colour = "success" if best else "error" if result and not result.sendable else "ink-muted"
    colour = "warning" if result and result.is_discouraged and result.sendable else colour
    return palette.ink(colour, bold=best)


class RowPanel(Drawing):
    """The selected row as a column. Its knobs come first, because the keys turn them."""

    row: reactive[PresetRow | None] = reactive(None)
    result: reactive[TrialResult | None] = reactive(None)
    knob: reactive[int] = reactive(0)
    scale: reactive[Scale] = reactive(Scale(0, 0))
    """Sizes that thresholds are relative to."""
    room: reactive[ColumnRoom] = reactive(ColumnRoom())
    """Columns of the table, whose hidden ones are shown here."""
    is_judged: reactive[bool] = reactive(False)
    """True if facts were evaluated."""

    @dataclass
    class KnobClicked(Message):
        """A click on a knob: on an arrow next to its value, or between them if `steps` is 0."""

        knob: int
        steps: int

    palette = ThemePalette()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if self.row is None or place is None:
            return
        first, last = self.shown_knobs(self.row)
        number = first + place.y - (1 if self.row.is_simulation else 2)
        if first <= number < last:
            line = self.knob_line(self.row, knobs_of(self.row.preset)[number], False).plain
            arrows = ((line.find("◂"), -1), (line.find("▸"), 1))
            self.post_message(
                self.KnobClicked(number, sum(step for at, step in arrows if at >= 0 and abs(at - place.x) < 2))
            )

    def render(self) -> Text:
        if self.row is None:
            return Text()
        lines = list(self.lines(self.row))
        if self.result is not None and self.result.retention:
            room = self.size.height - len(lines) - 1
            lines += [Text(), *retention_lines(self.result.retention, self.size.width - 1, self.palette, room)]
        height = self.size.height
        if any(line.plain for line in lines[height:]) and lines[height - 1].plain:
            lines[height - 1].truncate(self.size.width - 3)
            lines[height - 1].append(" …")
        return Text("\n", no_wrap=True).join(lines)

    def lines(self, row: PresetRow) -> Iterator[Text]:
        palette, width = self.palette, self.size.width - 1
        heading = Text.assemble((clipped(one_line(row.preset.name), width - 10), palette.strong), no_wrap=True)
        heading.append("  changed" if row.is_changed else "", palette.ink("warning"))
        yield heading
        if not row.is_simulation:
            yield Text(clipped(preset_summary(row.preset), width), palette.dim)
        yield from self.knob_lines(row)
        result = self.result
        if result is not None and (hidden := self.room.describe_hidden(result, self.is_judged)):
            words = with_keys("hidden ({sort}): {hidden}", hidden=hidden)
            yield from (Text(line, palette.dim) for line in wrapped(words, width))
        if result is not None and result.reported is not None:
            yield from self.reported_lines(result.reported, result)
        for sentence, style in self.sentences(result) if result is not None else ():
            yield Text()
            yield from (Text(line, style) for line in wrapped(sentence, width))

    def sentences(self, result: TrialResult) -> Iterator[tuple[str, Style]]:
        """Yield sentences about a result that its numbers do not show, with their styles."""
        if result.rereads is not None:
            yield describe_rereads(result.rereads), self.palette.dim
        if result.state.words and "state kept" not in self.room.hidden:
            yield f"{result.state.words}.", self.palette.dim
        if result.statements:
            first = clipped(result.statements[0].statement, _STATEMENT)
            words = with_keys("“{first}” is {fate} ({lost}: all)", first=first, fate=result.statements[0].fate)
            yield words, self.palette.ink("error")
        if result.haste:
            count = f"{result.hasty:,} of {plural(result.compressions, 'compression')}"
            words = f"{HASTY} {count} removed content right after it was read; regrets do not capture this."
            yield words, self.palette.ink("warning")
        if result.recorded_so:
            yield "Recorded with problems that a request repairs.", self.palette.dim
        elif result.fits and not result.sendable:
            yield "The provider would reject a window after compression.", self.palette.ink("error")
        if result.gave_up:
            yield one_line(result.gave_up), self.palette.ink("warning")

    def reported_lines(self, reported: ReportedUsage, result: TrialResult) -> Iterator[Text]:
        """Yield the usage that the provider reported, and the cost if it were simulated as in other rows."""
        calls, others = reported.calls, reported.unreported
        numbers = (
            (f"{calls:,} of {calls + others:,}" if others else f"{calls:,}", "calls"),
            (f"{reported.sent:,}", "tokens sent"),
            (f"{reported.cache_read:,}", "from the cache"),
            (f"{reported.answered:,}", "answered"),
            (dollars(reported.cost), "at list price" if len(reported.by_model) < 2 else "each model at its price"),
            *((f"≈{dollars(part)}", f"for {name}") for name, part in result.parts.estimates().items()),
            (dollars(result.simulated), "simulated"),
        )
        yield Text()
        yield Text("as the provider reported", self.palette.dim)
        for number, what in numbers:
            yield Text.assemble((f"{number:>13} ", self.palette.strong), (what, self.palette.dim), no_wrap=True)

    def knob_lines(self, row: PresetRow) -> Iterator[Text]:
        """Yield the knobs, or as many around the selected one as fit."""
        knobs, (first, last) = knobs_of(row.preset), self.shown_knobs(row)
        for number in range(first, last):
            yield self.knob_line(row, knobs[number], number == self.knob % len(knobs))
        if rest := len(knobs) - (last - first):
            yield Text(with_keys("… {rest} more ({next_setting})", rest=rest), self.palette.faint)

    def shown_knobs(self, row: PresetRow) -> tuple[int, int]:
        """Return the index of the first visible knob, and the one after the last."""
        count = len(knobs_of(row.preset))
        return around(self.knob % count, [1] * count, max(2, min(8, self.size.height // 2))) if count else (0, 0)

    def knob_line(self, row: PresetRow, knob: Knob, active: bool) -> Text:
        """Return a knob as a line with its value.

        Args:
            row: Row of the knob.
            knob: Knob to draw.
            active: True if the keys turn this knob.
        """
        palette = self.palette
        ink = palette.strong if active else palette.ink()
        arrow = palette.ink("primary", bold=True) if active else palette.faint
        value = value_of(row.preset, knob, self.scale)
        line = Text(f"{clipped(knob.name, _NAME):<{_NAME}} ", ink, no_wrap=True)
        room = self.size.width - _NAME - 4
        if is_free_text(knob) or knob.choices:
            line.append("◂ " if knob.choices else "", arrow)
            line.append(clipped(one_line(str(value)) or "none", room - 4), ink)
            line.append(" ▸" if knob.choices else " t" if active else "", arrow)
            return line
        line.append("◂", arrow)
        text, number = self.reading(knob, value)
        line.append(text.center(_VALUE), ink)
        line.append("▸ ", arrow)
        if (space := self.size.width - line.cell_len - 2) > 4 and knob.high > knob.low:
            line.append_text(self.slider(knob, number, space, active))
        return line

    def reading(self, knob: Knob, value: Any) -> tuple[str, float]:
        """Return a value as text, and as the number that it is for this session."""
        if knob.name == "threshold":
            return threshold_text(value), resolve_threshold(value, self.scale)
        return value_text(value), value

    def slider(self, knob: Knob, value: float, room: int, active: bool) -> Text:
        """Return a value as a slider. Wide ranges end at the largest value that matters for this session.

        Args:
            knob: Knob with the bounds.
            value: Value to draw.
            room: Cells of the slider.
            active: True if the keys turn this knob.
        """
        high = min(knob.high, max(value * 1.25, self.reach(knob))) if knob.high > 1 else knob.high
        at = min(room - 1, max(0, round((room - 1) * (value - knob.low) / max(high - knob.low, 1e-9))))
        line = Text("━" * at, self.palette.ink("primary" if active else "ink-faint"), no_wrap=True)
        line.append("●", self.palette.strong if active else self.palette.dim)
        line.append("─" * (room - 1 - at), self.palette.ink("line"))
        return line

    def reach(self, knob: Knob) -> float:
        if knob.name == "threshold" or "tokens" in knob.name:
            return max(self.result.peak if self.result else 0, 100_000)
        return 100


def points(table: Table) -> tuple[Point, ...]:
    """Return the rows as points of the chart. With many rows, points of sweeps have no names."""
    many = len(table.rows) > _MAX_NAMED
    return tuple(
        Point(
            clipped(one_line(row.name), 24),
            result.tokens_sent,
            result.retained,
            result.pareto,
            table.is_best(row),
            result.sendable,
            not many or not row.is_of_sweep,
        )
        for row in table.rows
        if (result := table.results.get(row.number))
    )


def verdict_text(state: TuneState, width: int, palette: Palette) -> Text:
    """Return the best row with the reasons, and below it the arguments for another one.

    Args:
        state: State of Tune.
        width: Cells to wrap to.
        palette: Colours of the current theme.
    """
    verdict = state.table.verdict
    if state.table.stale > 1 and not state.is_sorted:
        return Text(" …", palette.faint)
    lines = wrapped(one_line(f"{BEST + ' ' if verdict.is_clear else ''}{verdict.why}"), width)
    ink = palette.ink("success", bold=True) if verdict.is_clear else palette.strong
    text = accented(Text("\n".join(f" {line}" for line in lines), ink), ink)
    idle = "Lower a threshold with - to see the effect of compression." if state.table.idle else ""
    second = verdict.but or (f"The rule: {RULE}." if verdict.best else idle)
    for line in wrapped(one_line(second), width):
        text.append(f"\n {line}", palette.dim)
    for line in wrapped(state.table.steps_notice, width):
        text.append(f"\n {line}", palette.dim)
    for line in wrapped(fit_notice(state.context.scale, thresholds_of(state.table.documented)), width):
        text.append(f"\n {line}", palette.ink("warning"))
    return text
