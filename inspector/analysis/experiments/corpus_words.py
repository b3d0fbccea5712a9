"""Presets compared over sessions in words and columns, as the command line and the app show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.experiments.corpus import FEWEST_SESSIONS, CorpusRow, CorpusTrade, CorpusVerdict
from inspector.analysis.experiments.intervals import Interval
from inspector.analysis.replay import RECORDED
from inspector.core.text import HASTY, one_line, percent

CORPUS_WIDTH = 66
"""Cells of the columns of numbers."""
GOING_ON_WIDTH = 21
"""Cells of the columns of the questions for going on."""
_EXCLUDED = (
    "excluded, because it cannot be sent in a session, does not fit it, removes content right after it was read, or "
    "got no usable summaries."
)
_MAX_NAMES = 3
_MAX_TRADES = 5


def corpus_heads(is_wide: bool) -> str:
    """Return the heads of the columns of numbers, with those of the questions for going on if there is room."""
    heads = f"{'cost':>6}{'95%':>12}{'kept':>7}{'95%':>12}{'regrets':>9}{'95%':>12}"
    return heads + f"{'going on':>9}{'95%':>12}" * is_wide + f"{'best':>6}"


def corpus_cells(row: CorpusRow, is_wide: bool) -> str:
    """Return the numbers of a preset under `corpus_heads`."""
    is_enough = row.sessions >= FEWEST_SESSIONS
    misses = _interval(f"{row.misses.low:.1f}", f"{row.misses.high:.1f}", is_enough)
    numbers = f"{_share(row.cost, 6, is_enough)}{_share(row.kept, 7, is_enough)}{row.misses.mean:>9.1f}{misses}"
    going_on = (_share(row.going_on, 9, is_enough) if row.going_on else f"{'–':>9}{'':>12}") * is_wide
    return f"{numbers}{going_on}{row.best:>6,}"


def corpus_notes(rows: Sequence[CorpusRow], is_wide: bool) -> str:
    """Return the meaning of the columns and marks."""
    notes = (
        "cost: relative to no compression. 95%: interval of the mean, by session. best: sessions in which it is the "
        "best preset that compresses."
    )
    is_asked = any(row.going_on for row in rows)
    notes += " going on: answered questions." if is_wide else " Hidden here: going on." if is_asked else ""
    if rows and rows[0].sessions < FEWEST_SESSIONS:
        notes += f" A mean over fewer than {FEWEST_SESSIONS} sessions has no interval."
    return f"{notes} {HASTY} {_EXCLUDED}" if any(map(is_excluded, rows)) else notes


def is_excluded(row: CorpusRow) -> bool:
    """Return True if the verdict may not choose a preset."""
    return row.preset != RECORDED.name and row.choice < row.sessions


def corpus_sentences(verdict: CorpusVerdict) -> str:
    """Return the verdict, and how other presets clearly differ from the leading one, with intervals."""
    return " ".join((_verdict_sentence(verdict), *_trade_sentences(verdict)))


def _verdict_sentence(verdict: CorpusVerdict) -> str:
    if verdict.best is None:
        return "No preset can be recommended in every session."
    if verdict.is_clear:
        return f"{verdict.best} is clearly best over these sessions."
    if verdict.candidates == 1:
        return f"{verdict.best} is the only preset that may be chosen in every session."
    others = f"{_first_names(verdict.close)} may be as good" if verdict.close else "the sessions are too few"
    return f"No preset is clearly best: {verdict.best} leads, and {others}."


def _first_names(names: Sequence[str]) -> str:
    rest = len(names) - _MAX_NAMES
    return ", ".join(names[:_MAX_NAMES]) + (f" and {rest:,} more" if rest > 0 else "")


def _trade_sentences(verdict: CorpusVerdict) -> Iterator[str]:
    if not verdict.trades or verdict.sessions < FEWEST_SESSIONS:
        return
    rest = len(verdict.trades) - _MAX_TRADES
    trades = [_trade(trade) for trade in verdict.trades[:_MAX_TRADES]]
    more = [f"{rest:,} more"] if rest > 0 else []
    yield f"Trades against it, the cheapest first: {'; '.join([*trades, *more])}."


def _trade(trade: CorpusTrade) -> str:
    """Return the clear differences of a preset from the leading one."""
    differences = (
        *_clear("cost", trade.cost, " points"),
        *_clear("facts", trade.kept, " points"),
        *_clear("going on", trade.going_on, " points"),
        *_clear("regrets", trade.misses),
    )
    return f"{one_line(trade.preset)}: {', '.join(differences) or 'no clear difference'}"


def _clear(name: str, difference: Interval | None, unit: str = "") -> Iterator[str]:
    """Yield a difference with its interval if the interval excludes 0. A unit is that of a share in percent."""
    if difference is None or difference.low <= 0 <= difference.high:
        return
    scale, digits = (100, 0) if unit else (1, 1)
    mean, low, high = (
        f"{scale * end:+.{digits}f}".replace("-", "−") for end in (difference.mean, difference.low, difference.high)
    )
    yield f"{name} {mean}{unit} ({low} to {high})"


def _share(value: Interval, room: int, is_enough: bool) -> str:
    """Return a share with its interval, which is left out if there are not enough sessions for one."""
    return f"{percent(value.mean):>{room}}{_interval(percent(value.low), percent(value.high), is_enough)}"


def _interval(low: str, high: str, is_enough: bool) -> str:
    return f"{f'{low}–{high}' if is_enough else '–':>12}"
