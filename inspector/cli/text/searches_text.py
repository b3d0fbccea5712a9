"""Results of searches for the turns that answer a question, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.analysis.experiments import DEPTHS_OF_SEARCH, SearchResult, SearchTally
from inspector.analysis.replay import Rate
from inspector.cli.output import paint, width
from inspector.core.text import clipped, lines_of, pad, percent

_NAME = 23
_DEPTH = 4
_WITH_INTERVALS = 101
"""Minimum columns of a terminal for the confidence intervals."""
_ABOUT = (
    "Share of the turns that answer a question among the first k results, in percent{interval}. Neighbours: a turn "
    "also counts as found if the turn before or after it is. {kind}"
)
_MISQUOTING = "advers."
"""Title of the category whose questions misquote a turn."""
_MISQUOTED = " Adversarial questions name the turns that they misquote."


def searched_lines(results: Sequence[SearchResult], names: Mapping[str, str], model: str) -> Iterator[str]:
    """Yield the table, with a row per search and depth.

    Args:
        results: Results of the searches.
        names: Names of the categories of questions.
        model: Name of the embedding model.
    """
    known = [number for number in names if results and number in results[-1].categories]
    if not known:
        return
    with_intervals = width() >= _WITH_INTERVALS
    room = 13 if with_intervals else 8
    yield ""
    yield paint("search for the turns that answer", "strong")
    titles = "".join(f"{name:>{room}}" for name in ["all", *(names[number] for number in known)])
    yield paint(clipped(f"{'':<{_NAME}}{'k':>{_DEPTH}}{titles}", width()), "dim")
    turns = "".join(f"{tally.turns:>{room},}" for tally in _row(results[-1], known))
    yield clipped(f"{pad('turns', _NAME + _DEPTH)}{turns}", width())
    for result in results:
        yield from _result_lines(result, known, room, with_intervals)
    yield ""
    yield from (paint(line, "dim") for line in lines_of(_note(names, model, with_intervals), width()))


def _note(names: Mapping[str, str], model: str, with_intervals: bool) -> str:
    """Return the meaning of the table."""
    kind = f"Embeddings by {model}; fused: both searches, with neighbours." if model else "No embedder is set up."
    interval = ", with 95% intervals" if with_intervals else ""
    return _ABOUT.format(interval=interval, kind=kind) + (_MISQUOTED if _MISQUOTING in names.values() else "")


def _row(result: SearchResult, categories: Sequence[str]) -> list[SearchTally]:
    return [result.total, *(result.categories.get(number, SearchTally()) for number in categories)]


def _result_lines(result: SearchResult, known: Sequence[str], room: int, with_intervals: bool) -> Iterator[str]:
    for place, depth in enumerate(DEPTHS_OF_SEARCH):
        name = pad("" if place else result.name, _NAME)
        cells = "".join(_rate_text(tally.rates[place], with_intervals).rjust(room) for tally in _row(result, known))
        yield clipped(f"{name}{depth:>{_DEPTH}}{cells}", width())


def _rate_text(rate: Rate, with_interval: bool) -> str:
    if not rate.count:
        return "–"
    share = percent(rate.repeated / rate.count).removesuffix("%")
    low, high = (percent(end).removesuffix("%") for end in rate.interval)
    return f"{share} ({low}–{high})" if with_interval else share
