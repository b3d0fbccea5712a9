"""The works department's guidelines: what a tree must keep away from, and how much soil it needs."""

from __future__ import annotations

from _make.prose import prose

from .page import ARCHIVE, Page

PIPES = """
Guideline W-12 of the works department, in force since 2022-10-01.

## Distances
| from        | to a pit at least                                                                     |
|-------------|---------------------------------------------------------------------------------------|
| gas main    | 1.5 m from the edge of the pit; never less, with or without a root barrier            |
| water main  | 1.0 m, or 0.6 m with a barrier                                                        |
| sewer       | 1.0 m above the crown                                                                 |
| cables      | 0.5 m, or in ducts                                                                    |
| house front | 3.0 m                                                                                 |
| hydrant     | 2.0 m                                                                                 |

## Gas mains that will be renewed
No pit may be made within 3 m of a gas main that is marked for renewal, until the renewal is done. The list is kept by
the gas company and changes; ask before each season.

## Fire brigade
3.5 m of clear width and 3.5 m of clear height in every street, yards included.
"""
TRAM = """
Guideline T-4, tram line 4, in force since 2019-05-01.

## Clearance
Crowns must leave 4.60 m clear above the rails and 2.20 m beside the wire, in full leaf and in wind. A crown grows
towards the wire: the distance from trunk to wire must be at least half of the grown crown plus 2.20 m.

## Worked example
Crown of 8 m: 4.00 + 2.20 = 6.20 m from trunk to wire. In Station Parade the wire is 6.50 m from the row of pits, in
Union Street 5.10 m, in Harrow Road 7.40 m.

## Season
Work beside the rails only at night from 01:15 to 04:20, and never in December.
"""
SOIL = """
Guideline S-3: soil for street trees, in force since 2024-01-01.

## Volume
12 m³ for each tree, of which half may lie under paving as structural soil. In a row, neighbours may share a third.
Below 6 m³ no tree may be planted (study S-4: it never reaches 20 m² of crown).

## Side of the street
Plant the side that has the sun after 14:00 first (study S-14). In a street higher than 1.3 times its width plant one
side only and prune for a gap of a third of the width (study S-7).
"""


def guidelines() -> list[Page]:
    return [
        guideline("W-12", "trees and pipes", PIPES, "pits keep 1.5 m from gas mains, 3 m from one marked for renewal"),
        guideline("T-4", "trees and tram", TRAM, "4.60 m above the rails; trunk to wire = half the crown + 2.20 m"),
        guideline("S-3", "soil and side", SOIL, "12 m³ a tree; one side only where height is above 1.3 widths"),
    ]


def guideline(key: str, about: str, text: str, gist: str) -> Page:
    title = f"Guideline {key}: {about}"
    url = f"{ARCHIVE}/works/guidelines/{key.lower()}"
    return Page(url, title, "2026-01-05", prose(text), f"{title}: {gist}")
