"""Sessions of opencode's earlier versions: a file for each session, message and part, opened by any of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.formats import UnreadableError, files_of, find
from inspector.library.listing.discovery import agent_session_files
from tests.formats.written import only

STEP = {"type": "step-finish", "tokens": {"input": 10, "output": 2, "cache": {"read": 80, "write": 10}}}
READ = {
    "type": "tool",
    "callID": "c1",
    "tool": "read",
    "state": {"status": "completed", "input": {"path": "gulls.csv"}, "output": "three gulls"},
}


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def put_session(root: Path, name: str, messages: list[tuple[str, list[dict[str, Any]]]], **facts: Any) -> Path:
    """A session with messages, each of a role and parts. Its file."""
    info = {"id": name, "projectID": "p1", "directory": "/pier", "time": {"created": 1, "updated": 9}, **facts}
    put(root / "session" / "p1" / f"{name}.json", info)
    for number, (role, parts) in enumerate(messages):
        message = f"msg_{name}{number}"
        own = {"id": message, "sessionID": name, "role": role, "time": {"created": 1767323045000 + number}}
        put(root / "message" / name / f"{message}.json", own | {"modelID": "claude-sonnet-4"})
        for place, part in enumerate(parts):
            part_name = f"prt_{name}{number}{place}"
            put(root / "part" / message / f"{part_name}.json", {"id": part_name, "sessionID": name, **part})
    return root / "session" / "p1" / f"{name}.json"


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    root = tmp_path / "opencode" / "storage"
    ask, reply = {"type": "text", "text": "Count the gulls."}, {"type": "text", "text": "Three."}
    put_session(root, "ses_1", [("user", [ask]), ("assistant", [READ, STEP, reply, STEP])], title="Gulls")
    put_session(root, "ses_2", [("user", [{"type": "text", "text": "Help."}])], title="Helper", parentID="ses_1")
    put_session(root, "ses_3", [("user", [{"type": "text", "text": "Lamps."}])], title="Lamps")
    return root


def rows(session: Session) -> list[tuple[str, str, str]]:
    return [(message.agent, message.role, message.text) for message in session]


GULLS = [
    ("main", "user", "Count the gulls."),
    ("main", "assistant", 'read({"path":"gulls.csv"})'),
    ("main", "tool", "three gulls"),
    ("main", "assistant", "Three."),
    ("Helper", "user", "Help."),
]


@pytest.mark.parametrize("name", ["session/p1/ses_1", "message/ses_1/msg_ses_10", "part/msg_ses_11/prt_ses_110"])
def test_any_file_opens_the_session_that_it_is_of(storage: Path, name: str) -> None:
    session = only(storage / f"{name}.json")
    assert (session.id, session.title, session.format, session.problems) == ("ses_1", "Gulls", "opencode", ())
    assert rows(session) == GULLS
    usages = [message.usage.input for message in session if message.usage]
    assert usages == [100, 100]


def test_a_folder_lists_each_session_once(storage: Path) -> None:
    assert [path.name for path in find(storage)] == ["ses_1.json", "ses_3.json"]
    assert rows(only(storage / "session/p1/ses_2.json")) == [("main", "user", "Help.")]


def test_what_belongs_to_a_session_is_all_that_is_read(storage: Path) -> None:
    session = storage / "session/p1/ses_1.json"
    assert len(files_of(session)) == len({*files_of(session)}) == 1 + 2 + 5 + 3


def test_a_file_that_is_damaged_is_told_and_the_rest_is_read(storage: Path) -> None:
    (storage / "part/msg_ses_10/prt_ses_100.json").write_text("no JSON", encoding="utf-8")
    session = only(storage / "session/p1/ses_1.json")
    assert rows(session) == GULLS[1:]
    assert "a message or a part is missing" in str(session.problems[0])


def test_without_messages_beside_it_a_session_is_refused_by_what_it_is(tmp_path: Path) -> None:
    path = put_session(tmp_path / "storage", "ses_1", [], title="Gulls")
    with pytest.raises(UnreadableError, match="describes a session of opencode, without its messages: open"):
        only(path)


def test_a_name_in_a_file_leads_nowhere_else(storage: Path) -> None:
    put(storage / "message/ses_1/msg_x.json", {"id": "../../session", "sessionID": "ses_1", "role": "user"})
    assert rows(only(storage / "session/p1/ses_1.json")) == GULLS
    put(storage / "session/p1/ses_4.json", {"id": "ses_4", "time": {}, "title": "Odd", "parentID": "../p1/ses_1"})
    assert rows(only(storage / "session/p1/ses_1.json")) == GULLS


def test_the_sessions_of_a_storage_folder_are_discovered(storage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(storage.parent.parent))
    entries = agent_session_files(10, ["opencode"])
    assert sorted((entry.title, entry.folder) for entry in entries) == [("Gulls", "/pier"), ("Lamps", "/pier")]
