"""Cache of the facts of each word, because words recur within and across messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from inspector.engine.facts.classify import ALL_STEMS
from inspector.engine.facts.cue_tables import StemSearch
from inspector.engine.facts.definitions import METHOD_STEMS
from inspector.engine.facts.named_ids import ID_STEMS
from inspector.engine.facts.word_facts import (
    ANYWHERE,
    MAX_WORD_LENGTH,
    SAID,
    Key,
    WordFact,
    find_facts,
    read_word,
)

Wording = tuple[str, str, str]
"""Wording of a fact: its term, the term whose use proves knowledge of it, and its spelling in the text."""
_SEPARATORS = "\"'`<>(){}[]|;*“”‘’«»→…"
"""Separators between words, in addition to white space."""
_MAX_WORDS = 1 << 16
"""Maximum number of cached words. Above it, the cache is cleared."""


@dataclass(slots=True, eq=False)
class _Entry:
    """The facts of a word. Only `stems` ever changes. Not frozen, because that would make creation slower."""

    terms: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    anywhere: tuple[tuple[Key, Wording], ...] = ()
    """Facts of the word wherever it appears."""
    said: tuple[tuple[Key, Wording], ...] = ()
    """Facts of the word in text written by a participant."""
    stems: tuple[str, ...] = ()
    """Stems of cue phrases that the word contains."""


class _Vocabulary(dict[str, _Entry | None]):
    """Maps each word to its facts, or to None if it states nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: list[str] = []
        """New words that were not yet searched for stems."""

    def __missing__(self, word: str) -> _Entry | None:
        entry = _entry_of(word)
        self.fresh.append(word)
        if len(word) <= MAX_WORD_LENGTH:  # very long words are not cached
            if len(self) >= _MAX_WORDS:
                self.clear()
            self[word] = entry
        return entry

    def stems(self) -> set[str]:
        """Return the stems in all words added since the previous call. All are searched at once."""
        fresh, self.fresh = self.fresh, []
        low = "\n".join(fresh).lower()
        stems = _STEMS.found_in(low)
        for stem in stems:
            for word in _lines_with(stem, low, fresh):
                if word in self:
                    self[word] = entry = self[word] or _Entry()
                    entry.stems += (stem,)
        return stems


def _lines_with(stem: str, low: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield each line that contains a stem once. `low` is the joined lines in lowercase."""
    number, start, place = 0, 0, low.find(stem)
    while place >= 0:
        number += low.count("\n", start, place)
        yield lines[number]
        start = low.find("\n", place)
        place = low.find(stem, start) if start >= 0 else -1


_STEMS = StemSearch(ALL_STEMS | ID_STEMS | METHOD_STEMS)
VOCABULARY = _Vocabulary()


def _entry_of(word: str) -> _Entry | None:
    facts = find_facts(word)
    if len(facts) != 1:
        return _entry_of_several(word, facts) if facts else None
    key, names, sure, need = facts[0]
    needs = (need,) if need else names[:1]
    fact = ((key, (names[0], needs[0], word)),)
    return _Entry(names, needs, () if sure else fact, fact if sure <= SAID else ())


def _entry_of_several(word: str, facts: Sequence[WordFact]) -> _Entry:
    pairs = [(fact.sure, (fact.key, (fact.terms[0], fact.need or fact.terms[0], word))) for fact in facts]
    return _Entry(
        tuple(chain.from_iterable([fact.terms for fact in facts])),
        tuple([how[1] for _, (_, how) in pairs]),
        tuple([fact for sure, fact in pairs if sure == ANYWHERE]),
        tuple([fact for sure, fact in pairs if sure <= SAID]),
    )


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order. Replacing one separator after the other is twice as fast as a pattern."""
    for sign in _SEPARATORS:
        text = text.replace(sign, " ")
    return text.split()


def entries(text: str) -> tuple[Sequence[_Entry], set[str]]:
    """Return the facts of the distinct words of a text, in order, and the stems of cue phrases they contain."""
    words = list(dict.fromkeys(filter(None, map(VOCABULARY.__getitem__, words_of(text)))))
    stems = VOCABULARY.stems() if VOCABULARY.fresh else set[str]()
    return words, stems.union(*[entry.stems for entry in words if entry.stems])


def forget() -> None:
    """Clear the cache."""
    VOCABULARY.clear()
    read_word.cache_clear()
