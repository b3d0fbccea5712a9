"""The recording proxy between a real client and a real API on the loopback address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest

from inspector.library.capture.captured_call import CapturedCall, api_of, reply_of_call, request_of_call
from inspector.library.capture.proxy import RecordingProxy, Upstream
from tests.library.capture.upstreams import Upstream as Api, reply_bytes, running_upstream, stream_bytes

_LIMIT = 1 << 20
_ASK = {"model": "claude-opus-5", "messages": [{"role": "user", "content": "Light the lamp."}]}


@dataclass
class _Bench:
    api: Api
    calls: list[CapturedCall]
    proxy: RecordingProxy
    client: aiohttp.ClientSession

    @property
    def anthropic(self) -> str:
        return self.proxy.addresses["ANTHROPIC_BASE_URL"]

    @property
    def openai(self) -> str:
        return self.proxy.addresses["OPENAI_BASE_URL"]


@asynccontextmanager
async def _bench() -> AsyncIterator[_Bench]:
    async with running_upstream() as (api, address):
        calls: list[CapturedCall] = []
        upstreams = {
            "ANTHROPIC_BASE_URL": Upstream("anthropic", address),
            "OPENAI_BASE_URL": Upstream("openai/v1", f"{address}/v1"),
        }
        async with (
            RecordingProxy(upstreams, "secret-token", calls.append) as proxy,
            aiohttp.ClientSession(auto_decompress=False) as client,
        ):
            yield _Bench(api, calls, proxy, client)


async def test_a_stream_passes_as_it_comes_and_is_kept_as_one_reply() -> None:
    async with _bench() as bench:
        body = json.dumps({**_ASK, "stream": True, "metadata": "waits"}).encode()
        async with bench.client.post(f"{bench.anthropic}/v1/messages?beta=true", data=body) as reply:
            assert (reply.status, reply.headers["x-request-id"]) == (200, "r7")
            first = await reply.content.readuntil(b"\n\n")
            assert first == stream_bytes()[0], "the first event arrives before the last is sent"
            bench.api.may_go_on.set()
            rest = await reply.read()
        assert first + rest == b"".join(stream_bytes())
        path, _, sent = bench.api.requests[0]
        assert (path, sent) == ("/v1/messages?beta=true", body)
        (call,) = bench.calls
        assert (call.api, call.path, call.status, call.cut) == ("anthropic-messages", "/v1/messages", 200, "")
        message, problem = reply_of_call(call, _LIMIT)
        assert message["content"] == [{"type": "text", "text": "The lamp is lit."}] and not problem
        assert message["usage"] == {"input_tokens": 90, "output_tokens": 6}
        assert request_of_call(call, _LIMIT)["messages"] == _ASK["messages"]


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "identity"])
async def test_compressed_replies_pass_unchanged_and_are_kept_decoded(encoding: str) -> None:
    async with _bench() as bench:
        headers = {"Accept-Encoding": encoding, "Authorization": "Bearer k7"}
        headers |= {"Connection": "keep-alive, X-Hop", "X-Hop": "1"}
        async with bench.client.post(f"{bench.openai}/chat/completions", json=_ASK, headers=headers) as reply:
            data = await reply.read()
            assert reply.headers.get("Content-Encoding", "identity") == encoding
            assert reply.headers["Content-Length"] == str(len(data))
        assert encoding == "identity" or data != reply_bytes()
        (call,) = bench.calls
        assert call.response == data
        answer, problem = reply_of_call(call, _LIMIT)
        assert answer == json.loads(reply_bytes()) and not problem
        _, sent, _ = bench.api.requests[0]
        assert sent["Authorization"] == "Bearer k7" and "X-Hop" not in sent
        assert sent["Accept-Encoding"] == encoding, "the client chooses the encoding"
        assert reply_of_call(call, 10)[1].endswith("is larger than 10 bytes without its compression")


async def test_only_the_recorded_program_reaches_the_upstreams_and_nothing_else() -> None:
    async with _bench() as bench:
        base = bench.anthropic.removesuffix("/secret-token/anthropic")
        for path in ("/", "/secret/anthropic/v1/messages", "/secret-token/other/v1", "/secret-token/openai/v12/x"):
            async with bench.client.post(base + path, json=_ASK) as reply:
                assert reply.status == 404, path
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(b"GET http://example.invalid/secret-token/anthropic/ HTTP/1.1\r\nHost: example.invalid\r\n\r\n")
        await writer.drain()
        assert b" 404 " in await reader.readline()
        writer.close()
        headers = {"Connection": "Upgrade", "Upgrade": "websocket"}
        async with bench.client.get(f"{bench.openai}/responses", headers=headers) as reply:
            assert reply.status == 501 and "WebSockets" in (await reply.json())["error"]["message"]
        assert bench.api.requests == [] and bench.calls == []


async def test_other_requests_redirects_and_errors_pass_and_are_not_kept() -> None:
    async with _bench() as bench:
        async with bench.client.get(f"{bench.openai}/models") as reply:
            assert await reply.json() == {"data": []}
        async with bench.client.post(f"{bench.anthropic}/v1/messages/count_tokens", json=_ASK) as reply:
            assert reply.status == 200
        async with bench.client.get(f"{bench.openai}/moved", allow_redirects=False) as reply:
            assert (reply.status, reply.headers["Location"]) == (307, "http://example.invalid/")
        async with bench.client.get(f"{bench.openai}/teapot") as reply:
            assert reply.status == 418
        assert bench.calls == [] and bench.proxy.other_requests == 4


async def test_a_reply_that_the_api_breaks_off_breaks_off_at_the_client(caplog: pytest.LogCaptureFixture) -> None:
    async with _bench() as bench:
        body = {**_ASK, "stream": True, "metadata": "breaks"}
        with pytest.raises(aiohttp.ClientError):
            async with bench.client.post(f"{bench.anthropic}/v1/messages", json=body) as reply:
                await reply.read()
        (call,) = bench.calls
        assert call.cut == "upstream" and b"The lamp" in call.response
    assert not caplog.records, "the terminal belongs to the recorded program"


async def test_a_client_that_ends_a_reply_ends_it_at_the_api() -> None:
    async with _bench() as bench:
        body = {**_ASK, "stream": True, "metadata": "waits"}
        async with bench.client.post(f"{bench.anthropic}/v1/messages", json=body) as reply:
            await reply.content.readuntil(b"\n\n")
            reply.close()
        await asyncio.wait_for(bench.api.was_closed.wait(), 10)
        while not bench.calls:
            await asyncio.sleep(0.01)
        assert bench.calls[0].cut == "client"


async def test_an_api_that_cannot_be_reached_is_an_error_without_the_request() -> None:
    calls: list[CapturedCall] = []
    upstreams = {"OPENAI_BASE_URL": Upstream("openai/v1", "http://127.0.0.1:9/v1")}
    async with RecordingProxy(upstreams, "t", calls.append) as proxy, aiohttp.ClientSession() as client:
        url = f"{proxy.addresses['OPENAI_BASE_URL']}/chat/completions"
        async with client.post(url, json=_ASK, headers={"Authorization": "Bearer k7"}) as reply:
            assert reply.status == 502
            text = await reply.text()
    assert "127.0.0.1 cannot be reached" in text and "k7" not in text and "lamp" not in text
    assert (calls[0].status, reply_of_call(calls[0], _LIMIT)) == (0, ({}, "there was no response"))


async def test_bodies_above_the_limit_pass_and_are_kept_as_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_CAPTURE_BODY", "200")
    async with _bench() as bench:
        ask = {**_ASK, "messages": [{"role": "user", "content": "lamp " * 200}]}
        async with bench.client.post(f"{bench.openai}/chat/completions", json=ask) as reply:
            assert await reply.read() == reply_bytes()
        assert json.loads(bench.api.requests[0][2]) == ask
        assert bench.calls[0].cut == "size" and request_of_call(bench.calls[0], 200) == {}


async def test_many_streams_at_once_are_each_kept_whole() -> None:
    async with _bench() as bench:

        async def ask(number: int) -> bytes:
            body = {**_ASK, "stream": True, "messages": [{"role": "user", "content": f"Lamp {number}"}]}
            async with bench.client.post(f"{bench.anthropic}/v1/messages", json=body) as reply:
                return await reply.read()

        replies = await asyncio.gather(*map(ask, range(60)))
        assert set(replies) == {b"".join(stream_bytes())}
        asked = {request_of_call(call, _LIMIT)["messages"][0]["content"] for call in bench.calls}
        assert asked == {f"Lamp {number}" for number in range(60)}
        assert {call.response for call in bench.calls} == {b"".join(stream_bytes())}


def test_calls_of_models_are_known_by_their_paths() -> None:
    assert api_of("POST", "/v1/messages") == "anthropic-messages"
    assert api_of("POST", "/chat/completions/") == "openai-chat"
    assert api_of("POST", "/responses") == "openai-responses"
    assert api_of("POST", "/responses/compact") == "openai-compaction"
    assert api_of("POST", "/v1/messages/count_tokens") is None
    assert api_of("GET", "/responses") is None
