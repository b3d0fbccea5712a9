"""`inspector keep`: sessions that Claude Code is about to delete are imported in time."""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from inspector.library import keep_schedule
from inspector.library.listing.tool_deletion import days_left, kept_days
from tests.cli.calling import inspect, transcript, written

DAY = 86_400


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Claude Code's settings, in a home without other tools."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "claude"


def session(claude: Path, name: str, age: float) -> Path:
    """A transcript that has not changed for some days."""
    path = written(claude / "projects" / "-pier" / f"{name}.jsonl", transcript(name, prompt=f"Count {name}."))
    then = time.time() - age * DAY
    os.utime(path, (then, then))
    return path


@pytest.mark.parametrize(
    ("settings", "days"),
    [(None, 30), ({}, 30), ({"cleanupPeriodDays": 90}, 90), ({"cleanupPeriodDays": True}, 30), ("{", 30), ([], 30)],
)
def test_the_days_are_those_of_the_settings(claude: Path, settings: object, days: int) -> None:
    if settings is not None:
        claude.mkdir()
        text = settings if isinstance(settings, str) else json.dumps(settings)
        (claude / "settings.json").write_text(text)
    assert kept_days(claude) == days
    path = session(claude, "lamps", 10)
    assert days_left(str(path), "claude-code") == days - 10 - 1, "a part of a day is not a day"
    assert days_left(str(path), "codex") is None and days_left("", "claude-code") is None
    assert days_left(str(session(claude, "old", 500)), "claude-code") == 0


def test_a_copy_elsewhere_is_not_deleted(claude: Path, tmp_path: Path) -> None:
    path = session(claude, "lamps", 29)
    copy = tmp_path / "projects" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    os.utime(copy, (0, 0))
    assert days_left(str(copy), "claude-code") is None


def test_the_list_states_the_days_and_keep_imports_in_time(claude: Path) -> None:
    due, later = session(claude, "lamps", 27.5), session(claude, "boats", 3)
    rows = {row["path"]: row["days_left"] for row in inspect("ls", "--json").json["sessions"]}
    assert (rows[str(due)], rows[str(later)]) == (2, 26)
    assert "2 d left" in inspect("ls").out and "26 d" in inspect("ls", "--columns", "left").out
    dry = inspect("keep", "--dry-run")
    assert "Count lamps." in dry.out and "Count boats." not in dry.out
    (kept,) = inspect("keep", "--json").json["sessions"]
    assert kept["path"] == str(due) and kept["new"] is True
    due.unlink()
    assert "Count lamps." in inspect("show", kept["id"]).out
    assert [row["path"] for row in inspect("keep", "--all", "--json").json["sessions"]] == [str(later)]
    assert "No session is deleted by its tool within 7 days." in inspect("keep").out
    stored = [row for row in inspect("ls", "--json").json["sessions"] if row["origin"] == "stored"]
    assert len(stored) == 2 and {row["days_left"] for row in stored} == {None}


@pytest.mark.usefixtures("claude")
def test_a_schedule_is_written_only_with_consent(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "systemd" / "user"
    assert inspect("keep", "--schedule", "--dry-run").code == 0 and not folder.exists()
    refused = inspect("keep", "--schedule")
    assert refused.code == 2 and "Confirm with --yes." in refused.err and not folder.exists()
    answer = inspect("keep", "--schedule", "--yes", "--json").json
    assert answer["written"] is True and set(answer["schedule"]["files"]) == {str(file) for file in folder.iterdir()}
    assert (
        "-m" in (folder / "inspector-keep.service").read_text()
        and "inspector-keep.timer" in answer["schedule"]["enable"]
    )


def test_every_platform_has_a_timer(tmp_path: Path) -> None:
    (text,) = keep_schedule(tmp_path / "a & b.db", "darwin").files.values()
    assert plistlib.loads(text.encode())["ProgramArguments"][-1] == str(tmp_path / "a & b.db")
    windows = keep_schedule(None, "win32")
    assert windows.files == {} and windows.enable.startswith("schtasks /Create")
    service = next(iter(keep_schedule(tmp_path / "50%.db", "linux").files.values()))
    assert f'"{tmp_path}/50%%.db"' in service


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    schedule = keep_schedule(tmp_path / "my 100% $HOME" / "in\\spector.db", "linux")
    schedule.write()
    verify = ["systemd-analyze", "verify", "--user", "--man=no"]
    ended = subprocess.run([*verify, *schedule.files], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    (timer,) = [Path(name) for name in schedule.files if name.endswith(".timer")]
    timer.write_text(timer.read_text().replace("OnCalendar=daily", "OnCalendar=dayly"))
    assert subprocess.run([*verify, str(timer)], capture_output=True, check=False).returncode != 0
