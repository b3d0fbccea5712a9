"""The controller of the dialog that asks a model: its choices, the estimate, and the replies as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from time import monotonic

from inspector.analysis.asking import (
    MAX_COST,
    MAX_OUTPUT,
    AskedCall,
    AskedContext,
    AskedReply,
    Asker,
    ModelSetupError,
    StepReply,
    asked_calls,
    asked_model,
    asker_of,
    expected_output,
    is_same_step,
)
from inspector.core.conversation import Message
from inspector.core.text import dollars, plural
from inspector.engine.compression import Preset
from inspector.engine.strategies import STRATEGIES
from inspector.store import Store
from inspector.ui.dialogs.ask_choices import AskChoice, AskSubject, context_of, edit_choice, preset_choices
from inspector.ui.dialogs.consent_words import COST_LIMITS, busy_words, moved_in
from inspector.ui.dialogs.picker import list_presets
from inspector.ui.key_remaps import with_keys
from inspector.ui.workers.jobs import CancellableJob, Host, Jobs

MAX_SAMPLES = 9
_LIMITS = (0.05, *COST_LIMITS)
"""Dollars that the limit can be set to."""
_INTERVAL = 0.05
"""Seconds between two reports of the text that is being written."""


@dataclass(frozen=True)
class AskAnswer:
    """A reply, or the part of it that has come."""

    text: str = ""
    reply: AskedReply | None = None
    """The whole reply; None while it is being written."""
    same: bool | None = None
    """True for the same step as recorded; None if that is unknown."""

    @property
    def is_missing(self) -> bool:
        """True if the call failed or was not made."""
        return self.reply is None or bool(self.reply.problem)


AnswerKey = tuple[str, int]
"""Label of a context, and the number of the sample."""


@dataclass(frozen=True)
class AskQuestion:
    """The chosen contexts, and how they are asked."""

    labels: frozenset[str]
    """Labels of the chosen contexts."""
    samples: int = 1
    question: str = ""
    hides: bool = False
    """True to hide secrets."""
    limit: float = MAX_COST


@dataclass(frozen=True, eq=False)
class AskPlan:
    """The calls of a question, and their size and price."""

    question: AskQuestion
    subject: AskSubject
    calls: Sequence[AskedCall]
    problems: Mapping[str, AskedReply]
    """Reasons why contexts are not sent, by label."""
    sizes: Mapping[str, int]
    """Tokens by label."""
    notes: Mapping[str, str]
    asker: Asker | None
    sentence: str
    """Host, model, calls, tokens and money, or why nothing can be sent."""
    kept: Mapping[AnswerKey, AskAnswer] = field(default_factory=dict)
    """Replies to these calls that were kept from earlier."""

    @property
    def can_send(self) -> bool:
        """True if a call remains to be made."""
        return self.asker is not None and any((call.label, call.sample) not in self.kept for call in self.calls)


@dataclass(frozen=True, eq=False)
class AskState:
    """Everything that the dialog draws, at one moment."""

    question: AskQuestion
    plan: AskPlan | None = None
    """Plan of the question; None while it is being computed."""
    answers: Mapping[AnswerKey, AskAnswer] = field(default_factory=dict)
    is_asking: bool = False
    is_wanted: bool = False
    """True if the user wanted to send before the calls were counted. The counted calls still need a yes."""
    said: str = ""
    """Calls and money of the last run, in a sentence."""

    @property
    def progress(self) -> tuple[int, int]:
        """Replies that have come, and all that are asked for; without the calls that are not made."""
        calls = self.plan.calls if self.plan else ()
        replies = [self.answers.get((call.label, call.sample), AskAnswer()).reply for call in calls]
        asked = [reply for reply in replies if reply is None or not reply.is_withheld]
        return sum(reply is not None for reply in asked), len(asked)


@dataclass(frozen=True, eq=False)
class _Arrival:
    """Answers that have changed, and the sentence at the end of a run."""

    answers: Mapping[AnswerKey, AskAnswer]
    said: str = ""


class AskController(CancellableJob[_Arrival]):
    """Chooses contexts of a turn, estimates their calls, and sends them after consent.

    `on_change` is called with the new state after every change.
    """

    def __init__(
        self,
        jobs: Jobs,
        host: Host,
        subject: AskSubject,
        choices: Sequence[AskChoice],
        store: Store | None,
        on_change: Callable[[AskState], None],
    ) -> None:
        """Create a controller with the recorded context chosen, and the plans if there are any.

        Args:
            jobs: Runs computations and calls in threads.
            host: Shows notices.
            subject: Turn that is asked about.
            choices: Contexts that can be chosen, the recorded one first.
            store: Keeps replies; None to keep them in memory.
            on_change: Called with each new state.
        """
        super().__init__(jobs, host, "asking", self._finish)
        self.subject, self.choices, self._store, self._on_change = subject, choices, store, on_change
        is_planned = any(not plan.is_idle for plan in subject.preview.plans)
        self.state = AskState(AskQuestion(frozenset(choice.label for choice in choices[: 1 + is_planned])))
        self._askers: dict[str, Asker] = {}
        """Askers by question."""
        self._safe: AskSubject | None = None
        self._contexts: dict[tuple[str, str, bool, str], AskedContext | str] = {}
        self._plans = jobs.latest("estimate", self._set_plan)
        self._presets = jobs.latest("presets", self._add_presets)

    def start(self) -> None:
        """Compute the estimate of the first choice, and read the user's own presets."""
        self._change(self.state.question)
        self._presets.ask(list_presets)

    def _add_presets(self, outcome: tuple[list[Preset], str]) -> None:
        presets, problem = outcome
        if problem:
            self._host.notify(problem, severity="warning")
        labels = {choice.label for choice in self.choices}
        own = [preset for preset in presets if preset.name not in labels]
        if own:
            presets_end = sum(choice.label not in STRATEGIES for choice in self.choices)
            head, tail = self.choices[:presets_end], self.choices[presets_end:]
            self.choices = (*head, *preset_choices(own, self.subject.preview), *tail)
            self._set(self.state)

    def _set(self, state: AskState) -> None:
        self.state = state
        self._on_change(state)

    # the question

    def _change(self, question: AskQuestion) -> None:
        """Ask something else. Replies to another question are removed."""
        if self.busy:
            self._host.notify(busy_words())
            return
        old = self.state.question
        is_other = (old.question, old.hides) != (question.question, question.hides)
        answers = {} if is_other else self.state.answers
        self._set(replace(self.state, question=question, plan=None, answers=answers, is_wanted=False, said=""))
        self._plans.ask(partial(self._plan_of, question))

    def toggle(self, label: str) -> None:
        """Choose a context, or remove it from the chosen ones."""
        self._change(replace(self.state.question, labels=self.state.question.labels ^ {label}))

    def add_samples(self, step: int) -> None:
        """Change the number of replies to each context."""
        samples = min(max(self.state.question.samples + step, 1), MAX_SAMPLES)
        if samples != self.state.question.samples:
            self._change(replace(self.state.question, samples=samples))

    def raise_limit(self, step: int) -> None:
        """Change the dollars that are never exceeded."""
        limit = moved_in(_LIMITS, self.state.question.limit, step)
        if limit != self.state.question.limit:
            self._change(replace(self.state.question, limit=limit))

    def set_question(self, question: str | None) -> None:
        """Put a question at the end of each context; "" removes it, and None changes nothing."""
        if question is not None and question.strip() != self.state.question.question:
            self._change(replace(self.state.question, question=question.strip()))

    def edit(self, message: Message, text: str) -> None:
        """Choose the context in which a message has another text. An earlier text of the message is forgotten.

        Args:
            message: The message.
            text: Its new text.
        """
        if self.busy:
            self._host.notify(busy_words())
            return
        choice = edit_choice(self.subject, message, text)
        others = [other for other in self.choices if other.label != choice.label]
        self.choices = (others[0], choice, *others[1:])
        answers = {key: answer for key, answer in self.state.answers.items() if key[0] != choice.label}
        self.state = replace(self.state, answers=answers)
        self._change(replace(self.state.question, labels=self.state.question.labels | {choice.label}))

    def hide(self) -> None:
        """Hide secrets in what is sent, or send the full text."""
        self._change(replace(self.state.question, hides=not self.state.question.hides))

    @property
    def recorded(self) -> StepReply | None:
        """Reply to compare with; None without a recorded reply, and for the user's own question."""
        if self.state.question.question:
            return None
        return self.state.plan.subject.recorded if self.state.plan else self.subject.recorded

    # the estimate

    def _plan_of(self, question: AskQuestion) -> AskPlan:
        """Return the calls of a question. Runs in a thread."""
        if question.hides and self._safe is None:
            self._safe = self.subject.redacted()
        subject = self._safe if question.hides and self._safe else self.subject
        contexts, problems = [], dict[str, AskedReply]()
        for choice in self.choices:
            if choice.label in question.labels:
                context = self._context(choice, subject, question)
                if isinstance(context, str):
                    problems[choice.label] = AskedReply(problem=context, is_withheld=True)
                else:
                    contexts.append(context)
        sizes = {context.label: context.window.total for context in contexts}
        notes = {context.label: context.note for context in contexts if context.note}
        try:
            asker = self._asker(question.question)
        except ModelSetupError as problem:
            return AskPlan(question, subject, (), problems, sizes, notes, None, str(problem))
        asker.max_cost, asker.limit_hint = question.limit, with_keys(" ({much_more} raises it)")
        calls, refused = asked_calls(contexts, asker.settings, MAX_OUTPUT, question.samples)
        sentence = self._sentence(asker, calls, question)
        kept = _kept_answers(asker, calls, None if question.question else subject.recorded)
        return AskPlan(question, subject, calls, problems | refused, sizes, notes, asker, sentence, kept)

    def _context(self, choice: AskChoice, subject: AskSubject, question: AskQuestion) -> AskedContext | str:
        key = (choice.label, choice.about, question.hides, question.question)
        if key not in self._contexts:
            self._contexts[key] = context_of(choice, subject, question.question)
        return self._contexts[key]

    def _asker(self, question: str) -> Asker:
        """Return the asker of a question. Raises ModelSetupError."""
        if question not in self._askers:
            about = {"turn": self.subject.turn, "agent": self.subject.agent, "question": question or None}
            self._askers[question] = asker_of(asked_model(), about, self._store, self.subject.bench.store_id)
        return self._askers[question]

    def _sentence(self, asker: Asker, calls: Sequence[AskedCall], question: AskQuestion) -> str:
        reply = None if question.question else self.subject.recorded
        turns = self.subject.bench.session.turns(self.subject.agent)
        size = self.subject.bench.sizes.tokens[turns[self.subject.turn - 1]] if reply else 0
        estimate = asker.estimate(calls, expected_output(size))
        if not calls:
            return f"Nothing is chosen that can be sent to {asker.settings.label} at {asker.settings.place}."
        if not estimate.calls:
            return f"All replies of {asker.settings.label} are kept from earlier: nothing is sent or paid again."
        return estimate.sentence(question.hides, question.limit)

    def _set_plan(self, plan: AskPlan) -> None:
        if plan.question == self.state.question:
            answers = {key: answer for key, answer in self.state.answers.items() if not answer.is_missing}
            answers = {**self.state.answers, **plan.kept, **answers}
            self._set(replace(self.state, plan=plan, answers=answers, is_wanted=self.state.is_wanted and plan.can_send))

    # the calls

    def send(self) -> None:
        """Send what the estimate states: the user has agreed to it. Before it is there, ask for the yes again."""
        plan = self.state.plan
        if self.busy:
            self._host.notify(busy_words())
        elif plan is None:
            self._set(replace(self.state, is_wanted=True))
        elif plan.asker is None or not plan.calls:
            problem = next((reply.problem for reply in plan.problems.values()), plan.sentence)
            self._host.notify(plan.sentence if plan.asker is None else problem, severity="warning")
        elif not plan.can_send:
            self._host.notify("All replies are kept and shown. Nothing is sent.")
        else:
            cancel = Event()
            plan.asker.cancel = cancel.is_set
            answers = dict(self.state.answers)
            answers |= {(label, 1): AskAnswer(reply=reply) for label, reply in plan.problems.items()}
            answers |= {(call.label, call.sample): AskAnswer() for call in plan.calls}
            self._set(replace(self.state, answers=answers, is_asking=True, is_wanted=False, said=""))
            self._start(cancel, partial(_ask, plan.asker, plan.calls, self.recorded))

    def back(self) -> bool:
        """Stop the calls. Return False if none are running."""
        return self.stop()

    def _on_result(self, result: _Arrival) -> None:
        self._set(replace(self.state, answers={**self.state.answers, **result.answers}, said=result.said))
        if result.said:
            self._end()

    def _finish(self) -> None:
        """Mark the replies that did not come. Those that came are kept."""
        reason = AskedReply(problem="Cancelled before the reply came.")
        answers = {
            key: answer if answer.reply else replace(answer, reply=reason) for key, answer in self.state.answers.items()
        }
        self._set(replace(self.state, answers=answers, is_asking=False))
        self._plans.ask(partial(self._plan_of, self.state.question))


