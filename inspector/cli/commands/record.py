"""`record`: run a program and record its requests to models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePath
from typing import Annotated

import click

from inspector import library
from inspector.cli import interrupts
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.schema.values import json_output
from inspector.core.text import plural, slug
from inspector.formats import capture_folder

_EXTRA = "aiohttp is not installed: pip install 'memory-inspector[record]'."


@json_output()
class RecordOutput:
    """A recorded run."""

    path: Annotated[str, "file with the calls"]
    calls: Annotated[int, "calls of a model in the file"]
    other_requests: Annotated[int, "requests that were passed on and not kept, such as lists of models"]
    failure: Annotated[str, "why calls are missing in the file; empty if none are"]
    exit_code: Annotated[int, "of the command"]


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND…")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to append to.")
@click.option("--upstream", default="", metavar="URL", help="Address of the API. Default: the providers' own.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of the proxy. Default: a free one.")
@click.option("--attach", is_flag=True, help="Start no command: print the addresses, and record until ctrl+c.")
@json_option
def record(command: tuple[str, ...], out: Path | None, upstream: str, port: int, attach: bool, as_json: bool) -> int:
    """Run a command and record its requests to models, exactly as they are sent.

    The command gets the address of a proxy on this machine in ANTHROPIC_BASE_URL and OPENAI_BASE_URL. Requests and
    replies pass unchanged; a copy without keys and secrets is appended to a private file, which the app follows while
    it grows. An address that these variables already have, or --upstream, is where the requests go.

    Ends with the exit code of the command. With --json, the output of the command goes to standard error.
    """
    if attach == bool(command):
        raise UsageError("Name either a command after --, or --attach.")
    path = out or capture_folder() / f"{datetime.now():%Y-%m-%d-%H%M%S}-{_file_stem(command)}.jsonl"
    try:
        record_command = library.record_command
    except ModuleNotFoundError as error:
        raise CommandError(_EXTRA) from error
    interrupts.hand_over()
    try:
        result = record_command(
            command,
            os.environ,
            path,
            upstream=upstream,
            port=port,
            on_start=lambda addresses: _tell_addresses(addresses, path) if attach else None,
            is_quiet=as_json,
        )
    except library.RecordingError as error:
        raise CommandError(str(error)) from error
    if as_json:
        echo_json(
            RecordOutput(
                path=str(path),
                calls=result.calls,
                other_requests=result.other_requests,
                failure=result.failure,
                exit_code=result.exit_code,
            )
        )
    else:
        _tell_result(path, result.calls, result.failure)
    return result.exit_code


def _file_stem(command: tuple[str, ...]) -> str:
    return slug(PurePath(command[0]).name) if command else "attached"


def _tell_addresses(addresses: Mapping[str, str], path: Path) -> None:
    for name, address in addresses.items():
        echo(f"export {name}={address}")
    warn(f"Recording to {path} until ctrl+c. The addresses are valid on this machine and for this run only.")


def _tell_result(path: Path, calls: int, failure: str) -> None:
    if failure:
        warn(f"Calls are missing in the recording: {failure}.")
    if calls:
        warn(f"Recorded {plural(calls, 'call')}. Open: inspector {path}")
    else:
        warn("The command called no model at the address in ANTHROPIC_BASE_URL or OPENAI_BASE_URL.")
