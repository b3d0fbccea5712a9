"""The works department's dossier of each street: profile, trees, pipes, temperatures, remarks, and what can be done."""

from __future__ import annotations

from _make.names import Names

from .city import DAYS, FIRST, Station, Street, measurements, station_in, streets, trees
from .costs import GAS_RULE, PIT, SURFACE, TREE, money, plan
from .page import ARCHIVE, Page, sections, table
from .remarks import REMARKS

SOILS = (
    "made ground over clay",
    "river sand",
    "rubble of the old town, 1.4 m",
    "clay, dense below 60 cm",
    "sandy loam",
)
COVERS = ("asphalt", "concrete slabs", "granite setts", "basalt setts", "brick, laid on edge")


def dossiers() -> list[Page]:
    return [dossier(number, home) for number, home in enumerate(streets(), start=1)]


def dossier(number: int, home: Street) -> Page:
    names = Names(f"dossier {home.name}")
    done = plan(home)
    text = sections(
        ("", opening(home)),
        ("Profile", profile(home, names)),
        ("Trees that stand there", inventory(home)),
        ("Pipes and cables", pipes(home, names)),
        (f"Station {station_in(home.name).id}, {FIRST:%d %B} to 22 July 2026", days(station_in(home.name))),
        ("Pits", pits(home, names)),
        ("What people said", "\n".join(f"- {remark}" for remark in REMARKS[home.name])),
        ("Conclusion", conclusion(home)),
    )
    title = f"Street dossier {number:02d}: {home.name}"
    return Page(
        f"{ARCHIVE}/works/dossiers/{home.key}", title, f"2026-08-{3 + number % 20:02d}", text, gist(home, done.pits)
    )


def gist(home: Street, pits: int) -> str:
    done = plan(home)
    side = "both sides" if done.sides == "both" else f"{done.sides} side"
    words = f"{home.name}: {pits} pits ({side}), {done.surface:,} m² of light surface"
    gas = f", gas main {home.gas} at {home.gas_from_kerb} m" if home.gas else ", no gas main"
    return f"{words}, {money(done.cost)}{gas}, {done.parking_lost} parking places lost"


def opening(home: Street) -> str:
    shape = home.height / home.width
    if home.tram:
        return (
            f"{home.name} ({home.district}) carries tram line 4 over its whole length of {home.length} m. It is "
            f"{home.width} m wide between the fronts. Any crown must leave 4.60 m clear above the rails and 2.20 m "
            f"beside the wire."
        )
    if shape > 1.35:
        return (
            f"Between {home.height} m of wall on either side, {home.name} is {home.width} m wide and {home.length} m "
            f"long. The sun reaches the paving for two hours around noon; at night the walls do not see the sky. "
            f"{home.residents} residents, {home.old} % above 65, in {home.district}."
        )
    if shape > 1.1 and home.old > 22:
        return (
            f"{home.residents} people live on the {home.length} m of {home.name} ({home.district}), and {home.old} % "
            f"of them are above 65. The houses are {home.height} m high, the street is {home.width} m wide, and "
            f"{home.canopy} % of it lie under crowns."
        )
    if shape > 1.1:
        return (
            f"A narrow street of {home.length} m in {home.district}: the houses are {home.height} m high and stand "
            f"{home.width} m apart, so that the paving sees little sky and gives its heat back late. "
            f"{home.residents} people live here, {home.old} % of them above 65."
        )
    if home.canopy > 15:
        return (
            f"{home.name} in {home.district} has shade already: {home.canopy} % of its {home.length} by {home.width} "
            f"m lie under crowns. It is on the long list because of its {home.residents} residents ({home.old} % "
            f"above 65)."
        )
    return (
        f"{home.name}, {home.district}: {home.length} m long, {home.width} m wide, {home.canopy} % under crowns, "
        f"surface albedo {home.albedo}. Of {home.residents} residents {home.old} % are above 65; there are "
        f"{home.parking} parking places."
    )


