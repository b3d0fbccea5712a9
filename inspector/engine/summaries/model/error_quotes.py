"""Quote texts of errors and models in one line, without keys and passwords."""

from __future__ import annotations

import re

from inspector.core.text import one_line

_QUOTE = 160
"""Maximum number of characters to quote."""
_SENTENCE = 400
"""Maximum number of characters of a quoted sentence."""
_KEYS = re.compile(r"\b(?:(?:(?:sk|key|Bearer)[-_ ]|(?:gsk|xai|ghp|hf)[-_])[\w*.…-]{6,}|AIza[\w-]{20,})")
"""Text that looks like an API key: `sk-proj-xxxxxx`, `Bearer xxxxxx`."""


def quote(text: str, *secrets: str, most: int = _QUOTE) -> str:
    """Return a text on one line, without secrets and final punctuation.

    Args:
        text: Text to quote.
        secrets: Texts to remove, in addition to anything that looks like an API key.
        most: Maximum length in characters.
    """
    text = text[: 20 * most]
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    text = one_line(_KEYS.sub("…", text)).rstrip(". ")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def describe_error(error: BaseException) -> str:
    """Return an exception as a clause: its type and message."""
    words = quote(str(error))
    return type(error).__name__ + (f": {words}" if words else "")


def clean_sentence(text: str) -> str:
    """Return a sentence from elsewhere, safe to display, with a full stop."""
    words = quote(text, most=_SENTENCE)
    return words if words.endswith(("…", "!", "?")) or not words else f"{words}."
