"""The end of the research: species, tram, sums, the memo, and a last question that reaches back to the beginning."""

from __future__ import annotations

from .costs import money
from .papers import SPECIES
from .proposal import CHOICES, COST, FRAME, PITS, PLACES, RESERVE, USABLE, share
from .queries import AFTERNOONS, SCORE
from .talk import Talk, note, opened, query, search


def on_progress(talk: Talk) -> None:
    species(talk)
    tram(talk)
    sums(talk)
    hearing(talk)
    memo(talk)
    questions(talk)


def species(talk: Talk) -> None:
    talk.user(
        """
        Species next. You have the rules: no planes, no limes over parking, 30 % at most of one species. Read all the
        sheets, also of those that are ruled out, somebody will ask about the ash.
        """
    )
    talk.do("", search("species sheet crown height price alive nine years", 12))
    keys = [f"trees/species/{row[0].replace(' ', '-').lower()}" for row in SPECIES]
    for start in range(0, 12, 2):
        said = f"{talk.page(keys[start - 1]).gist}." if start else ""
        talk.do(said, opened(keys[start]), opened(keys[start + 1]))
    talk.do("", note("Species that can be used", USED))
    talk.say(
        """
        Six species remain: field maple, hop hornbeam, honey locust, ornamental pear, Persian ironwood, snowy mespil.
        Ruled out: London plane (council, 26 May), both limes (parking), rowan (41 % alive after nine years, S-10;
        four died in Harrow Road), Turkey oak (16 m³ of soil), ash (dieback, not delivered). Persian ironwood takes
        five months to deliver: ordered this week it comes in February, ordered after the council's vote it comes when
        the planting season is over.
        """
    )


USED = """
Field maple (crown 7 m), hop hornbeam (8 m), honey locust (9 m), ornamental pear (4 m), Persian ironwood (5 m, five
months to deliver), snowy mespil (4 m). Out: plane, limes, rowan, Turkey oak, ash. Sheets of 2026-02-20.
"""


def tram(talk: Talk) -> None:
    talk.user(
        """
        Union Street has the tram. Somebody promised the shopkeepers hop hornbeams there. Is that possible? I need the
        rule and the number, in one line.
        """
    )
    talk.do("", opened("works/guidelines/t-4"), opened("works/dossiers/union-street"))
    talk.say(
        """
        No. Guideline T-4: trunk to wire must be half the grown crown plus 2.20 m; a hop hornbeam has a crown of 8 m,
        so 6.20 m, and in Union Street the wire is 5.10 m from the pits. A crown of 5.8 m is the widest that fits:
        ornamental pear (4 m), snowy mespil (4 m) or Persian ironwood (5 m).
        """
    )


def sums(talk: Talk) -> None:
    talk.user(
        """
        Then ironwood there, and I have 17 to 26 of them put on hold tomorrow. Now the sums. Stay under 1,490,400 with
        the prices of HV-26-118, lose at most 90 parking places, keep all twelve streets. Compare the three offers
        first, I want to know that 118 is the cheapest for what we really build.
        """
    )
    talk.do("", opened("tenders/hv-26-118"), opened("tenders/hv-26-119"), opened("tenders/hv-26-121"))
    talk.do(
        """
        For 200 pits with trees and 14,000 m² of surface HV-26-118 comes to 1.52 million, 119 to 1.57, 121 to 1.59. So
        118. Before I cut, what limits each street:
        """,
        query(
            "select name, length_m, width_m, height_m, parking, gas_main, gas_m, tram from streets where name in "
            "('Saltergate', 'Glover''s Row', 'Lantern Street', 'Tannery Row', 'Weavers'' Walk', 'Northbank Terrace', "
            "'Union Street', 'Brewhouse Lane', 'Chandler''s Yard', 'Bishop''s Rise', 'Kiln Lane', 'Mill Street') "
            "order by name"
        ),
        opened("works/guidelines/s-3"),
        opened("council/2026-04-14"),
    )
    talk.say(
        """
        Three steps bring it under both limits.

        1. **One side only** in the five wide streets (Lantern Street, Northbank Terrace, Union Street, Bishop's Rise,
          Mill Street), by S-14 and guideline S-3. That gives EUR 1,712,740 and 101 parking places.
        2. **Fewer pits where they take parking**: Northbank Terrace 18 for 26, Union Street 18 for 26, Mill Street 17
          for 24. That gives EUR 1,576,350 and exactly 90 places.
        3. **No light surface in Union Street**: work beside the rails is only possible at night from 01:15 to 04:20
          (T-4), and it is the dearest at EUR 80,640. That gives EUR 1,495,710. One pit less there, 17, and we are at
          **EUR 1,489,780**.

        So EUR 620 below the limit of 1,490,400. That is tight, and the reserve of EUR 129,600 is there for what the
        holes bring up.
        """
    )


