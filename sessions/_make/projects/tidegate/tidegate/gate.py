"""What is fixed about the gate itself. All heights in centimetres above datum."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

HARBOUR = ZoneInfo("Europe/Amsterdam")


@dataclass(frozen=True)
class Gate:
    """A gate over a sill: it may stand open while the water is deep enough to pass and not too high for the quay."""

    name: str
    sill: int
    depth: int
    highest: int
    shortest: int
    """Minutes; an opening shorter than this is left out."""

    @property
    def lowest(self) -> int:
        """The lowest level at which ships can pass."""
        return self.sill + self.depth

    def passable(self, level: float) -> bool:
        return self.lowest <= level <= self.highest


WESTERHAVEN = Gate("Westerhaven", sill=-250, depth=310, highest=185, shortest=25)
