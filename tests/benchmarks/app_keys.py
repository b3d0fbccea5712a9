"""The app at 100,000 messages: processor time of keys on every screen, of opening, following and idling, and memory.

usage: python -m tests.benchmarks.app_keys [--steps N] [--log FILE] [--folder FOLDER] [--screens NAME …] …

A step is an assistant message and a result. Times are those of the app's process; `helpers` are its other processes.
A screen is opened, left alone until it is quiet, and then one key after the other is pressed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from tests.benchmarks.big_log import records, write_log
from tests.terminal import ESCAPES, Terminal, percentile, running_app

STEPS = 50_000
PRESSED = 40
QUIET = 0.02
"""Share of a core below which a screen is done."""
REST = 10.0
"""Seconds for which idling is measured."""
PATIENCE = 300.0
"""Seconds after which a screen that is not quiet is measured anyway."""
LIMIT, MEMORY = 20.0, 250.0
"""Milliseconds of a key at the 95th percentile, and megabytes of the app when all screens have been opened."""
SHOWN = 60.0
"""Seconds after which something that should be shown is missed."""
LINES, SECONDS = 50, 10
"""Lines a second that are followed, and for how long."""
_FOLLOWED, _LAST = 1_000_000, "Last followed line"
"""Number of the first followed reply, which no reply of the log has, and the text of the last line."""
SCREENS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "inspect": (
        "2",
        {
            "rows": ("down", "down", "up"),
            "pages": ("pagedown", "pageup"),
            "turns": ("left", "left", "right"),
            "ends": ("home", "end"),
            "compactions": ("c", "C"),
        },
    ),
    "replay": ("3", {"turns": ("left", "left", "right"), "rows": ("down", "up")}),
    "tune": ("4", {"rows": ("down", "up")}),
    "memory": ("5", {"rows": ("down", "up")}),
    "agents": ("6", {"rows": ("down", "up")}),
    "live": ("7", {"rows": ("down", "up")}),
    "overview": ("8", {"rows": ("down", "up"), "kinds": ("tab",)}),
    "sessions": ("1", {"rows": ("down", "up")}),
}
"""Screens with their keys, and the keys that are pressed there by what they do."""


def seconds_of(pid: int) -> float:
    """Return the processor seconds of a process, by the nanosecond."""
    taken = 0
    for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            taken += int(thread.read_text().split()[0])
    return taken / 1e9


def helpers_of(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started, and theirs."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, children.read_text().split()):
                yield child
                yield from helpers_of(child)


@dataclass
class Visit:
    """A running app whose processor time is measured."""

    terminal: Terminal

    def seconds(self) -> float:
        return seconds_of(self.terminal.pid)

    def seconds_of_helpers(self) -> float:
        return sum(map(seconds_of, helpers_of(self.terminal.pid)))

    def rest(self, seconds: float) -> float:
        """Read what is painted for so many seconds, and return the processor seconds that the app took in them."""
        before, end = self.seconds(), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.terminal.read(min(0.2, left))
        return self.seconds() - before

    def wait(self, patience: float) -> bool:
        """Wait until the app and its helpers do nothing; whether they do so within so many seconds."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            before = self.seconds_of_helpers()
            if self.rest(2) < 2 * QUIET and self.seconds_of_helpers() - before < 2 * QUIET:
                return True
        return False

    def press(self, key: str) -> float:
        """Return the milliseconds that a key takes until all is quiet again."""
        before = self.seconds()
        self.terminal.press(key, limit=2)
        self.terminal.settle(0.12, 5)
        return 1000 * (self.seconds() - before)

    def memory(self) -> str:
        own, whole = self.terminal.memory(alone=True), self.terminal.memory()
        return f"{own:.0f} MB, helpers {whole - own:.0f}"


def percentiles(times: list[float]) -> str:
    high = percentile(times, 0.95)
    verdict = "ok" if high < LIMIT else "MISSED"
    return f"p50 {percentile(times, 0.5):6.1f} ms   p95 {high:6.1f} ms   worst {max(times):6.1f} ms   {verdict}"


