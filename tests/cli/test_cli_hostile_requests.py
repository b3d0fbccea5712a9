"""Servers in a gigabyte of address space with hostile requests: they answer the next request, and end when told to."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import pytest

from tests.cli.calling import chat, written
from tests.cli.test_cli_hostile_files import LIMITED
from tests.cli.test_cli_serve import free_port
from tests.engine.summaries.endpoint import Asked, Behaviour, serving
from tests.places import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
PIECE = b"x" * (1 << 20)
PATIENCE = 120.0
FILES = 256
"""Files that a server can open, as on macOS."""
FEW_FILES = f"import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))\n"


def posted(path: str, *headers: str) -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *headers, "", "")
    return "\r\n".join(lines).encode()


def bomb() -> bytes:
    return gzip.compress(b"[" * (64 << 20))


REQUESTS: dict[str, Callable[[str], Iterator[bytes]]] = {
    "a body of three gigabytes": lambda path: chain([posted(path, "Content-Length: 3000000000")], repeat(PIECE, 100)),
    "a body without an end": lambda path: chain(
        [posted(path, "Transfer-Encoding: chunked")], repeat(b"100000\r\n" + PIECE + b"\r\n", 100)
    ),
    "a body that unpacks to much": lambda path: iter(
        [posted(path, "Content-Encoding: gzip", f"Content-Length: {len(bomb())}"), bomb()]
    ),
    "a header without an end": lambda path: chain([f"POST {path} HTTP/1.1\r\nX: ".encode()], repeat(PIECE, 100)),
    "headers without an end": lambda path: chain(
        [f"POST {path} HTTP/1.1\r\n".encode()], repeat(b"X: y\r\n" * 50_000, 100)
    ),
    "deep JSON": lambda path: iter([posted(path, "Content-Length: 200000"), b"[" * 200_000]),
    "no HTTP": lambda path: iter([bytes(range(256)) * 4_000, path.encode()]),
    "a negative length": lambda path: iter([posted(path, "Content-Length: -1"), b"{}"]),
}


def send(port: int, pieces: Iterator[bytes]) -> None:
    """Send the pieces of a request, as far as the server takes them."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection, suppress(OSError):
        for piece in pieces:
            connection.sendall(piece)


def answered(port: int) -> bytes:
    """Return the beginning of the answer to an ordinary request."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return connection.recv(4_096)


def recovered(port: int) -> bool:
    """Whether an ordinary request is answered, once the server has noticed that other connections are closed."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(ConnectionError):
            if answered(port).startswith(b"HTTP/1."):
                return True
    return False


