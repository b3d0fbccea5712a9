"""Annex B of a dossier: what was found when the ground was opened at each pit."""

from __future__ import annotations

from _make.names import Names

from .city import Street
from .costs import plan
from .page import ARCHIVE, Page, sections, table

FOUND = (
    ("made ground with brick, dry", "no hindrance"),
    ("clay, firm", "loosen to 1.2 m"),
    ("sand, loose", "no hindrance"),
    ("ash and slag, black, gritty", "exchange soil to 1.2 m"),
    ("roots of a felled tree", "mill out"),
    ("old setts at 40 cm", "archaeologist to be told"),
    ("clay pipe, broken, dry", "no hindrance"),
    ("timber, wet, smells of tan", "archaeologist to be told"),
    ("gravel, clean", "no hindrance"),
    ("oyster shells and bone", "archaeologist to be told"),
    ("concrete footing, not in any drawing", "break out by hand"),
    ("water at the bottom after an hour", "drain to be laid"),
    ("cable, dead, cut and capped", "pull out"),
    ("loam, dark, good", "no hindrance"),
    ("cellar vault, brick, sound", "shift by 1 m"),
    ("tarred gravel", "to the tip"),
)


def annex(home: Street) -> Page:
    """For the streets whose ground was opened in August 2026."""
    names = Names(f"annex {home.name}")
    done = plan(home)
    rows = []
    for number in range(1, min(done.pits, 26) + 1):
        found, advice = FOUND[names.between(0, len(FOUND) - 1)]
        lead, acid = names.between(9, 240), names.between(58, 84) / 10
        depth, dense = names.between(11, 24) / 10, names.between(8, 46) / 10
        rows.append((f"P{number:02d}", f"{depth} m", found, acid, f"{lead} mg", f"{dense} MPa", advice))
    worst = max(rows, key=lambda row: int(row[4].split()[0]))
    head = ("pit", "depth", "found", "pH", "lead per kg", "penetration", "advice")
    day, lab = 4 + names.between(0, 20), f"LAB-{names.between(3000, 8999)}"
    text = sections(
        ("", f"Trial holes in {home.name}, opened on 2026-08-{day:02d}. Samples under number {lab}."),
        ("Holes", table(head, rows)),
        (
            "Lead",
            f"Highest in {worst[0]}: {worst[4]} a kilogram. Soil above 200 mg must go to the tip at Lye Farm (EUR 61 "
            f"a tonne).",
        ),
        ("Groundwater", f"Highest at {names.between(9, 31) / 10} m below the paving, read on 2026-08-{day + 2:02d}."),
    )
    gist = f"{home.name}: {len(rows)} trial holes ({lab}), most lead in {worst[0]} ({worst[4]}/kg)"
    return Page(
        f"{ARCHIVE}/works/dossiers/{home.key}/annex-b",
        f"Annex B: trial holes in {home.name}",
        f"2026-08-{day + 4:02d}",
        text,
        gist,
    )
