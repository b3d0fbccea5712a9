"""Python programs that start warm: forked from a copy of this process that has imported the package and run no test.

A program that is started here has its own process, streams, environment and exit code, as one that `python` starts,
for a tenth of the time. It is no stand-in where a test is about the start itself: what is imported, an encoding that
the interpreter is started with, or an interrupt while modules are imported.
"""

from __future__ import annotations

import atexit
import faulthandler
import fcntl
import gc
import os
import pickle
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True)
class Request:
    """A program to be forked, and what it is to find."""

    words: list[str]
    closed: Sequence[int]
    ignored: Sequence[int]
    cwd: str
    env: dict[str, str]
    umask: int
    has_session: bool


_server: socket.socket | None = None
"""Where programs are asked for. The server ends when its other end, in this process, is closed."""
_asking = threading.Lock()
"""Held while a program is asked for, as threads share the channel."""


def start_server() -> Callable[[], None]:
    """Fork the process that programs are forked from, before any test has changed anything.

    Returns:
        What ends it. Until then programs start warm, and cold where there is no fork.
    """
    global _server
    if not hasattr(os, "fork"):
        return lambda: None
    server, other = socket.socketpair()
    if (process := os.fork()) == 0:
        try:
            _serve(other)
        finally:
            os._exit(1)
    other.close()
    _server = server

    def end() -> None:
        global _server
        _server = None
        server.close()
        os.waitpid(process, 0)

    return end


def is_ready() -> bool:
    """True if programs start warm."""
    return _server is not None


def _serve(channel: socket.socket) -> NoReturn:
    """Fork a program for each request, and write the status of each program that ends to the pipe that came with it."""
    _own_nothing_but(channel.fileno())
    gc.freeze()
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    reports: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([channel.fileno(), wakes], [], [])
        if wakes in ready:
            os.read(wakes, 1024)
            _report(reports)
        if channel.fileno() in ready:
            size, fds, _, _ = socket.recv_fds(channel, 8, 4)
            if not size:
                os._exit(0)
            data = b""
            while len(data) < int.from_bytes(size, "big"):
                data += channel.recv(int.from_bytes(size, "big") - len(data))
            report, *streams = fds
            if (program := os.fork()) == 0:
                _run(streams, pickle.loads(data))
            os.write(report, program.to_bytes(8, "big"))
            reports[program] = report
            for stream in streams:
                os.close(stream)