def hearing(talk: Talk) -> None:
    talk.user(
        """
        Before the memo: on Thursday there is a hearing in the town hall. For the five wide streets, where we do less
        than people hope, and for Kiln Lane: what did the people there say, and what do we answer? Read it again in
        the dossiers, and the survey of August with it, for all 24; I do not want it from memory. And somebody will
        say that July was nothing special in the afternoon, so have the highest temperatures ready.
        """
    )
    last = ""
    for key, answer in ANSWERS.items():
        talk.do(last, opened(f"works/dossiers/{key}"), opened(f"survey/2026/{key}"))
        last = answer
    talk.do(last, query(AFTERNOONS))
    talk.say("The six are read, with their returns, and the afternoons are there. The other returns are still to come.")
    talk.user(
        "Read those of the other six as well, and of the twelve that are not in. They will come to the hearing too."
    )
    for key in OTHERS:
        talk.do("", opened(f"survey/2026/{key}"))
    for keys in LEFT_OUT:
        talk.do("", *(opened(f"survey/2026/{key}") for key in keys))
    talk.do(
        "",
        query("select substr(at, 1, 10) as day, max(c) as park from air where station = 'R-1' group by 1 order by 1"),
        note(
            "Hearing on Thursday",
            "Answers for six streets, from the dossiers of August: one side and why (S-14), wires and pipes, Kiln "
            "Lane by rank.",
        ),
    )
    talk.say(
        """
        Ready for Thursday, one line each:

        - **Lantern Street**: fibre lies on the west side (No 50), so the trees come to the east side. The music
          school gets shade first.
        - **Northbank Terrace**: the south-west side, because of the railings that one cannot touch at five (No 12).
        - **Union Street**: "something low" (No 7) is what they get, ironwood, because of the wires.
        - **Bishop's Rise**: No 1 wants his trees given to Saltergate. Saltergate has all that fit beside G-03.
        - **Mill Street**: nothing between No 4 and No 22, the leat is a metre down; none at the corner where lorries
          mount the kerb.
        - **Kiln Lane**: 19 trees and 1,220 m² of light surface, eleventh by rank. The vault between 7 and 13 is left
          alone.

        Afternoons: every street of the twelve passed 33 °C on at least five of the six days from 14 to 19 July (H-07
        minus 1.4).
        """
    )


OTHERS = ("saltergate", "glovers-row", "tannery-row", "weavers-walk", "brewhouse-lane", "chandlers-yard")
LEFT_OUT = (
    ("copper-lane", "foundry-street", "market-hill"),
    ("station-parade", "quay-street", "ferry-street"),
    ("harrow-road", "priory-close", "elm-crescent"),
    ("orchard-road", "wharf-road", "linden-avenue"),
)
ANSWERS = {
    "lantern-street": (
        "Fibre on the west side since 2025, 60 cm down: so the east side. The music school at No 33 asks for shade."
    ),
    "northbank-terrace": (
        "It faces south-west; No 39 measured 29 degrees in the stairwell at six in the morning. South-west side."
    ),
    "union-street": (
        "No 7 asks for 'something low'. That fits the wire at 5.10 m, and the awnings at No 41 want 2.2 m of pavement."
    ),
    "bishops-rise": (
        "No 1 would give his trees to Saltergate; No 14 has lime roots under the steps. No lime is planned."
    ),
    "mill-street": (
        "The leat from No 4 to No 22 is a metre down, a pit needs 1.2 m. And lorries at the corner with Ferry Street."
    ),
    "kiln-lane": (
        "212 children. The vault between 7 and 13 is on the map of 1891. No 27 wants the fountain back (S-9: six "
        "metres)."
    ),
}


