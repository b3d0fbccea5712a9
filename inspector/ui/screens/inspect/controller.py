"""The controller of Inspect: its state and the effect of its keys, independent of any widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from inspector import library
from inspector.core.conversation import MAIN, ProviderName
from inspector.engine import compression, window
from inspector.ui.key_remaps import with_keys
from inspector.ui.palette import mark_of
from inspector.ui.screens.inspect.inspect_state import InspectState
from inspector.ui.screens.inspect.state_preview import is_of_other, is_quick, preview_of_state
from inspector.ui.screens.inspect.summary_writer import SummaryWriter
from inspector.ui.screens.navigation import next_agent, next_mark
from inspector.ui.summary_progress import GeneratedSummary, SummaryInProgress, name_of_model

if TYPE_CHECKING:
    from inspector.engine.compression import Composition, Preset, StrategyChoice
    from inspector.engine.strategies import Knob
    from inspector.engine.window import Plan, Timeline
    from inspector.library import LostFacts, Money, PlanStacks, Preview, Workbench
    from inspector.ui.workers.jobs import Host, Jobs


LOOKING = "Still searching for compactions …"


class InspectController:
    """Controls one agent's window at one turn, and the strategy being tried on it.

    `on_change` is called with the new state after every change.
    """

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[InspectState], None]) -> None:
        """Create a controller without a session.

        Args:
            jobs: Runs computations in threads.
            host: Shows notices.
            on_change: Called with each new state.
        """
        self.state = InspectState()
        self._plans: PlanStacks
        """Plan stacks of the open session; not set before a session is opened."""
        self._provider: ProviderName | None = None
        """Provider whose rules the current preview was checked against."""
        self._is_new = True
        """True if no window of the open session has been shown yet."""
        self._awaited_step = 0
        """Direction to move in once compactions are known: 1 forwards, -1 backwards, 0 for no move."""
        self._host = host
        self._on_change = on_change
        self.previews = jobs.latest("preview", self._set_preview)
        self._timelines = jobs.latest("timeline", self._set_timeline)
        self._moneys = jobs.latest("money", self._set_money)
        self._losses = jobs.latest("losses", self._set_losses)
        self.writer = SummaryWriter(jobs, host, self._set_progress, self._set_summary)

    def _set(self, state: InspectState) -> None:
        self.state = state
        self._on_change(state)

    # the workbench

    @property
    def is_open(self) -> bool:
        """True if a session is open."""
        return self.state.opened is not None

    def open(self, plans: PlanStacks | None = None, message: str = "") -> None:
        """Show a session, by default the open one, at its current context or at a message with the given ID."""
        plans = plans or self._plans
        agent, turn = plans.bench.place_of(message) or (MAIN, plans.bench.turns() + 1)
        self.open_at(agent, turn, plans)

    def open_at(self, agent: str, turn: int, plans: PlanStacks | None = None) -> None:
        """Show the window of an agent at a turn.

        Args:
            agent: Agent whose window to show.
            turn: Turn, counted from 1.
            plans: Plan stacks of the session; by default those of the open one.
        """
        self._plans = plans or self._plans
        self._is_new = True
        self._recompute(opened=self._plans.bench, agent=agent, turn=turn, trial=None, timeline=None)
        self._compute_timeline()

    def set_bench(self, bench: Workbench) -> tuple[Plan, ...]:
        """Continue with better counts, or with the whole log after only its end was loaded.

        Returns:
            The plans that were made here and cannot be stored; see `PlanStacks.set_bench`.
        """
        plans = self._plans.set_bench(bench)
        self._show_bench()
        return plans

    def set_stored_plans(self, old: Workbench, new: Workbench) -> bool:
        """Show the stored plans after a change was rejected, and discard a summary a model wrote for other plans.

        Returns:
            False if another session has been opened in the meantime.
        """
        if not self.is_open or not self._plans.set_stored_plans(old, new):
            return False
        self._set(replace(self.state, summary=None))
        self._show_bench()
        return True

    def _show_bench(self) -> None:
        bench, agent = self._plans.bench, self.state.agent
        more = bench.turns(agent) - self.state.bench.turns(agent)
        state = replace(self.state, opened=bench)
        if more and agent in bench.session.agents:
            state = replace(state, turn=max(1, self.turn + more), summary=None)
        self._set(state)
        self._compute()
        self._compute_timeline()

    # computations

    def _compute(self) -> None:
        """Request the preview of the current choice."""
        if self.is_open:
            self.previews.ask(partial(preview_of_state, self.state), at_once=is_quick(self.state))

    def _recompute(self, **choice: Any) -> None:
        """Request a preview of another choice, which makes a model's running or finished summary obsolete."""
        if self.writer.stop():
            self._host.notify("The model was stopped, because the plan has changed.")
        self.state = replace(self.state, summary=None, **choice)
        self._compute()  # what is quick is drawn with the choice
        self._on_change(self.state)

    def _compute_timeline(self) -> None:
        self._timelines.ask(
            partial(window.compute_timeline, self.state.bench.session, self.state.bench.sizes, self.state.agent)
        )

    def _compute_money(self, preview: Preview) -> None:
        """Request the costs of the preview, except while messages are being counted, which keeps the CPU busy."""
        summary = self.state.summary
        if self.state.trial is None and self.state.bench.sizes.is_partial:
            return
        if summary is not None and preview.plan is summary.plan:
            self._moneys.ask(partial(library.money_of, preview, summary.model, (summary.usage,)))
        else:
            self._moneys.ask(partial(library.money_of, preview, name_of_model()))

    def _set_preview(self, preview: Preview) -> None:
        provider, self._provider = self._provider, self.state.provider
        is_new, self._is_new = self._is_new, self._is_new and preview.session is not self.state.bench.session
        if not is_new and preview == self.state.preview and provider == self._provider:
            return  # the new workbench does not change anything visible
        money = None if self._moneys.is_running else _money_at_once(self.state, preview)
        self._set(replace(self.state, preview=preview, money=money or self.state.money))
        if money is None:
            self._compute_money(preview)
        if self.state.trial is not None:
            self._losses.ask(partial(library.count_lost_facts, self.state.bench, preview))

    def _set_timeline(self, line: Timeline) -> None:
        step, self._awaited_step = self._awaited_step, 0
        self._set(replace(self.state, timeline=line))
        if step:
            self.go_to_compaction(step)

    def _set_money(self, money: Money) -> None:
        self._set(replace(self.state, money=money))

    def _set_losses(self, losses: LostFacts) -> None:
        self._set(replace(self.state, losses=losses))

    def judge_by(self, provider: ProviderName | None) -> None:
        """Check the window against the rules of a provider; None for the session's own."""
        if provider != self.state.provider:
            self._set(replace(self.state, provider=provider))
            self._compute()

    # turns and agents

    @property
    def turn(self) -> int:
        return self.state.turn

    @property
    def last_turn(self) -> int:
        """Turn of the current context, after the last reply."""
        return self.state.bench.turns(self.state.agent) + 1

    def go_to(self, turn: int) -> None:
        """Go to a turn, or to the nearest existing one."""
        self._awaited_step = 0
        turn = min(max(turn, 1), self.last_turn)
        if turn != self.turn:
            self._recompute(turn=turn)

    def go_to_compaction(self, step: int) -> None:
        """Go to the next recorded or applied compaction, wrapping around; waits until compactions are known."""
        if (line := self.state.timeline) is None:
            self._awaited_step = step
            self._host.notify(LOOKING)
            return
        turns = (*line.compactions, *(fall.turn for fall in line.falls), *(plan.turn for plan in self.state.stack))
        mark = next_mark(set(turns), self.turn, step)
        if mark is None:
            self._host.notify(with_keys("No compaction is recorded. Press {strategy} to try a strategy."))
        else:
            self.go_to(mark)

    def go_to_agent(self, step: int) -> None:
        """Go to the current context of the next agent (`step` 1) or the previous one (-1)."""
        agent = next_agent(self.state.bench.session.agents, self.state.agent, step)
        if agent != self.state.agent:
            turn = self.state.bench.turns(agent) + 1
            self._recompute(agent=agent, turn=turn, timeline=None)
            self._compute_timeline()

    # trying a strategy

    def try_on(self, pick: Preset | str | None) -> None:
        """Try a preset, or a strategy by name. None, from a dismissed picker, changes nothing."""
        if pick is not None and self.state.preview is not None:
            self.try_trial(compression.choice_for(pick, self.state.preview.base, self.state.scale))

    def try_trial(self, trial: StrategyChoice | None) -> None:
        """Try a strategy with its settings, or end the trial with None."""
        if trial != self.state.trial:
            self._recompute(trial=trial)

    def effect(self) -> Callable[[StrategyChoice], Preview]:
        """Return a function that previews trials on the current window, to be called in threads."""
        assert self.state.preview is not None, "nothing can be picked before a window is shown"
        recorded = self.state.preview.recorded
        preview = partial(self.state.bench.preview, recorded.turn, recorded.agent)
        return lambda trial: preview(trial.strategy, trial.settings)

    def choose_knob(self, step: int) -> None:
        """Select the next or previous knob."""
        if self.state.trial is not None:
            self.try_trial(self.state.trial.next_knob(step))

    def select_knob(self, number: int) -> None:
        """Select a knob by its index."""
        if self.state.trial is not None:
            self.try_trial(replace(self.state.trial, knob=number))

    def turn_knob(self, steps: int) -> bool:
        """Turn the selected knob by some notches. Return True if its value has to be typed instead."""
        trial = self.state.trial
        if trial is None:
            self._host.notify(with_keys("Press {strategy} to pick a strategy first."))
        elif trial.current_knob is None:
            self._host.notify(
                with_keys("{name} has no settings. {apply}: apply it. {strategy}: pick another.", name=trial.strategy)
            )
        elif compression.is_free_text(trial.current_knob):
            return True
        else:
            self.try_trial(trial.turn_knob(steps))
        return False

    @property
    def knob(self) -> Knob | None:
        """Selected knob of the trial; None without a trial or knobs."""
        return self.state.trial.current_knob if self.state.trial else None

    def set_knob(self, value: object) -> None:
        """Set the selected knob. None, from a dismissed dialog, changes nothing."""
        if value is not None and self.state.trial is not None and self.knob is not None:
            self.try_trial(self.state.trial.with_value(self.knob.name, value))

    def set_stages(self, stages: Composition) -> None:
        """Try a pipeline with these stages."""
        if self.state.trial is not None:
            self.try_trial(self.state.trial.with_value("stages", stages.text).with_value("target", stages.target))

    def back(self) -> bool:
        """Stop the model or end the trial. Return False if there was nothing to stop."""
        if self.writer.stop():
            self._host.notify("Stopped. The extractive summary is kept.")
        elif self.state.trial is not None:
            self.try_trial(None)
        else:
            return False
        return True

    # the stack of plans

    def apply(self) -> None:
        """Push the plan of the trial onto the stack."""
        preview, trial = self.state.preview, self.state.trial
        if trial is None or preview is None or preview.plan is None:
            self._host.notify(with_keys("There is nothing to apply yet. Press {strategy} to pick a strategy."))
        elif self.previews.is_running or is_of_other(preview, trial):
            self._host.notify("Still computing the plan …")
        elif not preview.plan.alters:
            self._host.notify("This plan changes nothing. Change a setting first.")
        elif self.put_plan(preview.plan):
            tokens = f"{mark_of(preview.before)}{preview.savings:,}"
            self._host.notify(with_keys("Applied: {tokens} tokens saved. {undo}: undo.", tokens=tokens))
            self.try_trial(None)

    def undo(self, is_redo: bool = False) -> None:
        """Remove the newest plan from the stack, or put the one that was removed last back on it."""
        change = self._plans.redo if is_redo else self._plans.undo
        plan = change(self.state.agent) if self.is_open else None
        if plan is None:
            self._host.notify(f"Nothing to {'redo' if is_redo else 'undo'}.")
            return
        turn = "" if plan.turn <= self.turn else ", created at a later turn"
        keys = with_keys("{undo}: undo." if is_redo else "{redo}: redo.")
        self._host.notify(f"{'Redone' if is_redo else 'Undone'}: {plan.strategy}{turn}. {keys}")
        self._recompute()

    def change_by_hand(self, id: str, kind: Literal["pinned", "dropped"]) -> None:
        """Pin or drop a message with a plan for it alone; a pinned message is unpinned."""
        preview = self.state.preview
        if preview is None:
            return
        if preview.recall and preview.recall.message and id == preview.recall.message.id:
            self._host.notify(
                "Retrieved for this request only; removed automatically. vector_swap sets how much is retrieved."
            )
            return
        if self.previews.is_running or id not in preview.base.ids:
            self._host.notify("Still computing the window …")
            return
        unpin = kind == "pinned" and id in preview.base.pins
        try:
            self.put_plan(library.draft_manual_plan(preview.base, (id,), "kept" if unpin else kind))
        except library.RefusedError as problem:
            self._host.notify(str(problem), severity="warning")

    def put_plan(self, plan: Plan) -> bool:
        """Push a plan onto the stack, on the workbench and in the store. Return False if that is not possible yet."""
        if self.state.bench.partial:
            self._host.notify("Still reading the rest of the file …")
            return False
        self._plans.push(plan, self.state.agent)
        self._recompute()
        return True

    # summary written by a model

    def write_summary(self) -> None:
        """Have the plan's summary written by a model. Previews while a knob is turned never do this."""
        preview, trial = self.state.preview, self.state.trial
        if trial is None or preview is None:
            self._host.notify(with_keys("Press {strategy} to pick a strategy first."))
        elif self.writer.busy:
            self._host.notify(with_keys("It is being written. {back} stops it."))
        elif self.previews.is_running or is_of_other(preview, trial):
            self._host.notify("Still computing the plan …")
        elif preview.plan is None or not preview.plan.summaries:
            self._host.notify("This plan has no summary for a model to write.")
        else:
            self.writer.start(self.state.bench, self.turn, self.state.agent, trial)

    def _set_progress(self, request: SummaryInProgress | None) -> None:
        self._set(replace(self.state, request=request))

    def _set_summary(self, summary: GeneratedSummary) -> None:
        self._set(replace(self.state, summary=summary))
        self._compute()


def _money_at_once(state: InspectState, preview: Preview) -> Money | None:
    """Return the costs of a preview without a plan at prices that are known; None for another one."""
    last = state.money
    if last is None or preview.plan is not None or state.bench.sizes.is_partial:
        return None
    model = last.preview.recorded.context.model
    return library.money_of(preview, name_of_model()) if preview.recorded.context.model == model else None
