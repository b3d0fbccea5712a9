"""Words written in a source file, as a person would have typed them: no indentation, one line to a paragraph."""

from __future__ import annotations

import re
from textwrap import dedent

ITEM = re.compile(r"([-*]|\d{1,2}[.)]) ")
ALONE = re.compile(r"[|#>]|```|\s|$")
"""Lines that are never joined to another: tables, headings, quotes, fences, code, and the empty line."""


def prose(text: str) -> str:
    """Dedent, and join the lines of each paragraph. A line that goes on under a list item is indented by two spaces."""
    lines: list[str] = []
    fenced = False
    for line in dedent(text).strip("\n").split("\n"):
        if lines and not fenced and goes_on(lines[-1], line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
        fenced ^= line.startswith("```")
    return "\n".join(lines).strip()


def goes_on(before: str, line: str) -> bool:
    """Whether `line` belongs to the same paragraph as the line before it."""
    if ITEM.match(before):
        return bool(re.match(r"  \S", line))
    return not (ITEM.match(line) or ALONE.match(line) or ALONE.match(before))
