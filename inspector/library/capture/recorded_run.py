"""Run a program whose requests to models pass through the recording proxy."""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from urllib.parse import urlsplit

from inspector.core.local_server import interruption
from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall
from inspector.library.capture.loopback import RecordingError, opened
from inspector.library.capture.proxy import RecordingProxy, Upstream
from inspector.library.capture.request_preset import RequestPreset

_DEFAULTS = {
    "ANTHROPIC_BASE_URL": ("anthropic", "https://api.anthropic.com"),
    "OPENAI_BASE_URL": ("openai/v1", "https://api.openai.com/v1"),
}
_LOCAL = "127.0.0.1,localhost"
_TOKEN_BYTES = 18
_SIGNALED = 128
"""Added to the number of a signal that ended a program, as shells do."""
_STANDARD_ERROR = 2
_SWITCH_SECONDS = 0.000_5
"""Longest time that a stream waits for the thread that writes the log, or the one of a preset. Python's is 5 ms."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Result of a recorded run."""

    path: Path
    calls: int
    """Calls of a model in the file."""
    other_requests: int
    """Requests that were passed on and not kept."""
    failure: str
    """Why calls are missing in the file; empty if none are."""
    exit_code: int
    preset_states: Mapping[str, int] = field(default_factory=dict)
    """Number of requests in each state after the preset; empty without one."""
    doubt: str = ""
    """Why the newest request that should have passed the preset was sent as it came."""


def _upstreams_of(environment: Mapping[str, str], upstream: str = "") -> dict[str, Upstream]:
    """Return the APIs that requests are passed on to, by the variable with their address.

    Args:
        environment: Environment variables; base addresses in it are kept as upstreams.
        upstream: Base address of all APIs, with or without `/v1`; empty for those of the environment, or else the
            providers' own.

    Raises:
        RecordingError: An address is not one of HTTP.
    """
    upstreams = {}
    for name, (prefix, usual) in _DEFAULTS.items():
        address = (upstream or environment.get(name) or usual).rstrip("/")
        if not address.startswith(("http://", "https://")) or "@" in address or "?" in address:
            place = "--upstream" if upstream else name
            raise RecordingError(f"{place} has to be an address of http:// or https:// without password and query.")
        upstreams[name] = Upstream(prefix, _base_address(name, address) if upstream else address)
    return upstreams


def _base_address(name: str, upstream: str) -> str:
    """Return the base address of an API at an upstream: clients of OpenAI add no `/v1` to it, those of Anthropic do."""
    if name == "ANTHROPIC_BASE_URL":
        return upstream.removesuffix("/v1")
    return upstream if urlsplit(upstream).path else f"{upstream}/v1"


def record_command(
    command: Sequence[str],
    environment: Mapping[str, str],
    path: Path,
    *,
    upstream: str = "",
    port: int = 0,
    on_start: Callable[[Mapping[str, str]], object],
    is_quiet: bool = False,
    preset: RequestPreset | None = None,
) -> RecordedRun:
    """Run a command, and append its calls of models to a file.

    Args:
        command: Program and arguments; empty to wait for an interrupt, while other programs send their requests.
        environment: Environment of the program.
        path: File to append to.
        upstream: Base address of the API; empty for those of the environment.
        port: Port of the proxy; 0 for a free one.
        on_start: Called with the address of each API on this machine, by environment variable.
        is_quiet: True to send the output of the program to standard error.
        preset: Preset that the requests pass through; None to send them unchanged.

    Raises:
        RecordingError: The program, the port or the file cannot be used.
    """
    upstreams = _upstreams_of(environment, upstream)
    try:
        writer = _LogWriter(CaptureLog(path))
    except OSError as error:
        raise RecordingError(f"{path} cannot be written ({error.strerror or error}).") from error
    proxy = RecordingProxy(upstreams, secrets.token_urlsafe(_TOKEN_BYTES), writer.put, port, preset)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        with preset.running() if preset else nullcontext():
            code = asyncio.run(_serve_and_run(proxy, command, environment, on_start, is_quiet))
    except OSError as error:
        raise RecordingError(f"{path.parent} cannot be written ({error.strerror or error}).") from error
    finally:
        writer.close()
        sys.setswitchinterval(interval)
    states, doubt = (preset.counts, preset.newest_reason) if preset else ({}, "")
    return RecordedRun(path, writer.log.calls, proxy.other_requests, writer.failure, code, states, doubt)


async def _serve_and_run(
    proxy: RecordingProxy,
    command: Sequence[str],
    environment: Mapping[str, str],
    on_start: Callable[[Mapping[str, str]], object],
    is_quiet: bool,
) -> int:
    async with opened(proxy):
        if not command:
            stop = interruption()
            on_start(proxy.addresses)
            await stop.wait()
            return 0
        on_start(proxy.addresses)
        without_proxy = ",".join(filter(None, (environment.get("NO_PROXY") or environment.get("no_proxy"), _LOCAL)))
        own = {**environment, **proxy.addresses, "NO_PROXY": without_proxy, "no_proxy": without_proxy}
        return await _ended(command, own, is_quiet)


async def _ended(command: Sequence[str], environment: Mapping[str, str], is_quiet: bool) -> int:
    """Run a program and return its exit code. Signals are the program's to answer."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stdout=_STANDARD_ERROR if is_quiet else None
        )
    except OSError as error:
        raise RecordingError(f"{command[0]} cannot be started ({error.strerror or error}).") from error
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, int)  # the terminal sends it to the program, too
        loop.add_signal_handler(signal.SIGTERM, process.terminate)
    code = await process.wait()
    return code if code >= 0 else _SIGNALED - code


class _LogWriter:
    """Writes calls in a thread, in their order."""

    def __init__(self, log: CaptureLog) -> None:
        self.log = log
        self.failure = ""
        self._queue: SimpleQueue[CapturedCall | None] = SimpleQueue()
        self._thread = Thread(target=self._write, name="capture", daemon=True)
        self._thread.start()

    def put(self, call: CapturedCall) -> None:
        self._queue.put(call)

    def close(self) -> None:
        """Write what waits, and stop."""
        self._queue.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (call := self._queue.get()) is not None:
            try:
                if not self.log.append(call):
                    self.failure = "the request of a call is too large, or no JSON"
            except OSError as error:
                self.failure = f"{self.log.path} cannot be written ({error.strerror or error})"
            except Exception as error:  # a recording never disturbs the recorded program
                self.failure = f"a call could not be recorded ({type(error).__name__})"
