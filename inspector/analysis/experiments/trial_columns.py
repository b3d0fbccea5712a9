"""The columns of the rows of trials, and their order by one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from inspector.analysis.experiments.trials import TrialResult
from inspector.engine.facts import CLASSES

_Best = Literal["low", "high"]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column by which rows can be sorted."""

    name: str
    about: str
    value: Callable[[TrialResult], float | str]
    best: _Best = "low"
    """Better end of the values, which is sorted first."""


def _column(
    name: str, about: str, best: _Best = "low", value: Callable[[TrialResult], float | str] | None = None
) -> _Column:
    return _Column(name, about, value or (lambda row: getattr(row, name)), best)


COLUMNS: Mapping[str, _Column] = {
    column.name: column
    for column in (
        _column("preset", "its name", value=lambda row: row.name),
        _column("turns", "number of model calls"),
        _column("compressions", "number of compressions"),
        _column("threshold", "tokens above which it compresses"),
        _column("peak", "tokens of the largest window"),
        _column("tokens_sent", "total tokens of all windows"),
        _column("cost", "dollars, with the prompt cache"),
        _column("cost_uncached", "dollars, without a prompt cache"),
        _column("simulated", "dollars, without using reported usage"),
        _column("retained", "weighted share of the facts in the window at the end", "high"),
        _column("reach", "weighted share of the facts that are retained or recoverable", "high"),
        _column("regrets", "replies that needed a lost fact"),
        _column("recalls", "other replies that needed an archived fact"),
        _column("reused", "replies of the recording that used a fact from an unknown source"),
        _column("sealed", "recorded compactions with an encrypted summary"),
        _column(
            "state_kept",
            "share of the items of the state that compressions kept",
            "high",
            lambda row: row.state.retained,
        ),
        _column(
            "going_on",
            "answered share of the questions for going on",
            "high",
            lambda row: row.state.continued,
        ),
        _column("revived", "refused or finished items stated as open", value=lambda row: row.state.revived),
        _column("invented", "invented statements of summaries", value=lambda row: row.state.invented),
        _column("unchecked", "summaries whose statements cannot be checked", value=lambda row: row.state.unchecked),
        _column("hasty", "compressions that removed content right after it was read"),
        _column("unwritten", "attempts to compress without a usable summary"),
        _column("valid", "true if the provider accepts every window", "high"),
        _column("recorded_so", "true if only the recording has windows that the provider rejects"),
        _column("fits", "true if every window fits the model's", "high"),
        _column("choice", "true if the verdict may choose it", "high"),
        _column("pareto", "true if it is Pareto-optimal", "high"),
    )
}
"""Columns of every row. Rows can also be sorted by each class of facts."""
_TITLES = {"times": "compressions", "sent": "tokens_sent", "uncached": "cost_uncached", "kept": "retained"}
"""Columns by their titles in a table, if these differ from the names."""


def column_name(title: str) -> str:
    """Return the name of a column by its title in a table, such as "going on" or "sent", or by its name."""
    name = title.strip().lower().replace("-", "_").replace(" ", "_")
    return _TITLES.get(name, name)


def column_of(name: str) -> _Column:
    """Return a column by its name or title, or the column of a class of facts.

    Raises:
        ValueError: If there is no such column. The text lists the names.
    """
    name = column_name(name)
    if name in COLUMNS:
        return COLUMNS[name]
    if name not in CLASSES:
        raise ValueError(f"There is no column {name!r}. Columns: {', '.join([*COLUMNS, *CLASSES])}.")
    return _Column(name, f"retained share of the facts of the class {name}", partial(_share_of, name), "high")


def _share_of(name: str, row: TrialResult) -> float:
    """Return the share of a class, or less than any share if the session has none of it."""
    share = row.share(name)
    return -1.0 if share is None else share


def sort_results(results: Iterable[TrialResult], by: _Column, *, worst: bool = False) -> tuple[TrialResult, ...]:
    """Return the rows sorted by a column, the best (or worst) first. Equal rows keep their order.

    Args:
        results: Rows to sort.
        by: Column to sort by.
        worst: True to start with the worst.
    """
    return tuple(sorted(results, key=by.value, reverse=(by.best == "high") != worst))
