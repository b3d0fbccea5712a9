"""Screen 2, the home of the app: a session's window at a turn, and what a strategy would make of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen

from inspector.conversation import MAIN, Session
from inspector.strategies import STRATEGIES
from inspector.strategies.settings import starting
from inspector.tokens.sizes import quick
from inspector.ui.latest import Latest
from inspector.ui.messages import PlanMade, PlanUndone
from inspector.ui.reading import Line, reading
from inspector.ui.screens.diff import DiffScreen
from inspector.ui.screens.export import ExportScreen
from inspector.ui.screens.picker import Picker
from inspector.ui.screens.problems import ProblemsScreen
from inspector.ui.screens.reader import Reader
from inspector.ui.widgets.bars import SectionBars, WindowBars, mark_of
from inspector.ui.widgets.detail import Detail, Shown
from inspector.ui.widgets.key_bar import Key, KeyBar, offered
from inspector.ui.widgets.knobs import KnobPanel, Trial, trouble
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.message_list import Columns, MessageList
from inspector.ui.widgets.scrubber import Scrubber
from inspector.ui.widgets.title import Busy, Title
from inspector.window.budget import DEFAULT_THRESHOLD
from inspector.window.plan import Plan
from inspector.window.timeline import Timeline, timeline
from inspector.workbench import Preview, Refused, Workbench, allowed

EMPTY = Session("", "", "", ())
NOTHING = Workbench(EMPTY, quick(EMPTY))
"""On the bench before a session is opened."""
PANE_LINES = 200
"""Lines of a message that are read for the pane beside the list; the reader has them all."""


class Inspect(Screen[None]):
    """The window of one agent at one turn. The bench holds the state; this screen shows it and asks for changes."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  declared so by Textual
    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012  declared so by Textual
    AUTO_FOCUS = "#messages"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "One turn back"),
        Binding("right", "turn(1)", "One turn on"),
        Binding("shift+left", "turn(-10)", "Ten turns back"),
        Binding("shift+right", "turn(10)", "Ten turns on"),
        Binding("home", "first_turn", "To the first turn"),
        Binding("end", "last_turn", "To the context as it now stands"),
        Binding("c", "compaction(1)", "To the next compaction"),
        Binding("C", "compaction(-1)", "To the compaction before"),
        Binding("s", "strategy", "Pick a strategy"),
        Binding("tab", "knob(1)", "Choose the next knob"),
        Binding("shift+tab", "knob(-1)", "Choose the knob before"),
        Binding("plus,equals_sign", "turn_knob(1)", "Turn the knob up"),
        Binding("minus", "turn_knob(-1)", "Turn the knob down"),
        Binding("greater_than_sign,shift+up", "turn_knob(10)", "Turn the knob up, ten notches"),
        Binding("less_than_sign,shift+down", "turn_knob(-10)", "Turn the knob down, ten notches"),
        Binding("a", "apply", "Apply the plan"),
        Binding("u", "undo", "Undo the newest plan"),
        Binding("x", "diff", "Show the diff"),
        Binding("p", "pin", "Pin or unpin the message"),
        Binding("d", "drop", "Drop the message by hand"),
        Binding("f", "fold", "Fold or unfold what leaves"),
        Binding("e", "export", "Export the window as a request"),
        Binding("exclamation_mark", "problems", "List what is wrong with the window and the file"),
        Binding("n", "agent(1)", "The next agent's context"),
        Binding("escape", "back", "Stop trying, or back to the library"),
    ]

    turn: reactive[int] = reactive(0, init=False, repaint=False)
    agent: reactive[str] = reactive(MAIN, init=False, repaint=False)
    trial: reactive[Trial | None] = reactive(None, init=False, repaint=False)
    preview: reactive[Preview | None] = reactive(None, init=False, repaint=False)
    line: reactive[Timeline | None] = reactive(None, init=False, repaint=False)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.bench: Workbench = NOTHING
        self.previews: Latest[Preview] = Latest(self, "preview", self.take_preview)
        self.timelines: Latest[Timeline] = Latest(self, "timeline", self.take_timeline)
        self.details: Latest[Shown] = Latest(self, "detail", self.take_detail)

    def compose(self) -> ComposeResult:
        yield Title(id="title")
        yield WindowBars(id="window-bars")
        yield SectionBars(id="section-bars")
        yield KnobPanel(id="knob-line")
        with Horizontal(id="middle"):
            with Vertical(id="list"):
                yield Columns(id="columns")
                yield MessageList(id="messages")
            with Vertical(id="side"):
                yield KnobPanel(id="knobs")
                yield Detail(id="detail")
        yield Scrubber(id="scrubber")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(WindowBars).threshold = DEFAULT_THRESHOLD
        self.query_one(KeyBar).keys = (Key("1", "sessions", "app.mode('sessions')"),)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_detail)

    # what is computed, always in a thread

    def open(self, bench: Workbench, message: str = "") -> None:
        """Show another session, at the context as it now stands, or at a message where one is named by its id."""
        agent, turn = bench.place_of(message) or (MAIN, bench.turns() + 1)
        self.bench = bench
        self.set_reactive(Inspect.agent, agent)
        self.set_reactive(Inspect.turn, turn)
        self.query_one(MessageList).wanted = message
        self.trial = None
        self.query_one(MessageList).focus()
        self.compute()
        self.compute_timeline()

    @property
    def is_open(self) -> bool:
        """Whether a session is on the bench."""
        return self.bench is not NOTHING

    def compute(self) -> None:
        """Ask for the preview of what is now chosen."""
        if not self.is_open:
            return
        trial = self.trial
        self.previews.ask(
            partial(
                self.bench.preview,
                self.turn,
                self.agent,
                trial.strategy if trial else None,
                trial.values if trial else None,
            )
        )

    def compute_timeline(self) -> None:
        self.timelines.ask(partial(timeline, self.bench.session, self.bench.sizes, self.agent))

    def take_preview(self, preview: Preview) -> None:
        self.preview = preview

    def take_timeline(self, line: Timeline) -> None:
        self.line = line

    def take_bench(self, bench: Workbench) -> None:
        """A bench with better counts, with stored plans, or with the whole log where there was only its end."""
        more = bench.turns(self.agent) - self.bench.turns(self.agent)
        self.bench = bench
        if more and self.agent in bench.session.agents:
            self.set_reactive(Inspect.turn, self.turn + more)
        self.compute()
        self.compute_timeline()

    # what follows from a change

    def watch_preview(self, preview: Preview) -> None:
        title = self.query_one(Title)
        title.turns = self.bench.turns(self.agent)
        title.preview = preview
        self.query_one(WindowBars).preview = preview
        self.query_one(SectionBars).preview = preview
        for panel in self.query(KnobPanel):
            panel.preview = preview
        self.query_one(MessageList).show(preview)
        scrubber = self.query_one(Scrubber)
        scrubber.turn = preview.recorded.turn
        scrubber.plans = tuple(plan.turn for plan in self.bench.plans.get(self.agent, ()))
        self.show_keys()
        self.show_detail()

    def watch_line(self, line: Timeline) -> None:
        self.query_one(Scrubber).timeline = line

    def watch_busy(self, busy: Busy | None) -> None:
        if self.is_mounted:
            self.query_one(Title).busy = busy

    def watch_turn(self) -> None:
        self.compute()

    def watch_agent(self) -> None:
        self.set_reactive(Inspect.turn, self.bench.turns(self.agent) + 1)
        self.compute()
        self.compute_timeline()

    def watch_trial(self, trial: Trial | None) -> None:
        for panel in self.query(KnobPanel):
            panel.trial = trial
        self.compute()

    def show_keys(self) -> None:
        self.query_one(KeyBar).keys = offered(
            trying=self.trial is not None,
            applied=bool(self.bench.plans.get(self.agent)),
            compacted=bool(self.line and self.line.compactions),
            troubled=bool(trouble(self.preview)),
            agents=len(self.bench.session.agents),
        )

    # the message under the cursor

    @on(LineList.Moved, "#messages")
    def show_detail(self) -> None:
        messages = self.query_one(MessageList)
        index = messages.current_index
        if self.preview is None or index is None or index >= len(self.preview.before.messages):
            self.query_one(Detail).shown = None
            return
        shown = messages.shown(index)
        before = self.query_one(Detail).shown
        if before is None or before.message is not shown.message:
            self.query_one(Detail).shown = shown
        width = max(10, self.query_one(Detail).size.width)
        self.details.ask(partial(filled, shown, width))

    def take_detail(self, shown: Shown) -> None:
        self.query_one(Detail).shown = shown

    # actions

    def action_turn(self, step: int) -> None:
        self.turn = min(max(self.turn + step, 1), self.bench.turns(self.agent) + 1)

    def action_first_turn(self) -> None:
        self.turn = 1

    def action_last_turn(self) -> None:
        self.turn = self.bench.turns(self.agent) + 1

    @on(Scrubber.Picked)
    def pick_turn(self, event: Scrubber.Picked) -> None:
        self.turn = event.turn

    def action_compaction(self, step: int) -> None:
        """To the next turn after a compaction, recorded or applied here, going round at the end."""
        recorded = self.line.compactions if self.line else ()
        marks = sorted({*recorded, *(plan.turn for plan in self.bench.plans.get(self.agent, ()))})
        if not marks:
            self.notify("This session was never compacted. Press s to try a strategy.")
            return
        ahead = [mark for mark in marks if (mark > self.turn if step > 0 else mark < self.turn)]
        around = marks if step > 0 else marks[::-1]
        self.turn = (ahead or around)[0] if step > 0 else (ahead[::-1] or around)[0]

    def action_agent(self, step: int) -> None:
        agents = self.bench.session.agents
        self.agent = agents[(agents.index(self.agent) + step) % len(agents)]

    def action_strategy(self) -> None:
        if self.preview is None:
            return
        self.app.push_screen(Picker(self.trial.strategy if self.trial else ""), self.try_strategy)

    def try_strategy(self, name: str | None) -> None:
        if name is None or self.preview is None:
            return
        self.trial = Trial(name, starting(STRATEGIES[name].settings, self.preview.before))

    def action_try(self, name: str) -> None:
        self.try_strategy(name)

    def action_knob(self, step: int) -> None:
        if self.trial:
            self.trial = self.trial.chosen(step)

    def action_turn_knob(self, steps: int) -> None:
        if self.trial:
            self.trial = self.trial.moved(steps)
        else:
            self.notify("Pick a strategy first: press s.")

    @on(KnobPanel.Turned)
    def turn_clicked_knob(self, event: KnobPanel.Turned) -> None:
        if self.trial:
            self.trial = replace(self.trial, knob=event.knob).moved(event.steps)

    def action_apply(self) -> None:
        preview = self.preview
        if self.trial is None or preview is None or preview.plan is None:
            self.notify("There is nothing to apply yet: press s and pick a strategy.")
        elif preview.plan.strategy != self.trial.strategy or self.previews.running:
            self.notify("One moment: the plan is still being worked out.")
        elif not preview.plan.alters:
            self.notify("This plan changes nothing; turn a knob first.")
        else:
            self.put(preview.plan)
            if not self.bench.partial:
                self.notify(f"Applied: {mark_of(preview.before)}{preview.saved:,} tokens saved. u takes it back.")
                self.trial = None

    def put(self, plan: Plan) -> None:
        """Put a plan on the stack, on the bench and in the store."""
        if self.bench.partial:
            self.notify("One moment: the rest of the file is still being read.")
            return
        self.bench.apply(plan, self.agent)
        self.post_message(PlanMade(self.bench, self.agent, plan))
        self.compute()

    def action_undo(self) -> None:
        plan = self.bench.undo(self.agent)
        if plan is None:
            self.notify("Nothing has been applied, so there is nothing to undo.")
            return
        self.post_message(PlanUndone(self.bench, self.agent, plan))
        seen = "" if plan.turn <= self.turn else f", made at turn {plan.turn}"
        self.notify(f"Undone: {plan.strategy}{seen}")
        self.compute()

    def action_pin(self) -> None:
        message = self.query_one(MessageList).current
        if message is None or self.preview is None:
            return
        self.by_hand(message.id, "kept" if message.id in self.preview.before.pinned else "pinned")

    def action_drop(self) -> None:
        message = self.query_one(MessageList).current
        if message is not None:
            self.by_hand(message.id, "dropped")

    def by_hand(self, id: str, kind: Literal["pinned", "dropped", "kept"]) -> None:
        if self.preview is None or self.previews.running or id not in self.preview.before.ids:
            self.notify("One moment: the window is still being worked out.")
            return
        try:
            self.put(allowed(self.preview.before, (id,), kind))
        except Refused as problem:
            self.notify(str(problem), severity="warning")

    def action_fold(self) -> None:
        self.query_one(MessageList).toggle_folding()

    def action_open(self) -> None:
        self.query_one(MessageList).action_open()

    @on(LineList.Opened, "#messages")
    def open_message(self) -> None:
        messages = self.query_one(MessageList)
        if messages.unfold() or messages.current is None:
            return
        self.app.push_screen(Reader(messages.current, messages.number(messages.rows[messages.cursor])))

    def action_diff(self) -> None:
        if self.preview is None:
            return
        if not any(plan.alters for plan in self.preview.plans):
            self.notify("Nothing differs yet: press s to try a strategy, or d to drop a message.")
            return
        self.app.push_screen(DiffScreen(self.preview))

    def action_export(self) -> None:
        if self.preview is None:
            return
        if not self.preview.after.messages:
            self.notify("There is nothing to export: the window is empty at this turn.")
            return
        self.app.push_screen(ExportScreen(self.preview))

    def action_problems(self) -> None:
        if not trouble(self.preview):
            self.notify("Nothing is wrong with this window or its file.")
        elif self.preview is not None:
            self.app.push_screen(ProblemsScreen(self.preview))

    async def action_back(self) -> None:
        if self.trial is not None:
            self.trial = None
        else:
            await self.run_action("app.mode('sessions')")


def filled(shown: Shown, width: int) -> Shown:
    """With the beginning of the message's text, read where it lies."""
    lines: list[Line] = reading(shown.message, width)
    return replace(shown, lines=tuple(lines[:PANE_LINES]), more=max(0, len(lines) - PANE_LINES))
