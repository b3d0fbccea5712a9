"""Clauses of a summary that say most of a task or request, in any order and form of its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import lazy_pattern
from inspector.engine.facts import content_words
from inspector.engine.work_state.declined_traces import beginnings_of, is_form
from inspector.engine.work_state.rule_verbs import FORMS
from inspector.engine.work_state.summary_points import LEAST_WORDS, PART_OF_POINT, STATES_OF_WORK, SummaryPoint
from inspector.engine.work_state.work_plans import COMMON_VERBS

_MOST_IN_ANY_ORDER = 0.6
"""Share of the words of a text that a clause says in any order."""
_LEAST_OF_CLAUSE = 0.5
"""Share of the words of such a clause that are words of the text."""
_PARTED = lazy_pattern(r"(?<=[a-z])_(?=[a-z_]{1,40}(?:[^\w./-]|$))")
"""The underscores in a name that is no path: "short_frame"."""
_WORDS = lazy_pattern(r"[^\s,;:()\[\]\"'`*]{1,80}")


def in_clauses(
    points: Iterable[SummaryPoint], text: str, others: Sequence[str] = (), least: float = _MOST_IN_ANY_ORDER
) -> list[SummaryPoint]:
    """Return the clauses that say most of a text in any order and form: "the weights are rebuilt", "download (4 GB)".

    In a list of open or finished work, the first word of a clause is enough if no other task has it.

    Args:
        points: The points of a summary.
        text: A task, or a clause of a request.
        others: Other tasks.
        least: Share of the words of the text.
    """
    words = _forms_in(text)
    own = words.difference(*map(_forms_in, others)) - COMMON_VERBS
    near = words | beginnings_of(words)
    clauses: list[SummaryPoint] = []
    for point in points if own else ():
        for clause in _clauses_of(point.text):
            hits = clause.shared(words, near)
            if not hits:
                continue
            enough = max(LEAST_WORDS, least * len(words), _LEAST_OF_CLAUSE * len(clause.words))
            is_most = len(hits) >= enough and bool(hits & own)
            if is_most or (others and point.section in ("open", "done") and _begins_with(clause.text, own)):
                clauses.append(SummaryPoint(clause.text.strip(), point.section, content_words(clause.text)))
    return clauses


class _Clause(NamedTuple):
    """A clause of a statement."""

    text: str
    words: frozenset[str]
    """Its stems, of verbs their basic form."""
    beginnings: frozenset[str]
    """Beginnings of its stems that are forms of them."""

    def shared(self, words: frozenset[str], near: frozenset[str]) -> set[str]:
        """Return those of some words of which the clause has a form; `near` has the words and their beginnings."""
        if near.isdisjoint(self.words) and words.isdisjoint(self.beginnings):
            return set()
        return {word for word in words if any(is_form(word, other) for other in self.words)}


@lru_cache(maxsize=4_096)
def _clauses_of(statement: str) -> tuple[_Clause, ...]:
    """Return the clauses of a statement. Cached: the summaries of a session repeat most statements."""
    said = ((clause, _forms_in(clause)) for clause in PART_OF_POINT.split(statement))
    return tuple(_Clause(clause, words, beginnings_of(words)) for clause, words in said if words)


@lru_cache(maxsize=4_096)
def _forms_in(text: str) -> frozenset[str]:
    """Return the content words of a text, of verbs their basic form: "rebuilt" is "rebuild"."""
    words = (FORMS.get(word, word) for word in _WORDS.findall(_PARTED.sub(" ", text.lower())))
    return content_words(" ".join(words)) - STATES_OF_WORK


def _begins_with(clause: str, own: frozenset[str]) -> bool:
    """Return True if the first word of a clause is one of some words. "with tests" begins with none."""
    first = next((word for word in _WORDS.findall(clause.lower()) if any(map(str.isalpha, word))), "")
    return any(is_form(word, other) for word in _forms_in(first) for other in own)
