"""The words of a sentence, each marked as code, by its clause, and as rejected or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set

_TOKEN = lazy_pattern(r"`|[#./]?\w(?:[\w./+#@()'’-]*[\w+/)])?|[,;:()—–.!?]| - ")
_ENDS = word_set(", ; : ( ) — – . ! ? - but")
_NEGATIONS = word_set("never no not don't dont don’t avoid without stop cannot can't isn't aren't forget skip")
_REJECTING = word_set("forbidden prohibited banned deprecated disallowed frozen replaced hates dislikes replaces")
MOVES = word_set("moved migrated switched converted upgraded")
_PREFERS = word_set("prefer prefers favor favour use write choose pick")


class WordMark(NamedTuple):
    """The role of a word in a sentence."""

    is_rejected: bool
    is_code: bool
    is_first: bool
    """True for the first word of code."""
    clause: int


def marked_words(sentence: str) -> tuple[list[str], list[WordMark]]:
    """Return the words of a sentence in lower case, each with its mark."""
    words: list[str] = []
    marks: list[WordMark] = []
    is_code = is_first = is_rejected = has_preferred = False
    clause = 0
    for match in _TOKEN.finditer(sentence):
        token = _plain_token(match[0])
        if token == "`":
            is_code = is_first = not is_code
        elif token in _ENDS:
            is_rejected = is_rejected and is_code
            clause += token != ":" and not is_code
        else:
            is_rejected = _is_rejected(token, words, is_rejected=is_rejected, has_preferred=has_preferred)
            has_preferred = has_preferred or token in _PREFERS
            words.append(token)
            marks.append(WordMark(is_rejected, is_code, is_first, clause))
            is_first = False
    rejected = _rejected_clauses(words, marks)
    return words, [mark._replace(is_rejected=True) if mark.clause in rejected else mark for mark in marks]


def _plain_token(text: str) -> str:
    token = text.strip().lower()
    return token if "(" in token else token.rstrip(")") or token


def _ends_origin(token: str, words: Sequence[str]) -> bool:
    """Return True if a word begins what replaces the values before it: "to" of "moved from npm to pnpm"."""
    return token == "to" and "from" in words and not MOVES.isdisjoint(words)


def _is_rejected(token: str, words: Sequence[str], *, is_rejected: bool, has_preferred: bool) -> bool:
    """Return True if a word is rejected, by itself or as part of what is rejected before it."""
    is_still = is_rejected and not _ends_origin(token, words)
    return is_still or _begins_rejection(token, words, has_preferred=has_preferred)


def _begins_rejection(token: str, words: Sequence[str], *, has_preferred: bool) -> bool:
    """Return True if what follows a word is rejected."""
    if token in ("over", "to"):
        return has_preferred if token == "over" else words[:1] == ["prefer"]
    if token == "from" and not MOVES.isdisjoint(words):
        return True
    return token in _NEGATIONS or (token in ("of", "than") and words[-1:] in (["instead"], ["rather"]))


def _rejected_clauses(words: Sequence[str], marks: Sequence[WordMark]) -> set[int]:
    """Return the numbers of the clauses that say that something is forbidden, or must not be used."""
    ends = {mark.clause: place for place, mark in enumerate(marks)}
    return {mark.clause for word, mark in zip(words, marks, strict=True) if word in _REJECTING and not mark.is_code} | {
        clause
        for clause, end in ends.items()
        if words[end] in ("used", "allowed", "permitted") and marks[end].is_rejected
    }
