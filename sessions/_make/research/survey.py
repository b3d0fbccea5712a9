"""Returns of the survey of July 2026: what households wrote about the hot weeks, street by street."""

from __future__ import annotations

from _make.names import Names

from .city import Street
from .page import ARCHIVE, Page, sections, table

FLOORS = ("ground floor", "first floor", "second floor", "third floor", "under the roof", "basement")
HEAT = (
    "The bedroom had {warm} degrees at {hour} o'clock on {day} July; we put the mattress into the hall.",
    "I wrote it down: {nights} nights above 25 degrees in the living room, the warmest {warm}.",
    "With the window open the street comes in, with the window shut nothing moves. {warm} degrees at midnight.",
    "The baby slept in the bath from {day} July on, in a basket, because the tiles stay cool.",
    "My blood pressure tablets were changed on {day} July after I fell in the kitchen; it was {warm} degrees.",
    "We work at night. By day the flat has {warm} degrees, so nobody slept for {nights} days.",
    "The stairwell was still at {warm} at {hour} in the morning. I measured on three floors, it made no difference.",
    "The refrigerator gave up on {day} July. The repairer said it was the seventh that week.",
    "I am {age} and have lived here since {year}. There have been hot summers, but the nights used to cool down.",
    "The dog would not go out until ten in the evening; the paving burned its feet.",
    "The home help came twice instead of once, at our own cost, for {nights} days.",
    "Ambulance for the neighbour across the landing on {day} July at {hour}. She is back, but she does not go down "
    "any more.",
    "The pharmacy sold out of rehydration salts on {day} July, they told us to come back on Monday.",
    "We spent {nights} evenings on the steps of the church until one o'clock, with half the street.",
    "The wall behind the bed faces the street. At {hour} in the night it is warm to the hand like a tile stove.",
    "Milk turned on the table between breakfast and lunch. {warm} degrees in a north room!",
    "A fan costs nothing now, they were giving them away in the hall; it only moves {warm} degrees about.",
    "The school sent the children home at eleven on {nights} days. Home is hotter than the school.",
)
WISH = (
    "Trees, please, on the side that has the sun in the afternoon.",
    "A bench in the shade would do more for me than a tree that I will not live to see.",
    "We would give up our parking place for a tree. We have said so in writing.",
    "Light paving yes, but not the white concrete of the station square, one cannot look at it.",
    "Whatever you plant, water it. The rowans of 2019 died while we watched.",
    "Could the fountain be turned on again? It was there for a hundred years.",
    "Shade on the way to the tram stop, it is four hundred metres without any.",
    "Paint the roofs, nobody looks at roofs, but they heat the top floors.",
    "Open the courtyard gate between the two houses at night; the air used to go through there.",
    "An awning across the street as they have in the south, from May to September.",
    "Something that flowers. One may also want a street to be beautiful.",
    "No limes, they drip. No planes, I sneeze. Anything else.",
    "Just begin. There has been a plan every five years since {year}.",
    "Climbers on the walls would need no pit and no parking place. We have asked for them twice.",
    "A cool room in the parish hall, with the door open after ten at night.",
    "Take out the asphalt between the tram rails and sow grass, as in other towns.",
)
DOUBT = (
    "Where is the removal van supposed to stand?",
    "The cellar goes out under the pavement by {metres} m. Ask before you dig.",
    "Leaves in the gutters: who cleans them? I am {age}.",
    "The rent will go up when the street is pretty.",
    "I need the light in my workshop, please no dense crowns before the windows.",
    "Two years of building site for ten trees, that is what it will be.",
    "The bins stand where the drawing has a pit.",
    "Birds, and then the droppings on the stalls.",
    "My wheelchair needs {metres} m of pavement. The drawing leaves less.",
    "It is too late for that. The heat is here.",
)


def returns(home: Street) -> Page:
    """One household in about ten wrote back."""
    names = Names(f"survey {home.name}")
    count = 18 + home.residents % 9
    heat, wish, doubt = (names.between(0, 40) for _ in range(3))
    lines = []
    house = names.between(1, 4)
    for number in range(count):
        parts = [HEAT[(heat + 5 * number) % len(HEAT)], WISH[(wish + 3 * number) % len(WISH)]]
        if names.between(0, 2) == 0:
            parts.append(DOUBT[(doubt + 3 * number) % len(DOUBT)])
        people, floor = names.between(1, 5), FLOORS[names.between(0, 5)]
        text = " ".join(part.format_map(slots(names)) for part in parts)
        lines.append(f"{number + 1}. No {house}, {floor}, {people} {'person' if people == 1 else 'persons'}: {text}")
        house += names.between(1, 5)
    body = sections(
        (
            "",
            f"{home.name}, {home.district}. {count} returns from {home.residents} residents, collected from 3 to 21 "
            f"August 2026.",
        ),
        ("Returns", "\n".join(lines)),
        ("Counted", counted(count, names)),
    )
    gist = f"{home.name}: {count} returns"
    return Page(f"{ARCHIVE}/survey/2026/{home.key}", f"Survey of summer 2026: {home.name}", "2026-08-24", body, gist)


def slots(names: Names) -> dict[str, object]:
    return {
        "warm": names.between(27, 33),
        "hour": names.between(1, 6),
        "day": names.between(14, 19),
        "nights": names.between(3, 9),
        "age": names.between(64, 93),
        "year": names.between(1961, 2014),
        "metres": f"{names.between(9, 24) / 10}",
    }


def counted(count: int, names: Names) -> str:
    rows = []
    for what in (
        "slept badly for a week or more",
        "called a doctor",
        "would give up a parking place",
        "against any tree",
        "wants light paving",
    ):
        yes = names.between(1, count - 3) if "against" not in what else names.between(0, 3)
        rows.append((what, yes, count - yes, f"{round(100 * yes / count)} %"))
    return table(("answer", "yes", "no or none", "share"), rows)
