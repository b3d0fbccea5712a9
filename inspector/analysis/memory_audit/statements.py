"""Signs of what a sentence of a memory is about: a choice, a change, and the parts of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from inspector.analysis.memory_audit.loaded_items import AuditedItem
from inspector.core.text import cued_pattern, lazy_pattern, word_set
from inspector.engine.facts import is_imperative

_LETTERS = lazy_pattern(r"\w+")
MOVED = cued_pattern(
    r"(?i)\b(?:moved|migrated|switched|changed|converted|upgraded)\b.{0,40}\b(?:from|to|over)\b|\bno longer\b|\bnow\b"
    r"|\bsince\b",
    "moved migrated switched changed converted upgraded no now since",
)
_AREAS = word_set(
    "frontend backend server client web mobile api python typescript javascript go rust java kotlin swift ruby php sql "
    "css html markdown yaml json docs documentation tests "
    "test testing ci e2e ios android infra scripts cli ui sdk example examples production prod development dev staging "
    "local"
)
LANGUAGES = word_set("python typescript javascript go rust java kotlin swift ruby php")
"""Areas that narrow nothing in a project that names only one of them."""
_BINDS = lazy_pattern(
    r"(?i)\b(?:must|should|shall|always|never|only|prefer(?:red)?|avoid|require[sd]?|don[’']t|do not|not|no|we|uses?"
    r"|using|squash|rebase|instead of|rather than|over|no longer|switched|moved|is|are|minimum|maximum|at least"
    r"|at most|up to|may (?:be|have|take|contain)"
    r"|listens|expires?|happens?|runs on|formats?|managed|takes?|follows?|lives?|goes?|belongs?"
    r"|defaults?)\b|^\W*be\b|^\W*[^.:]{2,30}:\s\S"
)
_DESCRIPTION = cued_pattern(
    r"(?i)\b(?:such as|e\.g|for example|including|supports?|supported|compatible|can be|wrapper|expert|based on"
    r"|depends? on|exposes?|implements?)\b",
    "such e example including support supports supported compatible can "
    "wrapper expert based depend depends expose exposes implement implements",
)
_MAX_CHOICE_WORDS = 14
"""Maximum number of words of a sentence that chooses something. Longer ones describe."""

OF_LAST = lazy_pattern(r"(?i)(?:(?:the|its) )?(?:default|minimum|maximum|value|limit|allowed)\b")
"""Beginning of a sentence about what the sentence before it names: "The minimum is 1"."""


def is_choice(sentence: str) -> bool:
    """Return True if a sentence of a rule file demands or chooses something, and does not describe a program."""
    return (
        len(sentence.split()) <= _MAX_CHOICE_WORDS
        and (_BINDS.search(sentence) is not None or is_imperative(sentence))
        and not _DESCRIPTION.search(sentence)
    )


def areas_in(text: str) -> frozenset[str]:
    """Return the languages and parts of a project that a text names."""
    return frozenset(_LETTERS.findall(text.lower())) & _AREAS


OF_TESTS = word_set("test tests testing")


def with_areas(entries: Sequence[AuditedItem]) -> Sequence[AuditedItem]:
    """Return items with the areas of their headings. The only language that a project names is none."""
    areas = [areas_in(entry.area) for entry in entries]
    languages = frozenset(chain.from_iterable(areas)) & LANGUAGES
    only = languages if len(languages) == 1 else frozenset[str]()
    return [replace(entry, areas=area - only) for entry, area in zip(entries, areas, strict=True)]


def share_areas(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two rules are under headings of one area, or both are about the tests that one heading names."""
    differ = one.areas ^ other.areas
    return not differ or (differ <= OF_TESTS and all("test" in entry.item.text.lower() for entry in (one, other)))