def _whole_answer(reply: AskedReply, recorded: StepReply | None) -> AskAnswer:
    """Return a whole reply, compared with the recorded one."""
    same = is_same_step(recorded, reply.step) if recorded is not None and not reply.problem else None
    return AskAnswer(reply.text, reply, same)


def _kept_answers(asker: Asker, calls: Sequence[AskedCall], recorded: StepReply | None) -> dict[AnswerKey, AskAnswer]:
    """Return the replies to calls that were kept from earlier."""
    replies = ((call, asker.find(call)) for call in calls)
    return {(call.label, call.sample): _whole_answer(reply, recorded) for call, reply in replies if reply is not None}


def _ask(
    asker: Asker, calls: Sequence[AskedCall], recorded: StepReply | None, report: Callable[[_Arrival], object]
) -> None:
    """Make calls, and report their replies and, some times a second, the text that is being written."""
    texts: dict[AnswerKey, str] = {}
    reported = 0.0
    for key, event in _events(asker, calls):
        if isinstance(event, AskedReply):
            texts.pop(key, None)
            report(_Arrival({key: _whole_answer(event, recorded)}))
            continue
        texts[key] = texts.get(key, "") + event
        if monotonic() - reported > _INTERVAL:
            reported = monotonic()
            report(_Arrival({key: AskAnswer(text) for key, text in texts.items()}))
    report(_Arrival({}, f"{plural(asker.count, 'call')}, {dollars(asker.spent)}."))


def _events(asker: Asker, calls: Sequence[AskedCall]) -> Iterator[tuple[AnswerKey, str | AskedReply]]:
    for call, event in asker.ask(calls):
        yield (call.label, call.sample), event
