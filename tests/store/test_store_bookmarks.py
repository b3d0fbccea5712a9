"""Bookmarks in the store: put, changed, taken away, gone with their session, and kept by a repair."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.store import DamagedError, Store, StoreError
from inspector.store.integrity import check_store
from inspector.store.repairing import repair_store
from tests.store.made import chain
from tests.store.test_store_damage import closed as closed, damage, path as path


def notes(store: Store, session: str = "s1") -> list[tuple[str, str]]:
    return [(mark.message_id, mark.note) for mark in store.bookmarks.of(session)]


def test_a_bookmark_keeps_its_note_and_goes_with_its_session() -> None:
    times = iter(["one", "two", "three", "four", "five"])
    with Store(clock=lambda: next(times, "later")) as store:
        store.add(chain("a", "b", "c"))
        store.add(chain("x", id="s2", start="n"))
        store.bookmarks.put("s1", "m2", "read this \ud800 again")
        store.bookmarks.put("s1", "m0")
        store.bookmarks.put("s2", "n0", "other")
        assert notes(store) == [("m0", ""), ("m2", "read this \ud800 again")]
        before = store.bookmarks.of("s1")[1]
        store.bookmarks.put("s1", "m2", "changed")
        after = store.bookmarks.of("s1")[1]
        assert (after.note, after.position, after.created_at) == ("changed", 2, before.created_at)
        assert after.changed_at != before.changed_at
        assert [mark.session_id for mark in store.bookmarks.all()] == ["s1", "s1", "s2"]
        assert store.bookmarks.remove("s1", "m0") and not store.bookmarks.remove("s1", "m0")
        store.add(chain("a", "b", "c", "d"))
        assert notes(store) == [("m2", "changed")]
        store.remove("s1")
        assert [mark.note for mark in store.bookmarks.all()] == ["other"]


def test_only_what_is_in_the_log_can_have_one() -> None:
    with Store() as store:
        store.add(chain("a"))
        for session, message in (("s1", "nowhere"), ("nobody", "m0")):
            with pytest.raises(StoreError, match="has"):
                store.bookmarks.put(session, message)
        assert store.bookmarks.all() == []


def test_a_repair_keeps_bookmarks_of_lost_messages_and_of_a_lost_table(path: Path) -> None:
    damage(path, "PRAGMA foreign_keys = OFF", "DELETE FROM message WHERE key = 5")
    assert "bookmarks of messages that are not there: 1" in check_store(path).problems
    repair = repair_store(path)
    assert repair is not None
    with Store(repair.path) as store:
        assert notes(store) == [("lost-5", "the lamp again"), ("m7", "")]
    damage(path, "DELETE FROM sqlite_master WHERE name = 'bookmark'")
    again = repair_store(path)
    assert again is not None
    with Store(again.path) as store:
        assert notes(store) == [("lost-5", "the lamp again"), ("m7", "")]


@pytest.mark.parametrize("change", ["position = -1", "position = 'x'", "note = CAST(x'c328' AS TEXT)"])
def test_a_damaged_bookmark_is_told_as_damaged(path: Path, change: str) -> None:
    damage(path, f"UPDATE bookmark SET {change} WHERE id = 1")
    assert not check_store(path).whole
    with Store(path) as store, pytest.raises(DamagedError):
        store.bookmarks.of("s1")
    repair = repair_store(path)
    assert repair is not None
    with Store(repair.path) as store:
        assert notes(store)[-1] == ("m7", "")
