"""The first request: a time on the sheet that does not exist. A first fix that makes it worse, then the real one."""

from __future__ import annotations

from _make.bench import Bench, bash, todo

DATA = "data/gauge-2026-w13.csv"

OLD_MINUTES = "        return round((self.closes - self.opens).total_seconds() / 60)"
NEW_MINUTES = """        opens, closes = self.opens.astimezone(UTC), self.closes.astimezone(UTC)
        return round((closes - opens).total_seconds() / 60)"""
FIRST_TEST = '''"""The two nights of the year on which the clocks change."""

import unittest

from tests.helpers import local
from tidegate.windows import Window


class Spring(unittest.TestCase):
    def test_minutes_are_those_that_really_pass(self):
        window = Window(local("2026-03-29 01:30"), local("2026-03-29 04:30"))
        self.assertEqual(window.minutes, 120)
'''


def on_progress(bench: Bench) -> None:
    complaint(bench)
    look_around(bench)
    reproduce(bench)
    first_fix(bench)
    cause(bench)
    real_fix(bench)
    tests_after(bench)
    proof(bench)


def complaint(bench: Bench) -> None:
    request = bench.user(
        """
        The sheet of last week says that the gate opens at 02:42 on Sunday 29 March. There was no 02:42 on that
        Sunday: the clocks went from 02:00 straight to 03:00. The pilot of the Margriet waited at the sill for most of
        an hour, and the quay board went to its error screen in the same night.

        Find out why, and fix it. Three rules:

        - `data/` and `logs/` are evidence for the complaint. Never change a file in there.
        - The board's firmware cannot be updated before the maintenance week of 18 May. The feed must stay as
          docs/board-feed.md has it, columns and line ends included.
        - Pilots are billed by the sheet's total. Tell me the total of week 13 as it hung in the hut, and as it should
          have been.

        The gate's own log of the week is in logs/, that one is right.
        """
    )
    bench.transcript.snapshot(request, [])


def look_around(bench: Bench) -> None:
    bench.step(
        "I'll start with the lie of the land, and with the two documents that say what must not change.",
        bash(
            "git log --oneline && git status --short && wc -l tidegate/*.py tests/*.py data/* logs/*",
            "History, state and sizes",
        ),
        bench.read("README.md"),
        bench.read("docs/board-feed.md"),
        bench.read("docs/keepers-sheet.md"),
        thinking="""
        A time inside the spring gap means that somewhere local wall-clock times are computed with, not only shown. I
        should read the documents first (board feed is a hard constraint), then the whole package: it is small.
        """,
    )
    bench.step(
        "Small enough to read in full.",
        bench.read("tidegate/readings.py"),
        bench.read("tidegate/crossing.py"),
        bench.read("tidegate/windows.py"),
        bench.read("tidegate/week.py"),
        bench.read("tidegate/report.py"),
        bench.read("tidegate/gate.py"),
        bench.read("tidegate/cli.py"),
    )
    bench.step(
        "",
        todo(
            "> Reproduce 02:42 and note the total as it hung in the hut",
            "- Find where local times are computed with",
            "- Write a failing test",
            "- Fix, without touching data/, logs/ or the board's format",
            "- Compare the new total with the gate's own log",
        ),
    )


def reproduce(bench: Bench) -> None:
    bench.step(
        "Now the sheet as it was printed, and what the gate itself noted on Sunday.",
        bash(f"python -m tidegate sheet {DATA}", "Print the sheet of week 13"),
        bash("grep -n move logs/gate-2026-w13.log", "Every movement of the gate in week 13"),
        after=8,
    )
    bench.step(
        """
        Reproduced: **Sun 29 opens 02:42, closes 07:48, 306 minutes; week total 3860 minutes (64 h 20)**. That is the
        number that hung in the hut. The gate's log has the same opening at 00:59:08Z (01:59 local) and the closing at
        05:50:09Z (07:50 local), so about 291 minutes. I want the gauge's rows around the change, and the judgement of
        each pair of readings.
        """,
        bench.read(DATA),
        bash(f"python -m tidegate trace {DATA} --day 2026-03-29", "How each pair of readings of Sunday was judged"),
        thinking="""
        02:42 to 07:48 on the wall is 5 h 06 = 306. Real: 00:57Z to 05:48Z = 291. So the minutes are computed from
        wall-clock times. Window.minutes subtracts two datetimes with the same tzinfo: Python then ignores the offset.
        That is the classic. But it explains the minutes and not 02:42 itself. Let me see the trace.
        """,
        after=11,
    )


