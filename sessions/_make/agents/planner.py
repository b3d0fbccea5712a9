"""The planner: splits the work in three, and makes one answer of what comes back."""

from __future__ import annotations

from _make.bench import Bench, bash, todo
from _make.transcript import Transcript

from . import coder, researcher, reviewer
from .helper import Order, start

ORDERS = [
    Order(
        "a4e19c7",
        "researcher",
        "How exact must the moon be",
        """
        In /home/garden/moonlight: find out how far the program is from docs/almanac-2026.md and how many of the terms
        in docs/lunation.md it takes until no day is wrong. Do not change any file; work in `python - <<'END'`. Report
        a table: terms, largest error in hours, wrong days. Name every event that lies within 15 minutes of midnight.
        """,
        researcher.work,
    ),
    Order(
        "ac77f10",
        "reviewer",
        "Review dates and edges",
        """
        In /home/garden/moonlight: review moonlight/phase.py and moonlight/page.py. Look for what can put a moon on a
        wrong day other than the length of the month: time zone, end of the year, rounding. Do not change files.
        Report findings with file and line, worst first, each with a way to see it.
        """,
        reviewer.work,
    ),
    Order(
        "ab03d52",
        "coder",
        "CSV file for the printer",
        """
        In /home/garden/moonlight: add `python -m moonlight 2026 --csv`, exactly as docs/printer.md has it. Put it
        into moonlight/printer.py with tests in tests/test_printer.py. Do not touch moonlight/phase.py and
        moonlight/page.py, others are working on them. Dates are local, Europe/Vienna. Report the names that you added
        and how you tested.
        """,
        coder.work,
    ),
]


def on_progress(bench: Bench) -> list[Transcript]:
    """The whole session; gives back the sub-agents' transcripts."""
    bench.user(
        """
        On 1 February the moon was full over Graz, I stood in the garden and saw it. Our calendar says 2 February.
        Members have begun to check the other dates. Find out how wrong the moon page is and repair it; it must give
        the right day for any year from 1950 to 2050. And the printer wants a CSV now, see docs/printer.md, by 20
        February. Use helpers, as much as possible at the same time. Never take the almanac as a source, only for
        checking.
        """
    )
    bench.step(
        "I look at the size of it before I split the work.",
        bash(
            "git log --oneline && wc -l moonlight/*.py tests/*.py docs/*.md && python -m moonlight 2026 | head -6",
            "Size, history, first moons",
        ),
        bench.read("README.md"),
    )
    helpers = start(
        bench,
        """
        Three questions that do not depend on each other: how exact it has to be (researcher), what else can go wrong
        with dates (reviewer), and the CSV (coder). I start all three at once; the coder keeps away from phase.py and
        page.py.
        """,
        ORDERS,
        thinking="""
        Independent: error analysis reads only; review reads only; CSV is a new file. The fix of phase.py depends on
        the first two, so I do it myself afterwards. I must give each of them the folder and what not to touch, they
        do not see this conversation.
        """,
    )
    repair(bench)
    prove(bench)
    apologise(bench)
    bench.transcript.title("The moon was full a day early: calendar repaired by three helpers")
    return helpers


def repair(bench: Bench) -> None:
    bench.step(
        """
        They fit together. The researcher: two terms are enough, but one moon stands 3 minutes before midnight and is
        right only by luck. The reviewer: the page shows the date of Greenwich although the kitchen clock is meant,
        and that very moon (29 June, 23:57 UTC) falls on another day there, well away from midnight. One repair
        answers both. The coder has a zone of his own in printer.py; there should be one.
        """,
        todo(
            "x How exact",
            "x CSV for job GK-2611",
            "x Review",
            "> Two terms in phase.py",
            "- Local dates, one zone",
            "- Test against the almanac",
        ),
        bench.read("moonlight/phase.py"),
        bench.read("moonlight/page.py"),
        bench.read("moonlight/printer.py"),
    )
    bench.step(
        "",
        bench.edit("moonlight/phase.py", OLD_MOMENT, NEW_MOMENT),
        bench.edit(
            "moonlight/phase.py",
            "from datetime import UTC, datetime, timedelta\n",
            "from datetime import UTC, datetime, timedelta\nfrom math import radians, sin\nfrom zoneinfo import "
            "ZoneInfo\n",
        ),
        bench.edit("moonlight/phase.py", OLD_EVENTS, NEW_EVENTS),
        bench.edit(
            "moonlight/phase.py",
            '"""A mean new moon."""\n',
            '"""A mean new moon."""\nKITCHEN = ZoneInfo("Europe/Vienna")\n"""The clock by which the calendar is '
            'read."""\n',
        ),
        bench.edit(
            "moonlight/printer.py", 'from zoneinfo import ZoneInfo\n\nKITCHEN = ZoneInfo("Europe/Vienna")\n', ""
        ),
        bench.edit("moonlight/printer.py", "when.astimezone(KITCHEN)", "when"),
    )


