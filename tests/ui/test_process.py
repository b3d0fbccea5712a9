"""The app as a process in a real terminal: how it ends when it fails, when it is interrupted, when it is at work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.core.crash import report_text, write_report
from tests.driving import SAMPLES
from tests.terminal import Terminal, environment_in, running, running_app

SECRET = "the-password-of-somebody"
FAILING = f"""
from inspector.cli import main
from inspector.ui.screens.inspect import Inspect
from textual.widget import Widget

def fail(*_):
    text = "{SECRET}"
    raise KeyError(text)

{{where}} = fail
main()
"""
PLACES = {
    "in a key": "Inspect.action_on_list",
    "in an event": "Inspect.on_resize",
    "while drawing": "__import__('inspector.ui.widgets.detail').ui.widgets.detail.Detail.head",
}
RESULT = "__import__('inspector.ui.screens.inspect.controller', fromlist=['']).InspectController._set_money"


@contextmanager
def failing_app(folder: Path, where: str) -> Iterator[Terminal]:
    command = [sys.executable, "-c", FAILING.format(where=where), str(SAMPLES / "support-ticket.json")]
    with running(command, environment=environment_in(folder)) as terminal:
        yield terminal


@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES.keys())
def test_an_exception_that_nobody_foresaw_ends_the_app_with_a_sentence_and_a_report(tmp_path: Path, where: str) -> None:
    with failing_app(tmp_path, where) as terminal:
        before = termios.tcgetattr(terminal.fd)
        if "on_list" in where:
            terminal.wait_for("strategy")
            terminal.send_until_end("space")
        assert terminal.wait() == 1
        assert termios.tcgetattr(terminal.fd)[3] == before[3], "the terminal echoes again"
    last = terminal.text.rpartition("\x1b[?1049l")[2]
    assert "Internal error in Inspector (KeyError)" in last and "Traceback" not in last
    reports = [path for path in tmp_path.rglob("report-*.txt") if str(path) in last.replace("\r\n", "")]
    assert reports, "a second failure, while the app ends, has its own"
    report = min(reports)
    text = report.read_text(encoding="utf-8")
    assert "in fail" in text and "KeyError" in text and SECRET not in text
    assert report.stat().st_mode & 0o077 == 0 and report.parent.stat().st_mode & 0o077 == 0


def test_a_report_tells_the_whole_chain_and_quotes_nothing(tmp_path: Path) -> None:
    try:
        try:
            raise ValueError(SECRET)
        except ValueError as first:
            raise IndexError(3, SECRET) from first
    except IndexError as error:
        text = report_text(error)
        path = write_report(error, tmp_path / "logs")
    assert path is not None and path.read_text(encoding="utf-8") == text
    assert text.index("ValueError(…)") < text.index("IndexError(3, …)")
    assert SECRET not in text and str(Path.cwd()) not in text


def test_work_that_fails_is_told_and_the_app_goes_on(tmp_path: Path) -> None:
    with failing_app(tmp_path, RESULT) as terminal:
        terminal.wait_for("Internal error")
        assert SECRET not in terminal.text and len(list(tmp_path.rglob("report-*.txt"))) == 1
        terminal.send("s", quiet=0.3)
        terminal.wait_for("Which strategy?")
        terminal.send("ctrl+q")
        assert terminal.wait() == 0


def test_a_folder_that_cannot_be_written_gives_no_report(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert write_report(ValueError("x"), tmp_path / "file" / "logs") is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("key", ["", "3", "4"])
def test_a_signal_ends_the_app_in_order(tmp_path: Path, number: signal.Signals, key: str) -> None:
    with running_app([str(SAMPLES / "coding-agent.jsonl")], tmp_path) as terminal:
        terminal.wait_for("strategy")
        if key:
            terminal.send(key, quiet=0.02)
        os.kill(terminal.pid, number)
        assert terminal.wait() == 128 + number
    assert "\x1b[?1049l" in terminal.text and "Traceback" not in terminal.text


@pytest.mark.parametrize("keys", [(), ("3",), ("4",), ("4", "*", "enter")], ids="".join)
def test_quitting_waits_for_no_work(tmp_path: Path, keys: tuple[str, ...]) -> None:
    with running_app([str(SAMPLES / "research.json")], tmp_path) as terminal:
        terminal.wait_for("strategy")
        for key in keys:
            terminal.send(key, quiet=0.05)
        terminal.send("ctrl+q", "x", "enter", "down", quiet=0.02)
        assert terminal.wait() == 0
    assert "Traceback" not in terminal.text
    left = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True, check=False)
    assert not left.stdout


@pytest.mark.parametrize("shell", ["exec", "trap '' HUP; exec"], ids=["told by a signal", "as under nohup"])
def test_a_terminal_that_closes_ends_the_app(tmp_path: Path, shell: str) -> None:
    program = f'{shell} "{sys.executable}" -m inspector "{SAMPLES / "coding-agent.jsonl"}"'
    with running(["sh", "-c", program], environment=environment_in(tmp_path)) as terminal:
        terminal.wait_for("strategy")
        os.close(terminal.fd)
        end = time.monotonic() + 20
        while terminal.alive() and time.monotonic() < end:
            time.sleep(0.05)
        assert terminal.status == 128 + signal.SIGHUP
