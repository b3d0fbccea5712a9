"""Requests of the OpenTelemetry protocol over HTTP as JSON objects, in either of its encodings, and the answers.

https://opentelemetry.io/docs/specs/otlp: in JSON, ids are hexadecimal, unlike in the usual JSON form of protobuf.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from math import isfinite
from typing import Any, Literal

from inspector.core.text import dumps, loads
from inspector.library.capture.captured_call import BodyError

Signal = Literal["traces", "logs", "metrics"]
Encoding = Literal["protobuf", "json"]
_MESSAGES = {"traces": ("trace", "ExportTraceServiceRequest"), "logs": ("logs", "ExportLogsServiceRequest")}
_ROWS = {"traces": ("resourceSpans", "scopeSpans", "spans"), "logs": ("resourceLogs", "scopeLogs", "logRecords")}
_IDS = ("trace_id", "span_id", "parent_span_id")
_INVALID_ARGUMENT = 3
_CODE, _MESSAGE = 0x08, 0x12
"""Keys of the fields of google.rpc.Status: a number, and a text."""
_LONGEST = 127
"""Bytes of a text whose length takes one byte."""


def export_request(body: bytes, signal: Signal, encoding: Encoding) -> dict[str, Any]:
    """Return the JSON object of a request to export traces or logs.

    Raises:
        BodyError: The body is no such request.
    """
    if encoding == "json":
        try:
            value = loads(body.decode("utf-8", "replace"))
        except ValueError as error:
            raise BodyError("is no JSON") from error
        if not isinstance(value, dict):
            raise BodyError("is no JSON object")
        return value
    package, name = _MESSAGES[signal]
    service: Any = import_module(f"opentelemetry.proto.collector.{package}.v1.{package}_service_pb2")
    try:
        return _json_object(getattr(service, name).FromString(body))
    except Exception as error:  # protobuf's own errors differ between its implementations
        raise BodyError("is no message of the protocol") from error


def _json_object(message: Any) -> dict[str, Any]:
    """Return a message of protobuf in its JSON form, in half the time that protobuf's own function takes."""
    row = {}
    for entry, value in message.ListFields():
        name, convert = _conversion(entry)
        row[name] = convert(value)
    return row


@cache
def _conversion(entry: Any) -> tuple[str, Callable[[Any], Any]]:
    """Return the name of a field in JSON, and the function that converts its value."""
    one: Callable[[Any], Any] = _same
    if entry.type == entry.TYPE_MESSAGE:
        one = _json_object
    elif entry.type == entry.TYPE_BYTES:
        one = bytes.hex if entry.name in _IDS else _base64
    elif entry.cpp_type in (entry.CPPTYPE_INT64, entry.CPPTYPE_UINT64):
        one = str
    elif entry.type == entry.TYPE_ENUM:
        names = {number: value.name for number, value in entry.enum_type.values_by_number.items()}
        one = partial(_name_of, names)
    elif entry.type == entry.TYPE_DOUBLE:
        one = _finite_or_name
    is_list = entry.is_repeated if hasattr(entry, "is_repeated") else entry.label == entry.LABEL_REPEATED
    return str(entry.json_name), partial(_list_of, one) if is_list else one


def _same(value: Any) -> Any:
    return value


def _list_of(convert: Callable[[Any], Any], values: Any) -> list[Any]:
    return [convert(value) for value in values]


def _name_of(names: Mapping[int, str], number: int) -> str | int:
    return names.get(number, number)


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


def _finite_or_name(value: float) -> float | str:
    """Return a number, or the name that one without a JSON form has."""
    if isfinite(value):
        return value
    return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")


def rows_of(request: dict[str, Any], signal: Signal) -> Iterator[dict[str, Any]]:
    """Yield the spans or log records of a request."""
    outer, scope, name = _ROWS[signal]
    for group in _objects(request, outer):
        for inner in _objects(group, scope):
            yield from _objects(inner, name)


def _objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = value.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def empty_answer(encoding: Encoding) -> bytes:
    """Return the answer to a request of which everything was kept."""
    return b"{}" if encoding == "json" else b""


def error_answer(encoding: Encoding, sentence: str) -> bytes:
    """Return the answer to a request that must not be sent again."""
    if encoding == "json":
        return dumps({"code": _INVALID_ARGUMENT, "message": sentence}).encode()
    text = sentence.encode()[:_LONGEST]
    return bytes((_CODE, _INVALID_ARGUMENT, _MESSAGE, len(text))) + text
