"""Rules that demand or forbid an action, compared by their words: "Push to main", "Never push to main"."""

from __future__ import annotations

import re
from typing import NamedTuple

from inspector.analysis.memory_audit.statements import FILLERS
from inspector.engine.facts import content_words, is_imperative, is_negated, stem

_NARROWED = re.compile(
    r"(?i)\b(?:unless|except|only|without|manually|first|via|through|instead|again|otherwise|both|either|or)\b"
)
_CONDITION = re.compile(r"(?i)\b(?:for|until|before|after|when|whenever|if|while)\b")
_STATED = re.compile(
    r"(?i)^\W*(.{2,60}?) (?:is|are) (?:(?P<not>not (?:allowed|permitted)|never allowed|forbidden|prohibited|banned"
    r"|disallowed)|(?:always )?(?:required|mandatory|obligatory))\b"
)
"""A rule whose verb comes last: "Semicolons are required"."""
_NEGATIVE = re.compile(r"(?i)^\W*(?:please )?(?:never|do not|don[’']?t|avoid|must not|no|you must (?:not|never))\b:?")
_POSITIVE = re.compile(r"(?i)^\W*(?:please )?(?:always|you must|must|make sure (?:to|you)|remember to|be sure to)?\b")
_CLAUSE_END = re.compile(r"[,;—–(]|:(?!:)(?<!::)| - ")
_WORDS = re.compile(r"\w(?:[\w./+#:-]*\w)?")
_MAX_RULE = 160
"""Maximum length in characters of a rule that is compared with its opposite."""
_MIN_RULE_WORDS = 2
_USE = "use"
"""Verb of rules that need only one more word: "Never use semicolons"."""


class PlainRule(NamedTuple):
    """A rule that demands or forbids something."""

    forbids: bool
    words: tuple[str, ...]
    """Stems of its words in order, the verb first."""
    when: frozenset[str]
    """Stems of its condition; none if it always holds."""
    has_verb: bool
    """False if it only names a thing, as in "No semicolons" or "System updates"."""


def plain_rule(text: str) -> PlainRule | None:
    """Return what a sentence demands or forbids; None if it does neither, or in part of the cases."""
    if _NARROWED.search(text) or len(text) > _MAX_RULE:
        return None
    stated = _STATED.match(text)
    forbids, rest = (bool(stated["not"]), stated[1]) if stated else _without_lead(text)
    if is_negated(rest):
        return None
    rest, *condition = _CONDITION.split(rest.split(";", 1)[0], maxsplit=1)
    clause = _CLAUSE_END.split(rest, maxsplit=1)[0]
    stems, is_short = _stems_of(clause)
    if len(stems) < (1 if stated or is_short or text.lower().startswith("avoid") else _MIN_RULE_WORDS):
        return None
    has_verb = stated is not None or is_imperative(rest) or is_imperative(text)
    return PlainRule(forbids, stems, frozenset(content_words(" ".join(condition))), has_verb)


def _stems_of(clause: str) -> tuple[tuple[str, ...], bool]:
    """Return the stems of a clause in order, and whether its verb is "use", which is left out."""
    words = [word for word in _WORDS.findall(clause) if content_words(word) and word.lower() not in FILLERS]
    stems = tuple(dict.fromkeys(stem(word) for word in words if word.lower() != _USE))
    return stems, len(words) > len(stems)


def _without_lead(text: str) -> tuple[bool, str]:
    """Return whether a sentence begins with a ban, and the rest of it."""
    negative = _NEGATIVE.match(text)
    match = negative or _POSITIVE.match(text)
    return negative is not None, text[match.end() :] if match else text
