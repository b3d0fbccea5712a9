"""The strings of a conversation that cannot be guessed again once they are gone: paths, addresses, ids, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

PATH = r"(?:[\w.~-]+/|/)(?:[\w.@+-]+/)*[\w.@+-]*[\w-](?::\d+)?"
URL = r"https?://[^\s\"'<>)\]}|\\]+[^\s\"'<>)\]}|\\.,;:!?]"
NAMED = r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+\b"
HASH = r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
ID = f"{NAMED}|{HASH}"
NUMBER = r"\b[A-Za-z_][\w.-]{1,40}\s?[=:]\s?[$€£]?\d[\d,.]*\d%?|[$€£]\d[\d,.]*\d"
PATTERN = re.compile(f"({URL})|({NUMBER})|({PATH})|({ID})")
"""One pass over a text; the alternatives stand in the order in which one wins over another at the same place."""
LONGEST = 200


def identifiers(texts: Iterable[str]) -> dict[str, int]:
    """Every identifier with how often it occurs, in the order of first sight."""
    found: dict[str, int] = {}
    for text in texts:
        for match in PATTERN.finditer(text):
            word = match.group().strip()
            if 4 <= len(word) <= LONGEST:
                found[word] = found.get(word, 0) + 1
    return found
