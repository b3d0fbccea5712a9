"""`receive`: receive OpenTelemetry traces and logs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import click

from inspector import library
from inspector.cli import interrupts
from inspector.cli.command_errors import CommandError
from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.schema.values import json_output
from inspector.core.text import plural
from inspector.formats import capture_folder

_PORT = 4318
_TOKEN = "receive-token"


@json_output()
class ReceiveOutput:
    """Data that was received until the interrupt."""

    folder: Annotated[str, "folder with `traces.jsonl` and `logs.jsonl`"]
    spans: int
    log_records: int


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True, help="The port.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="The folder to append to."
)
@click.option("--redact", is_flag=True, help="Write no secrets.")
@json_option
def receive(port: int, out: Path | None, redact: bool, as_json: bool) -> int:
    """Receive OpenTelemetry traces and logs of programs on this machine, until ctrl+c.

    Prints the address for OTEL_EXPORTER_OTLP_ENDPOINT, which is the same in each run. Traces and logs of agents, in
    protobuf or JSON, are appended to files that open as sessions, and that the app follows while they grow.
    """
    folder = out or capture_folder() / f"{datetime.now():%Y-%m-%d-%H%M%S}-received"
    interrupts.hand_over()
    try:
        result = library.receive(
            folder,
            capture_folder().parent / _TOKEN,
            port,
            is_redacting=redact,
            on_start=lambda address: _tell_address(address, folder, as_json),
        )
    except ModuleNotFoundError as error:
        raise CommandError("aiohttp is not installed: pip install 'memory-inspector[otlp]'.") from error
    except library.RecordingError as error:
        raise CommandError(str(error)) from error
    if result.spans or result.log_records:
        with library.Library() as lib:
            library.save_recorded(lib.store, folder)
    if as_json:
        output = ReceiveOutput(folder=str(folder), spans=result.spans, log_records=result.log_records)
        echo_json(output)
    else:
        rows = f"{plural(result.spans, 'span')} and {plural(result.log_records, 'log record')}"
        warn(f"Received {rows}. Open: inspector {folder}")
    return 0


def _tell_address(address: str, folder: Path, as_json: bool) -> None:
    tell = warn if as_json else echo
    tell(f"export OTEL_EXPORTER_OTLP_ENDPOINT={address}")
    warn(f"Receiving into {folder} until ctrl+c.")
