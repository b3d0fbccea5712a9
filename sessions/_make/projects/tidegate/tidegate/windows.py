"""Windows: the stretches of time during which the gate can stand open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from tidegate.crossing import crossing, passed
from tidegate.gate import Gate
from tidegate.readings import Reading


@dataclass(frozen=True)
class Window:
    """From opening to closing."""

    opens: datetime
    closes: datetime

    @property
    def minutes(self) -> int:
        return round((self.closes - self.opens).total_seconds() / 60)


def open_windows(readings: Sequence[Reading], gate: Gate) -> list[Window]:
    """The windows that begin and end within the readings, without those that are too short."""
    windows = []
    opened = None
    for moment, opening in turning_points(readings, gate):
        if opening:
            opened = moment
        elif opened is not None:
            windows.append(Window(opened, moment))
            opened = None
    return [window for window in windows if window.minutes >= gate.shortest]


def turning_points(readings: Sequence[Reading], gate: Gate) -> Iterator[tuple[datetime, bool]]:
    """Each moment at which the gate becomes passable (True) or stops being so (False)."""
    for before, after in pairwise(readings):
        for level in edges(before, after, gate):
            rising = after.level > before.level
            yield crossing(before, after, level), rising == (level == gate.lowest)


def edges(before: Reading, after: Reading, gate: Gate) -> list[int]:
    """The limits that the water passed between two readings, in the order in which it passed them."""
    limits = [gate.lowest, gate.highest]
    found = [level for level in limits if passed(before, after, level)]
    return found if after.level > before.level else found[::-1]
