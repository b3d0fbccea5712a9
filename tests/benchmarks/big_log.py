"""A coding-agent log of 50 MB in the real app: the first useful frame, every key, and memory.

usage: python -m tests.benchmarks.big_log [LOG]     (without one, a log of 20,000 messages is written first)
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.benchmarks.varied_text import VariedText
from tests.terminal import WINDOW_SHOWN, Terminal, inspector, percentile, running

STEPS = 10_000
PRESSED = 80
"""Keys of each kind that are pressed."""
COUNTING = 25.0
"""Seconds for which the memory is watched while the app counts."""
LIST = """
from textual.app import App
from textual.widgets import OptionList
class Rows(App):
    def compose(self):
        yield OptionList(*[f"row {number}" for number in range(2_000)])
Rows().run()
"""
"""The machine's own measure: keys in a list of 2,000 rows."""


def write_log(path: Path, steps: int = STEPS, seed: int = 20) -> None:
    """A transcript with a user message every 25 steps and a compaction whenever the window passes 160,000 tokens."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for record in records(steps, rng):
            file.write(json.dumps(record) + "\n")


def records(steps: int, rng: random.Random, first: int = 0, parent: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the records of a session, or those with which it goes on.

    Args:
        steps: Number of replies.
        rng: Decides everything that is not the same in all sessions.
        first: Number of replies before.
        parent: Id of the record before.
    """
    context = 15_000
    number = 4 * first
    texts = VariedText(rng)

    def line(**fields: Any) -> dict[str, Any]:
        nonlocal parent, number
        number += 1
        record = {"uuid": f"u{number:07}", "parentUuid": parent, "sessionId": "big", "isSidechain": False, **fields}
        parent = record["uuid"]
        return record

    for step in range(first, first + steps):
        if step % 25 == 0:
            yield line(type="user", message={"role": "user", "content": texts.request()})
        size = rng.choice([90, 300, 900, 2000])
        context += size + 150
        usage = {"input_tokens": 4, "output_tokens": 120, "cache_read_input_tokens": context}
        name = rng.choice(["Read", "Bash", "Grep"])
        call = {"type": "tool_use", "id": f"toolu_{step}", "name": name, "input": _input_of(name, texts)}
        said = [{"type": "text", "text": texts.prose(40)}, call]
        message = {
            "id": f"msg_{step}",
            "role": "assistant",
            "model": "claude-opus-4-5",
            "content": said,
            "usage": usage,
        }
        yield line(type="assistant", message=message)
        result = {"type": "tool_result", "tool_use_id": f"toolu_{step}", "content": texts.output(size // 2)}
        yield line(
            type="user", toolUseResult={"stdout": texts.prose(30)}, message={"role": "user", "content": [result]}
        )
        if context > 160_000:
            yield line(type="system", subtype="compact_boundary", compactMetadata={"preTokens": context}) | {
                "parentUuid": None,
                "logicalParentUuid": parent,
            }
            summary = {"role": "user", "content": f"This session is being continued. {texts.prose(900)}"}
            yield line(type="user", isCompactSummary=True, message=summary)
            context = 17_000


def _input_of(tool: str, texts: VariedText) -> dict[str, Any]:
    if tool == "Read":
        return {"file_path": f"/work/{texts.path()}"}
    return {"command": " ".join(texts.words(5)) + f" {texts.path()}"} if tool == "Bash" else {"pattern": texts.name()}


def keys(terminal: Terminal, pressed: list[str]) -> list[float]:
    """Milliseconds to the first answer of each key that changed the screen."""
    found = (terminal.press(key, limit=1) for key in pressed)
    return [1000 * seconds for seconds in found if seconds is not None]


def report(name: str, times: list[float]) -> None:
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    print(f"{name:<34} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   worst {max(times):6.1f} ms   ({len(times)} keys)")


def memory(terminal: Terminal) -> str:
    """The memory of the app, and that of its helpers."""
    own, whole = terminal.memory(alone=True), terminal.memory()
    return f"{own:.0f} MB, and {whole - own:.0f} MB of helpers"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "big.jsonl"
        if not log.exists():
            write_log(log)
        print(f"{log.stat().st_size / 1e6:.0f} MB")
        os.environ["INSPECTOR_DB"] = str(Path(folder) / "bench.db")
        with running([sys.executable, "-c", LIST]) as terminal:
            terminal.wait_for("row 5")
            report(
                "keys in a list of 2,000 rows", keys(terminal, list(islice(cycle(["down", "pagedown", "up"]), PRESSED)))
            )
        for visit in ("first visit", "second visit"):
            measure(visit, log)


def measure(visit: str, log: Path) -> None:
    print(f"-- {visit}")
    with running([inspector(), str(log)]) as terminal:
        print(f"first useful frame                 {terminal.wait_for(*WINDOW_SHOWN):.2f} s")
        moves = list(islice(cycle(["up", "up", "pageup", "down", "left", "left", "pagedown", "right"]), PRESSED))
        report("keys while counting", keys(terminal, moves))
        print(f"memory while counting              {memory(terminal)}")
        start, largest = time.monotonic(), 0.0
        while time.monotonic() - start < COUNTING:
            terminal.settle(0.5, 1)
            largest = max(largest, terminal.memory(alone=True))
        print(f"memory of the app at most          {largest:.0f} MB")
        report("keys when all is counted", keys(terminal, moves))
        terminal.press("s")
        terminal.settle(0.3, 2)
        terminal.press("enter")
        terminal.settle(0.3, 5)
        report("knobs of a strategy", keys(terminal, list(islice(cycle(["+", "+", "-"]), PRESSED))))
        terminal.press("esc")
        report("home, end, compactions", keys(terminal, list(islice(cycle(["home", "c", "end", "C"]), PRESSED))))
        print(f"memory at the end                  {memory(terminal)}")


if __name__ == "__main__":
    main()
