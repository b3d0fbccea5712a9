"""Other papers of the archive: what the council decided, which trees there are, and at what price."""

from __future__ import annotations

from _make.names import Names

from .page import ARCHIVE, Page, sections, table

MINUTES = (
    (
        "2026-01-20",
        "Cooling programme: start",
        "The council starts a programme of trees and light surfaces for the hottest streets. Frame: EUR 1.80 million "
        "without VAT for the winter 2026/27. Annex: a long list of 24 streets. The climate office proposes twelve of "
        "them by Friday 11 September 2026. 31 in favour, 4 against, 2 abstained.",
        "Frame of EUR 1.80 million without VAT, twelve of 24 streets, proposal due on 2026-09-11",
    ),
    (
        "2026-03-03",
        "Question hour: the school in Kiln Lane",
        "Asked by the parents of the school in Kiln Lane, the alderman for works answers that Kiln Lane will be "
        "among the twelve streets 'whatever its rank'. The promise is entered in the minutes at the wish of the "
        "speaker. No vote.",
        "The alderman promised Kiln Lane, whatever its rank",
    ),
    (
        "2026-04-14",
        "Rules for the programme",
        "Decided with 29 to 6: (1) At least 8 % of the frame stays as a reserve and must not be planned. (2) All "
        "streets together may lose at most 90 parking places. (3) No species may make up more than 30 % of the "
        "trees. (4) Tender HV-26-118 holds for pits, trees and surfaces until 31 March 2027. (5) Watering for three "
        "summers is paid from another budget, KL-07.",
        "Reserve of 8 %, at most 90 parking places, at most 30 % of one species, tender HV-26-118, watering from KL-07",
    ),
    (
        "2026-05-26",
        "Letter of the health service",
        "The health service writes (letter of 22 May) that no more planes should be planted in streets with homes: "
        "17 % more visits for hay fever in May. The council takes note. The green group asks whether limes are meant "
        "too; the service says no, but asks for none over parking.",
        "No planes (letter of 22 May); no limes over parking",
    ),
    (
        "2026-06-30",
        "Report on the stations",
        "The climate office reports that 24 stations measure since 2024 and 2025, that the shield of H-07 was found "
        "broken on 11 June, and that a value from there must not be quoted without its correction. A member asks how "
        "many other stations are wrong. The office will look at all sheets before the proposal.",
        "H-07 must not be quoted without its correction",
    ),
    (
        "2026-08-25",
        "Budget of the winter",
        "Because of the repair of the north bridge the frame of the cooling programme is cut from EUR 1.80 to 1.62 "
        "million. The reserve of 8 % (decision of 14 April) is counted on the new frame. 24 in favour, 11 against.",
        "Frame cut to EUR 1.62 million, the reserve of 8 % counted on it",
    ),
)
SPECIES = (
    ("field maple", "Acer campestre", 7, 6, 690, 92, "bears drought and salt; crown can be held at 5 m", "none"),
    (
        "hop hornbeam",
        "Ostrya carpinifolia",
        8,
        12,
        720,
        95,
        "bears heat and poor soil; slow in the first years",
        "none",
    ),
    (
        "honey locust",
        "Gleditsia triacanthos 'Skyline'",
        9,
        14,
        740,
        88,
        "light shade, small leaves; thornless form only",
        "low",
    ),
    ("silver lime", "Tilia tomentosa", 10, 18, 760, 85, "dense shade; honeydew in dry summers", "low"),
    ("small-leaved lime", "Tilia cordata", 9, 16, 680, 79, "drips honeydew; not over parking", "low"),
    ("London plane", "Platanus × hispanica", 14, 25, 650, 90, "bears everything; crown too wide below 18 m", "high"),
    ("rowan", "Sorbus aucuparia", 5, 8, 590, 41, "fails in paved streets after dry summers", "none"),
    (
        "ornamental pear",
        "Pyrus calleryana 'Chanticleer'",
        4,
        9,
        640,
        87,
        "narrow; smells in April for two weeks",
        "none",
    ),
    ("Turkey oak", "Quercus cerris", 12, 20, 780, 83, "for squares; roots need 16 m³", "low"),
    ("snowy mespil", "Amelanchier lamarckii", 4, 5, 560, 81, "small, for yards; fruit stains paving in June", "none"),
    (
        "Persian ironwood",
        "Parrotia persica 'Vanessa'",
        5,
        9,
        820,
        89,
        "upright; expensive, five months to deliver",
        "none",
    ),
    ("ash", "Fraxinus excelsior", 11, 22, 0, 22, "not delivered: dieback", "low"),
)


def papers() -> list[Page]:
    return [*map(minutes, MINUTES), *map(species, SPECIES), *offers()]


