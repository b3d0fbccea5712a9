"""Text output of compared presets: the verdict, the table, the scatter plot, and retained facts by class."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.analysis.experiments import (
    CORPUS_WIDTH,
    GOING_ON_WIDTH,
    CorpusRow,
    CorpusVerdict,
    Recommendation,
    TrialResult,
    TrialSetup,
    column_name,
    corpus_cells,
    corpus_heads,
    corpus_notes,
    corpus_sentences,
    is_excluded,
    recommend_preset,
)
from inspector.analysis.replay import describe_rereads
from inspector.cli.output import Ink, paint, width
from inspector.cli.text.policies_text import cache_text, fit_lines, price_text, reported_text
from inspector.cli.text.statements_text import statements_of_rows
from inspector.cli.text.window_text import heading
from inspector.core.text import (
    BEST,
    HASTY,
    ON,
    Cellular,
    Plane,
    Point,
    cells,
    clip,
    dollars,
    filled,
    fold,
    lines_of,
    listed,
    one_line,
    percent,
    plural,
    share_at,
    wrapped,
)
from inspector.engine.facts import CLASSES, Weights, fact_class

_SIDE_BY_SIDE = 5
"""Maximum rows whose fact classes are shown side by side."""
_CLASS, _SHARE, _MIN_WIDTH = 16, 13, 12
_PLOT_ROWS, _PLOT_LEFT, _PLOT_MAX = 10, 6, 100
"""Lines of the plot, columns of its scale, and its maximum width."""
_KEY = re.compile(r"\b\w+=")
"""Setting names that are removed from a grid row's name in a narrow column."""
_WIDE = 100
"""Width from which the questions for going on are shown."""
_MAX_NAME = 40


def tune_text(
    rows: Sequence[TrialResult], subject: TrialSetup, failures: Sequence[str], order: str | None = None
) -> Iterator[str]:
    """Yield the verdict, the table, the plot, and the notes.

    Args:
        rows: Rows of the table.
        subject: Setup of the replays.
        failures: Sentences about missed gates.
        order: Title or name of the column that the rows are sorted by, which is always shown.
    """
    yield from heading(subject.session)
    agent = "" if subject.agent == "main" else f" · agent {clip(subject.agent, 40)}"
    yield f"{plural(rows[0].turns, 'turn')}{agent}"
    yield from _verdict_lines(recommend_preset(rows))
    yield from fit_lines(subject.scale, [row.preset for row in rows])
    yield ""
    yield from table(rows, order)
    yield from _plot(rows)
    yield from class_lines(rows, subject.weights)
    yield from statements_of_rows(rows, subject.session.numbers)
    yield ""
    for note in _table_notes(rows, subject):
        yield from (paint(line.rstrip(), "dim") for line in lines_of(note, width()))
    for miss in failures:
        yield from (paint(line.rstrip(), "bad") for line in lines_of(miss, width()))


def _verdict_lines(verdict: Recommendation) -> Iterator[str]:
    """Yield the sentences of a verdict after an empty line; nothing without any."""
    said = [text for text in verdict.lines if text]
    yield from [""] * bool(said)
    for text in said:
        yield from (paint(line.rstrip(), "strong" if text == verdict.why else None) for line in lines_of(text, width()))


@dataclass(frozen=True, slots=True)
class _Cell:
    """A column of the table: its title, its width, and its value for a row."""

    title: str
    room: int
    text: Callable[[TrialResult], str]

    def widen(self, rows: Iterable[TrialResult]) -> _Cell:
        """Return the column widened to its longest value."""
        return replace(self, room=max(self.room, *(len(self.text(row)) + 1 for row in rows)))


