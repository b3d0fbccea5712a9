"""Lists of words as they are written in a module."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which stand apart by spaces and line ends."""
    return frozenset(text.split())
