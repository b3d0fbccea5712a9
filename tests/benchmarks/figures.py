"""Each speed that is promised, with its limit: processor seconds and memory of commands, and the store of an agent.

usage: python -m tests.benchmarks.figures [--compare] [--to FOLDER]

Takes five minutes at most. Each figure is measured once, and those that vary again while time is left: the smallest
value counts. A command that runs at the end is stopped; what could not be measured is named with its reason. A limit
is a number, or a multiple of another figure of the same run. Each run writes its figures as JSON; `--compare` prints
the change since the last one, relative to the time that the machine takes to import click.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

from inspector.memory import MemoryConfig, MemoryManager
from inspector.store import Store
from tests.benchmarks.app_keys import Visit, follow
from tests.benchmarks.big_log import write_log
from tests.benchmarks.start import LABEL, seconds_to
from tests.benchmarks.varied_text import VariedText
from tests.places import ROOT, SESSIONS
from tests.terminal import WINDOW_SHOWN, environment_in, inspector, percentile, running_app

SECONDS = 285.0
"""Time after which no further figure is begun, and the command that runs is stopped."""
AGAIN = 120.0
"""Time after which nothing is measured again."""
STEPS = 400
"""Steps of the long log; a step is an assistant message and a result."""
SHORT_STEPS = 140
MESSAGES = 4_000
"""Messages of the agent whose store is measured."""
TURNS, PATIENCE = 20, 20.0
"""Keys that are pressed in the app, and seconds to wait before until it is quiet."""
FOLLOWED, RESTED = 6, 5.0
"""Seconds for which a session is followed while it grows, and before."""
FOLDER = ROOT / "build" / "bench"
FAILURES = (TimeoutError, LookupError, subprocess.CalledProcessError)
"""What a figure raises that cannot be measured."""
BASE = "import click"
"""The figure that other runs are compared by."""


@dataclass(frozen=True)
class Figure:
    """A measured value. The limit is `limit`, times the figure named `of` if there is one."""

    name: str
    measure: Callable[[], float]
    unit: str = "s"
    limit: float | None = None
    of: str = ""
    times: int = 1
    """How often it is measured at most."""

    def limit_in(self, values: dict[str, float]) -> float | None:
        """Return the limit in the unit of the figure; None if it is not known."""
        if self.limit is None or (self.of and self.of not in values):
            return None
        return self.limit * (values[self.of] if self.of else 1)


def seconds_and_memory(words: list[str], folder: Path, limit: float | None = None) -> tuple[float, float]:
    """Return the processor seconds of a program and its helpers, and the largest memory of one of them in MB.

    Raises TimeoutError if it is stopped because it runs for more than `limit` seconds, and CalledProcessError if it
    fails.
    """
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    with subprocess.Popen(words, env=environment_in(folder), stdout=subprocess.DEVNULL) as process:
        timer = threading.Timer(limit or 0, stop)
        if limit is not None:
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
    if late.is_set():
        raise TimeoutError(f"not done within {limit:.0f} s: {' '.join(words)}")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Bench:
    """The figures, in order of importance, over recordings in a temporary folder."""

    def __init__(self, folder: Path, end: float = math.inf) -> None:
        """Write the recordings.

        Args:
            folder: Where the recordings, and all files of the app, are.
            end: Time on the monotonic clock at which a command is stopped.
        """
        self.folder, self.end = folder, end
        self.long, self.short = self._log("long"), self._log("short", SHORT_STEPS)
        self.megabytes = self.long.stat().st_size / 1e6
        self._memory: dict[str, float] = {}
        self._disk = 0.0
        self._at_rest: dict[str, float] = {}

    def figures(self) -> Iterator[Figure]:
        """Yield all figures."""
        sample, part = str(SESSIONS / "support-ticket.json"), self.megabytes / 53.5
        yield Figure(BASE, partial(self._python, "import click"), times=3)
        yield Figure("import textual.app", partial(self._python, "import textual.app"), times=3)
        yield Figure("--help", partial(self._command, "--help"), limit=2.0, of=BASE, times=3)
        yield Figure("ls", partial(self._command, "ls"), limit=0.2, times=3)
        for name in ("why", "top"):
            yield Figure(f"{name}, 12 lines", partial(self._command, name, sample), limit=0.4, times=3)
        label = partial(self._first_text, [sys.executable, "-c", LABEL], "a label")
        yield Figure("a Textual label", label, times=3)
        app = partial(self._first_text, [inspector(), sample], "Sessions")
        yield Figure("first text of the app", app, limit=1.6, of="a Textual label", times=3)
        yield Figure("why, 285 messages", partial(self._command, "why", str(self.short)), limit=0.6, times=2)
        yield Figure("show, cold", partial(self._command, "show", str(self.long)))
        show = partial(self._command, "show", str(self.long))
        yield Figure("show, warm", show, limit=max(0.2, 0.5 * part), times=3)
        for name in ("why", "lost"):
            yield Figure(f"{name}, long", partial(self._command, name, str(self.long)), limit=2.0, of="show, warm")
        replay = partial(self._command, "replay", str(self._log("replayed")), "--preset", "balanced")
        yield Figure("replay, first", replay)
        yield Figure("replay, again", replay, limit=2.0, of="show, warm", times=2)
        yield Figure("memory of replay", partial(self._memory.__getitem__, "replay"), "MB", 200)
        yield Figure("messages appended", self._append, "us", 150, times=2)
        yield Figure("disk for each byte of text", lambda: self._disk, "", 3.4)
        yield Figure("a turn in the app, p95", self._turn, "ms", 20)
        yield Figure("following 50 lines a second", self._follow, "%", 3)
        yield Figure("followed session at rest", partial(self._at_rest.__getitem__, "followed"), "%", 0.1)
        tune = partial(self._command, "tune", str(self._log("tuned")))
        yield Figure("tune, first", tune, limit=max(1.0, 6 * part))
        yield Figure("memory of tune", partial(self._memory.__getitem__, "tune"), "MB", 250)
        yield Figure("tune, again", tune, limit=2.0, of="show, warm", times=2)

    def _log(self, name: str, steps: int | None = None) -> Path:
        """Write a log of its own texts, of which nothing is kept yet."""
        path = self.folder / f"{name}.jsonl"
        write_log(path, STEPS if steps is None else steps, crc32(name.encode()))
        return path

    def _python(self, code: str) -> float:
        return seconds_and_memory([sys.executable, "-c", code], self.folder)[0]

    def _command(self, *words: str) -> float:
        limit = None if self.end == math.inf else max(0.0, self.end - time.monotonic())
        seconds, memory = seconds_and_memory([inspector(), *words], self.folder, limit)
        self._memory[words[0]] = max(memory, self._memory.get(words[0], 0))
        return seconds

    def _first_text(self, command: list[str], text: str) -> float:
        return seconds_to((text,), command, self.folder)

    def _turn(self) -> float:
        """Return the milliseconds of a key that leads to another turn, at the 95th percentile."""
        with running_app([str(self.long)], self.folder) as terminal:
            terminal.wait_for(*WINDOW_SHOWN)
            visit = Visit(terminal)
            visit.wait(PATIENCE)
            return percentile([visit.press("left") for _ in range(TURNS)], 0.95)

    def _follow(self) -> float:
        """Return the percentage of a core that Live takes, and note that of a session that does not change."""
        log = self.folder / "home" / ".claude" / "projects" / "-followed" / "log.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(self.long.read_bytes())
        with running_app([str(log)], self.folder) as terminal:
            terminal.wait_for(*WINDOW_SHOWN)
            following = follow(Visit(terminal), log, PATIENCE, FOLLOWED, RESTED)
        if not following.is_shown:
            raise LookupError("the last followed line was not shown")
        self._at_rest["followed"] = 100 * following.at_rest
        return 100 * following.share

    def _append(self) -> float:
        """Return microseconds for each message of an agent that compresses, and note the size of its store."""
        texts = VariedText(random.Random(5))
        messages = [
            {"role": ("user", "assistant")[number % 2], "content": texts.prose(60)} for number in range(MESSAGES)
        ]

        async def append() -> float:
            with tempfile.TemporaryDirectory(dir=self.folder) as name, Store(Path(name, "agent.db")) as store:
                settings = MemoryConfig(compression_threshold=40_000)
                memory = MemoryManager(settings, model="gpt-4o-mini", store=store, session_id="one")
                memory.save()
                await memory.add_message(messages[0])
                began = time.process_time()
                for message in messages:
                    await memory.add_message(message)
                took = time.process_time() - began
                self._disk = sum(file.stat().st_size for file in Path(name).iterdir())
                return took

        seconds = asyncio.run(append())
        self._disk /= sum(len(message["content"]) for message in messages)
        return 1e6 * seconds / len(messages)


def measure_again(figures: Sequence[Figure], values: dict[str, float], end: float) -> None:
    """Replace values by smaller ones: one more run of each figure that varies, then the next, until the time ends."""
    for number in range(2, max(figure.times for figure in figures) + 1):
        for figure in figures:
            if figure.times >= number and figure.name in values and time.monotonic() < end:
                with suppress(*FAILURES):
                    values[figure.name] = min(values[figure.name], figure.measure())


def last_run(folder: Path) -> dict[str, float]:
    """Return the figures of the last stored run; none without one."""
    paths = sorted(folder.glob("figures-*.json"))
    rows = json.loads(paths[-1].read_text(encoding="utf-8"))["figures"] if paths else []
    return {row["name"]: row["value"] for row in rows}


def line_of(figure: Figure, values: dict[str, float], before: dict[str, float]) -> str:
    """Return the figure with its limit, its share of the limit, and its change since another run."""
    value, limit = values[figure.name], figure.limit_in(values)
    text = f"{figure.name:<28}{value:10.2f} {figure.unit:<3}"
    if limit:
        text += f" limit {limit:8.2f}   ratio {value / limit:5.2f}   {'ok' if value <= limit else 'MISSED':<6}"
    if before.get(figure.name):
        machine = values[BASE] / before[BASE] if figure.unit in ("s", "us") and before.get(BASE) else 1.0
        text += f"   {value / before[figure.name] / machine:5.2f} of the last run"
    return text


def row_of(figure: Figure, values: dict[str, float]) -> dict[str, Any]:
    """Return the figure as JSON values."""
    value, limit = values[figure.name], figure.limit_in(values)
    ratio = round(value / limit, 3) if limit else None
    return {"name": figure.name, "value": value, "unit": figure.unit, "limit": limit, "ratio": ratio, "of": figure.of}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--compare", action="store_true", help="print the change since the last stored run")
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder of the stored runs")
    options = parser.parse_args()
    before = last_run(options.to) if options.compare else {}
    began, values, left = time.monotonic(), dict[str, float](), dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        figures = list(Bench(Path(folder), began + SECONDS).figures())
        for figure in figures:
            try:
                if time.monotonic() - began > SECONDS:
                    raise TimeoutError("no time was left")
                values[figure.name] = figure.measure()
            except FAILURES as error:
                left[figure.name] = str(error)
                print(f"{figure.name:<28} not measured: {error}", flush=True)
            else:
                print(line_of(figure, values, before), flush=True)
        measure_again(figures, values, began + AGAIN)
    rows = [row_of(figure, values) for figure in figures if figure.name in values]
    print("\nThe smallest of what was measured:")
    print("\n".join(line_of(figure, values, before) for figure in figures if figure.name in values))
    print("\n".join(f"{name:<28} not measured: {reason}" for name, reason in left.items()))
    options.to.mkdir(parents=True, exist_ok=True)
    path = options.to / f"figures-{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.write_text(json.dumps({"figures": rows, "left": left}, indent=1), encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s; written to {path}")


if __name__ == "__main__":
    main()
