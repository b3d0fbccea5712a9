"""What can be planted in a street, and what it costs. Euros without VAT."""

from __future__ import annotations

from dataclasses import dataclass

from .city import Street

SPACING = 11
"""Metres between two pits."""
GAS_RULE = 1.5
"""Metres that a pit must keep from a gas main."""
PIT, TREE, SURFACE = 5_240, 690, 24
"""A pit with structural soil, a tree of girth 20-25, a square metre of light surface: prices of tender HV-26-118."""


@dataclass(frozen=True)
class Plan:
    """What the works department thinks possible in a street."""

    pits: int
    sides: str
    surface: int
    """Square metres of carriageway that can be made light."""
    parking_lost: int

    @property
    def cost(self) -> int:
        return self.pits * (PIT + TREE) + self.surface * SURFACE


def plan(home: Street) -> Plan:
    """One side in a narrow street, or beside a gas main that is too close; both sides otherwise."""
    close = bool(home.gas) and home.gas_from_kerb < GAS_RULE
    sides = 1 if close or home.width < 12 else 2
    free = 0.62 if home.tram or home.canopy > 15 else 0.74
    pits = int(sides * home.length / SPACING * free)
    side = ("south" if close else "north") if sides == 1 else "both"
    return Plan(pits, side, round(home.length * home.width * 0.042) * 10, min(home.parking, (pits + 1) // 2))


def money(amount: int) -> str:
    """EUR 74,300."""
    return f"EUR {amount:,}"
