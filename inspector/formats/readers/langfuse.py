"""Traces of Langfuse with their observations, as exported by its API and its web pages.

https://api.reference.langfuse.com
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.building.message_heuristics import reply_messages, request_messages, tools_in
from inspector.formats.building.span_calls import call_in_span, tools_of_span
from inspector.formats.building.spans import TraceSpan
from inspector.formats.building.traces import ModelCall, counted, trace_sessions, usage_fields
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_MODELS = ("GENERATION", "LLM")
_REPR = re.compile(r"\w+=(?:'|\"|None|\[|<)|\w+\(\w+=")
"""Start of the Python representation of an object: `role='user' content=…`."""
_CACHED = ("input_cache_read", "input_cached_tokens", "cache_read_input_tokens", "prompt_details.cache_read")


class Langfuse(Format):
    """Traces of Langfuse."""

    name = "langfuse"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", lists="observations")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    page = "https://api.reference.langfuse.com"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_observations_in(inner) for record in sample.objects for inner in _entries_in(record)):
            return FormatMatch(1.0, "observations with a traceId and a type")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        observations: list[Fields] = []
        traces: dict[str, Fields] = {}
        for number, record in content.records(progress):
            entries = _entries_in(record)
            if not any(map(_observations_in, entries)):
                content.reject(number, "is neither a trace nor an observation")
            for entry in entries:
                own, trace = _observations_in(entry), fields_of(entry.get("trace")) or entry
                observations += own
                traces |= {as_text(one.get("traceId") or trace.get("id")): trace for one in own}
        observations.sort(key=lambda entry: as_text(entry.get("startTime")))
        return trace_sessions(content, self.name, _Observations(observations, traces).calls())


def _entries_in(record: Any) -> list[Fields]:
    """Return the traces and observations of a page of an API list, or the record itself."""
    if not isinstance(record, dict):
        return [{}]
    return objects_of(record.get("data")) if "meta" in record and isinstance(record.get("data"), list) else [record]


def _observations_in(record: Fields) -> list[Fields]:
    """Return the observations of a trace, or the observation itself."""
    own = objects_of(record.get("observations"))
    if own:
        return [entry for entry in own if "type" in entry and ("traceId" in entry or "startTime" in entry)]
    return [record] if "traceId" in record and "type" in record and "startTime" in record else []


class _Observations:
    """The observations of a file, by time, and the calls of models among them."""

    def __init__(self, observations: list[Fields], traces: dict[str, Fields]) -> None:
        self._observations = observations
        self._traces = traces
        self._by_id = {as_text(entry.get("id")): entry for entry in observations}
        self._spans = {name: _span_of(entry) for name, entry in self._by_id.items()}
        self._newest: dict[str, tuple[list[Fields], str]] = {}
        """By the enclosing observation, the context after its newest call, and the time of that."""

    def calls(self) -> Iterator[ModelCall]:
        """Yield the calls. Observations around calls repeat them, and are none."""
        models = [entry for entry in self._observations if as_text(entry.get("type")).upper() in _MODELS]
        around = {_parent_of(entry) for entry in models}
        inner = [entry for entry in models if as_text(entry.get("id")) not in around]
        whole = [entry for entry in self._observations if request_messages(entry.get("input")) and entry.get("output")]
        yield from map(self._call_of, inner or whole[:1])

    def _call_of(self, entry: Fields) -> ModelCall:
        call = self._traced(entry, _logged_call(entry, self._traces))
        parent = _parent_of(entry)
        sent = request_messages(call.sent)
        if before := self._newest.get(parent):
            if not sent or _begins_with_result(sent):
                call.sent = [*before[0], *self._results_between(entry, *before, sent), *sent]
        elif self._is_in(parent, sent):
            call.sent = request_messages(self._by_id[parent].get("input"))
        answers = [raw for raw in reply_messages(call.answer) if raw["role"] == "assistant"]
        if parent:
            self._newest[parent] = [*request_messages(call.sent), *answers], as_text(entry.get("startTime"))
        return call

    def _traced(self, entry: Fields, call: ModelCall) -> ModelCall:
        """Return a call with what is recorded of it in the attributes of its span, where these say more."""
        span = self._spans[as_text(entry.get("id"))]
        traced = call_in_span(span, self._spans)
        if traced is None:
            return replace(call, tools=call.tools or tools_of_span(span, self._spans))
        is_more = _detail(request_messages(traced.sent)) > _detail(request_messages(call.sent))
        is_reply = _detail(reply_messages(traced.answer)) > _detail(reply_messages(call.answer))
        return replace(
            call,
            sent=traced.sent if is_more else call.sent,
            answer=traced.answer if is_reply else call.answer,
            model=call.model or traced.model,
            usage=call.usage or traced.usage,
            tools=call.tools or tools_of_span(span, self._spans),
        )

    def _is_in(self, parent: str, sent: list[Fields]) -> bool:
        """Return True if the enclosing observation has the messages of its first call and more before them."""
        whole = request_messages(self._by_id.get(parent, {}).get("input"))
        is_end = not sent or whole[-len(sent) :] == sent
        return len(whole) > len(sent) and is_end and all(raw["role"] in ("system", "user") for raw in whole)

    def _results_between(
        self, entry: Fields, messages: list[Fields], start: str, sent: list[Fields]
    ) -> Iterator[Fields]:
        """Yield the results of the calls in a context that have none, from the tools that ran before a call."""
        if sent:
            return
        answered = {raw.get("tool_call_id") for raw in messages if raw["role"] == "tool"}
        calls = [call for raw in messages for call in objects_of(raw.get("tool_calls"))]
        waiting = [call for call in calls if call.get("id") not in answered]
        for tool in self._observations:
            is_between = start <= as_text(tool.get("startTime")) <= as_text(entry.get("startTime"))
            if tool.get("type") == "TOOL" and is_between and _parent_of(tool) == _parent_of(entry):
                call = _call_answered(waiting, tool)
                if call is not None:
                    waiting.remove(call)
                    answer = reply_messages(tool.get("output"))
                    text = answer[0].get("content") if answer else as_text(tool.get("output"))
                    yield {"role": "tool", "tool_call_id": as_text(call.get("id")), "content": text}


def _call_answered(calls: list[Fields], tool: Fields) -> Fields | None:
    """Return the call that a tool's observation is of: the first of its name, or the one with its arguments."""
    named = [call for call in calls if fields_of(call.get("function")).get("name") == tool.get("name")]
    asked = fields_of(tool.get("input"))
    asked = fields_of(asked.get("input")) or asked
    exact = (call for call in named if fields_of(fields_of(call.get("function")).get("arguments")) == asked)
    return next(exact, named[0] if named else None)


