"""Recommend the best of some presets for a session, and describe the alternatives.

Candidates are the presets whose windows are all valid. The one with the fewest regrets and recalls is recommended;
among equals, cost and lost facts decide together: losing one percent of the facts counts as much as paying one percent
more, so that the recommended row is Pareto-optimal in both. It is called the best only if no other one is so near that
the difference is noise. The recording itself is shown for comparison only. Presets that
remove or cut content right after it was read, in at least half of their compressions, are excluded, because a replay
cannot measure what that costs. Presets that do not fit the session are candidates only if no other preset is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from inspector.analysis.experiments.cost_rule import COST_RULE, weigh_cost
from inspector.analysis.experiments.trials import TrialResult
from inspector.analysis.replay import NONE, RECORDED
from inspector.core.json_objects import json_object
from inspector.core.text import dollars, percent, plural

RULE = f"fewest regrets and recalls, then {COST_RULE}"
_CLOSE_MISSES, _CLOSE_COST, _CLOSE_SHARE = 0.1, 0.05, 0.05
"""Maximum differences of rows that count as equal: relative ones in misses and cost, absolute in retention.

A difference of one miss is always allowed.
"""
_MAX_FRONT = 5
"""Maximum number of rows of the front that are described."""
_TRADE_COST, _TRADE_SHARE = 1.15, 0.1
"""Maximum cost, relative to the best row, and minimum retention above it, of a row that is offered as a trade."""


@json_object(
    "Verdict",
    "best=best_name rule why but close=close_names clear=is_clear front=front_names",
    about="The best row by one rule.",
)
@dataclass(frozen=True, slots=True)
class Recommendation:
    """The best row, if any, and two sentences about it."""

    best: TrialResult | None
    why: str
    but: Annotated[str, "advantage of another row; empty if no other row has one"] = ""
    """Advantage of another row, or the reason why no row can be recommended."""
    close: tuple[TrialResult, ...] = ()
    front: tuple[TrialResult, ...] = ()
    """The rows among which only a person's own weights decide, the cheapest first."""

    @property
    def rule(self) -> str:
        return RULE

    @property
    def best_name(self) -> Annotated[str | None, "the row's preset"]:
        return self.best.name if self.best else None

    @property
    def close_names(
        self,
    ) -> Annotated[list[str], "other rows that are not significantly different from the best"]:
        return [row.name for row in self.close]

    @property
    def front_names(
        self,
    ) -> Annotated[
        list[str],
        "rows that may be recommended and that no other one beats in cost, facts kept and questions for going on"
        " together, the cheapest first",
    ]:
        return [row.name for row in self.front]

    @property
    def front_words(self) -> str:
        """The rows of the front with their figures; "" if there are fewer than two."""
        if len(self.front) < 2:
            return ""
        rows = [f"{row.name} ({_trade_figures(row)})" for row in self.front[:_MAX_FRONT]]
        rest = len(self.front) - len(rows)
        names = "; ".join([*rows, *([f"{rest:,} more"] if rest else [])])
        return f"Your own weights decide among these, the cheapest first: {names}."

    @property
    def is_clear(self) -> Annotated[bool, "true if no other row is as good within the precision of the numbers"]:
        return self.best is not None and not self.close


def rank(row: TrialResult) -> tuple[float, bool, int, float, float]:
    """Return the sort key of a row; smaller is better."""
    return row.haste, not row.sendable, row.misses, round(weigh_cost(row.cost, row.retained), 6), row.cost


def recommend_preset(rows: Sequence[TrialResult]) -> Recommendation:
    """Recommend one of the rows of a session."""
    choices = [row for row in rows if row.preset != RECORDED]
    if all(not row.preset.enabled for row in choices):
        return Recommendation(None, "")
    if not any(row.compressions for row in choices):
        return Recommendation(None, _idle(choices))
    candidates = _candidates(choices)
    if not candidates:
        return Recommendation(None, "None of these presets can be recommended.", _describe_unfit(choices))
    best, *others = candidates
    close = tuple([row for row in others if _is_close(best, row)])
    why = _tied(best, close, _praise(best, others, choices))
    return Recommendation(best, why, _counterpoint(best, others, close, rows), close, _front_of(candidates))


