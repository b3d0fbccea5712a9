"""Programs in forked processes that end themselves where they write."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from inspector.store.connections import files_of
from tests.store.changing import State, arguments, environment, state_of

_WRITES = (
    "INSERT",
    "UPDATE",
    "DELETE",
    "REPLACE",
    "BEGIN",
    "COMMIT",
    "CREATE",
    "DROP",
    "SAVEPOINT",
    "RELEASE",
    "VACUUM",
)
_FILE_EVENTS = ("os.rename", "os.link", "os.remove", "os.truncate", "shutil.move", "shutil.copyfile")
KNOWN = {0, 1, 2, 3}
PATIENCE = 600
"""Seconds of the processor that a command may take, and seconds without any after which it hangs. Commands of a busy
machine can take much longer."""


@dataclass
class Faults:
    """Points of a program at which it writes: statements that change a store, and changes of files."""

    kill_at: int = 0
    """Number of the point at which the program ends itself; 0 for none."""
    path: Path | None = None
    """A store whose rows are counted at each point."""
    max_pages: int = 0
    """Size from which on the store's disk is full, in pages; 0 for no limit."""
    points: int = 0
    states: set[State] = field(default_factory=set)
    copied: float = 0
    """Share of the store after which the program ends itself while SQLite copies it; 0 for none."""
    is_counting: bool = False
    _files: tuple[tuple[int, ...], ...] = ()

    def install(self) -> None:
        connect = sqlite3.connect

        def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*arguments, **options)
            if not self.is_counting:
                if self.max_pages:
                    with suppress(sqlite3.Error):
                        connection.execute(f"PRAGMA max_page_count = {self.max_pages}").fetchall()
                connection.set_trace_callback(self.on_statement)
            return connection

        sqlite3.connect = watched  # type: ignore[assignment]
        sys.addaudithook(lambda event, _: self.on_point(is_file=True) if event in _FILE_EVENTS else None)
        if self.copied and self.path:
            Thread(
                target=self._watch_copy, args=(self.path, self.path.stat().st_size * self.copied), daemon=True
            ).start()

    def _is_changed(self, path: Path, is_file: bool) -> bool:
        """Return True at changes of files, and when something was written to the store since the last point."""
        now = tuple((file.stat().st_mtime_ns, file.stat().st_size) for file in files_of(path) if file.is_file())
        is_changed, self._files = is_file or now != self._files, now
        return is_changed

    def _watch_copy(self, path: Path, size: float) -> None:
        """End the program when a copy of the store has a size; SQLite copies without the lock of the interpreter."""
        while True:
            for copy in path.parent.glob(".inspector-*/store.db"):
                with suppress(OSError):
                    if copy.stat().st_size >= size:
                        os.kill(os.getpid(), signal.SIGKILL)

    def on_statement(self, statement: str) -> None:
        if statement.lstrip().upper().startswith(_WRITES):
            self.on_point()

    def on_point(self, is_file: bool = False) -> None:
        if self.is_counting:
            return
        self.points += 1
        if self.path is not None and self.kill_at == 0 and self._is_changed(self.path, is_file):
            self.is_counting = True
            self.states.add(state_of(self.path, self.path.parent))
            self.is_counting = False
        if self.points == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def command(words: list[str], place: Path, store: Path, faults: Faults | None = None) -> tuple[int, str]:
    """Run a command in a forked process. Returns its exit code, a signal as a negative number, and its output."""
    output = place / f"output-{os.getpid()}"
    child = os.fork()
    if child == 0:
        _in_child(words, place, store, output, faults)
    taken, until = "", time.monotonic() + PATIENCE
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), output.read_text(errors="replace")
        if time.monotonic() > until:
            if taken == (taken := _processor_time(child)):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise AssertionError(f"{words} hangs: {output.read_text(errors='replace')[-500:]}")
            until = time.monotonic() + PATIENCE
        time.sleep(0.003)


def _processor_time(process: int) -> str:
    """Return the time that a process has taken of the processor; "" where the system has no `/proc`."""
    with suppress(OSError):
        return " ".join(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13])
    return ""


def _in_child(words: list[str], place: Path, store: Path, output: Path, faults: Faults | None) -> None:
    code = 70
    try:
        file = os.open(output, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(file, 1)
        os.dup2(file, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        os.environ.update(environment(place, store))
        from inspector.cli import main

        sys.argv = ["inspector", *arguments(words, place)]
        if faults:
            faults.install()
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 71
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        if faults and faults.path:
            faults.is_counting = True
            summary = [faults.points, [*faults.states, state_of(faults.path, place)]]
            (place / "points.json").write_text(json.dumps(summary), encoding="utf-8")
        os._exit(code)
