"""The middle of the research: what the studies say, once the press releases are taken off."""

from __future__ import annotations

from .talk import Talk, note, opened, search

READ = (
    ("canopy air temperature street measured trees shade", ("s-1", "s-4", "s-13")),
    ("light asphalt albedo surface pedestrian feels night", ("s-2", "s-11", "s-5")),
    ("narrow streets crowns night heat one side or both", ("s-7", "s-14")),
    ("watering fountains misters evening cool reach", ("s-3", "s-9", "s-8")),
    ("night heat calls hospital old pollen visits", ("s-6", "s-12")),
    ("survival of species in paved streets hot dry summers", ("s-10",)),
)
SAID = (
    "I look for measurements of air, in streets, with an interval. Trees first.",
    "Trees by day: a third of a degree for each 10 % of canopy, next to nothing at night. Now light surfaces, which "
    "promise the night.",
    "Light surfaces are the reverse: better by night than by day, and they fade. Next, the narrow streets, which are "
    "most of ours.",
    "Water, then, and the squares with it.",
    "Worth it in an emergency: 0.9 °C for two hours, and 14 m³ of water a night for 800 m of street (S-3). Now the "
    "people.",
    "And the trees themselves.",
)


def on_progress(talk: Talk) -> None:
    talk.user(
        """
        Before we look at streets: what works at all? Read the studies, not their press releases. I want the size of
        the effect, its interval, and what it was measured on. If a study cannot be used, say why.
        """
    )
    for said, (words, keys) in zip(SAID, READ, strict=True):
        if said.startswith("Water"):
            talk.say(
                """
                So far: trees help by day, light surfaces at night, and crowns that close over a narrow street hold the
                heat in at night (S-7). That matters for Saltergate and its neighbours. Water and people are left.
                """
            )
            talk.user("The fire brigade offers to water the streets in the evening, for nothing. Is that worth it?")
        talk.do(said, search(words, 5))
        for key in keys:
            talk.do("", opened(key)) if key != keys[0] else talk.do(f"{talk.page(key).title}:", opened(key))
    talk.do(
        "",
        note(
            "What works, by day and by night",
            """
            Trees: -0.38 °C by day for each 10 % of canopy (S-1, 95 % interval -0.45 to -0.31), a third of it at
            night; 9 years to 20 m² of crown in 12 m³ of soil (S-4). Light surface: -0.24 by day, -0.31 at night
            (S-2), a third lost in five years (S-11), and +1.9 °C mean radiant temperature at noon. Ratio above 1.3:
            one side only, gap of a third (S-7). One side of many streets beats both sides of few: 1.7 times as many
            people over 65 (S-14).
            """,
        ),
        note(
            "Not usable",
            "S-5 measures roofs by satellite, surface not air. S-8: interval includes zero. S-3 and S-9: emergency "
            "and squares only.",
        ),
    )
    talk.say(
        """
        Fourteen studies read. What can be used:

        | measure | by day | at night | source | mind |
        |---|---|---|---|---|
        | canopy, each 10 % | -0.38 °C | -0.11 °C | S-1 | only between 5 and 40 %; young trees do nothing yet |
        | light surface | -0.24 °C | -0.31 °C | S-2 | hot to stand on at noon; a third lost in five years (S-11) |
        | both sides of a narrow street | -0.8 °C | +0.19 °C | S-7 | above a ratio of 1.3: one side, with a gap |
        | one side of twice as many streets | 0.9 of the cooling | | S-14 | 1.7 times as many people over 65; a model |

        So the two measures complement each other: trees for the afternoon, light surfaces for the night. Not used:
        S-5 (roofs, surface temperature from a satellite), S-8 (cannot be told from chance), S-3 and S-9 (emergencies,
        squares). S-6 supports your choice of the night: 11.9 % more calls over 65 for each degree of the night's
        minimum, 7.4 % for the day's maximum.
        """
    )
    challenge(talk)


def challenge(talk: Talk) -> None:
    talk.user(
        """
        Careful with S-2 and S-11, they come from the same town and the same street. And which of these did the paper
        quote as "2.6 degrees cooler streets"? The opposition will hold that up. Look at it again and give me one
        sentence that I can say.
        """
    )
    talk.do("That can only be S-5; I read it again to be exact.", opened("s-5"))
    talk.do(
        "",
        note(
            "S-5 and the newspaper",
            """
            2.6 °C is the surface of coated roofs, seen by satellite at 10:30 (S-5, Port Ellery 2020, interval -3.10
            to -2.10). Nothing was measured at the height of people. S-2 and S-11 are one street.
            """,
        ),
    )
    talk.say(
        """
        You can say: "The 2.6 degrees are the temperature of coated roofs at half past ten, seen from a satellite;
        nobody measured the air in the street." (S-5, Port Ellery 2020; its own text does not speak of streets, the
        press release does.)

        On S-2 and S-11 you are right: one street of 380 m, measured again. I count them as one study and give light
        surfaces -0.31 °C at night when new and -0.20 °C after five years.
        """
    )
