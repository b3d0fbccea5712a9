"""Recommend the best of some presets for a session, and describe the alternatives.

Candidates are the presets that can be sent and fit the session. The one with the fewest regrets and recalls leads;
among equals, cost and lost facts decide together: losing one percent of the facts counts as much as paying one percent
more. One more regret is ignored if the preset with it is clearly cheaper and otherwise no worse. The leading one is
called the best only if every other candidate is clearly worse; otherwise the ties are named and the trades stated. The
recording itself is shown for comparison only. Presets that remove or cut content right after it was read, in at least
half of their compressions, are excluded, because a replay cannot measure what that costs. So are thresholds that leave
little room above the protected part, and presets whose summariser failed as often as it served.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from inspector.analysis.experiments.cost_rule import COST_RULE, weigh_cost
from inspector.analysis.experiments.trials import TrialResult
from inspector.analysis.replay import NOISE, NONE, RECORDED, Rate
from inspector.core.json_objects import json_object
from inspector.core.text import dollars, percent, plural

RULE = (
    "fewest regrets and recalls, or one more for over 5% less cost if nothing else is worse, "
    f"then {COST_RULE}; clear if every other preset has clearly more regrets and recalls, or this cost is over 5% "
    "higher"
)
_MAX_FRONT = 5
"""Maximum number of rows of the front that are described."""
_TRADE_COST, _TRADE_SHARE = 1.15, 0.1
"""Maximum cost, relative to the best row, and minimum retention above it, of a row that is offered as a trade."""

_Exclusion = tuple[Callable[[TrialResult], object], str, str]
_EXCLUSIONS: tuple[_Exclusion, ...] = (
    (lambda row: not row.fits, "{} would exceed the model's window.", ""),
    (lambda row: not (row.valid or row.is_recorded_so), "The provider would reject windows of {}.", ""),
    (
        lambda row: row.haste,
        "{} drops results that were only just read.",
        "{} drop results that were only just read.",
    ),
    (
        lambda row: row.is_unwritten,
        "{} got no usable summaries, so its figures are not those of summaries.",
        "{} got no usable summaries, so their figures are not those of summaries.",
    ),
)
"""Why a row is excluded: a test, and the sentence about one row and about several, empty if it is the same."""
_MISFIT: _Exclusion = (lambda row: row.misfit, "{} does not fit this session.", "{} do not fit this session.")
"""The reason that every table of presets explains on its own."""


@json_object(
    "Verdict",
    "best=best_name rule why but close=close_names same=same_names clear=is_clear front=front_names",
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
    """Rows with other figures that are not clearly worse."""
    same: tuple[TrialResult, ...] = ()
    """Rows with the same figures, such as presets that never compress."""
    front: tuple[TrialResult, ...] = ()
    """The rows among which only a person's own weights decide, the cheapest first."""

    @property
    def rule(self) -> str:
        return RULE

    @property
    def best_name(self) -> Annotated[str | None, "the leading row's preset; null for none"]:
        return self.best.name if self.best else None

    @property
    def close_names(self) -> Annotated[list[str], "rows with other figures that are not clearly worse than the best"]:
        return [row.name for row in self.close]

    @property
    def same_names(self) -> Annotated[list[str], "rows with the same figures as the best"]:
        return [row.name for row in self.same]

    @property
    def front_names(
        self,
    ) -> Annotated[
        list[str],
        "rows that may be recommended and that no other one beats in cost, facts kept, questions for going on, and"
        " regrets and recalls together, the cheapest first",
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
    def is_clear(self) -> Annotated[bool, "true if every row with other figures is clearly worse"]:
        return self.best is not None and not self.close

    @property
    def lines(self) -> tuple[str, str, str]:
        """The sentences of the verdict: `why`, `but` and the front. Each may be empty."""
        return self.why, self.but, self.front_words


def rank(row: TrialResult) -> tuple[float, bool, bool, int, float, float]:
    """Return the sort key of a row; smaller is better."""
    return (
        row.haste,
        bool(row.misfit or row.is_unwritten),
        not row.sendable,
        row.misses,
        round(_weighed(row), 6),
        row.cost,
    )


def recommend_preset(rows: Sequence[TrialResult]) -> Recommendation:
    """Recommend one of the rows of a session."""
    choices = [row for row in rows if row.preset != RECORDED]
    if all(not row.preset.enabled for row in choices):
        return Recommendation(None, "")
    if not any(row.compressions for row in choices):
        return Recommendation(None, _idle(choices))
    candidates = sorted([row for row in choices if row.choice], key=rank)
    if not candidates:
        why = "None of these presets can be recommended."
        return Recommendation(None, why, _describe_unfit(choices, (*_EXCLUSIONS, _MISFIT)))
    recorded = [_describe_recorded(candidates, row) for row in rows if row.preset == RECORDED]
    best = _leader(candidates)
    others = [row for row in candidates if row is not best]
    return _recommend(best, *others, unfit=_describe_unfit(choices), recorded="".join(recorded))


def _leader(candidates: Sequence[TrialResult]) -> TrialResult:
    """Return the best row: the first one, or one with one more miss that is better otherwise.

    Args:
        candidates: Rows that may be recommended, in the order of `rank`.
    """
    first = candidates[0]
    better = [row for row in candidates if row.misses == first.misses + 1 and _is_better_otherwise(row, first)]
    return min(better, key=_weighed, default=first)


def _is_better_otherwise(row: TrialResult, first: TrialResult) -> bool:
    """Return True if a row clearly costs less than another one, keeps as many facts and answers as many questions."""
    return row.cost < (1 - NOISE) * first.cost and _keeps_as_much(row, first)


def _recommend(best: TrialResult, *others: TrialResult, unfit: str, recorded: str) -> Recommendation:
    """Return the verdict on rows that may be recommended, the best first.

    Args:
        best: The best row.
        others: The other rows.
        unfit: Sentences about rows that may not be recommended.
        recorded: A sentence about the recording itself, or "".
    """
    same = tuple([row for row in others if _does_same(row, best)])
    close = tuple([row for row in others if row not in same and not _is_worse(row, best)])
    front = _front_of((best, *others))
    trades = _trades(best, close, [row for row in others if row in front])
    but = " ".join([_trade(best, row) for row in trades]) or _describe_same(same) or unfit
    why = _praise(best, [row for row in others if row not in same], close, trades)
    return Recommendation(best, why, " ".join(filter(None, (but, recorded))), close, same, front)


def _weighed(row: TrialResult) -> float:
    return weigh_cost(row.cost, row.retained)


def _is_worse(row: TrialResult, best: TrialResult) -> bool:
    """Return True if a row is clearly worse than the best one, which has the fewest misses."""
    return _needs_more(row, best) or _weighed(row) > (1 + NOISE) * _weighed(best)


def _needs_more(row: TrialResult, best: TrialResult) -> bool:
    """Return True if Wilson's 95% interval of a row's share in the misses of both is above a half."""
    return Rate(row.misses, row.misses + best.misses).interval[0] > 0.5


def _front_of(candidates: Iterable[TrialResult]) -> tuple[TrialResult, ...]:
    """Return the rows that no other one beats in all criteria; of equal rows the first."""
    front = list[TrialResult]()
    for row in sorted(candidates, key=lambda row: (round(row.cost, 6), row.misses, -row.retained)):
        if not any(_has_as_much(one, row) for one in front):
            front.append(row)
    return tuple(front)


def _has_as_much(one: TrialResult, row: TrialResult) -> bool:
    return _keeps_as_much(one, row) and one.misses <= row.misses


def _keeps_as_much(one: TrialResult, row: TrialResult) -> bool:
    return one.retained >= row.retained and one.state.continued >= row.state.continued


def _trade_figures(row: TrialResult) -> str:
    """Return the cost of a row, the facts that it keeps and the questions that it answers."""
    going_on = row.state.going_on
    answered = "" if going_on is None else f", {percent(going_on)} of the questions for going on"
    return f"{dollars(row.cost)}, {percent(row.retained)} of the facts{answered}, {_misses(row)}"


def _idle(rows: Sequence[TrialResult]) -> str:
    """Explain why not compressing is best if none of the rows compressed anything."""
    peak = f"it peaks at {max(row.peak for row in rows):,} tokens"
    attempts = [row for row in rows if row.gave_up]
    if attempts:
        reason = f"and {attempts[0].name} had no effect, because nearly everything is protected"
        return f"Leave it uncompressed: {peak}, {reason}."
    lowest = min(row.threshold for row in rows if row.preset.enabled)
    return f"Leave it uncompressed: {peak}, below the lowest threshold of {lowest:,}."


def _praise(
    best: TrialResult, others: Sequence[TrialResult], close: Sequence[TrialResult], trades: Sequence[TrialResult]
) -> str:
    """Return the figures of the best row, what decided, and the names of the rows that are as good."""
    is_none = best.preset == NONE
    lead = "Leave it uncompressed, because the window fits" if is_none else f"{best.name} is best here"
    if close:
        lead = f"No preset is clearly best here. {'Leaving it uncompressed' if is_none else best.name} leads"
    sentences = [f"{lead}: {_figures(best)}."]
    if ties := [row.name for row in close if row not in trades]:
        sentences.append(f"{_join_names(ties)} {'is' if len(ties) == 1 else 'are'} not clearly worse.")
    sentences.append(_level_regrets(best, others))
    if is_none:
        sentences.append(_lead_of_compressing(others))
    return " ".join(filter(None, sentences))


def _level_regrets(best: TrialResult, others: Sequence[TrialResult]) -> str:
    """Return a sentence about the rows with as many regrets as the best one; "" if no other row has."""
    level = [row for row in others if row.misses == best.misses]
    if not level:
        return ""
    if len(level) == len(others):
        return "Regrets are level, so cost and facts decide."
    return f"Among the {len(level) + 1:,} rows with {_misses(best)}, cost and facts decide."


def _lead_of_compressing(others: Iterable[TrialResult]) -> str:
    """Return a sentence about the first row that compresses; "" if none does."""
    rest = next((row for row in others if row.compressions), None)
    return f"Among the presets that compress, {rest.name} leads: {_figures(rest)}." if rest else ""


def _figures(row: TrialResult) -> str:
    kept = f"{percent(row.retained)} of the facts" if row.retention else "no facts in this session"
    reach = f", up to {percent(row.reach)} with retrieval" if row.retention and row.reach - row.retained >= 0.01 else ""
    return f"{_misses(row)}, {dollars(row.cost)}, {kept}{reach}"


def _misses(row: TrialResult) -> str:
    if row.sealed and not row.misses:
        return "unknown regrets"
    if not row.misses:
        return "no regrets"
    recalls = f" and {plural(row.recalls, 'recall')}" if row.recalls else ""
    return plural(row.regrets, "regret") + recalls


def _does_same(row: TrialResult, best: TrialResult) -> bool:
    """Return True if two rows have the same figures, such as presets that never compress."""
    figures, other = (
        (one.misses, one.tokens_sent, round(one.cost, 6), one.retained, one.state.continued) for one in (row, best)
    )
    return figures == other


def _describe_same(same: Sequence[TrialResult]) -> str:
    """Return a sentence about the rows that do the same as the best; "" without such rows."""
    if not same:
        return ""
    is_one, never = len(same) == 1, not any(row.compressions for row in same)
    does = (
        ("never compresses" if is_one else "never compress") if never else f"{'does' if is_one else 'do'} the same here"
    )
    return f"{_join_names([row.name for row in same])} {does}."


def _trades(best: TrialResult, close: Sequence[TrialResult], front: Sequence[TrialResult]) -> list[TrialResult]:
    """Return the rows that have an advantage at a price: one that is cheaper, and one that keeps far more.

    Args:
        best: The best row.
        close: Rows that are not clearly worse, which are preferred.
        front: The other rows of the front, the best first.
    """
    cheap = [[row for row in rows if row.cost < (1 - NOISE) * best.cost] for rows in (close, front)]
    cheaper = max(cheap[0], key=_kept, default=None) or next(iter(cheap[1]), None)
    near = [row for row in front if row.cost <= _TRADE_COST * best.cost and row.misses <= best.misses + 1]
    more = [row for row in (*close, *near) if row.cost > best.cost and row.retained >= best.retained + _TRADE_SHARE]
    return [row for row in (cheaper, max(more, key=_kept, default=None)) if row is not None]


def _kept(row: TrialResult) -> float:
    return row.retained


def _trade(best: TrialResult, row: TrialResult) -> str:
    """Return a sentence about the advantages of a row over the best one, and their price."""
    gains, prices = list[str](), list[str]()
    if row.cost < best.cost:
        gains.append(f"costs {percent(1 - row.cost / best.cost)} less")
    if points := round(100 * (row.retained - best.retained)):
        words = f"{plural(abs(points), 'point')} {'more' if points > 0 else 'less'} of the facts"
        (gains if points > 0 else prices).append(f"keeps {words}" if points > 0 else words)
    if row.misses > best.misses:
        kind = "more regret or recall" if row.recalls else "more regret"
        noise = "" if _needs_more(row, best) else " (within the noise)"
        prices.append(f"{plural(row.misses - best.misses, kind)}{noise}")
    if row.cost > best.cost:
        prices.append(f"{percent(row.cost / best.cost - 1)} more cost")
    return f"{row.name} {_join_names(gains)}{' for ' if prices else ''}{_join_names(prices)}."


def _describe_recorded(candidates: Sequence[TrialResult], recorded: TrialResult) -> str:
    """Return a sentence if the recording's own compactions are better than every preset; otherwise ""."""
    cost = round(recorded.simulated or recorded.cost, 6)
    best, *others = candidates
    beats = not recorded.sealed and recorded.misses <= best.misses and cost < round((1 - NOISE) * best.cost, 6)
    is_matched = any(row.misses <= recorded.misses and round(row.cost, 6) <= cost for row in others)
    if is_matched or not (recorded.compressions and recorded.sendable and beats):
        return ""
    return f"The recording itself is better than all of them: {_misses(recorded)}, {dollars(cost)} simulated."


def _describe_unfit(rows: Sequence[TrialResult], exclusions: Iterable[_Exclusion] = _EXCLUSIONS) -> str:
    """Describe the excluded rows by the reason."""
    return " ".join(_unfit_sentences(rows, exclusions))


def _unfit_sentences(rows: Sequence[TrialResult], exclusions: Iterable[_Exclusion]) -> Iterator[str]:
    for is_excluded, one, many in exclusions:
        if names := [row.name for row in rows if is_excluded(row)]:
            yield (one if len(names) == 1 else many or one).format(_join_names(names))


def _join_names(names: Sequence[str]) -> str:
    words = [*names[:2], f"{len(names) - 2:,} more"] if len(names) > 3 else list(names)
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
