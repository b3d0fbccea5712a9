"""The studies that the session reads. Invented, like their cities; the sizes of effect are of a known order."""

from __future__ import annotations

from dataclasses import dataclass

from _make.names import Names

from .page import PAPERS, Page, sections, table


@dataclass(frozen=True)
class Study:
    """`effect` is degrees by day, `night` by night, with half the width of the 95 % interval each."""

    key: str
    title: str
    year: int
    place: str
    question: str
    method: str
    effect: float
    night: float
    width: float
    unit: str
    case: str
    caveat: str
    conclusion: str


STUDIES = (
    Study(
        "S-1",
        "Canopy and air temperature in 61 streets of a river city",
        2023,
        "Dornach-on-Lye",
        "Does air temperature at 2 m fall in step with canopy, or is there a share below which nothing happens?",
        "Sixty-one streets, two loggers each at 2.2 m, June to September of two summers; canopy from leaf-on laser "
        "scans; a mixed model with street and day as random effects, corrected for width, height and distance to the "
        "river.",
        -0.38,
        -0.11,
        0.07,
        "per 10 % of canopy",
        "street",
        "Only streets with 5 to 40 % of canopy were measured; beyond that the line must not be drawn on.",
        "Air temperature in the afternoon falls by 0.38 °C for each 10 % of canopy, evenly between 5 and 40 %. At "
        "night the effect is a third of that. Young trees (crown below 3 m) have no effect that could be measured.",
    ),
    Study(
        "S-2",
        "Light asphalt: what a pedestrian feels",
        2022,
        "Port Ellery",
        "Surface temperature falls on light asphalt. Does a person in the street feel it?",
        "One street of 380 m was given a binder with light aggregate (albedo 0.31 instead of 0.12); the next street "
        "remained. Air temperature, radiation from all sides and skin temperature of 24 volunteers on 11 hot days.",
        -0.24,
        -0.31,
        0.12,
        "for albedo +0.19",
        "day",
        "On five of eleven afternoons volunteers felt hotter on the light surface, because it reflects the sun "
        "upwards.",
        "The air is 0.24 °C cooler by day and 0.31 °C cooler at night. Mean radiant temperature rises by 1.9 °C at "
        "noon. Light surfaces help the night; by day they belong under trees or where nobody walks.",
    ),
    Study(
        "S-3",
        "Watering streets in the evening",
        2021,
        "Calder Mouth",
        "How long does a street stay cool after it has been watered?",
        "Eight streets watered with 1.5 l/m² at 20:00 on every second hot day of one summer; the other days are the "
        "control.",
        -0.9,
        -0.35,
        0.2,
        "for two hours, then 0.35 until 02:00",
        "evening",
        "Uses 14 m³ of water a night for 800 m of street; forbidden in a drought, which is when it is hot.",
        "Watering cools by 0.9 °C for two hours and by 0.35 °C until two in the morning. It is an emergency measure.",
    ),
    Study(
        "S-4",
        "How long does a street tree take to give shade?",
        2024,
        "Dornach-on-Lye",
        "At what age and in what soil does a street tree reach a crown of 20 m²?",
        "Inventory of 3,412 trees planted between 1994 and 2020, with soil volume and watering in the first three "
        "years.",
        -0.3,
        -0.1,
        0.1,
        "per tree of 20 m² crown",
        "tree",
        "Trees that died before the inventory are not in it; the true times are longer.",
        "With 12 m³ of soil a crown reaches 20 m² after 9 years, with 6 m³ after 17, with 3 m³ never. Watering in "
        "the first three summers doubles survival (91 instead of 47 %).",
    ),
    Study(
        "S-5",
        "Cool roofs seen from the pavement",
        2020,
        "Port Ellery",
        "Do light roofs cool the street below?",
        "Satellite images at 10:30 for 214 blocks before and after the roofs were coated.",
        -2.6,
        -0.4,
        0.5,
        "surface temperature of the roof",
        "block",
        "Surface temperature, not air. Nothing was measured at the height of people.",
        "Coated roofs are 2.6 °C cooler at 10:30. The press release speaks of 'streets'; the study does not.",
    ),
    Study(
        "S-6",
        "Night heat and emergency calls among the old",
        2025,
        "Calder Mouth",
        "Is it the day or the night that brings people to hospital?",
        "Daily calls of seven summers (n = 18,204) against the highest of the day and the lowest of the night at 19 "
        "stations.",
        7.4,
        11.9,
        2.1,
        "% more calls per °C",
        "summer",
        "Flats differ more from each other than streets do.",
        "Each degree of the night's lowest temperature goes with 11.9 % more calls above 65, each degree of the "
        "day's highest with 7.4 %. From three warm nights on the effect doubles. Night minimum is the better number "
        "to plan by.",
    ),
    Study(
        "S-7",
        "Trees in narrow streets: shade or lid?",
        2023,
        "Old Marrow",
        "In a street that is higher than wide, do crowns hold the heat in at night?",
        "Twelve street canyons with a height-to-width ratio of 0.6 to 1.7, half of them planted; balloons with "
        "sensors at four heights on nine clear nights.",
        -0.8,
        0.19,
        0.15,
        "planted against bare, ratio above 1.3",
        "canyon",
        "Six planted canyons only; all crowns closed over the middle of the street.",
        "Above a ratio of 1.3 closed crowns keep a street 0.19 °C warmer at night while they cool it by 0.8 °C by "
        "day. With a gap of at least a third of the width over the middle there is no such effect. Plant one side, "
        "and prune for a gap.",
    ),
    Study(
        "S-8",
        "Permeable paving and the evening",
        2019,
        "Lower Ashby",
        "Does paving that holds water cool a square?",
        "Two squares, one with 40 % of open joints; soil moisture and air temperature for one summer.",
        -0.15,
        -0.12,
        0.2,
        "40 % open joints",
        "week",
        "The interval includes zero.",
        "No effect that can be told from chance, except on the two days after rain.",
    ),
    Study(
        "S-9",
        "Fountains and misters",
        2022,
        "Old Marrow",
        "How far does the cool of a fountain reach?",
        "A grid of 48 sensors around four fountains and two rows of misters.",
        -1.6,
        -0.2,
        0.4,
        "within 6 m",
        "sensor",
        "Above 6 m nothing is left; misters raise humidity by 9 %.",
        "A fountain cools by 1.6 °C within six metres of it. It makes a place to sit, not a street.",
    ),
    Study(
        "S-10",
        "Survival of eight species in paved streets",
        2024,
        "Lower Ashby",
        "Which species live through hot dry summers in 12 m³ of structural soil?",
        "Eight species, 40 trees each, planted in 2015 on one ring road; condition noted every autumn.",
        -0.3,
        -0.1,
        0.1,
        "at ten years",
        "species",
        "One soil, one road, salt in winter.",
        "After nine years 95 % of the hop hornbeams, 92 % of the field maples, 88 % of the honey locusts and 85 % of "
        "the silver limes were alive, and 41 % of the rowans. Mean crown: 19, 17, 24 and 22 m².",
    ),
    Study(
        "S-11",
        "Light surfaces after five winters",
        2025,
        "Port Ellery",
        "Does light asphalt stay light?",
        "The street of study S-2 measured again each spring until 2025.",
        -0.16,
        -0.2,
        0.1,
        "after five years",
        "spring",
        "One street. It is swept weekly.",
        "Albedo fell from 0.31 to 0.24 in five years, mostly in the first two. A third of the effect is lost; "
        "washing brings half of it back for one summer.",
    ),
    Study(
        "S-12",
        "Pollen of street trees and visits to the doctor",
        2021,
        "Calder Mouth",
        "Do planes along a street show in the waiting rooms?",
        "Visits for hay fever within 300 m of 44 streets, with and without planes, for five springs.",
        17.0,
        0.0,
        6.0,
        "% more visits beside planes",
        "spring",
        "Birch could not be told apart from plane in April.",
        "Beside streets with planes there were 17 % more visits in May. Maples and hop hornbeams showed nothing.",
    ),
    Study(
        "S-13",
        "What residents of cooled streets say",
        2024,
        "Dornach-on-Lye",
        "Do people notice?",
        "Letters to 2,900 households in 20 planted and 20 bare streets, 1,106 answers.",
        -0.4,
        -0.1,
        0.1,
        "per 10 % of canopy, as in S-1",
        "answer",
        "Those who answer are those who care.",
        "61 % noticed the shade, 12 % a cooler flat. The loss of parking is named by 44 % in the first year and by 9 "
        "% in the fifth.",
    ),
    Study(
        "S-14",
        "One side or both: planting plans compared by model",
        2025,
        "Old Marrow",
        "With a fixed budget, is it better to plant one side of many streets or both sides of few?",
        "A microclimate model of 30 streets, checked against 16 stations (error 0.4 °C), run for 12 plans.",
        -0.5,
        -0.2,
        0.4,
        "many streets, shaded side left bare",
        "plan",
        "A model. The differences between plans are smaller than its error, except the first.",
        "One side of twice as many streets reaches 1.7 times as many people above 65 as both sides, for nine tenths "
        "of the cooling. The side that has the sun after 14:00 is the one to plant.",
    ),
)


