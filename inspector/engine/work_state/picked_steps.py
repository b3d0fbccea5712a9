"""Answers that take some steps of a proposal and leave out the others: "Only do the first one"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.core.text import lazy_pattern
from inspector.engine.work_state.declined_work import declines, named_task

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
_SAYS_OPTIONS = lazy_pattern(
    r"(?i)\b(?:options|alternatives|approaches|variants|choices|possibilities|ways)\b|\beither\b"
)
"""Words of a reply by which its numbered lines are several ways to go."""
_NUMBERED = lazy_pattern(r"(?m)^[ \t]{0,8}\*{0,2}([1-6])[.)]\*{0,2} {1,4}(\S.{3,80})$")
"""A line that names a way shortly. A longer description has words of the other ways too."""
_INLINE = lazy_pattern(
    r"(?i)\b(?:option|variant|approach|alternative) ([A-F1-6])\b[:)]?,? ([^.;\n]{3,200}?)(?=,? (?:and |or |while "
    r"|but )?(?:option|variant|approach|alternative) [A-F1-6]\b|[.;\n]|$)"
)
"""A way to go in a sentence: "Option A keeps the endpoint, option B replaces it"."""
_PICKED = lazy_pattern(
    r"(?i)(?:\b(?:option|variant|approach|number|with|take|do|pick) |^\W{0,3})([1-6])(?=[,.;:!)](?!\w)|$"
    r"| (?:please|pls|it|then|sounds|is|for|first|but)\b)"
    r"|\bthe (first|second|third|fourth)(?= (?:one|option|way)\b|[.,;!]|$)"
)
"""The number of a way that an answer takes."""
_WHOLE = lazy_pattern(r"(?i)^\W*(?:no|nope|nah|nein|non)\b|\bplan\b")
"""Words of an answer that is about the whole proposal."""
_SHORT = 8
"""Maximum number of words of a clause in which each digit is the number of a step."""
_DIGIT = lazy_pattern(r"(?<![\w.,$€#:/-])([1-9])(?![\w%:/-]|[.,]\d)")
_CLAUSE = lazy_pattern(r"[.;!?\n,]\s|\s(?:but|aber|mais|pero|ma|mas)\s")
_MAX_ANSWER = 300


def left_of_proposal(answer: str, reply: str, steps: Sequence[str], offered: Sequence[str]) -> list[str]:
    """Return the steps or ways that an answer to a proposal leaves out; none if it takes or refuses the whole.

    Args:
        answer: Words of the user.
        reply: The reply that proposes something.
        steps: The steps that it lists.
        offered: The steps of what it offers or suggests.
    """
    return left_out(answer, steps) or passed_over(answer, reply) or named_steps(answer, offered)


def left_out(answer: str, steps: Sequence[str]) -> list[str]:
    """Return the steps of a proposal that an answer leaves out by their place; none if it names no step.

    Args:
        answer: Words of the user.
        steps: The steps that were proposed, in their order.
    """
    if not _may_pick(answer, steps):
        return []
    for clause in _CLAUSE.split(answer):
        named = {number for number in _numbers_in(clause, len(steps)) if 0 < number <= len(steps)}
        if named and _LEAVES.search(clause):
            return [steps[number - 1] for number in sorted(named)]
        if named and _ONLY.search(clause):
            return [step for number, step in enumerate(steps, 1) if number not in named]
    return []


def named_steps(answer: str, steps: Sequence[str]) -> list[str]:
    """Return the steps that an answer declines by their words, if it takes another one: "Skip the cache, X is fine".

    Args:
        answer: Words of the user.
        steps: The steps that were proposed.
    """
    if _WHOLE.search(answer) or not _may_pick(answer, steps):
        return []
    named = [(named_task(clause, steps), declines(clause)) for clause in _CLAUSE.split(answer)]
    left = {place for place, is_declined in named if is_declined} - {-1}
    taken = {place for place, is_declined in named if not is_declined} - {-1, *left}
    return [steps[place] for place in sorted(left)] if taken else []


def passed_over(answer: str, reply: str) -> list[str]:
    """Return the ways that a reply describes under letters or numbers and that an answer does not take.

    Args:
        answer: Words of the user. A letter or number in a clause that leaves something out is one that is not taken.
        reply: The reply.
    """
    ways = _ways_in(reply)
    if not _may_pick(answer, [*ways]):
        return []
    clauses = [(_names_of_ways(clause), clause) for clause in _CLAUSE.split(answer)]
    taken = {letter for letters, clause in clauses for letter in letters if not declines(clause)} & ways.keys()
    return [way for letter, way in ways.items() if letter not in taken] if taken else []


def _may_pick(answer: str, steps: Sequence[str]) -> bool:
    """Return True if an answer can take some of several steps."""
    return len(steps) > 1 and len(answer) <= _MAX_ANSWER and not answer.rstrip().endswith("?")


def _ways_in(reply: str) -> Mapping[str, str]:
    """Return the ways to go that a reply describes, by their letters or numbers."""
    lettered = {match[1]: match[2] for match in _OPTION.finditer(reply)}
    if len(lettered) < 2 and _SAYS_OPTIONS.search(reply):
        lettered = {match[1]: match[2] for match in _NUMBERED.finditer(reply)}
    return lettered if len(lettered) > 1 else {match[1].upper(): match[2] for match in _INLINE.finditer(reply)}


def _names_of_ways(clause: str) -> set[str]:
    """Return the letters and numbers of the ways that a clause of an answer names."""
    numbers = {match[1] or str(_NUMBERS[match[2].lower()]) for match in _PICKED.finditer(clause)}
    return numbers.union(_LETTER.findall(clause))


def _numbers_in(clause: str, count: int) -> Iterator[int]:
    """Yield the numbers of the steps that a clause names; the last one is that of the count."""
    if match := _BARE.match(clause):
        yield int(match[1])
    if len(clause.split()) <= _SHORT:
        yield from map(int, _DIGIT.findall(clause))
    for match in _STEP.finditer(clause):
        yield int(match[1]) if match[1] else _NUMBERS[match[2].lower()] or count