def _front_of(candidates: Iterable[TrialResult]) -> tuple[TrialResult, ...]:
    """Return the rows that no other one beats in cost, retention and going on together; of equal rows the first."""
    front = list[TrialResult]()
    for row in sorted(candidates, key=lambda row: (round(row.cost, 6), -row.retained, -row.state.continued)):
        if not any(row.retained <= one.retained and row.state.continued <= one.state.continued for one in front):
            front.append(row)
    return tuple(front)


def _trade_figures(row: TrialResult) -> str:
    """Return the cost of a row, the facts that it keeps and the questions that it answers."""
    going_on = row.state.going_on
    answered = "" if going_on is None else f", {percent(going_on)} of the questions for going on"
    return f"{dollars(row.cost)}, {percent(row.retained)} of the facts{answered}, {_misses(row)}"


def _counterpoint(
    best: TrialResult, others: Sequence[TrialResult], close: Sequence[TrialResult], rows: Sequence[TrialResult]
) -> str:
    """Return the sentences about the advantages of other rows."""
    choices = [row for row in rows if row.preset != RECORDED]
    but = _describe_close(best, close) or _trade(best, others) or _alternative(best, others) or _describe_unfit(choices)
    recorded = (_describe_recorded([best, *others], row) for row in rows if row.preset == RECORDED)
    return " ".join(filter(None, (but, *recorded)))


def _candidates(choices: Sequence[TrialResult]) -> list[TrialResult]:
    """Return the rows that can be recommended, the best first. Rows that do not fit count only if there is no other."""
    able = sorted([row for row in choices if row.choice], key=rank)
    return [row for row in able if not row.misfit] or able


def _tied(best: TrialResult, close: Iterable[TrialResult], praise: str) -> str:
    """Return the praise of the best row, after the names of the rows that are as good."""
    names = [row.name for row in close if _figures_of(row) != _figures_of(best)]
    praise = f"No preset fits this session. {praise}" if best.misfit else praise
    if not names:
        return praise
    tie = f"No preset is clearly best here: {_join_names([best.name, *names])} differ by less than the noise."
    return f"{tie} {praise.replace(' is best here', '', 1)}"


def _idle(rows: Sequence[TrialResult]) -> str:
    """Explain why not compressing is best if none of the rows compressed anything."""
    peak = f"it peaks at {max(row.peak for row in rows):,} tokens"
    attempts = [row for row in rows if row.gave_up]
    if attempts:
        reason = f"and {attempts[0].name} had no effect, because nearly everything is protected"
        return f"Leave it uncompressed: {peak}, {reason}."
    lowest = min(row.threshold for row in rows if row.preset.enabled)
    return f"Leave it uncompressed: {peak}, below the lowest threshold of {lowest:,}."


def _praise(best: TrialResult, others: Sequence[TrialResult], rows: Sequence[TrialResult]) -> str:
    """Explain why a row is the best, starting with the decisive criterion."""
    pool = _presets([row for row in _barred(best, rows) if row.cost < best.cost])
    cheapest = f"the cheapest of the {pool} ({dollars(best.cost)}); no facts in this session"
    reason = _reason(best, others, rows) if _has_facts(rows) else cheapest
    if best.preset == NONE:
        rest = next((row for row in others if row.compressions), None)
        second = f" Of the presets that compress, {_figures(rest)}." if rest else ""
        return f"Leave it uncompressed, because the window fits: {reason}.{second}"
    return " ".join(filter(None, (f"{best.name} is best here: {reason}.", _merits(best, others, rows))))


