"""Spans of traces in common notations: OTLP JSON of spans and logs, Jaeger, and plain objects.

https://opentelemetry.io/docs/specs/otlp: each value says its type. The SDK's console exporter and Phoenix write plain
values (https://arize.com/docs/phoenix), nested or with dots in their names. https://www.jaegertracing.io has tags.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text

_DEEPEST = 12
_STARTS = ("startTimeUnixNano", "start_time", "startTime", "timeUnixNano")
_ENDS = ("endTimeUnixNano", "end_time", "endTime")
_IDS = {
    "traceId": ("traceId", "traceID", "trace_id", "context.trace_id"),
    "spanId": ("spanId", "spanID", "span_id", "context.span_id"),
    "parentSpanId": ("parentSpanId", "parent_id", "parentId"),
    "name": ("name", "operationName"),
}
_FLAT = "attributes."


@dataclass(slots=True)
class TraceSpan:
    """A span with plain values."""

    attributes: Fields
    events: list[tuple[str, Fields]] = field(default_factory=list)
    """Events, each with its name and attributes."""
    start: str = ""
    end: str = ""
    ids: Fields = field(default_factory=dict)
    """Ids of the trace, the span and its parent, and the name of the span, with the names of OTLP."""
    error: str = ""
    """Error of the span; "" if it succeeded."""


def spans_in(record: Fields) -> Iterator[TraceSpan]:
    """Yield the spans in a JSON object."""
    for resource in objects_of(record.get("resourceSpans")):
        for scope in objects_of(resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans")):
            yield from map(_span_of, objects_of(scope.get("spans")))
    yield from _spans_of_logs(record)
    for trace in objects_of(record.get("data")):
        yield from (_span_of(span, "tags") for span in objects_of(trace.get("spans")) if "tags" in span)
    if isinstance(record.get("attributes"), dict):
        yield _span_of(record)
    elif flat := {key.removeprefix(_FLAT): value for key, value in record.items() if key.startswith(_FLAT)}:
        yield _span_of({**record, "attributes": flat})


def _span_of(span: Fields, place: str = "attributes") -> TraceSpan:
    places = (span, *(inner for name in ("context", "span_context") if isinstance(inner := span.get(name), dict)))
    ids = {
        own: value
        for own, names in _IDS.items()
        if (value := next((at[name] for at in places for name in names if at.get(name)), None))
    }
    events = [
        (as_text(event.get("name")), _attributes(event.get("attributes"))) for event in objects_of(span.get("events"))
    ]
    attributes = _attributes(span.get(place))
    return TraceSpan(
        attributes, events, _first(span, _STARTS), _first(span, _ENDS), ids, _error_of(span, attributes, events)
    )


def _error_of(span: Fields, attributes: Fields, events: list[tuple[str, Fields]]) -> str:
    """Return the error of a span from its status or exception; "" if it succeeded."""
    status = span.get("status", span.get("status_code"))
    fields = status if isinstance(status, dict) else {"code": status}
    if not as_text(fields.get("code") or fields.get("status_code")).upper().endswith(("ERROR", "2")):
        return ""
    thrown = (fields_of_event.get("exception.message") for name, fields_of_event in events if name == "exception")
    words = (fields.get("message"), fields.get("description"), *thrown, attributes.get("error.type"))
    return next((as_text(word) for word in words if word), "it is marked so")


def _spans_of_logs(record: Fields) -> Iterator[TraceSpan]:
    """Yield the records of a log as events of their spans."""
    spans: dict[tuple[str, str], TraceSpan] = {}
    for entry, name, fields in log_records(record):
        key = as_text(entry.get("traceId")), as_text(entry.get("spanId"))
        spans.setdefault(key, _span_of({**entry, "attributes": []})).events.append((name, fields))
    yield from spans.values()


def log_records(record: Fields) -> Iterator[tuple[Fields, str, Fields]]:
    """Yield the records of a log, each with the name of its event, and its body with its attributes, which win."""
    for resource in objects_of(record.get("resourceLogs")):
        for scope in objects_of(resource.get("scopeLogs")):
            for entry in objects_of(scope.get("logRecords")):
                attributes = _attributes(entry.get("attributes"))
                name = as_text(entry.get("eventName") or attributes.get("event.name"))
                yield entry, name, {"body": _plain_value(entry.get("body")), **attributes}


def _first(fields: Fields, names: tuple[str, ...]) -> str:
    return next((as_text(fields[name]) for name in names if fields.get(name)), "")


def _attributes(value: Any) -> Fields:
    """Return the attributes of a span or an event by name."""
    if isinstance(value, dict):
        return dict(_flat(value, "", 0))
    rows = ((as_text(row.get("key")), row.get("value")) for row in objects_of(value))
    return {key: _plain_value(inner) if isinstance(inner, dict) else inner for key, inner in rows}


def _flat(fields: Fields, prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Flatten nested objects to values with dotted names."""
    for key, value in fields.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _flat(value, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", value


def _plain_value(value: Any, depth: int = 0) -> Any:
    """Convert a value of OTLP to a plain one."""
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
            return [_plain_value(entry, depth + 1) for entry in objects_of(array.get("values"))]
        case {"kvlistValue": dict(rows)}:
            return {
                as_text(row.get("key")): _plain_value(row.get("value"), depth + 1)
                for row in objects_of(fields_of(rows).get("values"))
            }
    return None


def unflatten(attributes: Fields, prefix: str) -> Any:
    """Unflatten attributes such as `gen_ai.prompt.0.role` and `gen_ai.prompt.0.tool_calls.1.name`."""
    tree: Fields = {}
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
    return _lists(tree)


def _lists(value: Any) -> Any:
    """Convert objects whose keys are numbers to lists."""
    if not isinstance(value, dict):
        return value
    if value and all(key.isdecimal() for key in value):
        return [_lists(value[key]) for key in sorted(value, key=lambda key: (len(key), key))]
    return {key: _lists(inner) for key, inner in value.items()}