_CELLS = (
    _Cell("times", 6, lambda row: f"{row.compressions:,}"),
    _Cell("peak", 10, lambda row: str(row.largest)),
    _Cell("sent", 13, lambda row: str(row.sent)),
    _Cell("cost", 9, lambda row: dollars(row.cost)),
    _Cell("uncached", 9, lambda row: dollars(row.cost_uncached)),
    _Cell("kept", 6, lambda row: percent(row.retained)),
    _Cell("regrets", 8, lambda row: "–" if row.sealed and not row.regrets else f"{row.regrets:,}"),
    _Cell("reused", 7, lambda row: f"{row.reused:,}" if row.reused else "–"),
    _Cell("recalls", 8, lambda row: f"{row.recalls:,}"),
    _Cell("state kept", 11, lambda row: "–" if row.state.share is None else percent(row.state.share)),
    _Cell("going on", 9, lambda row: "–" if row.state.going_on is None else percent(row.state.going_on)),
    _Cell("revived", 8, lambda row: f"{row.state.revived:,}"),
    _Cell("invented", 9, lambda row: row.state.stated),
)
_STATE = ("state kept", "going on", "revived", "invented")
_EXPENDABLE = ("reused", "recalls", "invented", "revived", "going on", "state kept", "uncached", "times", "peak")
"""Columns that narrow terminals hide, in this order."""


def table(rows: Sequence[TrialResult], order: str | None = None) -> Iterator[str]:
    """Yield the table, and the columns that do not fit.

    A name that is too long for its column gets its own line above the numbers.

    Args:
        rows: Rows of the table.
        order: Title or name of a column that is always shown.
    """
    all_columns = _telling_columns(rows)
    columns = _fitting_columns(all_columns, order)
    room = max(_MIN_WIDTH, min(_room_for(columns), max(cells(one_line(row.name)) for row in rows)))
    titles = "".join(column.title.rjust(column.room) for column in columns)
    yield paint(f"  {filled('preset', room)}{titles}", "dim")
    best = recommend_preset(rows).best
    for row in rows:
        yield from _row_lines(row, columns, room, best)
    if hidden := [column.title for column in all_columns if column not in columns]:
        words = f"Hidden at {width():,} columns: {', '.join(hidden)}. A wider terminal and --json show them."
        yield from (paint(line.rstrip(), "dim") for line in lines_of(words, width()))


def _telling_columns(rows: Sequence[TrialResult]) -> list[_Cell]:
    """Return the columns in which any row has a value."""
    empty = {name for name in ("recalls", "reused") if not any(getattr(row, name) for row in rows)}
    empty.update([] if any(row.state.items for row in rows) else _STATE)
    return [cell.widen(rows) for cell in _CELLS if cell.title not in empty]


def _fitting_columns(columns: list[_Cell], order: str | None) -> list[_Cell]:
    """Return the columns that fit on the terminal, among them the one that the rows are sorted by."""
    ordered = column_name(order) if order else ""
    for title in _EXPENDABLE:
        if _room_for(columns) < _MIN_WIDTH and column_name(title) != ordered:
            columns = [cell for cell in columns if cell.title != title]
    return columns


def _row_lines(row: TrialResult, columns: Sequence[_Cell], room: int, best: TrialResult | None) -> Iterator[str]:
    """Yield the lines of a row.

    Args:
        row: The preset and its replay.
        columns: Columns to show.
        room: Columns for the name.
        best: The best row.
    """
    numbers = "".join(column.text(row).rjust(column.room) for column in columns)
    mark = paint(row.sign(best), "good" if row is best else "accent" if row.pareto else "dim")
    sendable = paint("✓", "good") if row.sendable else paint("✗", "bad")
    ink: Ink | None = "strong" if row.pareto else None
    name = one_line(row.name)
    if cells(name) > room:
        for line in fold(name, width() - 2):
            yield f"{mark} {paint(line, ink)}"
            mark = " "
        name = ""
    yield f"{mark} {paint(filled(name, room), ink)}{numbers} {sendable}"
    if row.basis != "simulated":
        estimates = row.parts.describe_estimates(row.reported.cost if row.reported else None)
        rest = f" with {estimates}" if estimates else ""
        yield paint(f"  ↳ cost as {row.basis}{rest}; simulated as the other rows: {dollars(row.simulated)}", "dim")