def _merits(best: TrialResult, others: Sequence[TrialResult], rows: Sequence[TrialResult]) -> str:
    """Return the sentence about the facts that a row keeps and the tokens that it saves; "" without any."""
    merits = []
    if best.retention:
        merits.append(f"keeps {percent(best.retained)} of the facts{_lead(best, others)}")
        if best.reach - best.retained >= 0.01:
            merits.append(f"can retrieve up to {percent(best.reach)}")
    none = next((row for row in rows if row.preset == NONE), None)
    if none and none.tokens_sent > best.tokens_sent:
        merits.append(f"sends {percent(1 - best.tokens_sent / none.tokens_sent)} fewer tokens than none")
    return f"It {_join_names(merits)}." if merits else ""


def _lead(best: TrialResult, others: Sequence[TrialResult]) -> str:
    """Return the clause that a row keeps more of the facts than a cheaper one with as few misses; "" without one."""
    level = [row for row in others if row.misses == best.misses]
    cheapest = min(level, key=lambda row: row.cost, default=best)
    if round(cheapest.cost, 6) >= round(best.cost, 6):
        return ""
    points = plural(round(100 * (best.retained - cheapest.retained)), "point")
    kind = "regrets and recalls" if best.recalls else "regrets"
    few = f"with as few {kind}" if best.misses else f"without {kind}"
    return f" ({points} more than {cheapest.name}, the cheapest {few} at {dollars(cheapest.cost)})"


def _figures(row: TrialResult) -> str:
    return f"{row.name} is best: {_misses(row)}, {dollars(row.cost)}"


def _barred(best: TrialResult, rows: Iterable[TrialResult]) -> list[TrialResult]:
    """Return the rows that could not be recommended instead of the best one."""
    return [row for row in rows if not row.choice or (row.misfit and not best.misfit)]


def _presets(better: Sequence[TrialResult]) -> str:
    """Return the name of the compared group. `better` are the excluded rows that would be better."""
    valid = "valid presets" if any(not row.choice for row in better) else "presets"
    return f"{valid} that fit" if any(row.choice for row in better) else valid


def _reason(best: TrialResult, others: Sequence[TrialResult], rows: Iterable[TrialResult]) -> str:
    """Return what placed a row before the next one, and the group of rows it was compared with."""
    barred = _barred(best, rows)
    level = [row for row in others if row.misses == best.misses]
    kind, price = "regrets and recalls" if best.recalls else "regrets", dollars(best.cost)
    pool = _presets([row for row in barred if row.misses < best.misses])
    fewest = f"the fewest {kind} of the {pool} ({best.misses:,})" if best.misses else "no regrets"
    if not level:
        return f"{fewest}, {price}"
    return _level_reason(best, level, barred, fewest)


def _level_reason(best: TrialResult, level: Sequence[TrialResult], barred: Sequence[TrialResult], fewest: str) -> str:
    """Return what placed a row before others with as few misses."""
    price, cheapest = dollars(best.cost), min(level, key=lambda row: row.cost)
    if round(cheapest.cost, 6) < round(best.cost, 6):
        return f"{fewest}, {price}"
    if round(max(row.cost for row in level), 6) == round(best.cost, 6):
        return f"{fewest} and {price} like {_join_names([row.name for row in level])}"
    pool = _presets([row for row in barred if row.misses == best.misses])
    these = f"the cheapest of the {1 + len(level):,} {pool}"
    return f"{fewest}, and {these} with as few ({price})" if best.misses else f"{these} without regrets ({price})"


def _misses(row: TrialResult) -> str:
    if row.sealed and not row.misses:
        return "unknown regrets"
    if not row.misses:
        return "no regrets"
    recalls = f" and {plural(row.recalls, 'recall')}" if row.recalls else ""
    return plural(row.regrets, "regret") + recalls


def _has_facts(rows: Iterable[TrialResult]) -> bool:
    """Return True if the rows can be compared by facts: the session has some, and they were tracked."""
    return any(row.retention or row.misses for row in rows)


def _is_close(best: TrialResult, row: TrialResult) -> bool:
    """Return True if a row differs from the best by less than the precision of the numbers."""
    misses = abs(row.misses - best.misses) <= max(1, _CLOSE_MISSES * best.misses)
    cost = abs(row.cost - best.cost) <= _CLOSE_COST * max(row.cost, best.cost)
    return misses and cost and abs(row.retained - best.retained) <= _CLOSE_SHARE


