"""The chosen row at the side: how it is set, with its knobs, and what it keeps by class of fact."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.compression import is_words, value_text
from inspector.experiments import TrialResult
from inspector.replay import Reported
from inspector.strategies import Knob
from inspector.text import clipped, dollars, one_line, wrapped
from inspector.ui.palette import Palette
from inspector.ui.screens.replay.progress import preset_summary
from inspector.ui.screens.tune.entries import Entry, knobs_of, value_of
from inspector.ui.widgets.kept import kept_lines
from inspector.ui.widgets.knobs import around

_NAME, _VALUE = 12, 9


class RowPanel(Widget):
    """A column. Knobs come first, for they are what the keys move."""

    entry: reactive[Entry | None] = reactive(None)
    row: reactive[TrialResult | None] = reactive(None)
    knob: reactive[int] = reactive(0)

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    def render(self) -> Text:
        if self.entry is None:
            return Text()
        lines = list(self.lines(self.entry))
        if self.row is not None and self.row.retention:
            room = self.size.height - len(lines) - 1
            lines += [Text(), *kept_lines(self.row.retention, self.size.width - 1, self.palette, room)]
        return Text("\n", no_wrap=True).join(lines)

    def lines(self, entry: Entry) -> Iterator[Text]:
        palette, width = self.palette, self.size.width - 1
        heading = Text.assemble((clipped(one_line(entry.preset.name), width - 10), palette.strong), no_wrap=True)
        heading.append("  changed" if entry.changed else "", palette.ink("warning"))
        yield heading
        if not entry.simulated:
            yield Text(clipped(preset_summary(entry.preset), width), palette.dim)
        yield from self.knob_lines(entry)
        row = self.row
        if row is not None and row.reported is not None:
            yield from self.reported_lines(row.reported)
        if row is not None and row.gave_up:
            yield Text()
            yield from (Text(line, palette.ink("warning")) for line in wrapped(one_line(row.gave_up), width))

    def reported_lines(self, told: Reported) -> Iterator[Text]:
        """What the provider reported of the recorded calls."""
        every = f"{told.calls:,}" if not told.unreported else f"{told.calls:,} of {told.calls + told.unreported:,}"
        numbers = ((every, "calls"), (f"{told.sent:,}", "tokens sent"), (f"{told.cache_read:,}", "from the cache"))
        yield Text()
        yield Text("as the provider reported", self.palette.dim)
        for number, what in (*numbers, (f"{told.answered:,}", "answered"), (dollars(told.cost), "at this price")):
            yield Text.assemble((f"{number:>13} ", self.palette.strong), (what, self.palette.dim), no_wrap=True)

    def knob_lines(self, entry: Entry) -> Iterator[Text]:
        """The knobs, or as many around the chosen one as there is room for."""
        knobs = knobs_of(entry.preset)
        if not knobs:
            return
        chosen = self.knob % len(knobs)
        first, last = around(chosen, [1] * len(knobs), max(2, min(8, self.size.height // 2)))
        for number in range(first, last):
            yield self.knob_line(entry, knobs[number], number == chosen)
        if left := len(knobs) - (last - first):
            yield Text(f"… {left} more, tab goes through them", self.palette.faint)

    def knob_line(self, entry: Entry, knob: Knob, chosen: bool) -> Text:
        palette = self.palette
        ink = palette.strong if chosen else palette.ink()
        arrow = palette.ink("primary", bold=True) if chosen else palette.faint
        value = value_of(entry.preset, knob)
        line = Text(f"{clipped(knob.name, _NAME):<{_NAME}} ", ink, no_wrap=True)
        room = self.size.width - _NAME - 4
        if is_words(knob) or knob.choices:
            line.append("◂ " if knob.choices else "", arrow)
            line.append(clipped(one_line(str(value)) or "none", room - 4), ink)
            line.append(" ▸" if knob.choices else " t" if chosen else "", arrow)
            return line
        line.append("◂", arrow)
        line.append(value_text(value).center(_VALUE), ink)
        line.append("▸ ", arrow)
        if (space := self.size.width - line.cell_len - 2) > 4 and knob.high > knob.low:
            line.append_text(self.slider(knob, value, space, chosen))
        return line

    def slider(self, knob: Knob, value: float, room: int, chosen: bool) -> Text:
        """Where the value stands; wide ranges are drawn up to what matters on this session."""
        high = min(knob.high, max(value * 1.25, self.reach(knob))) if knob.high > 1 else knob.high
        at = min(room - 1, max(0, round((room - 1) * (value - knob.low) / max(high - knob.low, 1e-9))))
        line = Text("━" * at, self.palette.ink("primary" if chosen else "ink-faint"), no_wrap=True)
        line.append("●", self.palette.strong if chosen else self.palette.dim)
        line.append("─" * (room - 1 - at), self.palette.ink("line"))
        return line

    def reach(self, knob: Knob) -> float:
        if knob.name == "threshold" or "tokens" in knob.name:
            return max(self.row.peak if self.row else 0, 100_000)
        return 100
