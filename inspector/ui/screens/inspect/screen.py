"""Screen 2: a session's window at a turn, and the effect of a strategy on it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.screen import Screen

from inspector import library
from inspector.engine import compression
from inspector.ui import dialogs
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import with_keys
from inspector.ui.messages import TurnPicked
from inspector.ui.palette import Palette
from inspector.ui.screens.inspect.controller import LOOKING, InspectController
from inspector.ui.screens.inspect.dropped import lost_screen, lost_to_plans, turn_diff
from inspector.ui.screens.inspect.inspect_state import InspectState
from inspector.ui.screens.inspect.message_pane import MessagePane
from inspector.ui.screens.inspect.panels import SidePanel, offered_keys, update_knobs
from inspector.ui.screens.inspect.session_verdict import SessionVerdict
from inspector.ui.screens.inspect.signs import signs_of
from inspector.ui.screens.navigation import TurnKeys
from inspector.ui.summary_progress import name_of_model
from inspector.ui.terminal_app import TerminalApp
from inspector.ui.widgets.bars import SectionBars, WindowBars
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.knob_panel import KnobPanel
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.widgets.scrubber import Scrubber, TurnStrip
from inspector.ui.widgets.status_line import StatusLine
from inspector.ui.widgets.title import TitleLine, turn_text
from inspector.ui.workers.jobs import Busy, ScreenJobs

if TYPE_CHECKING:
    from inspector.analysis.context_loss import NeedEvent
    from inspector.library import PlanStacks, Preview
    from inspector.library.diagnosis import LateNeed


class Inspect(TurnKeys, Screen[None]):
    """Draws the state of an `InspectController` and forwards keys and clicks to it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("inspect")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  as declared in Textual
    VERTICAL_BREAKPOINTS = [(0, "-least"), (10, "-tiny"), (18, "-low"), (26, "-middling"), (32, "-tall")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#messages"
    above = "library"
    """Destination of esc while no strategy is tried."""

    controller: InspectController
    state: reactive[InspectState] = reactive(InspectState, init=False, repaint=False)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller = InspectController(ScreenJobs(self), self, partial(setattr, self, "state"))
        self.verdict = SessionVerdict(id="session-verdict")
        self.signs: Iterable[str] = ()
        self.messages = MessageList(id="messages")
        self.pane = MessagePane(self, ScreenJobs(self), self.messages, id="list")
        self.side = SidePanel(id="side")

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title").data_bind(Inspect.busy)
        yield self.verdict
        yield WindowBars(id="window-bars")
        yield StatusLine(id="status-line")
        yield SectionBars(id="section-bars")
        yield KnobPanel(id="knob-line")
        with Horizontal(id="middle"):
            yield self.pane
            yield self.side
        yield Scrubber(id="scrubber")
        yield self.pane.prompt
        yield KeyBar((Key("sessions", "sessions"),), id="keys")

    def on_unmount(self) -> None:
        self.controller.writer.close()

    def open(self, plans: PlanStacks, message: str = "", words: str = "") -> None:
        """Show another session at its current context or at a message.

        Args:
            plans: Plan stacks of the session.
            message: ID of a message to go to; empty for the current context.
            words: Search query, as if it were typed after `/`; empty for none.
        """
        self.messages.target = message
        self.messages.focus()
        self.pane.open(plans.bookmarks, words)
        self.controller.open(plans, message)

    def go_to_message(self, id: str, turn: int = 0, words: str = "") -> None:
        """Show a message of the open session.

        Args:
            id: ID of the message.
            turn: Turn to show; 0 keeps the current window if it contains the message, or else goes to its first turn.
            words: Search query; empty for none.
        """
        if words:
            self.pane.finder.look_for(words)
        self.messages.target = id
        self.messages.focus()
        preview = self.state.preview
        if preview is not None and id in preview.before.ids and turn in (0, preview.recorded.turn):
            self.messages.show(preview)
        elif turn:
            self.controller.go_to(turn)
        else:
            self.controller.open(message=id)

    # drawing

    def watch_state(self, before: InspectState, after: InspectState) -> None:
        """Draw the differences between two states."""
        redrawn = after.preview is not before.preview
        update_knobs(self.query(KnobPanel), before, after)
        self.query_one(StatusLine).money = after.money
        self.query_one("#knob-line").set_class(not (after.trial or after.stack or after.request), "-idle")
        self.query_one("#knob-line").set_class(after.trial is not None, "-trying")
        if (after.trial is None) is not (before.trial is None):
            self.pane.make_room()
        if redrawn and after.preview is not None:
            self.show_preview(after, after.preview)
        if redrawn or after.trial != before.trial:
            self.side.make_room()
        self.verdict.show(before, after)
        self.show_turns()

    @on(SessionVerdict.Changed)
    def show_turns(self) -> None:
        """Update the strip of turns, with those at which a lost fact was needed, and the keys that lead to them."""
        state, preview = self.state, self.state.preview
        if state.timeline is not None and preview is not None:
            plans = tuple(plan.turn for plan in state.stack)
            turn, needs, is_partial = preview.recorded.turn, self.verdict.needs, state.bench.sizes.is_partial
            strip = TurnStrip(state.timeline, turn, plans, needs, self.verdict.misses, is_partial)
            self.query_one(Scrubber).turns = strip
        self.signs = tuple(signs_of(state, bool(self.verdict.needs)))
        self.show_keys()
        if self.is_active:
            _go_to_need(self, self.verdict.pop_wanted())

    def show_preview(self, state: InspectState, preview: Preview) -> None:
        title, status, recorded = self.query_one(TitleLine), self.query_one(StatusLine), preview.recorded
        title.session, title.agent = preview.session, recorded.agent
        turns = state.bench.turns(state.agent)
        title.status = (turn_text(recorded.turn, turns, Palette(self.app.theme_variables)),)
        status.provider, status.preview = state.provider, preview
        bars = self.query_one(WindowBars)
        bars.threshold = state.trial.threshold if state.trial else 0
        bars.preview = preview
        self.query_one(SectionBars).preview = preview
        self.pane.show(preview)
        self.side.show_work(recorded, preview.session)
        if preview.session is state.bench.session and isinstance(self.app, TerminalApp):
            self.app.early_keys.release()

    @on(LineList.Moved, "#messages")
    def follow_cursor(self) -> None:
        """Show the message under the cursor in the side panel, and the keys that apply to it."""
        self.show_keys()
        index, preview = self.messages.current_index, self.state.preview
        there = preview is not None and index is not None and index < len(preview.before.messages)
        self.side.show_message(self.messages.detail(index) if there and index is not None else None)

    def show_keys(self) -> None:
        above, needs, finding = self.pane.escape or self.above, bool(self.verdict.needs), self.pane.key_hints()
        self.query_one(KeyBar).keys = offered_keys(self.state, self.messages.current, above, needs, finding)

    # turns

    def action_compaction(self, step: int) -> None:
        self.controller.go_to_compaction(step)

    def action_need(self, step: int) -> None:
        """Go to the next or previous reply that needed a lost fact."""
        _go_to_need(self, self.verdict.next_need(self.controller.turn, step))

    def action_agent(self, step: int) -> None:
        self.controller.go_to_agent(step)

    @on(TurnPicked)
    def pick_turn(self, event: TurnPicked) -> None:
        self.controller.go_to(event.turn)

    # trying a strategy

    def action_strategy(self) -> None:
        preview, trial = self.state.preview, self.state.trial
        if preview is None:
            return
        current = trial.name if trial else ""
        begin = partial(compression.choice_for, window=preview.base, scale=self.state.scale)
        bench = self.state.bench
        is_counted = not (bench.partial or bench.sizes.is_partial)
        unfit = partial(bench.fit_notice, self.state.agent) if is_counted else str
        picker = dialogs.Picker(
            begin, self.controller.effect(), current, name_of_model(), unfit=unfit, show_lost=partial(_show_lost, self)
        )
        self.app.push_screen(picker, self.controller.try_on)

    def action_try(self, name: str) -> None:
        """Try a strategy or a built-in preset by name."""
        self.controller.try_on(compression.BUILT_IN.get(name, name))

    def action_knob(self, step: int) -> None:
        if self.state.trial is not None:
            self.controller.choose_knob(step)
            self.messages.in_hand = False

    def action_turn_knob(self, steps: int) -> None:
        if self.controller.turn_knob(steps):
            self.action_write_knob()

    @on(KnobPanel.Turned)
    def turn_clicked_knob(self, event: KnobPanel.Turned) -> None:
        self.controller.select_knob(event.knob)
        knob = self.controller.knob
        if knob is not None and (event.steps or compression.is_free_text(knob)):
            self.action_turn_knob(event.steps)

    def action_write_knob(self) -> None:
        """Ask for the value of the selected knob; for the stages of a pipeline in a separate dialog."""
        trial, preview = self.state.trial, self.state.preview
        knob = trial.current_knob if trial else None
        if trial is None or knob is None:
            self.controller.turn_knob(0)
        elif not trial.composes:
            self.app.push_screen(dialogs.ValueScreen(knob, trial.settings[knob.name]), self.controller.set_knob)
        elif preview is not None:
            stages = compression.composition(trial.settings)
            self.app.push_screen(dialogs.StagesScreen(preview, stages, self.controller.set_stages))

    def action_save(self) -> None:
        if self.state.trial is None:
            self.notify(with_keys("There is nothing to save yet. Press {strategy} to pick a strategy."))
        else:
            self.app.push_screen(dialogs.SavePreset(self.state.trial))

    def action_write_summary(self) -> None:
        self.controller.write_summary()

    async def action_back(self) -> None:
        if not self.pane.clear() and not self.controller.back():
            await self.run_action("app.mode('sessions')")

    # the stack of plans

    def action_apply(self) -> None:
        self.controller.apply()

    def action_undo(self, is_redo: bool = False) -> None:
        self.controller.undo(is_redo)

    def action_layers(self) -> None:
        if not self.state.stack:
            self.notify(with_keys("Nothing has been applied yet. {strategy}: try a strategy. {apply}: apply it."))
        elif self.state.preview is not None:
            recorded = self.state.preview.recorded
            self.app.push_screen(dialogs.LayersScreen(self.state.bench, recorded, self.controller.undo))

    def action_by_hand(self, kind: Literal["pinned", "dropped"]) -> None:
        if self.messages.current is not None:
            self.controller.change_by_hand(self.messages.current.id, kind)

    # the list of messages

    def action_on_list(self, action: str) -> None:
        self.pane.run(action)

    # details

    @on(LineList.Opened, "#messages")
    def action_open(self) -> None:
        """Type the value of a knob that was just selected and needs it; else read the message or unfold its group."""
        messages, knob, preview = self.messages, self.controller.knob, self.state.preview
        if knob is not None and compression.is_free_text(knob) and not messages.in_hand:
            self.action_write_knob()
        elif messages.unfold() or messages.current is None or preview is None:
            return
        elif messages.current.kind == "summary":
            self.app.push_screen(dialogs.SummaryReader(preview, messages.current))
        else:
            words = self.pane.finder.state.query.words
            self.app.push_screen(dialogs.Reader(messages.current, messages.current_number, words))

    def action_origin(self) -> None:
        """Open the messages of a summary, or the summary that replaced a message."""
        message, preview = self.messages.current, self.state.preview
        if message is None or preview is None:
            return
        if (summary := library.summary_of(preview.plans, message.id)) is not None:
            self.app.push_screen(dialogs.SummaryReader(preview, summary, message.id))
        elif message.kind == "summary":
            self.app.push_screen(dialogs.OriginScreen(preview, message))
        else:
            self.notify(with_keys("No summary replaced this message. {editor}: open it in your editor."))

    def action_lost(self, by_message: bool = False) -> None:
        """Open the facts lost in a compaction or by the plans.

        With `by_message`, open the change by the plans or, without any, since the turn before. At the first turn, this
        is the change by the first compaction.
        """
        if by_message and (diff := turn_diff(self.state)) is not None:
            self.app.push_screen(diff)
            return
        screen = lost_screen(self.state, self.verdict.need_here)
        if screen is not None and by_message:
            self.app.push_screen(screen.diff())
        elif screen is not None:
            self.app.push_screen(screen, partial(_go_to_need_event, self))
        elif self.state.timeline is None:
            self.notify(LOOKING)
        elif self.state.preview is not None:
            self.notify(
                with_keys("Nothing was removed from this session. {strategy}: try a strategy. {drop}: drop a message.")
            )

    def action_export(self) -> None:
        preview = self.state.preview
        if preview is not None and preview.after.messages:
            self.app.push_screen(dialogs.ExportScreen(self.state.bench, preview))
        elif preview is not None:
            self.notify(f"Nothing to export. {preview.after.emptiness}")

    def action_problems(self) -> None:
        if self.state.preview is not None:
            self.app.push_screen(
                dialogs.ProblemsScreen(self.state.preview, self.state.provider, self.controller.judge_by)
            )


def _show_lost(screen: Inspect, preview: Preview) -> None:
    """Open the facts that a previewed choice would lose, over the picker."""

    def leave(need_event: NeedEvent | None) -> None:
        picker = screen.app.screen
        if need_event is not None and isinstance(picker, dialogs.Picker):
            picker.dismiss(None)
        _go_to_need_event(screen, need_event)

    screen.app.push_screen(lost_to_plans(screen.state.bench, preview), leave)


def _go_to_need(screen: Inspect, need: LateNeed | None) -> None:
    if need is not None:
        screen.go_to_message(need.regret.message, need.turn)


def _go_to_need_event(screen: Inspect, need_event: NeedEvent | None) -> None:
    """Go to the reply that needed a lost fact, in the first window that contains it."""
    if need_event is not None:
        screen.go_to_message(need_event.message, min(need_event.turn + 1, screen.controller.last_turn))
