"""The app in a real pseudo-terminal, with a clock on every key."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests import warm

ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z$]|\x1b[()][A-Z0-9]|\x1b[=>78cM]|\x1b[P_\]].*?(?:\x1b\\|\x07)", re.S)
WINDOW_SHOWN = ("content", "strategy")
"""Words that the app shows with the first window, and not before."""
KEYS = {
    "down": "\x1b[B",
    "up": "\x1b[A",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pagedown": "\x1b[6~",
    "pageup": "\x1b[5~",
}
KEYS |= {"home": "\x1b[H", "end": "\x1b[F", "enter": "\r", "esc": "\x1b", "escape": "\x1b", "tab": "\t"}
KEYS |= {"ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F", "shift+tab": "\x1b[Z", "backspace": "\x7f", "space": " "}
KEYS |= {"shift+left": "\x1b[1;2D", "shift+right": "\x1b[1;2C", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B"}
KEYS |= {"delete": "\x1b[3~", "insert": "\x1b[2~", "f1": "\x1bOP", "question_mark": "?", "exclamation_mark": "!"}
KEYS |= {"plus": "+", "minus": "-", "equals_sign": "=", "greater_than_sign": ">", "less_than_sign": "<", "slash": "/"}
KEYS |= {"left_square_bracket": "[", "right_square_bracket": "]", "colon": ":", "full_stop": ".", "underscore": "_"}
KEYS |= {"asterisk": "*", "at": "@", "f5": "\x1b[15~"}
KEYS |= {"comma": ",", **{f"ctrl+{letter}": chr(ord(letter) & 31) for letter in "cpqrs"}}


class Terminal:
    """A program in a pseudo-terminal of a given size."""

    def __init__(
        self, command: Sequence[str], columns: int = 120, rows: int = 40, environment: Mapping[str, str] | None = None
    ) -> None:
        self.started = time.monotonic()
        self.text = ""
        """The newest of what was painted."""
        self.painted = 0
        """Characters that were painted."""
        self.status: int | None = None
        self.program: warm.Program | None = None
        known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        known |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        if warm.is_ready() and command[0] == sys.executable:
            self.fd, side = pty.openpty()
            self.resize(columns, rows)
            self.program = warm.Program(
                command[1:], env=known, start_new_session=True, stdin=side, stdout=side, stderr=side
            )
            self.pid = self.program.pid
            os.close(side)
            return
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execvpe(command[0], list(command), known)  # not execvp: readline changes variables behind Python's back
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float) -> bool:
        """Take what comes within `seconds`; whether anything came."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:  # the program has ended
            return False
        text = data.decode("utf-8", "replace")
        self.painted += len(text)
        self.text = (self.text + text)[-400_000:]
        return bool(data)

    def wait_for(self, *words: str, limit: float = 90) -> float:
        """Seconds from the start until all words have been shown. Raises TimeoutError `limit` seconds from now, and
        where the program ends without them."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            shown = ESCAPES.sub("", self.text)
            if all(word in shown for word in words):
                return time.monotonic() - self.started
            while not self.read(0.02) and time.monotonic() < end:
                if not self.alive():
                    raise TimeoutError(f"ended without {words}: {shown[-2000:]}")
        raise TimeoutError(f"not shown within {limit:g} s: {words}")

    def wait_for_app(self, limit: float = 90) -> None:
        """Until the program has taken the whole screen: keys that come before are the terminal's own."""
        end = time.monotonic() + limit
        while "\x1b[?1049h" not in self.text and time.monotonic() < end and self.alive():
            self.read(0.02)

    def press(self, key: str, limit: float = 5) -> float | None:
        """Seconds from a key, pressed when all is quiet, to the first answer; None when the screen did not change."""
        self.settle(0.04, 2)
        os.write(self.fd, KEYS.get(key, key).encode())
        start = time.monotonic()
        return time.monotonic() - start if self.read(limit) else None

    def send(self, *keys: str, quiet: float = 0.05) -> None:
        """Write some keys at once, as a slow line delivers them, and wait until all is quiet."""
        with contextlib.suppress(OSError):  # the program has ended
            os.write(self.fd, "".join(KEYS.get(key, key) for key in keys).encode())
        self.settle(quiet, 10)

    def send_until_end(self, key: str, limit: float = 60) -> None:
        """Press a key until the program ends: on a busy machine the first one may come before there is a list."""
        end = time.monotonic() + limit
        while self.alive() and time.monotonic() < end:
            self.send(key, quiet=0.3)

    def alive(self) -> bool:
        """Whether the program runs."""
        if self.program is not None:
            self.status = self.program.poll()
        elif self.status is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if ended else None
        return self.status is None

    def wait(self, limit: float = 60) -> int | None:
        """The exit status of the program, as soon as it has ended; None where it runs on."""
        end = time.monotonic() + limit
        while self.alive() and time.monotonic() < end:
            self.read(0.02)
        while self.read(0.02):  # the kernel may still be handing over the last of it
            pass
        return self.status

    def settle(self, quiet: float = 0.3, limit: float = 60) -> None:
        """Wait until nothing has come for `quiet` seconds."""
        end = time.monotonic() + limit
        while time.monotonic() < end and self.read(quiet):
            pass

    def memory(self, *, alone: bool = False) -> float:
        """Resident memory of the program and its children, or `alone`, in MB."""
        own, children = ["--pid", str(self.pid)], ["--ppid", str(self.pid)]
        out = subprocess.run(["ps", "-o", "rss=", *own, *([] if alone else children)], capture_output=True)
        return sum(map(int, out.stdout.split())) / 1000

    def close(self) -> None:
        if self.status is not None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, number)
                time.sleep(0.3)
                if not self.alive():
                    return


@contextlib.contextmanager
def running(
    command: Sequence[str], columns: int = 120, rows: int = 40, environment: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    terminal = Terminal(command, columns, rows, environment)
    try:
        yield terminal
    finally:
        terminal.close()


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def inspector() -> str:
    """The command beside the Python that runs this."""
    return str(Path(sys.executable).parent / "inspector")


def environment_in(folder: Path) -> dict[str, str]:
    """Everything that the app keeps in a folder, a terminal that is sure at once what an escape means, and no pager."""
    places = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")
    return {name: str(folder / name.lower()) for name in places} | {
        "ESCDELAY": "5",
        "PAGER": "true",
        "EDITOR": "",
        "VISUAL": "",
    }


@contextlib.contextmanager
def running_app(arguments: Sequence[str], folder: Path, columns: int = 120, rows: int = 40) -> Iterator[Terminal]:
    """The app, with everything that it keeps in a folder."""
    with running([sys.executable, "-m", "inspector", *arguments], columns, rows, environment_in(folder)) as terminal:
        yield terminal