def _report(reports: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            program, status = found
            with suppress(BrokenPipeError):  # nobody waits for it any more
                os.write(reports[program], status.to_bytes(8, "big"))
            os.close(reports.pop(program))


def _own_nothing_but(kept: int) -> None:
    """Give up all that is open in the process that this one was forked from, and its handlers of signals."""
    faulthandler.disable()
    atexit._clear()
    gc.callbacks.clear()  # an interrupt within one, such as Hypothesis's, would be lost
    sys.unraisablehook = sys.__unraisablehook__
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123  three descriptors, not a file
        for stream in range(3):
            os.dup2(nothing.fileno(), stream)
    os.closerange(3, kept)
    os.closerange(kept + 1, 65_536)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c ends the tests, which end this


def _run(streams: list[int], request: Request) -> NoReturn:
    """Become the program: the end of it is the end of the process."""
    code = 1
    try:
        _take_over(streams, request)
        code = _exit_code_of(request.words)
    except BaseException:
        traceback.print_exc()
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException:
        code = code or 120
    os._exit(code)


def _take_over(streams: list[int], request: Request) -> None:
    """Make the process what a new one would be, with standard streams that the test has opened."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in request.ignored:
        signal.signal(number, signal.SIG_IGN)
    if request.has_session:
        os.setsid()
    for number, given in zip([each for each in range(3) if each not in request.closed], streams, strict=True):
        os.dup2(given, number)
    for number in request.closed:
        os.close(number)
    if request.has_session and 0 not in request.closed and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.closerange(3, 65_536)
    os.umask(request.umask)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    tempfile.tempdir = None
    random.seed()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = None if number in request.closed else _text_stream(number)
        vars(sys)[name] = vars(sys)[f"__{name}__"] = stream


def _text_stream(number: int) -> Any:
    """A standard stream as UTF-8, as Python opens it."""
    errors = "backslashreplace" if number == 2 else "surrogateescape"
    stream = os.fdopen(number, "w" if number else "r", encoding="utf-8", errors=errors)
    if number == 2:
        stream.reconfigure(line_buffering=True)
    return stream


def _exit_code_of(words: list[str]) -> int:
    """Run `-m MODULE …` or `-c CODE …`, as `python` does."""
    flag, program, *rest = words
    sys.path[0] = os.getcwd()  # noqa: PTH109
    sys.argv = [flag, *rest]
    try:
        if flag == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            main = sys.modules["__main__"] = type(sys)("__main__")
            exec(compile(program, "<string>", "exec"), vars(main))
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    return 0


class Program(subprocess.Popen[Any]):
    """`python` with these words, warm. Takes what `Popen` takes of streams, text, `cwd`, `env` and the session.

    Args:
        words: `-m MODULE …` or `-c CODE …`.
        closed: Standard streams that the program is started without, by their numbers.
        ignored: Signals that the program is started to ignore.
    """

    def __init__(self, words: Sequence[object], *, closed: Sequence[int] = (), ignored: Sequence[int] = (), **how: Any):
        self._words, self._closed, self._ignored = [str(word) for word in words], closed, ignored
        super().__init__([sys.executable, *self._words], **how)

    def _execute_child(self, *given: Any) -> None:
        """Ask for the program in place of starting one. The order of the arguments is that of `subprocess`."""
        self._is_warm = _server is not None
        if _server is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        cwd, env = given[5], given[6]
        theirs = given[10], given[13], given[15]
        umask = os.umask(0)
        os.umask(umask)
        place, env = os.fspath(cwd or os.getcwd()), dict(os.environ if env is None else env)  # noqa: PTH109
        data = pickle.dumps(Request(self._words, self._closed, self._ignored, place, env, umask, given[21]))
        self._status, report = os.pipe()
        streams = [number if fd == -1 else fd for number, fd in enumerate(theirs) if number not in self._closed]
        with _asking:
            socket.send_fds(_server, [len(data).to_bytes(8, "big")], [report, *streams])
            _server.sendall(data)
        os.close(report)
        self._close_pipe_fds(*given[10:16])  # type: ignore[attr-defined]
        if not (number := os.read(self._status, 8)):
            raise ChildProcessError("The server of warm programs has ended.")
        self.pid = int.from_bytes(number, "big")
        self._child_created = True

    def _internal_poll(self, *given: Any, **more: Any) -> int | None:
        if not self._is_warm:
            return super()._internal_poll(*given, **more)  # type: ignore[misc, no-any-return]
        if self.returncode is None and (found := self._try_wait(os.WNOHANG))[0]:
            self._handle_exitstatus(found[1])  # type: ignore[attr-defined]
        return self.returncode

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """The pid and status of the program once it has ended; zeros before, when it is not to be waited for."""
        if not self._is_warm:
            return super()._try_wait(wait_flags)  # type: ignore[misc, no-any-return]
        if wait_flags == os.WNOHANG and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        status = int.from_bytes(os.read(self._status, 8), "big")
        os.close(self._status)
        return self.pid, status


def run(
    words: Sequence[object], *, input: Any = None, timeout: float = 60, **how: Any
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end, as `subprocess.run` does; what it prints is captured unless streams are named."""
    streams = {"stdin": subprocess.DEVNULL if input is None else -1, "stdout": -1, "stderr": -1} | how
    with Program(words, **streams) as program:
        try:
            out, err = program.communicate(input, timeout)
        except BaseException:
            program.kill()
            raise
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)
