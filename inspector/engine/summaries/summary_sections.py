"""The eight sections of every summary: formatting and parsing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

Heading = Literal["Goal", "Constraints", "Decisions", "Files", "Errors", "Results", "Open tasks", "Facts verbatim"]
HEADINGS: tuple[Heading, ...] = get_args(Heading)
FACTS: Heading = "Facts verbatim"
TITLE = "[Summary of earlier conversation]"
"""First line of every summary. It identifies the text to the model and to later summaries."""
BULLET = "- "
_DECORATION = "#*_ \t"
"""Characters that other writers put around a heading."""
_BY_NAME: dict[str, Heading] = {heading.lower(): heading for heading in HEADINGS}


def render_sections(sections: Mapping[Heading, Sequence[str]]) -> str:
    """Return lines under their headings as text. Empty sections are left out. Returns "" if there are no lines."""
    blocks = [
        "\n".join([f"{heading}:", *[BULLET + line for line in sections[heading]]])
        for heading in HEADINGS
        if sections.get(heading)
    ]
    return "\n\n".join([TITLE, *blocks]) if blocks else ""


def parse_lines(text: str) -> Iterator[tuple[Heading, str]]:
    """Yield the lines of a summary with their headings. Lines before any heading belong to the goal."""
    heading: Heading = "Goal"
    for line in text.splitlines():
        heading, bare = parse_line(line, heading)
        if bare:
            yield heading, bare


def parse_line(line: str, heading: Heading) -> tuple[Heading, str]:
    """Return the heading of a line below `heading`, or the one it contains, and its text; "" for a heading."""
    if line.startswith(BULLET):
        bare = line[len(BULLET) :].strip()
    elif own_heading := heading_in(line):
        return own_heading, ""
    else:
        bare = line.strip(_DECORATION).strip()
    return heading, "" if bare == TITLE else bare


def heading_in(line: str) -> Heading | None:
    """Return the heading in a line, in any decoration: "Goal:", "## Goal", "**Goal:**"; None if it is not a heading."""
    bare = line.strip(_DECORATION)
    colon = bare.endswith(":")
    if not colon and bare == line.strip():
        return None
    return _BY_NAME.get(bare.rstrip(":").rstrip(_DECORATION).lower())
