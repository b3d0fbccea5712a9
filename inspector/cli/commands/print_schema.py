"""`schema`: the JSON Schema of what the commands print with --json."""

from __future__ import annotations

from collections.abc import Sequence

import click

from inspector.cli.command_errors import UsageError, did_you_mean
from inspector.cli.output import echo, echo_json
from inspector.cli.schema import OUTPUTS
from inspector.cli.schema.json_schema import all_schemas, command_schema
from inspector.core.text import printable_json


@click.command(epilog="docs/json.md describes the same keys in words.")
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.option("--json", "as_json", is_flag=True, help="Put the version of the output at the top.")
def schema(words: Sequence[str], as_json: bool) -> None:
    """Print the JSON Schema of what commands print with --json.

    COMMAND is a command with JSON output, such as show or memory ls; open is inspector PATH…. Without it, the schema
    describes an object with a key for each command. The draft is 2020-12. An object has no keys but those in the
    schema. inspector follow prints a value on each line, and the schema is that of a line.
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
