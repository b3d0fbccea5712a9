"""An interrupt (Ctrl-C) ends a command at once, wherever it is, with exit code 130 and without a word.

Nothing is unwound: an exception that is raised anywhere may be swallowed on its way, or end as a traceback. Only what a
`LastWork` says is done, which other signals that end a program wait for, too. The store
is whole however the program ends. What else must not be left half done, and work that other processes share, is done
under `HeldInterrupt`.

This is the first code of the program that runs, so it imports only what the interpreter has loaded by then. What comes
in the milliseconds before is met by the interpreter itself, which may print a traceback of its own start.
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
    import _signal as signal  # what the module signal wraps in enumerations, which take 8 ms to import

_SIGNALLED = 128
"""What shells add to the number of a signal for the exit code of a program that it has ended."""
INTERRUPTED = 130
"""The exit code after an interrupt."""
_OTHERS: tuple[int, ...] = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Other signals that end a program: a request to, and the end of its terminal."""
_GRACE = 0.5
"""Seconds that what is held may take to end, and that a library may work on without giving Python its turn."""
CLEAR = "\r\x1b[K"
"""Empties the current line of a terminal."""


class State:
    """What the program is at, for whoever has to end it."""

    shows_progress = False
    """Whether progress stands on the last line of standard error."""
    has_output = False
    """Whether the command has printed anything on standard output."""
    last_work: Callable[[], object] | None = None
    """What is done before the program ends, in `process` only: one that was split off it leaves that to it."""
    process = 0


def answer() -> None:
    """From here on an interrupt ends the program, unless that was started with interrupts ignored."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, end)
    if os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        start_new_thread(_watch, (reader,))


def _watch(descriptor: int) -> None:
    """End the program after an interrupt that the main thread does not come to: it waits for a lock, say."""
    endings = (signal.SIGINT, *_OTHERS)
    while not (numbers := [number for number in os.read(descriptor, 64) if number in endings]):
        pass
    time.sleep(_GRACE)
    end(numbers[0])


def end(number: int = signal.SIGINT, *_: object) -> None:
    """End the program as a signal does."""
    if State.shows_progress:
        os.write(2, CLEAR.encode())
    _do_last_work()
    os._exit(_SIGNALLED + number)


def _do_last_work() -> None:
    work, State.last_work = State.last_work, None
    if work is not None and State.process == os.getpid():
        work()


class LastWork:
    """Work that is done at the end of a block, or before the program ends where a signal ends that."""

    def __init__(self, work: Callable[[], object]) -> None:
        """`work` raises nothing."""
        self.work = work
        self.signals: list[int] = []
        """Those that are answered only meanwhile."""

    def __enter__(self) -> None:
        State.last_work, State.process = self.work, os.getpid()
        for number in _OTHERS:
            if signal.getsignal(number) is signal.SIG_DFL:
                try:
                    signal.signal(number, end)
                except ValueError:  # not the main thread, which alone may
                    break
                self.signals.append(number)

    def __exit__(self, *_: object) -> None:
        _do_last_work()
        for number in self.signals:
            signal.signal(number, signal.SIG_DFL)


class HeldInterrupt:
    """While this is entered, an interrupt waits: for a file to be written, or for work that asks `is_set` and stops."""

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
    """Leave it to the app to end by itself: it has a terminal to put back in order."""
    if os.name == "posix":
        signal.set_wakeup_fd(-1)
