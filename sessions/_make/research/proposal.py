"""The twelve streets in the end, and the sums that the memo gives."""

from __future__ import annotations

from dataclasses import dataclass

from .city import Street, named
from .costs import PIT, SURFACE, TREE, plan

FRAME, RESERVE, PARKING = 1_620_000, 8, 90
USABLE = FRAME * (100 - RESERVE) // 100


@dataclass(frozen=True)
class Choice:
    """One street of the proposal. `pits` and `surface` differ from the dossier where the limits asked for it."""

    home: Street
    pits: int
    surface: int
    species: str

    @property
    def cost(self) -> int:
        return self.pits * (PIT + TREE) + self.surface * SURFACE

    @property
    def parking(self) -> int:
        return min(self.home.parking, (self.pits + 1) // 2)


def choice(name: str, species: str, pits: int | None = None, surface: int | None = None) -> Choice:
    home = named(name)
    done = plan(home)
    return Choice(home, done.pits if pits is None else pits, done.surface if surface is None else surface, species)


CHOICES = (
    choice("Saltergate", "ornamental pear"),
    choice("Glover's Row", "ornamental pear"),
    choice("Lantern Street", "hop hornbeam", 23),
    choice("Tannery Row", "field maple"),
    choice("Weavers' Walk", "ornamental pear"),
    choice("Northbank Terrace", "honey locust", 18),
    choice("Union Street", "Persian ironwood", 17, 0),
    choice("Brewhouse Lane", "field maple"),
    choice("Chandler's Yard", "snowy mespil"),
    choice("Bishop's Rise", "hop hornbeam", 15),
    choice("Kiln Lane", "field maple"),
    choice("Mill Street", "hop hornbeam", 17),
)
COST = sum(choice.cost for choice in CHOICES)
PITS = sum(choice.pits for choice in CHOICES)
PLACES = sum(choice.parking for choice in CHOICES)


def share(species: str) -> float:
    """Per cent of all trees."""
    return 100 * sum(choice.pits for choice in CHOICES if choice.species == species) / PITS
