"""Options of the commands that call a model."""

from __future__ import annotations

import click

from inspector.analysis.asking import MAX_COST, MAX_OUTPUT
from inspector.cli.options import Command
from inspector.engine.summaries import MODEL_APIS


def call_options(command: Command) -> Command:
    """Add the options for calls of a model: consent, money and the length of replies."""
    for option in (
        click.option("--yes", "-y", is_flag=True, help="Send the requests without asking."),
        click.option(
            "--max-cost",
            type=click.FloatRange(0),
            default=MAX_COST,
            show_default=True,
            metavar="DOLLARS",
            help="Money that is never exceeded; calls that could exceed it are not made.",
        ),
        click.option(
            "--max-output",
            type=click.IntRange(1),
            default=MAX_OUTPUT,
            show_default=True,
            metavar="TOKENS",
            help="Maximum length of a reply.",
        ),
        click.option(
            "--api",
            type=click.Choice(list(MODEL_APIS)),
            help="The API of the endpoint. Default: INSPECTOR_MODEL_API, else chat.",
        ),
    ):
        command = option(command)
    return command
