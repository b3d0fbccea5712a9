"""Commands as processes that are interrupted at a chosen moment of their work, which is the same on every run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.places import ROOT
from tests.warm import Program

PROGRAM = """
import os, signal, sys

from inspector.cli import main

wanted, place = {event!r}, {place}
met = 0

def hook(event, args):
    global met
    if event == wanted or wanted == "any":
        met += 1
        if met == place:
            os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(hook)
sys.argv[1:] = {words!r}
try:
    if {mark}:
        os.write({mark}, b"x")
except KeyboardInterrupt:  # it came before the program did
    raise SystemExit(130) from None
try:
    main()
finally:
    print("met", met, file=sys.stderr)
"""
"""Python tells a hook of everything that it imports, opens, renames or starts: those are the moments."""

NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Interrupted:
    code: int
    out: str
    err: str


def interrupted(
    *words: object, event: str = "any", place: int = 1, ignored: bool = False, environment: Mapping[str, str] = NOTHING
) -> Interrupted:
    """A command that is sent an interrupt at the `place`-th event of a kind. `ignored`: started to ignore them.

    One that is interrupted while it imports starts cold, as there would be little to import.
    """
    program = PROGRAM.format(event=event, place=place, words=[str(word) for word in words], mark=0)
    settings: dict[str, Any] = {
        "cwd": ROOT,
        "env": os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environment},
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    child: subprocess.Popen[bytes]
    if event == "import":
        child = subprocess.Popen([sys.executable, "-c", program], **settings)
    else:
        child = Program(["-c", program], ignored=[signal.SIGINT] if ignored else [], **settings)
    try:
        out, err = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        return Interrupted(-signal.SIGKILL, out.decode(), f"it went on for a minute\n{err.decode()}")
    return Interrupted(child.returncode, out.decode(), err.decode())


def events(*words: object, event: str = "any", environment: Mapping[str, str] = NOTHING) -> int:
    """How many events of a kind there are in a command that nobody interrupts."""
    ended = interrupted(*words, event=event, place=0, environment=environment)
    return int(ended.err.rsplit("met ", 1)[1])


def left_over(folder: Path) -> list[str]:
    """Files that were to be something else and never became it."""
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))
