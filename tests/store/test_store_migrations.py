"""Migrations: every step on a file that is full, from every earlier version, and nothing is lost on the way."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN, InMemoryBody, Usage
from inspector.engine.window.plan import Fate
from inspector.store import Store, StoreError, migrations as steps
from inspector.store.connections import connect, transaction
from inspector.store.migrations import MIGRATIONS, migrate
from inspector.store.schema import APPLICATION_ID, VERSION
from inspector.store.serialization import HEAD, message_of

EVERY = range(1, VERSION + 1)

ROWS: dict[int, list[tuple[str, list[dict[str, Any]]]]] = {
    1: [
        (
            "session",
            [
                {
                    "id": "s1", "recorded_id": "s1", "title": "A session", "format": "made", "dialect": "openai",
                    "model": "some-model", "path": "/tmp/made.jsonl", "line": 0, "records_system": 1, "agents": 1,
                    "messages": 2, "turns": 1, "compactions": 0, "tokens": 30, "peak": 20, "counter": "counter",
                    "changed": "2026-03-01T10:00:01Z", "imported_at": "2026-03-02T10:00:00Z", "digested_by": "old",
                    "settings": "{}", "tools": "[]", "problems": "[]",
                }
            ],
        ),
        (
            "message",
            [
                {
                    "key": place + 1, "session_id": "s1", "position": place, "id": f"m{place}", "agent": "main",
                    "parent": place - 1, "role": role, "kind": "said", "name": "", "calls": "", "answers": None,
                    "is_error": 0, "thinks": 0, "preview": text, "chars": len(text), "images": 0,
                    "time": f"2026-03-01T10:00:0{place}Z", "model": "", "usage_input": None, "usage_output": None,
                    "usage_cache_read": None, "usage_cache_write": None, "dialect": "openai",
                    "digest": bytes([place]) * 16,
                }
                for place, (role, text) in enumerate([("user", "Move the login."), ("assistant", "It is moved.")])
            ],
        ),
        (
            "body",
            [
                {"key": 1, "raw": '{"role":"user","content":"Move the login."}', "record": '{"line":1}'},
                {"key": 2, "raw": '{"role":"assistant","content":"It is moved."}', "record": "{}"},
            ],
        ),
        ("context", [{"session_id": "s1", "agent": "main", "position": place} for place in (0, 1)]),
    ],
    2: [("token_count", [{"digest": bytes([1]) * 16, "counter": "counter", "tokens": 4}])],
    3: [
        (
            "plan",
            [
                {
                    "id": 1, "session_id": "s1", "agent": "main", "position": 1, "turn": 2, "strategy": "fifo",
                    "settings": '{"max_messages":1}', "note": "", "covers": "[[0,1]]",
                    "created_at": "2026-03-03T10:00:00Z",
                }
            ],
        ),
        (
            "plan_fate",
            [{"plan_id": 1, "message_id": "m1", "kind": "dropped", "reason": "the oldest goes first", "into_id": None}],
        ),
        (
            "working_message",
            [{"session_id": "s1", "agent": "main", "place": 1, "key": 1, "version": None, "fate_of": None}],
        ),
    ],
    4: [
        (
            "memory",
            [
                {
                    "id": 1, "kind": "fact", "session_id": "s1", "message_id": "m0", "plan_id": None,
                    "text": "The login moved.", "tokens": None, "created_at": "2026-03-03T10:00:00Z",
                }
            ],
        )
    ],
    7: [("output", [{"path": "/tmp/request.json", "digest": bytes([7]) * 32, "written_at": "2026-03-03T10:00:00Z"}])],
    10: [
        (table, [{"key": 1, "rules": bytes([9]) * 16, "content": '["the login"]'}])
        for table in ("message_gist", "message_facts")
    ],
    12: [
        (
            "memory",
            [
                {
                    "id": 7, "kind": "state", "session_id": "s1", "message_id": "m1", "plan_id": 1,
                    "text": "step 3 of 4", "tokens": 4, "created_at": "2026-03-03T10:00:00.000Z",
                    "tier": "session", "key": "progress",
                    "agent": "main", "message_ids": '["m0", "m1"]', "used_at": "2026-03-03T11:00:00.000Z",
                    "reason": "set by the agent", "origin": "agent", "is_pinned": 1,
                    "expires_at": "2026-03-04T10:00:00.000Z",
                }
            ],
        ),
        ("memory_vector", [{"id": 1, "memory_id": 7, "model": "a model", "vector": bytes(16)}]),
    ],
    14: [
        (
            "bookmark",
            [
                {
                    "id": 1, "session_id": "s1", "position": 1, "note": "the lamp again",
                    "created_at": "2026-03-03T10:00:00.000Z", "changed_at": "2026-03-04T10:00:00.000Z",
                }
            ],
        )
    ],
    18: [
        (
            "rollup",
            [
                {
                    "session_id": "s1", "agent": "main", "place": 0, "rules": 1, "logged": 2, "title": "A session",
                    "path": "/tmp/made.jsonl", "project": "tmp", "folder": "/tmp", "format": "made",
                    "model": "some-model", "machine": "desk", "person": "ann", "started": "2026-03-01T10:00:00Z",
                    "ended": "2026-03-01T10:00:01Z", "turns": 1, "messages": 2, "calls": 1, "unreported": 0,
                    "sent": 20, "cached": 5, "written": 0, "output": 4, "cost": 0.5, "peak": 20, "compactions": 0,
                    "tokens_before": 0, "tokens_after": 0, "rereads": 0, "reread_tokens": 0, "reread_cost": None,
                    "prompt": 3, "tools": 0, "cache_lost": 0, "cache_cost": None,
                }
            ],
        ),
        (
            "rollup_part",
            [
                {
                    "kind": "model", "name": "some-model", "session_id": "s1", "agent": "main", "is_first": 1,
                    "ended": "2026-03-01T10:00:01Z", "count": 1, "tokens": 20, "defined": 0, "cost": 0.5,
                }
            ],
        ),
    ],
    8: [("source", [{"path": "/tmp/log.jsonl", "digest": bytes([8]) * 32, "sessions": '["s1"]'}])],
}  # fmt: skip
"""Rows of every table, by the version that step the table. Written by hand: a release's rows never change."""