def studies() -> list[Page]:
    return [page(study) for study in STUDIES]


def page(study: Study) -> Page:
    low, high = sorted((study.effect - study.width, study.effect + study.width))
    interval = f"95 % interval {low:.2f} to {high:.2f}"
    text = sections(
        ("", f"Study {study.key}. {study.place}, {study.year}. {study.question}"),
        ("Abstract", f"{study.conclusion} Main estimate: {amount(study)}, {interval}."),
        ("Methods", study.method),
        ("Results", results(study)),
        ("Limits", study.caveat),
        (
            "Conclusion",
            f"{study.conclusion} The data are at {PAPERS}/{study.key.lower()}/data, checksum {checksum(study)}.",
        ),
    )
    gist = f"{study.key} ({study.place} {study.year}): {amount(study)}; {study.caveat}"
    return Page(f"{PAPERS}/{study.key.lower()}", study.title, f"{study.year}-0{2 + study.year % 7}-14", text, gist)


def amount(study: Study) -> str:
    """The main estimate with its unit: -0.38 °C (per 10 % of canopy), +7.4 % more calls per °C."""
    return f"{study.effect:+} {study.unit}" if study.unit.startswith("%") else f"{study.effect:+} °C ({study.unit})"


def checksum(study: Study) -> str:
    return Names(f"data {study.key}").hex(12)


