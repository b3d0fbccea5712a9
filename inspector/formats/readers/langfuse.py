"""Traces of Langfuse with their observations, as exported by its API and its web pages.

https://api.reference.langfuse.com
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.building.log_builder import definition_of
from inspector.formats.building.message_heuristics import request_messages
from inspector.formats.building.traces import ModelCall, counted, trace_sessions, usage_fields
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.source import Progress
from inspector.llm.providers import DEFAULT_DIALECT, as_text

_Fields = dict[str, Any]
_MODELS = ("GENERATION", "LLM")
_CACHED = ("input_cache_read", "input_cached_tokens", "cache_read_input_tokens", "prompt_details.cache_read")


class Langfuse(Format):
    """Traces of Langfuse."""

    name = "langfuse"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    page = "https://api.reference.langfuse.com"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_observations_in(inner) for record in sample.objects for inner in _entries_in(record)):
            return FormatMatch(1.0, "observations with a traceId and a type")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        observations: list[_Fields] = []
        traces: dict[str, _Fields] = {}
        for number, record in content.records(progress):
            entries = _entries_in(record)
            if not any(map(_observations_in, entries)):
                content.reject(number, "is neither a trace nor an observation")
            for entry in entries:
                own, trace = _observations_in(entry), fields_of(entry.get("trace")) or entry
                observations += own
                traces |= {as_text(one.get("traceId") or trace.get("id")): trace for one in own}
        observations.sort(key=lambda entry: as_text(entry.get("startTime")))
        models = [entry for entry in observations if as_text(entry.get("type")).upper() in _MODELS]
        others = [entry for entry in observations if request_messages(entry.get("input")) and entry.get("output")][:1]
        return trace_sessions(content, self.name, [_call_of(entry, traces) for entry in models or others])


def _entries_in(record: Any) -> list[_Fields]:
    """Return the traces and observations of a page of an API list, or the record itself."""
    if not isinstance(record, dict):
        return [{}]
    return objects_of(record.get("data")) if "meta" in record and isinstance(record.get("data"), list) else [record]


def _observations_in(record: _Fields) -> list[_Fields]:
    """Return the observations of a trace, or the observation itself."""
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
    tools = [_in_chat_form(tool) for tool in tools or _tools_among(sent)]
    trace = traces.get(as_text(entry.get("traceId")), {})
    return ModelCall(
        sent,
        answer,
        as_text(entry.get("model")),
        _usage(counts),
        time_of(entry.get("endTime") or entry.get("startTime")),
        tools,
        group=as_text(trace.get("sessionId") or entry.get("traceId")),
        error=as_text(entry.get("statusMessage") or "it is marked so") if entry.get("level") == "ERROR" else "",
        record={name: entry[name] for name in ("id", "name", "traceId", "level", "statusMessage") if entry.get(name)},
    )


def _usage(counts: _Fields) -> _Fields:
    """Return the usage. Details of input and output may be excluded from the totals.

    https://langfuse.com/docs/observability/features/token-and-cost-tracking
    """
    cached = counted(counts, *_CACHED)
    sent = counted(counts, "input", "input_tokens", "prompt_tokens", "promptTokens")
    reply = counted(counts, "output", "output_tokens", "completion_tokens", "completionTokens")
    parts = [name for name in counts if name.startswith("output_") and name != "output_tokens"]
    total = counted(counts, "total", "total_tokens", "totalTokens")
    for thought in (0, sum(counted(counts, name) for name in parts)):
        if total and sent + cached + reply + thought == total:
            return usage_fields(sent + cached, reply + thought, cached)
    return usage_fields(max(sent, cached), reply, cached)


def _in_chat_form(tool: _Fields) -> _Fields:
    """Return a tool definition in the chat format."""
    is_flat = tool.get("type") == "function" and "function" not in tool and "name" in tool
    return definition_of(tool, DEFAULT_DIALECT) if is_flat else tool


def _tools_among(sent: Any) -> list[_Fields]:
    """Return the tool definitions that some integrations store among the messages."""
    rows = objects_of(sent) if isinstance(sent, list) else objects_of(fields_of(sent).get("messages"))
    return [content for row in rows if (content := fields_of(row.get("content"))).get("type") == "function"]
