"""The long middle: down the ranked list street by street, with the head of the office looking over the shoulder."""

from __future__ import annotations

from .queries import SCORE
from .talk import Talk, note, opened, query, search

ORDER = (
    "saltergate",
    "glovers-row",
    "lantern-street",
    "tannery-row",
    "weavers-walk",
    "copper-lane",
    "northbank-terrace",
    "foundry-street",
    "union-street",
    "brewhouse-lane",
    "chandlers-yard",
    "bishops-rise",
    "kiln-lane",
    "mill-street",
    "market-hill",
    "station-parade",
    "quay-street",
    "ferry-street",
    "harrow-road",
    "priory-close",
    "elm-crescent",
    "orchard-road",
    "wharf-road",
    "linden-avenue",
)
JUDGED = {
    "saltergate": (
        "The gas main at 1.4 m rules out the north side, but 41 households offer their 18 parking places. First "
        "place stands."
    ),
    "glovers-row": "Ratio 1.33: one side, with a gap. The almshouse steps at No 8 are where the shade is needed.",
    "lantern-street": (
        "Both sides would cost more than twice any street so far. By S-14 one side, the one with the sun after 14:00."
    ),
    "tannery-row": "The lime pits under No 6 are in no drawing; the trial holes will show.",
    "weavers-walk": "No cars, no pipes worth the name, but weavers' cellars before 5, 7 and 9.",
    "copper-lane": (
        "Gas main G-17 at 1.2 m, opened four times since 2021 if No 3 is right. I'd ask the gas company before "
        "anything else."
    ),
    "northbank-terrace": "The most residents over 65 of all streets (183). Long and wide, so one side.",
    "foundry-street": "Slag under the paving, and the gas main is G-17 again, the same as in Copper Lane, at 2.9 m.",
    "union-street": "Tram line 4: only narrow crowns. The pits are not the problem, the wires are.",
    "brewhouse-lane": "The brewery's old cold pipe with asbestos on the north side. Costs may rise.",
    "chandlers-yard": "Seven metres. The fire brigade's 3.5 m leave room for nine small trees in pits on one side.",
    "bishops-rise": (
        "They have 18 % of canopy already, and No 1 says so himself. It is here because of its district's calls."
    ),
    "kiln-lane": "The school with 212 children. Rank 13, promised on 3 March.",
    "mill-street": "The mill leat under the pavement from No 4 to No 22 takes the first third of one side.",
    "market-hill": "Protected paving and 38 market stalls. Little is left.",
    "station-parade": "Wide, tram, paving like a stove, but few live there.",
    "quay-street": "Anchors of the quay wall every 6 m. Drawing QW-7 would be needed.",
    "ferry-street": "Floods at spring tide, and the bus every 12 minutes.",
    "harrow-road": "Four rowans died of thirst there in 2020.",
    "priory-close": "The coolest street of the old town.",
    "elm-crescent": "Hop hornbeams do well at No 30. Cool enough to wait.",
    "orchard-road": "Shade enough.",
    "wharf-road": "Sheds on one side, 51 residents over 65 on the other.",
    "linden-avenue": "31 % canopy, and residents who want fewer limes.",
}


def on_progress(talk: Talk) -> None:
    talk.user(
        """
        Now the dossiers, in the order of the score, all 24, so that nobody can say that we stopped reading at twelve.
        With annex B where the ground was opened. One line for each street. Stop me when a street cannot be done.
        """
    )
    walk(talk, ORDER[:6])
    gas(talk)
    talk.user("Go on. Read Foundry Street all the same, I want its dossier on file with the reason beside it.")
    walk(talk, ORDER[6:12])
    cellars(talk)
    talk.user("Fine, that is what the reserve is for. Next six.")
    walk(talk, ORDER[12:18])
    half_way(talk)
    talk.user("Good, that takes a weight off the alderman. The last six, then tell me where we stand.")
    walk(talk, ORDER[18:])
    twelve(talk)


def walk(talk: Talk, keys: tuple[str, ...]) -> None:
    """Open dossier and annex of each street; say what the last one came to before going on."""
    last = ""
    for place, key in enumerate(keys):
        dossier, annex = f"works/dossiers/{key}", f"works/dossiers/{key}/annex-b"
        if place % 3 == 2:
            talk.do(last, opened(dossier))
            talk.do("", opened(annex))
        else:
            talk.do(last, opened(dossier), opened(annex))
        last = f"{talk.page(dossier).gist}. {JUDGED[key]}"
    talk.do(
        f"{last} The trees of the last three:",
        query(
            f"select street, species, planted, girth_cm, condition from trees where street in "
            f"({quoted(talk, keys[-3:])}) order by street, tag"
        ),
    )


def quoted(talk: Talk, keys: tuple[str, ...]) -> str:
    names = [talk.page(f"works/dossiers/{key}").title.split(": ")[1] for key in keys]
    return ", ".join("'" + name.replace("'", "''") + "'" for name in names)


