"""`record`: run a program and record its requests to models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePath
from typing import Annotated

import click

from inspector import library
from inspector.cli import interrupts
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.model_summaries import Writer, model_option, writer
from inspector.cli.options import json_option, read_presets_file
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.schema.values import json_output
from inspector.cli.strategy_options import preset_named
from inspector.core.text import plural, slug
from inspector.engine.compression import Preset
from inspector.formats import capture_folder
from inspector.memory import EndpointModel

_EXTRA = "aiohttp is not installed: pip install 'memory-inspector[record]'."


@json_output()
class RecordOutput:
    """A recorded run."""

    path: Annotated[str, "file with the calls"]
    calls: Annotated[int, "calls of a model in the file"]
    other_requests: Annotated[int, "requests that were passed on and not kept, such as lists of models"]
    failure: Annotated[str, "why calls are missing in the file; empty if none are"]
    exit_code: Annotated[int, "of the command"]
    preset: Annotated[str, "the preset that the requests passed through; empty without one"]
    preset_states: Annotated[
        Mapping[str, int], "requests by what became of them: applied, unchanged, planned (`--dry-run`), original, off"
    ]
    doubt: Annotated[str, "why the newest request in the state `original` was not changed"]


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND…")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to append to.")
@click.option(
    "--upstream",
    default="",
    metavar="URL",
    help="Address of the API, with or without /v1. Default: the providers' own.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of the proxy. Default: a free one.")
@click.option("--attach", is_flag=True, help="Start no command: print the addresses, and record until ctrl+c.")
@click.option("--preset", "preset_name", metavar="NAME", help="Compress requests on their way; see inspector presets.")
@read_presets_file
@click.option("--dry-run", is_flag=True, help="With --preset: send the original requests, and only record the plans.")
@model_option
@json_option
def record(
    command: tuple[str, ...],
    out: Path | None,
    upstream: str,
    port: int,
    attach: bool,
    preset_name: str | None,
    presets_file: Path | None,
    dry_run: bool,
    by_model: bool,
    as_json: bool,
) -> int:
    """Run a command and record its requests to models, exactly as they are sent.

    The command gets the address of a proxy on this machine in ANTHROPIC_BASE_URL and OPENAI_BASE_URL. Requests and
    replies pass unchanged; a copy without keys and secrets is appended to a private file, which the app follows while
    it grows. An address that these variables already have, or --upstream, is where the requests go.

    With --preset, the messages of a request are compressed as by a MemoryManager, to at most the threshold of the
    preset. If it is not certain that the provider accepts the result, the original request is sent. The file has both.

    Ends with the exit code of the command. With --json, the output of the command goes to standard error.
    """
    _check_options(command, attach, preset_name, dry_run or by_model)
    chosen = preset_named(preset_name, presets_file) if preset_name else None
    path = out or capture_folder() / f"{datetime.now():%Y-%m-%d-%H%M%S}-{_file_stem(command)}.jsonl"
    record_command = _recorder()
    with writer(by_model) as writing, _archive_of(chosen, dry_run) as archive:
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
                preset=_live_preset(chosen, path, dry_run, writing, archive),
            )
        except library.RecordingError as error:
            raise CommandError(str(error)) from error
    _save_totals(result)
    if as_json:
        echo_json(_record_output(result, chosen))
    else:
        _tell_result(path, result.calls, result.failure)
        if chosen:
            _tell_preset(chosen.name, result)
    return result.exit_code


def _save_totals(result: library.RecordedRun) -> None:
    """Save the totals of the recording for `inspector stats`."""
    if result.calls:
        with library.Library() as lib:
            library.save_recorded(lib.store, result.path)


def _check_options(command: tuple[str, ...], attach: bool, preset: str | None, by_preset: bool) -> None:
    if attach == bool(command):
        raise UsageError("Name either a command after --, or --attach.")
    if preset is None and by_preset:
        raise UsageError("--dry-run and --model require --preset NAME.")


def _recorder() -> Callable[..., library.RecordedRun]:
    """Return the function that records. Raises CommandError without the extra."""
    try:
        return library.record_command
    except ModuleNotFoundError as error:
        raise CommandError(_EXTRA) from error


def _record_output(result: library.RecordedRun, preset: Preset | None) -> RecordOutput:
    return RecordOutput(
        path=str(result.path),
        calls=result.calls,
        other_requests=result.other_requests,
        failure=result.failure,
        exit_code=result.exit_code,
        preset=preset.name if preset else "",
        preset_states=result.preset_states,
        doubt=result.doubt,
    )


@contextmanager
def _archive_of(preset: Preset | None, is_trial: bool) -> Iterator[library.LiveArchive | None]:
    """Give the archive of the store for a preset, if it archives messages."""
    if preset is None:
        yield None
        return
    with library.Library() as lib, library.live_archive(lib.store, preset, is_trial=is_trial) as archive:
        yield archive
    if archive and archive.failure:
        warn(f"Archived messages are not in the store: {archive.failure}.")


def _live_preset(
    preset: Preset | None, path: Path, is_trial: bool, writing: Writer, archive: library.LiveArchive | None
) -> library.LivePreset | None:
    """Return the preset for the requests, or None without one."""
    if preset is None:
        return None
    model = EndpointModel(writing.summariser.settings) if writing.summariser else None
    return library.LivePreset(preset, path, is_trial=is_trial, summary_model=model, archive=archive)


def _file_stem(command: tuple[str, ...]) -> str:
    return slug(PurePath(command[0]).name) if command else "attached"


def _tell_addresses(addresses: Mapping[str, str], path: Path) -> None:
    for name, address in addresses.items():
        echo(f"export {name}={address}")
    warn(f"Recording to {path} until ctrl+c. The addresses are valid on this machine and for this run only.")


def _tell_preset(name: str, result: library.RecordedRun) -> None:
    states = ", ".join(f"{state} {count:,}" for state, count in sorted(result.preset_states.items()))
    if states:
        warn(f"Preset {name}: {states}.")
    if result.doubt:
        warn(f"The newest original request was sent because {result.doubt}.")


def _tell_result(path: Path, calls: int, failure: str) -> None:
    if failure:
        warn(f"Calls are missing in the recording: {failure}.")
    if calls:
        warn(f"Recorded {plural(calls, 'call')}. Open: inspector {path}")
    else:
        warn("The command called no model at the address in ANTHROPIC_BASE_URL or OPENAI_BASE_URL.")