def _parent_of(entry: Fields) -> str:
    return as_text(entry.get("parentObservationId"))


def _begins_with_result(messages: list[Fields]) -> bool:
    return next((raw["role"] == "tool" for raw in messages if raw["role"] != "system"), False)


def _detail(messages: list[Fields]) -> tuple[int, int, int]:
    """Return how much messages say: those that are no Python representation, those with roles, and their calls."""
    plain = [raw for raw in messages if not _REPR.match(as_text(raw.get("content")))]
    calls = sum(len(objects_of(raw.get("tool_calls"))) for raw in plain)
    return len(plain), len({raw["role"] for raw in plain}), calls


def _span_of(entry: Fields) -> TraceSpan:
    """Return the OpenTelemetry span that an observation was made of."""
    ids = {"spanId": entry.get("id"), "parentSpanId": _parent_of(entry), "traceId": entry.get("traceId")}
    attributes = fields_of(fields_of(entry.get("metadata")).get("attributes"))
    return TraceSpan({name: decode_json(value) for name, value in attributes.items()}, ids=ids)


def _logged_call(entry: Fields, traces: dict[str, Fields]) -> ModelCall:
    """Return the call of an observation by its own fields."""
    counts = fields_of(entry.get("usageDetails")) or fields_of(entry.get("usage"))
    sent, answer = decode_json(entry.get("input")), decode_json(entry.get("output"))
    if isinstance(answer, dict) and isinstance(answer.get("instructions"), str):
        sent = {"instructions": answer["instructions"], "input": sent}
    trace = traces.get(as_text(entry.get("traceId")), {})
    return ModelCall(
        sent,
        answer,
        as_text(entry.get("model")),
        _usage(counts),
        time_of(entry.get("endTime") or entry.get("startTime")),
        tools_in(sent) or tools_in(answer) or _tools_among(sent),
        group=as_text(trace.get("sessionId") or entry.get("traceId")),
        error=as_text(entry.get("statusMessage") or "it is marked so") if entry.get("level") == "ERROR" else "",
        record={name: entry[name] for name in ("id", "name", "traceId", "level", "statusMessage") if entry.get(name)},
    )


def _usage(counts: Fields) -> Fields:
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


def _tools_among(sent: Any) -> list[Fields]:
    """Return the tool definitions that some integrations store among the messages."""
    rows = objects_of(sent) if isinstance(sent, list) else objects_of(fields_of(sent).get("messages"))
    definitions = [content for row in rows if (content := fields_of(row.get("content"))).get("type") == "function"]
    return tools_in({"tools": definitions})
