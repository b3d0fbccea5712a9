"""Quote memories for a model, with their source. No text can end its own quotation."""

from __future__ import annotations

import re

from inspector.core.text import one_line

_MARK = re.compile(r"<(?=[\s/]*memory)", re.IGNORECASE)
"""A tag with which a text could end its own quotation or begin another."""
_MAX_NAME_LENGTH = 60


def quote_memory(text: str, **facts: str) -> str:
    """Return a text in `<memory>` tags with attributes. Empty attributes are left out."""
    names = "".join(f' {name}="{_attribute(fact)}"' for name, fact in facts.items() if fact)
    return f"<memory{names}>\n{_MARK.sub('‹', text)}\n</memory>"


def _attribute(text: str) -> str:
    """Return a text as an attribute value, shortened and without characters that could end it."""
    return "".join(letter for letter in one_line(text)[:_MAX_NAME_LENGTH] if letter not in '"<>&')
