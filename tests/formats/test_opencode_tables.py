"""opencode's newer table of messages, and what of a message is not sent as it stands."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from inspector.core.conversation import Session, Usage
from inspector.formats import FORMATS, load
from tests.formats.written import only, texts, write_json

Fields = dict[str, Any]
TOKENS = {"input": 900, "output": 5, "reasoning": 1, "cache": {"read": 80, "write": 20}}
MODEL = {"id": "claude-sonnet-4", "providerID": "anthropic"}
CALL = {"type": "tool", "id": "c1", "name": "shell"}
STATE = {"status": "completed", "input": {"command": "ls"}, "content": [{"type": "text", "text": "40"}]}
EVENTS: list[tuple[str, Fields]] = [
    ("model-switched", {"model": MODEL}),
    ("user", {"text": "Count.", "files": [{"mime": "image/png", "data": "iVBORw0K"}, {"uri": "file:///a.py"}]}),
    (
        "assistant",
        {
            "model": MODEL,
            "tokens": TOKENS,
            "time": {"created": 1767323045000},
            "content": [
                {"type": "reasoning", "text": "hm"},
                CALL | {"state": STATE},
                CALL | {"id": "c2", "state": {"status": "error", "input": {}, "error": {"message": "denied"}}},
                {"type": "text", "text": "Forty."},
            ],
        },
    ),
    ("shell", {"command": "pwd", "output": {"output": "/pier"}}),
    ("synthetic", {"text": "The clock struck."}),
    ("compaction", {"status": "failed", "summary": "Nothing."}),
    ("compaction", {"summary": "Forty were counted.", "recent": "Forty."}),
    ("system", {"text": "It is night."}),
    ("user", {"text": "And the barrels?"}),
    ("strange", {"text": "?"}),
]


def database(path: Path, events: list[tuple[str, Fields]], *, has_order: bool = True) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE session (id, directory, title, time_updated)")
        connection.execute("CREATE TABLE message (id, session_id, data)")
        connection.execute("CREATE TABLE part (id, message_id, data)")
        connection.execute(f"CREATE TABLE session_message (id, session_id, type, data{', seq' if has_order else ''})")
        for name in ("s0", "s1", "s2"):
            connection.execute("INSERT INTO session VALUES (?, '/pier', ?, 1767323045000)", (name, f"Title {name}"))
        connection.execute("INSERT INTO session_message (session_id, type) VALUES ('s0', 'agent-switched')")
        rows = [(f"e{number:02}", "s1", kind, json.dumps(data)) for number, (kind, data) in enumerate(events)]
        connection.executemany("INSERT INTO session_message (id, session_id, type, data) VALUES (?, ?, ?, ?)", rows)
        if has_order:
            connection.execute("UPDATE session_message SET seq = rowid")
        connection.execute("INSERT INTO message VALUES ('m1', 's2', '{\"role\": \"user\"}')")
        connection.execute('INSERT INTO part VALUES (\'p1\', \'m1\', \'{"type": "text", "text": "Earlier."}\')')
        connection.execute("INSERT INTO session_message (id, session_id, type, data) VALUES ('x', 's2', 'user', '{}')")
    return path


def now(session: Session) -> list[str]:
    """What the next request would have."""
    path = (session.messages[place] for place in session.path_to(session.last_position()))
    return [message.text for message in path if message.kind != "notice"]


def test_rows_of_the_newer_table_are_messages(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", EVENTS)
    session, earlier = load(path)
    assert (session.id, session.title, session.model, session.format) == (
        *("s1", "Title s1", "claude-sonnet-4", "opencode"),
    )
    ask, reply, *answers, shell, clock = session.messages[:6]
    assert ask.images == 1 and "file:///a.py" in ask.text and ask.kind == "chat"
    assert reply.usage == Usage(1000, 6, 80, 20) and reply.thinks and reply.time == "2026-01-02T03:04:05.000Z"
    assert [(message.text, message.is_error) for message in answers] == [("40", False), ("denied", True)]
    assert (shell.text, shell.kind, clock.kind) == ("Ran `pwd`\n/pier", "injected", "injected")
    summary, *others = now(session)
    assert "Forty were counted." in summary and others == ["It is night.", "And the barrels?"]
    assert len(session.compactions) == 1
    assert [str(problem) for problem in session.problems] == [
        "1 row of session_message was left out: of the kinds strange"
    ]
    assert texts(earlier) == ["Earlier."], "what stands in both is read out of the earlier tables"
    assert [head.title for head in FORMATS["opencode"].heads(path)] == ["Title s1", "Title s2"]


def test_the_newer_table_may_have_no_order_and_stand_alone(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", EVENTS[:3], has_order=False)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE message")
        connection.execute("DROP TABLE part")
        connection.execute("DELETE FROM session_message WHERE session_id = 's2'")
    session = only(path)
    assert session.format == "opencode" and [message.role for message in session] == [
        *("user", "assistant", "tool", "tool")
    ]
    assert [head.title for head in FORMATS["opencode"].heads(path)] == ["Title s1"]


def exported(folder: Path, *messages: tuple[Fields, list[Fields]]) -> Session:
    entries = [{"info": info | {"id": f"m{n}"}, "parts": parts} for n, (info, parts) in enumerate(messages)]
    return only(write_json(folder / "x.json", {"info": {"id": "s1"}, "messages": entries}))


def words(text: str, **fields: Any) -> list[Fields]:
    return [{"type": "text", "text": text, **fields}]


def test_ignored_text_is_a_notice(tmp_path: Path) -> None:
    session = exported(
        tmp_path,
        ({"role": "user"}, [*words("Count."), *words("Three were pruned.", ignored=True)]),
        ({"role": "user"}, words("Nobody sends this.", ignored=True)),
        ({"role": "assistant"}, words("Forty.")),
    )
    assert now(session) == ["Count.", "Forty."]
    assert {"Three were pruned.", "Nobody sends this."} < {*texts(session)}


def test_what_a_message_adds_to_the_prompt_stands_before_it(tmp_path: Path) -> None:
    session = exported(
        tmp_path,
        ({"role": "user", "system": "Be brief."}, words("Count.")),
        ({"role": "assistant"}, words("Forty.")),
        ({"role": "user", "system": "Be brief."}, words("And the barrels?")),
        ({"role": "assistant", "summary": True}, words("Forty were counted.")),
        ({"role": "user", "system": "Be brief."}, words("Go on.")),
    )
    assert texts(session)[:4] == ["Be brief.", "Count.", "Forty.", "And the barrels?"]
    assert session.messages[0].role == "system" and now(session) == ["Forty were counted.", "Be brief.", "Go on."]
