"""Requests of the OpenTelemetry protocol over HTTP as JSON objects, in either of its encodings, and the answers.

https://opentelemetry.io/docs/specs/otlp: in JSON, ids are hexadecimal, unlike in the usual JSON form of protobuf.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal

from inspector.core.text import dumps, loads
from inspector.library.capture.captured_call import BodyError

Signal = Literal["traces", "logs", "metrics"]
Encoding = Literal["protobuf", "json"]
_MESSAGES = {"traces": ("trace", "ExportTraceServiceRequest"), "logs": ("logs", "ExportLogsServiceRequest")}
_ROWS = {"traces": ("resourceSpans", "scopeSpans", "spans"), "logs": ("resourceLogs", "scopeLogs", "logRecords")}
_IDS = ("traceId", "spanId", "parentSpanId")
_LINKS = "links"
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
    json_format: Any = import_module("google.protobuf.json_format")
    try:
        value = json_format.MessageToDict(getattr(service, name).FromString(body))
    except Exception as error:  # protobuf's own errors differ between its implementations
        raise BodyError("is no message of the protocol") from error
    for row in rows_of(value, signal):
        for place in (row, *row.get(_LINKS, ())):
            place |= {key: _hexadecimal(place[key]) for key in _IDS if key in place}
    return dict(value)


def rows_of(request: dict[str, Any], signal: Signal) -> Iterator[dict[str, Any]]:
    """Yield the spans or log records of a request."""
    outer, scope, name = _ROWS[signal]
    for group in _objects(request, outer):
        for inner in _objects(group, scope):
            yield from _objects(inner, name)


def _objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = value.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _hexadecimal(text: str) -> str:
    try:
        return b64decode(text, validate=True).hex()
    except (Base64Error, ValueError):
        return text


def empty_answer(encoding: Encoding) -> bytes:
    """Return the answer to a request of which everything was kept."""
    return b"{}" if encoding == "json" else b""


def error_answer(encoding: Encoding, sentence: str) -> bytes:
    """Return the answer to a request that must not be sent again."""
    if encoding == "json":
        return dumps({"code": _INVALID_ARGUMENT, "message": sentence}).encode()
    text = sentence.encode()[:_LONGEST]
    return bytes((_CODE, _INVALID_ARGUMENT, _MESSAGE, len(text))) + text
