"""Tell that a text has too few words of a sentence, without reading the text word by word.

A stem is a part of its word, so a text with the word contains the stem.
"""

from __future__ import annotations

from inspector.engine.facts.relation import RETOLD, Sentence, least_shared


def may_relate(lower: str, words: frozenset[str]) -> bool:
    """Return False if a text in lower case has too few words to relate a value to them."""
    return sum(word in lower for word in words) >= least_shared(words)


def may_restate(lower: str, sentence: Sentence) -> bool:
    """Return False if a text in lower case has too few words to say a sentence."""
    return sum(word in lower for word in sentence.clause) >= sentence.least_words(RETOLD)
