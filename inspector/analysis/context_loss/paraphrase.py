"""Sentences that a summary tells in other words: by the words that say what a sentence is about, and whether it denies.

It is for what is said of one compaction. What is measured along a whole replay (`inspector.engine.facts`) asks for
more of the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from inspector.core.text import word_set

_BREAK = re.compile(r"(?<=[.;!?])\s+|\n+")
"""Between the sentences of a summary."""
_WORD = re.compile(r"[^\W_]+")
_CLAUSE = re.compile(r"[,;:(—–]\s| [-—–] ")
"""Where the main clause of a sentence may end."""
_PATH = re.compile(r"(?<![\w.~<>/-])(?:[\w.~<>-]*/[\w./~<>-]*\w|\w[\w-]*\.[a-z]{1,4}\b)")
"""A path or the name of a file: its steps are no words of a sentence."""
_MIN_WORD_SHARE = 0.6
"""Share of the words of a clause that a sentence has to have to tell it."""
_MIN_CLAUSE_WORDS = 3
"""Words that a clause must have for that."""
_NEGATIONS = word_set("no not never only nothing none nor without cannot don doesn shouldn mustn")
_FUNCTION_WORDS = word_set(
    "a an the this that these those it its he she they them we us our you your i me my and or but so if then than as "
    "of in on at to for from by with into onto over be is are was were been being do does did has have had will would "
    "can could should shall may might must need needs please user wants want wanted prefers prefer says said asked ask "
    "t s ve ll re let also just now still here there what which who when where how all any"
)
"""Words that do not say what a sentence is about, and those by which summaries report what somebody said."""
_Clause = tuple[frozenset[str], bool]
"""The words of a clause that say what it is about, and whether it denies something."""


class Paraphrases:
    """The sentences of some summaries, to be compared with others."""

    def __init__(self, summaries: Iterable[str]) -> None:
        """`summaries` are read when the first sentence is compared: mostly none is."""
        self._summaries = summaries

    @cached_property
    def _clauses(self) -> list[_Clause]:
        sentences = (sentence for text in self._summaries for sentence in _BREAK.split(text))
        return [clause for sentence in sentences if len((clause := _clause_of(sentence))[0]) >= _MIN_CLAUSE_WORDS]

    def __contains__(self, sentence: str) -> bool:
        """Whether one of them tells a sentence: most words of its main clause, and all that has a digit in it."""
        words, denies = _clause_of(_main_clause(sentence))
        exact = frozenset(word for word in _clause_of(sentence)[0] if any(map(str.isdecimal, word)))
        most = (1 - _MIN_WORD_SHARE) * len(words)
        return len(words) >= _MIN_CLAUSE_WORDS and any(
            denies is other_denies and len(words - other) <= most and exact <= other
            for other, other_denies in self._clauses
        )


def _main_clause(sentence: str) -> str:
    """The first clause that has enough words to be compared; the whole sentence where none has."""
    ends = (match.start() for match in _CLAUSE.finditer(sentence))
    return next((sentence[:end] for end in ends if len(_clause_of(sentence[:end])[0]) >= _MIN_CLAUSE_WORDS), sentence)


def _clause_of(text: str) -> _Clause:
    names = {path.rpartition("/")[2].lower() for path in _PATH.findall(text)}
    words = names.union(_WORD.findall(_PATH.sub(" ", text).lower()))
    return frozenset(words - _FUNCTION_WORDS - _NEGATIONS), not words.isdisjoint(_NEGATIONS)
