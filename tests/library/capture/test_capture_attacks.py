"""Attacks on the proxy and on the receiver: hostile requests, replies and connections."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest

from inspector.core import local_server
from inspector.engine.compression import find
from inspector.formats import load
from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall
from inspector.library.capture.live_preset import LivePreset
from inspector.library.capture.proxy import RecordingProxy, Upstream
from inspector.library.capture.receiver import Receiver, prepared_folder
from tests.library.capture.upstreams import Upstream as Api, reply_bytes, running_upstream, stream_bytes

_ASK = {"model": "claude-opus-5", "messages": [{"role": "user", "content": "Light the lamp."}]}
_NESTED = b"[" * 200_000
_DEEP = json.dumps(_ASK).encode()[:-1] + b', "metadata": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}"


@asynccontextmanager
async def _proxy(calls: list[CapturedCall], preset: LivePreset | None = None) -> AsyncIterator[tuple[Api, str]]:
    async with running_upstream() as (api, address):
        upstreams = {"ANTHROPIC_BASE_URL": Upstream("anthropic", address)}
        async with RecordingProxy(upstreams, "secret-token", calls.append, 0, preset) as proxy:
            yield api, proxy.addresses["ANTHROPIC_BASE_URL"]


async def _raw(address: str, data: bytes) -> bytes:
    """Return the first line of the answer to bytes that no client library would send."""
    port = int(address.split(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    line = await asyncio.wait_for(reader.readline(), 20)
    writer.close()
    return line


@pytest.mark.parametrize(
    "path",
    [
        "/secret-token/anthropic@example.invalid/v1/messages",
        "/secret-token/anthropic.example.invalid/v1/messages",
        "/secret-token/anthropic:9/v1/messages",
        "/secret-token/../secret-token/other",
        "//example.invalid/secret-token/anthropic/v1/messages",
        "/secret-token%2Fanthropic/v1/messages",
        "/SECRET-TOKEN/anthropic/v1/messages",
        "/",
    ],
)
async def test_no_path_leads_to_another_host(path: str) -> None:
    async with _proxy([]) as (api, address):
        line = await _raw(address, f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode())
        assert b" 404 " in line and api.requests == []


async def test_paths_with_dots_and_slashes_stay_at_the_upstream() -> None:
    async with _proxy([]) as (api, address):
        for inner in ("//example.invalid/v1/messages", "/../../v1/messages", "/%2e%2e/@example.invalid"):
            await _raw(
                address,
                f"POST /secret-token/anthropic{inner} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode(),
            )
        assert all(headers["Host"].startswith("127.0.0.1:") for _, headers, _ in api.requests)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 4\r\nContent-Length: 40\r\n",
        b"Content-Length: -1\r\n",
        b"Transfer-Encoding: identity, chunked\r\nContent-Length: 4\r\n",
        b"X-Name\x00: 1\r\n",
        b"X-Long: " + b"a" * 200_000 + b"\r\n",
    ],
    ids=["both", "two", "negative", "identity", "zero", "long"],
)
async def test_requests_that_two_servers_read_differently_are_refused(head: bytes) -> None:
    async with _proxy([]) as (api, address):
        line = await _raw(
            address, b"POST /secret-token/anthropic/v1/messages HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n0\r\n\r\n"
        )
        assert b" 400 " in line and api.requests == []


async def test_requests_above_the_limit_of_connections_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_CAPTURE_CONNECTIONS", "1")
    async with _proxy([]) as (api, address), aiohttp.ClientSession() as client:
        url, body = f"{address}/v1/messages", {**_ASK, "stream": True, "metadata": "waits"}
        async with client.post(url, json=body) as first:
            await first.content.readuntil(b"\n\n")
            async with client.post(url, json=_ASK) as second:
                assert second.status == 503
            api.may_go_on.set()
            await first.read()
        async with client.post(url, json=_ASK) as third:
            assert third.status == 200


async def _opened_raw(address: str, data: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(address.split(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    return reader, writer


async def _is_closed(reader: asyncio.StreamReader) -> bool:
    with suppress(ConnectionError):
        return await asyncio.wait_for(reader.read(1), 60) == b""
    return True


async def test_connections_above_their_limit_are_closed_and_the_others_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_CAPTURE_SOCKETS", "8")
    async with _proxy([]) as (api, address), aiohttp.ClientSession() as client:
        url, body = f"{address}/v1/messages", {**_ASK, "stream": True, "metadata": "waits"}
        async with client.post(url, json=body) as reply:
            await reply.content.readuntil(b"\n\n")
            held = [await _opened_raw(address) for _ in range(7)]
            for _ in range(50):
                reader, writer = await _opened_raw(address)
                assert await _is_closed(reader)
                writer.close()
            api.may_go_on.set()
            assert b"message_stop" in await reply.read(), "the stream was not disturbed"
            held[0][1].close()
            await held[0][1].wait_closed()
        for _, writer in held[1:]:
            writer.close()
        async with client.post(url, json=_ASK) as later:
            assert later.status == 200


async def test_connections_that_send_no_request_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "_SILENT_SECONDS", 0.5)
    async with _proxy([]) as (api, address), aiohttp.ClientSession() as client:
        url, body = f"{address}/v1/messages", {**_ASK, "stream": True, "metadata": "waits"}
        async with client.post(url, json=body) as reply:
            first = await reply.content.readuntil(b"\n\n")
            readers = [
                await _opened_raw(address, data) for data in (b"", b"POST /secret-tok", b"GET / HTTP/1.1\r\nA: b\r\n")
            ]
            for reader, writer in readers:
                assert await _is_closed(reader)
                writer.close()
            api.may_go_on.set()
            assert first + await reply.read() == b"".join(stream_bytes()), "a slow reply is no silence"


async def test_endless_headers_are_refused() -> None:
    async with _proxy([]) as (api, address):
        reader, writer = await _opened_raw(address, b"POST /secret-token/anthropic/v1/messages HTTP/1.1\r\n")
        sent = 0
        with suppress(ConnectionError):
            while sent < 64 << 20 and not reader.at_eof():
                writer.write(b"X-More: " + b"a" * 16_000 + b"\r\n")
                sent += 16_000
                await writer.drain()
        writer.close()
        assert sent < 16 << 20 and api.requests == []


async def test_passwords_of_other_programs_are_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with _proxy([]) as (api, address), aiohttp.ClientSession() as client:
        async with client.post(f"{address}/v1/messages", json=_ASK, headers={"x-api-key": "k"}) as reply:
            assert reply.status == 200
        (_, headers, _), *_ = api.requests
        assert headers["x-api-key"] == "k" and "Authorization" not in headers


async def test_cookies_of_earlier_replies_are_not_added() -> None:
    async with running_upstream() as (api, address), aiohttp.ClientSession() as client:
        by_name = address.replace("127.0.0.1", "localhost")  # clients keep no cookies of numeric addresses
        calls: list[CapturedCall] = []
        upstreams = {"OPENAI_BASE_URL": Upstream("openai/v1", by_name)}
        async with RecordingProxy(upstreams, "token", calls.append) as proxy:
            for path in ("cookie", "models"):
                async with client.get(f"{proxy.addresses['OPENAI_BASE_URL']}/{path}") as reply:
                    assert (path == "cookie") == ("Set-Cookie" in reply.headers)
        assert "Cookie" not in api.requests[1][1]


async def test_requests_go_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[CapturedCall] = []
    async with running_upstream() as (api, address), aiohttp.ClientSession() as client:
        monkeypatch.setenv("http_proxy", address.replace("//", "//user:word@"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        upstreams = {"OPENAI_BASE_URL": Upstream("openai/v1", "http://api.example.invalid/v1")}
        async with RecordingProxy(upstreams, "token", calls.append) as proxy:
            url = f"{proxy.addresses['OPENAI_BASE_URL']}/models"
            async with client.get(url) as reply:
                assert reply.status == 200
        (_, headers, _), *_ = api.requests
        assert headers["Host"] == "api.example.invalid" and headers["Proxy-Authorization"] == "Basic dXNlcjp3b3Jk"


async def test_bodies_that_are_no_requests_pass_with_and_without_a_preset(tmp_path: Path) -> None:
    calls: list[CapturedCall] = []
    bomb = gzip.compress(b" " * (80 << 20))
    bodies = {_NESTED: "", _DEEP: "", b"\xff\xfe{": "", b"{}": "", b"null": "", bomb: "gzip", b"no gzip": "gzip"}
    for has_preset in (False, True):
        live = LivePreset(find("aggressive"), tmp_path / "log.jsonl")
        async with _proxy(calls, live if has_preset else None) as (api, address), aiohttp.ClientSession() as client:
            with live.running():
                for body, coding in bodies.items():
                    headers = {"Content-Encoding": coding} if coding else {}
                    with suppress(aiohttp.ClientError):  # the API breaks off where it cannot read the request
                        async with client.post(f"{address}/v1/messages", data=body, headers=headers) as reply:
                            await reply.read()
            plain = [body for body, coding in bodies.items() if not coding]
            assert [sent for _, _, sent in api.requests][: len(plain)] == plain, "unchanged"
    log = CaptureLog(tmp_path / "calls.jsonl")
    for call in calls:
        log.append(call)
    text = log.path.read_text()
    assert len(text.splitlines()) == log.calls and len(text) < 4 << 20


def test_a_text_with_line_ends_and_commands_of_terminals_is_one_line(tmp_path: Path) -> None:
    words = '\x1b]52;c;eHg=\x07\n{"capture": 1}\r\u2028\u202e\x00'
    asked = json.dumps({**_ASK, "messages": [{"role": "user", "content": words}]}).encode()
    call = CapturedCall(
        "anthropic-messages",
        "/v1/messages",
        "2026-01-02T03:04:05.000+00:00",
        0.1,
        200,
        asked,
        "",
        reply_bytes(),
        "",
        False,
    )
    log = CaptureLog(tmp_path / "calls.jsonl")
    assert log.append(call) and log.append(call)
    data = log.path.read_bytes()
    assert data.count(b"\n") == 2 and b"\x1b" not in data
    assert load(log.path)[0].messages[0].text == words


async def test_a_stream_without_an_end_of_line_is_passed_on_and_kept_up_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_CAPTURE_BODY", "300")
    calls: list[CapturedCall] = []
    async with (
        _proxy(calls) as (_, address),
        aiohttp.ClientSession() as client,
        client.post(f"{address}/v1/messages", json={**_ASK, "stream": True}) as reply,
    ):
        assert await reply.read() == b"".join(stream_bytes())
    assert calls[0].cut == "size" and len(calls[0].response) <= 300


@pytest.mark.parametrize(
    "body",
    [
        _NESTED,
        b'{"resourceSpans":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "\\ud800", "traceId": 7}]}]}]}',
        b'{"resourceSpans": 1e999}',
        b'{"resourceSpans": [{"scopeSpans": {"spans": "x"}}, null, [1]]}',
    ],
    ids=["nested", "deep", "surrogate", "infinite", "shapes"],
)
async def test_hostile_telemetry_is_answered_and_the_next_is_kept(tmp_path: Path, body: bytes) -> None:
    good = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat", "traceId": "07"}]}]}]}'
    async with (
        Receiver(prepared_folder(tmp_path / "in"), "token", 0) as receiver,
        aiohttp.ClientSession(headers={"Content-Type": "application/json"}) as client,
    ):
        async with client.post(f"{receiver.address}/v1/traces", data=body) as reply:
            assert reply.status in (200, 400), await reply.text()
        before = receiver.rows["traces"]
        async with client.post(f"{receiver.address}/v1/traces", data=good) as reply:
            assert reply.status == 200
        assert receiver.rows["traces"] == before + 1
    for line in (tmp_path / "in" / "traces.jsonl").read_bytes().splitlines():
        json.loads(line)
