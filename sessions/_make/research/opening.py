"""The beginning of the research: what was decided, what data there is, which stations can be trusted, how to rank."""

from __future__ import annotations

from .queries import NIGHTS, SCORE
from .talk import Talk, note, opened, query, search

SYSTEM = """
You are the research assistant of the climate office of the city of Halvern. You work for its head and write for the
council.

Rules
1. Every number that you give carries its source: station and dates, page, or query. A number without a source must
  not be in the memo.
2. Amounts are euros without VAT. Temperatures are air temperatures at 3 m unless you say otherwise.
3. A value of a faulty station must not be quoted without its correction.
4. A decision of the user goes into the notebook with the tool `note`, the moment it is made.
5. You never promise a street to anyone. The council decides.
6. When sources contradict each other, say so and name both.
"""


def on_progress(talk: Talk) -> None:
    talk.system(SYSTEM)
    decided(talk)
    data(talk)
    trusted(talk)
    by_night(talk)
    formula(talk)


def decided(talk: Talk) -> None:
    talk.user(
        """
        By Friday 11 September the council needs our proposal: which 12 of the 24 streets on the long list get trees
        and light surfaces in the winter 2026/27. We have 1.8 million. I want to be able to defend every street in
        public, so build it up from the evidence and keep notes. Start with what the council has decided so far, and
        with what data we have.
        """
    )
    talk.do("I begin with the decisions.", search("minutes council cooling programme trees light surfaces decision", 8))
    talk.do("", opened("council/2026-01-20"), opened("council/2026-04-14"))
    talk.do(
        "The frame of January and the rules of April. The list of hits has a later decision about the money; that "
        "first.",
        opened("council/2026-08-25"),
    )
    talk.do("", opened("council/2026-03-03"), opened("council/2026-05-26"), opened("council/2026-06-30"))
    talk.do(
        "",
        note(
            "What the council has decided",
            """
            Frame EUR 1.62 million since 2026-08-25 (before: 1.80). Reserve of 8 % of it must not be planned, so
            1,490,400 can be. At most 90 parking places lost, at most 30 % of one species, tender HV-26-118, watering
            from KL-07 (2026-04-14). Kiln Lane promised whatever its rank (2026-03-03). No planes, no limes over
            parking (2026-05-26). H-07 never without its correction (2026-06-30). Due 2026-09-11.
            """,
        ),
    )


def data(talk: Talk) -> None:
    talk.do("Now the data.", query("select name, sql from sqlite_master where type = 'table' order by name"))
    talk.do(
        "",
        query(
            "select count(*) as rows, count(distinct station) as stations, min(at) as first, max(at) as last from air"
        ),
        query(
            "select district, count(*) as streets, sum(residents) as residents, sum(length_m) as metres from streets "
            "group by 1 order by 1"
        ),
        query(
            "select species, count(*) as trees, sum(condition = 'poor') as poor, min(planted) as oldest from trees "
            "group by 1 order by 2 desc, 1"
        ),
    )
    talk.do("", query("select * from streets order by name"))
    talk.say(
        """
        **Decided so far.** One thing first: it is not 1.8 million any more. On 25 August the council cut the frame to
        EUR 1.62 million, and the reserve of 8 % (14 April) is counted on the new frame, so **EUR 1,490,400** can be
        planned. Further: at most 90 parking places lost in all, no species above 30 % of the trees, no planes, no
        limes over parking, prices of tender HV-26-118, watering from another budget (KL-07). Kiln Lane was promised
        on 3 March "whatever its rank".

        **Data.** 24 stations, one to a street, and two of the weather service (R-1 Abbey Park, R-2 airfield), hourly
        from 9 to 22 July 2026; the streets with their sizes, residents and pipes; 156 trees; heat-related ambulance
        calls by district and day. Besides there are the dossiers of the works department, 14 studies, and a sheet for
        each station. All in note N-01.
        """
    )


def trusted(talk: Talk) -> None:
    talk.user(
        """
        I had missed August, thank you. Then 1.49 it is. Before you rank anything: which stations can we trust? There
        was something about the one near the tannery. Read all the sheets, not only that one; in June a member asked
        "how many others", and I will not be asked that twice.
        """
    )
    read_sheets(talk)
    talk.do(
        "The sheets name three. I check in the data whether there are others that repeat themselves.", query(REPEATED)
    )
    talk.do(
        "Only H-19. And the fault of H-07 against its neighbour in Glover's Row, hour by hour on two days:",
        query(SIDE_BY_SIDE),
        query("select at, c from air where station = 'H-19' and at like '2026-07-15%' order by at"),
    )
    talk.do(
        "",
        note(
            "Stations: two faults",
            """
            H-07 (Tannery Row): shield lost 2026-06-11, 1.4 too high by day, 0.7 at night; order 4471. H-19 (Kiln
            Lane): repeated 33.3 on 2026-07-15 from 13:00 to 19:00. H-12 (Quay Street): sea breeze before 12:00. The
            other 21 within 0.2. Source: sheets of 2026-07-31.
            """,
        ),
    )
    talk.say(
        """
        Of 24 stations, 21 can be used as they are. Three cannot:

        | station | street | what | what to do |
        |---|---|---|---|
        | H-07 | Tannery Row | shield broken since 2026-06-11 | subtract 1.4 °C by day, 0.7 °C at night |
        | H-19 | Kiln Lane | memory full, repeated 33.3 °C on 15 July, 13:00 to 19:00 | leave those hours out |
        | H-12 | Quay Street | 7 m from the water | nights and afternoons only |

        I have looked for other repeats in the data and found none. So the answer to the member is: one wrong for
        weeks, one for six hours.
        """
    )


