"""Normalise the words of an answer, to search for them in a window.

Words are lower-case runs of letters and digits, without function words. Number words are converted to digits ("seven"
to 7), ordinals to numbers ("7th" to 7), names of months to their first three letters, and plurals in -s to the
singular. Other forms are not unified: "painted" does not match "paint".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from inspector.core.text import NUMBER_WORDS

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_OWNER = re.compile(r"['\u2019].*")
_LETTERS = re.compile("[a-z]+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_STOP = frozenset(
    _LETTERS.findall(
        "a about after all also am an and any are as at be been before being both but by can could did do does doing"
        " don during each for from had has have having he her here hers him his how i if in into is it its just like me"
        " more most my no nor not of off on once only or other our ours out over own s same she should so some such t"
        " than that the their theirs them then there these they this those through to too under until up very was we"
        " were what when where which while who whom why will with would yes you your yours"
    )
)
_NUMBERS = {word: str(number) for number, word in enumerate(NUMBER_WORDS)}
_MONTHS = {
    name: name[:3]
    for name in _LETTERS.findall("january february march april june july august september october november december")
}
_MIN_PLURAL_LENGTH = 4


def words_of(text: str) -> frozenset[str]:
    """Return the normalised words of a text."""
    return frozenset(_forms(text))


def _forms(text: str) -> Iterator[str]:
    for match in _WORD.findall(text.lower()):
        word = _OWNER.sub("", match)
        if word in _STOP:
            continue
        if ordinal := _ORDINAL.fullmatch(word):
            yield ordinal[1]
        elif word in _NUMBERS or word in _MONTHS:
            yield _NUMBERS.get(word) or _MONTHS[word]
        elif len(word) >= _MIN_PLURAL_LENGTH and word.endswith("s") and not word.endswith("ss"):
            yield word[:-1]
        else:
            yield word


def tells(words: Collection[str], answer: Collection[str], least: float) -> bool:
    """Return True if `words` contains enough words of an answer; False for an empty answer.

    Args:
        words: Normalised words of a text.
        answer: Normalised words of the answer.
        least: Minimum share of the answer's words, from 0 to 1.
    """
    return bool(answer) and sum(word in words for word in answer) >= least * len(answer) - 1e-9
