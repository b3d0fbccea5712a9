"""Files and input that are made to take all memory: each ends in one sentence within 1 GB of address space."""

from __future__ import annotations

import base64
import gzip
import io
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit of the address space is that of Linux")
GIGABYTE = 1 << 30
SECONDS = 120
"""Patience with a command on a busy machine; each takes a few seconds of an idle one."""


def computed_columns(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE messages (id, session_id, role, content, created_at)")
        rows = [(number, "s", "user", f"text {number}", number) for number in range(500)]
        database.executemany("INSERT INTO messages VALUES (?,?,?,?,?)", rows)
        database.execute("ALTER TABLE messages ADD COLUMN pad AS (printf('%.*c', 20000000, 'x'))")


def zeroed_blobs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE messages (id, session_id, role, content, created_at)")
        for number in range(4):
            database.execute("INSERT INTO messages VALUES (?, 's', 'user', zeroblob(40000000), ?)", (number, number))


def gzip_bomb(path: Path) -> None:
    path.write_bytes(gzip.compress(bytes(16 << 20), 1) * 100)


def xz_bomb(path: Path) -> None:
    path.write_bytes(lzma.compress(bytes(16 << 20), preset=0) * 100)


def zip_bomb(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("a.jsonl", "w") as member,
    ):
        for _ in range(20):
            member.write(b" " * (16 << 20))


def long_claim(path: Path) -> None:
    member = tarfile.TarInfo("a.jsonl")
    member.size = 1 << 49
    path.write_bytes(member.tobuf() + bytes(4_096))


def many_members(path: Path) -> None:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for number in range(3_000):
            archive.addfile(tarfile.TarInfo(f"{number}.jsonl"), io.BytesIO())


def deep(path: Path) -> None:
    path.write_text('[{"role":"user","content":' + "[" * 200_000 + "]" * 200_000 + "}]")


def long_line(path: Path) -> None:
    path.write_text(json.dumps({"role": "user", "content": "x" * 20_000_000}) + "\n")


def long_number(path: Path) -> None:
    path.write_text('[{"role":"user","content":"a","tokens":' + "9" * 1_000_000 + "}]")


def many_lines(path: Path) -> None:
    path.write_text("{]\n" * 20_000)


def large_picture(path: Path) -> None:
    data = base64.b64encode(bytes(12 << 20)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    path.write_text(json.dumps([{"role": "user", "content": [{"type": "image", "source": source}]}]))


def large_document(path: Path) -> None:
    data = base64.b64encode(b"/Type /Page " * (5 << 20)).decode()
    source = {"type": "base64", "media_type": "application/pdf", "data": data}
    path.write_text(json.dumps([{"role": "user", "content": [{"type": "document", "source": source}]}]))


def large_value(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"messages": [')
        file.truncate(600 << 20)


def large_yaml(path: Path) -> None:
    path.write_bytes(b"messages:\n" + b"- role: user\n  content: the lamp\n" * 1_100_000)


def aliases(path: Path) -> None:
    rows = "".join(f"a{number + 1}: &a{number + 1} [{f'*a{number}, ' * 9}*a{number}]\n" for number in range(12))
    path.write_text(f"a0: &a0 [x]\n{rows}messages: *a12\n")


def compressed_bodies(path: Path) -> None:
    body = base64.b64encode(gzip.compress(bytes(300 << 20), 1)).decode()
    request = {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "headers": []}
    post = {"mimeType": "application/json", "text": '{"model":"m","messages":[{"role":"user","content":"go"}]}'}
    content = {"mimeType": "application/json", "encoding": "base64", "text": body}
    entry = {"startedDateTime": "2026-01-01T00:00:00Z", "request": {**request, "postData": post}}
    entries = [{**entry, "response": {"status": 200, "headers": [], "content": content}}] * 5
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))


def large_sidecar(path: Path) -> None:
    path.write_text(json.dumps({"model": "m", "messages": [{"role": "user", "content": "go"}]}))
    with path.with_suffix(".inspector.json").open("wb") as file:
        file.truncate(1 << 30)


def many_names(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}.txt", b"")


def many_pictures(path: Path) -> None:
    url = "data:image/png;base64," + base64.b64encode(bytes(60)).decode()
    blocks = [{"type": "image_url", "image_url": {"url": url}}] * 10_000
    path.write_text(json.dumps([{"role": "user", "content": blocks}]))


def many_calls(path: Path) -> None:
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": f"f{number}", "arguments": "{}"}}
        for number in range(5_000)
    ]
    path.write_text(json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": calls}]))


def one_parent(path: Path) -> None:
    rows = [
        {"type": "user", "uuid": f"u{number}", "parentUuid": "u0" if number else None, "sessionId": "s"}
        | {"message": {"role": "user", "content": f"text {number}"}}
        for number in range(5_000)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def control_characters(path: Path) -> None:
    path.write_text(json.dumps([{"role": "user", "content": "\x1b]52;c;eA==\x07\u202e\x9b" * 100_000}]))


MAKERS: dict[str, Callable[[Path], None]] = {
    "computed.db": computed_columns,
    "zeroed.db": zeroed_blobs,
    "bomb.jsonl.gz": gzip_bomb,
    "bomb.jsonl.xz": xz_bomb,
    "bomb.zip": zip_bomb,
    "claim.tar": long_claim,
    "members.tar.gz": many_members,
    "deep.json": deep,
    "line.jsonl": long_line,
    "number.json": long_number,
    "lines.jsonl": many_lines,
    "picture.json": large_picture,
    "pictures.json": many_pictures,
    "document.json": large_document,
    "value.json": large_value,
    "large.yaml": large_yaml,
    "aliases.yaml": aliases,
    "bodies.har": compressed_bodies,
    "request.json": large_sidecar,
    "names.zip": many_names,
    "calls.json": many_calls,
    "parent.jsonl": one_parent,
    "control.json": control_characters,
}
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from inspector.cli import main
sys.argv[0] = "inspector"
main()
"""
"""A program that runs the command line of its arguments in a gigabyte."""


def limited(
    folder: Path, *words: str | Path, given: bytes = b"", variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command within a gigabyte of address space, with some standard input and variables."""
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, *words, "--db", folder / "own.db"],
        input=given,
        cwd=ROOT,
        env=os.environ | dict(variables or {}),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stderr
    assert not any(words in ended.stderr for words in (b"Traceback", b"MemoryError", b"Internal error"))
    assert b"\x1b]" not in ended.stdout + ended.stderr
    assert ended.returncode == 0 or 0 < ended.stderr.count(b"\n") <= 3, ended.stderr
    return ended


@pytest.mark.parametrize("name", MAKERS)
def test_a_hostile_file_ends_in_one_sentence(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    MAKERS[name](path)
    limited(tmp_path, "show", path, "--json")


FRAMES: dict[str, bytes] = {
    "large": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * (64 << 20) + b'"}}\n',
    "a line of 100 MB": b"x" * (100 << 20) + b"\n",
    "deep": b'{"jsonrpc":"2.0","id":1,"method":' + b"[" * 500_000 + b"\n",
    "many": b'{"jsonrpc":"2.0","id":1,"method":"no/such/method"}\n' * 20_000,
    "empty lines": b"\n" * 2_000_000,
    "no text": bytes(range(256)) * 8_000 + b"\n",
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_frame_after_a_hostile_one_is_answered(name: str, tmp_path: Path) -> None:
    ended = limited(tmp_path, "mcp", given=FRAMES[name] + b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    assert [json.loads(line).get("id") for line in ended.stdout.splitlines()][-1] == 2
    assert len(ended.stdout) < 20_000_000


EVENTS: dict[str, bytes] = {
    "large": b'{"hook_event_name":"SessionStart","x":"' + b"x" * (100 << 20) + b'"}',
    "deep": b'{"hook_event_name":' * 100_000,
    "many lines": b'{"hook_event_name":"Stop"}\n' * 500_000,
    "no text": bytes(range(256)) * 100_000,
}


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_hostile_event_stops_no_agent(agent: str, name: str, tmp_path: Path) -> None:
    ended = limited(tmp_path, "hook", agent, given=EVENTS[name])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.mark.parametrize("name", ["bomb.jsonl.gz", "line.jsonl", "deep.json", "lines.jsonl", "parent.jsonl"])
def test_a_hostile_transcript_stops_no_agent(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    MAKERS[name](path)
    event = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s", "transcript_path": str(path)}
    ended = limited(tmp_path, "hook", "claude-code", "--timeout", "60", given=json.dumps(event).encode())
    assert (ended.returncode, ended.stderr) == (0, b"")
