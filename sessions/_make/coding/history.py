"""The past of the tidegate repository: its commits, made by taking later work out of the files again."""

from __future__ import annotations

import re
from pathlib import Path

from _make.workshop import Workshop

Undo = tuple[str, str, str]
"""A file, a text that stands in it today, and what stood there before."""

BOARD: list[Undo] = [
    ("tidegate/report.py", r"(?s)\n\ndef board\(.*?(?=\n\ndef totals)", "\n"),
    ("tidegate/cli.py", r'\{"sheet": (.*?), "board": lambda: .*?\}', r'{"sheet": \1}'),
    ("tidegate/cli.py", r'"sheet", "board", ', '"sheet", '),
    ("tests/test_report.py", r"(?s)class Board.*?\n\n\n(?=class Sheet)", ""),
    ("README.md", r"    python -m tidegate board.*\n", ""),
    ("CHANGELOG.md", r"(?s)## 0\.3\.0.*", "## 0.2.0 - 2025-11-16\n- Windows from gauge readings.\n"),
]
LOCAL: list[Undo] = [
    ("tidegate/readings.py", r"\.astimezone\(HARBOUR\)", ""),
    ("tidegate/readings.py", r"from tidegate\.gate import HARBOUR\n\n\n", "\n"),
    ("tidegate/gate.py", r"HARBOUR = .*\n\n\n", "\n"),
    ("tidegate/gate.py", r"from zoneinfo import ZoneInfo\n", ""),
    ("tests/helpers.py", r"from datetime import datetime, timedelta", "from datetime import UTC, datetime, timedelta"),
    ("tests/helpers.py", r"from tidegate\.gate import HARBOUR\n", ""),
    ("tests/helpers.py", r"tzinfo=HARBOUR", "tzinfo=UTC"),
    ("tests/helpers.py", r"the harbour's time", "UTC"),
    ("tests/test_readings.py", r"(?s)\n    def test_a_local_day.*", ""),
    ("README.md", r" All times that people see are local\.", " All times are UTC."),
    ("CHANGELOG.md", r"(?s)## 0\.4\.0.*?\n\n", ""),
]
TRACE: list[Undo] = [
    ("tidegate/cli.py", r"(?s)\n\ndef trace.*", ""),
    ("tidegate/cli.py", r'(?s)    if options.what == "trace".*?return 0\n', ""),
    ("tidegate/cli.py", r', "trace"\]', "]"),
    ("tidegate/cli.py", r'    parser.add_argument\("--day".*\n', ""),
    ("README.md", r"(?s)    python -m tidegate trace.*?judged\n", ""),
    ("CHANGELOG.md", r"(?s)## 0\.4\.1.*?\n\n", ""),
]
SHORTEST: list[Undo] = [
    ("tidegate/windows.py", r"\[window for window in windows if .*\]", "windows"),
    ("tidegate/windows.py", r", without those that are too short", ""),
    ("tidegate/gate.py", r'(?s)    shortest: int\n.*?left out\."""\n', ""),
    ("tidegate/gate.py", r", shortest=25", ""),
    ("tests/test_windows.py", r"(?s)    def test_a_short.*?\n\n", ""),
    ("README.md", r"\nAn opening shorter than 25 minutes is not worth a crew and is left out\.", ""),
    ("CHANGELOG.md", r"(?s)## 0\.4\.2.*?\n\n", ""),
]
COMMITS: list[tuple[str, str, str, list[list[Undo]]]] = [
    ("2025-11-16T14:20:00", "0.2.0", "Windows from gauge readings", [SHORTEST, TRACE, LOCAL, BOARD]),
    ("2025-11-30T16:05:00", "0.3.0", "A feed for the board on the quay", [SHORTEST, TRACE, LOCAL]),
    ("2026-01-12T20:41:00", "0.4.0", "Local time everywhere: the sheet no longer shows UTC", [SHORTEST, TRACE]),
    ("2026-01-28T19:12:00", "0.4.1", "Show how each pair of readings was judged", [SHORTEST]),
    ("2026-02-19T21:30:00", "0.4.2", "Leave out openings shorter than 25 minutes", []),
]


def commit_past(workshop: Workshop) -> None:
    """Make the repository, with one commit for each step of its past; the last one leaves the files as they are."""
    root = workshop.root
    today = {path: path.read_text() for path in sorted(root.rglob("*.*")) if path.suffix in {".py", ".md", ".toml"}}
    workshop.shell(
        "git init -q -b main && git config user.name 'Harbour office' && "
        "git config user.email office@westerhaven.example.org && git config core.autocrlf false"
    )
    for moment, version, message, undone in COMMITS:
        for path, text in today.items():
            path.write_text(before(text, path.relative_to(root), [undo for step in undone for undo in step], version))
        commit(workshop, moment, message, "pyproject.toml README.md CHANGELOG.md docs tidegate tests")
    commit(workshop, "2026-03-30T08:55:00", "Readings and gate log of week 13, prediction for week 43", "data logs")


def before(text: str, name: Path, undone: list[Undo], version: str) -> str:
    for file, now, then in undone:
        if file == name.as_posix():
            text = re.sub(now, then, text)
    return text.replace("0.4.2", version) if name.name in {"pyproject.toml", "__init__.py"} else text


def commit(workshop: Workshop, moment: str, message: str, paths: str) -> None:
    workshop.date = f"{moment}+0000"
    workshop.shell(f"git add {paths} && git commit -q -m '{message}'")
