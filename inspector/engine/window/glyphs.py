"""The letters and glyphs that say without colour what colour says: the same in the app and on the command line."""

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
LOSSY, REVERSIBLE, REGRETTED = "◆", "◇", "!"
"""Turns of a replay: compressed with a loss, compressed so that all of it can be found again, needed what was lost."""
