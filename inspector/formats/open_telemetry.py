"""OpenTelemetry: spans of calls to models in OTLP JSON, by the GenAI conventions and by what came before them.

https://opentelemetry.io/docs/specs/semconv/gen-ai: `gen_ai.input.messages` and `gen_ai.output.messages`, on the span
or in an event of it; the older events, one for each message; the numbered attributes `gen_ai.prompt.0.role` of
OpenLLMetry; and `llm.input_messages.0.message.role` of OpenInference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from inspector.conversation import Session, Usage
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.chat_shapes import request_messages
from inspector.formats.ids import unique
from inspector.formats.log_builder import LogBuilder
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress
from inspector.formats.traces import ModelCall, counted, trace_sessions, usage_fields
from inspector.formats.writers.open_telemetry import EXPORTED
from inspector.providers import as_text, usage_unless_zero

_Fields = dict[str, Any]
_SENT = ("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "input.value")
_ANSWERS = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "output.value")
_MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
_EVENT_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"
_DEEPEST = 12


class OpenTelemetry(Format):
    """Spans in OTLP JSON, as a collector writes them to a file or a program sends them."""

    name = "open-telemetry"
    title = "OpenTelemetry traces"
    holds: ClassVar[frozenset[Holding]] = frozenset({"system prompt", "tools", "usage", "times", "models", "thinking"})
    fields = frozenset({"resourceSpans", "scopeSpans", "spans", "spanId"})
    page = "https://opentelemetry.io/docs/specs/semconv/gen-ai"

    def recognize(self, sample: Sample) -> Recognition:
        spans = [span for record in sample.objects for span in _spans_in(record)]
        if any(_is_call(_attributes(span)) or _events_of(span) for span in spans):
            return Recognition(1.0, "spans of calls to a model")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        spans: list[_Fields] = []
        for number, record in content.records(progress):
            own = list(_spans_in(record)) if isinstance(record, dict) else []
            if not own:
                content.reject(number, "holds no spans")
            spans += own
        if spans and all(map(_is_export, spans)):
            return unique(_exported_session(content, span) for span in spans)
        spans.sort(key=lambda span: (len(_start(span)), _start(span)))
        return trace_sessions(content, self.name, [call for span in spans if (call := _call_of(span))])


def _is_export(span: _Fields) -> bool:
    """Whether a span is a conversation that was exported from here: it says the kinds of all its messages."""
    return any(row.get("key") == EXPORTED for row in objects_of(span.get("attributes")))


def _exported_session(content: Content, span: _Fields) -> Session:
    """A conversation that was exported from here, with what stands in each message beside the conventions."""
    attributes, log = _attributes(span), LogBuilder()
    entries = [
        entry
        for name in ("gen_ai.input.messages", "gen_ai.output.messages")
        for entry in objects_of(decode_json(attributes.get(name)))
    ]
    for number, entry in enumerate(entries, 1):
        own = fields_of(entry.get("inspector"))
        facts: _Fields = {"time": time_of(own.get("time")), "is_error": own.get("is_error") is True}
        facts |= {"kind": own["kind"]} if own.get("kind") in ("summary", "injected") else {}
        if entry.get("role") == "assistant":
            facts |= {"model": as_text(own.get("model")), "usage": _usage_in(own.get("usage"))}
        for raw in request_messages([entry]):
            log.add(f"m{number}", raw, {}, **facts)
    return log.session(
        content,
        OpenTelemetry.name,
        as_text(attributes.get("gen_ai.conversation.id")),
        as_text(attributes.get(EXPORTED)),
        model=as_text(attributes.get("gen_ai.request.model")),
        tools=tuple(objects_of(decode_json(attributes.get("gen_ai.tool.definitions")))),
    )


def _usage_in(counts: Any) -> Usage | None:
    match counts:
        case [int(sent), int(reply), int(read), int(written)]:
            return usage_unless_zero(sent, reply, read, written)
    return None


def _start(span: _Fields) -> str:
    return as_text(span.get("startTimeUnixNano"))


def _spans_in(record: _Fields) -> Iterator[_Fields]:
    for resource in objects_of(record.get("resourceSpans")):
        for scope in objects_of(resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans")):
            yield from objects_of(scope.get("spans"))


def _attributes(fields: _Fields) -> _Fields:
    """The attributes of a span or an event by their names."""
    rows = objects_of(fields.get("attributes"))
    return {as_text(row.get("key")): _value_of_otlp(row.get("value")) for row in rows}


def _value_of_otlp(value: Any, depth: int = 0) -> Any:
    """A value of OTLP as a plain one."""
    match value:
        case _ if depth > _DEEPEST:
            return None
        case {"stringValue": str(text)}:
            return text
        case {"intValue": int() | str() as number}:
            return int(number) if str(number).lstrip("-").isdecimal() and len(str(number)) < 20 else 0
        case {"boolValue": bool(truth)}:
            return truth
        case {"doubleValue": int() | float() as number}:
            return number
        case {"arrayValue": dict(array)}:
            return [_value_of_otlp(entry, depth + 1) for entry in objects_of(array.get("values"))]
        case {"kvlistValue": dict(rows)}:
            return {
                as_text(row.get("key")): _value_of_otlp(row.get("value"), depth + 1)
                for row in objects_of(rows.get("values"))
            }
    return None


def _is_call(attributes: Mapping[str, Any]) -> bool:
    """Whether a span says what was sent to a model. Spans around such calls repeat it; they name no model."""
    has_messages = any(name == key or key.startswith(f"{name}.") for key in attributes for name in _SENT)
    kind = attributes.get("openinference.span.kind") or attributes.get("gen_ai.operation.name")
    return has_messages and as_text(kind).lower() not in ("invoke_agent", "create_agent", "agent", "chain", "tool")


def _events_of(span: _Fields) -> list[tuple[str, _Fields]]:
    """The events of a span that are messages, each with its name and what it says."""
    events = objects_of(span.get("events"))
    return [
        (name, _attributes(event))
        for event in events
        if (name := as_text(event.get("name"))) in _EVENT_ROLES
        or name in (_CHOICE, "gen_ai.client.inference.operation.details")
    ]


def _call_of(span: _Fields) -> ModelCall | None:
    """What a span says of a call to a model; None for a span of anything else."""
    attributes, events = _attributes(span), _events_of(span)
    for name, fields in events:
        if name.endswith(".details"):
            attributes |= fields
    if not _is_call(attributes) and not events:
        return None
    return ModelCall(
        _sent(attributes, events),
        _numbered_or_whole(attributes, _ANSWERS) or [_event_message(*event) for event in events if event[0] == _CHOICE],
        next((as_text(attributes[name]) for name in _MODELS if attributes.get(name)), ""),
        _usage(attributes),
        time_of(span.get("endTimeUnixNano") or span.get("startTimeUnixNano")),
        objects_of(attributes.get("gen_ai.tool.definitions")),
        as_text(attributes.get("gen_ai.agent.name")),
        as_text(attributes.get("gen_ai.conversation.id") or span.get("traceId")),
        {name: span[name] for name in ("traceId", "spanId", "parentSpanId", "name") if span.get(name)},
    )


def _sent(attributes: _Fields, events: list[tuple[str, _Fields]]) -> Any:
    """The messages that were sent, with the instructions before them."""
    asked = [_event_message(*event) for event in events if event[0] in _EVENT_ROLES]
    sent = _numbered_or_whole(attributes, _SENT) or asked
    instructions = decode_json(attributes.get("gen_ai.system_instructions"))
    if not instructions:
        return sent
    parts = instructions if isinstance(instructions, list) else [{"type": "text", "content": as_text(instructions)}]
    return [{"role": "system", "parts": parts}, *(sent if isinstance(sent, list) else [sent])]


def _usage(attributes: _Fields) -> _Fields:
    prefix = "gen_ai.usage."
    return usage_fields(
        counted(attributes, f"{prefix}input_tokens", f"{prefix}prompt_tokens", "llm.token_count.prompt"),
        counted(attributes, f"{prefix}output_tokens", f"{prefix}completion_tokens", "llm.token_count.completion"),
        counted(
            attributes,
            f"{prefix}cache_read.input_tokens",
            f"{prefix}cache_read_input_tokens",
            "llm.token_count.prompt_details.cache_read",
        ),
    )


def _event_message(name: str, fields: _Fields) -> Any:
    """A message of the older events: its fields as attributes, or in one body."""
    body = fields_of(fields.get("body")) or fields
    if name == _CHOICE:
        inner = decode_json(body.get("message"))
        fields = inner if isinstance(inner, dict) else {"content": inner if inner is not None else body.get("content")}
        return {"role": "assistant", **fields}
    calls = decode_json(body.get("tool_calls"))
    own = {key: value for key, value in body.items() if key in ("content", "name", "id", "tool_call_id")}
    return {"role": _EVENT_ROLES[name], **own, **({"tool_calls": calls} if isinstance(calls, list) else {})}


def _numbered_or_whole(attributes: _Fields, names: tuple[str, ...]) -> Any:
    """The messages under the first of some names: whole, as JSON or not, or with a number for each."""
    for name in names:
        if whole := decode_json(attributes.get(name)):
            return whole
        if rows := _numbered(attributes, f"{name}."):
            return [_without_wrapping(row) for row in rows]
    return []


def _numbered(attributes: _Fields, prefix: str) -> list[Any]:
    """Attributes such as `gen_ai.prompt.0.role`, `gen_ai.prompt.0.tool_calls.1.name`, as what they are parts of."""
    tree: _Fields = {}
    for key, value in attributes.items():
        if key.startswith(prefix):
            *path, last = key.removeprefix(prefix).split(".")[:_DEEPEST]
            place = tree
            for step in path:
                inner = place.setdefault(step, {})
                if not isinstance(inner, dict):
                    break
                place = inner
            else:
                place[last] = value
    return _lists(tree) if all(key.isdecimal() for key in tree) else []


def _lists(value: Any) -> Any:
    """Objects whose keys are numbers, as lists."""
    if not isinstance(value, dict):
        return value
    if value and all(key.isdecimal() for key in value):
        return [_lists(value[key]) for key in sorted(value, key=lambda key: (len(key), key))]
    return {key: _lists(inner) for key, inner in value.items()}


def _without_wrapping(row: Any) -> Any:
    """A message of OpenInference without the name that it puts around everything."""
    message = row.get("message") if isinstance(row, dict) else None
    if not isinstance(message, dict):
        return row
    calls = [fields_of(call.get("tool_call")) for call in objects_of(message.get("tool_calls"))]
    contents = [fields_of(entry.get("message_content")) for entry in objects_of(message.get("contents"))]
    return message | ({"tool_calls": calls} if calls else {}) | ({"content": contents} if contents else {})
