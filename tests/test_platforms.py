"""The package without the modules, functions and signals that only POSIX systems have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT, SESSIONS

WITHOUT_POSIX = """
import os, pathlib, signal, sys

POSIX = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog"}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in POSIX:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def without_proc(method):
    def call(self, *arguments, **options):
        if str(self).startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", str(self))
        return method(self, *arguments, **options)
    return call

import textual.app  # its driver for Linux imports termios; the one for Windows replaces it there
import tempfile, subprocess, sqlite3, asyncio, click, concurrent.futures, multiprocessing
for name in POSIX:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Absent())
for name in "SIGHUP SIGKILL SIGQUIT SIGUSR1 SIGTSTP SIGWINCH pthread_sigmask SIG_BLOCK SIG_SETMASK".split():
    if hasattr(signal, name):
        delattr(signal, name)
for name in "fork killpg getpgid setsid geteuid getuid fchmod mkfifo register_at_fork O_NOFOLLOW O_NONBLOCK".split():
    if hasattr(os, name):
        delattr(os, name)
for name in ("open", "read_text", "read_bytes", "iterdir"):
    setattr(pathlib.Path, name, without_proc(getattr(pathlib.Path, name)))
"""
IMPORTS = """
import importlib, pkgutil, inspector
names = [module.name for module in pkgutil.walk_packages(inspector.__path__, "inspector.")]
missing = []
for name in names:
    if name.endswith("__main__"):
        continue
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("inspector") or error.name in POSIX:
            missing.append(f"{name}: {error}")
    except AttributeError as error:
        missing.append(f"{name}: {error}")
print(len(names), missing)
"""
COMMANDS = """
from inspector.cli import main
file = sys.argv[1]
for words in (
    ["show", file],
    ["why", file],
    ["import", file],
    ["compress", file, "--strategy", "sliding_window", "--apply"],
    ["undo", file],
    ["store", "check"],
    ["store", "backup", "kept.backup"],
    ["redact", file, "--out", "redacted.json"],
):
    sys.argv = ["inspector", *words]
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    print(f"{words[0]} ended with {code}")
"""
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="these parts are absent there anyway")


def run(code: str, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_POSIX + code, *map(str, words)]
    places = {
        "HOME": str(folder),
        "INSPECTOR_DB": str(folder / "i.db"),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(command, cwd=folder, env=places, capture_output=True, text=True, timeout=300, check=False)


@posix_only
def test_every_module_is_imported_where_posix_is_absent(tmp_path: Path) -> None:
    ended = run(IMPORTS, tmp_path)
    assert ended.returncode == 0, ended.stderr
    number, missing = ended.stdout.split(maxsplit=1)
    assert int(number) > 500 and missing.strip() == "[]"


@posix_only
def test_commands_work_where_posix_is_absent(tmp_path: Path) -> None:
    ended = run(COMMANDS, tmp_path, SESSIONS / "support-ticket.json")
    codes = [line for line in ended.stdout.splitlines() if " ended with " in line]
    assert len(codes) == 8 and all(line.endswith(" 0") for line in codes), ended.stdout[-2_000:] + ended.stderr[-2_000:]
    assert "Traceback" not in ended.stderr