OLD_MOMENT = """    return FIRST + timedelta(days=MONTH * k)
"""
NEW_MOMENT = """    sun, moon = radians(2.5534 + 29.10535670 * k), radians(201.5643 + 385.81693528 * k)
    return FIRST + timedelta(days=MONTH * k - 0.4072 * sin(moon) + 0.1724 * sin(sun))
"""
OLD_EVENTS = '''    """The new and full moons of a year, in order."""
    k = round((year - 2000) * 365.25 / MONTH) - 1.0
    while (when := moment(k)).year <= year:
'''
NEW_EVENTS = '''    """The new and full moons of a year, in order, by the kitchen clock."""
    k = round((year - 2000) * 365.25 / MONTH) - 1.5
    while (when := moment(k).astimezone(KITCHEN)).year <= year:
'''
ALMANAC_TEST = '''import re
import unittest
from datetime import datetime
from pathlib import Path

from moonlight.phase import KITCHEN, events

ROW = re.compile(r"(new|full) +\\| +(\\d\\d-\\d\\d \\d\\d:\\d\\d)")
ALMANAC = Path(__file__).parent.parent / "docs/almanac-2026.md"


def printed() -> list[tuple[datetime, str]]:
    """The almanac's moons, in order."""
    rows = ROW.findall(ALMANAC.read_text())
    return sorted((datetime.strptime(f"2026-{when} +0000", "%Y-%m-%d %H:%M %z"), name) for name, when in rows)


class Almanac(unittest.TestCase):
    def test_all_25_moons_fall_on_the_right_day_in_the_kitchen(self):
        ours = [(when.date(), name) for when, name in events(2026)]
        self.assertEqual(ours, [(when.astimezone(KITCHEN).date(), name) for when, name in printed()])
        self.assertEqual(len(ours), 25)

    def test_no_moon_is_off_by_more_than_an_hour(self):
        for (ours, _), (theirs, _) in zip(events(2026), printed(), strict=True):
            self.assertLess(abs((ours - theirs).total_seconds()), 3600)

    def test_every_year_from_1950_to_2050_has_24_or_25_moons(self):
        self.assertEqual({len(list(events(year))) for year in range(1950, 2051)}, {24, 25})
'''


def prove(bench: Bench) -> None:
    bench.step(
        "Now the test that was missing all along: every moon of the almanac, by the kitchen clock.",
        bench.write("tests/test_almanac.py", ALMANAC_TEST),
        bash("python -m unittest -v", "Run all tests"),
    )
    bench.step(
        """
        The almanac is met. The failure is mine: I took the zone out of `csv`, and the coder's test hands it a moment
        in UTC. He is right, a file for the printer must not depend on who calls. So `csv` converts, with the one zone
        of `phase.py`.
        """,
        bench.edit(
            "moonlight/printer.py",
            "from datetime import datetime\n",
            "from datetime import datetime\n\nfrom moonlight.phase import KITCHEN\n\n",
        ),
        bench.edit("moonlight/printer.py", "{when:%d", "{when.astimezone(KITCHEN):%d"),
        bash("python -m unittest", "Run all tests"),
    )
    bench.step(
        "",
        bash("python -m moonlight 2026 | sed -n '1,5p;13,14p'", "First moons, and the end of June"),
        bash(
            "python -m moonlight 2026 --csv > ../GK-2611.csv; wc -l < ../GK-2611.csv; "
            "head -4 ../GK-2611.csv; tail -c 4 ../GK-2611.csv | od -c | head -1",
            "The printer's file",
        ),
        bash("git status --short", "What has changed"),
    )
    bench.step(
        """
        Repaired. The moon page used the mean month, and the true moon swings around it by up to 13.5 hours. Two
        correction terms bring the largest error of 2026 to 35 minutes, and all 25 moons fall on the right day.

        - `moonlight/phase.py`: the two terms, and one zone (`KITCHEN`); dates are local from the source on.
        - `moonlight/printer.py`: `--csv` for job GK-2611; the file has 26 lines with its header, and no line end
          after the last.
        - `tests/test_almanac.py`: compares all 25 with the almanac, which is used nowhere else.

        One warning from the researcher: the full moon of 29 June is at 23:57 UTC. By the kitchen clock that is 01:57
        on the 30th, far from midnight, so the calendar is safe there.
        """,
        after=11,
    )
    bench.transcript.rest(371)


def apologise(bench: Bench) -> None:
    bench.transcript.clock.wait(260)
    bench.user(
        "Thank you! I have to write to the members. How many of the dates in their kitchens are wrong, and which? "
        "And by when does the printer need it?"
    )
    bench.step(
        """
        The researcher's seven are by the date of Greenwich; by the kitchen clock there can be more. I compare what
        hangs there (the committed version) with what is right.
        """,
        bash(
            "git stash -q -u && python -m moonlight 2026 > ../hangs.txt; git stash pop -q; python -m moonlight 2026 "
            "> ../right.txt; diff --side-by-side --suppress-common-lines -W 60 ../hangs.txt ../right.txt",
            "What hangs against what is right",
        ),
    )
    bench.step(
        """
        Eight of 25. Printed → right: full 2 Feb → **1 Feb**, new 16 Feb → **17 Feb**, new 18 Mar → **19 Mar**, full
        29 Jun → **30 Jun**, new 13 Aug → **12 Aug**, full 27 Aug → **28 Aug**, new 11 Oct → **10 Oct**, full 25 Oct →
        **26 Oct**. The other 17 are right. Seven come from the mean month, the eighth (30 June) from the wrong clock.

        The printer needs GK-2611 by 20 February 2026.
        """
    )
    bench.transcript.rest(24)
