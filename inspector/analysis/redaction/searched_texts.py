"""The texts of a JSON value, and the ones among them that need no search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unicodedata import normalize

from inspector.core.text import lazy_pattern

SHORTEST = 4
"""Minimum characters of a text that is searched."""
_UNSEEN = lazy_pattern(r"(?:\x1b|\\x1b|\\u001b|\\033)\[[0-9;]{0,20}[A-Za-z]|[\u00ad\u200b-\u200d\u2060\ufeff]")
# 123e4567-e89b-12d3-a456-426614174000, 2026-01-01T00:00:00.000Z
_ID = lazy_pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,16}Z?")
_ESCAPES = ("\x1b", "\\x1b", "\\u001b", "\\033")


def is_word(text: str) -> bool:
    """Return True if a text is too short for a secret in its context, or only a name such as `tool_use_id`."""
    return len(text) < SHORTEST or (len(text) < 20 and text.replace("_", "").isalpha())


def is_id(text: str) -> bool:
    """Return True if a text is a UUID or a time."""
    return 20 <= len(text) <= 36 and _ID.fullmatch(text) is not None


def seen_text(text: str) -> str:
    """Return a text without invisible characters that can split a secret: colour codes and zero-width spaces.

    Accents that are separate characters are combined with their letters, as in the names of secrets.
    """
    if text.isascii() and not ("[" in text and any(escape in text for escape in _ESCAPES)):
        return text
    return normalize("NFC", _UNSEEN.sub("", text))


def texts_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys and texts of a JSON value, each text with the name of its field."""
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting:
        inner, key = waiting.pop()
        match inner:
            case str():
                yield inner, key
            case dict():
                called = inner.get("name", inner.get("key"))
                for name, other in reversed(inner.items()):
                    yield str(name), ""
                    waiting.append((other, called if name == "value" and isinstance(called, str) else str(name)))
            case list() | tuple():
                waiting += [(other, key) for other in reversed(inner)]
