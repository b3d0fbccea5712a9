"""What stands on the bench, and what is computed of it: the state that the keys of Inspect change."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual.reactive import reactive
from textual.screen import Screen

from inspector.compression import Trial
from inspector.conversation import MAIN, Provider, Session
from inspector.library import Money, PlanStacks, Preview, Workbench, money_of
from inspector.tokens import quick
from inspector.ui.widgets.title import Busy
from inspector.ui.workers.latest import LatestOnly
from inspector.ui.writing import Written, name_of_model
from inspector.window import Plan, Timeline, apply, problems
from inspector.window.timeline import timeline

_EMPTY = Session("", "", "", ())
NOTHING = Workbench(_EMPTY, quick(_EMPTY))
"""On the bench before a session is opened."""


class BenchScreen(Screen[None]):
    """One agent's window at one turn, and the strategy being tried on it. What is asked for is computed in a thread."""

    turn: reactive[int] = reactive(0, init=False, repaint=False)
    agent: reactive[str] = reactive(MAIN, init=False, repaint=False)
    trial: reactive[Trial | None] = reactive(None, init=False, repaint=False)
    provider: reactive[Provider | None] = reactive(None, init=False, repaint=False)
    """Whose rules the window is held against; None for the session's own provider."""
    preview: reactive[Preview | None] = reactive(None, init=False, repaint=False)
    line: reactive[Timeline | None] = reactive(None, init=False, repaint=False)
    money: reactive[Money | None] = reactive(None, init=False, repaint=False)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.bench: Workbench = NOTHING
        self.plans = PlanStacks(NOTHING)
        """The plans applied on the bench, and how they are stored."""
        self.written: Written | None = None
        """What a model has written: shown in place of a drafted plan until anything else is chosen."""
        self.previews: LatestOnly[Preview] = LatestOnly(self, "preview", self.take_preview)
        self.timelines: LatestOnly[Timeline] = LatestOnly(self, "timeline", self.take_timeline)
        self.moneys: LatestOnly[Money] = LatestOnly(self, "money", self.take_money)

    @property
    def is_open(self) -> bool:
        """Whether a session is on the bench."""
        return self.bench is not NOTHING

    @property
    def stack(self) -> tuple[Plan, ...]:
        """The plans applied to this agent's log, oldest first."""
        return self.bench.plans.get(self.agent, ())

    def compute(self) -> None:
        """Ask for the preview of what is now chosen."""
        if self.is_open:
            written = self.written.plan if self.written else None
            job = partial(_looked_at, self.bench, self.turn, self.agent, self.trial, written, self.provider)
            self.previews.ask(job)

    def compute_anew(self) -> None:
        """Ask for the preview of something else: what a model wrote for the last one does not fit it."""
        self.written = None
        self.compute()

    def reckon(self, preview: Preview) -> None:
        """Ask for the money of what is shown; not while it is still being counted, which is busy enough."""
        if self.trial is not None or not self.bench.sizes.counting:
            written = self.written
            calls = (written.usage,) if written and preview.plan is written.plan else ()
            self.moneys.ask(partial(money_of, preview, written.model if calls and written else name_of_model(), calls))

    def compute_timeline(self) -> None:
        self.timelines.ask(partial(timeline, self.bench.session, self.bench.sizes, self.agent))

    def take_preview(self, preview: Preview) -> None:
        self.preview = preview

    def take_money(self, money: Money) -> None:
        self.money = money

    def take_timeline(self, line: Timeline) -> None:
        self.line = line

    def take_bench(self, bench: Workbench) -> None:
        """A bench with better counts, with stored plans, or with the whole log where there was only its end."""
        more = bench.turns(self.agent) - self.bench.turns(self.agent)
        self.bench = bench
        if more and self.agent in bench.session.agents:
            self.set_reactive(BenchScreen.turn, max(1, self.turn + more))
            self.written = None
        self.compute()
        self.compute_timeline()

    def watch_turn(self) -> None:
        self.compute_anew()

    def watch_agent(self) -> None:
        self.set_reactive(BenchScreen.turn, self.bench.turns(self.agent) + 1)
        self.compute_anew()
        self.compute_timeline()

    def watch_provider(self) -> None:
        self.compute()

    def put(self, plan: Plan) -> bool:
        """Put a plan on the stack, on the bench and in the store. Says whether that could be done."""
        if self.bench.partial:
            self.notify("One moment: the rest of the file is still being read.")
            return False
        self.plans.push(plan, self.agent)
        self.compute_anew()
        return True


def _looked_at(
    bench: Workbench, turn: int, agent: str, trial: Trial | None, written: Plan | None, provider: Provider | None
) -> Preview:
    """Everything there is to show of what is chosen, in a thread: nothing is left to be worked out while drawing."""
    if written is not None:
        preview = _with_plan(bench.preview(turn, agent), written)
    elif trial is not None:
        preview = bench.preview(turn, agent, trial.strategy, trial.values)
    else:
        preview = bench.preview(turn, agent)
    _warm(preview)
    return replace(preview, problems=problems(preview.after, provider)) if provider else preview


def _warm(preview: Preview) -> None:
    """Work out what drawing asks for, so that the app's own thread finds it done."""
    for window in (preview.recorded, preview.before, preview.after):
        _ = window.total, window.ids, window.sections
    if plan := preview.plan:
        _ = plan.counts, plan.by_id, plan.alters


def _with_plan(preview: Preview, plan: Plan) -> Preview:
    """A preview with a plan that is there already."""
    after = apply(preview.before, plan)
    return replace(preview, plan=plan, after=after, problems=problems(after))
