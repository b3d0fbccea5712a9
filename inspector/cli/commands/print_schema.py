"""`schema`: the JSON Schema of the output of commands with --json."""

from __future__ import annotations

from collections.abc import Sequence

import click

from inspector.cli.command_errors import UsageError, did_you_mean
from inspector.cli.output import echo, echo_json
from inspector.cli.schema import OUTPUTS
from inspector.cli.schema.json_schema import all_schemas, command_schema
from inspector.core.text import printable_json


@click.command(epilog="docs/json.md documents the same keys.")
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.option("--json", "as_json", is_flag=True, help="Include the version of the output.")
def schema(words: Sequence[str], as_json: bool) -> None:
    """Print the JSON Schema of the commands' output with --json.

    COMMAND is a command with JSON output, such as show or memory ls; open stands for inspector PATH…. Without it, the
    schema describes an object with a key per command. The draft is 2020-12. Objects have no keys other than those in
    the schema. inspector follow prints one value per line, and the schema describes a line.
    """
    name = " ".join(words)
    names = {command or "open": command for command in OUTPUTS}
    if name and name not in names:
        raise UsageError(f"There is no command {name!r} with JSON output.{did_you_mean(name, names)}")
    document = command_schema(names[name]) if name else all_schemas()
    if as_json:
        echo_json(document)
    else:
        echo(printable_json(document))