def minutes(entry: tuple[str, str, str, str]) -> Page:
    day, title, text, gist = entry
    names = Names(f"minutes {day}")
    items = (
        "night flights at the airfield",
        "school meals: contract",
        "swimming bath: new pumps",
        "north bridge: report of the engineer",
        "market fees",
        "night buses of line 11",
        "twinning: visit in autumn",
        "library: Sunday opening",
        "playground at Elm Crescent",
    )
    start = names.between(0, 8)
    others = [
        f"- Item {place}: {items[(place + start) % len(items)]}; paper "
        f"{names.between(2600, 2699)}-{names.between(10, 99)}, "
        f"{('taken note of', 'adopted', 'put off', 'sent to the committee')[names.between(0, 3)]}."
        for place in range(2, 7)
    ]
    body = sections(
        ("", f"Sitting of {day}, {names.between(30, 37)} members present. Item 1 below; the other items in short."),
        (f"Item 1: {title}", text),
        ("Other items", "\n".join(others)),
        ("Vote by groups", votes(names)),
    )
    return Page(f"{ARCHIVE}/council/{day}", f"Minutes of {day}: {title}", day, body, f"Council, {day}: {gist}")


def votes(names: Names) -> str:
    rows = [
        (group, names.between(2, 9), names.between(0, 3), names.between(0, 1))
        for group in ("Green group", "Citizens of Halvern", "Harbour list", "Social group", "Old town list")
    ]
    return table(("group", "in favour", "against", "abstained"), rows)


def species(row: tuple[str, str, int, int, int, int, str, str]) -> Page:
    name, latin, crown, height, price, alive, note, pollen = row
    names = Names(f"species {name}")
    years = [
        (age, round(crown * share, 1), round(height * share, 1), f"{min(100, alive + names.between(0, 9))} %")
        for age, share in ((3, 0.32), (6, 0.48), (9, 0.63), (15, 0.82), (25, 1.0))
    ]
    cost = f"EUR {price} for girth 20-25, delivered" if price else "no price: not delivered"
    stood = [
        (
            f"{('Harbour ring', 'Station yard', 'Cemetery road', 'Abbey Park, east gate')[place]}",
            2008 + names.between(0, 9),
            names.between(6, 44),
            names.between(0, 5),
            f"{names.between(60, 160) / 10} m³",
        )
        for place in range(4)
    ]
    text = sections(
        ("", f"{name} ({latin}). Crown {crown} m, height {height} m when grown. Price: {cost}."),
        (
            "In this city",
            f"{note}. Pollen: {pollen}. Alive after nine years in paved streets: {alive} % (study S-10 and own "
            f"counts).",
        ),
        ("Growth", table(("age", "crown m", "height m", "alive"), years)),
        ("Where it stands", table(("place", "planted", "trees", "lost", "soil each"), stood)),
        (
            "Order",
            f"Nursery code {names.short('', 3).upper()}-{names.between(100, 999)}, lead time "
            f"{22 if 'five months' in note else names.between(4, 12)} weeks.",
        ),
    )
    key = name.replace(" ", "-").lower()
    gist = f"{name}: crown {crown} m, {cost}, {alive} % alive after nine years; {note}"
    return Page(f"{ARCHIVE}/trees/species/{key}", f"Species sheet: {name}", "2026-02-20", text, gist)


def offers() -> list[Page]:
    firms = (
        ("hv-26-118", "Brandt & Osei Gardens", 5240, 690, 24),
        ("hv-26-119", "Northbank Civil Works", 5690, 640, 22),
        ("hv-26-121", "Lye Valley Trees", 4980, 810, 31),
    )
    return [offer(*firm) for firm in firms]


def offer(key: str, firm: str, pit: int, tree: int, surface: int) -> Page:
    names = Names(key)
    items = (
        ("01.010", "set up site, per street", "each", 2400),
        ("01.020", "traffic signs and barriers", "week", 310),
        ("02.010", "pit, 12 m³, structural soil, kerb and grating", "each", pit),
        ("02.011", "more soil", "m³", 148),
        ("02.020", "root barrier", "m", 46),
        ("02.030", "move a lamp", "each", 1180),
        ("02.040", "dig by hand beside pipes", "m³", 212),
        ("02.050", "find a cable that is in no drawing", "each", 540),
        ("03.010", "tree, girth 20-25, planted", "each", tree),
        ("03.020", "stake, tie and watering bag", "each", 88),
        ("03.030", "replace a tree within three years", "each", 0),
        ("04.010", "light surface, 4 cm, albedo 0.30", "m²", surface),
        ("04.020", "mill off old surface", "m²", 7),
        ("04.030", "basalt setts, lift and store", "m²", 19),
        ("05.010", "night work beside rails, extra", "hour", 260),
    )
    rows = []
    for number, what, unit, asked in items:
        price = asked if asked in (pit, tree, surface) else round(asked * (1 + names.between(-12, 12) / 100))
        rows.append((number, what, unit, f"{price:,}", f"{round(price * 1.045):,}"))
    text = sections(
        (
            "",
            f"Offer {key.upper()} of {firm}, opened 2026-03-19. Prices in EUR without VAT, valid until 31 March 2027.",
        ),
        ("Prices", table(("item", "what", "unit", "price", "from April 2027"), rows)),
        (
            "Conditions",
            f"Start within {names.between(4, 11)} weeks. At most {names.between(3, 5)} streets at once. Payment "
            f"after 30 days.",
        ),
    )
    gist = f"{key.upper()} ({firm}): pit EUR {pit:,}, tree EUR {tree}, light surface EUR {surface} a square metre"
    return Page(f"{ARCHIVE}/tenders/{key}", f"Offer {key.upper()}: {firm}", "2026-03-19", text, gist)
