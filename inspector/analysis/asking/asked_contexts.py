"""Contexts to put to a model: a recorded window, changed windows, and windows under presets, as valid requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.analysis import context_loss
from inspector.analysis.asking.asking_run import AskedCall, AskedReply
from inspector.analysis.asking.text_calls import limit_field
from inspector.analysis.replay import ReplayRun, context_steps
from inspector.core.conversation import MAIN, Message, Session, Text, ToolCall
from inspector.engine.compression import Preset, with_recall
from inspector.engine.strategies import Services, draft_plan
from inspector.engine.summaries import ModelSettings
from inspector.engine.window import Window, apply, inject, problems, size_problems, with_messages
from inspector.llm.models import profile, session_price
from inspector.llm.providers import (
    PROVIDERS,
    message_from_raw,
    text_message,
    wire_of,
    with_placeholder,
    with_readable_summary,
)
from inspector.llm.tokens import Sizes

_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
_LEFT_OUT = frozenset({"stream", "stream_options", "n", "previous_response_id", "store", "background", "logprobs"})
"""Settings of a recorded request that have no part in a reply, or refer to something at the provider."""
RECORDED_LABEL = "as recorded"
PLANS_LABEL = "with applied plans"


@dataclass(frozen=True)
class AskedContext:
    """A context that is put to a model."""

    label: str
    window: Window
    recorded: Window
    """Window of the same turn as recorded."""
    note: str = ""

    def faults(self, settings: ModelSettings) -> tuple[str, ...]:
        """Return why the context is not sent: problems that the recorded window does not have, and its size.

        Args:
            settings: The model that is asked.
        """
        known = {problem.text for problem in problems(self.recorded, settings.api)}
        new = (problem.text for problem in problems(self.window, settings.api) if problem.text not in known)
        limit = settings.window or profile(settings.model).limit
        sizes = (problem.text for problem in size_problems(self.window.total, limit, settings.api))
        return tuple(dict.fromkeys((*new, *sizes)))

    def body(self, settings: ModelSettings, most: int) -> dict[str, Any]:
        """Return the request.

        Args:
            settings: The model that is asked.
            most: Maximum number of tokens of the reply. A smaller recorded limit is kept.
        """
        context = replace(self.window.context, model=settings.model)
        messages: Sequence[Message] = self.window.messages
        if settings.api != "openai-responses":
            messages = tuple(map(with_readable_summary, messages))
        request = PROVIDERS[settings.api].request(context, messages)
        body = {name: value for name, value in request.items() if name not in _LEFT_OUT}
        recorded = [body.pop(name) for name in _LIMITS if name in body]
        limits = [most, *(value for value in recorded if isinstance(value, int) and value > 0)]
        return body | {"model": settings.model, limit_field(settings): min(limits)}


def with_question(window: Window, question: str) -> Window:
    """Return a window that ends with a question of the user."""
    message = text_message("question", "user", question, window.context.dialect)
    return _extended(window, len(window.messages), message)


def _with_text_given_back(window: Window, text: str) -> Window:
    """Return a window with a text that a program adds before the current request, or else after the system prompt."""
    message = text_message("restored", "user", text, window.context.dialect, kind="injected")
    if window.request is not None:
        return apply(window, inject(window, message, "given back", {}))
    return _extended(window, len(window.system), message)


def _extended(window: Window, place: int, message: Message) -> Window:
    messages, tokens = list(window.messages), list(window.tokens)
    messages.insert(place, message)
    tokens.insert(place, window.sizes.measure(message))
    return with_messages(window, messages, tokens)


def with_edits(window: Window, edits: Mapping[str, str]) -> Window:
    """Return a window in which messages have other texts. Calls of a reply are kept.

    Args:
        window: The window.
        edits: New text by message id.
    """
    messages = [_edited(message, edits[message.id]) if message.id in edits else message for message in window.messages]
    tokens = [
        window.sizes.measure(message) if message.id in edits else size
        for message, size in zip(messages, window.tokens, strict=True)
    ]
    return with_messages(window, messages, tokens)


def _edited(message: Message, text: str) -> Message:
    if message.role == "tool":
        return with_placeholder(message, text)
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    raw = wire_of(message.dialect).encode(message.role, [Text(text), *calls], message.name)
    return message_from_raw(
        message.id, raw, message.dialect, kind=message.kind, agent=message.agent, parent=message.parent
    )


def preset_windows(
    session: Session,
    sizes: Sizes,
    preset: Preset,
    turns: Collection[int],
    agent: str = MAIN,
    pins: frozenset[str] = frozenset(),
) -> dict[int, Window]:
    """Return the windows of turns as they would be if a preset had managed the memory from the start.

    Args:
        session: The session.
        sizes: Its token counts.
        preset: The preset.
        turns: Turns of the windows, from 1.
        agent: Agent of the windows.
        pins: Ids of messages that are never removed.
    """
    run = ReplayRun(session, sizes, preset, session_price(session), agent, judged="nothing")
    run.engine.cursor.pins = pins
    windows = {}
    for step in context_steps(run.log, agent):
        if step.turn > max(turns):
            break
        run.frame(step)
        if step.turn in turns:
            windows[step.turn] = with_recall(run.engine.window(), run.back)
    return windows


def preset_context(
    session: Session, sizes: Sizes, preset: Preset, recorded: Window, pins: frozenset[str] = frozenset()
) -> AskedContext:
    """Return the context of a turn as it would be if a preset had managed the memory from the start.

    Args:
        session: The session.
        sizes: Its token counts.
        preset: The preset.
        recorded: Window of the turn as recorded.
        pins: Ids of messages that are never removed.
    """
    window = preset_windows(session, sizes, preset, [recorded.turn], recorded.agent, pins)[recorded.turn]
    note = "" if window.ids != recorded.ids else "The preset leaves this context unchanged."
    return AskedContext(preset.name, window, recorded, note)


def strategy_context(
    name: str, base: Window, recorded: Window, values: Mapping[str, Any], services: Services
) -> AskedContext:
    """Return the context of a turn after one compression.

    Args:
        name: Name of the strategy.
        base: Window that is compressed.
        recorded: Window of the turn as recorded.
        values: Settings of the strategy by name. Missing ones have their initial value for the window.
        services: Services for the strategy.
    """
    plan = draft_plan(base, name, values, services)
    return AskedContext(name, apply(base, plan), recorded, plan.note)


def restored_context(session: Session, context: AskedContext) -> AskedContext | None:
    """Return a context with the text that gives back what it lost; None if it lost nothing.

    Args:
        session: The session.
        context: The context: as recorded, or changed.

    Raises:
        OSError: The recording can no longer be read.
    """
    window, recorded = context.window, context.recorded
    agent, turns = window.agent, len(session.turns(window.agent))
    restored: context_loss.Restored | None = None
    if context.label != RECORDED_LABEL:
        restored = context_loss.restore_plan(session, recorded, window)
    elif window.turn > turns:
        restored = context_loss.restore(session, agent, None)
    else:
        restored = next(
            (text for at in range(window.turn, 0, -1) if (text := context_loss.restore(session, agent, at))), None
        )
    if restored is None or not restored.text:
        return None
    return replace(context, label=f"{context.label}, restored", window=_with_text_given_back(window, restored.text))


def asked_calls(
    contexts: Sequence[AskedContext], settings: ModelSettings, most: int, samples: int
) -> tuple[list[AskedCall], dict[str, AskedReply]]:
    """Return the calls to make, and the reason why a context is not sent by its label.

    Args:
        contexts: The contexts.
        settings: The model that is asked.
        most: Maximum number of tokens of a reply.
        samples: Number of replies to each context.
    """
    calls, problems = [], {}
    for context in contexts:
        if faults := context.faults(settings):
            problems[context.label] = AskedReply(problem=f"Not asked: {faults[0]}", is_withheld=True)
            continue
        body, total = context.body(settings, most), context.window.total
        calls += [AskedCall(context.label, number, body, total, most) for number in range(1, samples + 1)]
    return calls, problems
