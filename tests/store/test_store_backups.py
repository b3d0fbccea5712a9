"""Automatic backups of plans, memories and bookmarks: when they are written, and what a repair restores from them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from inspector.core.conversation import MAIN
from inspector.engine.window.plan import KEPT, Plan
from inspector.store import Store, StoreError
from inspector.store.backups import INTERVAL, MAX_BACKUPS, backup_folder, backups_of, delete_backups
from inspector.store.integrity import check_store
from inspector.store.repairing import repair_store
from tests.store.made import chain, long, persistent_entries
from tests.store.test_store_damage import closed as closed, path as path
from tests.store.test_store_migrations import at_version

PAGE = 4096


def rows(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        number: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return number


def a_day_later(path: Path) -> None:
    """Make the newest backup older than the interval."""
    (newest, *_) = backups_of(path)
    then = time.time() - INTERVAL - 60
    os.utime(newest, (then, then))


def test_closing_a_store_writes_a_private_backup_without_messages(path: Path) -> None:
    (backup,) = backups_of(path)
    assert backup.parent == path.with_name("inspector.backups") == backup_folder(path)
    assert backup.stat().st_mode & 0o777 == 0o600 and backup.parent.stat().st_mode & 0o777 == 0o700
    assert [rows(backup, table) for table in ("plan", "bookmark", "session")] == [2, 2, 1]
    assert rows(backup, "memory") == rows(path, "memory") == 3
    with closing(sqlite3.connect(backup)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables.isdisjoint({"message", "body"})


def test_a_store_without_plans_memories_and_bookmarks_has_no_backup(tmp_path: Path) -> None:
    with Store(tmp_path / "inspector.db") as store:
        store.add(chain("a", "b"))
    assert not backup_folder(tmp_path / "inspector.db").exists()


def test_a_backup_is_written_once_a_day_and_only_after_a_change(path: Path) -> None:
    with Store(path) as store:
        store.entries.remember("fact", "said on the same day")
    assert len(backups_of(path)) == 1
    a_day_later(path)
    Store(path).close()
    (newest, first) = backups_of(path)
    assert (rows(newest, "memory"), rows(first, "memory")) == (4, 3)
    a_day_later(path)
    Store(path).close()
    assert backups_of(path) == [newest, first]
    assert time.time() - newest.stat().st_mtime < INTERVAL


def test_a_store_that_stays_open_is_backed_up_daily(path: Path) -> None:
    with Store(path) as store:
        a_day_later(path)
        store.entries.remember("fact", "one more")
        assert len(backups_of(path)) == 1
        store._connections._next_backup = 0.0
        persistent_entries(store)
        assert len(backups_of(path)) == 2


def test_only_the_newest_backups_are_kept(path: Path) -> None:
    for number in range(MAX_BACKUPS + 2):
        a_day_later(path)
        with Store(path) as store:
            store.entries.remember("fact", f"fact {number}")
    assert [rows(backup, "memory") for backup in backups_of(path)] == [10, 9, 8, 7, 6]


ERASURES: dict[str, Callable[[Store], object]] = {
    "forget": lambda store: store.entries.forget(persistent_entries(store)[0].id),
    "undo": lambda store: store.undo("s1", MAIN),
    "remove": lambda store: store.remove("s1"),
    "bookmark removed": lambda store: store.bookmarks.remove("s1", "m4"),
    "note changed": lambda store: store.bookmarks.put("s1", "m4", "something else"),
}


@pytest.mark.parametrize("name", ERASURES)
def test_deleted_text_is_in_no_backup(path: Path, name: str) -> None:
    a_day_later(path)
    with Store(path) as store:
        store.entries.remember("fact", "more")
    assert len(backups_of(path)) == 2
    old = backups_of(path)
    with Store(path) as store:
        ERASURES[name](store)
        assert backups_of(path) == []
    (new,) = backups_of(path)
    assert new not in old
    tables = [*(("memory",) if name != "undo" else ()), "plan", "bookmark"]
    assert [rows(new, table) for table in tables] == [rows(path, table) for table in tables]


def test_a_new_bookmark_deletes_no_backup(path: Path) -> None:
    before = backups_of(path)
    with Store(path) as store:
        store.bookmarks.put("s1", "m0", "another one")
    assert backups_of(path) == before


def test_a_migration_begins_with_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with closing(at_version(path, 13)) as connection:
        count = connection.execute("SELECT count(*) FROM memory").fetchone()[0]
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "bookmark" not in names and count > 0
    Store(path)
    (backup, *_) = backups_of(path)
    assert rows(backup, "memory") == count
    with closing(sqlite3.connect(backup)) as connection:
        assert len(connection.execute("SELECT * FROM _sqlite_migrations").fetchall()) == 13


def test_a_backup_that_cannot_be_written_stops_nothing(path: Path) -> None:
    delete_backups(path)
    backup_folder(path).rmdir()
    backup_folder(path).write_text("in the way")
    with Store(path) as store:
        store.entries.remember("fact", "something new")
    assert check_store(path).whole and rows(path, "memory") == 4


def test_a_damaged_store_writes_no_backup(path: Path) -> None:
    a_day_later(path)
    before = backups_of(path)
    with closing(sqlite3.connect(path)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memory'").fetchone()[0]
    overwrite(path, (page - 1) * PAGE, bytes(PAGE))
    Store(path).close()
    assert backups_of(path) == before


def test_backups_of_another_store_are_ignored(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with Store(other) as store:
        store.add(chain("x", "y", id="s1"))
        store.entries.remember("fact", "of the other store")
    shutil.rmtree(backup_folder(other))
    shutil.copytree(backup_folder(path), backup_folder(other))
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("DROP INDEX memory_by_plan")
    repair = repair_store(other)
    assert repair is not None
    with Store(repair.path) as store:
        assert [memory.text for memory in persistent_entries(store)] == ["of the other store"]
        assert store.plans("s1", MAIN) == [] and store.bookmarks.all() == []


# what a repair takes from them


Content = tuple[set[str], dict[str, list[tuple[str, int]]], set[tuple[str, int, str]]]


def content(path: Path) -> Content:
    """Everything that has no other copy: memories, plans and bookmarks."""
    with Store(path) as store:
        memories = {repr((entry.kind, entry.text, entry.tier, entry.key)) for entry in persistent_entries(store, -1)}
        ids = [row.id for row in store.sessions()]
        plans = {name: [(plan.strategy, len(plan.ids)) for plan in store.plans(name, MAIN)] for name in ids}
        marks = {(mark.session_id, mark.position, mark.note) for mark in store.bookmarks.all()}
    return memories, {name: stack for name, stack in plans.items() if stack}, marks


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("rb+") as file:
        file.seek(start)
        file.write(data)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of many pages with many memories, plans and bookmarks, and a backup of them."""
    path = tmp_path_factory.mktemp("full") / "inspector.db"
    with Store(path) as store:
        for number in range(3):
            session = long(60, id=f"s{number}")
            store.add(session)
            ids = tuple(message.id for message in session.messages)
            for strategy in ("by hand", "again by hand"):
                store.push(session.id, MAIN, Plan(strategy, {"number": number}, ids, (KEPT,) * len(ids)))
            for place in range(0, 60, 7):
                store.bookmarks.put(session.id, f"m{place}", f"note {number} {place} " * 9)
            for place in range(60):
                store.entries.remember("fact", f"fact {number} {place} " * 20, session.id, f"m{place}")
        store.entries.remember("profile", "likes lamps", key="lamp")
    assert len(backups_of(path)) == 1
    return path


