"""`redact` writes a recording of any format in its own format, without secrets."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.cli.calling import inspect, written
from tests.cli.test_cli_redact import MESSAGES, SECRETS, TOKEN


def test_json_lines_keep_their_structure(tmp_path: Path) -> None:
    lines = [*map(json.dumps, MESSAGES), "a note", json.dumps({"n": 1.50, "role": "user", "content": "x"})]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = inspect("redact", log, "--json").json
    text = Path(result["out"]).read_text(encoding="utf-8")
    assert result["out"] == str(tmp_path / "log.redacted.jsonl")
    assert text.splitlines()[-3:] == lines[-3:]
    assert [list(json.loads(line)) for line in text.splitlines()[:4]] == [list(row) for row in MESSAGES]
    assert not [secret for secret in SECRETS if secret in text]
    assert {row["kind"] for row in result["redactions"]} == {"github-token", "e-mail", "user", "password"}
    assert "card" in result["redaction_kinds"]["unsearched"]


def test_one_json_value_and_a_text_are_redacted(tmp_path: Path) -> None:
    chat = written(tmp_path / "chat.json", {"model": "gpt-4o", "messages": MESSAGES})
    out = tmp_path / "out.json"
    assert "Written" in inspect("redact", chat, "-o", out).err
    assert inspect("show", out, "--json").json["messages"]
    (tmp_path / "chat.md").write_text(f"# Chat\n\nUse {TOKEN}\nnow.\n", encoding="utf-8")
    inspect("redact", tmp_path / "chat.md", "-o", out, "--force")
    assert out.read_text(encoding="utf-8") == "# Chat\n\nUse [redacted:github-token-1]\nnow.\n"
    assert out.stat().st_mode & 0o777 == 0o600


def test_a_database_keeps_its_tables_and_its_search_index_has_no_secret(tmp_path: Path) -> None:
    path, out = tmp_path / "x.db", tmp_path / "y.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, role TEXT, content TEXT, raw BLOB)")
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (content)")
        row = ("user", f"Use {TOKEN}", json.dumps({"token": TOKEN}).encode())
        connection.execute("INSERT INTO messages (role, content, raw) VALUES (?, ?, ?)", row)
        connection.execute("INSERT INTO words VALUES (?)", (f"Use {TOKEN}",))
    connection.close()
    before = path.read_bytes()
    inspect("redact", path, "-o", out)
    assert path.read_bytes() == before and TOKEN.encode() in before
    assert TOKEN.encode() not in out.read_bytes() and TOKEN[4:].lower().encode() not in out.read_bytes()
    with sqlite3.connect(out) as connection:
        assert connection.execute("SELECT id, role, content FROM messages").fetchall() == [
            (1, "user", "Use [redacted:github-token-1]")
        ]
        assert json.loads(connection.execute("SELECT raw FROM messages").fetchone()[0])
        assert connection.execute("SELECT count(*) FROM words WHERE words MATCH 'redacted'").fetchone() == (1,)


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_the_source_is_never_overwritten(tmp_path: Path, words: tuple[str, ...]) -> None:
    chat = written(tmp_path / "chat.json", {"messages": MESSAGES})
    before = chat.read_bytes()
    assert "exists" in inspect("redact", chat, "-o", chat, *words).err
    assert chat.read_bytes() == before
