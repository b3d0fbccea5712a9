"""Measure how well a text alone answers the questions for going on after a compaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

from inspector.analysis.experiments.judge.faithfulness import summary_message
from inspector.analysis.replay import probes_of
from inspector.engine.facts import units_of
from inspector.engine.work_state import Transition, fates_of

_MIN_WORDS = 200
"""Minimum number of words in random order."""
_FILLER = "and"
_FEWEST = 3
"""Minimum number of questions."""
_ORDERS = ("", "a", "b")
"""Keys of the random orders that a text is compared with."""


def in_random_order(text: str, key: str = "") -> str:
    """Return the words of a text in an order without meaning, which a change of a few words hardly changes.

    A short text is filled up with function words, because everything in it is near everything.

    Args:
        text: The text.
        key: Chooses one of the orders.
    """
    seen = Counter[str]()
    places = list[tuple[int, str]]()
    words = text.split()
    for word in (*words, *[_FILLER] * (_MIN_WORDS - len(words))):
        seen[word] += 1
        places.append((crc32(f"{key}{seen[word]} {word}".encode()), word))
    return " ".join(word for _, word in sorted(places))


def continuation(transition: Transition, text: str) -> float | None:
    """Return the share of the questions that a summary answers beyond what its words in random order answer.

    Of three random orders, the one that answers the most counts.

    Questions that the recording answers without a summary, such as the folder, are not asked. The result is 0 if the
    order of the words has no effect, and 1 if the summary answers everything and its words alone nothing. Line breaks
    have no effect.

    Args:
        transition: The compaction, with the messages that it replaced.
        text: A summary of them.

    Returns:
        The share from 0 to 1; None with fewer than three questions, of which a share says nothing.

    Raises:
        OSError: If the recording can no longer be read.
    """
    asked = [number for number, is_answered in enumerate(_answers(transition, "")) if not is_answered]
    if len(asked) < _FEWEST:
        return None
    orders = [in_random_order(text, key) for key in _ORDERS]
    share, *by_chance = (
        sum(answers[number] for number in asked) / len(asked)
        for answers in (_answers(transition, one) for one in (text, *orders))
    )
    chance = max(by_chance)
    return max(0.0, share - chance) / (1 - chance) if chance < 1 else 0.0


def _answers(transition: Transition, text: str) -> Sequence[bool]:
    """Return which of the questions a context of a summary alone answers."""
    judged = replace(transition, summary=summary_message("\n".join(units_of(text))), kept=())
    return [probe.is_answered for probe in probes_of(judged, fates_of(judged))]
