"""The third request: the night in October on which an hour comes twice. In the middle of it the window is full."""

from __future__ import annotations

from _make.bench import Bench, bash
from _make.prose import prose

DATA = "data/predicted-2026-w43.csv"


def on_progress(bench: Bench) -> None:
    bench.transcript.clock.wait(9 * 60)
    bench.user(
        """
        Thank you, that goes to the pilots' office as it is. Next: they plan early and want the sheet of week 43
        already, from the prediction in data/predicted-2026-w43.csv. In the night to 25 October the hour from 2 to 3
        comes twice. On paper I want an A behind a time of the first of the two hours and a B behind the second, as
        the railway does it: 02:10A, 02:50B. Only in those hours, and mind the pre-printed form. Check the rest of
        that week as well, a mistake there hangs in the hut for seven days.
        """
    )
    look(bench)
    look_closely(bench)
    bench.transcript.compact(prose(SUMMARY))
    pick_up(bench)
    add_letters(bench)
    report(bench)


def look(bench: Bench) -> None:
    bench.step(
        "How far does the week come as things are, and how far would it have come before today?",
        bash(f"python -m tidegate sheet {DATA}", "The sheet of week 43"),
        bash(
            f"git stash -q -u && (python -m tidegate sheet {DATA}; code=$?; git stash pop -q; exit $code)",
            "The same with the old code",
        ),
    )
    bench.step(
        """
        The old code would not have printed week 43 at all: its check for rows out of order compared wall clocks too,
        and 01:00Z (02:00 for the second time) came "before" 00:50Z (02:50 for the first). Now it prints, and the last
        night shows why you want the letters: closes 02:27, opens 02:35. That looks like 8 minutes and is 68.

        You asked for the rest of the week: I go through the prediction itself, and the judgement of every pair.
        """,
        bench.read(DATA),
        bash(
            f"python -m tidegate trace {DATA} | sed -n '430,1040p'",
            "Judgement of each pair, Wednesday evening to Sunday",
        ),
        after=13,
    )


