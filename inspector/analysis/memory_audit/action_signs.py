"""Signs of a rule about an action, which are much cheaper to search than the rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from inspector.analysis.memory_audit.action_words import BANNING_WORDS, SAME_ACTION
from inspector.analysis.memory_audit.same_words import first_part, joined_phrases, key_words
from inspector.core.text import said_in
from inspector.engine.facts import stem

_ADDED = frozenset({"prefix", "omit", "remov", "put", "anyone"})
"""Stems of the words that a rule may have and its sentence has not."""


def may_ban(sentence: str) -> bool:
    """Return False if a sentence cannot have a rule that forbids something, or wants a question."""
    return not BANNING_WORDS.isdisjoint(said_in(sentence))


def parts_of(cores: Iterable[Sequence[str]]) -> frozenset[str]:
    """Return the first part of the first word of the core of each rule."""
    return frozenset(first_part(core[0]) for core in cores if core)


def may_have(parts: frozenset[str], sentence: str) -> bool:
    """Return False if no rule of a sentence can have a word with one of some first parts."""
    if not parts.isdisjoint(_ADDED):
        return True
    return not all(map(parts.isdisjoint, map(_parts_in_rules, said_in(joined_phrases(sentence)))))


@lru_cache(maxsize=1 << 13)
def _parts_in_rules(word: str) -> frozenset[str]:
    """Return the first parts of the words that a word may be in a rule."""
    stems = (stem(word), *key_words(word))
    return frozenset(first_part(SAME_ACTION.get(name, name)) for name in (word, *map(action_root, stems)))


def action_root(word: str) -> str:
    """Return a stem without what stems of one word differ in: "numb" and "number"."""
    return word.removesuffix("y").removesuffix("er").removesuffix("s")
