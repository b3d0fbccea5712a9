"""Print text and JSON safely.

Each line of text passes through `inspector.core.text.sanitize`, so that no transcript can send escape sequences to the
terminal. Colours are added only here, and only on terminals that support them. All output is written by `echo`,
`echo_json` and `warn`, which handle closed pipes and full disks in one place.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from inspector.cli.interrupts import CLEAR, State
from inspector.cli.schema import VERSION
from inspector.core import text as texts
from inspector.core.text import one_line, visible

if TYPE_CHECKING:
    from inspector.engine.window import FateKind

Ink = Literal["strong", "dim", "good", "bad", "warn", "accent", "summary"]
_INKS: Mapping[Ink, Mapping[str, Any]] = {
    "strong": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "warn": {"fg": "yellow"},
    "accent": {"fg": "cyan"},
    "summary": {"fg": "magenta"},
}
FATE_INKS: Mapping[FateKind, Ink] = {
    "kept": "good",
    "pinned": "warn",
    "trimmed": "warn",
    "masked": "warn",
    "summarised": "summary",
    "archived": "accent",
    "dropped": "bad",
    "retrieved": "good",
}
_NARROWEST, _WIDEST = 40, 120
_PIECE = 16_384
"""Characters per write. Python may drop the rest of a larger write when the reader closes the pipe."""
_PROGRESS_DELAY = 0.5
"""Seconds of work before progress is shown."""
_PROGRESS_INTERVAL = 0.1
"""Minimum seconds between two updates of the progress."""

_PROGRESS_LINES = 10
"""Maximum number of lines below the progress line."""
_CLEAR_ABOVE = "\x1b[A\x1b[K"
"""Escape sequence that clears the line above."""


class OutputClosedError(Exception):
    """The reader of the output has closed it."""


class OutputError(Exception):
    """Standard output cannot be written to. str() returns the reason as one sentence."""


_NAMES: dict[str, str] = {}
"""Display names of paths in all output."""


_CHECKS: list[Callable[[str], None]] = []
"""Checks of all texts before they are written to standard output."""


@contextmanager
def checked_output(check: Callable[[str], None]) -> Iterator[None]:
    """Check all text in this block before it is written to standard output. `check` raises if it must not be."""
    _CHECKS.append(check)
    try:
        yield
    finally:
        _CHECKS.remove(check)


def name_path(path: str, name: str) -> None:
    """Replace a path by a name in all later output, for example a temporary file by `-`."""
    _NAMES[path] = name


def echo(text: str = "") -> None:
    """Print lines that are already sanitized."""
    _write_text(sys.stdout, text + "\n")


def echo_json(output: object) -> None:
    """Print a JSON object, with the schema version at its top."""
    echo(output_json(output))


def echo_json_line(output: object) -> None:
    """Print one of several JSON objects, each on its own line."""
    echo(output_json(output, indent=None))


def warn(sentence: str) -> None:
    """Print a sentence on standard error. It may quote any text: it is sanitized here."""
    if sys.stderr is not None:
        _write_text(sys.stderr, one_line(sentence) + "\n")


def note(sentence: str) -> None:
    """Print a sentence like `warn` about work that is already done. Failing to print it is not an error."""
    with suppress(OutputClosedError, OutputError):
        warn(sentence)


@contextmanager
def report_on_output_error(outcome: str) -> Iterator[None]:
    """Fail before changes are made: print inside this block; if the output cannot be written, `outcome` is reported."""
    try:
        yield
    except OutputClosedError:
        if outcome:
            note(outcome)
        raise
    except OutputError as error:
        raise OutputError(f"{error} {outcome}".strip()) from error


def _write_text(stream: TextIO | None, text: str) -> None:
    if stream is None:  # The stream was closed before the program started.
        raise OutputError("Cannot write the output: it is closed.")
    for path, name in _NAMES.items():
        text = text.replace(path, name)
    for check in _CHECKS if stream is sys.stdout else ():
        check(text)
    text = _encodable(text, stream.encoding)
    State.has_output |= stream is sys.stdout
    try:
        for start in range(0, len(text), _PIECE):
            stream.write(text[start : start + _PIECE])
            stream.flush()
    except BrokenPipeError as error:
        raise OutputClosedError from error
    except OSError as error:
        raise OutputError(f"Cannot write the output: {error.strerror or error}.") from error


def _encodable(text: str, encoding: str | None) -> str:
    """Return `text` with a question mark for each character that the encoding cannot represent."""
    return text.encode(encoding or "utf-8", "replace").decode(encoding or "utf-8")


def output_json(output: object, indent: int | None = 2) -> str:
    """Return a JSON object as text, with the schema version at its top."""
    items = output if isinstance(output, Mapping) else texts.json_items(output)
    return texts.printable_json({"version": VERSION, **items}, indent)


def width() -> int:
    """Return the number of columns to fill: the terminal's, else COLUMNS, else 80, within bounds."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)


def _has_colours() -> bool:
    """Return True if standard output is a terminal that displays colours (see no-color.org)."""
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and supports_escapes()


def supports_escapes() -> bool:
    """Return True if the terminal understands escape sequences, judged by its name."""
    return os.name != "posix" or os.environ.get("TERM", "") not in ("", "dumb", "unknown")


def is_terminal(stream: TextIO | None) -> bool:
    """Return True if a standard stream is a terminal. None is a stream that was closed before the program started."""
    return stream is not None and stream.isatty()


def paint(text: str, ink: Ink | None) -> str:
    return click.style(text, **_INKS[ink]) if ink and text and _has_colours() else text


def whole(name: str) -> str:
    """Return a name or path sanitized on one line, with all spaces kept, so that it can be typed again."""
    return visible(name).replace("\n", "␊")


def show_progress(words: str, lines: Sequence[str] = ()) -> None:
    """Replace the progress of the terminal, if there is one.

    Args:
        words: The progress line.
        lines: Lines below it, of which the last are shown that fit on the screen.
    """
    if is_terminal(sys.stderr) and supports_escapes():
        columns, rows = shutil.get_terminal_size((80, 24))
        fitting = lines[-min(_PROGRESS_LINES, rows - 3) :] if lines and rows > 3 and columns >= width() else ()
        erasure = State.erasure if State.shows_progress else CLEAR
        State.shows_progress, State.erasure = True, CLEAR + _CLEAR_ABOVE * len(fitting)
        _write_text(sys.stderr, erasure + "\n".join((words, *fitting)))


def clear_progress() -> None:
    """Clear the progress before other output."""
    if State.shows_progress:
        _write_text(sys.stderr, State.erasure)
        State.shows_progress = False


class _ProgressLine:
    """Progress on one line of standard error, shown on a terminal when the work takes a while."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()

    def __call__(self, doing: str, count: int, total: int) -> None:
        now = time.monotonic()
        if now - self.began >= _PROGRESS_DELAY and now - self.last >= _PROGRESS_INTERVAL:
            self.last = now
            show_progress(f"{doing} {count / total:.0%}" if total else doing)


@contextmanager
def progress() -> Iterator[_ProgressLine]:
    """Yield a progress line that is cleared at the end."""
    try:
        yield _ProgressLine()
    finally:
        clear_progress()
