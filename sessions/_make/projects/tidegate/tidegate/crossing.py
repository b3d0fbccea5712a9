"""When the water passes a level, between two readings."""

from datetime import datetime

from tidegate.readings import Reading


def crossing(before: Reading, after: Reading, level: float) -> datetime:
    """The moment at which the water stood at `level`, taking it to rise or fall evenly between two readings."""
    if before.level == after.level:
        return before.at
    share = (level - before.level) / (after.level - before.level)
    return before.at + (after.at - before.at) * share


def passed(before: Reading, after: Reading, level: float) -> bool:
    """Whether the water passed `level` between the readings."""
    low, high = sorted((before.level, after.level))
    return low < level <= high
