"""What the commands print: text that no transcript can turn into commands for a terminal, and JSON that stays JSON.

Every line of text goes through `inspector.core.text.sanitize` before it is painted; colours are set here and nowhere
else, and only on a terminal that wants them. All of it is written by `echo`, `echo_json` and `warn`, so that a closed
pipe or a full disk is handled in one place.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
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
"""Characters that are written at once. Of more than a pipe holds, Python may lose the rest when its reader leaves."""
_PROGRESS_DELAY = 0.5
"""Seconds of work before any progress is told."""
_PROGRESS_INTERVAL = 0.1
"""Seconds between two tellings, at least."""


class OutputClosedError(Exception):
    """Nobody reads what is printed any more."""


class OutputError(Exception):
    """Standard output could not be written to; str says why, in one sentence."""


_NAMES: dict[str, str] = {}
"""What a path is called in all that is printed."""


def name_path(path: str, name: str) -> None:
    """From here on, a path that means nothing to the person has a name instead in all that is printed."""
    _NAMES[path] = name


def echo(text: str = "") -> None:
    """Print lines that have been made harmless already."""
    _write_text(sys.stdout, text + "\n")


def echo_json(output: object) -> None:
    """Print a JSON object, with the version of the schema at its top."""
    echo(output_json(output))


def echo_json_line(output: object) -> None:
    """Print one of several JSON objects, each on a line of its own."""
    echo(output_json(output, indent=None))


def warn(sentence: str) -> None:
    """One sentence for the person, on standard error. It may quote anything: it is made harmless here."""
    if sys.stderr is not None:
        _write_text(sys.stderr, one_line(sentence) + "\n")


def note(sentence: str) -> None:
    """Like `warn`, for what is done already: that nobody can be told of it does not make it a failure."""
    with suppress(OutputClosedError, OutputError):
        warn(sentence)


@contextmanager
def report_on_output_error(outcome: str) -> Iterator[None]:
    """Print inside this before anything is changed; where the output cannot be written, `outcome` says what holds."""
    try:
        yield
    except OutputClosedError:
        if outcome:
            note(outcome)
        raise
    except OutputError as error:
        raise OutputError(f"{error} {outcome}".strip()) from error


def _write_text(stream: TextIO | None, text: str) -> None:
    if stream is None:  # it was closed before the program began
        raise OutputError("The output could not be written: it is closed.")
    for path, name in _NAMES.items():
        text = text.replace(path, name)
    text = _encodable(text, stream.encoding)
    State.has_output |= stream is sys.stdout
    try:
        for start in range(0, len(text), _PIECE):
            stream.write(text[start : start + _PIECE])
            stream.flush()
    except BrokenPipeError as error:
        raise OutputClosedError from error
    except OSError as error:
        raise OutputError(f"The output could not be written: {error.strerror or error}.") from error


def _encodable(text: str, encoding: str | None) -> str:
    """`text` with a question mark for every sign that a stream of this encoding has no bytes for."""
    return text.encode(encoding or "utf-8", "replace").decode(encoding or "utf-8")


def output_json(output: object, indent: int | None = 2) -> str:
    """Return a JSON object as text, with the version of the schema at its top."""
    items = output if isinstance(output, Mapping) else texts.json_items(output)
    return texts.printable_json({"version": VERSION, **items}, indent)


def width() -> int:
    """Columns to fill: what the terminal has, or COLUMNS says, or 80; within reason."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)


def _has_colours() -> bool:
    """Whether standard output is a terminal that wants colours (see no-color.org)."""
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and supports_escapes()


def supports_escapes() -> bool:
    """Whether a terminal can be told more than letters, by its name."""
    return os.name != "posix" or os.environ.get("TERM", "") not in ("", "dumb", "unknown")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; None is one that was closed before the program began."""
    return stream is not None and stream.isatty()


def paint(text: str, ink: Ink | None) -> str:
    return click.style(text, **_INKS[ink]) if ink and text and _has_colours() else text


def whole(name: str) -> str:
    """A name or path harmless and on one line, every space kept, so that it can be typed again."""
    return visible(name).replace("\n", "␊")


def show_progress(words: str) -> None:
    """Put these words in the place of those that stand on the last line of the terminal, if there is one."""
    if is_terminal(sys.stderr) and supports_escapes():
        State.shows_progress = True
        _write_text(sys.stderr, f"{CLEAR}{words}")


def clear_progress() -> None:
    """Leave an empty line for what is printed next."""
    if State.shows_progress:
        _write_text(sys.stderr, CLEAR)
        State.shows_progress = False


class _ProgressLine:
    """Tells how far something is, on one line of standard error, if that is a terminal and the work takes a while."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()

    def __call__(self, doing: str, count: int, total: int) -> None:
        now = time.monotonic()
        if now - self.began >= _PROGRESS_DELAY and now - self.last >= _PROGRESS_INTERVAL:
            self.last = now
            show_progress(f"{doing} {count / total:.0%}" if total else doing)


@contextmanager
def progress() -> Iterator[_ProgressLine]:
    """Progress that is gone from the screen at the end."""
    try:
        yield _ProgressLine()
    finally:
        clear_progress()
