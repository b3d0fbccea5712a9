"""Calls of a memory that have no result, such as those of a program that was killed while its tools ran."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.conversation import CallHead, Message, ToolResult
from inspector.core.text import clip, one_line, plural
from inspector.engine.compression import CompressionEngine
from inspector.llm.providers import wire_of
from inspector.memory.message_adapter import LLMMessage, message_of
from inspector.memory.tiered import TieredMemory

_INTERRUPTED = "[interrupted: the program ended before this tool returned]"
_MAX_NAME = 64
_MAX_NAMES = 5


class AnsweredMemory(TieredMemory):
    """A memory that states which of its calls have no result."""

    engine: CompressionEngine

    @property
    def open_calls(self) -> tuple[CallHead, ...]:
        """Calls in the context without a result. Providers reject a request until each is answered."""
        messages = self.engine.context().messages
        return tuple(call for _, call in _unanswered(messages))


def interrupted_results(engine: CompressionEngine) -> list[LLMMessage]:
    """Return a result for each open call that states that the program ended before the tool returned."""
    calls = _unanswered(engine.context().messages)
    if not calls:
        return []
    wire = wire_of(calls[0][0].dialect)
    empty = [wire.encode("tool", [ToolResult(call.id, ())], call.name) for _, call in calls]
    return [message_of(raw) for raw in wire.join([wire.with_result_text(raw, _INTERRUPTED) for raw in empty])]


def describe_open_calls(calls: Sequence[CallHead]) -> list[str]:
    """Return a sentence about open calls, or nothing without any."""
    if not calls:
        return []
    names = [clip(one_line(call.name), _MAX_NAME) for call in calls[:_MAX_NAMES]] + ["…"] * (len(calls) > _MAX_NAMES)
    return [f"{plural(len(calls), 'call')} without a result: {', '.join(names)}. Add the results, or a new request."]


def _unanswered(messages: Sequence[Message]) -> list[tuple[Message, CallHead]]:
    answered = {message.answers for message in messages if message.answers is not None}
    return [(message, call) for message in messages for call in message.calls if call.id not in answered]
