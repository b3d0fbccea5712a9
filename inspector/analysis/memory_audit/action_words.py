"""Words of actions, and which of them mean the same."""

from __future__ import annotations

from functools import lru_cache

from inspector.core.text import word_set
from inspector.engine.facts import is_imperative, stem_set

_MORE_VERBS = word_set(
    "persist declare serve escalate split store sort wrap throw catch cache patch squash lint bump pin deploy amend "
    "rebase forcepush prefix mock annotate vendor comment document modernize refactor push merge log force-push tag "
    "stub sprinkle embed append insert spawn emit inject allocate"
)
"""First words of rules that are seldom the verb of another text."""
BANNING_WORDS = word_set(
    "only ask check asked approval permission confirmation go ok never no not don dont t avoid skip omit refrain stop "
    "leave keep retain preserve nothing cannot forbidden prohibited banned disabled off unwelcome unwanted "
    "disallowed optional without instead "
    "rather over"
) | {"nobody"}
"""Words one of which each sentence has that forbids something, or wants a question."""
NEUTRAL = stem_set(
    "whatever directly straight file files new any all own everywhere anywhere time times one two three four five six "
    "seven eight nine ten alphabetically yourself unnecessary we you us http external failed pending existing suite "
    "whichever ever missing needed required necessary start begin right away immediately automatically manually git"
)
"""Stems that do not tell one action from another."""
CODE_STEMS = stem_set("code file")
GENERAL_HEADS = stem_set("variable value")
"""Stems of last words that name no other thing: "boolean variables"."""


@lru_cache(maxsize=1 << 10)
def is_verb(word: str) -> bool:
    """Return True if a word begins a demand: "split" of "Split long rules"."""
    return word.lower() in _MORE_VERBS or is_imperative(f"{word.capitalize()} it")
