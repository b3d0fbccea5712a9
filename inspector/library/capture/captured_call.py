"""One exchange with the API of a model as it passed the proxy, and the bodies in it without their compression."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, Literal

from inspector.core.text import loads
from inspector.formats import streamed_reply

API = Literal["anthropic-messages", "openai-chat", "openai-responses", "openai-compaction"]
_APIS: Mapping[str, API] = {
    "/messages": "anthropic-messages",
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/responses/compact": "openai-compaction",
}
"""Ends of the paths of calls that generate a reply or a compaction. Others, such as counts of tokens, are not kept."""
_PIECE = 64 << 10


class BodyError(Exception):
    """Raised if a body cannot be decoded. The message completes "the reply …"."""


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """The bodies of a call as they were sent."""

    api: API
    path: str
    time: str
    """When the request came, in ISO 8601."""
    seconds: float
    """Until the last byte of the reply."""
    status: int
    """HTTP status; 0 without a response."""
    request: bytes
    request_encoding: str
    response: bytes
    response_encoding: str
    is_stream: bool
    """True if the reply is a stream of events."""
    cut: Literal["", "client", "upstream", "size"] = ""
    """Who ended the reply before its end, or "size" if a body is larger than the limit."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the preset that the request passed through; empty without one."""


def api_of(method: str, path: str) -> API | None:
    """Return the API that a request calls a model with, or None for other requests."""
    ends = ("/".join(["", *path.rstrip("/").split("/")[-count:]]) for count in (1, 2))
    return next((_APIS[end] for end in ends if end in _APIS), None) if method == "POST" else None


def request_of_call(call: CapturedCall, limit: int) -> dict[str, Any]:
    """Return the JSON object of a request, or {} if it is none.

    Args:
        call: The call.
        limit: Maximum number of bytes without compression.
    """
    try:
        value = loads(decoded_body(call.request, call.request_encoding, limit).decode("utf-8", "replace"))
    except (BodyError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def reply_of_call(call: CapturedCall, limit: int) -> tuple[dict[str, Any], str]:
    """Return the reply as the API returns it without streaming, and a sentence if it could not be read.

    Args:
        call: The call.
        limit: Maximum number of bytes without compression.
    """
    if not call.status:
        return {}, "there was no response"
    try:
        body = decoded_body(call.response, call.response_encoding, limit)
    except BodyError as error:
        return {}, f"the reply {error}"
    text = body.decode("utf-8", "replace")
    if call.is_stream:
        return streamed_reply(text), ""
    try:
        value = loads(text)
    except ValueError:
        return {}, "the reply is no JSON"
    return (value, "") if isinstance(value, dict) else ({}, "the reply is no JSON object")


def decoded_body(body: bytes, encoding: str, limit: int) -> bytes:
    """Return a body without its compression. A body that was cut gives its beginning."""
    decoder = _decoder(encoding.strip().lower())
    plain = bytearray()
    for start in range(0, len(body), _PIECE):
        for piece in decoder(body[start : start + _PIECE]):
            plain += piece
            if len(plain) > limit:
                raise BodyError(f"is larger than {limit:,} bytes without its compression")
    return bytes(plain)


def _decoder(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    match encoding:
        case "" | "identity":
            return lambda data: iter((data,))
        case "gzip" | "x-gzip" | "deflate":
            return partial(_inflated, zlib.decompressobj(wbits=zlib.MAX_WBITS | 32))
        case "br":
            return _brotli()
        case "zstd":
            return _zstandard()
        case _:
            raise BodyError(f"is in the unknown encoding {encoding[:40]!r}")


def _inflated(decoder: Any, data: bytes) -> Iterator[bytes]:
    try:
        while data:
            yield decoder.decompress(data, _PIECE)
            data = decoder.unconsumed_tail
    except zlib.error as error:
        raise BodyError("is damaged") from error


def _brotli() -> Callable[[bytes], Iterator[bytes]]:
    try:
        brotli: Any = import_module("brotli")
    except ModuleNotFoundError as error:
        raise BodyError("is compressed with Brotli: pip install 'memory-inspector[record]'") from error
    decoder = brotli.Decompressor()

    def decode(data: bytes) -> Iterator[bytes]:
        try:
            yield decoder.process(data, output_buffer_limit=_PIECE)
            while not decoder.can_accept_more_data():
                yield decoder.process(b"", output_buffer_limit=_PIECE)
        except brotli.error as error:
            raise BodyError("is damaged") from error

    return decode


def _zstandard() -> Callable[[bytes], Iterator[bytes]]:
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ModuleNotFoundError as error:
        raise BodyError("is compressed with Zstandard: pip install 'memory-inspector[record]'") from error
    decoder = zstd.ZstdDecompressor()

    def decode(data: bytes) -> Iterator[bytes]:
        try:
            if not decoder.eof:
                yield decoder.decompress(data, _PIECE)
            while not (decoder.eof or decoder.needs_input):
                yield decoder.decompress(b"", _PIECE)
        except zstd.ZstdError as error:
            raise BodyError("is damaged") from error

    return decode