def profile(home: Street, names: Names) -> str:
    rows = []
    for metre in range(0, home.length, max(30, home.length // 11)):
        left, right = (round(home.width * names.between(10, 24) / 100, 1) for _ in range(2))
        cover, lamp = COVERS[names.between(0, 4)], f"L{names.between(100, 989)}" if names.between(0, 1) else "none"
        cellar = ("none", "front", "front, 1.1 m deep", "unknown")[names.between(0, 3)]
        rows.append((metre, left, right, cover, names.between(8, 24) / 100, lamp, cellar))
    return table(("metre", "pavement left m", "right m", "surface", "albedo there", "lamp", "cellars"), rows)


def inventory(home: Street) -> str:
    rows = [(t.tag, t.species, t.planted, t.girth, t.condition) for t in trees() if t.street == home.name]
    head = ("tag", "species", "planted", "girth cm", "condition")
    return f"{len(rows)} in the inventory of 2026-02-15.\n\n{table(head, rows)}"


def pipes(home: Street, names: Names) -> str:
    rows: list[tuple[object, ...]] = []
    if home.gas:
        state = "steel, 1971, renewal not planned" if home.gas != "G-17" else "steel, 1964, renewal under review"
        rows.append(
            (home.gas, "gas main", f"{home.gas_from_kerb} m from the kerb", f"{names.between(80, 120)} cm", state)
        )
    rows.append(
        (
            f"W-{names.between(10, 99)}",
            "water",
            f"{names.between(20, 45) / 10} m",
            f"{names.between(110, 150)} cm",
            "cast iron",
        )
    )
    rows.append(
        (
            f"S-{names.between(10, 99)}",
            "sewer",
            "middle",
            f"{names.between(210, 340)} cm",
            f"brick, {names.between(1888, 1934)}",
        )
    )
    rows.append(
        (
            f"E-{names.between(200, 899)}",
            "low voltage",
            f"{names.between(3, 9) / 10} m",
            "60 cm",
            f"{names.between(2, 5)} cables",
        )
    )
    rows.append(
        (
            f"F-{names.between(200, 899)}",
            "fibre",
            f"{names.between(2, 8) / 10} m",
            "45 cm",
            f"laid {names.between(2018, 2025)}",
        )
    )
    return table(("name", "what", "where", "depth", "remarks"), rows)


def days(station: Station) -> str:
    rows = []
    values = [value for name, _, value in measurements() if name == station.id]
    for day in range(DAYS):
        of_day = values[24 * day : 24 * day + 24]
        warm = sum(value > 30 for value in of_day)
        low, high = min(of_day), max(of_day)
        rows.append((f"{9 + day} July", low, f"{of_day.index(low):02d}:00", high, f"{of_day.index(high):02d}:00", warm))
    head = ("day", "lowest °C", "at", "highest °C", "at", "hours above 30")
    return f"Instrument: {station.instrument}. Values as recorded, not corrected.\n\n{table(head, rows)}"


def pits(home: Street, names: Names) -> str:
    done = plan(home)
    rows = []
    for number in range(1, min(done.pits, 18) + 1):
        conflict = ("none", "none", "none", "lamp to be moved", "cellar: root barrier", "drain 0.8 m")[
            names.between(0, 5)
        ]
        side = done.sides if done.sides != "both" else ("left", "right")[number % 2]
        rows.append((names.between(4, home.length - 4), side, names.between(90, 160) / 10, conflict))
    numbered = [(f"P{number:02d}", *row) for number, row in enumerate(sorted(rows), start=1)]
    rest = f"\n\nThe other {done.pits - 18} pits are in annex B." if done.pits > 18 else ""
    return table(("pit", "metre", "side", "soil m³", "conflict"), numbered) + rest


def conclusion(home: Street) -> str:
    done = plan(home)
    close = home.gas and home.gas_from_kerb < GAS_RULE
    gas = f"Gas main {home.gas} lies {home.gas_from_kerb} m from the kerb"
    rule = (
        f"{gas}, less than the {GAS_RULE} m that a pit must keep: nothing may be dug on that side."
        if close
        else (f"{gas}; pits keep {GAS_RULE} m from it." if home.gas else "There is no gas main in the way.")
    )
    return (
        f"{done.pits} pits ({done.sides}), {done.surface:,} m² of carriageway can be made light. Cost: {done.pits} × "
        f"({PIT:,} + {TREE}) + {done.surface:,} × {SURFACE} = **{money(done.cost)}** without VAT. "
        f"{done.parking_lost} of {home.parking} parking places go. {rule}"
    )
