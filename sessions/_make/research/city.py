"""The invented city of Halvern: its streets, its stations, and what they measured in the hot weeks of July 2026.

Everything that the research session finds is worked out from this model, so that its numbers agree with each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache

from _make.names import Names

FIRST, DAYS = date(2026, 7, 9), 14
SHIELD_LOST = date(2026, 6, 11)
SHIELD_ERROR = 1.4
"""Degrees that station H-07 reads too high by day since its radiation shield was lost; at night half of it."""
STUCK = datetime(2026, 7, 15, 13), datetime(2026, 7, 15, 19)
"""When station H-19 repeated its last value."""


@dataclass(frozen=True)
class Street:
    """A street on the long list. Lengths in metres; canopy and old (people above 65) in per cent."""

    name: str
    district: str
    length: int
    width: int
    height: int
    """Of the houses."""
    canopy: int
    albedo: float
    residents: int
    old: int
    gas: str
    """The gas main under it, or nothing."""
    gas_from_kerb: float
    tram: bool
    parking: int

    @property
    def key(self) -> str:
        return self.name.lower().replace("'", "").replace(" ", "-")

    @property
    def night(self) -> float:
        """How much warmer than the park it stays at night: tall houses and dark stone."""
        return 1.0 + 2.3 * min(1.6, self.height / self.width) - 0.035 * self.canopy + 6 * (0.22 - self.albedo)

    @property
    def day(self) -> float:
        """How much warmer than the park it gets in the afternoon: no shade."""
        return 2.9 - 0.075 * self.canopy + 5 * (0.22 - self.albedo) + 0.3 * (self.width > 18)


ROWS = """
Tannery Row|Tannery|310|11|14|4|0.13|642|24|G-11|2.4|0|38
Copper Lane|Tannery|240|9|13|2|0.12|518|19|G-17|1.2|0|22
Station Parade|Station Quarter|420|24|16|7|0.15|731|17|||1|0
Mill Street|Millside|360|13|12|9|0.16|588|21|G-08|3.1|0|44
Weavers' Walk|Tannery|190|8|12|3|0.14|404|27|||0|0
Bishop's Rise|Oldgate|280|12|13|18|0.18|366|29|G-02|2.0|0|30
Ferry Street|Millside|330|14|11|6|0.15|472|18|G-08|1.9|0|40
Market Hill|Oldgate|260|21|14|5|0.14|298|26|G-02|4.2|0|0
Lantern Street|Oldgate|350|12|15|3|0.12|701|22|G-03|2.7|0|36
Orchard Road|Harrow Fields|520|16|9|24|0.19|634|20|G-21|3.4|0|88
Harrow Road|Harrow Fields|610|20|10|12|0.15|842|16|G-21|2.2|1|70
Quay Street|Northbank|450|18|13|5|0.14|566|15|||0|52
Saltergate|Oldgate|230|10|14|2|0.13|447|31|G-03|1.4|0|18
Chandler's Yard|Northbank|140|7|11|1|0.14|233|23|||0|0
Foundry Street|Tannery|380|14|12|4|0.11|689|20|G-17|2.9|0|46
Linden Avenue|Harrow Fields|560|22|11|31|0.20|603|25|G-21|4.8|0|96
Priory Close|Oldgate|170|11|9|27|0.19|188|38|||0|20
Kiln Lane|Millside|290|10|12|3|0.13|512|14|G-09|2.1|0|24
Glover's Row|Tannery|200|9|12|2|0.13|431|33|G-11|1.8|0|16
Brewhouse Lane|Millside|250|10|13|5|0.14|476|22|G-09|2.6|0|20
Northbank Terrace|Northbank|400|15|14|8|0.15|654|28|G-14|3.3|0|58
Union Street|Station Quarter|470|17|16|4|0.12|918|18|G-05|2.5|1|34
Wharf Road|Northbank|540|19|10|6|0.13|391|13|G-14|5.0|0|80
Elm Crescent|Harrow Fields|300|14|9|21|0.18|352|30|||0|48
""".strip()


@cache
def streets() -> tuple[Street, ...]:
    """The long list, in the order of the council's annex."""
    return tuple(street(line.split("|")) for line in ROWS.splitlines())


def street(cells: list[str]) -> Street:
    name, district, *sizes, albedo, residents, old, gas, distance, tram, parking = cells
    length, width, height, canopy = map(int, sizes)
    people = int(residents), int(old)
    return Street(
        name,
        district,
        length,
        width,
        height,
        canopy,
        float(albedo),
        *people,
        gas,
        float(distance or 0),
        tram == "1",
        int(parking),
    )


def named(name: str) -> Street:
    return next(street for street in streets() if street.name == name)


@dataclass(frozen=True)
class Station:
    """A logger on a lamp post at three metres; R-1 and R-2 stand on grass and are the reference."""

    id: str
    street: str
    instrument: str
    since: date

    @property
    def number(self) -> int:
        return int(self.id[2:])


