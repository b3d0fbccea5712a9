"""What was read out of messages: it comes back, goes with its message, and damage to it costs nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.extraction_cache import ExtractKind
from inspector.store import Store, check_store, repair_store
from tests.store.made import chain, message, with_message
from tests.store.test_store_migrations import at_version

RULES = b"rules of today.."
KINDS: tuple[ExtractKind, ...] = ("gist", "facts")
SESSION = chain("Move the login.", "It is moved to secret-place.", "Thanks.")


def fill(store: Store, id: str = "s1", rules: bytes = RULES) -> list[int]:
    """Keep an extract of each message, which quotes it. Gives their keys."""
    rows = store.message_keys(id)
    texts = [f'["{entry.text}"]' for entry in store.load(id)]
    for kind in KINDS:
        store.save_extracts(
            kind, rules, [(key, digest, text) for (key, digest, _), text in zip(rows, texts, strict=True)]
        )
    return [key for key, _, _ in rows]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inspector.db"


@pytest.mark.parametrize("kind", KINDS)
def test_extracts_come_back_by_the_rules_that_made_them(path: Path, kind: ExtractKind) -> None:
    with Store(path) as store:
        store.add(SESSION)
        assert len(store.keys_without(kind, RULES, "s1")) == 3
        keys = fill(store)
    with Store(path) as store:
        assert store.load_extracts(kind, RULES, keys)[keys[1]] == '["It is moved to secret-place."]'
        assert store.keys_without(kind, RULES, "s1") == set()
        assert store.load_extracts(kind, b"other rules", keys) == {}
        assert store.keys_without(kind, b"other rules", "s1") == {*keys}


def test_other_rules_take_the_place_of_the_old_ones(path: Path) -> None:
    with Store(path) as store:
        store.add(SESSION)
        fill(store)
        keys = fill(store, rules=b"new rules")
        assert store.load_extracts("gist", RULES, keys) == {}
        assert len(store.load_extracts("gist", b"new rules", keys)) == 3


def test_nothing_of_a_session_that_was_removed_stays(path: Path) -> None:
    with Store(path) as store:
        store.add(SESSION)
        store.add(replace(SESSION, id="s2"))
        keys = fill(store)
        others = fill(store, "s2")
        store.remove("s1")
        assert store.load_extracts("facts", RULES, keys) == {}
        assert len(store.load_extracts("facts", RULES, others)) == 3
        store.remove("s2")
        with store._connections.use() as connection:
            for table in ("message_gist", "message_facts"):
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert b"secret-place" not in path.read_bytes()


def test_a_message_that_says_more_has_no_extract_until_it_is_read_again(path: Path) -> None:
    longer = with_message(SESSION, 2, message("m2", "user", "Thanks. And push it.", parent=1))
    with Store(path) as store:
        store.add(SESSION)
        before = store.message_keys("s1")
        keys = fill(store)
        assert store.add(longer).writes == 1
        for kind in KINDS:
            assert [*store.load_extracts(kind, RULES, keys)] == keys[:2]
            store.save_extracts(kind, RULES, [(key, digest, '["late"]') for key, digest, _ in before])
            assert [*store.load_extracts(kind, RULES, keys)] == keys[
                :2
            ]  # what was read before it changed comes too late


def test_extracts_of_a_message_that_is_gone_are_not_kept(path: Path) -> None:
    with Store(path) as store:
        store.add(SESSION)
        rows = store.message_keys("s1")
        store.remove("s1")
        store.save_extracts("gist", RULES, [(key, digest, "[]") for key, digest, _ in rows])
        assert store.load_extracts("gist", RULES, [key for key, _, _ in rows]) == {}


def test_a_store_of_version_9_keeps_extracts_from_now_on(path: Path) -> None:
    at_version(path, 9).close()
    with Store(path) as store:
        keys = fill(store)
        assert len(store.load_extracts("gist", RULES, keys)) == 2
        store.remove("s1")
        assert store.load_extracts("gist", RULES, keys) == {}
    assert check_store(path).whole


def test_damaged_extracts_are_told_and_a_repair_goes_without_them(path: Path) -> None:
    with Store(path) as store:
        store.add(SESSION)
        keys = fill(store)
        with store._connections.use() as connection:
            connection.execute("UPDATE message_gist SET content = '[\"It is' WHERE key = ?", keys[:1])
            connection.execute("UPDATE message_facts SET content = x'ff00' WHERE key = ?", keys[:1])
        assert [*store.load_extracts("facts", RULES, keys)] == keys[1:]
        assert store.keys_without("facts", RULES, "s1") == {*keys[:1]}
    check = check_store(path)
    assert check.problems == ("extracts of messages that are not JSON: 2",)
    assert all(session.whole for session in check.sessions)
    repair = repair_store(path, replace=True)
    assert repair is not None and repair.complete
    with Store(path) as store:
        assert [entry.text for entry in store.load("s1")] == [entry.text for entry in SESSION]
    assert check_store(path).whole
