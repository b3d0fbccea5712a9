"""Failures of commands: one plain sentence on standard error, and an exit code.

With --json, the sentence is also in `errors` on standard output, a list of sentences in every command.

    0  done
    1  the input, the store or the disk cannot be used
    2  wrong usage
    3  a gate (`--fail-over`, `--fail-invalid`) failed, or the checked input is invalid
    130, 141  interrupted; the reader of the output has closed it (128 + signal, as in shells)

No traceback is printed unless INSPECTOR_TRACEBACK is set. A crash report without conversation text is written to a
file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import click

from inspector.cli.interrupts import INTERRUPTED, State
from inspector.cli.output import OutputClosedError, OutputError, echo_json, echo_json_line, warn
from inspector.core.errors import InspectorError

BAD_INPUT, GATE, _OUTPUT_GONE = 1, 3, 141


class CommandError(click.ClickException):
    """The input cannot be read, or the output cannot be written."""

    exit_code = BAD_INPUT


class UsageError(click.UsageError):
    """The command was called with wrong arguments."""


def run_command(run: Callable[[], Any], as_json: bool = False, as_lines: bool = False) -> int:
    """Run a command and return its exit code. Failures are printed.

    Args:
        run: Runs the command and returns its exit code.
        as_json: True if the command was called with --json.
        as_lines: True if the command prints one JSON value per line.
    """
    State.has_output = False
    try:
        code = run()
        return code if isinstance(code, int) else 0
    except OutputClosedError:
        _abandon_output()
        return _OUTPUT_GONE
    except click.Abort:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("INSPECTOR_TRACEBACK"):
            raise
        sentence = _error_sentence(error)
        with suppress(OutputClosedError, OutputError):
            warn(sentence)
            if (
                as_json and not State.has_output
            ):  # Print a single JSON value, even if the command fails after it printed its output.
                (echo_json_line if as_lines else echo_json)({"errors": [sentence]})
        if isinstance(error, OutputError | OSError):
            _abandon_output()
        return error.exit_code if isinstance(error, click.ClickException) else BAD_INPUT


def _error_sentence(error: Exception) -> str:
    """Return an error as a sentence for the user."""
    match error:
        case click.UsageError():
            return f"{_with_stop(error.format_message())}{_help_hint(error)}"
        case click.ClickException():
            return error.format_message()
        case InspectorError() | OutputError():
            return _with_stop(str(error))
        case OSError(filename=None, strerror=str(reason)):
            return f"The system failed to read or write: {reason}."
    from inspector.core.crash import error_message  # Imported only here, because the import is slow and rarely needed.

    return error_message(error)


def _help_hint(error: click.UsageError) -> str:
    """Return a pointer to the command's help, or an empty string if the error already names the right usage."""
    if isinstance(error, UsageError) or error.ctx is None:
        return ""
    return f" See: {error.ctx.command_path} --help"


def _with_stop(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _abandon_output() -> None:
    """Discard buffered output after the reader closed the pipe, so that the interpreter exits silently."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def gate(sentences: Sequence[str]) -> int:
    """Print the failed gates and return the exit code."""
    for sentence in sentences:
        warn(sentence)
    return GATE if sentences else 0


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return ` Did you mean …?` if a known word is close to `word`, else an empty string."""
    matches = get_close_matches(word, list(words), n=1, cutoff=0.55)
    return f" Did you mean {matches[0]}?" if matches else ""
