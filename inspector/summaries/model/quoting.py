"""Words of somebody else in a sentence for people: short, on one line, and never a key or a password."""

from __future__ import annotations

import re

from inspector.text import one_line

_QUOTED = 160
"""Characters that are quoted."""
_SENTENCE = 400
"""Characters of a whole sentence that somebody else wrote."""
_KEYS = re.compile(r"\b(?:(?:(?:sk|key|Bearer)[-_ ]|(?:gsk|xai|ghp|hf)[-_])[\w*.…-]{6,}|AIza[\w-]{20,})")


def quote(text: str, *secrets: str, most: int = _QUOTED) -> str:
    """At most `most` characters of a text, without `secrets` and whatever looks like a key, and without its end."""
    text = text[: 20 * most]
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    text = one_line(_KEYS.sub("…", text)).rstrip(". ")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def describe_error(error: BaseException) -> str:
    """An exception as a clause: its kind, and what it says."""
    words = quote(str(error))
    return type(error).__name__ + (f": {words}" if words else "")


def clean_sentence(text: str) -> str:
    """A sentence of somebody else's, safe to show, with its full stop."""
    words = quote(text, most=_SENTENCE)
    return words if words.endswith(("…", "!", "?")) or not words else f"{words}."
