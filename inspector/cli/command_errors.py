"""How a command ends when it cannot do what was asked: one plain sentence on standard error, and a number.

With --json, the sentence stands in `errors` on standard output too, in every command a list of sentences.

    0  done
    1  the input is at fault, or the store, or the disk
    2  the command was called wrongly
    3  a gate that was asked for (`--fail-over`, `--fail-invalid`) is not met, or what was checked is not valid
    130, 141  interrupted; nobody reads the output any more (as the shell counts signals)

Nobody is shown a traceback, unless INSPECTOR_TRACEBACK is set; one without text of conversations goes into a file.
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
    """The input is at fault, or the place to write to."""

    exit_code = BAD_INPUT


class UsageError(click.UsageError):
    """The command was called wrongly."""


def run_command(run: Callable[[], Any], as_json: bool = False, as_lines: bool = False) -> int:
    """Run a command to its end and say how it ended, as an exit code.

    `as_lines`: what it prints with --json are values that take a line each.
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
            if as_json and not State.has_output:  # one value, even where the last step fails after it was printed
                (echo_json_line if as_lines else echo_json)({"errors": [sentence]})
        if isinstance(error, OutputError | OSError):
            _abandon_output()
        return error.exit_code if isinstance(error, click.ClickException) else BAD_INPUT


def _error_sentence(error: Exception) -> str:
    """What to tell a person about an error."""
    match error:
        case click.UsageError():
            return f"{_with_stop(error.format_message())}{_help_hint(error)}"
        case click.ClickException():
            return error.format_message()
        case InspectorError() | OutputError():
            return _with_stop(str(error))
        case OSError(filename=None, strerror=str(reason)):
            return f"The system does not read or write any more: {reason}."
    from inspector.core.crash import error_message  # what it imports is slow, and seldom needed

    return error_message(error)


def _help_hint(error: click.UsageError) -> str:
    """Where the right usage is told, for those errors that do not tell it themselves."""
    if isinstance(error, UsageError) or error.ctx is None:
        return ""
    return f" See: {error.ctx.command_path} --help"


def _with_stop(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _abandon_output() -> None:
    """Let what is still buffered for a reader who left go nowhere, so that the interpreter's end stays quiet."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def gate(sentences: Sequence[str]) -> int:
    """Say what gates are missed, and give the exit code."""
    for sentence in sentences:
        warn(sentence)
    return GATE if sentences else 0


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """` Did you mean …?` when a known word is close to this one; else nothing."""
    matches = get_close_matches(word, list(words), n=1, cutoff=0.55)
    return f" Did you mean {matches[0]}?" if matches else ""
