"""Interrupts at any moment of any command: each ends it with 130, in a second, without a word, and the store is whole.

A moment is an event that Python tells of (an import, a file that is opened), or a time after the program began, which
may lie in the middle of a library's work. A third of the commands have a terminal.
"""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.cli.calling import chat, interruptible, written
from tests.cli.commands import CODES, LINES, SESSION, STRATEGY_LINES
from tests.cli.interrupting import PROGRAM, left_over
from tests.fuzz import Search
from tests.places import ROOT

SAMPLES = [
    str(ROOT / "sessions" / name) for name in ("coding-agent.jsonl", "support-ticket.json", "three-agents.jsonl")
]
LATEST = 1.5
"""Seconds after the start within which an interrupt is sent."""
PATIENCE = 30.0
"""Seconds after which a command hangs. On a quiet machine it ends within one."""


@dataclass(frozen=True)
class Moment:
    words: tuple[str, ...]
    place: int
    """The event at which it is sent; 0 where `seconds` say when."""
    seconds: float
    terminal: bool


def moment(rng: Random, sessions: list[str], out: Path) -> Moment:
    line = rng.choice((*LINES, *STRATEGY_LINES, f"export {SESSION} --out {out}/x.json", f"import {SESSION}"))
    session = rng.choice(sessions)
    words = tuple(session if word == SESSION else word for word in line.split())
    place = rng.choice((0, 0, rng.randrange(1, 30), rng.randrange(1, 4_000)))
    return Moment(words, place, rng.random() * rng.choice((0.05, 0.3, LATEST)), rng.random() < 0.33)


def begun(case: Moment, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """The command, at the point where the first code of the program runs; and where its output comes from."""
    heard, mark = os.pipe()
    code = PROGRAM.format(event="any", place=case.place, words=list(case.words), mark=mark)
    reading, side = pty.openpty() if case.terminal else os.pipe()
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "INSPECTOR_DB": str(folder / "store.db"),
        "HOME": str(folder),
        "TERM": "xterm-256color",
    }
    with interruptible():
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment,
            stdin=side if case.terminal else subprocess.DEVNULL,
            stdout=side,
            stderr=side,
            pass_fds=[mark],
        )
    os.close(side)
    os.close(mark)
    os.read(heard, 1)
    os.close(heard)
    return child, reading


def ended(case: Moment, folder: Path) -> tuple[int, str, float]:
    """How a command ended, what it printed, and the seconds from the interrupt to its end."""
    child, reading = begun(case, folder)
    sent, text, start = 0.0, b"", time.monotonic()
    while True:
        if select.select([reading], [], [], 0.002)[0]:
            piece = b""
            with suppress(OSError):  # how a terminal says that its other side is gone
                piece = os.read(reading, 65_536)
            if not piece:
                break
            text += piece
        now = time.monotonic()
        if not sent and not case.place and now - start >= case.seconds:
            sent = now
            child.send_signal(signal.SIGINT)
        if now - (sent or start) > (PATIENCE if sent else 60):
            child.kill()
    os.close(reading)
    code = child.wait()
    return code, text.decode("utf-8", "replace"), time.monotonic() - sent if sent else 0.0


def problem(case: Moment, folder: Path) -> str:
    """What went wrong; nothing where all is well."""
    code, text, took = ended(case, folder)
    if code not in (130, -signal.SIGINT, *CODES):  # the signal itself ends what has already ended by itself
        return f"it ended with {code} after {took:.1f} s: {text[-500:]}"
    if "KeyboardInterrupt" in text or "Internal error" in text:
        return f"it ended with {code} and a traceback: {text[-2_000:]}"
    if left := left_over(folder / "out"):
        return f"it left {left} behind"
    for file in (folder / "out").iterdir():
        json.loads(file.read_text())
    return store_problem(folder / "store.db")


def store_problem(path: Path) -> str:
    """What is wrong with a store after its program has ended."""
    if not path.exists():
        return ""
    store = sqlite3.connect(path)
    try:
        (verdict,) = store.execute("PRAGMA integrity_check").fetchone()
        (version,) = store.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if bool(version) != ("session" in tables):
            return f"its version is {version}, and its tables are {sorted(tables)}"
        counted = "SELECT count(*) FROM message WHERE session_id = session.id"
        half = store.execute(f"SELECT id FROM session WHERE messages != ({counted})").fetchall() if tables else []
    finally:
        store.close()
    return "" if verdict == "ok" and not half else f"the store: {verdict}, half sessions: {half}"


def run(seed: int, seconds: float, folder: Path | None = None) -> Search:
    """Interrupt commands for some time; a line for each that did not end as it should, and one at the end."""
    end, number, bad = time.monotonic() + seconds, 0, 0
    rng = Random(seed)
    place = Path(tempfile.mkdtemp(prefix="interrupts-", dir=folder))
    (place / "out").mkdir()
    sessions = [*SAMPLES, str(written(place / "long.json", chat(steps=1_500)))]
    while time.monotonic() < end:
        case = moment(rng, sessions, place / "out")
        number += 1
        if told := problem(case, place):
            bad += 1
            yield f"interrupts {seed}/{number} {case} {told}"
        if rng.random() < 0.05:
            for file in place.glob("store.db*"):
                file.unlink()
    shutil.rmtree(place)
    yield f"interrupts {seed}: {number:,} moments, {bad} failures"
    return bad
