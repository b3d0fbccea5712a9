"""The controller of the dialog that asks a model under presets: its estimate, and the shares of same steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event

from inspector.analysis.asking import (
    ASKED_TURNS,
    MAX_COST,
    MAX_OUTPUT,
    AskedCall,
    AskedReply,
    Asker,
    ModelSetupError,
    SameSteps,
    StepQuestions,
    asked_model,
    asker_of,
    expected_output,
    step_questions,
    telling_turns,
)
from inspector.core.text import dollars, plural
from inspector.engine.compression import Preset
from inspector.library import Workbench
from inspector.store import Store
from inspector.ui.dialogs.consent_words import COST_LIMITS, busy_words, moved_in
from inspector.ui.key_remaps import with_keys
from inspector.ui.workers.jobs import CancellableJob, Host, Jobs

_TURNS = (2, 4, ASKED_TURNS, 16, 32, 64, 128)


@dataclass(frozen=True, eq=False)
class StepsPlan:
    """The calls under the presets, and their size and price."""

    questions: StepQuestions | None
    asker: Asker | None
    sentence: str
    """Host, model, calls, tokens and money, or why nothing can be sent."""
    kept: Mapping[AskedCall, AskedReply] = field(default_factory=dict)
    """All replies, if they were kept from earlier; else empty."""

    @property
    def can_send(self) -> bool:
        """True if a call remains to be made."""
        return self.asker is not None and self.questions is not None and not self.kept


@dataclass(frozen=True, eq=False)
class StepsState:
    """Everything that the dialog draws, at one moment."""

    turns: int = ASKED_TURNS
    limit: float = MAX_COST
    plan: StepsPlan | None = None
    rows: Sequence[SameSteps] = ()
    """Shares so far, that of the model itself first."""
    count: int = 0
    """Replies that have come."""
    is_asking: bool = False
    is_wanted: bool = False
    """True if the user wanted to send before the calls were counted. The counted calls still need a yes."""
    said: str = ""
    """Calls, money and failures of the last run."""


@dataclass(frozen=True, eq=False)
class _Shares:
    rows: Sequence[SameSteps]
    count: int
    said: str = ""


@dataclass
class StepsSubject:
    """The session and the presets that are asked about."""

    bench: Workbench
    agent: str
    presets: Sequence[Preset]
    store: Store | None
    _askers: list[Asker] = field(default_factory=list)

    def asker(self) -> Asker:
        """Return the asker of this session. Raises ModelSetupError."""
        if not self._askers:
            about = {"turn": None, "agent": self.agent, "question": None}
            key = self.bench.store_id
            self._askers.append(asker_of(asked_model(), about, self.store, key, with_requests=False))
        return self._askers[0]

    def plan(self, count: int, limit: float) -> StepsPlan:
        """Return the calls for a number of turns. Runs in a thread.

        Args:
            count: Maximum number of turns.
            limit: Dollars that are never exceeded.
        """
        try:
            asker = self.asker()
        except ModelSetupError as problem:
            return StepsPlan(None, None, str(problem))
        bench, asker.max_cost = self.bench, limit
        asker.limit_hint = with_keys(" ({much_more} raises it)")
        turns = telling_turns(bench.session, bench.fact_index(), count, self.agent)
        if not turns:
            return StepsPlan(None, None, "This agent has no reply to compare with.")
        questions = step_questions(
            bench.session, bench.sizes, self.presets, turns, self.agent, asker.settings, MAX_OUTPUT
        )
        estimate = asker.estimate(questions.calls, expected_output(0))
        words = f"{plural(len(turns), 'turn')} under {plural(len(self.presets), 'preset')}: "
        sentence = estimate.sentence(False, limit) if estimate.calls else "all replies are kept; nothing is paid again."
        kept = {} if estimate.calls else {call: reply for call in questions.calls if (reply := asker.find(call))}
        return StepsPlan(questions, asker, words + sentence, kept)


class StepsController(CancellableJob[_Shares]):
    """Estimates the calls under some presets, and makes them after consent.

    `on_change` is called with the new state after every change.
    """

    def __init__(self, jobs: Jobs, host: Host, subject: StepsSubject, on_change: Callable[[StepsState], None]) -> None:
        """Create a controller with the default number of turns.

        Args:
            jobs: Runs computations and calls in threads.
            host: Shows notices.
            subject: The session and the presets.
            on_change: Called with each new state.
        """
        super().__init__(jobs, host, "same steps", self._finish)
        self.state = StepsState()
        self.subject, self._on_change = subject, on_change
        self._plans = jobs.latest("steps", self._set_plan)

    def start(self) -> None:
        """Compute the estimate."""
        self._change(self.state)

    def _set(self, state: StepsState) -> None:
        self.state = state
        self._on_change(state)

    def _change(self, state: StepsState) -> None:
        if self.busy:
            self._host.notify(busy_words())
            return
        self._set(replace(state, plan=None, is_wanted=False))
        self._plans.ask(lambda: (state.turns, state.limit, self.subject.plan(state.turns, state.limit)))

    def add_turns(self, step: int) -> None:
        """Change the number of turns."""
        self._change(replace(self.state, turns=moved_in(_TURNS, self.state.turns, step)))

    def raise_limit(self, step: int) -> None:
        """Change the dollars that are never exceeded."""
        self._change(replace(self.state, limit=moved_in(COST_LIMITS, self.state.limit, step)))

    def _set_plan(self, outcome: tuple[int, float, StepsPlan]) -> None:
        turns, limit, plan = outcome
        if (turns, limit) == (self.state.turns, self.state.limit):
            state = replace(self.state, plan=plan, is_wanted=self.state.is_wanted and plan.can_send)
            if plan.kept and plan.questions and not self.busy:
                state = replace(state, rows=plan.questions.rows(plan.kept), count=len(plan.kept))
            self._set(state)

    def send(self) -> None:
        """Make the calls that the estimate states: the user has agreed to them. Before that, ask for the yes again."""
        plan = self.state.plan
        if self.busy:
            self._host.notify(busy_words())
        elif plan is None:
            self._set(replace(self.state, is_wanted=True))
        elif plan.asker is None or plan.questions is None:
            self._host.notify(plan.sentence, severity="warning")
        elif plan.kept:
            self._host.notify("All replies are kept and shown. Nothing is sent.")
        else:
            cancel = Event()
            plan.asker.cancel = cancel.is_set
            self._set(
                replace(self.state, rows=plan.questions.rows({}), count=0, is_asking=True, is_wanted=False, said="")
            )
            self._start(cancel, partial(_ask_steps, plan.asker, plan.questions))

    def _on_result(self, result: _Shares) -> None:
        self._set(replace(self.state, rows=result.rows, count=result.count, said=result.said))
        if result.said:
            self._end()

    def _finish(self) -> None:
        said = self.state.said or "Stopped. The replies that have come are counted."
        state = replace(self.state, is_asking=False, said=said)
        self._set(state)
        self._plans.ask(lambda: (state.turns, state.limit, self.subject.plan(state.turns, state.limit)))


def _ask_steps(asker: Asker, questions: StepQuestions, report: Callable[[_Shares], object]) -> None:
    """Make the calls, and report the shares after each reply. Runs in a thread."""
    replies: dict[AskedCall, AskedReply] = {}
    for call, event in asker.ask(questions.calls):
        if isinstance(event, AskedReply):
            replies[call] = event
            report(_Shares(questions.rows(replies), len(replies)))
    report(_Shares(questions.rows(replies), len(replies), _end_of(asker, replies)))


def _end_of(asker: Asker, replies: Mapping[AskedCall, AskedReply]) -> str:
    """Return the calls, their money and the first failure in sentences."""
    problems = [reply.problem for reply in replies.values() if reply.problem]
    failed = f" {len(problems):,} of {len(replies):,} replies are missing: {problems[0]}" if problems else ""
    return f"{plural(asker.count, 'call')}, {dollars(asker.spent)}.{failed}"