def first_fix(bench: Bench) -> None:
    bench.step(
        """
        `Window.minutes` subtracts two times in the same zone. Python does that on the wall clock: when both sides
        carry the same `tzinfo`, the offsets are ignored. A test first; let me see how the tests build their times.
        """,
        bench.read("tests/helpers.py"),
        bench.read("tests/test_windows.py"),
        bench.read("tests/test_report.py"),
    )
    bench.step(
        "",
        bench.write("tests/test_clock_change.py", FIRST_TEST),
        bash("python -m unittest -v", "Run all tests"),
        slow=True,
    )
    bench.step(
        "It fails as expected (180 instead of 120). The smallest change that could help:",
        bench.edit("tidegate/windows.py", OLD_MINUTES, NEW_MINUTES),
        bench.edit("tidegate/windows.py", "from datetime import datetime\n", "from datetime import UTC, datetime\n"),
        bash("python -m unittest 2>&1 | tail -4", "Run all tests"),
        bash(f"python -m tidegate sheet {DATA} | tail -6", "The end of the sheet"),
    )


def cause(bench: Bench) -> None:
    bench.step(
        """
        The test passes and the sheet is **worse**: 02:42 is still there, and Sunday went from 306 to 246 minutes, 45
        too few. So the subtraction was one symptom. The line of the trace that I should have stopped at is this one:

            Sun 01:50 -> 03:00   70.0 min    +54 ->   +62  shut  passes +60

        The gauge writes every ten minutes. That pair "took 70", so `crossing()` goes three quarters of 70 minutes
        into it and lands on 02:42. Everything downstream works in local time. When did that begin?
        """,
        bash('git log --oneline -S"astimezone(HARBOUR)" -- tidegate', "Which commit brought the conversion in"),
        bash("git log -p --reverse -- tidegate tests", "How the code came to be as it is"),
        thinking="""
        02:42 does not exist, so astimezone(UTC) reads it with fold=0, offset +1, that is 01:42Z, and 01:42Z to 05:48Z
        is 246 minutes. Consistent. So the crossing is wrong before minutes ever sees it: before.at plus a share of
        (after.at - before.at), two wall-clock operations in one line. Patching each place would leave the next one for
        October: load() compares `at <= readings[-1].at`, also on the wall clock. Root cause must be the conversion at
        the edge.
        """,
        after=14,
    )
    bench.step(
        """
        Commit `a9e1418` (2026-01-12, "Local time everywhere: the sheet no longer shows UTC") moved the conversion
        into `load()`. Since then every comparison, subtraction and interpolation happens on the wall clock. From
        November to January it was right.

        **Decision:** moments stay in UTC from `load()` to the report, and become local only where a person or the
        board reads them. One function, `gate.local()`, does that. The change to `Window.minutes` goes out again: it
        cures a symptom, and would hide the next one.
        """,
        todo(
            "x Reproduce 02:42 and note the total as it hung in the hut",
            "x Find where local times are computed with",
            "x Write a failing test",
            "> Keep moments in UTC inside; local only in report, week and trace",
            "- Compare the new total with the gate's own log",
        ),
        bench.edit("tidegate/windows.py", NEW_MINUTES, OLD_MINUTES),
        bench.edit("tidegate/windows.py", "import UTC, datetime\n", "import datetime\n"),
        bench.grep(r"HARBOUR|\.date\(\)|%H:%M|\.at\b"),
    )
    bench.transcript.queue("enqueue", "please no offsets or Z in anything people see, the keepers read it as a name")


