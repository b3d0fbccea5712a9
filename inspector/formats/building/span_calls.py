"""Calls of models in spans, by the GenAI conventions and by earlier ones.

https://opentelemetry.io/docs/specs/semconv/gen-ai: `gen_ai.input.messages` and `gen_ai.output.messages`, on the span
or in an event of it; the older events, one for each message or one for all, also as records of a log; the numbered
attributes `gen_ai.prompt.0.role` of OpenLLMetry; `llm.input_messages.0.message.role` of OpenInference; and
`ai.prompt.messages` of the AI SDK (https://ai-sdk.dev/docs/ai-sdk-core/telemetry).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.formats.building.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.building.log_builder import definition_of
from inspector.formats.building.message_heuristics import tools_in
from inspector.formats.building.monocle import is_monocle_call, monocle_messages, monocle_usage
from inspector.formats.building.spans import TraceSpan, unflatten
from inspector.formats.building.traces import ModelCall, counted, usage_fields
from inspector.formats.reading.content import Fields
from inspector.llm.providers import DEFAULT_DIALECT, as_text

_MAX_AROUND = 64
"""Maximum number of enclosing spans that are searched for an agent."""
_SENT = ("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "ai.prompt.messages", "input.value")
_ANSWERS = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "output.value")
_MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id")
_EVENT_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"
_WHOLE_EVENTS = frozenset(
    {"gen_ai.client.inference.operation.details", "gen_ai.content.prompt", "gen_ai.content.completion"}
)
"""Events whose attributes are those of the span."""


def is_call(attributes: Mapping[str, Any]) -> bool:
    """Return True if a span has the input of a model call. Enclosing spans repeat the input, but name no model."""
    has_messages = any(name == key or key.startswith(f"{name}.") for key in attributes for name in _SENT)
    kind = attributes.get("openinference.span.kind") or attributes.get("gen_ai.operation.name")
    return has_messages and as_text(kind).lower() not in ("invoke_agent", "create_agent", "agent", "chain", "tool")


def message_events(span: TraceSpan) -> list[tuple[str, Fields]]:
    """Return the events of a span that contain messages, each with its name and attributes."""
    return [event for event in span.events if event[0] in _EVENT_ROLES or event[0] in (_CHOICE, *_WHOLE_EVENTS)]


def _agent_name(span: TraceSpan, around: Mapping[str, TraceSpan]) -> str:
    """Return the agent of a span, or of the nearest enclosing span that names one."""
    for _ in range(_MAX_AROUND):
        if name := span.attributes.get("gen_ai.agent.name"):
            return as_text(name)
        outer = around.get(as_text(span.ids.get("parentSpanId")))
        if outer is None:
            break
        span = outer
    return ""


def tools_of_span(span: TraceSpan, around: Mapping[str, TraceSpan]) -> list[Fields]:
    """Return the tool definitions of a span, or of the nearest enclosing span that has any."""
    for _ in range(_MAX_AROUND):
        if tools := _tools_of(span.attributes):
            return tools
        outer = around.get(as_text(span.ids.get("parentSpanId")))
        if outer is None:
            break
        span = outer
    return []


def _tools_of(attributes: Fields) -> list[Fields]:
    """Return the tool definitions, also in the notations of OpenInference, Traceloop and the AI SDK."""
    if whole := objects_of(attributes.get("gen_ai.tool.definitions")):
        return tools_in({"tools": whole})
    if requested := objects_of(fields_of(attributes.get("model_request_parameters")).get("function_tools")):
        return tools_in({"tools": requested})
    numbered = objects_of(unflatten(attributes, "llm.tools."))
    tools = [fields_of(fields_of(tool.get("tool")).get("json_schema")) for tool in numbered]
    tools += objects_of(unflatten(attributes, "llm.request.functions."))
    listed = attributes.get("ai.prompt.tools")
    tools += [fields_of(tool) for tool in listed] if isinstance(listed, list) else []
    schemas = [tool.get("parameters") or tool.get("inputSchema") or tool.get("input_schema") for tool in tools]
    pairs = [(tool, fields_of(schema)) for tool, schema in zip(tools, schemas, strict=True) if tool]
    return [definition_of({**tool, "parameters": schema}, DEFAULT_DIALECT) for tool, schema in pairs]


def call_in_span(span: TraceSpan, around: Mapping[str, TraceSpan]) -> ModelCall | None:
    """Return the model call of a span, using enclosing spans, or None for other spans."""
    if is_monocle_call(span):
        return _monocle_call(span, around)
    attributes, events = {**span.attributes}, message_events(span)
    for name, fields in events:
        if name in _WHOLE_EVENTS:
            attributes |= fields
    if not is_call(attributes) and not events:
        return None
    answers = _messages_under(attributes, _ANSWERS) or _ai_sdk_answer(attributes)
    return ModelCall(
        _sent(attributes, events),
        answers or [_event_message(*event) for event in events if event[0] == _CHOICE],
        _model_of(attributes),
        _usage(attributes),
        time_of(span.end or span.start),
        _tools_of(attributes) or tools_of_span(span, around),
        _agent_name(span, around),
        as_text(attributes.get("gen_ai.conversation.id") or span.ids.get("traceId")),
        span.ids,
        span.error,
    )


def _model_of(attributes: Fields) -> str:
    return next((as_text(attributes[name]) for name in _MODELS if attributes.get(name)), "")


def _monocle_call(span: TraceSpan, around: Mapping[str, TraceSpan]) -> ModelCall:
    sent, answer = monocle_messages(span)
    model = as_text(span.attributes.get("entity.2.name") or span.attributes.get("entity.3.name"))
    return ModelCall(
        sent,
        answer,
        model,
        monocle_usage(span),
        time_of(span.end or span.start),
        (),
        _agent_name(span, around),
        as_text(span.attributes.get("scope.agentic.session") or span.ids.get("traceId")),
        span.ids,
        span.error,
    )


def _ai_sdk_answer(attributes: Fields) -> list[Fields]:
    """Return the reply in a trace of the AI SDK."""
    calls = [{**call, "type": "tool-call"} for call in objects_of(attributes.get("ai.response.toolCalls"))]
    thoughts = [{"type": "reasoning", "text": text} for text in [attributes.get("ai.response.reasoning")] if text]
    parts = [*thoughts, *(text for text in [as_text(attributes.get("ai.response.text"))] if text), *calls]
    return [{"role": "assistant", "parts": parts}] if parts else []


def _sent(attributes: Fields, events: list[tuple[str, Fields]]) -> Any:
    """Return the input messages, after the instructions."""
    asked = [_event_message(*event) for event in events if event[0] in _EVENT_ROLES]
    sent = _messages_under(attributes, _SENT) or asked
    instructions = decode_json(attributes.get("gen_ai.system_instructions"))
    if not instructions:
        return sent
    parts = instructions if isinstance(instructions, list) else [{"type": "text", "content": as_text(instructions)}]
    return [{"role": "system", "parts": parts}, *(sent if isinstance(sent, list) else [sent])]


_COUNTS_SENT = ("llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens")
_COUNTS_REPLY = ("llm.token_count.completion", "ai.usage.outputTokens", "ai.usage.completionTokens")


def _usage(attributes: Fields) -> Fields:
    prefix = "gen_ai.usage."
    return usage_fields(
        counted(attributes, *(f"{prefix}{name}" for name in ("input_tokens", "prompt_tokens")), *_COUNTS_SENT),
        counted(attributes, *(f"{prefix}{name}" for name in ("output_tokens", "completion_tokens")), *_COUNTS_REPLY),
        counted(
            attributes,
            f"{prefix}cache_read.input_tokens",
            f"{prefix}cache_read_input_tokens",
            "llm.token_count.prompt_details.cache_read",
        ),
    )


def _event_message(name: str, fields: Fields) -> Any:
    """Return a message of the older events, whose fields are attributes or in a body."""
    body = fields_of(fields.get("body")) or fields
    if name == _CHOICE:
        inner = decode_json(body.get("message"))
        fields = inner if isinstance(inner, dict) else {"content": inner if inner is not None else body.get("content")}
        return {"role": "assistant", **fields}
    calls = decode_json(body.get("tool_calls"))
    own = {key: value for key, value in body.items() if key in ("content", "name", "id", "tool_call_id")}
    return {"role": _EVENT_ROLES[name], **own, **({"tool_calls": calls} if isinstance(calls, list) else {})}


def _messages_under(attributes: Fields, names: tuple[str, ...]) -> Any:
    """Return the messages under the first of some names, as a JSON list or numbered."""
    for name in names:
        whole = decode_json(attributes.get(name)) or unflatten(attributes, f"{name}.")
        if isinstance(whole, list):
            return [_without_wrapping(row) for row in whole]
        if whole:
            return whole
    return []


def _without_wrapping(row: Any) -> Any:
    """Return a message of OpenInference without the prefixes of its fields."""
    if isinstance(row, dict) and any(key.startswith("message.") for key in row):
        row = unflatten(row, "")
    message = row.get("message") if isinstance(row, dict) else None
    if not isinstance(message, dict):
        return row
    calls = [fields_of(call.get("tool_call")) for call in objects_of(message.get("tool_calls"))]
    contents = [fields_of(entry.get("message_content")) for entry in objects_of(message.get("contents"))]
    return message | ({"tool_calls": calls} if calls else {}) | ({"content": contents} if contents else {})
