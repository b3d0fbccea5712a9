"""An interrupt (Ctrl-C) ends a command at once, wherever it is, with exit code 130 and without a word.

Nothing is unwound: an exception that is raised anywhere may be swallowed on its way, or end as a traceback. The store
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
else:
    import _signal as signal  # what the module signal wraps in enumerations, which take 8 ms to import

INTERRUPTED = 130
"""The exit code, as shells count signals."""
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
    while signal.SIGINT not in os.read(descriptor, 64):
        pass
    time.sleep(_GRACE)
    end()


def end(*_: object) -> None:
    if State.shows_progress:
        os.write(2, CLEAR.encode())
    os._exit(INTERRUPTED)


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
