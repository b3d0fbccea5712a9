"""Screen 2, the home of the app: a session's window at a turn, and what a strategy would make of it."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from inspector.compression import is_words
from inspector.conversation import MAIN
from inspector.library import Money, PlanStacks, Preview, summary_of
from inspector.ui.screens.inspect.bench import BenchScreen
from inspector.ui.screens.inspect.stacking import Stacking
from inspector.ui.screens.inspect.turns import Turns
from inspector.ui.screens.inspect.writing import ByModel
from inspector.ui.widgets.bars import SectionBars, WindowBars
from inspector.ui.widgets.detail import Detail, Shown
from inspector.ui.widgets.key_bar import Key, KeyBar, Offer, offered
from inspector.ui.widgets.knobs import KnobPanel
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.message_list import Columns, MessageList
from inspector.ui.widgets.outcome import trouble
from inspector.ui.widgets.scrubber import Scrubber, TurnStrip
from inspector.ui.widgets.title import Busy, Title
from inspector.ui.workers.latest import LatestOnly
from inspector.ui.writing import name_of_model
from inspector.window import DEFAULT_THRESHOLD


class Inspect(Turns, ByModel, Stacking):
    """The window of one agent at one turn. The bench holds the state; this screen shows it and asks for changes."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  declared so by Textual
    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-middling"), (32, "-tall")]  # noqa: RUF012  declared so by Textual
    AUTO_FOCUS = "#messages"
    above = "library"
    """Where esc goes while nothing is tried."""

    def __init__(self) -> None:
        super().__init__()
        self.details: LatestOnly[Shown] = LatestOnly(self, "detail", self.take_detail)

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
        self.query_one(KeyBar).keys = (Key("1", "sessions", "app.mode('sessions')"),)

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)
        self.call_after_refresh(self.show_detail)

    def open(self, plans: PlanStacks, message: str = "") -> None:
        """Show another session, at the context as it now stands, or at a message where one is named by its id."""
        bench = plans.bench
        agent, turn = bench.place_of(message) or (MAIN, bench.turns() + 1)
        self.bench, self.plans = bench, plans
        self.set_reactive(BenchScreen.agent, agent)
        self.set_reactive(BenchScreen.turn, turn)
        self.query_one(MessageList).wanted = message
        self.trial = None
        self.query_one(MessageList).focus()
        self.compute_anew()
        self.compute_timeline()

    # what follows from a change

    def take_preview(self, preview: Preview) -> None:
        self.query_one(Title).provider = self.provider
        super().take_preview(preview)

    def watch_preview(self, preview: Preview) -> None:
        title = self.query_one(Title)
        title.turns = self.bench.turns(self.agent)
        title.preview = preview
        bars = self.query_one(WindowBars)
        bars.threshold = self.trial.threshold if self.trial else DEFAULT_THRESHOLD
        bars.preview = preview
        self.query_one(SectionBars).preview = preview
        for panel in self.query(KnobPanel):
            panel.preview = preview
        messages = self.query_one(MessageList)
        messages.show(preview)
        self.query_one(Columns).scored = messages.scored
        self.show_turns()
        self.tell_of_model()
        self.show_keys()
        self.show_detail()
        self.reckon(preview)

    def watch_money(self, money: Money | None) -> None:
        self.query_one(Title).money = money
        for panel in self.query(KnobPanel):
            panel.money = money

    def watch_line(self) -> None:
        self.show_turns()

    def show_turns(self) -> None:
        """The strip of turns, once both the sizes of all windows and the window of this turn are known."""
        if self.line is not None and self.preview is not None:
            plans = tuple(plan.turn for plan in self.stack)
            self.query_one(Scrubber).turns = TurnStrip(self.line, self.preview.recorded.turn, plans)

    def watch_busy(self, busy: Busy | None) -> None:
        if self.is_mounted:
            self.query_one(Title).busy = busy

    @on(LineList.Moved, "#messages")
    def show_keys(self) -> None:
        message = self.query_one(MessageList).current
        plans = self.preview.plans if self.preview else ()
        plan = self.preview.plan if self.preview else None
        self.query_one(KeyBar).keys = offered(
            Offer(
                trying=self.trial is not None,
                writing=bool(self.trial and self.trial.chosen and is_words(self.trial.chosen)),
                by_model=bool(plan and plan.summaries and not self.written and name_of_model()),
                stoppable=self.writing is not None,
                applied=bool(self.stack),
                compacted=bool(self.line and self.line.compactions),
                troubled=bool(trouble(self.preview)),
                summary=message is not None and (message.kind == "summary" or bool(summary_of(plans, message.id))),
                agents=len(self.bench.session.agents),
                above=self.above,
            )
        )

    def take_detail(self, shown: Shown) -> None:
        self.query_one(Detail).shown = shown
