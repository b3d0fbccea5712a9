"""`formats`: what can be opened, what each format records, and what it cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import click

from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, paint, width
from inspector.cli.schema.values import json_output
from inspector.core.text import lines_of, pad
from inspector.formats import FEATURES, FORMATS, Feature, Format

_NAME = 18


@json_output()
class FormatOutput:
    """A format that can be opened."""

    name: Annotated[str, "as `format` says it elsewhere"]
    title: str
    holds: Annotated[Sequence[Feature], "what it records beside messages and calls"]
    lacks: Annotated[Sequence[Feature], "what it cannot say"]
    place: Annotated[str, "where the program keeps such files; empty for no place of its own"]
    page: Annotated[str, "where it is described; empty for none"]


@json_output()
class FormatsOutput:
    """The formats that can be opened."""

    formats: Sequence[FormatOutput]


@click.command()
@json_option
def formats(as_json: bool) -> None:
    """List the formats that can be opened, and what each records.

    A file is known by what is in it, never by its name.
    """
    if as_json:
        echo_json(FormatsOutput(formats=[_format_output(entry) for entry in FORMATS.values()]))
    else:
        echo("\n".join(_formats_text()))


def _format_output(entry: Format) -> FormatOutput:
    return FormatOutput(
        name=entry.name,
        title=entry.title,
        holds=[holding for holding in FEATURES if holding in entry.features],
        lacks=[holding for holding in FEATURES if holding not in entry.features],
        place=entry.place,
        page=entry.page,
    )


def _formats_text() -> Iterator[str]:
    for entry in FORMATS.values():
        place = f"   {entry.place}" if entry.place else ""
        yield f"{paint(pad(entry.name, _NAME), 'strong')} {entry.title}{paint(place, 'dim')}"
        held = ", ".join(holding for holding in FEATURES if holding in entry.features) or "messages and calls alone"
        for line in lines_of(held, width() - _NAME - 1):
            yield " " * (_NAME + 1) + paint(line, "dim")
    yield ""
    yield paint("A file is known by what is in it, never by its name.", "dim")
