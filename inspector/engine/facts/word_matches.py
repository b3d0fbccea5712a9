"""Compare texts by the content words that they share."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.engine.facts.relation import content_words


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
