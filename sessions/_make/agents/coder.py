"""The coder: a CSV file, exactly as the printer wants it."""

from __future__ import annotations

from _make.bench import Bench, bash

PRINTER = '''"""The moons as a CSV file for the printer: see docs/printer.md."""

from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

KITCHEN = ZoneInfo("Europe/Vienna")
LETTERS = {"new": "N", "full": "V"}


def csv(events: Iterable[tuple[datetime, str]]) -> str:
    """A header, and a line for each moon with its local date."""
    rows = [f"{when.astimezone(KITCHEN):%d.%m.%Y};{LETTERS[name]}" for when, name in events]
    return "\\n".join(["date;moon", *rows]) + "\\n"
'''
TESTS = """import unittest
from datetime import UTC, datetime

from moonlight.printer import csv

MOONS = [(datetime(2026, 1, 3, 10, 3, tzinfo=UTC), "full"), (datetime(2026, 6, 29, 23, 57, tzinfo=UTC), "new")]


class Csv(unittest.TestCase):
    def test_header_date_and_letter(self):
        self.assertEqual(csv(MOONS[:1]), "date;moon\\n03.01.2026;V")

    def test_the_date_is_local(self):
        self.assertIn("30.06.2026;N", csv(MOONS))

    def test_no_empty_line_at_the_end_and_latin_1(self):
        self.assertFalse(csv(MOONS).endswith("\\n"))
        csv(MOONS).encode("latin-1")
"""
MAIN = """import sys

from moonlight.page import page
from moonlight.phase import events
from moonlight.printer import csv

show = csv if "--csv" in sys.argv else page
print(show(events(int(sys.argv[1]))), end="")
"""


def work(bench: Bench) -> str:
    bench.step(
        "",
        bench.read("docs/printer.md"),
        bench.read("moonlight/__main__.py"),
        bench.read("moonlight/page.py"),
    )
    bench.step(
        "Tests from the printer's list first, then the module.",
        bench.write("tests/test_printer.py", TESTS),
        bench.write("moonlight/printer.py", PRINTER),
        bash("python -m unittest tests.test_printer", "Run the new tests"),
    )
    bench.step(
        '"No empty line at the end": I had ended the file with a line end, out of habit. The printer\'s list wins.',
        bench.edit("moonlight/printer.py", '*rows]) + "\\n"', "*rows])"),
        bench.edit(
            "moonlight/__main__.py",
            "from moonlight.phase import events\n",
            "from moonlight.phase import events\nfrom moonlight.printer import csv\n",
        ),
        bench.edit("moonlight/__main__.py", 'print(page(events(int(sys.argv[1]))), end="")\n', MAIN.split("\n\n")[-1]),
        bash("python -m unittest && python -m moonlight 2026 --csv | head -3", "All tests, and the first lines"),
    )
    return """
    `python -m moonlight 2026 --csv` works, as docs/printer.md has it (job GK-2611).

    - `moonlight/printer.py`: `csv(events)`, `KITCHEN`, `LETTERS` (N and V)
    - `moonlight/__main__.py`: `--csv`
    - `tests/test_printer.py`: three tests (header and letter, local date, no empty line and Latin-1); all six tests
      pass

    Not touched: phase.py and page.py. The dates are only as right as `events` is. I set the zone in printer.py
    because page.py has none; when it gets one, there should be only one.
    """
