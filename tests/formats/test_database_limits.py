"""SQLite databases that are small on disk and large in memory."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.formats.reading.databases import open_database, rows_of

TABLE = "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, created_at TEXT, content TEXT{})"
ROWS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT INTO messages"
    " (session_id, role, created_at, content) SELECT 's', iif(i % 2, 'user', 'assistant'), i, 'Hello.' FROM n"
)
MEMORY = 1 << 30


def made(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def test_a_generated_column_is_not_computed(tmp_path: Path) -> None:
    pad = ", pad TEXT GENERATED ALWAYS AS (printf('%.*c', 20000000, 'x')) VIRTUAL"
    with open_database(made(tmp_path / "x.db", TABLE.format(pad), ROWS.format(3))) as connection:
        rows = rows_of(connection, "SELECT * FROM messages")
    assert [(row["content"], row["pad"]) for row in rows] == [("Hello.", None)] * 3


def test_rows_beyond_the_limit_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "x.db", TABLE.format(""), ROWS.format(1_000))
    monkeypatch.setenv("INSPECTOR_LIMIT_DATABASE_ROWS", "5000")
    with open_database(path) as connection, pytest.raises(sqlite3.DataError, match="exceed 5,000 bytes"):
        rows_of(connection, "SELECT * FROM messages")
    made(path, "INSERT INTO messages (content) VALUES (printf('%.*c', 5000, 'x'))")
    monkeypatch.setenv("INSPECTOR_LIMIT_DATABASE_VALUE", "4000")
    with open_database(path) as connection, pytest.raises(sqlite3.DataError, match="too big"):
        rows_of(connection, "SELECT content FROM messages ORDER BY id DESC")


@pytest.mark.parametrize("value", ["zeroblob(400000000)", "printf('%.*c', 300000000, 'x')"])
def test_a_large_value_ends_in_one_sentence_within_a_gigabyte(tmp_path: Path, value: str) -> None:
    insert = f"INSERT INTO messages VALUES (1, 's', 'user', '1', {value})"
    path = made(tmp_path / "x.db", TABLE.format(""), insert)
    result = subprocess.run(
        [sys.executable, "-m", "inspector", "show", str(path), "--db", str(tmp_path / "store.db")],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        check=False,
    )
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "too big" in result.stderr and len(result.stderr.splitlines()) == 1
