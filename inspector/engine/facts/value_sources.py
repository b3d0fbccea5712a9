"""Find the words that a value belongs to in a text that states it."""

from __future__ import annotations

from inspector.core.text import lazy_pattern
from inspector.engine.facts.relation import MIN_SHARED, plain_stems
from inspector.engine.facts.word_stems import stem

_PIECE = lazy_pattern(r"\w+")
_SOURCE_REACH = 200
"""Maximum number of characters of a source sentence on each side of a value."""


def source_words(text: str, value: str) -> frozenset[str]:
    """Return the content words of the sentence or line of a text that states a value, without the value.

    The words around it, if the sentence has less than two.
    """
    place, length = _place_of(text, value)
    if place < 0:
        return frozenset()
    left = text[max(0, place - _SOURCE_REACH) : place].replace("\\n", "\n")
    right = text[place + length : place + length + _SOURCE_REACH].replace("\\n", "\n")
    head = left[max(left.rfind("\n"), left.rfind(". ")) + 1 :]
    ends = [end for end in (right.find("\n"), right.find(". ")) if end >= 0]
    tail = right[: min(ends, default=len(right))]
    own = {stem(piece) for piece in _PIECE.findall(value)}
    words = plain_stems(head, tail) - own
    return words if len(words) >= MIN_SHARED else plain_stems(left, right) - own


def _place_of(text: str, value: str) -> tuple[int, int]:
    """Return the position and length of a value in a text, or of its most telling part; -1 if it is not there."""
    pieces = _PIECE.findall(value)
    parts = (value, value.removesuffix("()"), value.rpartition("/")[2], *sorted(pieces, key=len, reverse=True)[:2])
    return next(((place, len(part)) for part in parts if part and (place := text.find(part)) >= 0), (-1, 0))
