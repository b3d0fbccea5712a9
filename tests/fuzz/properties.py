"""The properties of the suite, over examples that it does not draw: more of them, and other ones each time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path

from tests.fuzz import FOLDER, Search

TESTS = Path(__file__).parents[1]
EXAMPLES = 400
"""Examples of each property, at each visit of its file."""


def run(seed: int, seconds: float, folder: Path = FOLDER, tests: Path = TESTS) -> Search:
    """Visit the files of tests that have properties in turn, for some time; a line for each that failed and at the end.

    What pytest said of a failure, with the example, is kept in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    failures = visits = 0
    for visits, path in enumerate(cycle(property_files(tests))):
        report = failure(path, seed + visits, end - time.monotonic())
        if time.monotonic() > end:
            break
        if report:
            name = f"properties-{seed + visits}.txt"
            (folder / name).write_text(report, encoding="utf-8")
            failures += 1
            yield f"properties {seed + visits}: {path.name} failed, see {name}"
    yield f"properties {seed}: {visits:,} visits, {failures} failures"
    return failures


def property_files(tests: Path) -> list[Path]:
    return sorted(path for path in tests.rglob("test_*.py") if "from hypothesis import" in path.read_text("utf-8"))


def failure(path: Path, seed: int, seconds: float) -> str:
    """What pytest says of the properties in a file; nothing where all hold, or time is up before it is known."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "hypothesis"]
    command += [f"--hypothesis-seed={seed}", str(path)]
    deep = os.environ | {"SEARCH": "1", "EXAMPLES": str(EXAMPLES)}
    try:
        done = subprocess.run(
            command, cwd=TESTS.parent, env=deep, capture_output=True, text=True, timeout=max(seconds, 0), check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    return "" if done.returncode in (0, 5) else done.stdout + done.stderr
