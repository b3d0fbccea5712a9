"""The statements of a summary that are invented or revived, with the evidence against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.analysis.replay.state_counts import SummaryStatement
from inspector.core.caches import text_of
from inspector.core.conversation import Message
from inspector.core.text import one_line
from inspector.engine.facts import content_words, sentences_of
from inspector.engine.work_state import StateFate

_LEAST_SHARED = 2
"""Words that a sentence shares with a statement at least if it is about the same."""
_MAX_READ, _MAX_SHOWN = 50_000, 300
"""Characters of a message that are searched, and of a sentence that are kept."""


def statements_of(turn: int, rows: Iterable[StateFate], replaced: Sequence[Message]) -> tuple[SummaryStatement, ...]:
    """Return the invented and revived statements of a summary.

    Args:
        turn: The first turn after the compaction.
        rows: Fates of the state across it.
        replaced: The messages that the summary replaced, oldest first.

    Raises:
        OSError: If the recording can no longer be read.
    """
    return tuple(_statements(turn, rows, replaced))


def _statements(turn: int, rows: Iterable[StateFate], replaced: Sequence[Message]) -> Iterator[SummaryStatement]:
    for row in rows:
        if row.fate == "invented":
            before, message = _closest(row.after, replaced)
            yield SummaryStatement(turn, row.fate, row.after, before, message)
        elif row.fate == "revived":
            before = f"{row.before}: {row.item}" if row.before else row.item
            yield SummaryStatement(turn, row.fate, row.after, one_line(before), row.message)


def _closest(statement: str, messages: Sequence[Message]) -> tuple[str, str]:
    """Return the sentence that is most like a statement, the newest of equal ones, and the id of its message.

    Two sentences are alike by the words that they share, relative to the words of both.
    """
    words = content_words(statement)
    likeness, closest, place = 0.0, "", ""
    for message in reversed(messages):
        text = text_of(message)[:_MAX_READ]
        for sentence in sentences_of(text) if _may_share(words, text) else ():
            others = content_words(sentence) if _may_share(words, sentence) else frozenset()
            shared = len(words & others)
            if shared >= _LEAST_SHARED and shared / (len(words) + len(others)) > likeness:
                likeness = shared / (len(words) + len(others))
                closest, place = one_line(sentence)[:_MAX_SHOWN], message.id
    return closest, place


def _may_share(words: frozenset[str], text: str) -> bool:
    """Return True if a text contains enough of some stems."""
    lowered = text.lower()
    return sum(word in lowered for word in words) >= _LEAST_SHARED
