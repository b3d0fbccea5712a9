"""A command: how many messages each role has."""

from __future__ import annotations

import json
from collections import Counter

import click

from inspector.formats import load


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def speakers(path: str, as_json: bool) -> None:
    """Count the messages of each role in a file."""
    counts = Counter(message.role for session in load(path) for message in session.messages)
    if as_json:
        click.echo(json.dumps({"roles": counts}))
    else:
        for role, count in counts.most_common():
            click.echo(f"{count:>6,} {role}")
