"""Columns for marks in the line under a chart of turns, where several marks can belong to one column."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def free_cells(places: Collection[int], taken: Collection[int], columns: int) -> Iterator[int]:
    """Yield a column for each mark, next to its own column if that one is taken.

    If both neighbours have marks too, the mark keeps its own column.

    Args:
        places: Columns of the marks; the results follow their ascending order.
        taken: Columns with marks of other kinds.
        columns: Number of columns in the line.
    """
    full = {*taken, *places}
    for place in sorted(places):
        beside = (at for at in (place + 1, place - 1) if 0 <= at < columns and at not in full)
        cell = next(beside, place) if place in taken else place
        full.add(cell)
        yield cell
