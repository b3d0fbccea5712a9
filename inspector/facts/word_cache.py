"""Every word that was met, with all that it tells, ready to be added to what a message tells.

The same words come again and again, in one message and from message to message, so each is looked at once and kept.
Most tell nothing: these are passed over without a step of Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from inspector.facts.classify import ALL_STEMS
from inspector.facts.word_facts import ANYWHERE, LONGEST, SAID, Found, Key, read_word, what_tells, words_of

_MOST = 1 << 16
"""Words that are kept; beyond, all of them are forgotten and looked at anew."""
Told = tuple[str, str, str]
"""How a fact is told: the term by which it is known again, what somebody must know to say it, and how it is written."""


@dataclass(slots=True, eq=False)
class _Entry:
    """What a word tells. Never changed but for its stems; not frozen, because that makes it slower to make."""

    terms: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    anywhere: tuple[tuple[Key, Told], ...] = ()
    """Its facts, wherever it stands."""
    said: tuple[tuple[Key, Told], ...] = ()
    """Its facts where somebody says it."""
    stems: tuple[str, ...] = ()
    """The stems in it of the words that mark sentences."""


class _Vocabulary(dict[str, _Entry | None]):
    """What each word tells that was met; None for those that tell nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: list[str] = []
        """Words that were met and not looked through for stems."""

    def __missing__(self, word: str) -> _Entry | None:
        entry = _entry_of(word)
        self.fresh.append(word)
        if len(word) <= LONGEST:  # a word of a million letters is not to be kept
            if len(self) >= _MOST:
                self.clear()
            self[word] = entry
        return entry

    def stems(self) -> set[str]:
        """The stems in words that were met since this was asked before: all are looked through at once."""
        fresh, self.fresh = self.fresh, []
        low = "\n".join(fresh).lower()
        stems = {stem for stem in ALL_STEMS if stem in low}
        for stem in stems:
            for word in _lines_with(stem, low, fresh):
                if word in self:
                    self[word] = entry = self[word] or _Entry()
                    entry.stems += (stem,)
        return stems


def _lines_with(stem: str, low: str, lines: Sequence[str]) -> Iterator[str]:
    """Those of some lines that hold a stem, each once; `low` is all of them in small letters, one below the other."""
    number, start, place = 0, 0, low.find(stem)
    while place >= 0:
        number += low.count("\n", start, place)
        yield lines[number]
        start = low.find("\n", place)
        place = low.find(stem, start) if start >= 0 else -1


VOCABULARY = _Vocabulary()


def _entry_of(word: str) -> _Entry | None:
    facts = what_tells(word)
    if len(facts) != 1:
        return _entry_of_several(word, facts) if facts else None
    key, names, sure, need = facts[0]
    needs = (need,) if need else names[:1]
    fact = ((key, (names[0], needs[0], word)),)
    return _Entry(names, needs, () if sure else fact, fact if sure <= SAID else ())


def _entry_of_several(word: str, facts: Sequence[Found]) -> _Entry:
    pairs = [(fact.sure, (fact.key, (fact.terms[0], fact.need or fact.terms[0], word))) for fact in facts]
    return _Entry(
        tuple(chain.from_iterable([fact.terms for fact in facts])),
        tuple([how[1] for _, (_, how) in pairs]),
        tuple([fact for sure, fact in pairs if sure == ANYWHERE]),
        tuple([fact for sure, fact in pairs if sure <= SAID]),
    )


def entries(text: str) -> tuple[Sequence[_Entry], set[str]]:
    """What the words of a text tell, each once, in order; and the stems in them of the words that mark sentences."""
    words = list(filter(None, map(VOCABULARY.__getitem__, dict.fromkeys(words_of(text)))))
    stems = VOCABULARY.stems() if VOCABULARY.fresh else set[str]()
    return words, stems.union(*[entry.stems for entry in words if entry.stems])


def forget() -> None:
    """Forget every word, as when the first text is read."""
    VOCABULARY.clear()
    read_word.cache_clear()