def memo(talk: Talk) -> None:
    talk.user(
        """
        Keep that as a decision. Now draft the memo for the council: one page, the table of the twelve with pits,
        species, cost and parking, why these, why not the others, what can go wrong. Check the score once more before
        you quote it.
        """
    )
    talk.do(
        "",
        query(SCORE),
        note(
            "Decision: twelve streets, EUR 1,489,780",
            f"{PITS} trees, {PLACES} parking places, one side in five streets, no light surface in Union Street.",
        ),
    )
    talk.say(written())


def written() -> str:
    rows = "\n".join(
        f"| {c.home.name} | {c.pits} | {c.species} | {c.surface:,} | {money(c.cost)} | {c.parking} |" for c in CHOICES
    )
    most = max(share(c.species) for c in CHOICES)
    old = sum(round(c.home.residents * c.home.old / 100) for c in CHOICES)
    return f"""
# Cooling programme 2026/27: twelve streets

**Proposal.** {PITS} trees and light surfaces in twelve streets, for {money(COST)} without VAT at the prices of
HV-26-118, below the {money(USABLE)} that the decision of 25 August leaves after the reserve of {RESERVE} % of
{money(FRAME)}. {PLACES} parking places go, the most that is allowed. {old:,} residents over 65 live in these streets.

| street | trees | species | light surface m² | cost | parking |
|---|---|---|---|---|---|
{rows}
| **together** | **{PITS}** | | **{sum(c.surface for c in CHOICES):,}** | **{money(COST)}** | **{PLACES}** |

**Why these.** Streets are ranked by score = 0.5 night above the park + 0.3 residents over 65 + 0.2 calls per 1,000,
each divided by its largest value. Nights: mean of the lowest temperature of 14 nights, 9 to 22 July 2026, against R-1
(17.57 °C). H-07 (Tannery Row) is corrected by 0.7 °C at night since its shield was lost on 11 June; without the
correction it would be first.

**Why not the others.** Copper Lane and Foundry Street lie on gas main G-17, which will be renewed in 2028 (letter
told on 2 September; guideline W-12 asks for 3 m). Market Hill has protected paving. The rest are cooler by one to
three degrees at night.

**Why one side.** With this budget one side of many streets reaches 1.7 times as many people over 65 as both sides of
few (S-14), and closed crowns keep a narrow street warmer at night (S-7).

**What to expect.** -0.38 °C by day for each 10 % of canopy (S-1), but not before the ninth year (S-4); -0.31 °C at
night from new light surfaces (S-2), of which a third is lost in five years (S-11).

**Species.** Six, none above {most:.0f} %. No planes, no limes. Union Street has ironwood because of the wire of line
4 (T-4).

**What can go wrong.** Lime pits at No 6 Tannery Row were neither found nor ruled out. Asbestos on the cold pipe in
Brewhouse Lane. Weavers' cellars before 5, 7 and 9. The ironwood must be ordered at once (five months).
"""


def questions(talk: Talk) -> None:
    talk.user(
        """
        That is good. Three questions from the alderman, he wants the sources with them. First: what exactly was done
        with the numbers of H-07, since when, and who says so? Second: why is Kiln Lane in, because of the promise or
        by its rank? Third: how much is the reserve in euros, and which decision says that it is counted on the new
        frame? He reads only what has a date on it.
        """
    )
    talk.do(
        "I look up all three again rather than quote myself.",
        opened("stations/h-07"),
        opened("council/2026-08-25"),
        opened("council/2026-03-03"),
    )
