"""Langfuse: a trace with its observations, as its interface and its pages export it.

https://api.reference.langfuse.com
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.conversation import Session
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.chat_shapes import request_messages
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress
from inspector.formats.traces import ModelCall, counted, trace_sessions, usage_fields
from inspector.providers import as_text

_Fields = dict[str, Any]
_MODELS = ("GENERATION", "LLM")


class Langfuse(Format):
    """Traces of Langfuse."""

    name = "langfuse"
    title = "Langfuse traces"
    holds: ClassVar[frozenset[Holding]] = frozenset({"system prompt", "tools", "usage", "times", "models", "thinking"})
    fields = frozenset({"observations", "traceId", "parentObservationId", "usageDetails"})
    page = "https://api.reference.langfuse.com"

    def recognize(self, sample: Sample) -> Recognition:
        if any(_observations_in(record) for record in sample.objects):
            return Recognition(1.0, "observations with a traceId and a type")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        observations: list[_Fields] = []
        traces: dict[str, _Fields] = {}
        for number, record in content.records(progress):
            own = _observations_in(record) if isinstance(record, dict) else []
            if not own:
                content.reject(number, "is no trace and no observation")
                continue
            observations += own
            trace = fields_of(record.get("trace")) or record
            traces |= {as_text(entry.get("traceId") or trace.get("id")): trace for entry in own}
        observations.sort(key=lambda entry: as_text(entry.get("startTime")))
        models = [entry for entry in observations if as_text(entry.get("type")).upper() in _MODELS]
        others = [entry for entry in observations if request_messages(entry.get("input")) and entry.get("output")][:1]
        return trace_sessions(content, self.name, [_call_of(entry, traces) for entry in models or others])


def _observations_in(record: _Fields) -> list[_Fields]:
    """The observations of a record: of a trace with them, or the one that it is."""
    own = objects_of(record.get("observations"))
    if own:
        return [entry for entry in own if "type" in entry and ("traceId" in entry or "startTime" in entry)]
    return [record] if "traceId" in record and "type" in record and "startTime" in record else []


def _call_of(entry: _Fields, traces: dict[str, _Fields]) -> ModelCall:
    counts = fields_of(entry.get("usageDetails")) or fields_of(entry.get("usage"))
    sent, answer = decode_json(entry.get("input")), decode_json(entry.get("output"))
    if isinstance(answer, dict) and isinstance(answer.get("instructions"), str):
        sent = {"instructions": answer["instructions"], "input": sent}
    tools = objects_of(fields_of(sent).get("tools")) or objects_of(fields_of(answer).get("tools"))
    tools = tools or _tools_among(sent)
    trace = traces.get(as_text(entry.get("traceId")), {})
    return ModelCall(
        sent,
        answer,
        as_text(entry.get("model")),
        usage_fields(
            counted(counts, "input", "input_tokens", "prompt_tokens", "promptTokens"),
            counted(counts, "output", "output_tokens", "completion_tokens", "completionTokens"),
            counted(counts, "input_cache_read", "input_cached_tokens", "prompt_details.cache_read"),
        ),
        time_of(entry.get("endTime") or entry.get("startTime")),
        tools,
        group=as_text(trace.get("sessionId") or entry.get("traceId")),
        record={name: entry[name] for name in ("id", "name", "traceId", "level", "statusMessage") if entry.get(name)},
    )


def _tools_among(sent: Any) -> list[_Fields]:
    """The definitions of tools that some integrations put among the messages."""
    rows = objects_of(sent) if isinstance(sent, list) else objects_of(fields_of(sent).get("messages"))
    return [content for row in rows if (content := fields_of(row.get("content"))).get("type") == "function"]
