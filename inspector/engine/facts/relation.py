"""Compare sentences by their content words and their polarity, in any layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.core.text import word_set

_WORD = re.compile(r"[\w][\w./+#-]*\w|\w", re.UNICODE)
_STOP = word_set(
    "a an the this that these those it its i you we they he she me us my your our their is are was were be been "
    "being am "
    "to of in on at by for from with and or but if then than as so do does did done has have had will would can could "
    "should shall may might must just only also now please all any some each every there here what which who "
    "when where "
    "how let make get got into about up out over under again yet still too very such own same other more most s "
    "t d ll ve "
    "re not no never don doesn didn won without user asked wants wanted said says"
)
_NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|don[’']?t|doesn[’']?t|didn[’']?t|won[’']?t|cannot|can[’']?t|without|nothing|none"
    r"|avoid|skip|stop"
    r"|leave|forbid\w*|prohibit\w*|refus\w*|reject\w*|shelv\w*|drop(?:ped)? the|dropped|cancel\w*|withdr\w*"
    r"|instead of|must not"
    r"|off[- ]limits|untouched|nicht|kein\w*|niemals|nie|pas|jamais|nunca|sin)\b"
)
_SENTENCE = re.compile(r"[^.!?;\n]*(?:[.!?;](?=\w)[^.!?;\n]*)*[.!?;\n]?")
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "er", "s", "e", "y")


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Return a word in lower case, without a common suffix; for a path, its last part."""
    low = word.lower().rstrip(".")
    low = low.rsplit("/", 1)[-1] or low
    if not low.isalpha():
        return low
    for suffix in _SUFFIXES:
        if low.endswith(suffix) and len(low) - len(suffix) >= 3:
            low = low[: -len(suffix)]
            break
    return low[:-1] if len(low) > 3 and low[-1] == low[-2] else low


@lru_cache(maxsize=4_096)
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry its meaning."""
    return frozenset(stem(word) for word in _WORD.findall(text) if word.lower() not in _STOP and len(word) > 1)


def is_negated(text: str) -> bool:
    """Return True if a sentence negates something."""
    return bool(_NEGATION.search(text))


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences and lines of a text, without bullets. A point inside of a name does not end a sentence."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip().lstrip("-*•>#").strip()
        if sentence:
            yield sentence


def shared_words(one: str, other: str) -> frozenset[str]:
    """Return the stems of the content words that two texts share."""
    return content_words(one) & content_words(other)


def best_match(text: str, sentences: Sequence[str], least: int = 1) -> int:
    """Return the index of the sentence that shares the most content words with a text, or -1.

    Args:
        text: The text.
        sentences: The candidates. Of equal ones, the last is chosen.
        least: Minimum number of shared words.
    """
    counts = [len(shared_words(text, sentence)) for sentence in sentences]
    most = max(counts, default=0)
    return len(counts) - 1 - counts[::-1].index(most) if most >= max(1, least) else -1
