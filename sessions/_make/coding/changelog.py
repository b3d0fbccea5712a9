"""The last requests: both need something that was said or seen before the window was compacted."""

from __future__ import annotations

from _make.bench import Bench, bash

DATA = "data/gauge-2026-w13.csv"
ENTRY = """# Changelog

## 0.4.3 - 2026-03-30
- Moments stay in UTC until they are shown. On the night of a clock change the sheet no longer shows times that do not
  exist, and its minutes are those that really pass. Wrong since 0.4.0 (commit a9e1418).
- Week 13 of 2026 as it hung in the hut: 3860 minutes. As it should have been: 3845. Billed too much: 15 minutes at
  EUR 4.15, EUR 62.25.
- In the hour that comes twice in autumn the sheet marks times with A and B. The board is unchanged.
- `tools/against_log.py` compares a week with the gate's own log.
"""


def on_progress(bench: Bench) -> None:
    bench.transcript.clock.wait(3 * 60)
    bench.user(
        """
        Print is on the wall. Now write the changelog for 0.4.3 and commit, but never push from this machine. The
        pilots' office wants three numbers in it: the total of week 13 as it hung in the hut, what the difference is
        in euros, and the commit that brought the mistake in.
        """
    )
    numbers(bench)
    release(bench)
    last_question(bench)


def numbers(bench: Bench) -> None:
    bench.step(
        """
        The right total is 3845. The wrong one and the commit I had before the conversation was compacted, and neither
        is in the summary, so I measure and look them up again instead of guessing. The tariff I have just read: EUR
        4.15 a minute.
        """,
        bash(
            f"git stash -q -u && python -m tidegate total {DATA}; git stash pop -q",
            "Total of week 13 with the old code",
        ),
        bash(
            'git log --format="%h %as %s" -S"astimezone(HARBOUR)" -- tidegate/readings.py', "Which commit brought it in"
        ),
        bash("cat CHANGELOG.md && grep -rn '0\\.4\\.2' --include=*.py --include=*.toml .", "Where the version stands"),
    )


def release(bench: Bench) -> None:
    bench.step(
        "3860 before, 3845 now: 15 minutes, EUR 62.25. Brought in by `a9e1418`.",
        bench.edit("CHANGELOG.md", "# Changelog\n", ENTRY),
        bench.edit("pyproject.toml", 'version = "0.4.2"', 'version = "0.4.3"'),
        bench.edit("tidegate/__init__.py", '"0.4.2"', '"0.4.3"'),
    )
    bench.workshop.date = "2026-03-30T10:41:00+0000"
    bench.step(
        "",
        bash("python -m unittest 2>&1 | tail -3", "Run all tests"),
        bash(
            "git add -A && git commit -q -m 'Keep moments in UTC until they are shown (0.4.3)' && git log --oneline "
            "-2 && git show --stat --format= HEAD && git status --short",
            "Commit",
        ),
    )
    bench.step(
        """
        Committed on `main`, not pushed. In the changelog for the pilots' office:

        | | |
        |---|---|
        | week 13 as it hung | 3860 minutes |
        | week 13 as it should have been | 3845 minutes |
        | billed too much | 15 minutes, EUR 62.25 (tariff 2026-A, EUR 4.15 a minute) |
        | brought in by | `a9e1418`, 2026-01-12, version 0.4.0 |
        """
    )
    bench.transcript.rest(121)


def last_question(bench: Bench) -> None:
    bench.transcript.clock.wait(75)
    bench.user(
        """
        One more. The maker of the gate's controller wants to know the `seq` of its last sign of life before the
        Sunday opening at 00:59:08Z, and the oil temperature then.
        """
    )
    bench.step(
        "",
        bash("grep -n -B1 '2026-03-29T00:59:08Z' logs/gate-2026-w13.log", "The line before the opening"),
    )
    bench.step(
        "`seq=22682` at 2026-03-29T00:55:00Z, oil at 20.8 C (line 1804 of `logs/gate-2026-w13.log`).",
        after=4,
    )
    bench.transcript.rest(19)
