"""Compare presets over many sessions: the rows of each session, their means, and intervals by session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import le
from typing import Annotated

from inspector.analysis.experiments.cost_rule import COST_RULE, weigh_cost
from inspector.analysis.experiments.intervals import Interval, mean_interval
from inspector.analysis.experiments.trials import TrialResult
from inspector.analysis.replay import NONE, RECORDED
from inspector.core.json_objects import json_object

FEWEST_SESSIONS = 6
"""Sessions below which nothing is clear: that a preset wins in all of five is chance in 1 of 16 cases."""
CORPUS_RULE = (
    f"regrets and recalls not clearly more than the fewest, then {COST_RULE}; "
    f"clear if the 95% interval of the difference excludes 0, with at least {FEWEST_SESSIONS} sessions"
)
_REFERENCES = (NONE.name, RECORDED.name)


@dataclass(frozen=True, slots=True)
class PresetFigures:
    """Figures of one preset on one session."""

    cost: float
    """Relative to the session without compression."""
    kept: float
    misses: int
    compressions: int
    is_choice: bool
    """True if the verdict may choose the preset on this session."""
    going_on: float | None = None
    """Answered share of the questions for going on; None without any."""

    @property
    def weighed(self) -> float:
        """Cost by the rule of one session."""
        return weigh_cost(self.cost, self.kept)

    @property
    def continued(self) -> float:
        """The answered share of the questions for going on; 1 without any, as nothing was compressed."""
        return 1.0 if self.going_on is None else self.going_on


SessionFigures = Mapping[str, PresetFigures]
"""Figures of one session by the name of the preset."""


@json_object("Corpus row", "preset sessions choice best cost kept misses going_on", about="A preset over the sessions.")
@dataclass(frozen=True, slots=True)
class CorpusRow:
    """Means of one preset over sessions."""

    preset: str
    sessions: int
    choice: Annotated[int, "sessions in which the verdict may choose it"]
    best: Annotated[int, "sessions in which it is the best of the presets by the rule for one session"]
    cost: Annotated[Interval, "relative to no compression"]
    kept: Annotated[Interval, "weighted share of the facts in the window at the end"]
    misses: Annotated[Interval, "regrets and recalls per session"]
    going_on: Annotated[Interval | None, "answered share of the questions for going on; null without any"] = None


@json_object(
    "Corpus trade",
    about="Differences of a preset from the leading one, session by session; above 0 if its figure is larger.",
)
@dataclass(frozen=True, slots=True)
class CorpusTrade:
    """Differences of a preset from the leading one."""

    preset: str
    cost: Annotated[Interval, "relative to no compression"]
    kept: Annotated[Interval, "weighted share of the facts in the window at the end"]
    misses: Annotated[Interval, "regrets and recalls per session"]
    going_on: Annotated[Interval | None, "answered share of the questions for going on; null if no session has any"]


@json_object(
    "Corpus verdict", "best close candidates rule clear=is_clear trades", about="The best preset over the sessions."
)
@dataclass(frozen=True, slots=True)
class CorpusVerdict:
    """The best preset over sessions, and those that are not clearly worse."""

    best: Annotated[str | None, "its name; null if none may be chosen in every session"]
    close: Annotated[Sequence[str], "other presets that are not clearly worse"] = ()
    sessions: int = 0
    candidates: Annotated[int, "presets that may be chosen in every session"] = 0
    trades: Annotated[
        Sequence[CorpusTrade],
        "other presets that no preset beats in the means of cost, facts kept, questions for going on, and regrets and"
        " recalls together, the cheapest first",
    ] = ()
    rule: str = CORPUS_RULE

    @property
    def is_clear(self) -> Annotated[bool, "true if every other candidate is clearly worse, with enough sessions"]:
        return self.candidates > 1 and not self.close and self.sessions >= FEWEST_SESSIONS


def figures_of(rows: Sequence[TrialResult]) -> dict[str, PresetFigures]:
    """Return the figures of a session's rows; empty if no preset compresses it or no call has a price.

    Args:
        rows: Rows of the session, with that without compression.
    """
    whole = next((row.cost for row in rows if row.preset == NONE), 0.0)
    if not whole or not any(row.compressions for row in rows if row.preset != RECORDED):
        return {}
    return {
        row.name: PresetFigures(
            (row.simulated or row.cost) / whole,
            row.retained,
            row.misses,
            row.compressions,
            row.choice,
            row.state.going_on,
        )
        for row in rows
    }


def corpus_rows(sessions: Sequence[SessionFigures]) -> tuple[CorpusRow, ...]:
    """Return the means of the presets that every session has, in the order of the first session."""
    bests = [_best_of(session) for session in sessions]
    return tuple(_mean_row(name, sessions, bests.count(name)) for name in _common(sessions))


def corpus_verdict(sessions: Sequence[SessionFigures]) -> CorpusVerdict:
    """Return the best preset over sessions by `CORPUS_RULE`. References are no candidates."""
    names = [name for name in _common(sessions) if name not in _REFERENCES]
    names = [name for name in names if all(session[name].is_choice for session in sessions)]
    if not names:
        return CorpusVerdict(None)
    fewest = min(names, key=lambda name: sum(session[name].misses for session in sessions))
    level = [name for name in names if _difference(sessions, name, fewest, lambda row: row.misses).low <= 0]
    best = min(level, key=lambda name: sum(session[name].weighed for session in sessions))
    rest = [name for name in level if name != best]
    close = [name for name in rest if _difference(sessions, name, best, lambda row: row.weighed).low <= 0]
    trades = [_trade(sessions, name, best) for name in _front(sessions, names) if name != best]
    return CorpusVerdict(best, close, len(sessions), len(names), trades)


def _front(sessions: Sequence[SessionFigures], names: Sequence[str]) -> list[str]:
    """Return the presets that no other one beats in all means, the cheapest first; of equal ones the first."""
    front = dict[str, tuple[float, ...]]()
    for name, means in sorted(((name, _means(sessions, name)) for name in names), key=lambda one: one[1]):
        if not any(all(map(le, one, means)) for one in front.values()):
            front[name] = means
    return list(front)


def _means(sessions: Sequence[SessionFigures], name: str) -> tuple[float, ...]:
    """Return the mean figures of a preset, of which smaller ones are better, the cost first."""
    rows = [session[name] for session in sessions]
    columns = zip(*((row.cost, row.misses, -row.kept, -row.continued) for row in rows), strict=True)
    return tuple(round(sum(column) / len(rows), 6) for column in columns)


def _trade(sessions: Sequence[SessionFigures], name: str, best: str) -> CorpusTrade:
    asked = [one for one in sessions if one[name].going_on is not None or one[best].going_on is not None]
    return CorpusTrade(
        name,
        _difference(sessions, name, best, lambda row: row.cost),
        _difference(sessions, name, best, lambda row: row.kept),
        _difference(sessions, name, best, lambda row: row.misses),
        _difference(asked, name, best, lambda row: row.continued) if asked else None,
    )


def _common(sessions: Sequence[SessionFigures]) -> list[str]:
    return [name for name in sessions[0] if all(name in session for session in sessions)] if sessions else []


def _best_of(session: SessionFigures) -> str | None:
    rows = {name: row for name, row in session.items() if row.is_choice and name not in _REFERENCES}
    return min(rows, key=lambda name: (rows[name].misses, rows[name].weighed), default=None)


def _mean_row(name: str, sessions: Sequence[SessionFigures], best: int) -> CorpusRow:
    rows = [session[name] for session in sessions]
    going_on = [row.going_on for row in rows if row.going_on is not None]
    return CorpusRow(
        name,
        len(rows),
        sum(row.is_choice for row in rows),
        best,
        _mean(row.cost for row in rows),
        _mean(row.kept for row in rows),
        _mean(row.misses for row in rows),
        _mean(going_on) if going_on else None,
    )


def _mean(values: Iterable[float]) -> Interval:
    return mean_interval([[value] for value in values])


def _difference(
    sessions: Sequence[SessionFigures], one: str, other: str, value: Callable[[PresetFigures], float]
) -> Interval:
    """Return the interval of the difference of two presets, session by session."""
    return _mean(value(session[one]) - value(session[other]) for session in sessions)
