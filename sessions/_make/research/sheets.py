"""Sheets of the measuring stations: what instrument, how far off at each check, and who touched it when."""

from __future__ import annotations

from datetime import date, timedelta

from _make.names import Names

from .city import SHIELD_ERROR, Station, stations
from .page import ARCHIVE, Page, sections, table

VISITS = (
    "spider web across the inlet removed",
    "battery 3.61 V, changed",
    "logger clock 48 s slow, set",
    "lamp post repainted grey; station hung on a pole in front of No 12 for nine days",
    "memory read out, nothing missing",
    "screws tightened after the storm of the night before",
    "bird's nest behind the shield, left in place until fledged",
    "resident asked what it is; leaflet handed over",
    "scaffold beside the post, shade from 14:00; noted",
    "shield washed",
    "firmware 2.8 to 2.9, no change in values seen",
    "post struck by a van, angle corrected by 12 degrees",
    "window of a climate unit blows towards the post; reported to the owner",
    "compared with hand-held reference for 30 minutes, difference within 0.1",
    "cable tie replaced",
    "snow on the roof of the shield, brushed off",
)
SPECIAL = {
    "H-07": (
        "The upper five plates of the radiation shield are missing since 2026-06-11 (found on the ground that day, "
        "broken; photo 0611-3). Compared with the hand-held reference on 2026-06-12, 06-19 and 07-03, it reads "
        f"**{SHIELD_ERROR} °C too high while the sun is on the street and {SHIELD_ERROR / 2} °C too high at night**. "
        "A new shield is ordered (order 4471) and had not come by 31 July.",
        "Use with correction: subtract 1.4 by day and 0.7 at night for every value after 2026-06-11.",
    ),
    "H-19": (
        "On 15 July 2026 the logger repeated its value of 13:00 (33.3 °C) until 19:00; the memory was full. Read out "
        "and cleared on 16 July at 08:10. Everything before and after agrees with the neighbours.",
        "Leave out 2026-07-15 from 13:00 to 19:00.",
    ),
    "H-12": (
        "Stands 7 m from the water on Quay Street. Sea breeze until noon; not comparable with streets inland before "
        "12:00.",
        "Use for nights and afternoons only.",
    ),
}


def station_sheets() -> list[Page]:
    """Sheets of the stations that are spoken of; the others look the same and say less."""
    return [sheet(station) for station in stations()]


def sheet(station: Station) -> Page:
    names = Names(f"sheet {station.id}")
    finding, use = SPECIAL.get(station.id, ordinary(station, names))
    text = sections(
        (
            "",
            f"{station.id} stands in {station.street}. Instrument: {station.instrument}. In use since {station.since}.",
        ),
        ("Finding", finding),
        ("Checks against the hand-held reference", checks(station, names)),
        ("Visits", "\n".join(visits(names))),
        ("Use", use),
    )
    gist = f"{station.id} ({station.street}): {use[0].lower()}{use[1:]}"
    return Page(f"{ARCHIVE}/stations/{station.id.lower()}", f"Station sheet {station.id}", "2026-07-31", text, gist)


def ordinary(station: Station, names: Names) -> tuple[str, str]:
    drift = names.between(0, 2) / 10
    kind = "aspirated" if "aspirated" in station.instrument else "passively shielded"
    return (
        f"The instrument is {kind}. Over {names.between(6, 14)} checks it was {drift} °C off on average, which is "
        f"within the 0.2 °C that the climate office allows. No gap longer than {names.between(1, 5)} hours since "
        f"January.",
        "Use as it is.",
    )


def checks(station: Station, names: Names) -> str:
    rows = []
    for month in (9, 11, 1, 3, 5, 6, 7):
        day = date(2025 if month > 8 else 2026, month, names.between(13, 27))
        reference = {9: 171, 11: 84, 1: 22, 3: 96, 5: 178, 6: 224, 7: 271}[month] / 10 + names.between(-20, 20) / 10
        late = station.id == "H-07" and day >= date(2026, 6, 11)
        off = names.between(-1, 2) / 10 + (SHIELD_ERROR if late else 0)
        wind = names.between(3, 42) / 10
        rows.append((day, f"{reference:.1f}", f"{reference + off:.1f}", f"{off:+.1f}", wind, names.between(0, 8)))
    return table(("day", "reference °C", "station °C", "difference", "wind m/s", "cloud /8"), rows)


def visits(names: Names) -> list[str]:
    day, lines = date(2025, 9, 4), []
    taken = names.between(0, len(VISITS) - 1)
    for step in range(7):
        day += timedelta(days=names.between(18, 58))
        lines.append(f"- {day}, technician {names.between(2, 9)}: {VISITS[(taken + 5 * step) % len(VISITS)]}")
    return lines
