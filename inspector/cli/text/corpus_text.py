"""Text output of presets compared over the sessions of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.experiments import (
    CORPUS_WIDTH,
    GOING_ON_WIDTH,
    CorpusRow,
    CorpusVerdict,
    corpus_cells,
    corpus_heads,
    corpus_notes,
    corpus_sentences,
    is_excluded,
)
from inspector.cli.output import paint, width
from inspector.core.text import BEST, HASTY, clip, filled, lines_of, one_line, plural

_WIDE = 100
"""Width from which the questions for going on are shown."""
_MAX_NAME = 40


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