def look_closely(bench: Bench) -> None:
    overloaded = {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
    bench.transcript.system(
        "api_error", level="error", error=overloaded, retryInMs=612.4, retryAttempt=1, maxRetries=10
    )
    bench.step(
        """
        It is a spring tide: from Tuesday the high waters pass +185 cm, so most tides give two short windows instead
        of a long one. 22 windows, each of 112 minutes or more. Let me make sure that no window is lost or split
        wrongly: each crossing of +60 and +185 in the file, counted apart from the package.
        """,
        bash(CROSSINGS, "Count the crossings without the package"),
        bash(f"python -m tidegate board {DATA} | cat -A", "The board's feed, line ends visible"),
        bash("python -m unittest -v 2>&1 | tail -30", "Run all tests"),
        thinking="""
        Limits 60 and 185. A tide that stays under 185: up 60, down 60. One that passes it: up 60, up 185, down 185,
        down 60, two windows. If the number of (up 60) plus (down 185) equals the number of openings, nothing is lost.
        The file starts on Sunday 18 October 22:00Z with the water falling?
        """,
    )
    bench.step(
        """
        23 openings in the data and 22 windows on the sheet: the prediction ends on Monday morning while the gate is
        open, and a window that has not ended is left out. Nothing is lost inside the week. Now the code that has to
        learn the letters.
        """,
        bench.read("tidegate/report.py"),
        bench.read("tidegate/week.py"),
        bench.read("tests/test_clock_change.py"),
        bench.read("tests/test_report.py"),
    )


CROSSINGS = """python - <<'END'
import csv
rows = [(row["utc"], int(row["level_cm"])) for row in csv.DictReader(open("data/predicted-2026-w43.csv"))]
for (_, before), (utc, after) in zip(rows, rows[1:]):
    for limit in (60, 185):
        if min(before, after) < limit <= max(before, after):
            way = "up  " if after > before else "down"
            done = "OPENS" if (way == "up  ") == (limit == 60) else "shuts"
            print(utc, f"{before:+4d} -> {after:+4d}", way, limit, done)
END"""

SUMMARY = """
This session is being continued from an earlier conversation that filled its window. What matters of it:

## Request
The user keeps the opening times of the Westerhaven tide gate (Python package `tidegate`, /home/gate/tidegate). In
order:
1. The sheet of week 13 showed an opening inside the hour that was skipped on 29 March. Find out why and fix it.
  **Done.**
2. Check every window of week 13 against the gate's own log, and keep the check as a script that only reads. **Done.**
3. The sheet of week 43 from `data/predicted-2026-w43.csv`. In the night to 25 October 2026 one hour comes twice: on
  paper an A behind times of the first, a B behind times of the second (02:27A, 02:35B), only in those hours, and it
  must fit the pre-printed form. Check the rest of that week. **In progress.**

## Rules of the user
- Never change a file in `data/` or `logs/`: they are evidence.
- The board's feed must stay as docs/board-feed.md has it; its firmware cannot be updated before 18 May.
- No offsets and no Z in anything that people see.

## Cause and decision
Readings were turned into local time in `load()`, so everything after it computed on the wall clock: subtraction,
interpolation, comparison. Decision: moments stay in UTC inside; `gate.local()` makes them local only in report.py,
week.py and the trace. A first fix in `Window.minutes` alone made things worse and was taken out.

## Files changed (nothing is committed)
- tidegate/gate.py: `HARBOUR`, new `local(moment)`
- tidegate/readings.py: `load()` keeps UTC; `of_day()` uses `local()`
- tidegate/week.py, tidegate/cli.py: group and show by `local()`
- tidegate/report.py: `clock()` for the sheet, new `day_clock()` for the board
- tests/helpers.py: `local()` gives moments, new `recorded(*rows)`
- tests/test_clock_change.py: new, class `Spring` with 3 tests; all 19 tests pass
- tools/against_log.py: new; `PYTHONPATH=. python tools/against_log.py <data> <log>`

## State of request 3
Week 43 prints: 22 windows, total 3436 minutes. Checked against the crossings in the file: nothing is lost. Sunday 25
October has a window that closes 02:27 (first hour) and one that opens 02:35 (second hour), 68 minutes apart.

## Next
- Add the letters in `report.clock()`, with tests (class `Autumn` in tests/test_clock_change.py)
- See what the letters mean for the board
- Then tell the user, with the sheet
"""


def pick_up(bench: Bench) -> None:
    bench.step(
        """
        I go on with the letters. Two things I have to know again before I touch `clock()`: how wide the pre-printed
        column is, and what the office has said about the board on this night.
        """,
        bench.read("docs/keepers-sheet.md"),
        bench.read("docs/board-feed.md"),
        bench.read("tidegate/report.py"),
        bench.read("tidegate/gate.py"),
        thinking="""
        The summary says "must fit the pre-printed form" and gives no number. I remember neither. Read the two
        documents again, they are short.
        """,
    )
    bench.step(
        """
        6 characters: `02:27A` fits exactly. And the board must show both hours as they are (note HN-88), so the
        letter belongs into `clock()` for the sheet and not into `day_clock()`. Tests first.
        """,
        bench.edit("tests/test_clock_change.py", "\n\nclass Spring", AUTUMN_NIGHT),
        bench.edit("tests/test_clock_change.py", '2026-03-29 03:27,30\\r\\n")\n', AUTUMN_TESTS),
        bash("python -m unittest tests.test_clock_change", "Run the tests of the clock change"),
    )


AUTUMN_NIGHT = """
AUTUMN_NIGHT = recorded(
    "2026-10-25T00:10:00Z,178,ok",
    "2026-10-25T00:20:00Z,182,ok",
    "2026-10-25T00:30:00Z,186,ok",
    "2026-10-25T01:30:00Z,187,ok",
    "2026-10-25T01:40:00Z,183,ok",
    "2026-10-25T02:40:00Z,58,ok",
)


class Spring"""
AUTUMN_TESTS = """2026-03-29 03:27,30\\r\\n")


class Autumn(unittest.TestCase):
    def test_readings_of_the_hour_that_comes_twice_are_in_order(self):
        self.assertEqual(len(AUTUMN_NIGHT), 6)

    def test_the_sheet_tells_the_two_hours_apart(self):
        first, second = AUTUMN_NIGHT[1].at, AUTUMN_NIGHT[4].at
        self.assertEqual([report.clock(first), report.clock(second)], ["02:20A", "02:40B"])

    def test_a_time_outside_those_hours_has_no_letter(self):
        self.assertEqual(report.clock(AUTUMN_NIGHT[5].at).strip(), "03:40")
        self.assertEqual(report.clock(local("2026-03-29 04:00")).strip(), "04:00")

    def test_no_time_is_wider_than_the_form(self):
        self.assertTrue(all(len(report.clock(reading.at)) == report.COLUMN for reading in AUTUMN_NIGHT))

    def test_the_board_shows_both_hours_as_they_are(self):
        (window,) = open_windows(AUTUMN_NIGHT, WESTERHAVEN)
        feed = report.board([window])
        self.assertEqual(feed, "opens,closes,minutes\\r\\n2026-10-25 02:35,2026-10-25 03:39,64\\r\\n")
"""


def add_letters(bench: Bench) -> None:
    bench.step(
        "One failure, the letters themselves; the other four describe what must stay true. Now the letters.",
        bench.edit("tidegate/gate.py", "    return moment.astimezone(HARBOUR)\n", TWICE),
        bench.edit(
            "tidegate/report.py",
            '''    """A time for the form."""
    return f"{local(moment):%H:%M}".rjust(COLUMN)''',
            '''    """A time for the form, with a letter in the hour that comes twice."""
    return f"{local(moment):%H:%M}{letter(moment)}".rjust(COLUMN)''',
        ),
        bench.edit("tidegate/report.py", "import Gate, local\n", "import Gate, letter, local\n"),
        bash("python -m unittest", "Run all tests"),
    )
    bench.step(
        "",
        bash(f"python -m tidegate sheet {DATA} | tail -8", "The end of week 43"),
        bash("python -m tidegate sheet data/gauge-2026-w13.csv | tail -5", "Week 13 must not have changed"),
        bash(f"python -m tidegate board {DATA} | tail -3", "The board's last rows of week 43"),
        bash("git status --short data logs", "Evidence untouched?"),
    )


TWICE = '''    return moment.astimezone(HARBOUR)


def letter(moment: datetime) -> str:
    """`A` or `B` when the local time of `moment` comes twice in that night: for the first time, and for the second."""
    shown = local(moment)
    other = shown.replace(fold=1 - shown.fold)
    return "AB"[shown.fold] if other.utcoffset() != shown.utcoffset() else ""
'''


def report(bench: Bench) -> None:
    bench.step(
        """
        The sheet of week 43 is ready to print. Its last day:

        ```
        Sun 25   00:18  02:27A    129
                02:35B   04:41    126
                 11:57   17:00    303
        ```

        - A letter appears in the hour that comes twice and nowhere else. `02:27A` is 6 characters, exactly the width
          of the pre-printed column.
        - The gate is shut for 68 minutes between 02:27A and 02:35B, though the clock on the wall moves by 8.
        - The board gets no letters: docs/board-feed.md says that it shows both hours as they are (HN-88).
        - Week total 3436 minutes (57 h 16). The other days of the week are right: 23 openings in the prediction, of
          which the last has not ended when the file ends on Monday.
        - Week 13 is unchanged at 3845, and `git status` shows nothing in `data/` and `logs/`.
        """,
        after=8,
    )
    bench.transcript.rest(533)