def real_fix(bench: Bench) -> None:
    bench.step(
        "Five places show or group times. First the rule itself and the edge:",
        bench.edit(
            "tidegate/gate.py",
            "from dataclasses import dataclass\nfrom zoneinfo",
            "from dataclasses import dataclass\nfrom datetime import datetime\nfrom zoneinfo",
        ),
        bench.edit("tidegate/gate.py", 'HARBOUR = ZoneInfo("Europe/Amsterdam")\n', LOCAL),
        bench.edit("tidegate/readings.py", ".astimezone(HARBOUR)", ""),
        bench.edit("tidegate/readings.py", "import HARBOUR", "import local"),
        bench.edit("tidegate/readings.py", "if reading.at.date() == day", "if local(reading.at).date() == day"),
        after=10,
    )
    bench.transcript.queue("dequeue")
    bench.user("please no offsets or Z in anything people see, the keepers read it as a name")
    bench.step(
        "Understood: `HH:MM` and nothing else, as now. Next the grouping by day and the texts.",
        bench.edit(
            "tidegate/week.py",
            "windows[0].opens.date(), windows[-1].opens.date()",
            "local(windows[0].opens).date(), local(windows[-1].opens).date()",
        ),
        bench.edit("tidegate/week.py", "days[window.opens.date()]", "days[local(window.opens).date()]"),
        bench.edit(
            "tidegate/week.py",
            "from tidegate.windows import Window\n",
            "from tidegate.gate import local\nfrom tidegate.windows import Window\n",
        ),
        bench.edit(
            "tidegate/report.py",
            'return f"{moment:%H:%M}".rjust(COLUMN)',
            'return f"{local(moment):%H:%M}".rjust(COLUMN)',
        ),
        bench.edit("tidegate/report.py", "from tidegate.gate import Gate\n", "from tidegate.gate import Gate, local\n"),
        bench.edit(
            "tidegate/cli.py",
            "{before.at:%a %H:%M} -> {after.at:%H:%M}",
            "{local(before.at):%a %H:%M} -> {local(after.at):%H:%M}",
        ),
        bench.edit(
            "tidegate/cli.py",
            "from tidegate.gate import WESTERHAVEN\n",
            "from tidegate.gate import WESTERHAVEN, local\n",
        ),
    )


LOCAL = '''HARBOUR = ZoneInfo("Europe/Amsterdam")


def local(moment: datetime) -> datetime:
    """A moment as people in the harbour say it. Only for showing: local times must never be subtracted or compared."""
    return moment.astimezone(HARBOUR)
'''


def tests_after(bench: Bench) -> None:
    bench.step(
        "The helpers of the tests must give moments too. Then the second half of the spring test, through `load()` "
        "this time.",
        bench.edit(
            "tests/helpers.py",
            '''    """`2026-01-12 14:30` as a moment in the harbour's time."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=HARBOUR)
''',
            '''    """`2026-01-12 14:30`, said in the harbour, as a moment."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=HARBOUR).astimezone(UTC)


def recorded(*rows: str) -> list[Reading]:
    """Readings as `load` gives them, from rows such as `2026-01-12T14:30:00Z,54,ok`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gauge.csv")
        path.write_text("\\n".join(["utc,level_cm,quality", *rows]) + "\\n")
        return load(path)
''',
        ),
        bench.edit(
            "tests/helpers.py",
            "from datetime import datetime, timedelta\n",
            "import tempfile\nfrom datetime import UTC, datetime, timedelta\nfrom pathlib import Path\n",
        ),
        bench.edit("tests/helpers.py", "import Reading\n", "import Reading, load\n"),
        bench.write("tests/test_clock_change.py", SPRING_TESTS),
        bash("python -m unittest -v", "Run all tests"),
    )
    bench.step(
        """
        Two failures, one cause: I converted the sheet and forgot the board, so its feed shows UTC (`00:57` for
        `01:57`). Good that the feed has a test; it is exactly the contract that must not move.
        """,
        bench.edit(
            "tidegate/report.py",
            "{window.opens:%Y-%m-%d %H:%M},{window.closes:%Y-%m-%d %H:%M}",
            "{day_clock(window.opens)},{day_clock(window.closes)}",
        ),
        bench.edit("tidegate/report.py", "\n\ndef totals(", DAY_CLOCK),
        bash("python -m unittest -v", "Run all tests"),
    )


