"""Sets of words, written as plain text in a module."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the whitespace-separated words of a text."""
    return frozenset(text.split())
