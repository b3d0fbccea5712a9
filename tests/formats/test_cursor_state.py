"""Chats in the databases of Cursor: the global storage, a workspace of earlier versions, and other editors."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.formats import UnreadableError, load


def state(path: Path, table: str, rows: dict[str, Any]) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for key, value in rows.items():
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, json.dumps(value).encode()))
    return path


BUBBLES = {
    "b1": {"type": 1, "text": "Which locks leak?", "createdAt": "2026-05-01T10:00:00Z"},
    "b2": {
        "type": 2,
        "text": "I probe.",
        "thinking": {"text": "Seven?"},
        "modelInfo": {"modelName": "claude-4.5-sonnet"},
        "tokenCount": {"inputTokens": 900, "outputTokens": 12},
        "toolFormerData": {
            "name": "probe",
            "toolCallId": "t1",
            "rawArgs": '{"lock":7}',
            "result": '{"leaks":true}',
            "status": "completed",
        },
    },
    "b3": {
        "type": 2,
        "text": "",
        "toolFormerData": {"name": "drain", "rawArgs": "{}", "error": "No.", "status": "error"},
    },
    "b4": {"type": 1, "text": "Since when?"},
    "b5": {"type": 2, "text": "Since May.", "tokenCount": {"inputTokens": 0, "outputTokens": 0}},
}


def modern(path: Path, **facts: Any) -> Session:
    heads = [{"bubbleId": name, "type": bubble["type"]} for name, bubble in BUBBLES.items()]
    chat = {"composerId": "c1", "name": "Locks", "fullConversationHeadersOnly": heads, **facts}
    rows = {"composerData:c1": chat, "composerData:c2": {"composerId": "c2", "fullConversationHeadersOnly": []}}
    rows |= {f"bubbleId:c1:{name}": bubble for name, bubble in BUBBLES.items() if name not in facts.get("lost", ())}
    (session,) = load(state(path, "cursorDiskKV", rows))
    return session


def test_a_chat_of_the_global_storage_has_its_calls_models_and_reported_sizes(tmp_path: Path) -> None:
    session = modern(tmp_path / "state.vscdb", contextTokenLimit=200_000, modelConfig={"modelName": "gpt-5"})
    assert [message.role for message in session.messages] == [
        *("user", "assistant", "tool"),
        *("assistant", "tool", "user", "assistant"),
    ]
    assert [message.model for message in session.messages if message.is_reply] == [
        "claude-4.5-sonnet",
        "gpt-5",
        "gpt-5",
    ]
    assert [message.usage for message in session.messages if message.usage] == [Usage(900, 12)]
    assert [message.is_error for message in session.messages if message.role == "tool"] == [False, True]
    assert session.sizes and session.sizes.limit == 200_000
    assert (session.title, session.problems) == ("Locks", ())


def test_a_summary_replaces_the_bubbles_up_to_the_one_that_it_names(tmp_path: Path) -> None:
    summary = {"summary": "Lock 7 leaks.", "truncationLastBubbleIdInclusive": "b3"}
    session = modern(tmp_path / "state.vscdb", latestConversationSummary={"summary": summary})
    (place,) = session.compactions
    path = session.path_to(len(session.messages) - 1)
    assert [session.messages[at].text for at in path] == ["Lock 7 leaks.", "Since when?", "Since May."]
    assert path[0] == place


def test_missing_bubbles_are_a_problem(tmp_path: Path) -> None:
    session = modern(tmp_path / "state.vscdb", lost=["b4"])
    assert [str(problem) for problem in session.problems] == ["of the chat 'Locks' 1 of its 5 bubbles are missing"]


def test_chats_of_a_workspace_are_read_in_both_earlier_forms(tmp_path: Path) -> None:
    composer = {"composerId": "c1", "conversation": [{"type": 1, "bubbleId": "b1", "text": "Which locks leak?"}]}
    bubbles = [
        {"type": "user", "id": "u1", "text": "Since when?"},
        {"type": "ai", "id": "a1", "rawText": "Since **May**.", "text": "Since May.", "modelType": "claude-3.5-sonnet"},
    ]
    rows = {
        "composer.composerData": {"allComposers": [composer, {"composerId": "c2"}]},
        "workbench.panel.aichat.view.aichat.chatdata": {
            "tabs": [{"tabId": "t1", "chatTitle": "May", "bubbles": bubbles}]
        },
    }
    first, second = load(state(tmp_path / "state.vscdb", "ItemTable", rows))
    assert [message.text for message in first.messages] == ["Which locks leak?"]
    assert [message.text for message in second.messages] == ["Since when?", "Since **May**."]
    assert (second.title, second.messages[1].model) == ("May", "claude-3.5-sonnet")


def test_the_state_of_another_editor_is_refused_by_its_name(tmp_path: Path) -> None:
    path = state(tmp_path / "state.vscdb", "ItemTable", {"workbench.activity": {"views": []}})
    with pytest.raises(UnreadableError, match="is the state of an editor, without a chat of Cursor"):
        load(path)
