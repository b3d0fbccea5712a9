"""Random keys, bursts, clicks and sizes on the app, over all sample sessions, an episode at a time."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from tests import warm
from tests.fuzz import Search
from tests.fuzz.play import Case
from tests.fuzz.steps import SIZES, random_steps
from tests.places import ROOT

FOUND = Path(__file__).parent / "found"
TARGETS = (
    ("support-ticket.json",),
    ("coding-agent.jsonl",),
    ("research.json",),
    ("three-agents.jsonl",),
    ("interviews.json",),
    ("damaged.jsonl",),
    (".",),
    ("three-agents",),
    (),
)
"""What the app is opened on: each sample, all of them, a folder of sub-agents, and nothing."""
LIMIT = 240
"""Seconds for an episode; a frozen app is noticed sooner."""
SHRINK = 180
"""Seconds that are spent on leaving out what a failure does not need."""


def episode(seed: str) -> Case:
    """The case of a seed. A quarter of them are played in a real terminal."""
    random = Random(seed)
    steps = tuple(random_steps(random, random.choice((20, 60, 120))))
    return Case(random.choice(TARGETS), random.choice(SIZES), steps, random.random() < 0.25)


def failure(case: Case) -> str:
    """Play a case in a process of its own; what went wrong, nothing when all is well."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        case.save(path)
        try:
            done = warm.run(["-m", "tests.fuzz.play", path], cwd=ROOT, errors="replace", timeout=LIMIT)
        except subprocess.TimeoutExpired as error:
            return f"not over after {LIMIT} s: {(error.stdout or b'')[-300:]!r}"
    return "" if done.returncode == 0 else f"{done.stdout[-300:]}\n{done.stderr[-3000:]}"


def shrunk(case: Case, fails: Callable[[Case], object], seconds: float = SHRINK) -> Case:
    """A case with as few steps as time allows that still fails: ever smaller parts of it are left out."""
    end = time.monotonic() + seconds
    size = len(case.steps) // 2
    while size and time.monotonic() < end:
        start = 0
        while start < len(case.steps) and time.monotonic() < end:
            fewer = replace(case, steps=case.steps[:start] + case.steps[start + size :])
            if fails(fewer):
                case = fewer
            else:
                start += size
        size //= 2
    return case


def run(seed: int, seconds: float, folder: Path = FOUND) -> Search:
    """Play episodes for some time; a line for each that failed and one at the end, and a file for each failure."""
    end = time.monotonic() + seconds
    number = steps = failures = 0
    while time.monotonic() < end:
        case = episode(f"{seed}/{number}")
        problem = failure(case)
        if problem:
            case = shrunk(case, failure)
            folder.mkdir(exist_ok=True)
            name = hashlib.sha256(repr(case).encode()).hexdigest()[:10]
            case.save(folder / f"keys-{name}.json")
            failures += 1
            yield f"keys {seed}/{number} {case.targets} {case.size} {len(case.steps)} steps, see {name}: {problem}"
        number, steps = number + 1, steps + len(case.steps)
    yield f"keys {seed}: {number:,} episodes, {steps:,} steps, {failures} failures"
    return failures
