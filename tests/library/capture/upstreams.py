"""A real API on the loopback address, as the tests of the proxy need it."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

EVENTS: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "m1",
            "role": "assistant",
            "content": [],
            "model": "claude-opus-5",
            "usage": {"input_tokens": 90},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "The lamp "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "is lit."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 6}},
    {"type": "message_stop"},
]


def stream_bytes() -> list[bytes]:
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in EVENTS]


def reply_bytes(text: str = "The lamp is lit.") -> bytes:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    return json.dumps({"id": "c1", "model": "gpt-5", "choices": [{"message": message}], "usage": usage}).encode()


class Upstream:
    """Answers calls, and keeps the requests as they came."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.may_go_on = asyncio.Event()
        self.was_closed = asyncio.Event()

    async def _keep(self, request: web.Request) -> bytes:
        body = await request.read()
        self.requests.append((request.raw_path, dict(request.headers), body))
        return body

    async def stream(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = json.loads(await self._keep(request))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "x-request-id": "r7"})
        await response.prepare(request)
        try:
            for place, piece in enumerate(stream_bytes()):
                if place == 4 and body.get("metadata") == "waits":
                    await self.may_go_on.wait()
                if place == 4 and body.get("metadata") == "breaks":
                    assert request.transport is not None
                    request.transport.abort()
                    return response
                await response.write(piece)
            await response.write_eof()
        except (ConnectionResetError, asyncio.CancelledError):
            self.was_closed.set()
            raise
        return response

    async def chat(self, request: web.Request) -> web.Response:
        await self._keep(request)
        coded = {"gzip": gzip.compress, "br": _brotli, "zstd": _zstd}
        name = request.headers.get("Accept-Encoding", "")
        if name in coded:
            return web.Response(body=coded[name](reply_bytes()), headers={"Content-Encoding": name})
        return web.Response(body=reply_bytes(), content_type="application/json")

    async def other(self, request: web.Request) -> web.Response:
        await self._keep(request)
        if request.path.endswith("moved"):
            return web.Response(status=307, headers={"Location": "http://example.invalid/"})
        headers = {"Set-Cookie": "session=s7; Path=/"} if request.path.endswith("cookie") else None
        status = 418 if request.path.endswith("teapot") else 200
        return web.json_response({"data": []}, status=status, headers=headers)


def _brotli(data: bytes) -> bytes:
    import brotli

    coded: bytes = brotli.compress(data)
    return coded


def _zstd(data: bytes) -> bytes:
    from backports import zstd

    return zstd.compress(data)


@asynccontextmanager
async def running_upstream() -> AsyncIterator[tuple[Upstream, str]]:
    """An upstream and its address."""
    upstream = Upstream()
    app = web.Application()
    app.router.add_post("/v1/messages", upstream.stream)
    app.router.add_post("/v1/chat/completions", upstream.chat)
    app.router.add_route("*", "/{rest:.*}", upstream.other)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield upstream, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
