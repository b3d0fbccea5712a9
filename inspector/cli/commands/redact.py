"""`redact`: write a recording without secrets, in its own format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.redaction import Redacted, Redactor, redact_recording
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import json_option, redact_kinds_option
from inspector.cli.output import echo_json, warn
from inspector.cli.redactions import RedactionKinds, chosen_kinds, kinds_of, review_lines
from inspector.cli.schema.values import json_output


@json_output()
class RedactOutput:
    """A recording that was written without its secrets."""

    out: Annotated[str, "the written file"]
    redactions: Annotated[Sequence[Redacted], "replacements; a message is the number of a line or a value"]
    redaction_kinds: RedactionKinds


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file to write. Default: NAME.redacted with the same suffix, next to FILE.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@redact_kinds_option
@json_option
def redact(file: Path, out: Path | None, force: bool, as_json: bool) -> None:
    """Write a recording without secrets, in its own format.

    FILE is JSON, JSON lines, a SQLite database or any other text, also compressed with gzip or in a zip archive. Its
    structure is kept. FILE itself is not changed.
    """
    out = out or file.with_name(f"{file.stem}.redacted{file.suffix}")
    if out.exists() and (out.samefile(file) or not force):
        raise UsageError(f"{out} exists: name another file with --out, or replace it with --force.")
    redactor = Redactor((), *chosen_kinds())
    try:
        data = redact_recording(file.read_bytes(), redactor)
        out.unlink(missing_ok=True)
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            target.write(data)
    except OSError as error:
        raise CommandError(f"Cannot redact {file} to {out}: {error.strerror or error}.") from error
    if as_json:
        echo_json(RedactOutput(out=str(out), redactions=redactor.review, redaction_kinds=kinds_of(redactor)))
        return
    for line in review_lines(redactor):
        warn(line)
    warn(f"Written: {out}")
