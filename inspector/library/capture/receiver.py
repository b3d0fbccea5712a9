"""A receiver of OpenTelemetry traces and logs on this machine (OTLP over HTTP), which appends them to files."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from aiohttp import ClientError, web

from inspector.analysis.redaction import Redactor
from inspector.core.limits import limit
from inspector.core.local_server import answering, interruption, listening
from inspector.core.text import dumps, make_private_file, make_private_folder
from inspector.library.capture.captured_call import BodyError, decoded_body
from inspector.library.capture.line_files import append_line
from inspector.library.capture.loopback import RecordingError, opened
from inspector.library.capture.otlp_bodies import Encoding, Signal, empty_answer, error_answer, export_request, rows_of

_SIGNALS: dict[str, Signal] = {"/v1/traces": "traces", "/v1/logs": "logs", "/v1/metrics": "metrics"}
_TYPES: dict[str, Encoding] = {"application/x-protobuf": "protobuf", "application/json": "json"}
_RECENT = 1_000
"""Requests whose repetition is recognized: a client sends one again if the answer did not arrive."""
_TOKEN_BYTES = 12
_RETRY_SECONDS = "1"
_MAX_ACTIVE = 64


class Receiver:
    """A receiver that listens while its context is entered."""

    def __init__(self, folder: Path, token: str, port: int, redactor: Redactor | None = None) -> None:
        """Prepare the receiver.

        Args:
            folder: Receives `traces.jsonl` and `logs.jsonl`.
            token: Begins the path of each request.
            port: Port on the loopback address; 0 for any that is free.
            redactor: Finds what is not written; None to write everything.
        """
        self.folder = folder
        self.rows = {"traces": 0, "logs": 0}
        """Numbers of spans and log records that were written."""
        self._token = token
        self._port = port
        self._redactor = redactor
        self._recent: OrderedDict[bytes, None] = OrderedDict()
        self._active = 0
        self._writer = ThreadPoolExecutor(1, "receive")
        self._open = AsyncExitStack()

    @property
    def address(self) -> str:
        """Address for OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self._port}/{self._token}"

    async def __aenter__(self) -> Receiver:
        """Listen.

        Raises:
            OSError: The port cannot be used.
        """
        async with AsyncExitStack() as stack:
            stack.push_async_callback(asyncio.to_thread, self._writer.shutdown)
            app = answering(self._answer, limit("received_body"))
            server = listening(app, self._port, limit("capture_sockets"), auto_decompress=False)
            self._port = await stack.enter_async_context(server)
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, and write what was accepted."""
        await self._open.aclose()

    async def _answer(self, request: web.Request) -> web.Response:
        token, _, rest = request.path.removeprefix("/").partition("/")
        signal = _SIGNALS.get(f"/{rest}")
        if signal is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return web.Response(status=404, text="There is nothing here.")
        if request.method != "POST":
            return web.Response(status=405, text="Send a POST request.")
        encoding = _TYPES.get(request.content_type)
        if encoding is None:
            return web.Response(status=415, text="Send application/x-protobuf or application/json.")
        if self._active >= _MAX_ACTIVE:
            return web.Response(status=503, headers={"Retry-After": _RETRY_SECONDS})
        self._active += 1
        try:
            return await self._keep(request, signal, encoding)
        finally:
            self._active -= 1

    async def _keep(self, request: web.Request, signal: Signal, encoding: Encoding) -> web.Response:
        kind = request.content_type
        try:
            body = await request.read()
            if signal != "metrics":
                coding = request.headers.get("Content-Encoding", "")
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._writer, self._write, body, coding, signal, encoding)
        except web.HTTPRequestEntityTooLarge:
            sentence = f"The request is larger than {limit('received_body'):,} bytes."
            return web.Response(status=413, body=error_answer(encoding, sentence), content_type=kind)
        except BodyError as error:
            return web.Response(status=400, body=error_answer(encoding, f"The body {error}."), content_type=kind)
        except (OSError, ClientError):
            return web.Response(status=503, headers={"Retry-After": _RETRY_SECONDS})
        return web.Response(body=empty_answer(encoding), content_type=kind)

    def _write(self, body: bytes, coding: str, signal: Signal, encoding: Encoding) -> None:
        """Append a request to the file of its signal, unless it was sent before."""
        key = blake2b(body, digest_size=16, person=signal.encode()).digest()
        if key in self._recent:
            return
        value = export_request(decoded_body(body, coding, limit("received_body")), signal, encoding)
        count = sum(1 for _ in rows_of(value, signal))
        if count:
            if self._redactor is not None:
                value = self._redactor.value_of(value, self._redactor.collect(value))
            append_line(self.folder / f"{signal}.jsonl", dumps(value))
            self.rows[signal] += count
        self._recent[key] = None
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)


def receiving_token(path: Path) -> str:
    """Return the token in a private file, which is created with a new one, so that addresses stay valid.

    Raises:
        OSError: The file cannot be read or written.
    """
    make_private_folder(path.parent)
    make_private_file(path)
    token = path.read_text(encoding="utf-8").strip()
    if not token:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        path.write_text(token + "\n", encoding="utf-8")
    return token


def prepared_folder(folder: Path) -> Path:
    """Return a folder with the two files, which only their owner can read.

    Raises:
        OSError: It cannot be written.
    """
    make_private_folder(folder)
    for signal in ("traces", "logs"):
        make_private_file(folder / f"{signal}.jsonl")
    return folder


@dataclass(frozen=True, slots=True)
class ReceivedRows:
    """Result of a run of the receiver."""

    folder: Path
    spans: int
    log_records: int


def receive(
    folder: Path, token_file: Path, port: int, *, is_redacting: bool = False, on_start: Callable[[str], object]
) -> ReceivedRows:
    """Receive traces and logs of programs on this machine until an interrupt.

    Args:
        folder: Folder of the files; requests are appended.
        token_file: File with the token of the address, which is created if it is missing.
        port: Port on the loopback address; 0 for any that is free.
        is_redacting: True to write no secrets.
        on_start: Called with the address when requests are accepted.

    Raises:
        RecordingError: The folder or the port cannot be used, or a library is missing.
    """
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.proto") is None:
        raise RecordingError("opentelemetry-proto is not installed: pip install 'memory-inspector[otlp]'.")
    try:
        receiver = Receiver(
            prepared_folder(folder), receiving_token(token_file), port, Redactor() if is_redacting else None
        )
    except OSError as error:
        raise RecordingError(f"{error.filename or folder} cannot be written ({error.strerror or error}).") from error
    asyncio.run(_listen(receiver, on_start))
    return ReceivedRows(folder, receiver.rows["traces"], receiver.rows["logs"])


async def _listen(receiver: Receiver, on_start: Callable[[str], object]) -> None:
    async with opened(receiver):
        stop = interruption()
        on_start(receiver.address)
        await stop.wait()
