"""A conversation as a trajectory in the Agent Trajectory Interchange Format; see `inspector.formats.readers.atif`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.conversation import Image, Part, Text, Thinking, ToolCall, Unknown, Usage, readable
from inspector.core.text import printable_json
from inspector.formats.reading.content import Fields
from inspector.formats.writers.base import (
    Conversation,
    FileForm,
    arguments_object,
    hidden_notes,
    iso_time,
    object_in,
    signature_notes,
    stray_notes,
)
from inspector.llm.providers import Turn, order_notes

_VERSION = "ATIF-v1.6"


class ATIFWriter(FileForm):
    """One trajectory. Data without a field in the format is in `extra`, which every program may use."""

    name = "atif"
    title = "ATIF trajectory"
    suffix = ".json"

    def write(self, conversation: Conversation) -> str:
        context = conversation.context
        agent: Fields = {"name": conversation.format or "agent", "version": "unknown"}
        agent |= {"model_name": context.model} if context.model else {}
        agent |= {"tool_definitions": list(context.tools)} if context.tools else {}
        steps = [
            {"step_id": number, **_step_of(turn, conversation.is_whole)}
            for number, turn in enumerate(conversation.turns, 1)
        ]
        trajectory = {
            "schema_version": _VERSION,
            "session_id": conversation.id,
            "agent": agent,
            "steps": steps,
            "final_metrics": {"total_steps": len(steps)},
            "extra": {"title": conversation.title, "sizes": list(conversation.sizes)},
        }
        return printable_json(trajectory) + "\n"

    def notes(self, conversation: Conversation) -> Iterator[str]:
        yield from order_notes(conversation.messages)
        yield from stray_notes(conversation)
        yield from signature_notes(conversation, "ATIF")
        yield from hidden_notes(conversation, "ATIF")


def _step_of(turn: Turn, has_usage: bool) -> Fields:
    message = turn.message
    words = [part for part in turn.parts if not isinstance(part, Thinking | ToolCall)]
    step: Fields = {"timestamp": time} if (time := iso_time(message.time)) else {}
    step |= {"source": "agent" if message.role == "assistant" else message.role, "message": content_of(words)}
    extra: Fields = {} if message.kind == "chat" else {"kind": message.kind}
    extra |= {"name": message.name} if message.name else {}
    if message.role == "assistant":
        step |= _reply_fields(turn, has_usage)
        extra |= _marks_of(turn)
    return step | ({"extra": extra} if extra else {})


def _reply_fields(turn: Turn, has_usage: bool) -> Fields:
    """Return the other fields of an agent's step: reasoning, calls, their results, and metrics."""
    message = turn.message
    fields: Fields = {"model_name": message.model} if message.model else {}
    thoughts = [part.text for part in turn.parts if isinstance(part, Thinking) and part.text]
    fields |= {"reasoning_content": "\n\n".join(thoughts)} if thoughts else {}
    if turn.calls:
        fields["tool_calls"] = [
            {"tool_call_id": call_id, "function_name": call.name, "arguments": arguments_object(call.arguments)}
            for call_id, call in zip(turn.ids, turn.calls, strict=True)
        ]
        fields["observation"] = {
            "results": [
                {"source_call_id": call_id, "content": content_of(result.result.parts)}
                for call_id, result in zip(turn.ids, turn.results, strict=True)
                if result is not None
            ]
        }
    if has_usage and message.usage:
        fields["metrics"] = _metrics_of(message.usage)
    return fields


def _marks_of(turn: Turn) -> Fields:
    """Which calls failed, and whose arguments are no object, by the ids of the calls."""
    calls = list(zip(turn.ids, turn.calls, turn.results, strict=True))
    failed = [call_id for call_id, _, result in calls if result is not None and result.message.is_error]
    plain = [call_id for call_id, call, _ in calls if object_in(call.arguments) is None]
    return ({"failed_calls": failed} if failed else {}) | ({"text_arguments": plain} if plain else {})


def _metrics_of(usage: Usage) -> Fields:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "cached_tokens": usage.cache_read,
    }


def content_of(parts: Sequence[Part]) -> str | list[Fields]:
    """Words, and pictures by their address or with their data; anything else in words."""
    blocks = [block for part in parts if not (isinstance(part, Unknown) and part.is_internal) for block in _block(part)]
    if all(block["type"] == "text" for block in blocks) and len(blocks) < 2:
        return blocks[0]["text"] if blocks else ""
    return blocks


def _block(part: Part) -> Iterator[Fields]:
    match part:
        case Image(media_type, _, _, source) if source:
            yield {"type": "image", "source": {"media_type": media_type or "image/png", "path": source}}
        case Text(text):
            yield {"type": "text", "text": text}
        case _:
            yield {"type": "text", "text": readable(part)}
