"""Signs of a rule about an action, which are much cheaper to search than the rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

from inspector.analysis.memory_audit.action_words import BANNING_WORDS
from inspector.analysis.memory_audit.same_words import first_part, joined_phrases, key_words
from inspector.core.text import said_in
from inspector.engine.facts import stem

_ADDED = frozenset({"prefix", "omit", "remov", "put", "anyone"})
"""Stems of the words that a rule may have and its sentence has not."""
Needs = Mapping[str, Set[frozenset[str]]]
"""Sets of words one of which a rule must have, by a word that it must have too."""


def may_ban(sentence: str) -> bool:
    """Return False if a sentence cannot have a rule that forbids something, or wants a question."""
    return not BANNING_WORDS.isdisjoint(said_in(sentence))


def needs_of(words: Iterable[Sequence[str]]) -> Needs:
    """Return the first parts of the words of each rule that forbids something, by that of its first word."""
    needs: dict[str, set[frozenset[str]]] = defaultdict(set)
    for first, *others in filter(None, words):
        needs[first_part(first)].add(frozenset(map(first_part, others)) - _ADDED)
    return needs


def may_meet(needs: Needs, sentence: str) -> bool:
    """Return False if no rule of a sentence can have all the words of a rule that forbids something."""
    parts = _ADDED.union(*map(_parts_in_rules, said_in(joined_phrases(sentence))))
    return any(need <= parts for part in parts & needs.keys() for need in needs[part])


@lru_cache(maxsize=1 << 13)
def _parts_in_rules(word: str) -> frozenset[str]:
    """Return the first parts of the words that a word may be in a rule."""
    stems = (stem(word), *key_words(word))
    return frozenset(first_part(name) for name in (word, *map(action_root, stems)))


def action_root(word: str) -> str:
    """Return a stem without what stems of one word differ in: "numb" and "number"."""
    return word.removesuffix("y").removesuffix("er").removesuffix("s")
