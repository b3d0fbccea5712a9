"""Sessions of the OpenAI Agents SDK: branches of one session, times, and what turns used."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from inspector.formats import load

_TABLES = """
    CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data, created_at);
    CREATE TABLE message_structure (id INTEGER PRIMARY KEY, session_id, message_id, branch_id, sequence_number,
                                    user_turn_number);
    CREATE TABLE turn_usage (id INTEGER PRIMARY KEY, session_id, branch_id, user_turn_number, requests, input_tokens,
                             output_tokens, input_tokens_details);
"""
_ITEMS = [
    {"role": "user", "content": "List the ports."},
    {"type": "function_call", "call_id": "c1", "name": "list", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "80"},
    {"role": "assistant", "content": "One: 80."},
    {"role": "user", "content": "Close it."},
    {"role": "assistant", "content": "Closed."},
    {"role": "user", "content": "Open another."},
    {"role": "assistant", "content": "Opened."},
    {"role": "user", "content": "Of a branch that was deleted."},
]


def _database(folder: Path) -> Path:
    path = folder / "sessions.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(_TABLES)
        for number, item in enumerate(_ITEMS, 1):
            row = (number, "s1", json.dumps(item), f"2026-01-02 03:04:{number:02}")
            connection.execute("INSERT INTO agent_messages VALUES (?, ?, ?, ?)", row)
        branches = {"other": (1, 2, 3, 4, 7, 8), "main": (1, 2, 3, 4, 5, 6)}
        for branch, numbers in branches.items():
            for number in numbers:
                values = ("s1", number, branch, number if branch == "main" else 10 + number, 1 if number < 5 else 2)
                connection.execute(
                    "INSERT INTO message_structure (session_id, message_id, branch_id, sequence_number,"
                    " user_turn_number) VALUES (?, ?, ?, ?, ?)",
                    values,
                )
        for branch, turn, requests, sent in (("main", 1, 2, 900), ("main", 2, 1, 500), ("other", 2, 1, 400)):
            connection.execute(
                "INSERT INTO turn_usage (session_id, branch_id, user_turn_number, requests, input_tokens,"
                " output_tokens, input_tokens_details) VALUES (?, ?, ?, ?, ?, ?, ?)",
                ("s1", branch, turn, requests, sent, 20, '{"cached_tokens": 100}'),
            )
    return path


def test_branches_part_where_they_differ_and_the_newest_is_the_current_one(tmp_path: Path) -> None:
    (session,) = load(_database(tmp_path))
    assert [message.text for message in session][-4:] == ["Close it.", "Closed.", "Open another.", "Opened."]
    assert [message.parent for message in session] == [-1, 0, 1, 2, 3, 4, 3, 6]
    assert session.messages[0].time == "2026-01-02T03:04:01Z"
    assert any("1 item of session 1 left out" in problem for problem in map(str, session.problems))


def test_a_turn_of_one_request_says_what_that_used_and_one_of_several_is_told(tmp_path: Path) -> None:
    (session,) = load(_database(tmp_path))
    usages = {message.text: message.usage for message in session if message.usage}
    assert {text: usage.input for text, usage in usages.items()} == {"Closed.": 500, "Opened.": 400}
    assert usages["Closed."].cache_read == 100
    assert any("several requests" in problem for problem in map(str, session.problems))
