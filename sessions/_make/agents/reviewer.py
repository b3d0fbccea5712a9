"""The reviewer: what else can put a moon on a wrong day."""

from __future__ import annotations

from _make.bench import Bench, bash

ZONES = """from zoneinfo import ZoneInfo
from moonlight.phase import events
kitchen = ZoneInfo("Europe/Vienna")
total = other = year = 0
for y in range(1950, 2051):
    for when, name in events(y):
        total += 1
        other += when.date() != when.astimezone(kitchen).date()
        year += when.year != when.astimezone(kitchen).year
print(f"{total} moons, {other} on another day by the kitchen clock, {year} in another year")
for when, name in events(2026):
    if when.date() != when.astimezone(kitchen).date():
        print("2026:", name, when, "->", when.astimezone(kitchen))"""


def work(bench: Bench) -> str:
    bench.step(
        "",
        bench.read("moonlight/phase.py"),
        bench.read("moonlight/page.py"),
        bench.read("tests/test_phase.py"),
        bench.grep(r"tz|UTC|astimezone|Vienna"),
    )
    bench.step(
        "README.md promises the kitchen clock (Europe/Vienna); no line of the code knows of it. How often does it "
        "matter?",
        bash(f"python - <<'END'\n{ZONES}\nEND", "Moons that fall on another day by the local clock"),
        bash(
            "grep -oE '(new|full) +[|] [0-9-]+ 2[23]:[0-9]+' docs/almanac-2026.md",
            "True moons of 2026 in the last two hours of a day",
        ),
        thinking="""
        page.py formats `when`, which is UTC. Local is +1 or +2 h, so about 1.5/24 = 6 % of moons get another date.
        Count it. Also the filter `.year <= year` is by UTC: a moon in the last hour of 31 December belongs to the
        next year locally.
        """,
    )
    bench.step(
        "And the start of the loop: can it begin after the first moon of a year?",
        bash(
            "python - <<'END'\nfrom datetime import timedelta\nfrom moonlight.phase import MONTH, events, moment\n"
            "late = [y for y in range(1950, 2051) if moment(round((y - 2000) * 365.25 / MONTH) - 1.0).year == y]\n"
            "print('starts inside the year:', late[:12], len(late))\nEND",
            "Years in which the loop starts too late",
        ),
    )
    return """
    Three findings, worst first.

    1. **moonlight/page.py:11 shows the date of Greenwich.** README.md promises Europe/Vienna. From 1950 to 2050, 147
      of 2,499 moons (6 %) fall on another day by that clock. Once the month is right it shows in 2026 as well: the
      full moon of 29 June, 23:57 UTC in the almanac, is 30 June, 01:57 in the kitchen. Way to see it:
      `when.astimezone(ZoneInfo("Europe/Vienna")).date()`.
    2. **moonlight/phase.py:20 and 21 choose the year by UTC.** A moon in the last hour of 31 December belongs to the
      next year. With the mean month no year from 1950 to 2050 has one, by luck. Convert before the comparison. When
      the terms of docs/lunation.md come in (up to 14 hours), the start of the loop needs half a month more room: `-
      1.5` instead of `- 1.0`.
    3. **tests/test_phase.py compares no date with anything.** All three tests pass with a month that is wrong by
      hours, and did.

    Rounding is all right: `timedelta` keeps microseconds. Nothing was changed.
    """
