"""An interrupt ends every command at once: with 130, without a word, and with nothing left half done."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import sqlite3
import struct
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.calling import chat, inspect, process, written
from tests.cli.interrupting import Interrupted, events, interrupted, left_over
from tests.places import ROOT
from tests.warm import Program

ENDED = Interrupted(130, "", "")


@pytest.mark.parametrize("place", [1, 3, 20, 120])
def test_it_ends_a_program_that_still_imports(log: Path, place: int) -> None:
    assert interrupted("show", log, event="import", place=place) == ENDED


@pytest.mark.parametrize(
    ("words", "event"),
    [
        (["show"], "sqlite3.connect"),
        (["import"], "sqlite3.connect"),
        (["tune", "--jobs", "2"], "os.fork"),
    ],
)
def test_it_ends_a_command_at_work(log: Path, words: list[str], event: str) -> None:
    assert interrupted(words[0], log, *words[1:], event=event) == ENDED


def test_a_comparison_over_a_folder_says_how_far_it_came(log: Path) -> None:
    folder = log.parent / "logs"
    folder.mkdir()
    for name in ("one.json", "two.json"):
        (folder / name).write_bytes(log.read_bytes())
    ended = interrupted("tune", folder, "--jobs", "2", event="os.fork")
    assert ended.code == 130 and ended.out == ""
    assert ended.err == "Interrupted after 0 of 2 sessions. With --journal FILE, a later run continues there.\n"


@pytest.mark.parametrize("event", ["tempfile.mkstemp", "os.link"])
def test_a_file_that_is_being_written_is_whole(log: Path, tmp_path: Path, event: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    assert interrupted("export", log, "--out", folder / "request.json", event=event) == ENDED
    assert left_over(folder) == []
    assert json.loads((folder / "request.json").read_text())["messages"]


def test_a_session_is_stored_whole_or_not_at_all(log: Path, tmp_path: Path) -> None:
    last = 0
    for trial in ("first.db", "trial.db"):  # the first one may compile modules, and then opens more files
        last = events("import", log, event="open", environment={"INSPECTOR_DB": str(tmp_path / trial)})
    for back in (10, 0):
        db = tmp_path / f"store-{back}.db"
        assert interrupted("import", log, "--db", db, event="open", place=last - back).code == 130
        stored = inspect("ls", "--db", db, "--json").json["sessions"]
        assert [entry["messages"] for entry in stored] in ([], [28])
        (session,) = inspect("import", log, "--db", db, "--json").json["sessions"]
        assert session["messages"] == 28


def test_it_does_not_wait_for_another_program_that_holds_the_store(log: Path, tmp_path: Path) -> None:
    inspect("import", log)
    store = sqlite3.connect(tmp_path / "store" / "inspector.db", isolation_level=None)
    store.execute("BEGIN EXCLUSIVE")
    other = written(tmp_path / "other.json", chat(3))
    child = Program(["-m", "inspector", "import", other], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    opened = Path(f"/proc/{child.pid}/fd")
    if opened.exists():
        while not any(str(link).endswith("inspector.db") for link in links(opened)):
            assert child.poll() is None
            time.sleep(0.01)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    try:
        out, err = child.communicate(timeout=20)  # it would wait for the store for 30 s
    finally:
        child.kill()
        store.close()
    assert (child.returncode, out, err) == (130, b"", b"")


def links(folder: Path) -> list[Path]:
    found = []
    for entry in folder.iterdir():
        with suppress(OSError):  # it was closed meanwhile
            found.append(entry.readlink())
    return found


def test_a_program_that_was_started_to_ignore_it_goes_on(log: Path) -> None:
    ended = interrupted("show", log, event="sqlite3.connect", ignored=True)
    assert (ended.code, ended.out) == (0, process("show", log).stdout.decode())


def test_it_ends_the_app_with_the_terminal_in_order(log: Path) -> None:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(side)
    environment = os.environ | {"TERM": "xterm-256color", "LINES": "24"}
    child = Program(["-m", "inspector", log], cwd=ROOT, env=environment, stdin=side, stdout=side, stderr=side)
    text = b""
    while b"Reading month" not in text:
        text += os.read(main, 65_536)
    child.send_signal(signal.SIGINT)
    while b"\x1b[?1049l" not in text:
        text += os.read(main, 65_536)
    os.set_blocking(main, False)
    while child.poll() is None:
        with suppress(OSError):  # nothing there yet, or no more
            text += os.read(main, 65_536)
    assert child.returncode == 130
    assert b"Traceback" not in text
    assert termios.tcgetattr(side) == before
    os.close(side)
    os.close(main)
