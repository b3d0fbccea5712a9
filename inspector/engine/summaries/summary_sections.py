"""The eight sections that every summary has, whoever made it: writing them down, and reading them back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

Heading = Literal["Goal", "Constraints", "Decisions", "Files", "Errors", "Results", "Open tasks", "Facts verbatim"]
HEADINGS: tuple[Heading, ...] = get_args(Heading)
FACTS: Heading = "Facts verbatim"
TITLE = "[Summary of earlier conversation]"
"""First line of every summary made here: it tells the model, and the next summary, what it is."""
BULLET = "- "
_DECORATION = "#*_ \t"
"""What other writers put around a heading."""
_BY_NAME: dict[str, Heading] = {heading.lower(): heading for heading in HEADINGS}


def render_sections(sections: Mapping[Heading, Sequence[str]]) -> str:
    """Lines under their headings, as text; empty sections are left out, and "" stands for no lines at all."""
    blocks = [
        "\n".join([f"{heading}:", *[BULLET + line for line in sections[heading]]])
        for heading in HEADINGS
        if sections.get(heading)
    ]
    return "\n\n".join([TITLE, *blocks]) if blocks else ""


def parse_lines(text: str) -> Iterator[tuple[Heading, str]]:
    """The lines of a summary with the headings that they stand under; lines before any heading count as its goal."""
    heading: Heading = "Goal"
    for line in text.splitlines():
        heading, bare = parse_line(line, heading)
        if bare:
            yield heading, bare


def parse_line(line: str, heading: Heading) -> tuple[Heading, str]:
    """The heading that a line below `heading` stands under, or is; and what it says, "" for a heading or nothing."""
    if line.startswith(BULLET):
        bare = line[len(BULLET) :].strip()
    elif own_heading := heading_in(line):
        return own_heading, ""
    else:
        bare = line.strip(_DECORATION).strip()
    return heading, "" if bare == TITLE else bare


def heading_in(line: str) -> Heading | None:
    """The heading that a line is, in whatever decoration: "Goal:", "## Goal", "**Goal:**"."""
    bare = line.strip(_DECORATION)
    colon = bare.endswith(":")
    if not colon and bare == line.strip():
        return None
    return _BY_NAME.get(bare.rstrip(":").rstrip(_DECORATION).lower())