def measure(visit: Visit, name: str, pressed: int, patience: float) -> None:
    """Open a screen, wait until it is quiet, and print what it and its keys take."""
    key, groups = SCREENS[name]
    before, others = visit.seconds(), visit.seconds_of_helpers()
    visit.terminal.send(key)
    quiet = "" if visit.wait(patience) else f"   not quiet after {patience:.0f} s"
    opened, helped = visit.seconds() - before, visit.seconds_of_helpers() - others
    print(f"-- {name}: opened {opened:.2f} s, helpers {max(helped, 0):.2f} s; {visit.memory()}{quiet}", flush=True)
    print(f"   idle         {100 * visit.rest(REST) / REST:6.2f} % of a core")
    for what, keys in groups.items():
        times = [visit.press(each) for each in islice(cycle(keys), pressed)]
        print(f"   {what:<12} {percentiles(times)}", flush=True)


@dataclass(frozen=True)
class Following:
    """What the app took while it followed a session, as shares of a core."""

    share: float
    helpers: float
    at_rest: float
    """Share before the lines came."""
    painted: int
    """Characters painted."""
    is_shown: bool
    """True if the last line was shown."""


def follow(visit: Visit, log: Path, patience: float, seconds: int, rest: float) -> Following:
    """Follow the session in Live, and return what the app takes while lines are appended to its file.

    Args:
        visit: The running app.
        log: File of the session.
        patience: Seconds to wait until the app is quiet.
        seconds: Seconds for which lines are appended.
        rest: Seconds for which nothing happens before.
    """
    visit.terminal.text = ""
    visit.terminal.send(SCREENS["live"][0])
    visit.terminal.wait_for(" ago", limit=max(patience, SHOWN))
    visit.wait(patience)
    visit.terminal.send("enter")
    visit.wait(patience)
    following = records(LINES * seconds, random.Random(7), _FOLLOWED, _last_id(log))
    lines = [json.dumps(record) for record in islice(following, LINES * seconds - 1)]
    last = {**json.loads(lines[-1]), "uuid": "last", "type": "user", "message": {"role": "user", "content": _LAST}}
    lines.append(json.dumps(last))
    at_rest = visit.rest(rest) / rest
    before, others, painted = visit.seconds(), visit.seconds_of_helpers(), visit.terminal.painted
    for second in range(seconds):
        with log.open("a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines[second * LINES : (second + 1) * LINES])
        visit.rest(1)
    took, helped = (visit.seconds() - before) / seconds, (visit.seconds_of_helpers() - others) / seconds
    painted = visit.terminal.painted - painted
    with contextlib.suppress(TimeoutError):
        visit.terminal.wait_for(_LAST, limit=max(patience, SHOWN))
    return Following(took, helped, at_rest, painted, _LAST in ESCAPES.sub("", visit.terminal.text))


def print_following(visit: Visit, log: Path, patience: float) -> None:
    """Follow the session in Live, and print what the app takes."""
    one = follow(visit, log, patience, SECONDS, REST)
    print(
        f"-- following {LINES} lines a second: {100 * one.share:.1f} % of a core, helpers {100 * one.helpers:.1f} %, at"
        f" rest {100 * one.at_rest:.1f} %; {one.painted} characters painted; {visit.memory()}"
    )
    if not one.is_shown:
        print("   INVALID: the last line was not shown, so the session was not followed")


def _last_id(log: Path) -> str | None:
    """Return the id of the last record of a transcript; None if it is of another form."""
    with log.open(encoding="utf-8") as file, contextlib.suppress(ValueError):
        record = json.loads(deque(file, 1).pop())
        return record.get("uuid") if isinstance(record, dict) else None
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--log", type=Path, help="a log to measure with; it is copied")
    parser.add_argument(
        "--folder", type=Path, help="where the log and the app's files stay; what is there is used again"
    )
    parser.add_argument("--screens", nargs="*", default=list(SCREENS), choices=list(SCREENS))
    parser.add_argument("--keys", type=int, default=PRESSED)
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds to wait until a screen is quiet")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.folder or stack.enter_context(tempfile.TemporaryDirectory())
        log = Path(folder, "home", ".claude", "projects", "-work-big", "big.jsonl")
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists():
            pass
        elif options.log:
            log.write_bytes(options.log.read_bytes())
        else:
            write_log(log, options.steps)
        print(f"{log.stat().st_size / 1e6:.0f} MB, load {os.getloadavg()[0]:.1f}", flush=True)
        with running_app([str(log)], Path(folder)) as terminal:
            visit = Visit(terminal)
            terminal.wait_for_app()
            for name in options.screens:
                measure(visit, name, options.keys, options.patience)
            print(f"-- all opened: {visit.memory()}; limit {MEMORY:.0f} MB")
            print_following(visit, log, options.patience)


if __name__ == "__main__":
    main()
