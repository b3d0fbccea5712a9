"""Shorten facts for use in a sentence."""

from __future__ import annotations

from inspector.analysis.tool_activity import short_name
from inspector.core.text import clip, one_line

_CELLS = 28


def fact_name(fact: str) -> str:
    """Return the name of a file, the last two steps of a URL or folder, or the fact itself, within a fixed width."""
    return clip(fact_end(fact), _CELLS)


def fact_end(fact: str) -> str:
    """Return the same without a limit on its width."""
    line = one_line(fact)
    if "/" not in line or " " in line:
        return line
    name = short_name(line)
    steps = [step for step in line.split("/") if step]
    return name if "." in name or "/" in name else "/".join(steps[-2:])