@pytest.fixture(scope="module")
def whole(full: Path) -> Content:
    """The content of the store before anything happens to a copy of it."""
    return content(full)


def repaired_content(full: Path, folder: Path, damage: Callable[[Path], None]) -> Content:
    """The content of a copy of a store after damage and repair."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    copy = Path(shutil.copy(full, folder))
    shutil.copytree(backup_folder(full), backup_folder(copy))
    damage(copy)
    repair = repair_store(copy)
    return content(repair.path if repair else copy)


def test_no_lost_page_costs_a_memory_a_plan_or_a_bookmark(full: Path, whole: Content, tmp_path: Path) -> None:
    """Each page is lost once, by turns to zeros, to noise and to a copy of another page."""
    random = Random(7)
    pages = full.stat().st_size // PAGE
    kinds = (bytes(PAGE), random.randbytes(PAGE), full.read_bytes()[5 * PAGE : 6 * PAGE])
    for page in range(0, pages, 1 + pages // 40):
        data = kinds[page % 3]
        after = repaired_content(full, tmp_path / "copy", lambda path: overwrite(path, page * PAGE, data))  # noqa: B023
        assert after == whole, f"page {page} of {pages}"


@settings(max_examples=15, deadline=None)
@given(
    start=st.floats(0, 1, exclude_max=True), length=st.sampled_from((1, 16, 200, PAGE, 9 * PAGE)), seed=st.integers()
)
def test_damage_anywhere_costs_no_memory_no_plan_and_no_bookmark(
    full: Path, whole: Content, tmp_path_factory: pytest.TempPathFactory, start: float, length: int, seed: int
) -> None:
    """Damage inside of a row may change its text, but no row is lost."""
    place = int(start * full.stat().st_size)
    noise = Random(seed).randbytes(min(length, full.stat().st_size - place))
    copy = tmp_path_factory.getbasetemp() / "anywhere"
    after = repaired_content(full, copy, lambda path: overwrite(path, place, noise))
    assert [len(part) for part in after] >= [len(part) for part in whole]
    assert after[1] == whole[1]
    assert {mark[:2] for mark in after[2]} == {mark[:2] for mark in whole[2]}


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_file_that_was_cut_off_costs_no_memory_no_plan_and_no_bookmark(
    full: Path, whole: Content, tmp_path: Path, share: float
) -> None:
    size = int(full.stat().st_size * share)
    after = repaired_content(full, tmp_path / "copy", lambda path: os.truncate(path, size))
    assert after == whole


def test_a_lost_session_returns_with_an_import_and_its_plans_and_bookmarks_fit(full: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(full, tmp_path))
    shutil.copytree(backup_folder(full), backup_folder(copy))
    os.truncate(copy, 100)
    with pytest.raises(StoreError):
        Store(copy)
    repair = repair_store(copy, replace=True)
    assert repair is not None and repair.path == copy
    with Store(copy) as store:
        assert not store.add(long(60, id="s2")).new
        assert [message.id for message in store.load("s2")] == [f"m{number}" for number in range(60)]
        assert store.bookmarks.of("s2")[1].message_id == "m7"
        assert len(store.plans("s2", MAIN)) == 2
    assert check_store(copy).whole
