"""Screen 4: presets as rows on this session, which of them is best here and why, and knobs to make a better one."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from inspector.compression import Preset, is_words
from inspector.experiments import RULE, USUAL, TrialResult, reweigh_result
from inspector.facts import Weights
from inspector.replay import RECORDED
from inspector.strategies import Knob
from inspector.text import clipped, one_line, wrapped
from inspector.ui.columns import heading
from inspector.ui.dialogs.picker import all_presets
from inspector.ui.dialogs.save_preset import SavePreset
from inspector.ui.dialogs.value import ValueScreen
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.messages import ReplayPreset
from inspector.ui.palette import Palette
from inspector.ui.screens.compare.comparison import CompareSide, two_presets
from inspector.ui.screens.compare.screen import CompareScreen
from inspector.ui.screens.navigation import AGENT_KEY, KNOB_KEYS, next_agent
from inspector.ui.screens.tune.entries import SORTS, Entry, Table, knobs_of, trial_of, value_of
from inspector.ui.screens.tune.exporting import ExportPreset
from inspector.ui.screens.tune.panel import RowPanel
from inspector.ui.screens.tune.sweeping import Sweeping
from inspector.ui.screens.tune.table import RowList
from inspector.ui.widgets.head import Head
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.pareto import BEST, Pareto, Point
from inspector.ui.widgets.title import Busy

MOST_NAMED = 12
"""Rows up to which all points carry their names."""


class Tune(Sweeping):
    """The table of one session. `open` says of which."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort(1)", "Sort by the next column"),
        Binding("S", "turn_order", "Sort the other way round"),
        *KNOB_KEYS,
        Binding("u", "undo", "Set the row as it was"),
        Binding("m", "mark", "Mark the row to compare others with"),
        Binding("c", "compare", "Compare the row with the marked one, or with what was recorded"),
        Binding("f", "weights", "Weigh the classes of facts"),
        AGENT_KEY,
        Binding("enter", "open", "Replay the row's preset"),
        Binding("w", "save", "Keep the row as a preset"),
        Binding("e", "export", "Export the row's preset for another framework"),
        Binding("escape", "back", "Stop a sweep, or back to Inspect"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  declared so by Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-tall")]  # noqa: RUF012  declared so by Textual
    AUTO_FOCUS = "#rows"

    def __init__(self) -> None:
        super().__init__()
        self.knob = 0

    def compose(self) -> ComposeResult:
        yield Head(id="head")
        yield Static(id="verdict", markup=False)
        yield Static(id="row-columns", markup=False)
        yield RowList(id="rows")
        with Horizontal(id="below"):
            yield Pareto(id="pareto")
            yield RowPanel(id="panel")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    # what follows from a change

    @property
    def chosen(self) -> Entry | None:
        return self.query_one(RowList).current

    def watch_table(self, table: Table) -> None:
        rows = self.query_one(RowList)
        best = next((entry.number for entry in table.entries if table.is_best(entry)), None)
        if best is None and not rows.in_hand and table.idle:
            best = next((entry.number for entry in table.entries if entry.preset.enabled), None)
        held = rows.current.number if rows.current and (rows.in_hand or best is None) else best
        rows.show(table, held if held is not None else -1)
        self.show_head()
        pareto = self.query_one(Pareto)
        pareto.points = points(table)
        self.show_chosen()
        self.make_room()

    def show_head(self) -> None:
        head, palette = self.query_one(Head), Palette(self.app.theme_variables)
        head.session, head.agent = self.desk.bench.session, self.desk.agent
        told = Text("own weights   " if self.weights != USUAL else "", palette.ink("warning"))
        head.told = told.append(f"{len(self.table.entries):,} rows", palette.dim)

    @on(LineList.Moved, "#rows")
    def show_chosen(self) -> None:
        chosen = self.chosen
        panel = self.query_one(RowPanel)
        panel.entry = chosen
        panel.row = self.table.marked.get(chosen.number) if chosen else None
        self.query_one(Pareto).chosen = one_line(chosen.name) if chosen else ""
        self.show_keys()

    def watch_busy(self, busy: Busy | None) -> None:
        self.query_one(Head).busy = busy

    def make_room(self) -> None:
        """As many lines as there are rows, but two fifths of the screen at the most where there is something below."""
        rows = self.query_one(RowList)
        if self.query_one("#below").display:
            lines = min(max(1, rows.count), max(3, self.size.height * 2 // 5))
            if rows.styles.height is None or rows.styles.height.value != lines:
                rows.styles.height = lines
        else:
            rows.styles.height = "1fr"
        palette = Palette(self.app.theme_variables)
        line = Text(no_wrap=True)
        for text, here in heading(rows.size.width or self.size.width, self.order, self.worst):
            line.append(text, palette.ink("primary") if here else palette.dim)
        self.query_one("#row-columns", Static).update(line)
        self.query_one("#verdict", Static).update(self.judgement(palette))

    def judgement(self, palette: Palette) -> Text:
        """Which is best and why, in the first line; what speaks for another one, in the second."""
        judged, width = self.table.verdict, self.size.width - 2
        if self.table.stale > 1 and not self.sorted:
            return Text(" …", palette.faint)
        lines = wrapped(one_line(f"{BEST + ' ' if judged.best else ''}{judged.why}"), width)
        text = Text("\n".join(f" {line}" for line in lines), palette.ink("success") if judged.best else palette.ink())
        if judged.best:
            text.stylize("bold", 1, 3 + len(one_line(judged.best.name)))
        idle = "Lower a threshold with - to see what compressing would do." if self.table.idle else ""
        second = judged.but or (f"The rule: {RULE}." if judged.best else idle)
        for line in wrapped(one_line(second), width):
            text.append(f"\n {line}", palette.dim)
        return text

    def show_keys(self) -> None:
        chosen = self.chosen
        turns = chosen is not None and chosen.simulated
        keys = [
            Key("enter", "replay", "screen.open"),
            turns and Key("+-", "knob", "screen.turn_knob(1)"),
            turns and Key("tab", "next", "screen.knob(1)"),
            chosen is not None and (self.marked >= 0 or not recorded(chosen)) and Key("c", "compare", "screen.compare"),
            Key("m", "unmark" if chosen and chosen.number == self.marked else "mark", "screen.mark"),
            self.sweeping is not None and Key("esc", "stop the sweep", "screen.back"),
            turns and Key("v", "sweep", "screen.sweep"),
            self.table.judged and Key("f", "weigh", "screen.weights"),
            len(self.desk.bench.session.agents) > 1 and Key("n", "agent", "screen.agent"),
            Key("s", "sort", "screen.sort(1)"),
            chosen is not None and chosen.changed and Key("u", "undo", "screen.undo"),
            turns and Key("w", "save", "screen.save"),
            turns and Key("e", "export", "screen.export"),
            any(entry.swept for entry in self.table.entries) and Key("x", "clear sweep", "screen.clear"),
            self.sweeping is None and Key("esc", "inspect", "screen.back"),
        ]
        self.query_one(KeyBar).keys = tuple(key for key in keys if isinstance(key, Key))

    def watch_sweeping(self) -> None:
        self.show_keys()

    # keys

    def action_sort(self, step: int) -> None:
        self.order = SORTS[(SORTS.index(self.order) + step) % len(SORTS)]
        self.worst = False
        self.sorted = True
        self.put_in_order()

    def action_turn_order(self) -> None:
        self.worst = not self.worst
        self.sorted = True
        self.put_in_order()

    def knob_of(self, entry: Entry) -> Knob | None:
        knobs = knobs_of(entry.preset)
        return knobs[self.knob % len(knobs)] if knobs else None

    def action_knob(self, step: int) -> None:
        if (chosen := self.chosen) and (knobs := knobs_of(chosen.preset)):
            self.knob = (self.knob + step) % len(knobs)
            self.query_one(RowPanel).knob = self.knob

    def action_turn_knob(self, steps: int) -> None:
        chosen = self.chosen
        knob = self.knob_of(chosen) if chosen else None
        if chosen is None or knob is None:
            self.notify("This row has nothing to turn: choose one of the presets.")
        elif is_words(knob):
            self.action_write_knob()
        else:
            self.set_knob(chosen, knob, knob.moved(value_of(chosen.preset, knob), steps))

    def set_knob(self, entry: Entry, knob: Knob, value: object) -> None:
        self.query_one(RowList).in_hand = True
        preset = entry.preset.with_value(knob.name, value)
        if preset != entry.preset:
            self.turn_to(entry, preset)

    def action_write_knob(self) -> None:
        chosen = self.chosen
        knob = self.knob_of(chosen) if chosen else None
        if chosen is None or knob is None:
            self.notify("This row has nothing to turn: choose one of the presets.")
            return
        self.app.push_screen(ValueScreen(knob, value_of(chosen.preset, knob)), partial(self.take_value, chosen, knob))

    def take_value(self, entry: Entry, knob: Knob, value: object) -> None:
        if value is not None:
            self.set_knob(entry, knob, value)

    def action_undo(self) -> None:
        if (chosen := self.chosen) and chosen.changed:
            self.turn_to(chosen, chosen.origin)

    def action_open(self) -> None:
        if chosen := self.chosen:
            self.post_message(ReplayPreset(chosen.preset))

    @property
    def marked(self) -> int:
        """The number of the marked entry; -1 where none is."""
        there = self.query_one(RowList).marked
        return there if any(entry.number == there for entry in self.table.entries) else -1

    def action_mark(self) -> None:
        """Mark the row, or unmark it; where another one is marked, the pair is compared."""
        rows = self.query_one(RowList)
        chosen = self.chosen
        if chosen and rows.marked >= 0 and rows.marked != chosen.number:
            self.action_compare()
        elif chosen:
            rows.marked = -1 if rows.marked == chosen.number else chosen.number
            rows.renew()
            self.show_keys()

    def action_compare(self) -> None:
        """The row with the marked one, which stands on the left; with what was recorded where no other is marked."""
        chosen = self.chosen
        if chosen is None:
            return
        marked = self.marked if self.marked != chosen.number else -1
        others = (each for each in self.table.entries if each.number != chosen.number)
        other = next((each for each in others if (each.number == marked if marked >= 0 else recorded(each))), None)
        if other is None:
            self.notify("Mark a row with m, choose another one and press c.")
            return
        sides = (CompareSide(each.name, self.desk.bench, self.desk.agent, each.preset) for each in (other, chosen))
        self.app.push_screen(CompareScreen(two_presets(*sides), "tune", self.weights))

    def action_agent(self) -> None:
        agents = self.desk.bench.session.agents
        if self.is_open and len(agents) > 1:
            self.look_at(next_agent(agents, self.desk.agent))

    def action_weights(self) -> None:
        if self.is_open:
            spoken = (self.desk.bench, self.desk.agent)
            self.app.push_screen(WeightsScreen((spoken,), self.weights, self.effect))

    def effect(self, weights: Weights) -> str:
        """What the rows that could be sent keep under some weights, the chosen one first."""
        chosen = self.chosen
        rows = [row for row in self.table.marked.values() if row.retention and row.preset.enabled]
        rows.sort(key=lambda row: (chosen is None or row.preset != chosen.preset, -row.retained))
        shares = [
            f"{clipped(one_line(row.name), 20)} keeps {reweigh_result(row, weights).retained:.1%}" for row in rows[:3]
        ]
        return ", ".join(shares)

    def watch_weights(self) -> None:
        super().watch_weights()
        self.show_head()

    @on(LineList.Opened, "#rows")
    def open_clicked(self) -> None:
        self.action_open()

    def action_save(self) -> None:
        if (preset := self.own()) is not None:
            self.app.push_screen(SavePreset(trial_of(preset)), self.read_again)

    def read_again(self, _: object) -> None:
        """What was saved has a row of its own from now on."""
        self.reads.ask(all_presets)

    def own(self) -> Preset | None:
        """The preset of the chosen row; None, and told, where there is none to be kept."""
        chosen = self.chosen
        if chosen is None or not chosen.simulated:
            self.notify("This row is no preset: choose one of the others.")
            return None
        return chosen.preset

    def action_export(self) -> None:
        if (preset := self.own()) is not None:
            self.app.push_screen(ExportPreset(preset))

    async def action_back(self) -> None:
        if self.stop_sweep():
            self.notify("Stopped. The rows that it has found stay; x takes them out.")
        else:
            await self.run_action("app.mode('inspect')")


def recorded(entry: Entry) -> bool:
    return entry.preset == RECORDED


def points(table: Table) -> tuple[Point, ...]:
    """The rows as points; when there are many, only those carry names that nobody beats."""
    many = len(table.entries) > MOST_NAMED
    return tuple(point(entry, row, table, many) for entry in table.entries if (row := table.marked.get(entry.number)))


def point(entry: Entry, row: TrialResult, table: Table, many: bool) -> Point:
    name = clipped(one_line(entry.name), 24)
    named = not many or not entry.swept
    return Point(name, row.tokens_sent, row.retained, row.pareto, table.is_best(entry), row.sendable, named)
