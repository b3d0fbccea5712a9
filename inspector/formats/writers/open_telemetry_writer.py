"""A conversation as a span in OTLP JSON, by the GenAI conventions; see `inspector.formats.readers.open_telemetry`.

https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans: one call of a model, with all messages as input, except
a reply at the end, which is the output. Data without an attribute in the conventions is in each message under
`inspector`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import blake2b

from inspector.core.conversation import Document, Image, Part, Text, Thinking, ToolCall, Unknown, Usage, readable
from inspector.core.text import dumps, printable_json
from inspector.formats.reading.content import Fields
from inspector.formats.writers.atif_writer import content_of
from inspector.formats.writers.base import (
    Conversation,
    FileForm,
    hidden_notes,
    iso_time,
    object_in,
    signature_notes,
    stray_notes,
)
from inspector.llm.providers import Turn, order_notes

SCOPE = "inspector"
"""Name of the scope, and of the fields that extend the conventions."""
EXPORTED = "inspector.title"
"""The attribute that tells an export."""
SIZES = "inspector.sizes"
"""The attribute with what is known of sizes."""
_CLIENT = 3
"""The kind of a span that calls another service."""


class OpenTelemetryWriter(FileForm):
    """One span that holds the whole conversation."""

    name = "open-telemetry"
    title = "OpenTelemetry GenAI trace"
    suffix = ".otlp.json"

    def write(self, conversation: Conversation) -> str:
        resource = {"attributes": list(_attributes({"service.name": SCOPE}))}
        scope = {"scope": {"name": SCOPE}, "spans": [_span_of(conversation)]}
        return printable_json({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}) + "\n"

    def notes(self, conversation: Conversation) -> Iterator[str]:
        yield from order_notes(conversation.messages)
        yield from stray_notes(conversation)
        yield from signature_notes(conversation, "OpenTelemetry")
        yield from hidden_notes(conversation, "OpenTelemetry")


def _span_of(conversation: Conversation) -> Fields:
    times = [_nanoseconds(turn.message.time) for turn in conversation.turns]
    return {
        "traceId": _digest(conversation.id, 16),
        "spanId": _digest(conversation.id, 8),
        "name": f"chat {conversation.context.model}".strip(),
        "kind": _CLIENT,
        "startTimeUnixNano": str(min(filter(None, times), default=0)),
        "endTimeUnixNano": str(max(times, default=0)),
        "attributes": list(_attributes(_values_of(conversation))),
    }


def _values_of(conversation: Conversation) -> Fields:
    """Return the attributes of the span by name, without those that have no value."""
    turns, context, has_usage = conversation.turns, conversation.context, conversation.is_whole
    last = _answer_in(turns)
    sent = turns[:-1] if last else turns
    values: Fields = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": context.dialect,
        "gen_ai.request.model": context.model,
        "gen_ai.conversation.id": conversation.id,
        "gen_ai.tool.definitions": dumps(list(context.tools)) if context.tools else "",
        "gen_ai.input.messages": dumps([entry for turn in sent for entry in _entries_of(turn, has_usage)]),
        EXPORTED: conversation.title,
        SIZES: dumps(list(conversation.sizes)),
    }
    if last is None:
        return values
    end = {"finish_reason": "tool_call" if last.calls else "stop"}
    values["gen_ai.output.messages"] = dumps([entry | end for entry in _entries_of(last, has_usage)])
    values["gen_ai.response.model"] = last.message.model or context.model
    usage = last.message.usage if has_usage else None
    return values | (_usage_attributes(usage) if usage else {})


def _answer_in(turns: Sequence[Turn]) -> Turn | None:
    """Return the reply at the end, if nothing follows it."""
    last = turns[-1] if turns else None
    return last if last and last.message.role == "assistant" and not any(last.results) else None


def _usage_attributes(usage: Usage) -> Fields:
    counts = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read.input_tokens": usage.cache_read,
        "cache_creation.input_tokens": usage.cache_write,
    }
    return {f"gen_ai.usage.{name}": count for name, count in counts.items()}


def _attributes(values: Fields) -> Iterator[Fields]:
    for key, value in values.items():
        if value != "" or key == EXPORTED:
            yield {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=size).hexdigest()


def _nanoseconds(time: str) -> int:
    """Return a time in nanoseconds since 1970; 0 if it cannot be read."""
    text = iso_time(time)
    return max(0, round(datetime.fromisoformat(text).timestamp() * 1000)) * 1_000_000 if text else 0


def _entries_of(turn: Turn, has_usage: bool) -> list[Fields]:
    """Return a message followed by the results of its calls."""
    message = turn.message
    ids = iter(turn.ids)
    parts = [entry for part in turn.parts for entry in _parts_of(part, ids)]
    entry: Fields = {"role": message.role, "parts": parts}
    entry |= {"name": message.name} if message.name else {}
    own: Fields = {} if message.kind == "chat" else {"kind": message.kind}
    own |= {"time": time} if (time := iso_time(message.time)) else {}
    own |= {"model": message.model} if message.model else {}
    if has_usage and (usage := message.usage):
        own["usage"] = [usage.input, usage.output, usage.cache_read, usage.cache_write]
    return [entry | ({SCOPE: own} if own else {}), *_results_of(turn)]


def _results_of(turn: Turn) -> Iterator[Fields]:
    for call_id, result in zip(turn.ids, turn.results, strict=True):
        if result is not None:
            response = content_of(result.result.parts)
            entry = {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": response}]}
            own: Fields = {"is_error": True} if result.message.is_error else {}
            own |= {"time": time} if (time := iso_time(result.message.time)) else {}
            yield entry | ({SCOPE: own} if own else {})


def _parts_of(part: Part, ids: Iterator[str]) -> Iterator[Fields]:
    match part:
        case ToolCall(_, name, arguments):
            value = object_in(arguments)
            yield {
                "type": "tool_call",
                "id": next(ids),
                "name": name,
                "arguments": arguments if value is None else value,
            }
        case Thinking(text):
            if text:
                yield {"type": "reasoning", "content": text}
        case Text(text):
            yield {"type": "text", "content": text}
        case Image(media_type, _, _, source) if source:
            yield _media(source, media_type or "image/png", "image")
        case Document(media_type, _, _, source) if source:
            yield _media(source, media_type or "application/pdf", "document")
        case Unknown() if part.is_internal:
            return
        case _:
            yield {"type": "text", "content": readable(part)}


def _media(source: str, media_type: str, modality: str) -> Fields:
    head, _, data = source.partition(",")
    if head.startswith("data:") and head.endswith(";base64"):
        return {"type": "blob", "modality": modality, "mime_type": media_type, "content": data}
    return {"type": "uri", "modality": modality, "mime_type": media_type, "uri": source}
