"""Exports of DeepSeek's chat site, in both shapes, alone and in a zip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from inspector.core.conversation import Thinking
from inspector.formats import load
from tests.formats.written import write_json

FLAT: list[dict[str, Any]] = [
    {"content": "Count the gulls.", "model": "deepseek-chat"},
    {"content": "Nine.", "reasoning_content": "I look up.", "model": "deepseek-reasoner"},
    {"content": "Ten.", "reasoning_content": None, "model": "deepseek-chat"},
    {"content": "And the terns?", "model": "deepseek-chat"},
]
"""Two answers to one question, and a question behind the second."""
PARTS: list[list[dict[str, Any]]] = [
    [{"type": "REQUEST", "content": "Count the gulls."}],
    [{"type": "THINK", "content": "I look up."}, {"type": "RESPONSE", "content": "Nine."}],
    [
        {"type": "SEARCH", "results": [{"url": "https://gulls.example", "snippet": "ten gulls"}]},
        {"type": "RESPONSE", "content": "Ten."},
        {"type": "TIP", "content": "Answers may be wrong."},
    ],
    [{"type": "REQUEST", "content": "And the terns?"}],
]
FRAGMENTS: list[dict[str, Any]] = [{"fragments": parts, "model": "deepseek-chat", "files": []} for parts in PARTS]
PARENTS = ("root", "1", "1", "3")


def conversation(messages: list[dict[str, Any]]) -> dict[str, Any]:
    nodes: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["1"], "message": None}}
    for number, (parent, message) in enumerate(zip(PARENTS, messages, strict=True), 1):
        time = f"2026-03-01T10:00:0{number}.000000+08:00"
        nodes[str(number)] = {"id": str(number), "parent": parent, "message": {"inserted_at": time} | message}
    return {"id": "s1", "title": "Gulls", "inserted_at": "2026-03-01T10:00:00.000000+08:00", "mapping": nodes}


@pytest.mark.parametrize("messages", [FLAT, FRAGMENTS], ids=["content", "fragments"])
def test_both_shapes_give_who_spoke_what_was_thought_and_both_ways(
    tmp_path: Path, messages: list[dict[str, Any]]
) -> None:
    (session,) = load(write_json(tmp_path / "conversations.json", [conversation(messages)]))
    assert (session.format, session.id, session.title) == ("deepseek", "s1", "Gulls")
    words = [(one.role, one.text.rpartition("\n")[2]) for one in session if one.role != "tool" and not one.calls]
    assert words == [
        ("user", "Count the gulls."),
        ("assistant", "Nine."),
        ("assistant", "Ten."),
        ("user", "And the terns?"),
    ]
    nine = next(one for one in session if one.text.endswith("Nine."))
    assert any(isinstance(part, Thinking) and part.text == "I look up." for part in nine.parts)
    way = [session.messages[place].text for place in session.path_to(len(session.messages) - 1)]
    assert way[0] == "Count the gulls."
    assert way[-2:] == ["Ten.", "And the terns?"]
    assert "Nine." not in way
    assert all(one.time for one in session)


def test_a_search_is_a_call_with_what_it_found(tmp_path: Path) -> None:
    (session,) = load(write_json(tmp_path / "conversations.json", [conversation(FRAGMENTS)]))
    asked, found = session.messages[2:4]
    assert [call.name for call in asked.calls] == ["search"]
    assert (found.role, found.name, found.answers) == ("tool", "search", asked.calls[0].id)
    assert "ten gulls" in found.text
    assert not any("may be wrong" in one.text for one in session)


def test_its_zip_is_told_from_those_of_other_sites(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations.json", json.dumps([conversation(FLAT), conversation(FRAGMENTS)]))
    assert [(one.format, one.id) for one in load(path)] == [("deepseek", "s1"), ("deepseek", "s1-2")]
