"""Sessions of Goose: what the model sees of them, compactions, answers for other eyes, and what was reported."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from inspector.core.conversation import Session, Usage
from inspector.formats import FORMATS, load
from tests.formats.written import only, texts, write_json

Fields = dict[str, Any]
GONE = {"userVisible": True, "agentVisible": False}
UNSEEN = {"userVisible": False, "agentVisible": True}
ARCHIVED = {"userVisible": False, "agentVisible": False}


def text(words: str, **fields: Any) -> Fields:
    return {"type": "text", "text": words, **fields}


def call(name: str = "c1") -> Fields:
    value = {"name": "shell", "arguments": {"command": "ls"}}
    return {"type": "toolRequest", "id": name, "toolCall": {"status": "success", "value": value}}


def answer(*content: Fields, name: str = "c1", **value: Any) -> Fields:
    result = {"status": "success", "value": {"content": list(content), **value}}
    return {"type": "toolResponse", "id": name, "toolResult": result}


def said(role: str, *content: Fields, created: int = 0, metadata: Fields | None = None) -> Fields:
    return {"role": role, "content": list(content), "created": created, "metadata": metadata or {}}


def exported(folder: Path, *messages: Fields) -> Session:
    value = {"id": "s1", "name": "Crates", "working_dir": "/pier", "conversation": list(messages)}
    return only(write_json(folder / "session.json", value))


def now(session: Session) -> list[str]:
    """What the next request would have."""
    end = session.last_position()
    path = [session.messages[place] for place in session.path_to(end)]
    return [message.text for message in path if message.kind != "notice"]


def database(path: Path, messages: list[Fields], ledger: list[tuple[Any, ...]] = ()) -> Path:  # type: ignore[assignment]
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (id, name, working_dir, updated_at, model_config_json)")
        connection.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id, session_id, role, content_json, "
            "created_timestamp, metadata_json)"
        )
        connection.execute(
            "CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY, session_id, created_timestamp, model, input_tokens, "
            "output_tokens, total_tokens, cache_read_tokens, cache_write_tokens, is_compaction)"
        )
        config = json.dumps({"model_name": "claude-sonnet-4-5"})
        connection.execute("INSERT INTO sessions VALUES ('s1', 'Crates', '/pier', '2026-01-02 03:04:05', ?)", (config,))
        connection.execute("INSERT INTO sessions VALUES ('s0', 'Empty', '/pier', '2026-01-02 03:04:05', '{}')")
        for number, message in enumerate(messages):
            row = (f"m{number}", message["role"], json.dumps(message["content"]), message["created"])
            connection.execute(
                "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) "
                "VALUES (?, 's1', ?, ?, ?, ?)",
                (*row, json.dumps(message["metadata"])),
            )
        for entry in ledger:
            connection.execute(
                "INSERT INTO usage_ledger (session_id, created_timestamp, model, input_tokens, output_tokens, "
                "total_tokens, cache_read_tokens, cache_write_tokens, is_compaction) VALUES ('s1',?,?,?,?,?,?,?,?)",
                entry,
            )
    return path


def test_a_compaction_leaves_its_summary_and_what_leads_on(tmp_path: Path) -> None:
    session = exported(
        tmp_path,
        said("user", text("Count the crates."), metadata=GONE),
        said("assistant", call(), metadata=GONE),
        said("user", answer(text("40")), metadata=GONE),
        said("assistant", text("Forty."), metadata=GONE),
        said("user", text("And the barrels?"), metadata=ARCHIVED),
        said("user", text("There are forty crates."), metadata=UNSEEN),
        said("assistant", text("I go on from there."), metadata=UNSEEN),
        said("user", text("And the barrels?")),
        said("assistant", text("Nine.")),
    )
    assert now(session) == ["There are forty crates.", "I go on from there.", "And the barrels?", "Nine."]
    [place] = session.compactions
    assert session.messages[place].text == "There are forty crates."
    before = [session.messages[at].text for at in session.path_to(place - 1)]
    assert before[0] == "Count the crates." and len(before) == 5, "it was all sent before the compaction"
    assert session.messages[place + 1].kind == "injected" and len(session.turns()) == 3
    assert (session.format, session.title, session.problems) == ("goose", "Crates", ())


def test_each_of_several_compactions_is_one(tmp_path: Path) -> None:
    session = exported(
        tmp_path,
        said("user", text("One."), metadata=GONE),
        said("assistant", text("1"), metadata=GONE),
        said("user", text("Summary of one."), metadata=ARCHIVED),
        said("assistant", text("I go on."), metadata=ARCHIVED),
        said("user", text("Two."), metadata=GONE),
        said("user", text("<context>now</context>"), metadata=ARCHIVED),
        said("assistant", text("2"), metadata=GONE),
        said("user", text("Summary of both."), metadata=UNSEEN),
        said("assistant", text("I go on again.")),
    )
    assert [session.messages[place].text for place in session.compactions] == ["Summary of one.", "Summary of both."]
    assert now(session) == ["Summary of both.", "I go on again."]


def test_a_call_that_was_summed_up_leaves_the_window(tmp_path: Path) -> None:
    session = exported(
        tmp_path,
        said("user", text("Count.")),
        said("assistant", call(), metadata=GONE),
        said("user", answer(text("40")), metadata=GONE),
        said("user", text("The shell listed forty."), metadata=UNSEEN),
        said("assistant", text("Forty.")),
    )
    assert now(session) == ["Count.", "The shell listed forty.", "Forty."]
    assert "40" in texts(session) and session.compactions == ()


def test_what_is_only_shown_is_a_notice(tmp_path: Path) -> None:
    notice = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Compaction complete"}
    session = exported(
        tmp_path,
        said("user", text("Count.")),
        said("assistant", text("Forty.")),
        said("assistant", notice, metadata=GONE),
        said("assistant", text("Usage: /help"), metadata=GONE),
    )
    assert now(session) == ["Count.", "Forty."]
    assert texts(session)[2:] == ["Compaction complete", "Usage: /help"] and len(session.turns()) == 1


def test_an_answer_for_the_persons_eyes_is_not_sent_twice(tmp_path: Path) -> None:
    for_model, for_person = {"annotations": {"audience": ["assistant"]}}, {"annotations": {"audience": ["user"]}}
    session = exported(
        tmp_path,
        said("user", text("Count.")),
        said("assistant", call("a"), call("b"), call("c")),
        said("user", answer(text("40", **for_model), text("forty", **for_person), name="a")),
        said("user", answer(text("no such file"), name="b", isError=True)),
        said("user", {"type": "toolResponse", "id": "c", "toolResult": {"status": "error", "error": "no such tool"}}),
    )
    answers = session.messages[2:]
    assert [(message.text, message.is_error) for message in answers] == [
        ("40", False),
        ("no such file", True),
        ("no such tool", True),
    ]
    assert [message.answers for message in answers] == [one.id for one in session.messages[1].calls]


def test_the_ledger_tells_what_was_sent_for_a_reply(tmp_path: Path) -> None:
    messages = [
        said("user", text("Count."), created=100),
        said("assistant", call(), created=101, metadata={"inference": {"requestedModel": "claude-opus-4-5"}}),
        said("user", answer(text("40")), created=104),
        said("assistant", text("For"), created=104),
        said("assistant", text("ty."), created=105),
    ]
    ledger = [
        (103, "claude-opus-4-5", 900, 30, 930, 400, 0, 0),
        (104_000, "claude-opus-4-5", 5000, 9, 5009, 0, 0, 1),
        (106, "claude-haiku-4-5", 100, 20, 1020, 900, 0, 0),
        (50, "claude-haiku-4-5", 7, 7, 14, 0, 0, 0),
    ]
    path = database(tmp_path / "sessions.db", messages, ledger)
    session = only(path)
    first, second, third = (message for message in session if message.role == "assistant")
    assert (first.model, first.usage) == ("claude-opus-4-5", Usage(900, 30, 400))
    assert (second.model, second.usage, third.usage) == ("claude-haiku-4-5", Usage(1000, 20, 900), None)
    assert third.model == "claude-sonnet-4-5" and session.dialect == "anthropic"
    assert [str(problem) for problem in session.problems] == [
        "1 report in the usage_ledger could not be matched to a reply"
    ]
    [head] = FORMATS["goose"].heads(path)
    assert (head.title, head.folder) == ("Crates", "/pier") and head.time > 1e9


def test_a_database_without_a_ledger_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", [said("user", text("Count."), created=1)])
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE usage_ledger")
        connection.execute("INSERT INTO messages (session_id, role, content_json) VALUES ('s9', 'user', '[]')")
    [session] = load(path)
    assert texts(session) == ["Count."] and "session 2 has no message in it" in str(session.problems)


def test_content_that_is_none_is_no_reason_to_stop(tmp_path: Path) -> None:
    odd: list[Fields] = [
        {"type": {}},
        {"type": ["toolRequest"]},
        {"type": "toolResponse"},
        {"type": "toolRequest", "toolCall": 1},
    ]
    session = exported(tmp_path, said("user", text("Count.")), said("assistant", *odd), said("assistant", text("1")))
    assert texts(session)[0] == "Count." and texts(session)[-1] == "1"