def read_sheets(talk: Talk) -> None:
    talk.do("", query("select id, street, instrument, since from stations order by id"))
    keys = [f"stations/h-{number:02d}" for number in range(1, 25)]
    words = {
        4: "Four sheets, nothing but small drifts. On.",
        8: "H-07 is the one near the tannery: five plates of its shield are gone since 11 June.",
        20: "H-19 repeated one value for six hours on 15 July.",
    }
    for start in range(0, 24, 4):
        if start == 12:
            talk.say(
                "Half of the sheets. H-07 has lost its shield, H-12 is sound but stands by the water. The rest is dull."
            )
            talk.user("Dull is what I want to hear. Read the other half as carefully, please.")
        talk.do(words.get(start, ""), *(opened(key) for key in keys[start : start + 4]))


REPEATED = """select station, substr(at, 1, 10) as day, c, count(*) as hours from air
group by station, day, c having count(*) >= 5 order by hours desc, station, day"""
SIDE_BY_SIDE = """select a.at, a.c as h07_tannery_row, b.c as h18_glovers_row, round(a.c - b.c, 1) as difference
from air a join air b on b.at = a.at where a.station = 'H-07' and b.station = 'H-18'
and a.at >= '2026-07-16' and a.at < '2026-07-18' order by a.at"""


def by_night(talk: Talk) -> None:
    talk.user(
        """
        Good. Keep H-07 with the correction, do not throw it out: Tannery Row must not lose its place because we lost
        a shield. H-19 without those six hours. And rank by the lowest temperature of the night, not by the afternoon.
        People die when they cannot cool down at night.
        """
    )
    talk.do(
        "",
        note(
            "Decision: H-07 corrected, H-19 without six hours",
            "Head of office, today. Ranking by lowest temperature of the night, 00:00 to 08:00.",
        ),
        query(NIGHTS),
    )
    talk.do(
        "Uncorrected, Tannery Row is second with 22.57; with 0.7 off it is 21.87. Night by night, to see whether the "
        "order holds:",
        query(
            "select substr(at, 1, 10) as night, station, min(c) as lowest from air where substr(at, 12, 2) < '08' "
            "and station like 'H-%' group by 1, 2 order by 1, 3 desc, 2"
        ),
    )
    talk.do(
        "",
        query(
            "select station, sum(c >= 20) as tropical_hours, max(c) as highest from air where substr(at, 12, 2) < '08' "
            "group by 1 order by 2 desc, 1"
        ),
        query(
            "select substr(at, 12, 2) as hour, round(avg(c), 1) as park from air where station = 'R-1' group by 1 "
            "order by 1"
        ),
    )
    talk.say(
        """
        By the mean of 14 nightly minima (9 to 22 July, 00:00 to 08:00, H-07 minus 0.7): Chandler's Yard 22.58, Copper
        Lane 22.44, Weavers' Walk 22.41, Saltergate 22.30, Glover's Row 22.14, Lantern Street 21.96, Tannery Row
        21.87, Brewhouse Lane 21.86, Kiln Lane 21.76, Union Street 21.16, Foundry Street 21.01, Northbank Terrace
        20.89. The park (R-1) has 17.57. The first nine stay the first nine in every one of the 14 nights; below that
        the order changes by a tenth or two.
        """
    )


def formula(talk: Talk) -> None:
    talk.user(
        """
        That finds hot streets. I need streets where it hurts. Weigh it with the people: score = 0.5 × night above the
        park + 0.3 × residents over 65 + 0.2 × ambulance calls per 1,000 of the district, each divided by its largest
        value. Keep exactly that formula, it will be asked for.
        """
    )
    talk.do(
        "",
        note(
            "Decision: the formula",
            "score = 0.5 night above R-1 (17.57) + 0.3 residents over 65 + 0.2 calls per 1,000 in the district, each "
            "/ its maximum.",
        ),
        query("select district, day, calls from calls order by district, day"),
    )
    talk.do("", query("select district, sum(calls) as calls from calls group by 1 order by 2 desc, 1"), query(SCORE))
    talk.say(
        """
        With your formula: 1 Saltergate 0.898, 2 Glover's Row 0.890, 3 Lantern Street 0.889, 4 Tannery Row 0.882, 5
        Weavers' Walk 0.862, 6 Copper Lane 0.847, 7 Northbank Terrace 0.782, 8 Foundry Street 0.770, 9 Union Street
        0.761, 10 Brewhouse Lane 0.746, 11 Chandler's Yard 0.739, 12 Bishop's Rise 0.684. Then Kiln Lane 0.682, two
        thousandths behind, and Mill Street 0.665. The hottest street by night, Chandler's Yard, falls to 11 because
        only 54 people over 65 live there.

        With the promise of 3 March Kiln Lane would come in as thirteenth, so one street has to go out. I'd leave that
        open until the dossiers are read.
        """
    )
