"""Shorten facts for use in a sentence."""

from __future__ import annotations

from inspector.analysis.tool_activity import fact_end
from inspector.core.text import clip

_CELLS = 28


def fact_name(fact: str) -> str:
    """Return the name of a file, the last two steps of a URL or folder, or the fact itself, within a fixed width."""
    return clip(fact_end(fact), _CELLS)
