"""Text output of presets compared over the sessions of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.experiments import CorpusRow, CorpusTrade, CorpusVerdict, Interval
from inspector.analysis.replay import RECORDED
from inspector.cli.arguments import listed
from inspector.cli.output import paint, width
from inspector.core.text import BEST, HASTY, clip, filled, lines_of, one_line, percent, plural

_NUMBERS = 66
"""Columns of the numbers; the rest is left for the name."""
_WIDE, _GOING_ON = 100, 21
"""Width from which the questions for going on are shown, and their columns."""
_MAX_NAME = 40
_EXCLUDED = (
    "excluded, because it cannot be sent in a session, does not fit it, removes content right after it was read, or "
    "got no usable summaries."
)
_MAX_NAMES = 3
_MAX_TRADES = 5


def corpus_lines(rows: Sequence[CorpusRow], verdict: CorpusVerdict, idle: int) -> Iterator[str]:
    """Return the verdict and the table.

    Args:
        rows: Means of the presets.
        verdict: The best preset.
        idle: Number of sessions that no preset compresses.
    """
    sessions = rows[0].sessions if rows else 0
    rest = f", and {idle:,} that no preset compresses" if idle else ""
    yield paint(f"{plural(sessions, 'session')}{rest}", "strong")
    yield from lines_of(" ".join((_verdict_sentence(verdict), *_trade_sentences(verdict))), width())
    yield from (paint(line.rstrip(), "dim") for line in lines_of(f"The rule: {verdict.rule}.", width()))
    yield ""
    is_wide = width() >= _WIDE
    room = min(
        width() - _NUMBERS - _GOING_ON * is_wide, _MAX_NAME, max((len(row.preset) + 1 for row in rows), default=0) + 4
    )
    titles = f"{'cost':>6}{'95%':>12}{'kept':>7}{'95%':>12}{'regrets':>9}{'95%':>12}"
    titles += f"{'going on':>9}{'95%':>12}" * is_wide + f"{'best':>6}"
    yield paint(f"  {filled('preset', room)}{titles}", "dim")
    for row in rows:
        mark = paint(BEST, "good") if row.preset == verdict.best else HASTY if _is_excluded(row) else " "
        numbers = f"{_share(row.cost)}{_share(row.kept, 7)}{row.misses.mean:>9.1f}{_numbers(row.misses):>12}"
        going_on = (_share(row.going_on, 9) if row.going_on else f"{'–':>9}{'':>12}") * is_wide
        yield f"{mark} {filled(clip(one_line(row.preset), room - 1), room)}{numbers}{going_on}{row.best:>6,}"
    yield ""
    yield from (paint(line.rstrip(), "dim") for line in lines_of(_column_notes(rows, sessions, is_wide), width()))


def _column_notes(rows: Sequence[CorpusRow], sessions: int, is_wide: bool) -> str:
    """Return the meaning of the columns and marks."""
    notes = (
        "cost: relative to no compression. 95%: interval of the mean, by session. best: sessions in which it is best."
    )
    if is_wide:
        notes += " going on: answered questions."
    if sessions == 1:
        notes += " One session has no interval."
    return f"{notes} {HASTY} {_EXCLUDED}" if any(map(_is_excluded, rows)) else notes


def _is_excluded(row: CorpusRow) -> bool:
    return row.preset != RECORDED.name and row.choice < row.sessions


def _verdict_sentence(verdict: CorpusVerdict) -> str:
    if verdict.best is None:
        return "No preset can be recommended in every session."
    if verdict.is_clear:
        return f"{verdict.best} is clearly best over these sessions."
    others = f"{listed(verdict.close, _MAX_NAMES)} may be as good" if verdict.close else "the sessions are too few"
    return f"No preset is clearly best: {verdict.best} leads, and {others}."


def _trade_sentences(verdict: CorpusVerdict) -> Iterator[str]:
    """Yield a sentence about how other presets clearly differ from the leading one, with intervals."""
    if not verdict.trades or verdict.sessions == 1:
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


def _share(value: Interval, room: int = 6) -> str:
    interval = f"{percent(value.low)}–{percent(value.high)}"
    return f"{percent(value.mean):>{room}}{interval:>12}"


def _numbers(value: Interval) -> str:
    return f"{value.low:.1f}–{value.high:.1f}"
