"""Which of some presets is best on a session, by one rule that is told, and what speaks for another one.

Of those whose every window could be sent, the one with the fewest regrets; among these the cheapest, with the prompt
cache; among these the one that keeps most. What the recording did is shown beside them, but nobody can choose it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.experiments.trials import TrialResult
from inspector.replay import NONE, RECORDED
from inspector.text import dollars, percent, plural

RULE = "fewest regrets, then lowest cost"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The best row, where there is one, and two sentences."""

    best: TrialResult | None
    why: str
    but: str = ""
    """What another row does better, or why no compression at all is no choice."""


def rank(row: TrialResult) -> tuple[bool, int, float, float]:
    """What rows are compared by; the smaller the better."""
    return not row.sendable, row.regrets, round(row.cost, 6), -row.retained


def recommend_preset(rows: Sequence[TrialResult]) -> Recommendation:
    """Judge rows of one session."""
    choices = [row for row in rows if row.preset != RECORDED]
    sendable = [row for row in choices if row.sendable]
    if not choices:
        return Recommendation(None, "")
    if all(not row.preset.enabled for row in choices):
        return Recommendation(None, "")
    if not any(row.compressions for row in choices):
        return Recommendation(None, f"No preset compresses anything here. {_idle(choices)}")
    if not sendable:
        return Recommendation(None, "With none of these could every window have been sent.", _describe_unfit(choices))
    best = min(sendable, key=rank)
    return Recommendation(best, _praise(best, choices), _alternative(best, sendable) or _describe_unfit(choices))


def _idle(rows: Sequence[TrialResult]) -> str:
    """Why none of the rows has compressed anything."""
    peak = f"Its largest window has {max(row.peak for row in rows):,} tokens"
    attempts = [row for row in rows if row.gave_up]
    if attempts:
        reason = f", and what {attempts[0].name} tried came to nothing"
        return f"{peak}{reason}: what may not leave takes nearly all of it."
    lowest = min(row.preset.threshold for row in rows if row.preset.enabled)
    return f"{peak}, and the lowest threshold is {lowest:,}."


def _praise(best: TrialResult, rows: Iterable[TrialResult]) -> str:
    """Why a row is the best."""
    others = [row for row in rows if row is not best]
    reasons = [_regrets(best) if _has_facts([best, *others]) else "facts were not looked at"]
    if best.retention:
        reach = f" and {percent(best.reach)} in reach" if best.reach - best.retained >= 0.01 else ""
        reasons.append(f"keeps {percent(best.retained)} of the facts{reach}")
    none = next((row for row in others if row.preset == NONE), None)
    if none and none.tokens_sent > best.tokens_sent:
        reasons.append(f"sends {percent(1 - best.tokens_sent / none.tokens_sent)} less than none")
    return f"{best.name} is best here: {', '.join(reasons)}, {dollars(best.cost)}."


def _has_facts(rows: Iterable[TrialResult]) -> bool:
    """Whether facts were looked at."""
    return any(row.retention or row.regrets for row in rows)


def _regrets(row: TrialResult) -> str:
    if not row.regrets:
        return "no regrets"
    return f"fewest regrets ({row.regrets:,})"


def _alternative(best: TrialResult, sendable: Iterable[TrialResult]) -> str:
    """A sentence about the best row among those that cost over 5% less; empty where there is none."""
    cheaper = [row for row in sendable if row.cost < 0.95 * best.cost]
    if not cheaper:
        return ""
    other = min(cheaper, key=rank)
    more = other.regrets - best.regrets
    price = f", with {plural(more, 'more regret')}" if more > 0 else ""
    return f"{other.name} costs {percent(1 - other.cost / best.cost)} less ({dollars(other.cost)}){price}."


def _describe_unfit(rows: Iterable[TrialResult]) -> str:
    """Sentences that name the rows whose windows do not fit or are not valid."""
    large = [row.name for row in rows if not row.fits]
    bad = [row.name for row in rows if not (row.valid or row.is_recorded_so)]
    sentences = []
    if large:
        sentences.append(f"{_join_names(large)} would not fit into the model's window.")
    if bad:
        sentences.append(f"A provider would refuse windows of {_join_names(bad)}.")
    return " ".join(sentences)


def _join_names(names: Sequence[str]) -> str:
    words = [*names[:2], f"{len(names) - 2:,} more"] if len(names) > 3 else list(names)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
