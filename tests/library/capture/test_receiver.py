"""The receiver of OpenTelemetry, with real requests on the loopback address."""

from __future__ import annotations

import gzip
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import aiohttp
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from inspector.analysis.redaction import Redactor
from inspector.formats import load
from inspector.library.capture.otlp_bodies import export_request
from inspector.library.capture.receiver import Receiver, prepared_folder, receiving_token
from inspector.store import RollupPeriod, Store, default_path

_PROTOBUF = {"Content-Type": "application/x-protobuf"}
_JSON = {"Content-Type": "application/json"}
_SECRET = "sk-ant-api03-" + "q7Zr9mK2xW4vB8nT1yL6" * 3


@asynccontextmanager
async def _receiving(
    folder: Path, redactor: Redactor | None = None
) -> AsyncIterator[tuple[Receiver, aiohttp.ClientSession]]:
    async with (
        Receiver(prepared_folder(folder), "token", 0, redactor) as receiver,
        aiohttp.ClientSession() as client,
    ):
        yield receiver, client


def _traces(number: int = 1, words: str = "Light the lamp.") -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id, span.name = b"\x07" * 16, number.to_bytes(8, "big"), "chat gpt-5"
    span.start_time_unix_nano, span.end_time_unix_nano = 1_780_000_000_000_000_000 + number, 1_780_000_001_000_000_000
    asked = [{"role": "user", "parts": [{"type": "text", "content": words}]}]
    answered = [{"role": "assistant", "parts": [{"type": "text", "content": "It is lit."}], "finish_reason": "stop"}]
    values = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps(answered),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 4,
    }
    for key, value in values.items():
        attribute = span.attributes.add()
        attribute.key = key
        if isinstance(value, int):
            attribute.value.int_value = value
        else:
            attribute.value.string_value = value
    return request


def _json_traces() -> dict[str, Any]:
    span = {"traceId": "07" * 16, "spanId": "00" * 7 + "09", "name": "chat"}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


async def test_spans_in_protobuf_become_a_session(tmp_path: Path) -> None:
    async with _receiving(tmp_path / "in") as (receiver, client):
        body = _traces().SerializeToString()
        async with client.post(f"{receiver.address}/v1/traces", data=body, headers=_PROTOBUF) as reply:
            assert (reply.status, await reply.read(), reply.content_type) == (200, b"", "application/x-protobuf")
        packed = {**_PROTOBUF, "Content-Encoding": "gzip"}
        for _ in range(2):  # sent again, because the answer was lost
            data = gzip.compress(_traces(2, "And the other.").SerializeToString(), mtime=0)
            async with client.post(f"{receiver.address}/v1/traces", data=data, headers=packed) as reply:
                assert reply.status == 200
        assert receiver.rows == {"traces": 2, "logs": 0}
    path = tmp_path / "in" / "traces.jsonl"
    assert (
        json.loads(path.read_text().splitlines()[0])["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"]
        == "07" * 16
    )
    texts = {message.text for session in load(path) for message in session.messages}
    assert texts == {"Light the lamp.", "And the other.", "It is lit."}
    assert [path.stat().st_mode & 0o077 for path in (path, path.parent)] == [0, 0]