def half_requests(port: int) -> None:
    """Hold more connections than the server can open files, each with the beginning of a request."""
    held = []
    try:
        for _ in range(2 * FILES):
            held.append(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            with suppress(OSError):  # the server may refuse it
                held[-1].sendall(b"POST / HTTP/1.1\r\nX: ")
    finally:
        for connection in held:
            connection.close()


@contextmanager
def limited_server(tmp_path: Path, *words: object, **variables: str) -> Iterator[tuple[int, SplitResult]]:
    """Run a server in a gigabyte, with few files. Gives its process id and address; its error output has no traceback.

    The server is told to end, and has to.
    """
    with (tmp_path / "errors").open("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", FEW_FILES + LIMITED, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=ROOT,
            env=os.environ | {"INSPECTOR_DB": str(tmp_path / "own.db")} | variables,
        )
        assert process.stdout
        try:
            line = process.stdout.readline()
            address = urlsplit(line[line.index("http://") :].split()[0])
            yield process.pid, address
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        errors.seek(0)
        text = errors.read()
        assert not any(word in text for word in ("Traceback", "MemoryError", "out of system resource")), text[:2_000]


@pytest.mark.parametrize("command", ["receive", "record", "serve"])
def test_a_server_survives_hostile_requests(command: str, tmp_path: Path) -> None:
    written(tmp_path / "log.json", chat())
    words, path = {
        "receive": (["receive", "--port", "0", "--out", tmp_path / "in"], "/v1/traces"),
        "record": (["record", "--attach", "--out", tmp_path / "log.jsonl"], "/v1/chat/completions"),
        "serve": (["serve", tmp_path / "log.json", "--port", str(free_port())], ""),
    }[command]
    if command == "serve":
        pytest.importorskip("textual_serve")
    with limited_server(tmp_path, *words, OPENAI_BASE_URL="http://127.0.0.1:9/v1") as (_, address):
        assert address.port
        for name, request in REQUESTS.items():
            send(address.port, request(address.path + path))
            assert answered(address.port).startswith(b"HTTP/1."), name
        half_requests(address.port)
        assert recovered(address.port)


MASK = b"\0\0\0\0"
FRAMES: dict[str, Callable[[], Iterator[bytes]]] = {
    "a frame of a terabyte": lambda: chain([b"\x82\xff" + (1 << 40).to_bytes(8) + MASK], repeat(PIECE, 100)),
    "a message without an end": lambda: chain(
        [b"\x01\x81" + MASK + b"["], repeat(b"\0\xfe\xff\xff" + MASK + b"x" * 65_535, 1_600)
    ),
    "deep JSON": lambda: iter([b"\x81\xfe\xff\xff" + MASK + b"[" * 65_535]),
    "many frames": lambda: repeat(b"\x81\x92" + MASK + b'["stdin", "abcde"]', 5_000),
    "many pings": lambda: repeat((b"\x89\x80" + MASK) * 1_000, 100),
    "no frame": lambda: iter([bytes(range(256)) * 400]),
}


def test_a_page_survives_hostile_frames(tmp_path: Path) -> None:
    pytest.importorskip("textual_serve")
    words = ["serve", written(tmp_path / "log.json", chat()), "--port", str(free_port())]
    with limited_server(tmp_path, *words, TERM="dumb") as (_, address):
        assert address.port
        cookie = f"inspector_{address.port}={address.query.removeprefix('token=')}"
        head = (
            f"GET /ws?width=80&height=24 HTTP/1.1\r\nHost: {address.netloc}\r\nOrigin: http://{address.netloc}\r\n"
            f"Cookie: {cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        for name, frames in FRAMES.items():
            with socket.create_connection(("127.0.0.1", address.port), timeout=PATIENCE) as page:
                page.sendall(head.encode())
                assert page.recv(12) == b"HTTP/1.1 101", name
                with suppress(OSError):
                    for frame in frames():
                        page.sendall(frame)
            assert answered(address.port).startswith(b"HTTP/1."), name


def endless_line(asked: Asked) -> None:
    asked.head()
    asked.raw("data: ")
    for _ in range(300):
        asked.raw(PIECE.decode())


def endless_events(asked: Asked) -> None:
    asked.head()
    for _ in range(100):
        asked.piece(PIECE.decode())


def endless_headers(asked: Asked) -> None:
    asked.send_response(200)
    for number in range(20_000):
        asked.send_header(f"X-{number}", "y" * 1_000)
    asked.end_headers()


def false_length(asked: Asked) -> None:
    asked.head(200, content_type="application/json", content_length=str(10**15))
    for _ in range(100):
        asked.raw(PIECE.decode())


@pytest.mark.parametrize("behaviour", [endless_line, endless_events, endless_headers, false_length])
def test_a_recorded_api_cannot_take_all_memory(behaviour: Behaviour, tmp_path: Path) -> None:
    log, body = (
        tmp_path / "log.jsonl",
        b'{"model": "m", "stream": true, "messages": [{"role": "user", "content": "go"}]}',
    )
    with (
        serving(behaviour) as api,
        limited_server(tmp_path, "record", "--attach", "--out", log, OPENAI_BASE_URL=api.url) as (_, address),
    ):
        assert address.port
        openai = f"{address.path.rpartition('/')[0]}/openai/v1/chat/completions"
        with socket.create_connection(("127.0.0.1", address.port), timeout=PATIENCE) as connection:
            connection.sendall(posted(openai, "Connection: close", f"Content-Length: {len(body)}") + body)
            with suppress(OSError):
                while connection.recv(1 << 20):
                    pass
        assert api.requests
        assert answered(address.port).startswith(b"HTTP/1.")
    assert not log.exists() or log.stat().st_size < 200 << 20
