"""Memories as a model is shown them: quoted, with where they come from; no text can end its own quotation."""

from __future__ import annotations

import re

from inspector.core.text import one_line

_MARK = re.compile(r"<(?=[\s/]*memory)", re.IGNORECASE)
"""How a text could end its own mark, or begin another."""
_MAX_NAME_LENGTH = 60


def quote_memory(text: str, **facts: str) -> str:
    """A text between marks that name some facts about it; empty ones are left out."""
    names = "".join(f' {name}="{_attribute(fact)}"' for name, fact in facts.items() if fact)
    return f"<memory{names}>\n{_MARK.sub('‹', text)}\n</memory>"


def _attribute(text: str) -> str:
    """A text of a recording inside quotes."""
    return "".join(letter for letter in one_line(text)[:_MAX_NAME_LENGTH] if letter not in '"<>&')
