"""The strategy being tried, with its knobs and their outcome; without a trial, the origin of the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive

from inspector.core.text import clipped, one_line, wrapped
from inspector.engine import compression
from inspector.ui.key_remaps import key_of, with_keys
from inspector.ui.palette import ThemePalette
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.outcome import OutcomeRow, short_outcome, stack_rows, stack_words, wide_outcome

if TYPE_CHECKING:
    from inspector.engine.compression import StrategyChoice
    from inspector.engine.strategies import Knob
    from inspector.library import LostFacts, Money, Preview
    from inspector.ui.summary_progress import GeneratedSummary, SummaryInProgress

_NAME, _VALUE = 14, 9
_MIN_LINES = 12
"""Minimum lines of the column, so that picking another strategy moves little."""
_TALL = 48
"""Terminal height in lines from which the column has room for all losses."""
_ABOUT = 2
"""Lines for the description of the strategy."""
_OUTCOME = 9
"""Lines reserved for the outcome of a plan."""


class KnobPanel(Drawing):
    """The knobs and their outcome: a column in wide terminals, one or two lines in narrow ones."""

    trial: reactive[StrategyChoice | None] = reactive(None)
    preview: reactive[Preview | None] = reactive(None, repaint=False)
    money: reactive[Money | None] = reactive(None, repaint=False)
    losses: reactive[LostFacts | None] = reactive(None, repaint=False)
    writer: reactive[str] = reactive("")
    """Name of the model that could write the summary; empty for none."""
    writing: reactive[SummaryInProgress | None] = reactive(None)
    """Running request to a model."""
    summary: reactive[GeneratedSummary | None] = reactive(None)
    """Summary on display, if a model has written it."""

    is_idle: reactive[bool] = reactive(False)
    """True if the last turn of a knob had no effect on the plan."""

    @dataclass
    class Turned(Message):
        """An arrow next to a knob was clicked."""

        knob: int
        steps: int

    palette = ThemePalette()

    @property
    def narrow(self) -> bool:
        return self.size.height <= 2

    _painted = Text()

    def watch_preview(self) -> None:
        self.repaint()

    def watch_money(self) -> None:
        self.repaint()

    def watch_losses(self) -> None:
        self.repaint()

    def repaint(self) -> None:
        """Paint the panel if it looks different now: without a trial it is the same at most turns."""
        if not self.size or self._text() != self._painted:
            self.refresh()

    def render(self) -> Text:
        self._painted = self._text()
        return self._painted

    def _text(self) -> Text:
        if self.preview is None:
            return Text()
        if self.narrow:
            return self.narrow_lines(self.trial) if self.trial else self.idle_line()
        return Text("\n", no_wrap=True).join(row.text for row in self.rows())

    def rows(self) -> list[OutcomeRow]:
        """Return the lines of the column, each with the knob that it belongs to."""
        if self.preview is None:
            return []
        if self.trial is None:
            return list(stack_rows(self.preview, self.size.width, self.palette))
        return list(self.trying_rows(self.trial, self.preview))

    def lines_for(self, trial: StrategyChoice | None) -> int:
        """Return the number of lines that the column needs for a trial, independent of its settings."""
        if trial is None:
            return len(self.rows()) + 1
        return max(_MIN_LINES, _ABOUT + len(trial.knobs) + _OUTCOME + 3)

    @property
    def column(self) -> int:
        return max(10, self.size.width - 2)

    # wide

    def trying_rows(self, trial: StrategyChoice, preview: Preview) -> Iterator[OutcomeRow]:
        yield OutcomeRow(self.heading(trial))
        about = wrapped(trial.about, self.column)
        for place in range(_ABOUT):
            yield OutcomeRow(Text(about[place] if place < len(about) else "", self.palette.dim))
        yield OutcomeRow(Text())
        yield from self.knob_rows(trial)
        if self.is_idle:
            yield OutcomeRow(Text("the last change had no effect", self.palette.ink("warning")))
        is_tall = self.app.size.height >= _TALL
        yield from wide_outcome(preview, trial, self.money, self.losses, self.column, self.palette, is_tall=is_tall)
        yield from self.model_rows(preview)

    def model_rows(self, preview: Preview) -> Iterator[OutcomeRow]:
        """Yield the state of a model's summary: running, finished, or available."""
        if self.writing:
            name = clipped(self.writing.model, self.column - 23)
            working = (f"{name} is writing   ", self.palette.ink("warning"))
            yield OutcomeRow(Text.assemble(working, self.with_key("back", ": stop")))
            yield OutcomeRow(Text(self.writing.far, self.palette.ink("warning")))
        elif self.summary:
            yield OutcomeRow(
                Text(clipped(f"✓ written by {self.summary.model}", self.column), self.palette.ink("success"))
            )
            yield OutcomeRow(Text(clipped(self.summary.took, self.column), self.palette.dim))
        elif self.writer and preview.plan is not None and preview.plan.summaries:
            price = f" for ≈{self.money.writing}" if self.money and self.money.writing else ""
            first, *rest = wrapped(f"let {self.writer} write the summary{price}", self.column - 3)
            yield OutcomeRow(self.with_key("model", f": {first}"))
            yield from (OutcomeRow(Text(f"  {row}", self.palette.dim)) for row in rest)

    def with_key(self, verb: str, what: str) -> Text:
        return Text.assemble((key_of(verb), self.palette.ink("primary", bold=True)), (what, self.palette.dim))

    def knob_rows(self, trial: StrategyChoice) -> Iterator[OutcomeRow]:
        """Yield the knobs, or as many around the selected one as fit."""
        if not trial.knobs:
            return
        room = self.size.height - _ABOUT - _OUTCOME - 3
        if len(trial.knobs) > room:
            room -= 1
        first, last = around(trial.knob, [1] * len(trial.knobs), max(1, room))
        for number in range(first, last):
            yield OutcomeRow(self.knob_line(trial, number, trial.knobs[number]), number)
        if rest := len(trial.knobs) - (last - first):
            yield OutcomeRow(Text(with_keys("… {rest} more ({next_setting})", rest=rest), self.palette.faint))
        yield OutcomeRow(Text())

    def heading(self, trial: StrategyChoice) -> Text:
        line = Text.assemble((trial.strategy, self.palette.strong), no_wrap=True)
        if trial.preset:
            change_mark = ", changed" if trial.has_changes else ""
            line.append(f"  from {one_line(trial.preset.name)}{change_mark}", self.palette.dim)
        line.truncate(self.column, overflow="ellipsis")
        return line

    def knob_line(self, trial: StrategyChoice, number: int, knob: Knob) -> Text:
        """Return a knob as a line with its value.

        Args:
            trial: Strategy being tried.
            number: Index of the knob.
            knob: Knob to draw.
        """
        active = number == trial.knob
        ink = self.palette.strong if active else self.palette.ink()
        arrow = self.palette.ink("primary", bold=True) if active else self.palette.faint
        line = Text(no_wrap=True)
        line.append(f"{knob.name:<{_NAME}} ", ink)
        if compression.is_free_text(knob):
            return self.words_line(line, str(trial.settings[knob.name]), active)
        line.append("◂", arrow)
        line.append(compression.value_text(trial.settings[knob.name]).center(_VALUE), ink)
        line.append("▸ ", arrow)
        room = self.column - line.cell_len - 2
        if room > 4 and knob.high > knob.low and not knob.choices:
            line.append_text(self.slider(knob, trial.settings[knob.name], room, active))
        return line

    def words_line(self, line: Text, value: str, active: bool) -> Text:
        """Append a setting that is typed: the beginning of its value, and its key if it is selected.

        Args:
            line: Line with the name of the knob.
            value: Value as text.
            active: True if the knob is selected.
        """
        key = key_of("type")
        hint = f"  {key}: type" if active else ""
        room = max(4, self.column - line.cell_len - len(hint))
        line.append(clipped(one_line(value) or "none", room), self.palette.ink() if value else self.palette.faint)
        line.append(hint[:2], self.palette.dim)
        line.append(hint[2 : 2 + len(key)], self.palette.ink("primary", bold=True))
        line.append(hint[2 + len(key) :], self.palette.dim)
        return line

    def slider(self, knob: Knob, value: float, room: int, active: bool) -> Text:
        """Return a value as a slider. Wide ranges end at the largest value that matters for this window.

        Args:
            knob: Knob with the bounds.
            value: Value to draw.
            room: Cells of the slider.
            active: True if the knob is selected.
        """
        high = self.reach(knob, value)
        at = min(room - 1, max(0, round((room - 1) * (value - knob.low) / max(high - knob.low, 1e-9))))
        line = Text(no_wrap=True)
        line.append("━" * at, self.palette.ink("primary" if active else "ink-faint"))
        line.append("●", self.palette.strong if active else self.palette.dim)
        line.append("─" * (room - 1 - at), self.palette.ink("line"))
        return line

    def reach(self, knob: Knob, value: float) -> float:
        if self.preview is None:
            return knob.high
        before = self.preview.before
        scale = before.total if "tokens" in knob.name else len(before.messages)
        return min(knob.high, max(value, scale)) if knob.high > 1 else knob.high

    # narrow

    def idle_line(self) -> Text:
        assert self.preview is not None
        line = Text(no_wrap=True)
        line.append(" s", self.palette.ink("primary", bold=True))
        line.append(" pick a strategy", self.palette.dim)
        if self.preview.applied:
            room = self.size.width - line.cell_len - 4
            line.append(f"   {stack_words(self.preview.applied, room)}", self.palette.ink("section-memory"))
        for problem in self.preview.session.problems[:1]:
            room = max(0, self.size.width - line.cell_len - 4)
            line.append(f"   {clipped(one_line(str(problem)), room)}", self.palette.ink("warning"))
        return line

    def narrow_lines(self, trial: StrategyChoice) -> Text:
        """Return the line of the strategy, and below it the losses by class if there is room."""
        line = self.trying_line(trial)
        line.truncate(self.size.width, overflow="ellipsis")
        losses = self.losses
        if self.size.height > 1 and losses is not None and losses.preview is self.preview and losses.counts:
            line.append("\n")
            room = self.size.width - 2
            words = losses.words if cell_len(losses.words) <= room else losses.words.partition("; ")[0]
            line.append(f" {clipped(words, room)}", self.palette.ink("warning"))
        return line

    def trying_line(self, trial: StrategyChoice) -> Text:
        """Return the name, as many knobs around the selected one as fit, and the outcome."""
        assert self.preview is not None
        losses = self.losses if self.size.height == 1 else None
        outcome = self.short_writing() or short_outcome(self.preview, losses, self.size.width, self.palette)
        if self.is_idle and not self.writing:
            outcome = Text.assemble(("as before: ", self.palette.ink("warning")), outcome)
        if self.summary:
            outcome.append("  ✓ by model", self.palette.ink("success"))
        line = Text.assemble((f" {trial.strategy}", self.palette.strong), no_wrap=True)
        texts = [self.short_knob(trial, number, knob) for number, knob in enumerate(trial.knobs)]
        room = self.size.width - line.cell_len - outcome.cell_len - 3
        first, last = around(trial.knob, [text.cell_len for text in texts], room - 4)
        if first:
            line.append("  …", self.palette.faint)
        for text in texts[first:last]:
            line.append_text(text)
        if last < len(texts):
            line.append("  …", self.palette.faint)
        gap = max(2, min(4, self.size.width - line.cell_len - outcome.cell_len - 1))
        line.append(" " * gap)
        line.append_text(outcome)
        return line

    def short_writing(self) -> Text | None:
        """Return the progress of a model's summary, to show in place of the outcome."""
        if not self.writing:
            return None
        line = Text.assemble((f"writing {self.writing.far}  ", self.palette.ink("warning")))
        return line.append_text(self.with_key("back", ""))

    def short_knob(self, trial: StrategyChoice, number: int, knob: Knob) -> Text:
        """Return a knob in its short form for a line with others.

        Args:
            trial: Strategy being tried.
            number: Index of the knob.
            knob: Knob to draw.
        """
        active = number == trial.knob
        arrow = self.palette.ink("primary", bold=True) if active else self.palette.faint
        ink = self.palette.strong if active else self.palette.ink()
        value = trial.settings[knob.name]
        name = self.palette.ink() if active else self.palette.dim
        line = Text.assemble((f"  {knob.name} ", name), no_wrap=True)
        if compression.is_free_text(knob):
            line.append(clipped(one_line(str(value)) or "none", 16), ink)
            if active:
                line.append(" t", arrow)
        else:
            line.append("◂", arrow)
            line.append(f" {compression.value_text(value)} ", ink)
            line.append("▸", arrow)
        return line

    def on_click(self, event: events.Click) -> None:
        rows = self.rows()
        if self.trial is None or self.narrow or not 0 <= event.y < len(rows):
            return
        knob = rows[event.y].knob
        if knob is not None:
            steps = -1 if event.x <= _NAME + 2 else 1 if _NAME + _VALUE < event.x <= _NAME + _VALUE + 3 else 0
            self.post_message(self.Turned(knob, steps))


def around(centre: int, widths: list[int], room: int) -> tuple[int, int]:
    """Return the range of items that fit, always including the item at `centre`.

    Args:
        centre: Index of an item.
        widths: Widths of the items.
        room: Width for all of them.

    Returns:
        The index of the first item, and the one after the last.
    """
    first, last = centre, min(centre + 1, len(widths))
    used = sum(widths[first:last])
    while True:
        if last < len(widths) and used + widths[last] <= room:
            used += widths[last]
            last += 1
        elif first > 0 and used + widths[first - 1] <= room:
            first -= 1
            used += widths[first]
        else:
            return first, last
