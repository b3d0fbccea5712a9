"""`inspector store check`, `repair` and `backup`, and what other commands say of a damaged store."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.calling import inspect, process, transcript, written


@pytest.fixture
def db() -> Path:
    return Path(os.environ["INSPECTOR_DB"])


@pytest.fixture
def stored(log: Path, tmp_path: Path) -> Path:
    """A chat, and a transcript, in the store."""
    other = written(tmp_path / "agent.jsonl", transcript())
    assert inspect("import", log, other).code == 0
    return log


def damage(db: Path, statement: str) -> bytes:
    with closing(sqlite3.connect(db, isolation_level=None)) as connection:
        connection.execute(statement)
    return db.read_bytes()


CYCLE = "UPDATE message SET parent = position WHERE session_id = '3f0c' AND position = 3"
NO_TEXT = "DELETE FROM body WHERE key = (SELECT key FROM message WHERE session_id = '3f0c' AND position = 3)"


@pytest.mark.usefixtures("stored")
def test_a_whole_store_is_said_to_be_whole(db: Path) -> None:
    ended = inspect("store", "check")
    assert (ended.code, ended.out, ended.err) == (0, f"{db} is intact: 2 sessions.\n", "")
    told = inspect("store", "check", "--json").json
    assert (told["path"], told["whole"], told["problems"]) == (str(db), True, [])
    assert [(each["id"], each["whole"], each["messages"], each["rescued"]) for each in told["sessions"]][1] == (
        "3f0c", True, 7, 7
    )  # fmt: skip


@pytest.mark.usefixtures("stored")
def test_a_damaged_store_is_told_session_by_session(db: Path) -> None:
    damage(db, NO_TEXT)
    ended = inspect("store", "check")
    assert ended.code == 3
    lines = ended.out.splitlines()
    assert lines[0] == f"{db} is damaged."
    assert "  3f0c" in lines and "  can be recovered: 6 of 7 messages, the beginning of 1 more" in lines
    assert lines[-2:] == [
        "1 session of 2 intact.",
        "inspector store repair writes a new store with everything that can be recovered.",
    ]
    (other, session) = inspect("store", "check", "--json").json["sessions"]
    assert (other["whole"], session["whole"], session["cut"]) == (True, False, 1)


def test_without_a_store_there_is_nothing_to_check(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes")
    for words in (["check"], ["repair"], ["backup", tmp_path / "copy.db"]):
        for path, says in (
            (tmp_path / "none.db", "nothing has been stored yet.\n"),
            (tmp_path / "notes.txt", "is not a "),
        ):
            ended = inspect("store", *words, "--db", path)
            assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
            assert says in ended.err
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.usefixtures("stored")
def test_a_repair_tells_where_the_new_store_is_and_what_was_lost(db: Path) -> None:
    before = damage(db, NO_TEXT)
    ended = inspect("store", "repair")
    repaired = db.with_name("inspector.repaired.db")
    assert ended.code == 3
    assert ended.out.replace("\n", "").startswith(f"The new store: {repaired}The damaged store, unchanged: {db}")
    assert "Rescued: 2 sessions, 34 messages, 0 plans.\n" in ended.out
    assert "Lost of Mend the pier lights. (3f0c): 1 message, except the beginning of 1\n" in ended.out
    assert db.read_bytes() == before
    assert inspect("store", "check", "--db", repaired).code == 0
    assert inspect("show", "3f0c", "--db", repaired).code == 0


@pytest.mark.usefixtures("stored")
def test_a_repair_where_nothing_is_lost_ends_well(db: Path, tmp_path: Path) -> None:
    damage(db, CYCLE)
    told = inspect("store", "repair", "--out", tmp_path / "new.db", "--json")
    assert told.code == 0
    assert (told.json["repaired"], told.json["damaged"], told.json["whole"]) == (
        str(tmp_path / "new.db"),
        str(db),
        False,
    )
    assert inspect("store", "repair", "--out", tmp_path / "new.db").code == 1
    assert inspect("store", "repair", "--replace").out.endswith("Nothing was lost.\n")
    assert inspect("store", "check").code == 0
    words = "".join(inspect("store", "repair").out.split())
    assert words == f"{db} is intact, so nothing was written.".replace(" ", "")
    assert sorted(each.name for each in db.parent.iterdir()) == ["inspector.damaged.db", "inspector.db"]


@pytest.mark.usefixtures("stored")
def test_a_place_for_the_repaired_store_is_named_once(tmp_path: Path) -> None:
    ended = inspect("store", "repair", "--replace", "--out", tmp_path / "new.db")
    assert ended.code == 2
    assert "--out cannot be combined with --replace" in ended.err


@pytest.mark.usefixtures("stored")
def test_a_backup_is_a_store_and_replaces_nothing(db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    ended = inspect("store", "backup", copy)
    assert (ended.code, ended.out.replace("\n", "")) == (0, f"Copied {db} to {copy}.")
    assert inspect("show", "3f0c", "--db", copy).code == 0
    before = copy.read_bytes()
    for to in (copy, db):
        ended = inspect("store", "backup", to)
        assert (ended.code, ended.err) == (1, f"{to} exists: name a file that is not there yet.\n")
    assert copy.read_bytes() == before
    assert copy.stat().st_mode & 0o077 == 0
    told = inspect("store", "backup", tmp_path / "second.db", "--json").json
    assert told == {
        "version": 1,
        "path": str(db),
        "backup": str(tmp_path / "second.db"),
        "bytes": len(before),
        "whole": True,
    }


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_name_that_sqlite_keeps_for_itself_is_no_name_for_a_copy(db: Path, ending: str) -> None:
    to = db.with_name(db.name + ending)
    for command in (["backup", to], ["repair", "--out", to]):
        to.unlink(missing_ok=True)
        ended = inspect("store", *command)
        assert ended.code == 1 and "is a name that SQLite reserves" in ended.err
        assert not to.exists()


@pytest.mark.parametrize("command", [["ls"], ["import", "FILE"], ["store", "check"]], ids=lambda words: words[0])
def test_a_folder_is_no_store(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    ended = inspect(*[log if word == "FILE" else word for word in command], "--db", ".")
    assert ". is a folder" in ended.err or ". is not a file" in ended.err
    assert "Internal error" not in ended.err


@pytest.mark.usefixtures("stored")
def test_a_list_of_a_damaged_store_is_no_empty_list(db: Path) -> None:
    db.write_bytes(b"no header, but once a store")
    ended = inspect("ls", "--json")
    assert ended.code == 1
    assert len(ended.json["errors"]) == 1 and "is not a database" in ended.json["errors"][0]


READERS = (
    ["show", "3f0c"],
    ["compress", "3f0c", "--strategy", "fifo"],
    ["export", "3f0c"],
    ["undo", "3f0c"],
    ["check", "3f0c"],
)


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.usefixtures("stored")
def test_a_command_says_in_one_sentence_that_the_store_is_damaged(db: Path, words: list[str], form: list[str]) -> None:
    damage(db, CYCLE)
    ended = inspect(*words, *form)
    assert ended.code == 1
    assert (ended.json if form else ended.out) == ({"version": 1, "errors": [ended.err.rstrip("\n")]} if form else "")
    assert ended.err.startswith(f"{db} is damaged (the session '3f0c' cannot be read): inspector store check shows")


def test_a_file_can_be_looked_at_whatever_has_become_of_the_store(stored: Path, db: Path) -> None:
    for statement in ("UPDATE session SET line = 'x'", "DROP TABLE message"):
        damage(db, statement)
        ended = inspect("show", stored, "--json")
        assert (ended.code, ended.json["window"]["total"] > 0) == (0, True)
        assert f"{db} is damaged" in ended.err


def test_help_tells_of_each_command() -> None:
    ended = inspect("store", "--help")
    assert ended.code == 0
    assert all(f"\n  {name} " in ended.out for name in ("backup", "check", "repair"))


@pytest.mark.usefixtures("stored")
def test_a_report_that_cannot_be_read_says_that_the_store_is_written(db: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no disk that is always full")
    damage(db, CYCLE)
    with full.open("wb") as out:
        ended = process("store", "repair", stdout=out)
    assert ended.returncode == 1
    repaired = db.with_name("inspector.repaired.db")
    assert ended.stderr.decode().endswith(f"No space left on device. The new store is written: {repaired}.\n")
    assert repaired.exists()