def results(study: Study) -> str:
    names = Names(f"results {study.key}")
    rows = []
    for case in range(1, 19 + len(study.key)):
        spread = study.width * names.between(-220, 220) / 100
        number, value = names.between(18, 240), study.effect + spread
        night = study.night + spread * names.between(10, 60) / 100
        error = study.width * names.between(80, 260) / 100
        rows.append(
            (
                f"{study.case} {case}",
                number,
                f"{value:+.2f}",
                f"{night:+.2f}",
                f"{error:.2f}",
                f"{names.between(1, 480) / 1000:.3f}",
            )
        )
    head = (study.case, "n", "by day", "at night", "standard error", "p")
    return f"By {study.case} ({study.unit}):\n\n{table(head, rows)}\n\nBy month:\n\n{months(study, names)}"


def months(study: Study, names: Names) -> str:
    rows = []
    for month, share in (("May", 0.6), ("June", 0.9), ("July", 1.15), ("August", 1.1), ("September", 0.7)):
        value = study.effect * share + study.width * names.between(-60, 60) / 100
        rows.append(
            (
                month,
                names.between(140, 900),
                f"{value:+.2f}",
                f"{names.between(171, 262) / 10} °C",
                names.between(2, 19),
            )
        )
    return table(("month", "n", "by day", "mean temperature", "clear days"), rows)