def _plot(rows: Sequence[TrialResult]) -> Iterator[str]:
    """Yield the scatter plot: tokens sent to the right, retained facts upward, Pareto-optimal rows connected."""
    if not any(row.compressions for row in rows) or not any(row.retention for row in rows):
        return
    best = recommend_preset(rows).best
    few = len(rows) <= 2 * _SIDE_BY_SIDE
    points = tuple([_plot_point(row, best, few) for row in rows])
    columns = min(width(), _PLOT_MAX) - _PLOT_LEFT - 1
    plane = Plane(points, columns, _PLOT_ROWS, cells)
    signs = _plot_cells(plane)
    yield ""
    yield paint(" facts kept", "dim")
    for row in range(_PLOT_ROWS):
        line = "".join(signs.get((column, row), " ") for column in range(columns))
        yield f"{paint(share_at(plane, row).rjust(_PLOT_LEFT - 1), 'dim')} {line}".rstrip()
    left, right = f"{plane.fewest:,}", f"{plane.most:,} tokens sent"
    yield paint(f"{'':{_PLOT_LEFT}}{left}  {'↖ better':<{columns - len(left) - len(right) - 2}}{right}", "dim")


def _plot_cells(plane: Plane) -> dict[Cellular, str]:
    """Return the cells of the plot. A name is in its first cell, and its other cells are empty."""
    spots = {plane.cell(point): point for point in sorted(plane.points, key=lambda point: (point.best, point.front))}
    signs = {cell: paint(char, "dim") for cell, char in plane.line.items()}
    for (column, row), point in plane.names("", spots):
        signs |= {(column + step, row): "" for step in range(1, cells(point.name))}
        signs[column, row] = paint(point.name, "good" if point.best else None)
    return signs | {cell: paint(point.sign, "good" if point.best else None) for cell, point in spots.items()}


def _plot_point(row: TrialResult, best: TrialResult | None, few: bool) -> Point:
    name = clip(_KEY.sub("", row.name), 24)
    return Point(name, row.tokens_sent, row.retained, row.pareto, row is best, row.sendable, few or row.pareto)


def _room_for(columns: Sequence[_Cell]) -> int:
    """Return the columns left for a name."""
    return width() - 4 - sum(cell.room for cell in columns)


