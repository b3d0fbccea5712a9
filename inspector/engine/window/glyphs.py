"""Letters and glyphs that convey the same information as colours, shared by the app and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.engine.window import FateKind, Section

LETTERS: Mapping[Section, str] = {
    "system": "S",
    "memory": "M",
    "tools": "T",
    "history": "H",
    "input": "I",
    "scratchpad": "P",
}
GLYPHS: Mapping[FateKind, str] = {
    "kept": "│",
    "pinned": "★",
    "trimmed": "~",
    "masked": "~",
    "summarised": "Σ",
    "archived": "↓",
    "dropped": "×",
    "retrieved": "↑",
}
FELL = "▼"
"""Marker of a turn before which the reported size fell and no record explains why."""
LOSSY, REVERSIBLE, REGRETTED, NOT_CACHED = "◆", "◇", "!", "$"
"""Markers for replay turns: lossy compression, reversible compression, a reply that needed something lost,
and a call that the prompt cache did not serve."""
