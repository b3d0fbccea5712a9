"""A fact in a few cells, as it stands in a sentence."""

from __future__ import annotations

from inspector.analysis.tool_activity import short_name
from inspector.core.text import clip, one_line

_CELLS = 28


def fact_name(fact: str) -> str:
    """A file by its name, an address or a folder by its last two steps; anything else by itself."""
    return clip(fact_end(fact), _CELLS)


def fact_end(fact: str) -> str:
    """The same, however long it is."""
    line = one_line(fact)
    if "/" not in line or " " in line:
        return line
    name = short_name(line)
    steps = [step for step in line.split("/") if step]
    return name if "." in name or "/" in name else "/".join(steps[-2:])
