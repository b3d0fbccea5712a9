"""OpenTelemetry spans of model calls. See `span_calls` for the conventions."""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.core.conversation import SENT_KINDS, Session, Usage
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, definition_of
from inspector.formats.building.message_heuristics import request_messages, without_failure
from inspector.formats.building.monocle import is_monocle_call
from inspector.formats.building.span_calls import call_in_span, is_call, message_events
from inspector.formats.building.spans import TraceSpan, spans_in
from inspector.formats.building.traces import trace_sessions
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.source import Progress
from inspector.formats.sidecar import sizes_in
from inspector.formats.writers.open_telemetry_writer import EXPORTED, SIZES
from inspector.llm.providers import DEFAULT_DIALECT, as_text, usage_unless_zero


class OpenTelemetry(Format):
    """Spans as written by a collector, sent or printed by a program, or exported by a viewer."""

    name = "open-telemetry"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    page = "https://opentelemetry.io/docs/specs/semconv/gen-ai"

    def recognize(self, sample: Sample) -> FormatMatch:
        spans = [span for record in sample.objects for span in spans_in(record)]
        if any(is_call(span.attributes) or message_events(span) or is_monocle_call(span) for span in spans):
            return FormatMatch(1.0, "spans of calls to a model")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        spans: list[TraceSpan] = []
        for number, record in content.records(progress):
            own = list(spans_in(record)) if isinstance(record, dict) else []
            if not own:
                content.reject(number, "contains no spans")
            spans += own
        if spans and all(EXPORTED in span.attributes for span in spans):
            return unique(_exported_session(content, span.attributes) for span in spans)
        spans.sort(key=lambda span: (len(span.start), span.start))
        around = {as_text(span.ids.get("spanId")): span for span in spans}
        return trace_sessions(content, self.name, [call for span in spans if (call := call_in_span(span, around))])


def _exported_session(content: Content, attributes: Fields) -> Session:
    """Read a conversation that was exported from here, with its additional fields."""
    log = LogBuilder()
    entries = [
        entry
        for name in ("gen_ai.input.messages", "gen_ai.output.messages")
        for entry in objects_of(decode_json(attributes.get(name)))
    ]
    for number, entry in enumerate(entries, 1):
        own = fields_of(entry.get("inspector"))
        facts: Fields = {"time": time_of(own.get("time")), "is_error": own.get("is_error") is True}
        facts |= {"kind": own["kind"]} if own.get("kind") in SENT_KINDS else {}
        if entry.get("role") == "assistant":
            facts |= {"model": as_text(own.get("model")), "usage": _usage_in(own.get("usage"))}
        speaks = entry.get("role") in ("system", "user", "assistant")
        says_nothing = [{"role": entry["role"], "content": ""}] if speaks else []
        for raw, failure in map(without_failure, request_messages([entry]) or says_nothing):
            log.add(f"m{number}", raw, {}, **(facts | failure))
    return log.session(
        content,
        OpenTelemetry.name,
        as_text(attributes.get("gen_ai.conversation.id")),
        as_text(attributes.get(EXPORTED)),
        model=as_text(attributes.get("gen_ai.request.model")),
        tools=tuple(map(_chat_tool, objects_of(decode_json(attributes.get("gen_ai.tool.definitions"))))),
        sizes=sizes_in(decode_json(attributes.get(SIZES))),
    )


def _chat_tool(tool: Fields) -> Fields:
    """Return a tool in the wire format of the messages."""
    schema = tool.get("input_schema")
    return definition_of({**tool, "parameters": schema}, DEFAULT_DIALECT) if isinstance(schema, dict) else tool


def _usage_in(counts: Any) -> Usage | None:
    match counts:
        case [int(sent), int(reply), int(read), int(written)]:
            return usage_unless_zero(sent, reply, read, written)
    return None
