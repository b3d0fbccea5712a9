"""Signs in the line under a chart of turns, where several may belong to one column."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def free_cells(places: Collection[int], taken: Collection[int], columns: int) -> Iterator[int]:
    """Where signs stand that belong to some of the columns: each there, or beside it where another sign is `taken`.

    Where both neighbours have signs too, it takes the cell of its place all the same.
    """
    full = {*taken, *places}
    for place in sorted(places):
        beside = (at for at in (place + 1, place - 1) if 0 <= at < columns and at not in full)
        cell = next(beside, place) if place in taken else place
        full.add(cell)
        yield cell
