"""Exports of chat sites as zip archives: in one file or in numbered ones, with all ways of a conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from inspector.formats import UnreadableError, load


def node(name: str, parent: str | None, role: str, text: str, *children: str) -> dict[str, Any]:
    message = {"id": name, "author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
    return {"id": name, "parent": parent, "children": list(children), "message": message}


def conversation(title: str) -> dict[str, Any]:
    """A question that was answered twice; the second answer is the current one."""
    nodes = [
        node("q", None, "user", f"Ask {title}.", "a1", "a2"),
        node("a1", "q", "assistant", "First."),
        node("a2", "q", "assistant", "Second."),
    ]
    mapping = {entry["id"]: entry for entry in nodes}
    return {"id": title, "title": title, "current_node": "a2", "mapping": mapping}


def zipped(path: Path, **members: bytes) -> Path:
    with ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        for name, content in members.items():
            archive.writestr(f"export/{name}.json", content)
    return path


def listed(*titles: str) -> bytes:
    return json.dumps([conversation(title) for title in titles]).encode()


def test_all_numbered_files_are_read_in_their_order(tmp_path: Path) -> None:
    numbered = {
        "conversations-010": listed("d"),
        "conversations-000": listed("a", "b"),
        "conversations-001": listed("c"),
    }
    sessions = load(zipped(tmp_path / "x.zip", **numbered))
    assert [(session.title, session.line) for session in sessions] == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]
    for session in sessions:
        ways = {session.messages[place].text: session.messages[place].parent for place in session.turns()}
        assert ways == {"First.": 0, "Second.": 0}
        assert session.messages[session.last_position()].text == "Second."


def test_a_damaged_file_among_others_is_told_and_costs_only_itself(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", **{"conversations-000": b"\x00\xff", "conversations-001": listed("c")})
    sessions = load(path)
    assert [session.title for session in sessions] == ["c"]
    assert any("conversations-000.json" in str(problem) for problem in sessions[0].problems)
    with pytest.raises(UnreadableError, match=r"conversations\.json that cannot be read"):
        load(zipped(tmp_path / "y.zip", conversations=b"\x00\xff"))
