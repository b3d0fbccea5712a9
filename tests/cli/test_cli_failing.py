"""A command that fails has changed nothing, or says what it has changed: also where nobody can read what it prints."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.commands import compress
from inspector.store import Store
from tests.cli.calling import chat, inspect, process, written

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no disk that is always full")

APPLY = ["compress", "LOG", "--strategy", "deletion", "--set", "keep_recent=2", "--apply"]
CHANGES = [APPLY, ["pin", "LOG", "3"], ["drop", "LOG", "5"], ["undo", "LOG"]]
FORMS = [[], ["--json"]]


def state() -> list[Any]:
    with Store(os.environ["INSPECTOR_DB"]) as store:
        return [
            (row.id, row.messages, [plan.strategy for plan in store.plans(row.id, "main")]) for row in store.sessions()
        ]


@pytest.fixture
def applied(log: Path) -> Path:
    """A stored session with a plan on its stack."""
    assert inspect("pin", log, "4").code == 0
    return log


def named(words: list[str], log: Path) -> list[str]:
    return [str(log) if word == "LOG" else word for word in words]


@pytest.mark.parametrize("form", FORMS, ids=["text", "json"])
@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[0])
def test_a_full_disk_changes_nothing(applied: Path, words: list[str], form: list[str]) -> None:
    before = state()
    with FULL.open("wb") as full:
        ended = process(*named(words, applied), *form, stdout=full)
    assert ended.returncode == 1
    assert b"Cannot write the output: No space left on device. Nothing was " in ended.stderr
    assert state() == before


@pytest.mark.parametrize("form", FORMS, ids=["text", "json"])
@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[0])
def test_a_reader_who_has_left_changes_nothing_and_is_told(applied: Path, words: list[str], form: list[str]) -> None:
    before = state()
    reader, writer = os.pipe()
    os.close(reader)
    ended = process(*named(words, applied), *form, stdout=writer)
    os.close(writer)
    assert ended.returncode == 141
    assert ended.stderr.startswith(b"Nothing was ")
    assert state() == before


@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[0])
def test_a_closed_output_changes_nothing(applied: Path, words: list[str]) -> None:
    before = state()
    ended = process(*named(words, applied), closed=[1])
    assert ended.returncode == 1
    assert ended.stderr.startswith(b"Cannot write the output")
    assert state() == before


def test_what_cannot_be_shown_is_not_applied(applied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("what is shown")

    before = state()
    monkeypatch.setattr(compress, "_sizes_lines", fails)
    out = tmp_path / "request.json"
    ended = inspect(*named(APPLY, applied), "--out", out)
    assert ended.code == 1
    assert (state(), out.exists()) == (before, False)


def test_a_window_that_cannot_be_written_is_not_applied(applied: Path, tmp_path: Path) -> None:
    before = state()
    for out in (tmp_path / "nowhere" / "request.json", FULL):
        ended = inspect(*named(APPLY, applied), "--out", out)
        assert ended.code == 1
        assert "Cannot write" in ended.err
        assert state() == before


def test_a_plan_that_cannot_be_stored_leaves_no_file(
    applied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push = Store.push

    def stale(self: Store, session_id: str, agent: str, plan: Any, on: int | None = None) -> int:
        push(self, session_id, agent, plan)
        return push(self, session_id, agent, plan, on)

    before = state()
    monkeypatch.setattr(Store, "push", stale)
    out = tmp_path / "request.json"
    ended = inspect(*named(APPLY, applied), "--out", out)
    assert ended.code == 1
    assert ended.err == "the session has changed since it was opened, so nothing was stored: look at it again.\n"
    assert (out.exists(), state()) == (False, before)


def test_that_nobody_can_be_told_of_what_is_done_is_no_failure(applied: Path) -> None:
    with FULL.open("wb") as full:
        ended = process(*named(APPLY, applied), stderr=full)
    assert ended.returncode == 0
    assert state()[0][2] == ["by hand", "deletion"]


def test_an_import_that_cannot_be_told_of_says_what_was_stored(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    for number in range(3):
        request = chat(2)
        request["messages"][1]["content"] = f"Task {number}."
        written(folder / f"{number}.json", request)
    for form, stored in (([], 1), (["--json"], 3)):
        with FULL.open("wb") as full:
            ended = process("import", folder, *form, stdout=full)
        assert ended.returncode == 1
        noun = "session" if stored == 1 else "sessions"
        assert f"{stored} {noun} had already been imported" in ended.stderr.decode()
        assert len(state()) == stored


@pytest.mark.parametrize("words", [["save", "mine"], ["remove", "mine"]], ids=lambda words: words[0])
def test_presets_that_cannot_be_told_of_stay_as_they_were(words: list[str]) -> None:
    presets = Path(os.environ["INSPECTOR_PRESETS"])
    assert inspect("presets", "save", "mine", "--threshold", "5000").code == 0
    before = presets.read_text()
    with FULL.open("wb") as full:
        ended = process("presets", *words, stdout=full)
    assert ended.returncode == 1
    assert b"No space left on device. Nothing was " in ended.stderr
    assert presets.read_text() == before
    assert [each.name for each in presets.parent.iterdir()] == ["presets.toml"]
