"""End a command at once and silently on an interrupt (Ctrl-C), with exit code 130.

The stack is not unwound: an exception raised at an arbitrary place may be swallowed, or end in a traceback. Only the
work of a `LastWork` block is done before the exit, also for other terminating signals. The store stays consistent at
any time. Other work that must not be interrupted halfway, or that processes share, runs under `HeldInterrupt`.

This is the first code of the program that runs, so it imports only modules that the interpreter has already loaded. An
interrupt in the milliseconds before is handled by the interpreter, which may print a traceback.
"""

from __future__ import annotations

import os
import time
from _thread import start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # Without the enumerations of the module signal, which take 8 ms to import.

_SIGNALLED = 128
"""Added to a signal's number for the exit code, as shells do."""
INTERRUPTED = 130
"""Exit code after an interrupt."""
_OTHERS: tuple[int, ...] = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Other signals that end a program: a request to terminate, and a closed terminal."""
_GRACE = 0.5
"""Seconds that held work may take to end, and that a library may run without returning to Python."""
CLEAR = "\r\x1b[K"
"""Escape sequence that clears the current line of a terminal."""


class State:
    """State of the program at the time of an interrupt."""

    shows_progress = False
    """True if progress is displayed on standard error."""
    erasure = CLEAR
    """Escape sequences that clear the displayed progress."""
    has_output = False
    """True if the command has printed anything on standard output."""
    last_work: Callable[[], object] | None = None
    """Work to do before the program ends, in `process` only. Child processes skip it."""
    process = 0


def answer() -> None:
    """Install the handler that ends the program on an interrupt, unless it was started with interrupts ignored."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, end)
    if os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        start_new_thread(_watch, (reader,))


def _watch(descriptor: int) -> None:
    """End the program on an interrupt while the main thread is blocked, for example by a lock."""
    endings = (signal.SIGINT, *_OTHERS)
    while not (numbers := [number for number in os.read(descriptor, 64) if number in endings]):
        pass
    time.sleep(_GRACE)
    end(numbers[0])


def end(number: int = signal.SIGINT, *_: object) -> None:
    """End the process with the exit code of a signal."""
    if State.shows_progress:
        os.write(2, State.erasure.encode())
    _do_last_work()
    os._exit(_SIGNALLED + number)


def _do_last_work() -> None:
    work, State.last_work = State.last_work, None
    if work is not None and State.process == os.getpid():
        work()


class LastWork:
    """Work that is done at the end of a block, or before the process ends if a signal interrupts the block."""

    def __init__(self, work: Callable[[], object]) -> None:
        """Register the work.

        Args:
            work: Called once. Must not raise.
        """
        self.work = work
        self.signals: list[int] = []
        """Signals that are handled only inside the block."""

    def __enter__(self) -> None:
        State.last_work, State.process = self.work, os.getpid()
        for number in _OTHERS:
            if signal.getsignal(number) is signal.SIG_DFL:
                try:
                    signal.signal(number, end)
                except ValueError:  # Signal handlers can be set on the main thread only.
                    break
                self.signals.append(number)

    def __exit__(self, *_: object) -> None:
        _do_last_work()
        for number in self.signals:
            signal.signal(number, signal.SIG_DFL)


class HeldInterrupt:
    """Delay interrupts inside the block, for example until a file is written or until work polls `is_set` and stops."""

    came = False
    ours = False

    def __enter__(self) -> HeldInterrupt:
        self.ours = signal.getsignal(signal.SIGINT) is end
        if self.ours:
            signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *_: object) -> None:
        self.came = True

    def is_set(self) -> bool:
        return self.came

    def __exit__(self, *_: object) -> None:
        if self.ours:
            signal.signal(signal.SIGINT, end)
        if self.came:
            end()


def hand_over() -> None:
    """Leave interrupts to the app, which has to restore the terminal before it exits."""
    if os.name == "posix":
        signal.set_wakeup_fd(-1)