def _describe_close(best: TrialResult, close: Sequence[TrialResult]) -> str:
    """Return a sentence about rows that are as good as the best, or identical to it; "" if there is no such row."""
    if not close:
        return ""
    if all(_figures_of(row) == _figures_of(best) for row in close):
        if not any(row.compressions for row in close):
            return (
                f"{_join_names([row.name for row in close])} never {'compresses' if len(close) == 1 else 'compress'}."
            )
        does = "does" if len(close) == 1 else "do"
        return f"{_join_names([row.name for row in close])} {does} the same here."
    names = [f"{row.name} ({_misses(row)}, {dollars(row.cost)})" for row in close]
    return f"Too close to call: {_join_names(names)}."


def _figures_of(row: TrialResult) -> tuple[float, ...]:
    return row.misses, row.tokens_sent, round(row.cost, 6), row.retained


def _trade(best: TrialResult, others: Iterable[TrialResult]) -> str:
    """Return a sentence about a row that keeps far more for a little more money; "" if there is no such row."""
    rows = [row for row in others if row.cost <= _TRADE_COST * best.cost and row.misses - best.misses <= 1]
    rows = [row for row in rows if row.cost > best.cost and row.retained >= best.retained + _TRADE_SHARE]
    if not rows:
        return ""
    row = max(rows, key=lambda row: row.retained)
    return f"{row.name} keeps {_gain(row, best)}."


def _gain(row: TrialResult, other: TrialResult) -> str:
    """Describe the facts that a row keeps beyond another one, and their price."""
    points = plural(round(100 * (row.retained - other.retained)), "point")
    return f"{points} more of the facts for {percent(row.cost / other.cost - 1)} more"


def _alternative(best: TrialResult, others: Iterable[TrialResult]) -> str:
    """Return a sentence about a row with more misses that costs at least 5% less; "" if there is no such row.

    The praise compares the best row with a cheaper one that has as few misses.
    """
    other = next((row for row in others if row.cost < 0.95 * best.cost and row.misses != best.misses), None)
    if other is None:
        return ""
    kind = "more regret" if not other.recalls else "more regret or recall"
    price = plural(other.misses - best.misses, kind)
    return f"{other.name} costs {percent(1 - other.cost / best.cost)} less ({dollars(other.cost)}), with {price}."


def _describe_recorded(candidates: Sequence[TrialResult], recorded: TrialResult) -> str:
    """Return a sentence if the recording's own compactions are better than every preset; otherwise ""."""
    cost = round(recorded.simulated or recorded.cost, 6)
    best, *others = candidates
    beats = not recorded.sealed and recorded.misses <= best.misses and cost < round(best.cost, 6)
    is_matched = any(row.misses <= recorded.misses and round(row.cost, 6) <= cost for row in others)
    if is_matched or not (recorded.compressions and recorded.sendable and beats):
        return ""
    return f"The recording itself is better than all of them: {_misses(recorded)}, {dollars(cost)} simulated."


def _describe_unfit(rows: Iterable[TrialResult]) -> str:
    """Describe the excluded rows: oversized windows, invalid windows, and content removed right after reading."""
    rows = list(rows)
    large = [row.name for row in rows if not row.fits]
    bad = [row.name for row in rows if not (row.valid or row.is_recorded_so)]
    hasty = [row.name for row in rows if row.haste]
    sentences = []
    if large:
        sentences.append(f"{_join_names(large)} would exceed the model's window.")
    if bad:
        sentences.append(f"The provider would reject windows of {_join_names(bad)}.")
    if hasty:
        drops = "drops" if len(hasty) == 1 else "drop"
        sentences.append(f"{_join_names(hasty)} {drops} results that were only just read.")
    return " ".join(sentences)


def _join_names(names: Sequence[str]) -> str:
    words = [*names[:2], f"{len(names) - 2:,} more"] if len(names) > 3 else list(names)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
