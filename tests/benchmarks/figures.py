"""Each speed that is promised, with its limit: processor seconds and memory of commands, and the store of an agent.

usage: python -m tests.benchmarks.figures [--compare] [--to FOLDER]

Takes up to five minutes; figures for which no time is left are named at the end. A limit is a number, or a multiple of
another figure of the same run. Each run writes its figures as JSON; `--compare` prints the change since the last one,
relative to the time that the machine takes to import click.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from inspector.memory import MemoryConfig, MemoryManager
from inspector.store import Store
from tests.benchmarks.big_log import write_log
from tests.benchmarks.start import LABEL, seconds_to
from tests.benchmarks.varied_text import VariedText
from tests.places import ROOT, SESSIONS
from tests.terminal import environment_in, inspector

SECONDS = 300.0
"""Time after which no further figure is begun."""
STEPS = 700
"""Steps of the long log; a step is an assistant message and a result."""
SHORT_STEPS = 140
MESSAGES = 4_000
"""Messages of the agent whose store is measured."""
FOLDER = ROOT / "build" / "bench"
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

    def limit_in(self, values: dict[str, float]) -> float | None:
        """Return the limit in the unit of the figure; None if it is not known."""
        if self.limit is None or (self.of and self.of not in values):
            return None
        return self.limit * (values[self.of] if self.of else 1)


def seconds_and_memory(words: list[str], folder: Path) -> tuple[float, float]:
    """Return the processor seconds of a program and its helpers, and the largest memory of one of them in MB."""
    with subprocess.Popen(words, env=environment_in(folder), stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Bench:
    """The figures, in order of importance, over recordings in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.long, self.short = folder / "long.jsonl", folder / "short.jsonl"
        write_log(self.long, STEPS)
        write_log(self.short, SHORT_STEPS)
        self.megabytes = self.long.stat().st_size / 1e6
        self._memory: dict[str, float] = {}
        self._disk = 0.0

    def figures(self) -> Iterator[Figure]:
        """Yield all figures."""
        sample, python = str(SESSIONS / "support-ticket.json"), partial(self._python, times=3)
        part = self.megabytes / 53.5
        yield Figure(BASE, partial(python, "import click"))
        yield Figure("import textual.app", partial(python, "import textual.app"))
        yield Figure("--help", partial(self._command, "--help", times=3), limit=2.0, of=BASE)
        yield Figure("ls", partial(self._command, "ls", times=3), limit=0.2)
        for name in ("why", "top"):
            yield Figure(f"{name}, 12 lines", partial(self._command, name, sample, times=3), limit=0.4)
        yield Figure("a Textual label", partial(self._first_text, [sys.executable, "-c", LABEL], "a label"))
        app = partial(self._first_text, [inspector(), sample], "Sessions")
        yield Figure("first text of the app", app, limit=1.6, of="a Textual label")
        yield Figure("why, 285 messages", partial(self._command, "why", str(self.short), times=2), limit=0.6)
        yield Figure("show, cold", partial(self._command, "show", str(self.long)))
        yield Figure("show, warm", partial(self._command, "show", str(self.long), times=2), limit=max(0.2, 0.5 * part))
        for name in ("why", "lost"):
            yield Figure(f"{name}, long", partial(self._command, name, str(self.long)), limit=2.0, of="show, warm")
        replay = partial(self._command, "replay", str(self.long), "--preset", "balanced")
        yield Figure("replay, first", replay)
        yield Figure("replay, again", replay, limit=2.0, of="show, warm")
        yield Figure("memory of replay", partial(self._memory.__getitem__, "replay"), "MB", 200)
        yield Figure("messages appended", self._append, "us", 150)
        yield Figure("disk for each byte of text", lambda: self._disk, "", 3.4)
        yield Figure("tune, all presets", partial(self._command, "tune", str(self.long)), limit=max(1.0, 6 * part))
        yield Figure("memory of tune", partial(self._memory.__getitem__, "tune"), "MB", 250)

    def _python(self, code: str, times: int) -> float:
        return min(seconds_and_memory([sys.executable, "-c", code], self.folder)[0] for _ in range(times))

    def _command(self, *words: str, times: int = 1) -> float:
        runs = [seconds_and_memory([inspector(), *words], self.folder) for _ in range(times)]
        self._memory[words[0]] = max(memory for _, memory in runs)
        return min(seconds for seconds, _ in runs)

    def _first_text(self, command: list[str], text: str) -> float:
        return min(seconds_to((text,), command, self.folder) for _ in range(2))

    def _append(self) -> float:
        """Return microseconds for each message of an agent that compresses, and note the size of its store."""
        texts = VariedText(random.Random(5))
        messages = [
            {"role": ("user", "assistant")[number % 2], "content": texts.prose(60)} for number in range(MESSAGES)
        ]
        path = self.folder / "agent.db"

        async def append() -> float:
            with Store(path) as store:
                settings = MemoryConfig(compression_threshold=40_000)
                memory = MemoryManager(settings, model="gpt-4o-mini", store=store, session_id="one")
                memory.save()
                await memory.add_message(messages[0])
                began = time.process_time()
                for message in messages:
                    await memory.add_message(message)
                took = time.process_time() - began
                self._disk = sum(file.stat().st_size for file in self.folder.glob("agent.db*"))
                return took

        seconds = asyncio.run(append())
        self._disk /= sum(len(message["content"]) for message in messages)
        return 1e6 * seconds / len(messages)


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
    began, values, rows, left = time.monotonic(), dict[str, float](), list[dict[str, Any]](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for figure in Bench(Path(folder)).figures():
            if time.monotonic() - began > SECONDS:
                left.append(figure.name)
                continue
            values[figure.name] = figure.measure()
            rows.append(row_of(figure, values))
            print(line_of(figure, values, before), flush=True)
    if left:
        print(f"No time was left for: {', '.join(left)}.")
    options.to.mkdir(parents=True, exist_ok=True)
    path = options.to / f"figures-{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.write_text(json.dumps({"figures": rows, "left": left}, indent=1), encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s; written to {path}")


if __name__ == "__main__":
    main()
