"""Text output of the invented and revived statements of summaries, with the evidence against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.analysis.experiments import TrialResult
from inspector.analysis.replay import SummaryStatement
from inspector.cli.output import paint, width
from inspector.core.text import clip, filled, lines_of, one_line, plural

_LEFT = 20
"""Columns for the turn and the fate."""
_MAX_LISTED = 6
"""Maximum statements that are listed without `--all`, or of all rows of a table."""


def statement_lines(
    statements: Sequence[SummaryStatement], numbers: Mapping[str, int], unfolded: bool
) -> Iterator[str]:
    """Yield the statements of one replay under a heading; nothing without any.

    Args:
        statements: The statements.
        numbers: Numbers of the messages in the log, by id.
        unfolded: True to list every statement.
    """
    if not statements:
        return
    yield paint(f"{_count_by_fate(statements)} in summaries", "bad")
    yield paint(f"  {'turn':>6}  {'fate':<9} statement, and the evidence in the log", "dim")
    listed = statements if unfolded else statements[:_MAX_LISTED]
    for one in listed:
        yield from _lines_of_statement(one, numbers)
    if len(listed) < len(statements):
        yield paint(f"  … {len(statements) - len(listed):,} more; --all lists them", "dim")
    yield ""


def statements_of_rows(rows: Sequence[TrialResult], numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield the statements of several presets, each under the name of its preset; nothing without any."""
    room = _MAX_LISTED
    for row in rows:
        if row.statements:
            yield ""
            yield paint(f"{one_line(row.name)}: {_count_by_fate(row.statements)} in summaries", "bad")
            for one in row.statements[:room]:
                yield from _lines_of_statement(one, numbers)
            if (rest := len(row.statements) - room) > 0:
                yield paint(f"  … {rest:,} more; --json lists them", "dim")
            room = max(0, room - len(row.statements))


def _lines_of_statement(one: SummaryStatement, numbers: Mapping[str, int]) -> Iterator[str]:
    left = f"  {one.turn:>6,}  {filled(one.fate, 9)} "
    for line in lines_of(one.statement, max(20, width() - _LEFT)):
        yield f"{left}{line.rstrip()}"
        left = " " * _LEFT
    number = f" (#{numbers[one.message]:,})" if one.message in numbers else ""
    what = "was" if one.fate == "revived" else "closest before"
    text = f"{what}{number}: {one.before}" if one.before else "no sentence before it is close"
    yield paint(f"{left}{clip(one_line(text), max(20, width() - _LEFT))}", "dim")


def _count_by_fate(statements: Sequence[SummaryStatement]) -> str:
    """Return how many statements are invented, and how many are revived."""
    counts = ((sum(one.fate == fate for one in statements), fate) for fate in ("invented", "revived"))
    words = [f"{plural(count, f'{fate} statement')}" for count, fate in counts if count]
    return " and ".join(words)
