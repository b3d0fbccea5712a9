"""The contexts of a turn that can be put to a model: as recorded, changed by plans, presets or strategies, restored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from inspector.analysis import redaction
from inspector.analysis.asking import (
    PLANS_LABEL,
    RECORDED_LABEL,
    AskedContext,
    StepReply,
    preset_context,
    reply_step,
    restored_context,
    strategy_context,
    with_edits,
    with_question,
)
from inspector.core.conversation import Message
from inspector.core.text import plural
from inspector.engine.compression import BUILT_IN, Preset
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import BY_HAND, Window, apply
from inspector.library import Preview, RefusedError, Workbench, draft_manual_plan

_DROPS_LABEL = "without what you dropped"


@dataclass(frozen=True, eq=False)
class AskSubject:
    """The turn that is asked about."""

    bench: Workbench
    preview: Preview
    """Its windows as recorded and with the plans."""
    clean: Callable[[str], str] = str
    """Returns a text of the user without secrets; the same text if secrets are not hidden."""

    @property
    def turn(self) -> int:
        return self.preview.recorded.turn

    @property
    def agent(self) -> str:
        return self.preview.recorded.agent

    @property
    def recorded(self) -> StepReply | None:
        """The recorded reply of the turn; None at the current context."""
        turns = self.bench.session.turns(self.agent)
        return reply_step(self.bench.session.messages[turns[self.turn - 1]]) if self.turn <= len(turns) else None

    def redacted(self) -> AskSubject:
        """Return the same turn without secrets. Reads the whole session.

        Raises:
            OSError: The recording can no longer be read.
        """
        safe = redaction.redact(self.bench.session, {**self.bench.plans, self.agent: self.preview.plans})
        bench = self.bench.with_session(safe.session, safe.plans)

        def clean(text: str) -> str:
            safe.redactor.collect(text)
            return safe.redactor.text_of(text)

        return AskSubject(bench, bench.preview(self.turn, safe.redactor.text_of(self.agent)), clean)


MakeContext = Callable[[AskSubject], AskedContext | None]
"""Returns a context of a turn; None if it would be the recorded one. Runs in a thread."""


@dataclass(frozen=True)
class AskChoice:
    """A context that can be chosen."""

    label: str
    about: str
    """Description in a few words."""
    make: MakeContext


def choices_of(subject: AskSubject, message: Message | None) -> tuple[AskChoice, ...]:
    """Return the contexts that can be asked.

    Args:
        subject: The turn.
        message: Message under the cursor; None for none.
    """
    return tuple(_choices(subject, message))


def _choices(subject: AskSubject, message: Message | None) -> Iterator[AskChoice]:
    preview = subject.preview
    yield AskChoice(RECORDED_LABEL, "", _as_recorded)
    changed = not all(plan.is_idle for plan in preview.plans)
    label = _plans_label(preview)
    yield from _planned(preview)
    if message is not None and message.id in preview.base.ids and message.role != "system":
        numbers = subject.bench.session.numbers
        name = f"without #{numbers[message.id]:,}" if message.id in numbers else "without the summary"
        yield AskChoice(name, message.preview, partial(_without_message, name, message.id))
    yield AskChoice("restored", "with the facts that compactions dropped", partial(_restored, _as_recorded))
    if changed:
        restored = partial(_restored, partial(_with_plans, label))
        yield AskChoice(f"{label}, restored", "with the facts that the plans drop", restored)
    yield from preset_choices(BUILT_IN.values(), preview)
    pins = _pins_words(preview)
    for name, strategy in STRATEGIES.items():
        yield AskChoice(name, f"strategy: {strategy.about}{pins}", partial(_by_strategy, name))


def _planned(preview: Preview) -> Iterator[AskChoice]:
    """Yield the contexts with plans: with all, with the applied ones, and with what the user dropped by hand."""
    changed = not all(plan.is_idle for plan in preview.plans)
    label = _plans_label(preview)
    if changed:
        yield AskChoice(label, "the plans of this window", partial(_with_plans, label))
    if changed and preview.plan is not None and preview.base.ids != preview.recorded.ids:
        yield AskChoice(PLANS_LABEL, "without the one that is tried", _with_applied)
    dropped = _dropped_by_hand(preview)
    if dropped and any(plan.strategy != BY_HAND and not plan.is_idle for plan in preview.plans):
        about = f"only without the {plural(len(dropped), 'message')} that you dropped"
        yield AskChoice(_DROPS_LABEL, about, partial(_without, _DROPS_LABEL, dropped))


def preset_choices(presets: Iterable[Preset], preview: Preview) -> Iterator[AskChoice]:
    """Yield the contexts under presets, which keep the pinned messages.

    Args:
        presets: The presets.
        preview: The windows of the turn.
    """
    pins = _pins_words(preview)
    for preset in presets:
        about = f"preset: {preset.strategy} from the first turn{pins}"
        yield AskChoice(preset.name, about, partial(_by_preset, preset))


def _pins_words(preview: Preview) -> str:
    count = len(preview.base.pins)
    return f"; keeps {plural(count, 'pinned message')}" if count else ""


def _dropped_by_hand(preview: Preview) -> tuple[str, ...]:
    """Return the ids of the recorded messages that the user dropped."""
    by_hand = [plan for plan in preview.plans if plan.strategy == BY_HAND]
    recorded = frozenset(preview.recorded.ids)
    dropped = (
        name for plan in by_hand for name, fate in zip(plan.ids, plan.fates, strict=True) if fate.kind == "dropped"
    )
    return tuple(name for name in dict.fromkeys(dropped) if name in recorded)


def _plans_label(preview: Preview) -> str:
    return " + ".join(dict.fromkeys(plan.strategy for plan in preview.plans))


def _as_recorded(subject: AskSubject) -> AskedContext:
    recorded = subject.preview.recorded
    return AskedContext(RECORDED_LABEL, recorded, recorded)


def _with_plans(label: str, subject: AskSubject) -> AskedContext:
    return AskedContext(label, subject.preview.after, subject.preview.recorded)


def _with_applied(subject: AskSubject) -> AskedContext:
    return AskedContext(PLANS_LABEL, subject.preview.base, subject.preview.recorded)


def _without_message(label: str, id: str, subject: AskSubject) -> AskedContext | None:
    return _dropped(label, (id,), subject.preview.base, subject)


def edit_choice(subject: AskSubject, message: Message, text: str) -> AskChoice:
    """Return the context in which a message has another text.

    Args:
        subject: The turn.
        message: The message.
        text: Its new text.
    """
    numbers = subject.bench.session.numbers
    label = f"edited #{numbers[message.id]:,}" if message.id in numbers else "edited summary"
    return AskChoice(label, text, partial(_edited, label, message.id, text))


def _edited(label: str, id: str, text: str, subject: AskSubject) -> AskedContext:
    base = subject.preview.base
    return AskedContext(label, with_edits(base, {id: subject.clean(text)}), subject.preview.recorded)


def _without(label: str, ids: tuple[str, ...], subject: AskSubject) -> AskedContext | None:
    return _dropped(label, ids, subject.preview.recorded, subject)


def _dropped(label: str, ids: tuple[str, ...], base: Window, subject: AskSubject) -> AskedContext | None:
    """Return a window without some messages. Raises ValueError if a provider would reject the rest."""
    try:
        window = apply(base, draft_manual_plan(base, ids, "dropped"))
    except RefusedError as error:
        raise ValueError(str(error)) from error
    return AskedContext(label, window, subject.preview.recorded) if window.ids != base.ids else None


def _restored(make: Callable[[AskSubject], AskedContext], subject: AskSubject) -> AskedContext | None:
    return restored_context(subject.bench.session, make(subject))


def _by_preset(preset: Preset, subject: AskSubject) -> AskedContext:
    pins = subject.preview.base.pins
    return preset_context(subject.bench.session, subject.bench.sizes, preset, subject.preview.recorded, pins)


def _by_strategy(name: str, subject: AskSubject) -> AskedContext:
    return strategy_context(name, subject.preview.base, subject.preview.recorded, {}, subject.bench.services)


def context_of(choice: AskChoice, subject: AskSubject, question: str) -> AskedContext | str:
    """Return a context, or why it cannot be asked, in a sentence.

    Args:
        choice: The chosen context.
        subject: The turn.
        question: Question at the end of the context; "" for the turn's own request.
    """
    try:
        context = choice.make(subject)
    except ValueError as error:
        return str(error)
    if context is None:
        return "Not asked: it is the recorded context, from which nothing was removed."
    window = with_question(context.window, question) if question else context.window
    return replace(context, label=choice.label, window=window)
