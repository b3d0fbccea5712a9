"""Two presets on one session, or two sessions, side by side: their differences at each turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.asking import ITSELF, SameSteps
from inspector.analysis.experiments import USUAL
from inspector.analysis.replay import NONE
from inspector.core.text import one_line
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.ui import dialogs
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.message_reader import Reader, facts_in
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.room import list_lines, set_height
from inspector.ui.screens.compare.comparison import ComparisonView, OpenSides
from inspector.ui.screens.compare.controller import CompareController, CompareState
from inspector.ui.screens.compare.differences import TurnDifferences
from inspector.ui.screens.compare.panels import (
    INKS,
    KeptList,
    LaneList,
    difference_line,
    first_difference,
    item_counts,
    middle,
    place_text,
    side_name,
    totals_table,
    turn_events,
)
from inspector.ui.screens.navigation import TurnKeys
from inspector.ui.screens.replay.frame_window import FrameWindow
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import TitleLine
from inspector.ui.workers.jobs import ScreenJobs

PANES = ("lanes", "lanes", "kept-left", "kept-right")
"""Panes in tab order: the left and right lanes, and the items of each side."""
_WHICH = ("left", "right")
_MIN_NAME = 16
"""Minimum cells for the name of a side over its list."""


class CompareScreen(Overlay[None], TurnKeys, StateScreen[CompareState]):
    """Draws the state of a `CompareController` and forwards keys and clicks to it. Changes nothing in the sessions."""

    help_page: ClassVar[str] = "Compare"
    """Section of the help that is shown first."""
    BINDINGS: ClassVar[list[BindingType]] = bindings("compare")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#lanes"

    controller: CompareController
    state: reactive[CompareState] = reactive(CompareState, init=False, repaint=False)
    pane: reactive[int] = reactive(0, init=False, repaint=False)

    def __init__(self, open_sides: OpenSides, above: str, weights: Weights = USUAL) -> None:
        """Create a comparison.

        Args:
            open_sides: Returns both sides, in a thread.
            above: Name of the screen that `esc` returns to.
            weights: Weights of the fact classes.
        """
        super().__init__()
        self.above = above
        self.longest = 0
        """Lines of the longest list of items so far: the lanes give them room once, and do not move at each turn."""
        self.steps: Sequence[SameSteps | None] = ()
        """Shares of same steps of both sides, once a model has been asked."""
        self.controller = CompareController(open_sides, weights, ScreenJobs(self), self, self.set_state)

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield Static(id="totals", markup=False)
        yield Static(id="parting", markup=False)
        yield Static(id="lane-names", markup=False)
        yield LaneList(id="lanes")
        with Horizontal(id="kept"):
            for side, which in enumerate(_WHICH):
                with Vertical():
                    yield Static(id=f"name-{which}", markup=False)
                    yield KeptList(side, id=f"kept-{which}")
        yield Static(id="details", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.controller.start()

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    @property
    def lanes(self) -> LaneList:
        return self.query_one(LaneList)

    @property
    def lists(self) -> tuple[KeptList, KeptList]:
        return self.query_one("#kept-left", KeptList), self.query_one("#kept-right", KeptList)

    def update_line(self, id: str, text: Text) -> None:
        self.query_one(f"#{id}", Static).update(text)

    # drawing

    def watch_state(self, old: CompareState, new: CompareState) -> None:
        self.head.busy = new.busy
        if new.view is None:
            self.show_wait(new)
        elif new.view is not old.view:
            self.show_view(new.view)
        elif new.weights != old.weights:
            self.make_room()
        if new.view is not None:
            self.lanes.cursor = new.turn - 1
        if new.view is not None and new.differences is not None and new.differences is not old.differences:
            for side, rows in enumerate(self.lists):
                rows.show(new.differences.items[side], _empty_list(new.view, side))
        self.show_place()

    def show_wait(self, state: CompareState) -> None:
        """Show progress or the reason of a failure in place of the first difference."""
        if state.failure:
            self.update_line("parting", Text(f" {one_line(state.failure)}", self.palette.ink("error")))
        elif state.busy is not None:
            self.update_line("parting", Text(f" {state.busy} …", self.palette.dim))

    def show_view(self, view: ComparisonView) -> None:
        self.head.session = view.comparison.left.session if view.same_session else None
        self.head.agent = view.sides[0].agent
        self.head.title = "" if view.same_session else "two sessions, as recorded"
        self.lanes.show(view)
        self.make_room()
        self.call_after_refresh(self.lanes.show_cursor)

    @on(LineList.Counted, "KeptList")
    def make_room(self) -> None:
        """Give the lanes the lines that the longest list so far leaves, at least half, but no more than their turns."""
        view, height = self.state.view, self.size.height
        if view is None:
            return
        totals = totals_table(view, self.state.weights, self.size.width, self.palette, self.steps)
        self.update_line("totals", totals)
        parting = first_difference(view, self.size.width, self.palette)
        self.update_line("parting", parting)
        around = 7 + totals.plain.count("\n") + parting.plain.count("\n") + 4 * (height >= 32) - 4 * (height < 18)
        room = height - around
        self.longest = max(self.longest, *(rows.count for rows in self.lists), 3)
        set_height(self.lanes, max(2, list_lines(self.lanes.count, room, min(self.longest, room // 2))))
        self.show_place()

    def watch_pane(self, pane: int) -> None:
        self.query_one(f"#{PANES[pane]}").focus()
        self.show_place()

    def on_descendant_focus(self) -> None:
        """Update the current pane after a click on a list."""
        here = self.focused.id if self.focused else None
        if here in PANES and here != PANES[self.pane]:
            self.pane = PANES.index(here)

    @on(LineList.Moved, "#kept-left")
    @on(LineList.Moved, "#kept-right")
    def show_place(self) -> None:
        """Show the turn in the title line, and the lines above and below the lists."""
        state, view, palette = self.state, self.state.view, self.palette
        self.show_keys()
        if view is None:
            return
        own = Text("custom weights" if state.weights != USUAL else "", palette.ink("warning"))
        self.head.status = (place_text(view, state.turn, palette), own)
        self.update_line("lane-names", self.lane_names(view))
        self.update_line("details", self.details(view))
        if state.differences is not None:
            for side, which in enumerate(_WHICH):
                self.update_line(f"name-{which}", self.list_name(view, state.differences, side))

    def lane_names(self, view: ComparisonView) -> Text:
        """Return the names of the sides over their lanes; the one that enter opens is a chip."""
        room = (self.size.width - middle(view) - 1) // 2
        line = Text(no_wrap=True)
        for side in (0, 1):
            line.append(" ")
            line.append(f" {side_name(view, side, room - 3)} ", self.name_style(side, self.pane == side))
            line.append(" " * (room + middle(view) - line.cell_len) if not side else "")
        return line

    def name_style(self, side: int, active: bool) -> Style:
        palette = self.palette
        if not active:
            return palette.ink(INKS[side], bold=True)
        return Style(color=palette.solid("background"), bgcolor=palette.colour(INKS[side]), bold=True)

    def list_name(self, view: ComparisonView, differences: TurnDifferences, side: int) -> Text:
        """Return the heading of a list: the name of the side, its items and their turn.

        Args:
            view: Both replays.
            differences: Items of both sides.
            side: 0 for the left side, 1 for the right one.
        """
        line = Text(" ", no_wrap=True)
        late = " …" if differences.turn != self.state.turn else f" at turn {view.reached[differences.turn - 1][side]:,}"
        room = self.size.width // (1 if self.has_class("-narrow") else 2) - len(" only  ") - 4 - len(late)
        counts = item_counts(differences.items[side], room - _MIN_NAME)
        name = side_name(view, side, max(_MIN_NAME, room - cell_len(counts)))
        if self.state.turn == differences.turn and cell_len(f"{name}{counts}") > room:
            late = late.replace(" turn", "")
        line.append(f" {'only ' if view.same_session else ''}{name} ", self.name_style(side, self.pane == side + 2))
        line.append(f" {counts}{late}", self.palette.dim)
        return line

    def details(self, view: ComparisonView) -> Text:
        """Return the events of the turn on both sides, or the selected item in full."""
        width, palette = self.size.width, self.palette
        if self.pane >= 2:
            side = self.pane - 2
            item = self.lists[side].current
            return difference_line(item, side_name(view, 1 - side, width // 3), width, palette) if item else Text()
        room = (width - 1) // 2
        line = Text(no_wrap=True)
        for side in (0, 1):
            line.append(" " * (room - line.cell_len) if side else "")
            line.append_text(turn_events(view, side, self.state.turn, room - 1, palette))
        return line

    def show_keys(self) -> None:
        view, busy = self.state.view, self.state.busy
        self.query_one(KeyBar).keys = available(
            (view, Key("left right", "turn")),
            (view and view.first_row, Key("diff", "difference")),
            (view, Key("open", "window" if self.pane < 2 else "message")),
            (view, Key("switch_view", "next pane")),
            (True, Key("back", "stop" if busy else self.above)),
            (view and view.compaction_rows, Key("next_compaction", "compaction")),
            (view and view.replays[self.pane % 2].replay.questions, Key("lost", "questions")),
            (view, Key("weights")),
            (view and view.same_session, Key("ask", "ask a model")),
        )

    # keys and clicks

    @on(LaneList.Touched)
    def choose_side(self, event: LaneList.Touched) -> None:
        self.pane = event.side

    @on(LineList.Moved, "#lanes")
    def follow_lanes(self) -> None:
        self.controller.go_to(self.lanes.cursor + 1)

    def action_difference(self) -> None:
        self.controller.go_to_difference()

    def action_compaction(self, step: int) -> None:
        self.controller.go_to_compaction(step)

    def action_pane(self, step: int) -> None:
        self.pane = (self.pane + step) % len(PANES)

    @on(LineList.Opened)
    def action_open(self) -> None:
        view, turn = self.state.view, self.state.turn
        if view is None:
            return
        if self.pane >= 2:
            self.read_item(self.pane - 2)
        elif view.frame(self.pane, turn):
            here = view.turn(self.pane, turn) or turn
            self.app.push_screen(FrameWindow(view.replays[self.pane], here, above="compare"))
        else:
            self.notify(f"{side_name(view, self.pane)} has no such turn.")

    def read_item(self, side: int) -> None:
        """Open the message that stated the selected item first."""
        item = self.lists[side].current
        message = self.controller.message(side, item) if item else None
        if item is not None and message is not None:
            self.app.push_screen(Reader(message, f"{item.number:,}", facts_in(message, [item.text])))

    def action_questions(self) -> None:
        """List the questions at the compressions of a side, and what its summaries invent."""
        if (view := self.state.view) is not None:
            progress = view.replays[self.pane % 2]
            empty = "No questions: no compression replaced messages." if view.is_final else "still replaying …"
            dialog = QuestionsScreen(progress.bench.session, (), empty)
            dialog.show_questions(progress.replay.questions, empty)
            self.app.push_screen(dialog)

    def action_weights(self) -> None:
        if (view := self.state.view) is not None:
            subjects = {(side.bench.session, side.agent): (side.bench, side.agent) for side in view.sides}
            self.app.push_screen(
                WeightsScreen(tuple(subjects.values()), self.state.weights, partial(_effect_on_sides, self))
            )

    def action_ask(self) -> None:
        """Ask a model under the presets of both sides."""
        view = self.state.view
        if view is None or not view.same_session:
            self.notify("A model can be asked under two presets of one session." if view else "Still replaying …")
            return
        presets = [side.preset for side in view.sides]
        screen = dialogs.steps_screen(self.app, view.sides[0].bench, view.sides[0].agent, presets)
        self.app.push_screen(screen, partial(_show_steps, self, presets))

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """Apply new weights if the session shown on the left is among `sessions`."""
        if self.state.view and self.state.view.comparison.left.session.id in sessions:
            self.controller.set_weights(weights)

    def action_back(self) -> None:
        self.controller.close()
        self.dismiss()


def _empty_list(view: ComparisonView, side: int) -> str:
    """Return the text shown in place of an empty list."""
    return f"  Nothing that {side_name(view, 1 - side)} lacks." if view.is_final else "  …"


def _show_steps(screen: CompareScreen, presets: Sequence[Preset], steps: Sequence[SameSteps] | None) -> None:
    """Show the shares of same steps; that of the model itself for a side that never compresses."""
    by_name = {row.name: row for row in steps or () if row.asked}
    if by_name:
        screen.steps = [by_name.get(ITSELF if preset == NONE else preset.name) for preset in presets]
        screen.make_room()


def _effect_on_sides(screen: CompareScreen, weights: Weights) -> str:
    """Return the shares of facts that both sides retain under some weights, in words."""
    view, shares = screen.state.view, screen.controller.weights_effect(weights)
    return ", ".join(f"{side_name(view, side)} keeps {share:.1%}" for side, share in enumerate(shares)) if view else ""
