"""The MCP server answers any input by frames of the protocol, one per line, and starts without the engine."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.library.mcp_server.protocol_frames import TOOLS, answer_frame, serve_frames
from inspector.llm.tokens import counter_for
from tests.places import ROOT

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "notifications/initialized", "x"])
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": JSON,
        "method": METHODS | JSON,
        "params": JSON
        | st.fixed_dictionaries({"name": st.sampled_from(["recall", "lost", "sessions"]) | JSON, "arguments": JSON}),
        "result": JSON,
    },
)


def echo(name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    """Stands for the tools: frames are tested here."""
    return f"{name} {sorted(arguments)}", False


def served(data: bytes) -> list[Any]:
    frames = io.BytesIO()
    serve_frames(io.BytesIO(data), frames, echo)
    return [json.loads(line) for line in frames.getvalue().splitlines()]


def line(method: str, id: object = 1, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


def test_a_client_is_greeted_in_its_own_version_or_in_the_newest() -> None:
    [own, other] = served(line("initialize", protocolVersion="2024-11-05") + line("initialize", protocolVersion=[]))
    assert own["result"]["protocolVersion"] == "2024-11-05" and own["result"]["capabilities"] == {"tools": {}}
    assert other["result"]["protocolVersion"] == "2025-11-25"


def test_the_tools_cost_less_than_400_tokens() -> None:
    assert [tool["name"] for tool in TOOLS] == ["recall", "lost", "sessions"]
    for model in ("claude-sonnet-4-5", "gpt-4o"):
        assert counter_for(model).count(json.dumps(TOOLS)) < 400


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', -32700),
        (b"[" + line("ping").strip() + b"]", -32600),
        (b"7", -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (line("resources/list").strip(), -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
        (line("tools/call", name="rm").strip(), -32602),
        (line("tools/call", name=["recall"]).strip(), -32602),
        (line("tools/call", name="lost", arguments="x").strip(), -32602),
        (b'{"' + b"x" * (3 << 20) + b'":1}', -32600),
    ],
)
def test_a_frame_that_cannot_be_used_is_answered_by_an_error(data: bytes, code: int) -> None:
    [error, alive] = served(data + b"\n" + line("ping", "next"))
    assert error["error"]["code"] == code and error["error"]["message"].endswith(".")
    assert alive == {"jsonrpc": "2.0", "id": "next", "result": {}}


def test_notifications_answers_and_empty_lines_have_no_answer() -> None:
    note = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","method":"unknown"}\n'
    assert served(b"\n \r\n" + note + b'{"jsonrpc":"2.0","id":3,"result":{}}\n') == []


def test_the_last_line_needs_no_end() -> None:
    assert served(line("ping").strip()) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_line_is_survived(data: bytes) -> None:
    assert served(data + b"\n" + line("ping", "last"))[-1] == {"jsonrpc": "2.0", "id": "last", "result": {}}


@given(REQUESTS)
def test_any_request_is_answered_once_or_not_at_all(request: dict[str, Any]) -> None:
    answer = answer_frame(json.dumps(request).encode(), echo)
    if answer is None:
        assert "id" not in request or ("method" not in request and "result" in request)
        return
    assert answer.isascii() and answer.isprintable()
    frame = json.loads(answer)
    assert frame["jsonrpc"] == "2.0" and ("result" in frame) != ("error" in frame)
    assert frame["id"] in (None, request.get("id"))


def start(data: bytes, *words: str, home: Path) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"HOME": str(home), "INSPECTOR_DB": str(home / "store.db"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *(words or ("-m", "inspector", "mcp"))]
    return subprocess.run(command, input=data, env=environment, cwd=home, capture_output=True, timeout=60, check=False)


def test_the_command_prints_nothing_but_frames_and_ends_with_its_input(tmp_path: Path) -> None:
    call = line("tools/call", 2, name="sessions", arguments={"query": "nothing like this"})
    ended = start(json.dumps(HELLO).encode() + b"\nrubbish\n" + call, home=tmp_path)
    frames = [json.loads(frame) for frame in ended.stdout.splitlines()]
    assert ended.returncode == 0 and ended.stderr == b""
    assert [frame["id"] for frame in frames] == [1, None, 2]
    assert not frames[2]["result"]["isError"]
    assert not (tmp_path / "store.db").exists()


def test_what_a_library_prints_does_not_reach_the_client(tmp_path: Path) -> None:
    code = (
        "import os; from inspector.library.mcp_server import protocol_frames as frames\n"
        "def call(db, name, arguments):\n    print('noise'); os.write(1, b'noise'); return 'done', False\n"
        "frames._call_tool = call\nframes.serve_standard_streams()"
    )
    ended = start(line("tools/call", name="lost"), "-c", code, home=tmp_path)
    assert len(ended.stdout.splitlines()) == 1 and json.loads(ended.stdout)["result"]["isError"] is False
    assert b"noise" in ended.stderr


def test_an_agent_that_starts_waits_for_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys, runpy\nsys.argv = ['inspector', 'mcp']\n"
        "try: runpy.run_module('inspector', run_name='__main__')\n"
        "except SystemExit: print(*sys.modules)"
    )
    ended = start(json.dumps(HELLO).encode() + b"\n" + line("tools/list", 2), "-c", code, home=tmp_path)
    loaded = set(ended.stderr.decode().split())
    assert "inspector.library.mcp_server.protocol_frames" in loaded and len(ended.stdout.splitlines()) == 2
    slow = ("click", "orjson", "sqlite3", "textual", "inspector.engine", "inspector.formats", "inspector.store")
    assert not loaded.intersection(slow)
