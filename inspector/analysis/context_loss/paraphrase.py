"""Find sentences that a summary paraphrases, by their content words and whether they are negated.

This is used to report a single compaction. Measurements along a whole replay (`inspector.engine.facts`) require a
closer match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from inspector.core.text import word_set

_BREAK = re.compile(r"(?<=[.;!?])\s+|\n+")
"""Boundary between the sentences of a summary."""
_WORD = re.compile(r"[^\W_]+")
_CLAUSE = re.compile(r"[,;:(—–]\s| [-—–] ")
"""Possible end of a sentence's main clause."""
_PATH = re.compile(r"(?<![\w.~<>/-])(?:[\w.~<>-]*/[\w./~<>-]*\w|\w[\w-]*\.[a-z]{1,4}\b)")
"""A path or file name. Only its last component counts as a word of the sentence."""
_MIN_WORD_SHARE = 0.6
"""Share of a clause's words that a sentence must contain to paraphrase it."""
_MIN_CLAUSE_WORDS = 3
"""Minimum number of content words in a clause that can be compared."""
_NEGATIONS = word_set("no not never only nothing none nor without cannot don doesn shouldn mustn")
_FUNCTION_WORDS = word_set(
    "a an the this that these those it its he she they them we us our you your i me my and or but so if then than as "
    "of in on at to for from by with into onto over be is are was were been being do does did has have had will would "
    "can could should shall may might must need needs please user wants want wanted prefers prefer says said asked ask "
    "t s ve ll re let also just now still here there what which who when where how all any"
)
"""Function words, and the verbs that introduce reported speech in summaries."""
_Clause = tuple[frozenset[str], bool]
"""Content words of a clause, and whether it contains a negation."""


class Paraphrases:
    """Sentences of some summaries, to test whether they paraphrase another sentence."""

    def __init__(self, summaries: Iterable[str]) -> None:
        """Store the summaries. They are read at the first comparison, because most windows need none."""
        self._summaries = summaries

    @cached_property
    def _clauses(self) -> list[_Clause]:
        sentences = (sentence for text in self._summaries for sentence in _BREAK.split(text))
        return [clause for sentence in sentences if len((clause := _clause_of(sentence))[0]) >= _MIN_CLAUSE_WORDS]

    def __contains__(self, sentence: str) -> bool:
        """Return True if a summary contains most words of a sentence's main clause and all its words with digits."""
        words, denies = _clause_of(_main_clause(sentence))
        exact = frozenset(word for word in _clause_of(sentence)[0] if any(map(str.isdecimal, word)))
        most = (1 - _MIN_WORD_SHARE) * len(words)
        return len(words) >= _MIN_CLAUSE_WORDS and any(
            denies is other_denies and len(words - other) <= most and exact <= other
            for other, other_denies in self._clauses
        )


def _main_clause(sentence: str) -> str:
    """Return the first clause with enough words to be compared, else the whole sentence."""
    ends = (match.start() for match in _CLAUSE.finditer(sentence))
    return next((sentence[:end] for end in ends if len(_clause_of(sentence[:end])[0]) >= _MIN_CLAUSE_WORDS), sentence)


def _clause_of(text: str) -> _Clause:
    names = {path.rpartition("/")[2].lower() for path in _PATH.findall(text)}
    words = names.union(_WORD.findall(_PATH.sub(" ", text).lower()))
    return frozenset(words - _FUNCTION_WORDS - _NEGATIONS), not words.isdisjoint(_NEGATIONS)