def class_lines(rows: Sequence[TrialResult], weights: Weights | None = None) -> Iterator[str]:
    """Yield the retained facts per class and their weights, for a few rows side by side; of many rows, those of the
    front.

    Rows that all retain everything need no such table.
    """
    columns = rows if len(rows) <= _SIDE_BY_SIDE else _front(rows)[:_SIDE_BY_SIDE]
    classes = dict.fromkeys(name for row in rows for name in row.retention)
    if not classes or not any(row.compressions for row in rows):
        return
    yield ""
    share = min(_SHARE, (width() - _CLASS) // len(columns))
    yield from _class_heading(columns, share)
    for name in classes:
        shares = [row.share(name) for row in columns]
        texts = "".join(("–" if value is None else percent(value)).rjust(share) for value in shares)
        yield f"{filled(name, _CLASS - 5)}{weight_of(name, weights):<5}{texts}"


def _front(rows: Sequence[TrialResult]) -> Sequence[TrialResult]:
    """Return the rows of the Pareto front, or all rows if none is valid."""
    return [row for row in rows if row.pareto] or rows


def _class_heading(rows: Sequence[TrialResult], share: int) -> Iterator[str]:
    """Yield the names of the rows as headings of columns, wrapped if they are long."""
    names = [wrapped(_KEY.sub("", one_line(row.name)), share - 1) for row in rows]
    for place in range(max(map(len, names))):
        heading = filled("" if place else "kept   weight", _CLASS)
        yield paint(heading + "".join(_align_right(name, place, share) for name in names), "dim").rstrip()


def weight_of(name: str, weights: Weights | None) -> str:
    """Return the weight of a fact class."""
    cls = fact_class(name)
    return f"×{weights[cls] if weights else CLASSES[cls].weight:g}"


def _align_right(lines: Sequence[str], place: int, room: int) -> str:
    """Return a line of a wrapped heading, aligned right."""
    text = clip(lines[place], room - 1) if place < len(lines) else ""
    return " " * (room - cells(text)) + text


def _table_notes(rows: Sequence[TrialResult], subject: TrialSetup) -> Iterator[str]:
    """Yield the notes that explain the table."""
    if any(row.pareto for row in rows) and any(row.compressions for row in rows):
        yield (
            f"{ON} Pareto-optimal: no other row that may be recommended sends fewer tokens and keeps at least as "
            "much, or keeps more for as many."
        )
    yield (
        "These are figures of one session, so they have no intervals. `inspector tune FOLDER` compares presets over "
        "sessions, with 95% intervals by session."
    )
    yield from _unsendable_notes(rows, subject.sizes.limit)
    yield from _discouraged_notes(rows)
    yield from (f"{row.name}: {row.gave_up}" for row in rows if row.gave_up)
    for row in rows:
        if row.reused:
            yield (
                f"{row.name}: {row.reused:,} of its replies used facts that its context does not contain, from an "
                "unknown source. These are no regrets."
            )
    yield from (f"{row.name}: {describe_rereads(row.rereads)}" for row in rows if row.rereads)
    yield price_text(subject.price, any(row.compressions and row.preset.enabled for row in rows))
    yield cache_text(rows[0].lifetime)
    yield from reported_text(next((row.reported for row in rows if row.reported), None))


def _discouraged_notes(rows: Sequence[TrialResult]) -> Iterator[str]:
    """Yield the notes on rows that removed content too early to be measured by regrets, or with absurd thresholds."""
    if hasty := [row.name for row in rows if row.haste]:
        yield f"{HASTY} not recommended, removes content right after it was read: {listed(hasty, _SIDE_BY_SIDE)}."
    if unwritten := [row.name for row in rows if row.is_unwritten]:
        yield f"{HASTY} not recommended, no usable summaries: {listed(unwritten, _SIDE_BY_SIDE)}."
    if unfit := [row.name for row in rows if row.misfit]:
        yield f"{HASTY} not recommended, does not fit this session: {listed(unfit, _SIDE_BY_SIDE)}."


def _unsendable_notes(rows: Sequence[TrialResult], limit: int) -> Iterator[str]:
    """Yield the notes on invalid rows, with the reasons."""
    if large := [row.name for row in rows if not row.fits]:
        yield f"Exceeds the model's {limit:,} tokens: {listed(large, _SIDE_BY_SIDE)}."
    if invalid := [row.name for row in rows if row.fits and not row.sendable]:
        yield f"✗ invalid, the provider would reject a window: {listed(invalid, _SIDE_BY_SIDE)}."
    if faulty := [row.name for row in rows if row.sendable and not row.valid]:
        yield f"Recorded with problems that a request repairs: {listed(faulty, _SIDE_BY_SIDE)}."


def corpus_lines(rows: Sequence[CorpusRow], verdict: CorpusVerdict, idle: int) -> Iterator[str]:
    """Yield the verdict and the table.

    Args:
        rows: Means of the presets.
        verdict: The best preset.
        idle: Number of sessions that no preset compresses.
    """
    sessions = rows[0].sessions if rows else 0
    rest = f", and {idle:,} that no preset compresses" if idle else ""
    yield paint(f"{plural(sessions, 'session')}{rest}", "strong")
    yield from lines_of(corpus_sentences(verdict), width())
    yield from (paint(line.rstrip(), "dim") for line in lines_of(f"The rule: {verdict.rule}.", width()))
    yield ""
    is_wide = width() >= _WIDE
    free = width() - CORPUS_WIDTH - GOING_ON_WIDTH * is_wide
    room = min(free, _MAX_NAME, max((len(row.preset) + 1 for row in rows), default=0) + 4)
    yield paint(f"  {filled('preset', room)}{corpus_heads(is_wide)}", "dim")
    for row in rows:
        mark = paint(BEST, "good") if row.preset == verdict.best else HASTY if is_excluded(row) else " "
        yield f"{mark} {filled(clip(one_line(row.preset), room - 1), room)}{corpus_cells(row, is_wide)}"
    yield ""
    yield from (paint(line.rstrip(), "dim") for line in lines_of(corpus_notes(rows, is_wide), width()))
