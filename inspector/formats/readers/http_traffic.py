"""Recorded HTTP traffic with the APIs of models: cassettes of VCR, and HAR files.

https://vcrpy.readthedocs.io, https://github.com/dnaeon/go-vcr and http://www.softwareishard.com/blog/har-12-spec: each
exchange has the body of a request and that of its response, which may be a stream of events. Cassettes are YAML.
Aliases, with which a small file describes endless data, are rejected.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.core.limits import limit
from inspector.core.text import dumps, plural
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.library_log import library_usage
from inspector.formats.building.message_heuristics import request_messages, tools_in
from inspector.formats.building.streamed_replies import streamed_reply
from inspector.formats.building.traces import ModelCall, trace_sessions, usage_fields
from inspector.formats.readers.agent_bodies import AgentTalks, bedrock_calls, cohere_bodies, grpc_exchange
from inspector.formats.readers.requests.request_log import EarlierCalls, Exchange, exchange_of
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.formats.reading.yaml_text import yaml_object
from inspector.llm.providers import as_text

_ASKED = ("messages", "input", "contents", "prompt")
"""Fields of requests to models."""
_START = "interactions:"
_AGENT_SERVICE = "bedrock-agent-runtime"
_GZIP = b"\x1f\x8b"


class HTTPTraffic(Format):
    """Recorded HTTP traffic."""

    name = "http-traffic"
    order: ClassVar[RecordOrder] = RecordOrder(
        time="startedDateTime recorded_at", lists="log.entries http_interactions", calls=False
    )
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    page = "https://vcrpy.readthedocs.io"

    def recognize(self, sample: Sample) -> FormatMatch:
        lines = sample.head.splitlines() if sample.shape == "text" else []
        if _START in lines or any(_exchanges_in(record) for record in sample.objects):
            return FormatMatch(0.95, "HTTP requests with their responses")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "text":
            records = [(1, yaml_object(content, "a cassette", progress))]
        else:
            records = [*content.records(progress)]
        calls: list[ModelCall] = []
        encodings: Counter[str] = Counter()
        reader = _CallReader()
        for number, record in records:
            exchanges = _exchanges_in(record) if isinstance(record, dict) else []
            if not exchanges:
                content.reject(number, "has no HTTP exchange")
            for exchange in exchanges:
                for call in reader.calls_of(exchange, len(calls) + 1):
                    calls.append(call)
                    encodings[_encoding_of(exchange["response"])] += not call.answer and not call.error
        _note_unread(content, encodings, len(calls))
        if not calls:
            raise _without_calls(content.source.path, [fields_of(record) for _, record in records])
        return trace_sessions(content, self.name, calls)


def _exchanges_in(record: Fields) -> list[Fields]:
    """Return the exchanges of a cassette or a HAR file, each with a request and a response."""
    listed = record.get("interactions") or fields_of(record.get("log")).get("entries")
    rows = [grpc_exchange(row) for row in objects_of(listed)]
    return [row for row in rows if isinstance(row.get("request"), dict) and isinstance(row.get("response"), dict)]


def _note_unread(content: Content, encodings: Counter[str], calls: int) -> None:
    """Report the number of replies that could not be read, with their encodings."""
    if unread := encodings.total():
        names = ", ".join(sorted(name for name, count in encodings.items() if name and count))
        reason = f" ({names})" if names else ""
        content.problems.add(f"of {unread:,} of its {plural(calls, 'call')} the reply could not be read{reason}")


def _without_calls(path: str, records: Sequence[Fields]) -> UnreadableError:
    """Return the error for traffic without a request to a model."""
    exchanges = [exchange for record in records for exchange in _exchanges_in(record)]
    hosts = _hosts_in(exchanges)
    what = f"HTTP traffic{hosts}, without a request to an API of models that is supported"
    return UnreadableError(path, f"{path} is {what}: choose another file.")


def _hosts_in(exchanges: Iterable[Fields]) -> str:
    """Return the first host of some requests as words, or ""."""
    addresses = (as_text(exchange["request"].get("uri") or exchange["request"].get("url")) for exchange in exchanges)
    hosts = (host for address in addresses if (host := _HOST.match(address)))
    first = next(hosts, None)
    return f" with {first[1]}" if first else ""


def _encoding_of(response: Fields) -> str:
    """Return the encoding of a body that is not read, or ""."""
    headers = dumps(response.get("headers")).lower()
    if _BROTLI.search(headers):
        return "compressed with Brotli"
    return "in AWS's event stream encoding" if "vnd.amazon.eventstream" in headers else ""


_HOST = re.compile(r"https?://([\w.-]{1,100})")
_BROTLI = re.compile(r'content-encoding"[^}]{0,60}?"br"')
"""The header in a cassette or a HAR file: `"content-encoding":["br"]`, `"content-encoding","value":"br"`."""


class _CallReader:
    """Reads the calls of models in exchanges, given those before."""

    def __init__(self) -> None:
        self._earlier = EarlierCalls()
        self._talks = AgentTalks()

    def calls_of(self, exchange: Mapping[str, Any], number: int) -> list[ModelCall]:
        """Return the calls in an exchange: one, or all that an agent's service reports, or none.

        Args:
            exchange: A request with its response.
            number: Position of the first call in the file, from 1.
        """
        request, response = exchange["request"], exchange["response"]
        asked, body = fields_of(_body_of(request, "postData")), _body_of(response, "content")
        if _AGENT_SERVICE in as_text(request.get("uri") or request.get("url")):
            return bedrock_calls(_bytes_of(response) or body)
        own = self._talks.bodies(asked, body) or cohere_bodies(asked, body)
        asked, answer = own or (asked, fields_of(body) or streamed_reply(body))
        if not any(asked.get(name) for name in _ASKED) or not request_messages(asked):
            return []
        call = _call_of(exchange, asked, answer)
        call.exchange = _native_exchange(call, number, self._earlier)
        return [call]


def _call_of(exchange: Mapping[str, Any], asked: Fields, answer: Fields) -> ModelCall:
    models = (answer.get("model"), answer.get("modelVersion"), asked.get("model"), _model_in(exchange["request"]))
    times = (exchange.get("startedDateTime"), exchange.get("recorded_at"), answer.get("created"))
    error = answer.get("error")
    return ModelCall(
        asked,
        {} if error else answer,
        next((as_text(model) for model in models if model), ""),
        _usage_fields_of(answer),
        time_of(next(filter(None, times), "")),
        tools_in(asked),
        error=as_text(fields_of(error).get("message") or error) if error else "",
    )


def _bytes_of(response: Mapping[str, Any]) -> bytes:
    """Return the bytes of a body that is stored as such; empty for any other."""
    body = fields_of(response.get("body")).get("string")
    return body if isinstance(body, bytes) else b""


def _native_exchange(call: ModelCall, number: int, earlier: EarlierCalls) -> Exchange | None:
    """Return a call as its API states it, or None if the bodies are in an API of which only the messages are known."""
    asked, answer = call.sent, call.answer
    if not isinstance(asked.get("model", asked.get("anthropic_version")), str):
        return None
    value = {"request": asked, **({"response": answer} if answer else {})}
    exchange = exchange_of(value, number)
    if exchange is None or (answer and not exchange.reply and not exchange.is_compaction):
        return None
    exchange.model, exchange.time = call.model, call.time
    return earlier.complete(exchange, value)


def _usage_fields_of(answer: Fields) -> Fields:
    """Return the usage of a reply with the field names of the chat API."""
    known = library_usage(fields_of(answer.get("usage")) or fields_of(answer.get("usageMetadata")))
    return usage_fields(known.input, known.output, known.cache_read) if known else {}


def _body_of(message: Mapping[str, Any], place: str) -> str:
    """Return the body of a request or a response as text, or ""."""
    body = message.get("body", message.get(place))
    if not body and (parsed := message.get("parsed_body")):
        return as_text(parsed)
    is_encoded = isinstance(body, dict) and body.get("encoding") == "base64"
    for name in ("string", "text"):
        body = body[name] if isinstance(body, dict) and name in body else body
    if is_encoded and isinstance(body, str):
        body = _base64_bytes(body)
    if isinstance(body, bytes):
        return _decompressed(body).decode("utf-8", "replace")
    return as_text(body) if body else ""


def _base64_bytes(text: str) -> bytes:
    try:
        return b64decode(text)
    except ValueError:
        return b""


def _decompressed(body: bytes) -> bytes:
    """Return a body without the compression of gzip, up to the maximum size."""
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, limit("http_body"))
    except zlib.error:
        return b""


def _model_in(request: Mapping[str, Any]) -> str:
    """Return the model in the address of a request: `/models/gemini-2.5-flash:generateContent`."""
    address = as_text(request.get("uri") or request.get("url"))
    after = address.partition("/models/")[2] or address.partition("/model/")[2]
    return after.partition(":generate")[0].partition(":stream")[0].partition("/")[0]
