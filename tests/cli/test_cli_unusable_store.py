"""Commands whose store is in a folder that cannot be entered or written, or on a full disk.

The commands run as processes without the right of an administrator to ignore permissions.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.calling import chat, inspect, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the rights of a process are dropped with prctl")

PR_CAPBSET_DROP, IGNORED_RIGHTS = 24, (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, from linux/capability.h."""
COMMANDS = {
    "no folder": (["show", "NEW"], ["ls"], ["import", "NEW"]),
    "not entered": (["why", "NEW"], ["ls"], ["pin", "NEW", "3"]),
    "read-only": (["show", "NEW"], ["top", "NEW"], ["ls"], ["compress", "NEW", "--strategy", "fifo", "--apply"]),
    "small files": (["show", "NEW"], ["import", "NEW"]),
}
READING = frozenset({"show", "why", "ls", "top"})


RESTRICTED = f"""
import ctypes, os, resource, signal, sys
for right in {IGNORED_RIGHTS}:
    ctypes.CDLL(None).prctl({PR_CAPBSET_DROP}, right, 0, 0, 0)  # fails for a user who has no such right
if largest := int(sys.argv[1]):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
os.execv(sys.executable, [sys.executable, "-m", "inspector", *sys.argv[2:]])
"""
"""Program that drops rights, limits the size of the files that it writes, and becomes Inspector."""


def ended(words: list[str], db: Path, largest: int = 0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RESTRICTED, str(largest), *words],
        env=os.environ | {"INSPECTOR_DB": str(db)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """A session that is in no store."""
    return written(tmp_path / "new.json", chat(3))


def store_in(place: str, tmp_path: Path) -> Path:
    """Return the path of a store that cannot be written."""
    folder = tmp_path / "place"
    if place == "no folder":
        folder.touch()
    else:
        folder.mkdir()
    db = folder / "inspector.db"
    if place == "read-only":
        assert inspect("import", written(tmp_path / "old.json", chat(2)), "--db", db).code == 0
    folder.chmod({"not entered": 0, "read-only": 0o500}.get(place, 0o700))
    return db


@pytest.mark.parametrize("place", COMMANDS)
def test_reading_goes_on_and_writing_fails_with_one_sentence(place: str, new: Path, tmp_path: Path) -> None:
    db = store_in(place, tmp_path)
    try:
        for words in COMMANDS[place]:
            result = ended([str(new) if word == "NEW" else word for word in words], db, 8192 * (place == "small files"))
            complaints = result.stderr.splitlines()
            if words[0] not in READING:
                assert result.returncode == 1
                complaints = [line for line in complaints if not line.startswith("Counts are not saved")]
                assert len(complaints) == 1 and f"{db} cannot be written (" in complaints[0], complaints
            elif (words[0], place) == ("ls", "read-only"):
                assert (result.returncode, complaints) == (0, [])
                assert "Find the nights" in result.stdout
            else:
                assert result.returncode == 0, complaints
                assert result.stdout
                assert len(complaints) == 1 and complaints[0].startswith(("Nothing is saved", "Counts are not saved"))
    finally:
        db.parent.chmod(0o700)


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A store with a session, on a disk without room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=800k", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("nobody but an administrator can make a small disk")
    try:
        assert inspect("import", written(tmp_path / "old.json", chat(2)), "--db", disk / "inspector.db").code == 0
        with (disk / "rest").open("wb", buffering=0) as rest, pytest.raises(OSError, match="No space left"):
            while True:
                rest.write(bytes(4096))
        yield disk / "inspector.db"
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_store_on_a_full_disk_is_read(full: Path, new: Path) -> None:
    listed = ended(["ls"], full)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "Find the nights" in listed.stdout
    opened = ended(["show", str(new)], full)
    assert opened.returncode == 0
    assert opened.stderr.count("\n") == 1 and "Counts are not saved: the disk is full" in opened.stderr
    stored = ended(["import", str(new)], full)
    assert stored.returncode == 1
    assert stored.stderr.count("\n") == 1 and "the disk is full" in stored.stderr