SPRING_TESTS = '''"""The two nights of the year on which the clocks change."""

import unittest

from tests.helpers import local, recorded
from tidegate import report
from tidegate.gate import WESTERHAVEN
from tidegate.windows import Window, open_windows

SPRING_NIGHT = recorded(
    "2026-03-29T00:40:00Z,45,ok",
    "2026-03-29T00:50:00Z,54,ok",
    "2026-03-29T01:00:00Z,62,ok",
    "2026-03-29T01:10:00Z,71,ok",
    "2026-03-29T01:20:00Z,65,ok",
    "2026-03-29T01:30:00Z,58,ok",
)


class Spring(unittest.TestCase):
    def test_minutes_are_those_that_really_pass(self):
        window = Window(local("2026-03-29 01:30"), local("2026-03-29 04:30"))
        self.assertEqual(window.minutes, 120)

    def test_no_window_opens_in_the_hour_that_does_not_exist(self):
        (window,) = open_windows(SPRING_NIGHT, WESTERHAVEN)
        self.assertEqual((report.clock(window.opens).strip(), window.minutes), ("01:57", 30))

    def test_the_board_gets_a_time_that_exists(self):
        feed = report.board(open_windows(SPRING_NIGHT, WESTERHAVEN))
        self.assertEqual(feed, "opens,closes,minutes\\r\\n2026-03-29 01:57,2026-03-29 03:27,30\\r\\n")
'''
DAY_CLOCK = '''

def day_clock(moment: datetime) -> str:
    """A time with its day, for the board."""
    return f"{local(moment):%Y-%m-%d %H:%M}"


def totals('''


def proof(bench: Bench) -> None:
    changed = ["tests/helpers.py", "tidegate/cli.py", "tidegate/gate.py", "tidegate/readings.py", "tidegate/report.py"]
    bench.transcript.snapshot(bench.transcript.parent or "", [*changed, "tidegate/week.py"], update=True)
    bench.step(
        "All green. Now the feed byte by byte against the old one, and the sheet again.",
        bash(
            f"git stash -q -u && python -m tidegate board {DATA} > ../board-before.csv; git stash pop -q && "
            f"python -m tidegate board {DATA} > ../board-after.csv; "
            "diff ../board-before.csv ../board-after.csv; grep -c $'\\r$' ../board-before.csv ../board-after.csv",
            "Old feed against new feed",
        ),
        bash(f"python -m tidegate sheet {DATA}", "Print the sheet again"),
        bash("git status --short && git diff", "All changes so far"),
        after=9,
    )
    bench.step(
        """
        Fixed. The cause was one line: since commit `a9e1418` (12 January) the readings were turned into local time as
        they were loaded, and everything after that was computed on the wall clock. On 29 March the pair of readings
        around the change looked 70 minutes long, so the opening was placed at 02:42, inside the hour that was
        skipped.

        | week 13 | as it hung | now |
        |---|---|---|
        | Sunday, first window | 02:42 to 07:48, 306 min | 01:57 to 07:48, 291 min |
        | total | 3860 min (64 h 20) | 3845 min (64 h 05) |

        So the pilots were billed for 15 minutes too many. Moments now stay in UTC inside and become local only in
        `report.py`, `week.py` and the trace. The feed differs from the old one in that single row; header, columns
        and CR LF are the same. `data/` and `logs/` are untouched. Nothing is committed yet.

        My first attempt (only `Window.minutes`) made Sunday 45 minutes too short; I took it out again.
        """,
        after=12,
    )
    bench.transcript.rest(412)
