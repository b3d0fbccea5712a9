"""`store check`, `repair` and `backup`: what is whole, what can be rescued, and a copy to keep."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.store import Store, StoreError
from inspector.store.backups import backup_folder, delete_backups
from inspector.store.copies import save_backup
from inspector.store.integrity import check_store
from inspector.store.repairing import repair_store
from tests.store.made import chain, long, persistent_entries, whole_message
from tests.store.test_store_damage import closed as closed, damage, path as path, recorded
from tests.store.test_store_migrations import at_version

PAGE = 4096


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that a store holds, but for what it only knows itself by."""
    with closing(sqlite3.connect(path)) as connection:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'"
        names = [name for (name,) in connection.execute(tables)] + ["token_count", "plan_fate", "plan_message"]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in names}


def overwrite(path: Path, page: int, content: bytes = bytes(PAGE)) -> None:
    with path.open("rb+") as file:
        file.seek((page - 1) * PAGE)
        file.write(content)


def notes(store: Store, session: str = "s1") -> list[tuple[str, str]]:
    return [(mark.message_id, mark.note) for mark in store.bookmarks.of(session)]


def root(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        number: int = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
        return number


def repaired(path: Path) -> Store:
    before = path.read_bytes()
    repair = repair_store(path)
    assert repair is not None and path.read_bytes() == before
    assert check_store(repair.path).whole
    return Store(repair.path)


def test_each_step_of_a_check_is_reported(path: Path) -> None:
    steps: dict[str, tuple[int, int]] = {}
    check_store(path, lambda doing, count, total: steps.update({doing: (count, total)}))
    assert list(steps)[:3] == ["checking pages", "checking tables", "checking search indexes"]
    assert steps["checking sessions"] == (2, 2) and not any("recovering" in step for step in steps)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO message_search (message_search) VALUES ('delete-all')")
        connection.commit()
    assert not check_store(path, lambda doing, count, total: steps.update({doing: (count, total)})).whole
    assert steps["recovering sessions"] == (2, 2)


@pytest.mark.parametrize("step", ["checking pages", "checking search indexes", "checking sessions"])
def test_a_check_ends_in_the_step_that_is_interrupted(
    step: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.store.integrity._STEPS", 1)  # SQLite reports within each query too
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def interrupt(doing: str, *_: int) -> None:
        if doing == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_store(path, interrupt)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_whole_store_is_whole_and_is_not_repaired(path: Path) -> None:
    before = path.read_bytes()
    check = check_store(path)
    assert check.whole and [session.id for session in check.sessions] == ["s1", "s2"]
    assert [(item.messages, item.rescued, item.plans) for item in check.sessions] == [(8, 8, 2), (3, 3, 0)]
    assert repair_store(path) is None
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == [backup_folder(path), path]


@pytest.mark.parametrize(
    "statement", ["DROP INDEX memory_by_plan", "DROP TRIGGER body_added", "DROP VIEW working_tier"]
)
def test_where_nothing_is_lost_everything_is_there_again(path: Path, statement: str) -> None:
    before = contents(path)
    damage(path, statement)
    check = check_store(path)
    assert not check.whole and all(session.whole for session in check.sessions)
    with repaired(path) as store:
        assert store.search("log") and store.entries.recall("lamp")
        assert store.is_own_output("/tmp/request.json", b"0" * 32)
    assert contents(path.with_name("inspector.repaired.db")) == before


def test_what_was_rescued_is_known_again_when_it_is_imported(path: Path) -> None:
    damage(path, "DROP TABLE message_search", "UPDATE session SET recorded_id = 'first' WHERE id = 's2'")
    with repaired(path) as store:
        assert (store.add(recorded()).new, store.add(recorded()).writes) == (False, 0)
        assert store.add(chain("a", "b", "c", id="first", start="n")).id == "s2"


def test_a_message_without_its_row_keeps_its_text_and_position(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(long(400))
        before = [(message.id, message.text) for message in store.load("long")]
    overwrite(path, root(path, "message"))
    (session,) = check_store(path).sessions
    assert (session.messages, session.rescued, session.mended) == (400, 400, 400)
    with repaired(path) as store:
        assert [(message.id, message.text) for message in store.load("long")] == before
        assert store.load("long").path_to(7) == list(range(8))


def test_lost_messages_keep_their_place_and_return_with_an_import(path: Path) -> None:
    with Store(path) as store:
        before = [whole_message(message) for message in store.load("s1")]
    damage(
        path, "PRAGMA foreign_keys = OFF", "DELETE FROM message WHERE key IN (2, 5)", "DELETE FROM body WHERE key = 2"
    )
    repair = repair_store(path)
    assert repair is not None
    assert [(item.id, item.messages - item.rescued, item.rescued_plans) for item in repair.lost] == [("s1", 2, 2)]
    with Store(repair.path) as store:
        session = store.load("s1")
        assert [message.id for message in session] == ["m0", "lost-2", "m2", "m3", "lost-5", "m5", "m6", "m7"]
        assert session.messages[1].text.startswith("[This message was lost")
        assert session.problems[-1].text == "messages were lost when the store was damaged: 2"
        assert notes(store) == [("lost-5", "the lamp again"), ("m7", "")]
        result = store.add(recorded())
        assert (result.id, result.new, result.writes) == ("s1", False, 2)
        assert [whole_message(message) for message in store.load("s1")] == before
        assert notes(store) == [("m4", "the lamp again"), ("m7", "")]
        assert store.load("s1").problems == recorded().problems
        assert store.undo("s1", MAIN) is not None
    assert check_store(repair.path).whole


def test_of_a_text_that_is_lost_the_beginning_is_kept(path: Path) -> None:
    damage(path, "PRAGMA foreign_keys = OFF", "DROP TRIGGER body_removed", "DELETE FROM body WHERE key IN (2, 4)")
    (session, _) = check_store(path).sessions
    assert (session.messages, session.rescued, session.cut) == (8, 6, 2)
    with repaired(path) as store:
        log = store.load("s1")
        assert log.messages[1].text == "message 1 of the log"
        assert log.messages[3].text == "Looking.  read_log {}\n\nread_log({})"
        assert [call.id for call in log.messages[3].calls] == ["call_1"]
        assert log.messages[3].usage is not None
        assert log.problems[-1].text == "the ends of messages were lost when the store was damaged: 2"
        assert [plan.strategy for plan in store.plans("s1", MAIN)] == ["sliding_window", "by hand"]


def test_a_text_that_says_something_else_by_now_is_kept_and_told(path: Path) -> None:
    damage(path, "UPDATE body SET raw = replace(raw, 'message 2', 'massage 2') WHERE key = 3")
    damage(path, "UPDATE body SET record = '{' WHERE key = 5")
    (session, _) = check_store(path).sessions
    assert (session.rescued, session.changed, session.mended) == (8, 2, 0)
    repair = repair_store(path)
    assert repair is not None and not repair.lost and not repair.complete
    with Store(repair.path) as store:
        assert store.load("s1").messages[2].text == "massage 2 of the log"
        assert store.load("s1").messages[4].record == {}


def test_a_session_whose_row_is_lost_is_found_by_its_messages(path: Path) -> None:
    delete_backups(path)
    damage(path, "PRAGMA foreign_keys = OFF", "DELETE FROM session WHERE id = 's1'")
    with repaired(path) as store:
        session = store.load("s1")
        assert (session.title, len(session.messages), session.dialect) == ("message 0 of the log", 8, "openai")
        assert len(store.plans("s1", MAIN)) == 2


def test_the_window_of_a_session_whose_id_was_damaged_is_made_again(path: Path) -> None:
    for table, name in (("session", "id"), ("message", "session_id")):
        damage(path, "PRAGMA foreign_keys = OFF", f"UPDATE {table} SET {name} = 's9' WHERE {name} = 's1'")
    with repaired(path) as store:
        assert "s9" in {row.id for row in store.sessions()}
        assert store.load("s9").messages


def test_a_plan_that_is_lost_takes_those_on_top_of_it_along(path: Path) -> None:
    delete_backups(path)
    damage(path, "UPDATE plan SET covers = 'x' WHERE id = 2")
    with repaired(path) as store:
        assert [plan.strategy for plan in store.plans("s1", MAIN)] == ["sliding_window"]
        assert store.undo("s1", MAIN) is not None
        assert [item.kind for item in persistent_entries(store)] == ["fact"]
    damage(path, "UPDATE plan SET covers = 'x' WHERE id = 1")
    assert [(item.plans, item.rescued_plans) for item in check_store(path).sessions] == [(2, 0), (0, 0)]


@pytest.mark.parametrize("size", [16, 100, PAGE])
def test_a_store_whose_beginning_is_lost_is_known_by_the_rest(path: Path, size: int) -> None:
    before = contents(path)
    overwrite(path, 1, b"\xff" * size)
    with pytest.raises(StoreError, match="is not a database, or its beginning is damaged"):
        Store(path)
    assert "the beginning of the file is damaged" in check_store(path).problems
    repaired(path).close()
    assert contents(path.with_name("inspector.repaired.db")) == before


@pytest.mark.parametrize("table", ["session", "body"])
def test_sessions_survive_the_loss_of_a_table(tmp_path: Path, table: str) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(long(400))
        store.add(chain(*("x" * 20_000 for _ in range(5)), id="s2"))
    overwrite(path, root(path, table))
    repair = repair_store(path)
    assert repair is not None
    with Store(repair.path) as store:
        assert {row.id: row.messages for row in store.sessions()} == {"long": 400, "s2": 5}
        texts = [message.text for message in store.load("long")]
        assert texts == [message.text for message in long(400)]
    assert (repair.lost == []) == (table == "session")


def test_around_damage_all_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        for number in range(3_000):
            store.entries.remember("fact", f"fact {number} " * 3)
    delete_backups(path)
    leaves = path.read_bytes()
    pages = [number for number in range(len(leaves) // PAGE) if b"fact 1500 " in leaves[number * PAGE :][:PAGE]]
    for page in pages:
        overwrite(path, page + 1)
    with repaired(path) as store:
        there = {memory.text for memory in persistent_entries(store, -1)}
    missing = {number for number in range(3_000) if f"fact {number} " * 3 not in there}
    assert missing and 1500 in missing and len(missing) < 100


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DROP TABLE session", "the metadata of the sessions"),
        ("DROP TABLE plan", "all plans"),
        ("DELETE FROM plan", "plans, at least 1"),
    ],
)
def test_what_is_gone_without_a_trace_is_reported_as_lost(path: Path, statement: str, says: str) -> None:
    delete_backups(path)
    damage(path, "PRAGMA foreign_keys = OFF", statement)
    assert any(says in loss for loss in check_store(path).gone)
    repair = repair_store(path)
    assert repair is not None and not repair.complete


def test_of_a_file_that_was_cut_off_what_is_left_is_rescued(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        for number in range(20):
            store.add(chain(*(f"text {number} {turn} " * 400 for turn in range(10)), id=f"s{number}"))
    os.truncate(path, path.stat().st_size // 2 // PAGE * PAGE)
    repair = repair_store(path)
    assert repair is not None
    rescued = [session for session in repair.check.sessions if session.rescued == session.messages]
    assert 3 < len(rescued) < 20
    with Store(repair.path) as store:
        for session in rescued:
            assert all(message.text.startswith("text ") for message in store.load(session.id))


def test_halves_of_signs_are_carried_over_wherever_they_stand(path: Path) -> None:
    half = "x'eda080'"
    delete_backups(path)
    damage(path, "DROP INDEX memory_by_plan", f"UPDATE plan SET created_at = {half}, strategy = {half} WHERE id = 2")
    damage(path, f"UPDATE output SET written_at = {half}", f"UPDATE memory SET created_at = {half}")
    with repaired(path) as store:
        assert [plan.strategy for plan in store.plans("s1", MAIN)] == ["sliding_window", "\ud800"]
        assert {memory.created_at for memory in persistent_entries(store)} == {"\ud800"}


HUGE = (
    "UPDATE message SET position = 9007199254740992 WHERE key = 4",
    "UPDATE session SET messages = 9007199254740992 WHERE id = 's1'",
    "UPDATE message SET key = 4611686018427387904 WHERE key = 4",
    "UPDATE body SET key = 4611686018427387904 WHERE key = 4",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
)


@pytest.mark.parametrize("statement", HUGE)
def test_a_number_that_is_far_too_large_costs_neither_time_nor_memory(path: Path, statement: str) -> None:
    damage(path, "PRAGMA foreign_keys = OFF", "DROP TRIGGER body_removed", statement)
    repair = repair_store(path)
    assert repair is not None
    with Store(repair.path) as store:
        assert len(store.load("s1").messages) in (7, 8)


def test_a_store_whose_schema_is_no_text_cannot_be_copied_while_it_is_used(path: Path) -> None:
    damage(path, "UPDATE sqlite_master SET name = CAST(x'f3' AS TEXT), sql = CAST(x'f3' AS TEXT) WHERE name = 'plan'")
    with pytest.raises(StoreError) as error:
        save_backup(path, path.with_name("copy.db"))
    assert "\n" not in str(error.value) and str(path) in str(error.value)
    assert not path.with_name("copy.db").exists()
    with repaired(path) as store:
        assert len(store.plans("s1", MAIN)) == 2


@pytest.mark.parametrize("content", [b"", b"notes", b"x" * 50_000, bytes(PAGE)])
def test_a_file_that_is_no_store_is_told_from_a_damaged_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    if content:
        for ask in (check_store, repair_store):
            with pytest.raises(StoreError, match="is not a store of Inspector"):
                ask(path)
    else:
        assert check_store(path).whole
    for ask in (check_store, repair_store):
        with pytest.raises(StoreError, match="nothing has been stored yet"):
            ask(tmp_path / "nothing")
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_no_damaged_store(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.commit()
    with pytest.raises(StoreError, match="is not a store of Inspector"):
        check_store(path)


def test_a_store_of_a_later_version_is_not_judged(path: Path) -> None:
    damage(
        path,
        "PRAGMA user_version = 99",
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('inspector', 'm099_later', '')",
    )
    with pytest.raises(StoreError, match="newer Inspector"):
        check_store(path)


def test_a_repair_takes_the_damaged_stores_place_and_keeps_it(path: Path) -> None:
    damage(path, "UPDATE message SET parent = position WHERE key = 4")
    before = path.read_bytes()
    repair = repair_store(path, replace=True)
    assert repair is not None and (repair.path, repair.old_path) == (path, path.with_name("inspector.damaged.db"))
    assert repair.old_path.read_bytes() == before
    with Store(path) as store:
        assert len(store.load("s1").messages) == 8
    assert path.stat().st_mode & 0o077 == 0
    damage(path, "UPDATE message SET parent = position WHERE session_id = 's1' AND position = 3")
    again = repair_store(path, replace=True)
    assert again is not None and again.old_path.name == "inspector.damaged-2.db"


def test_what_waits_in_the_log_beside_a_damaged_store_is_rescued_and_kept(path: Path, tmp_path: Path) -> None:
    damage(path, "UPDATE message SET parent = position WHERE key = 4")
    crashed = tmp_path / "crashed.db"
    with Store(path) as store:
        store.add(chain("only", "in", "the", "log", id="s3"))
        for ending in ("", "-wal"):
            (tmp_path / f"crashed.db{ending}").write_bytes(path.with_name(path.name + ending).read_bytes())
    log = (tmp_path / "crashed.db-wal").read_bytes()
    assert len(log) > PAGE
    repair = repair_store(crashed, replace=True)
    assert repair is not None
    with Store(crashed) as store:
        assert {row.id for row in store.sessions()} == {"s1", "s2", "s3"}
    assert (tmp_path / "crashed.damaged.db-wal").read_bytes() == log


def test_no_file_is_replaced_by_a_repair_or_a_backup(path: Path, tmp_path: Path) -> None:
    damage(path, "UPDATE message SET parent = position WHERE key = 4")
    theirs, link = tmp_path / "theirs.db", tmp_path / "link.db"
    theirs.write_text("theirs")
    link.symlink_to(tmp_path / "nowhere.db")
    for to in (theirs, link, path):
        for ask in (repair_store, save_backup):
            with pytest.raises(StoreError, match="exists: name a file that is not there yet"):
                ask(path, to)
    assert theirs.read_text() == "theirs" and not (tmp_path / "nowhere.db").exists()


def test_a_backup_is_of_one_moment_while_others_write(path: Path, tmp_path: Path) -> None:
    with Store(path) as store, store.atomic():
        store.add(chain("not", "yet", id="later"))
        assert save_backup(path, tmp_path / "deep" / "copy.db")
    copy = tmp_path / "deep" / "copy.db"
    assert [item.name for item in copy.parent.iterdir()] == ["copy.db"]
    assert copy.stat().st_mode & 0o077 == 0 and copy.parent.stat().st_mode & 0o077 == 0
    assert check_store(copy).whole
    with Store(copy) as store:
        assert {row.id for row in store.sessions()} == {"s1", "s2"}


def test_a_backup_of_a_damaged_store_is_made_and_told(path: Path, tmp_path: Path) -> None:
    overwrite(path, root(path, "memory"))
    assert not save_backup(path, tmp_path / "copy.db")
    assert not check_store(tmp_path / "copy.db").whole


def test_a_store_of_an_earlier_version_is_checked_without_being_changed(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    at_version(path, 4).close()
    before = path.read_bytes()
    assert [session.id for session in check_store(path).sessions] == ["s1"]
    assert path.read_bytes() == before
