"""Rules that a reason, a decision, an owner or a limit implies, said as orders.

"Rebasing messes up our clones", "we got rid of axios for good", "tags come from the bot", "only with --dry-run".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.core.text import cues_of, lazy_pattern, said_in
from inspector.engine.work_state.implied_forms import OF_CLAUSES
from inspector.engine.work_state.implied_sentences import OF_TEXTS
from inspector.engine.work_state.ruled_things import PATH

_REPORTS = lazy_pattern(
    r"(?i)\b(?:fix|why|bug|error|crash(?:es)?|traceback|when (?:a|the|users?|i)\b|on (?:safari|windows|my machine)"
    r"|reproduce|investigate|debug|unless|find out|look into|whether|can you|could you)\b|\?"
)
"""Words of a clause that reports a defect or asks something."""
_CLAUSES = lazy_pattern(r"[;:!?\n]\s|[,.]\s|\s[-–—]+\s|\s(?:because|since|but|so)\s")
_ASKS_WHY = lazy_pattern(
    r"(?i)\b(?:fix|solve|repair|debug|reproduce|investigate|handle|prevent|improve|speed up|optimi[sz]e) (?:it|that"
    r"|this)\b|\b(?:find|figure) out\b|\b(?:see|look into|know|understand) (?:why|what)\b|\bwhy\b"
)
"""Words of a request that is about what another sentence of it reports."""
_NEGATED = lazy_pattern(r"(?i)\b(?:no|not|never|only|nothing)\b|n't\b")
_MARKS = lazy_pattern(r"(?i)\b(?:please|pls|so|btw|fyi|careful|remember|mind you|always|again|back)\b")
"""Words by which a sentence that is alone in a message is more than a report."""
_THERE = lazy_pattern(
    r"(?i)^ ?(?:(?:in|to|of|from|on) )?(?:there|it|that(?: (?:file|folder|one))?|them|those(?: files)?)$"
)
"""Words that point to what was named before."""
_CUES = tuple(cues_of(pattern) for pattern, _ in (*OF_CLAUSES, *OF_TEXTS))


def may_imply(said: frozenset[str]) -> bool:
    """Return True if a sentence with some words can imply a rule."""
    return any(not any(map(said.isdisjoint, cues)) for cues in _CUES)


@lru_cache(maxsize=4_096)
def orders_implied(text: str) -> tuple[str, ...]:
    """Return the orders that a sentence, after `plain_sentence`, implies."""
    return tuple(dict.fromkeys(_implied(text))) if may_imply(said_in(text)) else ()


def _implied(text: str) -> Iterator[str]:
    for pattern, order in OF_TEXTS:
        if match := pattern.search(text):
            yield match.expand(order) if isinstance(order, str) else order(match)
    start = 0
    for clause in _CLAUSES.split(text):
        if not _REPORTS.search(clause):
            yield from _of_clause(clause, text[: text.find(clause, start)])
        start += len(clause)


def _of_clause(clause: str, before: str) -> Iterator[str]:
    """Yield the orders that a clause implies; words before it name what "there" points to."""
    for pattern, order in OF_CLAUSES:
        if match := pattern.search(clause):
            paths = PATH.findall(before) if _THERE.match(match["what"] or "") else []
            if paths or not _THERE.match(match["what"] or "-"):
                said = match.expand(order) if isinstance(order, str) else order(match)
                yield f"do not edit {paths[-1]}" if paths else said


def is_only_reported(rule: str, sentences: Sequence[str]) -> bool:
    """Return True if a sentence that implies a rule is what a request is about: "Restarts lose jobs. Find out why."."""
    if not orders_implied(rule) or _NEGATED.search(rule):
        return False
    is_alone = len(sentences) == 1 and len(_CLAUSES.split(rule)) == 1
    return (is_alone and not _MARKS.search(rule)) or any(map(_ASKS_WHY.search, sentences))
