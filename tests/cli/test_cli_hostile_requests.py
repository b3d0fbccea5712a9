"""Servers in a gigabyte of address space with hostile requests: they answer the next request, and end when told to."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.calling import chat, written
from tests.cli.test_cli_hostile_files import LIMITED
from tests.cli.test_cli_serve import free_port
from tests.places import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
PIECE = b"x" * (1 << 20)
PATIENCE = 120.0


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
    with (tmp_path / "errors").open("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", LIMITED, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=ROOT,
            env=os.environ | {"INSPECTOR_DB": str(tmp_path / "own.db"), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
        )
        assert process.stdout
        try:
            line = process.stdout.readline()
            address = urlsplit(line[line.index("http://") :].split()[0])
            assert address.port, line
            for name, request in REQUESTS.items():
                send(address.port, request(address.path + path))
                assert process.poll() is None, name
                assert answered(address.port).startswith(b"HTTP/1."), name
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        errors.seek(0)
        assert "Traceback" not in (text := errors.read()) and "MemoryError" not in text, text