def gas(talk: Talk) -> None:
    talk.user(
        """
        Stop there. The gas company has just answered my letter: G-17 is marked for renewal in 2028, nothing may be
        planted along it before. So Copper Lane is out. Write that down with today's date, 2 September, and check who
        else lies on G-17.
        """
    )
    talk.do(
        "",
        query("select name, gas_main, gas_m, width_m from streets where gas_main = 'G-17' order by name"),
        opened("works/guidelines/w-12"),
    )
    talk.do(
        "",
        note(
            "G-17 is out until 2028",
            """
            Letter of the gas company, told by the head of office on 2026-09-02: G-17 will be renewed in 2028.
            Guideline W-12: no pit within 3 m of a main marked for renewal. Copper Lane (1.2 m) and Foundry Street
            (2.9 m) lie on it. Both out.
            """,
        ),
    )
    talk.say(
        """
        Two streets lie on G-17: **Copper Lane** at 1.2 m and **Foundry Street** at 2.9 m. Guideline W-12 asks for 3 m
        from a main that is marked for renewal, so Foundry Street misses it by ten centimetres and is out as well, at
        least on that side. In the ranking these were 6 and 8.
        """
    )


def cellars(talk: Talk) -> None:
    talk.user(
        """
        Ten centimetres, they will love that in Foundry Street. The rule is the rule. Something else: No 6 in Tannery
        Row spoke of lime pits, and you said the trial holes will show. Did they? And what does lead in the soil do to
        our costs?
        """
    )
    talk.do(
        "I read both again, dossier and annex.",
        opened("works/dossiers/tannery-row"),
        opened("works/dossiers/tannery-row/annex-b"),
    )
    talk.do("", search("lead soil tip Lye Farm tonne", 5))
    talk.say(lime(talk))


def lime(talk: Talk) -> str:
    rows = [
        row.strip("| ").split("|")
        for row in talk.page("works/dossiers/tannery-row/annex-b").text.split("\n")
        if row[:3] == "| P"
    ]
    lead = [(row[0].strip(), int(row[4].split()[0])) for row in rows]
    over = [pit for pit, amount in lead if amount > 200]
    tan = [row[0].strip() for row in rows if "smells of tan" in row[2]]
    worst = max(lead, key=lambda pair: pair[1])
    seen = f"{', '.join(tan)} found wet timber that smells of tan" if tan else "No hole found lime or tan"
    much = f"{', '.join(over)} {'is' if len(over) == 1 else 'are'} above 200 mg" if over else "none is above 200 mg"
    return f"""
        The holes of annex B: {seen}, in {len(rows)} trial holes; the yard of No 6 itself was not opened. So the lime
        pits are neither found nor ruled out, and I would keep the first pits away from No 6.

        Lead: the highest is {worst[0]} with {worst[1]} mg a kilogram, and {much}. Soil above 200 mg goes to the tip
        at Lye Farm for EUR 61 a tonne; a pit of 12 m³ is about 20 tonnes, so EUR 1,220 for each such pit. In Tannery
        Row that is EUR {1220 * len(over):,}, which the reserve can carry.
        """


def half_way(talk: Talk) -> None:
    talk.user(
        """
        We are through 18. Show me the score again with what is out, exactly as the formula has it, I do not want to
        see a new version of it. And how many over 65 have we lost with the two?
        """
    )
    talk.do("The same query as before.", query(SCORE))
    talk.do(
        "",
        query(
            "select name, residents, over65_pct, round(residents * over65_pct / 100.0, 0) as over65 from streets "
            "where name in ('Copper Lane', 'Foundry Street') order by name"
        ),
        query(HOURS),
    )
    talk.say(
        """
        The scores are what they were. Without Copper Lane (98 residents over 65) and Foundry Street (138) we lose
        236. The first twelve that remain are Saltergate, Glover's Row, Lantern Street, Tannery Row, Weavers' Walk,
        Northbank Terrace, Union Street, Brewhouse Lane, Chandler's Yard, Bishop's Rise, Kiln Lane and Mill Street. Kiln
        Lane is now eleventh by right, so the promise of 3 March costs nobody a place.
        """
    )


HOURS = """select s.street, substr(a.at, 12, 2) as hour, round(avg(a.c), 1) as mean
from air a join stations s on s.id = a.station
where s.street in ('Saltergate', 'Union Street', 'Bishop''s Rise', 'Kiln Lane', 'Mill Street', 'Market Hill')
and a.at >= '2026-07-14' and a.at < '2026-07-20' group by s.street, hour order by s.street, hour"""


def twelve(talk: Talk) -> None:
    talk.do(
        "",
        note(
            "The twelve, before sums",
            """
            Saltergate, Glover's Row, Lantern Street, Tannery Row, Weavers' Walk, Northbank Terrace, Union Street,
            Brewhouse Lane, Chandler's Yard, Bishop's Rise, Kiln Lane, Mill Street. Out by G-17: Copper Lane, Foundry
            Street. Next in line: Market Hill, Station Parade.
            """,
        ),
    )
    talk.say(
        """
        All 24 dossiers are read. Nothing in the last six asks for a change: they are cooler by one to three degrees
        at night. Market Hill would be next in line, but its paving is protected (list B, 1974) and the market needs
        its 38 stalls.

        Still open: which species where, the sums, and the parking. Taken as the dossiers have them, the twelve would
        cost far more than 1,490,400 and more than 90 parking places.
        """
    )
