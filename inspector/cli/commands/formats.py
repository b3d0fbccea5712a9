"""`formats`: the supported formats, with the data that each records or lacks."""

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
    """A supported format."""

    name: Annotated[str, "as in the key `format` of other outputs"]
    title: str
    holds: Annotated[Sequence[Feature], "recorded data besides messages and calls"]
    lacks: Annotated[Sequence[Feature], "data that it does not record"]
    place: Annotated[str, "folder where the program stores such files; empty if it has none"]
    page: Annotated[str, "address of its documentation; empty without one"]


@json_output()
class FormatsOutput:
    """The supported formats."""

    formats: Sequence[FormatOutput]


@click.command()
@json_option
def formats(as_json: bool) -> None:
    """List the supported formats, and what each records.

    A file is recognised by its content, never by its name.
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
        held = ", ".join(holding for holding in FEATURES if holding in entry.features) or "only messages and calls"
        for line in lines_of(held, width() - _NAME - 1):
            yield " " * (_NAME + 1) + paint(line, "dim")
    yield ""
    yield paint("A file is recognised by its content, never by its name.", "dim")
