"""Screen 4: presets as rows on this session, the best row with the reasons, and knobs to improve a preset."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.experiments import USUAL
from inspector.core.text import one_line
from inspector.engine.facts import Weights
from inspector.ui import dialogs
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.choice_dialog import ValueScreen
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.dialogs.save_preset import SavePreset
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.messages import ReplayPreset
from inspector.ui.room import list_lines, set_height
from inspector.ui.screens.compare.comparison import CompareSide, two_presets
from inspector.ui.screens.compare.screen import CompareScreen
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.screens.tune.controller import TuneController, TuneState
from inspector.ui.screens.tune.panels import PresetHeads, RowList, RowPanel, points, verdict_text
from inspector.ui.screens.tune.preset_export_dialog import ExportPreset
from inspector.ui.screens.tune.preset_rows import PresetRow, trial_of, value_of
from inspector.ui.screens.tune.row_keys import offered_keys
from inspector.ui.screens.tune.sweep_dialog import SweepDialog
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.pareto import Pareto
from inspector.ui.widgets.title import TitleLine
from inspector.ui.workers.jobs import ScreenJobs


class Tune(StateScreen[TuneState]):
    """Draws the state of a `TuneController` and forwards keys and clicks to it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("tune")
    AUTO_FOCUS = "#rows"

    controller: TuneController
    state: reactive[TuneState] = reactive(TuneState, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.rows = RowList(id="rows")
        changed = self.set_state
        self.controller = TuneController(ScreenJobs(self), self, changed, self.number_at_cursor)

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield Static(id="verdict", markup=False)
        yield PresetHeads(id="row-columns", classes="heads", markup=False)
        yield self.rows
        with Horizontal(id="below"):
            yield Pareto(id="pareto")
            yield RowPanel(id="panel")
        yield KeyBar(offered_keys(self.state, None), id="keys")

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """Apply new weights if the displayed session is among `sessions`, which are session IDs."""
        if self.state.context.bench.session.id in sessions:
            self.controller.set_weights(weights)

    @property
    def current(self) -> PresetRow | None:
        return self.rows.current

    def number_at_cursor(self) -> int:
        return self.current.number if self.current else -1

    # drawing

    def watch_state(self, before: TuneState, after: TuneState) -> None:
        """Draw the differences between two states."""
        self.head.busy = after.busy
        if after.table is not before.table:
            self.show_table(after)
        if after.mark_place != before.mark_place:
            self.rows.mark = after.mark
            self.rows.renew()
        self.query_one(RowPanel).knob = after.knob
        self.show_keys()

    def show_table(self, state: TuneState) -> None:
        rows, best = self.rows, state.table.best
        number = rows.current.number if rows.current and (rows.in_hand or best is None) else best
        rows.order = state.order
        rows.show(state.table, number if number is not None else -1)
        head, palette = self.head, self.palette
        head.session, head.agent = state.context.bench.session, state.context.agent
        own = Text("custom weights" if state.weights != USUAL else "", palette.ink("warning"))
        head.status = (own, Text(f"{len(state.table.rows):,} rows", palette.dim))
        self.query_one(Pareto).points = points(state.table)
        self.show_current()
        self.make_room()

    @on(LineList.Moved, "#rows")
    def show_current(self) -> None:
        row, panel = self.current, self.query_one(RowPanel)
        panel.scale = self.state.context.scale
        panel.row = row
        panel.is_judged = self.state.table.has_facts
        panel.result = self.state.table.results.get(row.number) if row else None
        self.query_one(Pareto).current = one_line(row.name) if row else ""
        self.show_keys()

    def show_keys(self) -> None:
        self.query_one(KeyBar).keys = offered_keys(self.state, self.current)

    def make_room(self) -> None:
        """Size the table to its rows, up to two fifths of the screen if there is a panel below it."""
        rows, palette = self.rows, self.palette
        if self.query_one("#below").display:
            set_height(rows, list_lines(rows.count, self.size.height, max(3, self.size.height * 3 // 5)))
        else:
            rows.styles.height = "1fr"
        line = Text(no_wrap=True)
        room = rows.room(rows.size.width or self.size.width)
        for text, here in room.heading(self.state.worst):
            line.append(text, palette.ink("primary") if here else palette.dim)
        heads = self.query_one(PresetHeads)
        heads.room = room
        heads.update(line)
        self.query_one(RowPanel).room = room
        self.query_one("#verdict", Static).update(verdict_text(self.state, self.size.width - 2, palette))

    # keys

    def action_sort(self) -> None:
        self.controller.sort_by_next()

    @on(PresetHeads.HeadClicked)
    def sort_by_clicked(self, event: PresetHeads.HeadClicked) -> None:
        self.controller.sort_by(event.column)

    def action_turn_order(self) -> None:
        self.controller.reverse()

    def action_knob(self, step: int) -> None:
        self.controller.choose_knob(self.current, step)

    def action_turn_knob(self, steps: int) -> None:
        self.rows.in_hand = self.rows.in_hand or (self.current is not None and self.current.is_simulation)
        if self.controller.turn_knob(self.current, steps):
            self.action_write_knob()

    @on(RowPanel.KnobClicked)
    def turn_clicked_knob(self, event: RowPanel.KnobClicked) -> None:
        self.controller.choose_knob(self.current, event.knob - self.state.knob)
        if event.steps:
            self.action_turn_knob(event.steps)

    def action_write_knob(self) -> None:
        row = self.current
        knob = self.controller.knob_of(row)
        if row is not None and knob is not None:
            self.rows.in_hand = True
            value = value_of(row.preset, knob, self.state.context.scale)
            self.app.push_screen(ValueScreen(knob, value), partial(self.controller.set_knob, row, knob))

    def action_undo(self, is_redo: bool = False) -> None:
        self.controller.undo(self.current, is_redo)

    @on(LineList.Opened, "#rows")
    def action_open(self) -> None:
        if self.current is not None:
            self.post_message(ReplayPreset(self.current.preset))

    def action_mark(self) -> None:
        """Mark or unmark the row, or compare it with another marked row."""
        if self.current is not None and not self.controller.mark(self.current):
            self.action_compare()

    def action_compare(self) -> None:
        """Compare the row with the marked one, shown on the left, or with the recording if no other row is marked."""
        current = self.current
        partner = self.controller.partner(current) if current else None
        if current is not None and partner is not None:
            context = self.state.context
            sides = (CompareSide(row.name, context.bench, context.agent, row.preset) for row in (partner, current))
            self.app.push_screen(CompareScreen(two_presets(*sides), "tune", self.state.weights))

    def action_agent(self, step: int) -> None:
        self.controller.go_to_agent(step)

    def action_weights(self) -> None:
        if self.controller.is_open:
            context = (self.state.context.bench, self.state.context.agent)
            self.app.push_screen(WeightsScreen((context,), self.state.weights, self.effect))

    def effect(self, weights: Weights) -> str:
        return self.controller.effect(weights, self.current)

    def action_save(self) -> None:
        if (preset := self.controller.preset_to_keep(self.current)) is not None:
            self.app.push_screen(
                SavePreset(trial_of(preset, self.state.context.scale)), lambda _: self.controller.read_presets()
            )

    def action_export(self) -> None:
        if (preset := self.controller.preset_to_keep(self.current)) is not None:
            self.app.push_screen(ExportPreset(preset, self.state.context.scale))

    def action_sweep(self) -> None:
        row = self.current
        if self.controller.may_sweep(row) and row is not None:
            dialog = SweepDialog(row.preset, self.controller.worker.seconds)
            self.app.push_screen(dialog, self.controller.start_sweep)

    async def action_over_sessions(self) -> None:
        """Compare the presets over the sessions that the library lists."""
        await self.run_action("app.mode('sessions')")
        await self.app.run_action("over_sessions", self.app.screen)

    def action_questions(self) -> None:
        """List the questions that an agent must answer to go on after each compression of the row."""
        row, context, questions = self.current, self.state.context, self.controller.questions
        if context.bench.sizes.is_partial or not self.controller.is_open:
            self.notify("Still counting messages …")
        elif row is not None:
            dialog = QuestionsScreen(context.bench.session, (), "replaying …")
            self.app.push_screen(dialog, lambda _: questions.give_up())
            questions.start(context, row.preset, dialog.show_questions)

    def action_ask(self) -> None:
        """Ask a model under the presets of the rows."""
        state = self.state
        if state.context.bench.sizes.is_partial or not self.controller.is_open:
            self.notify("Still counting messages …")
            return
        presets = [row.preset for row in state.table.rows if row.is_simulation and not row.is_of_sweep]
        screen = dialogs.steps_screen(self.app, state.context.bench, state.context.agent, presets)
        self.app.push_screen(screen, partial(self.controller.set_steps, presets))

    def action_clear(self) -> None:
        self.controller.clear_sweep()

    async def action_back(self) -> None:
        if not self.controller.back():
            await self.run_action("app.mode('inspect')")