def test_protobuf_has_the_form_of_json() -> None:
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    span = scope.spans.add(trace_id=b"\x07" * 16, span_id=b"\x08" * 8, parent_span_id=b"", kind=3, name="chat")
    span.links.add(trace_id=b"\x09" * 16, span_id=b"\x0a" * 8)
    span.start_time_unix_nano, span.dropped_events_count, span.status.code = 1 << 62, 7, 2
    for value in (math.inf, -math.inf, math.nan, 0.5, -0.0, 0, "", "word", False, b"\xff"):
        place = span.attributes.add(key="one").value
        name = {float: "double", int: "int", str: "string", bool: "bool", bytes: "bytes"}[type(value)]
        setattr(place, f"{name}_value", value)
    span.attributes.add(key="list").value.array_value.values.add().kvlist_value.values.add(
        key="in"
    ).value.int_value = -3
    scope.spans.add(kind=99)
    body = request.SerializeToString()
    json_format: Any = import_module("google.protobuf.json_format")
    expected = json_format.MessageToDict(request)
    first = expected["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    first |= {"traceId": "07" * 16, "spanId": "08" * 8}
    first["links"][0] |= {"traceId": "09" * 16, "spanId": "0a" * 8}
    assert json.dumps(export_request(body, "traces", "protobuf")) == json.dumps(expected)


async def test_json_logs_and_metrics_are_answered_in_their_own_type(tmp_path: Path) -> None:
    async with _receiving(tmp_path / "in") as (receiver, client):
        async with client.post(f"{receiver.address}/v1/traces", json=_json_traces()) as reply:
            assert (reply.status, await reply.json()) == (200, {})
        logs = ExportLogsServiceRequest()
        logs.resource_logs.add().scope_logs.add().log_records.add().body.string_value = "claude_code.user_prompt"
        async with client.post(
            f"{receiver.address}/v1/logs", data=logs.SerializeToString(), headers=_PROTOBUF
        ) as reply:
            assert reply.status == 200
        async with client.post(f"{receiver.address}/v1/metrics", json={"resourceMetrics": []}) as reply:
            assert reply.status == 200
        assert receiver.rows == {"traces": 1, "logs": 1}


async def test_what_cannot_be_kept_is_refused_and_never_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_RECEIVED_BODY", "2000")
    async with _receiving(tmp_path / "in") as (receiver, client):
        cases: list[tuple[str, bytes, dict[str, str], int]] = [
            ("/v1/traces", b"\xff\xff\xff", _PROTOBUF, 400),
            ("/v1/traces", b"[1, 2]", _JSON, 400),
            ("/v1/traces", b"{", _JSON, 400),
            ("/v1/logs", b"x", {**_JSON, "Content-Encoding": "gzip"}, 400),
            ("/v1/traces", gzip.compress(b" " * 100_000), {**_JSON, "Content-Encoding": "gzip"}, 400),
            ("/v1/traces", b" " * 3_000, _JSON, 413),
            ("/v1/traces", b"{}", {"Content-Type": "text/plain"}, 415),
            ("/v1/other", b"{}", _JSON, 404),
        ]
        for path, body, headers, status in cases:
            async with client.post(f"{receiver.address}{path}", data=body, headers=headers) as reply:
                assert reply.status == status, (path, body[:10])
        async with client.post(f"{receiver.address.removesuffix('token')}guess/v1/traces", json={}) as reply:
            assert reply.status == 404
        async with client.get(f"{receiver.address}/v1/traces") as reply:
            assert reply.status == 405
    assert [(tmp_path / "in" / f"{name}.jsonl").read_bytes() for name in ("traces", "logs")] == [b"", b""]


async def test_secrets_are_removed_on_request(tmp_path: Path) -> None:
    async with _receiving(tmp_path / "in", Redactor()) as (receiver, client):
        body = _traces(words=f"The key is {_SECRET}.").SerializeToString()
        async with client.post(f"{receiver.address}/v1/traces", data=body, headers=_PROTOBUF) as reply:
            assert reply.status == 200
    text = (tmp_path / "in" / "traces.jsonl").read_text()
    assert _SECRET not in text and "redacted" in text


def test_the_token_stays_the_same(tmp_path: Path) -> None:
    path = tmp_path / "data" / "token"
    token = receiving_token(path)
    assert len(token) == 16 and receiving_token(path) == token and path.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_the_command_prints_its_address_and_ends_with_an_interrupt(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspector", "receive", "--port", "0", "--out", str(tmp_path / "in"), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:")
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0 and errors == ""
    value = json.loads(output)
    assert (value["folder"], value["spans"], value["log_records"]) == (str(tmp_path / "in"), 0, 0)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_received_sessions_are_added_up_at_the_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspector", "receive", "--port", "0", "--out", str(tmp_path / "in")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    address = process.stdout.readline().strip().removeprefix("export OTEL_EXPORTER_OTLP_ENDPOINT=")
    request = Request(f"{address}/v1/traces", _traces().SerializeToString(), _PROTOBUF)
    with urlopen(request, timeout=120) as reply:
        assert reply.status == 200
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    with Store(default_path()) as store:
        assert store.rollups.total(RollupPeriod()).sessions == 1
