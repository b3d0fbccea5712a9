"""The controller of the search with a model in the sources of a reply: its estimate, its progress and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event

from inspector.analysis.asking import (
    MAX_COST,
    MAX_OUTPUT,
    Asker,
    BlamedPart,
    Culprits,
    Expectation,
    ModelSetupError,
    ReplyTrials,
    TrialError,
    asked_model,
    asker_of,
    expected_output,
)
from inspector.core.text import dollars, plural
from inspector.store import Store
from inspector.ui.dialogs.ask_choices import AskSubject
from inspector.ui.dialogs.consent_words import COST_LIMITS, busy_words, moved_in
from inspector.ui.key_remaps import with_keys
from inspector.ui.workers.jobs import CancellableJob, Host, Jobs

_SAMPLES = (1, 3, 5, 7, 9)


@dataclass(frozen=True)
class BlameQuestion:
    """Settings of the search."""

    expectation: Expectation = field(default_factory=Expectation)
    samples: int = 1
    hides: bool = False
    """True to hide secrets."""
    limit: float = MAX_COST

    @property
    def text(self) -> str:
        """Expected text; one that must be missing follows an exclamation mark."""
        return f"!{self.expectation.avoid}" if self.expectation.avoid else self.expectation.expect


@dataclass(frozen=True, eq=False)
class BlamePlan:
    """The search of a question, and its size and price."""

    question: BlameQuestion
    trials: ReplyTrials | None
    sentence: str
    """Host, model, calls, tokens and money, or why nothing can be sent."""


@dataclass(frozen=True)
class BlameResult:
    """The progress of a search, and the messages that it has found."""

    ids: Sequence[str] = ()
    """IDs of the messages of the window."""
    culprits: Culprits | None = None
    parts: Sequence[BlamedPart] = ()
    confirmed: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    tests: int = 0
    paid: str = ""
    """Calls and money so far."""
    said: str = ""
    """The end of the search, in sentences; empty before."""
    problem: str = ""
    """Why the search ended early, in a sentence; empty for a complete result."""

    @property
    def progress(self) -> str:
        """Contexts that were tried, calls and money, in sentences; empty before the first call."""
        return f"{plural(self.tests, 'context')} tried. {self.paid} so far. " if self.paid else ""


@dataclass(frozen=True, eq=False)
class BlameState:
    """Everything that the dialog draws of the search, at one moment."""

    question: BlameQuestion = field(default_factory=BlameQuestion)
    is_begun: bool = False
    """True once the user has asked for the search. Nothing has been sent then."""
    plan: BlamePlan | None = None
    result: BlameResult | None = None
    """Result of the question; None before the search."""
    is_asking: bool = False
    is_wanted: bool = False
    """True if the user wanted to send before the calls were counted. The counted calls still need a yes."""

    @property
    def can_send(self) -> bool:
        """True if a search can start whose result is not shown already."""
        culprits = self.result.culprits if self.result and not self.result.problem else None
        is_done = culprits is not None and culprits.necessary is not None
        return self.plan is not None and self.plan.trials is not None and not self.is_asking and not is_done


@dataclass(eq=False)
class BlameSubject:
    """The reply that is explained."""

    find: Callable[[], AskSubject]
    """Returns the turn of the reply. Called in a thread."""
    weights: Callable[[], Mapping[str, float]]
    """Returns how much of the reply each message states, by id."""
    store: Store | None
    _subjects: dict[bool, AskSubject] = field(default_factory=dict)
    _askers: list[Asker] = field(default_factory=list)

    def plan(self, question: BlameQuestion) -> BlamePlan:
        """Return the search of a question. Runs in a thread."""
        subject = self._subject(hides=question.hides)
        recorded = subject.recorded
        if recorded is None:
            return BlamePlan(question, None, "This turn has no reply to explain.")
        try:
            asker = self._asker(subject)
        except ModelSetupError as problem:
            return BlamePlan(question, None, str(problem))
        asker.max_cost, asker.limit_hint = question.limit, with_keys(" ({much_more} raises it)")
        window = subject.preview.recorded
        trials = ReplyTrials(window, recorded, asker, question.expectation, MAX_OUTPUT, question.samples)
        number = subject.bench.session.turns(subject.agent)[subject.turn - 1]
        estimate = trials.estimate(expected_output(subject.bench.sizes.tokens[number]))
        return BlamePlan(question, trials, estimate.sentence(question.hides, question.limit))

    def _subject(self, *, hides: bool) -> AskSubject:
        if False not in self._subjects:
            self._subjects[False] = self.find()
        if hides not in self._subjects:
            self._subjects[hides] = self._subjects[False].redacted()
        return self._subjects[hides]

    def _asker(self, subject: AskSubject) -> Asker:
        """Return the asker of the reply. Raises ModelSetupError."""
        if not self._askers:
            about = {"turn": subject.turn, "agent": subject.agent, "question": None}
            key = subject.bench.store_id
            self._askers.append(asker_of(asked_model(), about, self.store, key, with_requests=False))
        return self._askers[0]


class BlameController(CancellableJob[BlameResult]):
    """Estimates the search for the messages that a reply depends on, and makes it after consent.

    `on_change` is called with the new state after every change.
    """

    def __init__(self, jobs: Jobs, host: Host, subject: BlameSubject, on_change: Callable[[BlameState], None]) -> None:
        """Create a controller that has not asked for anything.

        Args:
            jobs: Runs computations and calls in threads.
            host: Shows notices.
            subject: The reply.
            on_change: Called with each new state.
        """
        super().__init__(jobs, host, "blame", self._finish)
        self.state = BlameState()
        self.subject, self._on_change = subject, on_change
        self._plans = jobs.latest("blame estimate", self._set_plan)

    def begin(self) -> None:
        """Count the calls of the search, so that the user can agree to it."""
        if not self.state.is_begun:
            self._change(self.state.question)

    def _set(self, state: BlameState) -> None:
        self.state = state
        self._on_change(state)

    def _change(self, question: BlameQuestion) -> None:
        """Search in another way. The result of another question is removed."""
        if self.busy:
            self._host.notify(busy_words())
            return
        old = self.state.question
        is_same = replace(question, limit=old.limit) == old
        result = self.state.result if is_same else None
        self._set(BlameState(question, True, None, result))
        self._plans.ask(partial(self.subject.plan, question))

    def add_samples(self, step: int) -> None:
        """Change the number of replies to each part of the context."""
        self._change(replace(self.state.question, samples=moved_in(_SAMPLES, self.state.question.samples, step)))

    def raise_limit(self, step: int) -> None:
        """Change the dollars that are never exceeded."""
        self._change(replace(self.state.question, limit=moved_in(COST_LIMITS, self.state.question.limit, step)))

    def hide(self) -> None:
        """Hide secrets in what is sent, or send the full text."""
        self._change(replace(self.state.question, hides=not self.state.question.hides))

    def expect(self, text: str | None) -> None:
        """Explain why the reply contains a text, or after an exclamation mark why it does not; None changes nothing."""
        if text is not None:
            words = text.strip()
            is_avoided = words.startswith("!")
            words = words.removeprefix("!").strip()
            self._change(
                replace(self.state.question, expectation=Expectation(avoid=words) if is_avoided else Expectation(words))
            )

    def compare_calls(self) -> None:
        """Compare only calls of tools, or the whole reply again."""
        plan, is_whole = self.state.plan, not self.state.question.expectation.calls_only
        if is_whole and plan is not None and plan.trials is not None and not plan.trials.recorded.calls:
            self._host.notify("This reply calls no tools.")
        else:
            self._change(replace(self.state.question, expectation=Expectation(calls_only=is_whole)))

    def _set_plan(self, plan: BlamePlan) -> None:
        if plan.question == self.state.question:
            is_wanted = self.state.is_wanted and plan.trials is not None
            self._set(replace(self.state, plan=plan, is_wanted=is_wanted))

    def send(self) -> None:
        """Search as the estimate states: the user has agreed to it. Before it is there, ask for the yes again."""
        state, plan = self.state, self.state.plan
        if self.busy:
            self._host.notify(busy_words())
        elif not state.is_begun or plan is None:
            self.begin()
            self._set(replace(self.state, is_wanted=True))
        elif plan.trials is None:
            self._host.notify(plan.sentence, severity="warning")
        elif not state.can_send:
            self._host.notify("The result of this search is shown.")
        else:
            cancel = Event()
            plan.trials.asker.cancel = cancel.is_set
            self._set(
                replace(
                    state,
                    result=BlameResult(paid="0 calls"),
                    is_asking=True,
                    is_wanted=False,
                )
            )
            self._start(cancel, partial(_search, plan.trials, self.subject.weights))

    def _on_result(self, result: BlameResult) -> None:
        self._set(replace(self.state, result=result))
        if result.said:
            self._end()

    def _finish(self) -> None:
        result = self.state.result or BlameResult()
        if not result.said:
            said = f"Stopped. {result.paid}. The replies that have come are kept." if result.paid else "Stopped."
            result = replace(result, said=said, problem="Stopped.")
        self._set(replace(self.state, result=result, is_asking=False))
        self._plans.ask(partial(self.subject.plan, self.state.question))


def _search(
    trials: ReplyTrials, weights: Callable[[], Mapping[str, float]], report: Callable[[BlameResult], object]
) -> None:
    """Search, and report what was found after each test. Runs in a thread."""

    def result() -> BlameResult:
        asker = trials.asker
        return BlameResult(
            trials.window.ids,
            trials.culprits,
            trials.parts,
            dict(trials.confirmed),
            trials.note,
            trials.tests,
            f"{plural(asker.count, 'call')}, {dollars(asker.spent)}",
        )

    trials.on_test = lambda: report(result())
    problem = ""
    try:
        trials.search(weights())
    except TrialError as error:
        problem = str(error)
    ended = result()
    said = f"{ended.paid}, {plural(ended.tests, 'context')} tried. {problem or ended.note}".strip()
    report(replace(ended, said=said, problem=problem))
