"""What searches find of the turns that answer a question, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.cli.output import paint, width
from inspector.experiments import DEPTHS_OF_SEARCH, SearchResult, SearchTally
from inspector.replay import Rate
from inspector.text import clipped, lines_of, pad, percent

_NAME = 23
_DEPTH = 4
_WITH_INTERVALS = 101
"""Columns from which on there is room for the intervals."""
_ABOUT = (
    "Of the turns that answer a question, those among the first k results, in per cent{interval}. Neighbours: a turn "
    "is found by those beside it, too. {kind} Adversarial questions name the turns that they are wrong about."
)


def searched_lines(results: Sequence[SearchResult], names: Mapping[int, str], model: str) -> Iterator[str]:
    """The table, with a line for each search and depth; `names` are those of the categories, `model` the embedder's."""
    columns = [number for number in names if number in results[-1].categories] if results else []
    if not columns:
        return
    with_intervals = width() >= _WITH_INTERVALS
    room = 13 if with_intervals else 8
    titles = "".join(f"{name:>{room}}" for name in ["all", *(names[number] for number in columns)])
    yield ""
    yield paint("search for the turns that answer", "strong")
    yield paint(clipped(f"{'':<{_NAME}}{'k':>{_DEPTH}}{titles}", width()), "dim")
    tallies = [results[-1].total, *(results[-1].categories[number] for number in columns)]
    yield clipped(f"{pad('turns', _NAME + _DEPTH)}" + "".join(f"{tally.turns:>{room},}" for tally in tallies), width())
    for result in results:
        row = [result.total, *(result.categories.get(number, SearchTally()) for number in columns)]
        for place, depth in enumerate(DEPTHS_OF_SEARCH):
            name = pad("" if place else result.name, _NAME)
            cells = "".join(_rate_text(tally.rates[place], with_intervals).rjust(room) for tally in row)
            yield clipped(f"{name}{depth:>{_DEPTH}}{cells}", width())
    yield ""
    kind = (
        f"Meaning by {model}; fused is how messages are searched." if model else "No embedder is set up: words alone."
    )
    note = _ABOUT.format(interval=", with 95 % intervals" if with_intervals else "", kind=kind)
    yield from (paint(line, "dim") for line in lines_of(note, width()))


def _rate_text(rate: Rate, with_interval: bool) -> str:
    if not rate.count:
        return "–"
    share = percent(rate.repeated / rate.count).removesuffix("%")
    low, high = (percent(end).removesuffix("%") for end in rate.interval)
    return f"{share} ({low}–{high})" if with_interval else share