@cache
def stations() -> tuple[Station, ...]:
    """One station for each street, and the two of the weather service."""
    names = Names("stations")
    kinds = ("TL-4 logger, aspirated", "TL-4 logger, passive shield", "Pico-H, passive shield")
    found = []
    for place, street in enumerate(streets(), start=1):
        since = date(2024, 4, 2) + timedelta(days=names.between(0, 420))
        found.append(Station(f"H-{place:02d}", street.name, kinds[names.between(0, 2)], since))
    park = Station("R-1", "Abbey Park", "PT100, aspirated", date(2011, 5, 9))
    return (*order_seven(found), park, Station("R-2", "Halvern airfield", "PT100, aspirated", date(1998, 10, 1)))


def order_seven(found: list[Station]) -> list[Station]:
    """The number of a station does not follow the list: the one in Tannery Row is H-07, the one in Kiln Lane H-19."""
    seats = {"Tannery Row": "H-07", "Ferry Street": "H-01", "Kiln Lane": "H-19", "Glover's Row": "H-18"}
    return sorted(
        (Station(seats.get(s.street, s.id), s.street, s.instrument, s.since) for s in found), key=lambda s: s.id
    )


def station_in(name: str) -> Station:
    return next(station for station in stations() if station.street == name)


def hours() -> Iterator[datetime]:
    start = datetime(FIRST.year, FIRST.month, FIRST.day)
    return (start + timedelta(hours=hour) for hour in range(24 * DAYS))


def park(moment: datetime) -> float:
    """Air temperature on the grass of Abbey Park: a heatwave that builds up to 17 July and breaks on the 20th."""
    day = (moment.date() - FIRST).days
    mean = 21.5 + 5.6 * math.exp(-(((day - 8) / 3.4) ** 2)) - (2.6 if day > 10 else 0)
    return mean + (6.1 if day <= 10 else 4.2) * math.cos((moment.hour - 15.5) * math.pi / 12)


def measured(station: Station, moment: datetime, noise: float) -> float:
    """What a station wrote down, with its faults; one decimal."""
    if station.id == "H-19" and STUCK[0] < moment <= STUCK[1]:
        moment = STUCK[0]
    light = max(0.0, math.cos((moment.hour - 14.5) * math.pi / 12))
    value = park(moment) + noise
    if station.id.startswith("H"):
        home = named(station.street)
        value += home.day * light + home.night * (1 - light)
        value += SHIELD_ERROR * (1 if light > 0.3 else 0.5) if station.id == "H-07" else 0
    return round(value - 0.4 * (station.id == "R-2"), 1)


@cache
def measurements() -> tuple[tuple[str, str, float], ...]:
    """(station, moment, degrees) for every hour of the two weeks."""
    rows = []
    for station in stations():
        names, held = Names(f"noise {station.id}"), 0.0
        for moment in hours():
            noise = names.between(-30, 30) / 100
            stuck = station.id == "H-19" and STUCK[0] < moment <= STUCK[1]
            held = held if stuck else noise
            rows.append((station.id, moment.strftime("%Y-%m-%d %H:%M"), measured(station, moment, held)))
    return tuple(rows)


def calls() -> list[tuple[str, str, int]]:
    """(district, day, heat-related ambulance calls)."""
    names, rows = Names("calls"), []
    people: dict[str, list[Street]] = {}
    for home in streets():
        people.setdefault(home.district, []).append(home)
    for district, homes in people.items():
        risk = math.fsum(home.residents * home.old * home.night for home in homes) / 120_000
        for day in range(DAYS):
            moment = datetime(2026, 7, 9, 15) + timedelta(days=day)
            heat = max(0.0, park(moment) - 26) / 4
            rows.append((district, moment.date().isoformat(), max(0, round(risk * heat + names.between(-8, 9) / 10))))
    return rows


SPECIES = (
    "field maple",
    "hop hornbeam",
    "small-leaved lime",
    "London plane",
    "silver lime",
    "rowan",
    "honey locust",
    "ash",
)


@dataclass(frozen=True)
class Tree:
    """A tree of the city's inventory; girth in centimetres at breast height."""

    tag: str
    street: str
    species: str
    planted: int
    girth: int
    condition: str


@cache
def trees() -> tuple[Tree, ...]:
    """The trees that stand on the streets of the long list: about one to three per cent of canopy."""
    names, rows = Names("trees"), []
    for place, home in enumerate(streets()):
        for number in range(max(1, round(home.canopy * home.length / 520))):
            planted = names.between(1958, 2021)
            girth = 12 + round((2026 - planted) * names.between(17, 27) / 10)
            condition = ("good", "good", "fair", "poor", "good", "fair")[names.between(0, 5)]
            species = SPECIES[names.between(0, len(SPECIES) - 1)]
            rows.append(Tree(f"T{place + 1:02d}{number + 1:03d}", home.name, species, planted, girth, condition))
    return tuple(rows)
