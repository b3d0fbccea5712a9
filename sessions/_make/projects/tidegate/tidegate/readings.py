"""Readings of the gauge: one row every ten minutes, written in UTC by the gauge itself."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from tidegate.gate import HARBOUR


class OutOfOrderError(ValueError):
    """A row that does not come after the row before it."""


@dataclass(frozen=True)
class Reading:
    """The water level at one moment, in centimetres above datum."""

    at: datetime
    level: int
    estimated: bool = False


def load(path: Path) -> list[Reading]:
    """All readings of a file, oldest first."""
    readings: list[Reading] = []
    with path.open(newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            at = datetime.fromisoformat(row["utc"]).astimezone(HARBOUR)
            if readings and at <= readings[-1].at:
                raise OutOfOrderError(f"{path.name}, line {number}: {row['utc']} is not after the row before it")
            readings.append(Reading(at, int(row["level_cm"]), row["quality"] == "est"))
    return readings


def of_day(readings: Sequence[Reading], day: date) -> list[Reading]:
    """The readings of one local day."""
    return [reading for reading in readings if reading.at.date() == day]
