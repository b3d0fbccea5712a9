"""`inspector rm` and `inspector store prune`: nothing of a removed session remains in any file of the store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.library.agent_hooks.hook_files import RESULTS, VERDICTS, key_of, write_hook_file
from inspector.store import Store, backups_of, default_path
from tests.cli.calling import inspect, written
from tests.formats.written import Scribe, calls, says

SECRET = "qwzxkvj"
"""A word that no other text has."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def stored(folder: Path, name: str = "gone", word: str = SECRET, date: str = "2026-03-01") -> tuple[Path, str]:
    """Import a session with a plan, a bookmark, memories in two tiers, and analysed facts."""
    scribe = Scribe(common={"cwd": "/pier", "sessionId": name})
    scribe.ask("u1", f"Count the lamps of {word}. Never touch the fuse box of {word}.")
    scribe.reply("a1", "m1", calls("c1", "Bash", command=f"python count.py --pier {word}"))
    scribe.answer("r1", "c1", f"41 lamps at {word}")
    scribe.reply("a2", "m2", says(f"There are 41 lamps at {word}."))
    path = scribe.write(folder / f"{name}.jsonl")
    path.write_text(path.read_text().replace("2026-03-01", date))
    (session,) = inspect("import", path, "--json").json["sessions"]
    assert inspect("drop", path, "3").code == 0
    assert inspect("bookmarks", "add", path, "1", f"a note on {word}").code == 0
    assert inspect("memory", "promote", path, "1").code == 0
    assert inspect("why", path).code == 0
    return path, session["id"]


def words_in(folder: Path, word: str = SECRET) -> list[str]:
    """The files under a folder that contain a word, whole or without its first letter."""
    return [str(file) for file in folder.rglob("*") if file.is_file() and word[1:].encode() in file.read_bytes()]


def memories() -> list[dict[str, object]]:
    """The entries of the persistent tier."""
    (tier,) = [tier for tier in inspect("memory", "ls", "--json").json["tiers"] if tier["tier"] == "persistent"]
    return list(tier["rows"])


def test_nothing_of_a_removed_session_remains(tmp_path: Path, state: Path) -> None:
    path, session_id = stored(tmp_path / "logs")
    with Store(default_path()) as store:
        store.entries.remember("fact", f"{SECRET} has 41 lamps", session_id)
    write_hook_file(VERDICTS, key_of("gone"), {"lost": SECRET})
    write_hook_file(RESULTS, key_of("c1"), {"whole": SECRET})
    assert words_in(default_path().parent) and words_in(state)
    answer = inspect("rm", session_id, "--yes", "--json").json
    (row,) = answer["sessions"]
    assert (row["messages"], row["plans"], row["bookmarks"], row["memories"]) == (4, 1, 1, 2)
    assert answer["removed"] is True and answer["in_wal"] is False and row["source"] == str(path)
    assert words_in(default_path().parent) == words_in(state) == []
    assert backups_of(default_path()) == []
    assert SECRET in path.read_text(), "the source is not changed"
    assert inspect("store", "check").code == 0
    assert inspect("import", path, "--json").json["sessions"][0]["new"] is True, "it can be imported again"


def test_other_sessions_are_not_changed(tmp_path: Path) -> None:
    stored(tmp_path / "logs")
    _, other_id = stored(tmp_path / "logs", "stays", "xqvwzzk")
    before = inspect("show", other_id, "--json").json
    assert inspect("rm", tmp_path / "logs" / "gone.jsonl", "--yes").code == 0
    assert inspect("show", other_id, "--json").json == before
    assert [row["target"] for row in inspect("ls", "--json").json["sessions"] if row["origin"] == "stored"] == [
        other_id
    ]
    assert len(memories()) == 1


def test_memories_can_be_kept(tmp_path: Path) -> None:
    _, session_id = stored(tmp_path / "logs")
    assert inspect("rm", session_id, "--keep-memories", "--yes").code == 0
    (entry,) = memories()
    assert SECRET in str(entry)


def test_nothing_is_removed_without_consent(tmp_path: Path) -> None:
    path, session_id = stored(tmp_path / "logs")
    dry = inspect("rm", session_id, "--dry-run")
    assert dry.code == 0 and "4 messages, 1 plan, 1 bookmark, 1 memory" in dry.out and "Nothing was removed." in dry.out
    assert inspect("rm", session_id, "--dry-run", "--json").json["removed"] is False
    asked = inspect("rm", session_id)
    assert asked.code == 2 and "This would remove 1 session for good. Confirm with --yes." in asked.err
    assert inspect("show", session_id).code == 0 and path.exists()


def test_a_file_that_is_not_stored_is_wrong_usage_and_stays(tmp_path: Path) -> None:
    path = written(tmp_path / "log.json", [{"role": "user", "content": "Hello."}])
    ended = inspect("rm", path, "--yes")
    assert ended.code == 2 and "is not in the store" in ended.err and json.loads(path.read_text())
    assert inspect("rm", "unknown", "--yes").code == 1


def test_old_sessions_are_pruned_by_the_time_of_their_last_message(tmp_path: Path) -> None:
    _, old = stored(tmp_path / "logs", "old", date="2020-03-01")
    _, new = stored(tmp_path / "logs", "new", "xqvwzzk", date="2999-03-01")
    listed = inspect("store", "prune", "--older", "1y", "--dry-run", "--json").json
    assert [row["id"] for row in listed["sessions"]] == [old] and listed["removed"] is False
    assert inspect("store", "prune", "--older", "1y", "--yes", "--json").json["removed"] is True
    assert words_in(default_path().parent) == []
    assert inspect("show", new).code == 0 and inspect("show", old).code == 1
    assert inspect("store", "prune", "--older", "soon").code == 2
    for age in ("5000y", "99999y"):
        assert inspect("store", "prune", "--older", age, "--yes").out == "Nothing to remove.\n"