def at_version(path: Path, version: int) -> sqlite3.Connection:
    """A file as that version of the program left it, with something in every table."""
    connection = connect(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        migrate(connection, version)
        for step in range(1, version + 1):
            fill(connection, step)
        if version >= 9:
            connection.execute("UPDATE message SET kind = 'chat'")
    return connection


def fill(connection: sqlite3.Connection, version: int) -> None:
    for table, rows in ROWS.get(version, []):
        for row in rows:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def content(connection: sqlite3.Connection, version: int) -> dict[str, list[tuple[Any, ...]]]:
    """All rows, by table, as they were written, with the kind "said" under the name that step 9 gives it."""
    tables = {table: list(rows[0]) for step in range(1, version + 1) for table, rows in ROWS.get(step, [])}
    return {
        table: [
            tuple("chat" if value == "said" else value for value in row)
            for row in connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1, 2")
        ]
        for table, names in tables.items()
    }


def test_the_version_counts_the_migrations() -> None:
    names = [name for name in vars(steps) if name[:1] == "m" and name[1:4].isdigit()]
    assert len(names) == VERSION
    assert [int(name[1:4]) for name in names] == list(EVERY)
    assert repr(MIGRATIONS) == f"<Migrations 'inspector': [{', '.join(names)}]>"


@pytest.mark.parametrize("start", EVERY)
def test_each_step_leaves_what_is_there_as_it_was(tmp_path: Path, start: int) -> None:
    connection = at_version(tmp_path / "inspector.db", start)
    before = content(connection, start)
    for version in range(start, VERSION + 1):
        with transaction(connection):
            migrate(connection, version)
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert content(connection, start) == before


@pytest.mark.parametrize("start", EVERY)
def test_a_file_of_an_earlier_version_opens_and_works(tmp_path: Path, start: int) -> None:
    at_version(tmp_path / "inspector.db", start).close()
    with Store(tmp_path / "inspector.db") as store:
        session = store.load("s1")
        assert {message.kind for message in session} == {"chat"}
        assert [message.text for message in session] == ["Move the login.", "It is moved."]
        assert session.messages[0].record == {"line": 1}
        assert {hit.message_id for hit in store.search("moved")} == {"m0", "m1"}
        assert store.add(session).writes == 0
        assert len(store.plans("s1", MAIN)) == (start >= 3)
        assert len(store.entries.recall("login")) == (start >= 4)
        with store._connections.use() as connection:
            rows = connection.execute("SELECT message_id, fate FROM working_tier ORDER BY place").fetchall()
        assert rows == ([("m0", "kept")] if start >= 3 else [("m0", "kept"), ("m1", "kept")])
        store.remove("s1")
        assert store.search("moved") == []


HOUR = '{"message":{"usage":{"cache_creation":{"ephemeral_1h_input_tokens":600}}}}'


@pytest.mark.parametrize(
    ("record", "written", "hour"),
    [(HOUR, 1_000, 600), (HOUR, 100, 0), (HOUR, 0, 0), ("{}", 1_000, 0), ("{", 1_000, 0), (b"{}", 1_000, 0)],
)
def test_what_was_written_to_a_cache_of_an_hour_is_read_out_of_the_record(
    tmp_path: Path, record: str | bytes, written: int, hour: int
) -> None:
    connection = at_version(tmp_path / "inspector.db", 10)
    usage = f"usage_input = 2000, usage_output = 5, usage_cache_read = 0, usage_cache_write = {written}"
    connection.execute(f"UPDATE message SET {usage} WHERE key = 2")
    connection.execute("UPDATE body SET record = ? WHERE key = 2", (record,))
    with transaction(connection):
        migrate(connection)
    heads = f"SELECT {HEAD} FROM message ORDER BY key"
    first, second = (message_of(row, InMemoryBody({})).usage for row in connection.execute(heads))
    connection.close()
    assert (first, second) == (None, Usage(2_000, 5, 0, written, hour))


def test_what_was_stored_before_is_not_stored_again_for_a_column_that_it_has_nothing_for(tmp_path: Path) -> None:
    connection = at_version(tmp_path / "inspector.db", 10)
    usage = "usage_input = 2000, usage_output = 5, usage_cache_read = 0, usage_cache_write = 100"
    connection.execute(f"UPDATE message SET {usage} WHERE key = 2")
    connection.close()
    with Store(tmp_path / "inspector.db") as store:
        assert store.add(store.load("s1")).writes == 0


def test_a_plan_of_an_earlier_version_comes_back(tmp_path: Path) -> None:
    at_version(tmp_path / "inspector.db", 3).close()
    with Store(tmp_path / "inspector.db") as store:
        plan = store.undo("s1", MAIN)
        assert plan is not None
        assert plan.ids == ("m0", "m1")
        assert plan.by_id["m1"] == Fate("dropped", "the oldest goes first")


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    connection = at_version(path, 3)
    connection.execute("CREATE TABLE memory (somebody, elses)")  # in the way of the fourth step
    before = content(connection, 3)
    connection.close()
    with pytest.raises(StoreError, match="memory"):
        Store(path)
    connection = connect(str(path))
    assert content(connection, 3) == before
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    connection.close()


def test_the_schema_explains_itself(tmp_path: Path) -> None:
    with Store(tmp_path / "inspector.db") as store, store._connections.use() as connection:
        schema = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    assert "-- position of the message before it in its context" in schema["message"]
    assert {"session_tier", "working_tier", "persistent_tier"} <= schema.keys()
