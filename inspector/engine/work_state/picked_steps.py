"""Answers that take some steps of a proposal and leave out the others: "Only do the first one"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.core.text import lazy_pattern
from inspector.engine.work_state.declined_work import declines

_NUMBERS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "last final letzte letzten letzter dernier dernière último última ultimo ultima",
            "first one erste ersten erster premier première primer primero primera primo prima",
            "second two zweite zweiten zweiter deuxième segundo segunda secondo seconda",
            "third three dritte dritten dritter troisième tercer tercero tercera terzo terza",
            "fourth four vierte vierten quatrième cuarto cuarta quarto quarta",
            "fifth five fünfte fünften cinquième quinto quinta",
        )
    )
    for word in words.split()
}
_NUMBER = (
    r"(?:(?:steps?|points?|parts?|items?|numbers?|nos?\.?|options?|schritte?|punkte?|étape|paso|passo) ?#?|#)(\d)\b"
    rf"|(?<![\w’'])(?:the|der|die|den|das|le|la|el|il|o|a) ({'|'.join(_NUMBERS)})(?= (?:ones?|steps?|points?|parts?"
    r"|items?|two|three|schritte?|punkte?|étape|paso|passo)\b|[.,;:!)]|$| (?:and|und)\b)"
)
_STEP = lazy_pattern(rf"(?i){_NUMBER}")
_BARE = lazy_pattern(r"^\W*(?:and |but )?([1-9])(?= [a-z]|$)")
"""The number of a step at the start of a clause: "2 maybe later"."""
_ONLY = lazy_pattern(
    r"(?i)\b(?:only|just|nothing but|stick to|limit (?:it|yourself) to|nur|seulement|solo|sólo|apenas|alleen|только)\b"
)
_LEAVES = lazy_pattern(
    r"(?i)\b(?:skip|drop|not|no|without|leave|except|but not|don[’']?t|forget|never ?mind|minus|ditch|scrap|cut"
    r"|lass|ohne|nicht|ausser|außer|sauf|sans|salvo|menos|excepto|senza|tranne|sem|zonder|кроме|maybe|later"
    r"|another (?:life|time|day)|some ?day|too (?:much|big|long|risky|expensive))\b"
)
_OPTION = lazy_pattern(
    r"(?m)^[ \t>#-]{0,8}\*{0,2}(?:(?:option|approach|variant|alternative|idea|variante|opción|opzione) )?(?-i:([A-F]))"
    r"(?:[.):]| [-–—])\*{0,2} {1,4}(\S.{3,400})$",
    re.IGNORECASE,
)
"""A line of a reply that describes one of several ways to go: "A. An outbox", "**Option B:** A unique key"."""
_LETTER = lazy_pattern(
    r"(?<![\w'’.-])([A-F])(?=[,.;:!)](?!\w)|$"
    r"| (?:is|isn|please|pls|it|then|sounds|looks|seems|makes|would|will|for|first|but|and (?:[A-F]|not)|bitte|ist)\b)"
)
"""The letter of a way, unlike the article in "A quick fix"."""
_CLAUSE = lazy_pattern(r"[.;!?\n,]\s|\s(?:but|aber|mais|pero|ma|mas)\s")
_MAX_ANSWER = 300


def left_out(answer: str, steps: Sequence[str]) -> list[str]:
    """Return the steps of a proposal that an answer leaves out by their place; none if it names no step.

    Args:
        answer: Words of the user.
        steps: The steps that were proposed, in their order.
    """
    if len(steps) < 2 or len(answer) > _MAX_ANSWER or answer.rstrip().endswith("?"):
        return []
    for clause in _CLAUSE.split(answer):
        named = {number for number in _numbers_in(clause, len(steps)) if 0 < number <= len(steps)}
        if named and _LEAVES.search(clause):
            return [steps[number - 1] for number in sorted(named)]
        if named and _ONLY.search(clause):
            return [step for number, step in enumerate(steps, 1) if number not in named]
    return []


def passed_over(answer: str, reply: str) -> list[str]:
    """Return the ways that a reply describes under letters and that an answer does not take.

    Args:
        answer: Words of the user. A letter in a clause that leaves something out is one that is not taken.
        reply: The reply.
    """
    ways = {match[1]: match[2] for match in _OPTION.finditer(reply)}
    if len(ways) < 2 or len(answer) > _MAX_ANSWER or answer.rstrip().endswith("?"):
        return []
    clauses = [(set(_LETTER.findall(clause)), clause) for clause in _CLAUSE.split(answer)]
    taken = {letter for letters, clause in clauses for letter in letters if not declines(clause)} & ways.keys()
    return [way for letter, way in ways.items() if letter not in taken] if taken else []


def _numbers_in(clause: str, count: int) -> Iterator[int]:
    """Yield the numbers of the steps that a clause names; the last one is that of the count."""
    if match := _BARE.match(clause):
        yield int(match[1])
    for match in _STEP.finditer(clause):
        yield int(match[1]) if match[1] else _NUMBERS[match[2].lower()] or count
