"""A model's endpoint on loopback: a real HTTP server whose answers a test writes down beforehand."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SUMMARY = "[Summary of earlier conversation]\n\nGoal:\n- Count the orders of May.\n\nResults:\n- There are three."
USAGE = {"prompt_tokens": 321, "completion_tokens": 45, "prompt_tokens_details": {"cached_tokens": 20}}
Behaviour = Callable[["Asked"], None]
_TAKEN: list[socket.socket] = []
"""The sockets of `nobody`, held until the tests end: a released port soon belongs to another test's server."""


class Asked(BaseHTTPRequestHandler):
    """A request, with the means to answer it in good and in bad ways."""

    server: Server
    protocol_version = "HTTP/1.1"
    body: dict[str, Any]

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.endpoint.requests.append(self)
        self.server.endpoint.arrived.set()
        self.close_connection = True
        behaviours = self.server.endpoint.behaviours
        behave = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        try:
            behave(self)
        except (BrokenPipeError, ConnectionResetError):
            self.server.endpoint.abandoned.set()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what a test asks is no news."""

    def head(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"content_type": "text/event-stream"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("connection", "close")
        self.end_headers()

    def event(self, data: Any) -> None:
        self.raw(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")

    def raw(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def piece(self, content: str | None = None, finish: str | None = None, **delta: Any) -> None:
        if content is not None:
            delta["content"] = content
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self.event({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})

    def usage(self, **usage: Any) -> None:
        self.event({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage or USAGE})

    @property
    def transcript(self) -> str:
        """What the model is shown."""
        return str(self.body["messages"][1]["content"])


class Server(ThreadingHTTPServer):
    daemon_threads = True
    endpoint: Endpoint


@dataclass
class Endpoint:
    """Where the server is, what it was asked, and what it does next; its last behaviour is the one that stays."""

    url: str
    behaviours: list[Behaviour]
    requests: list[Asked] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    """Set when a request has come."""
    abandoned: threading.Event = field(default_factory=threading.Event)
    """Set when somebody hung up before the answer was done."""
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://").removesuffix("/v1")

    def then(self, *behaviours: Behaviour) -> Endpoint:
        self.behaviours[:] = behaviours
        return self


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Endpoint]:
    server = Server(("127.0.0.1", 0), Asked)
    endpoint = server.endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", list(behaviours or (answers(),)))
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def answers(text: str = SUMMARY, finish: str | None = "stop", usage: bool = True) -> Behaviour:
    """A whole answer, word by word."""

    def behave(asked: Asked) -> None:
        asked.head()
        asked.piece("", role="assistant")
        for word in text.split(" "):
            asked.piece(f"{word} ")
        asked.piece(finish=finish)
        if usage:
            asked.usage()
        asked.event("[DONE]")

    return behave


def fails(status: int, error: Any = None, **headers: str) -> Behaviour:
    """An error, in the form that OpenAI gives it unless `error` is a text."""

    def behave(asked: Asked) -> None:
        body = error if isinstance(error, str) else json.dumps({"error": error or {"message": "No."}})
        kind = "text/html" if isinstance(error, str) else "application/json"
        asked.head(status, content_type=kind, content_length=str(len(body.encode())), **headers)
        asked.raw(body)

    return behave


def says(raw: str, content_type: str = "text/event-stream") -> Behaviour:
    """Whatever a server may send with status 200."""

    def behave(asked: Asked) -> None:
        asked.head(content_type=content_type)
        asked.raw(raw)

    return behave


def drops(words: str = "Goal: count ", chunked: bool = False) -> Behaviour:
    """Closes the connection: after these words, in the middle of a chunk, or before it has answered anything."""

    def behave(asked: Asked) -> None:
        if words or chunked:
            asked.head(200, **({"transfer_encoding": "chunked"} if chunked else {}))
            asked.raw("fff\r\ndata: {") if chunked else asked.piece(words)
        asked.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    return behave


def hangs(before: str = "") -> Behaviour:
    """Takes the request, perhaps begins to answer, and falls silent; notices when the other side hangs up."""

    def behave(asked: Asked) -> None:
        if before:
            asked.head()
            asked.piece(before)
        asked.connection.settimeout(0.02)
        while not asked.server.endpoint.closing.is_set():
            try:
                if not asked.connection.recv(1):
                    raise ConnectionResetError
            except TimeoutError:
                continue

    return behave


def drips(words: str = "word ", seconds: float = 0.02) -> Behaviour:
    """Goes on and on, a word at a time."""

    def behave(asked: Asked) -> None:
        asked.head()
        while not asked.server.endpoint.closing.is_set():
            asked.piece(words)
            time.sleep(seconds)

    return behave


def nobody() -> str:
    """An address on loopback that refuses connections: its port stays taken, and nothing listens on it."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    _TAKEN.append(taken)
    return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
