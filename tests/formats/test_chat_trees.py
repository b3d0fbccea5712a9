"""Trees of chat exports: the way that is current, damaged parents, and content that is no words of anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Image, Session
from inspector.formats.building.chat_trees import tree_order, way_to
from tests.formats.written import only, write_json

KEYS = st.sampled_from("abcdefgh")


@given(st.dictionaries(KEYS, st.one_of(KEYS, st.just("")), max_size=8), KEYS)
def test_every_node_comes_once_behind_its_parent_and_the_leaf_last_of_its_way(
    parents: dict[str, str], leaf: str
) -> None:
    order = tree_order(parents, leaf)
    assert sorted(order) == sorted(parents)
    rank = {key: place for place, key in enumerate(order)}
    for key, parent in parents.items():
        in_circle = key in way_to(parents, parent)
        if parent in rank and not in_circle and not any(one in way_to(parents, parents[one]) for one in parents):
            assert rank[parent] < rank[key]
    if order and leaf in parents and not any(parent == leaf for parent in parents.values()):
        way = way_to(parents, leaf)
        if parents[min(way, key=rank.__getitem__)] not in parents:
            assert order[-1] == leaf or order[-1] not in way


def node(key: str, parent: str | None, role: str, text: str = "", **content: Any) -> dict[str, Any]:
    content = content or {"content_type": "text", "parts": [text]}
    metadata = {"aggregate_result": {"status": content.pop("status")}} if "status" in content else {}
    message = {"id": key, "author": {"role": role}, "content": content, "metadata": metadata}
    return {"id": key, "parent": parent, "children": [], "message": message}


def conversation(tmp_path: Path, *nodes: dict[str, Any], leaf: str) -> Session:
    mapping = {one["id"]: one for one in nodes}
    return only(write_json(tmp_path / "x.json", [{"title": "Lamps", "mapping": mapping, "current_node": leaf}]))


@pytest.mark.parametrize(("parent_of_first", "parent_of_second"), [("m", "q"), ("q", "q"), (None, "a"), ("x", "q")])
def test_nodes_whose_parents_are_damaged_are_all_there(
    tmp_path: Path, parent_of_first: str | None, parent_of_second: str
) -> None:
    first = node("q", parent_of_first, "user", "Which lamp?") | {"children": ["a"]}
    nodes = first, node("a", parent_of_second, "assistant", "The third."), node("m", "a", "user", "Why?")
    session = conversation(tmp_path, *nodes, leaf="m")
    assert [message.text for message in session] == ["Which lamp?", "The third.", "Why?"]
    assert len(session.path_to(2)) == 3


def test_what_the_site_knows_of_the_person_is_injected(tmp_path: Path) -> None:
    profile = {"content_type": "user_editable_context", "user_profile": "A keeper.", "user_instructions": "Be brief."}
    memory = {"content_type": "model_editable_context", "model_set_context": "Has three lamps."}
    session = conversation(
        tmp_path,
        node("p", None, "user", **profile),
        node("k", "p", "assistant", **memory),
        node("q", "k", "user", "Which lamp?"),
        leaf="q",
    )
    assert [(one.role, one.kind, one.text) for one in session] == [
        ("user", "injected", "A keeper.\n\nBe brief."),
        ("user", "injected", "Has three lamps."),
        ("user", "chat", "Which lamp?"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"content_type": "execution_output", "text": "ZeroDivisionError", "status": "failed_with_in_kernel_exception"},
        {"content_type": "system_error", "name": "tool_error", "text": "Error: no oil"},
    ],
)
def test_what_failed_is_an_error(tmp_path: Path, content: dict[str, Any]) -> None:
    call = node("c", None, "assistant", "1 / 0")
    call["message"]["recipient"] = "python"
    session = conversation(tmp_path, call, node("r", "c", "tool", **dict(content)), leaf="r")
    assert session.messages[1].is_error and session.messages[1].answers == "c"


def test_what_a_screen_shows_is_a_picture_and_a_recording_is_no_text(tmp_path: Path) -> None:
    screen: dict[str, Any] = {
        "content_type": "computer_output",
        "screenshot": {"asset_pointer": "file://s", "width": 640.0, "height": 480},
    }
    spoken: dict[str, Any] = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "audio_transcription", "text": "Which lamp?"},
            {
                "content_type": "real_time_user_audio_video_asset_pointer",
                "audio_asset_pointer": {
                    "content_type": "audio_asset_pointer",
                    "asset_pointer": "f://a",
                    "format": "wav",
                },
            },
        ],
    }
    session = conversation(tmp_path, node("s", None, "tool", **screen), node("q", "s", "user", **spoken), leaf="q")
    assert isinstance(session.messages[0].parts[0], Image)
    assert "Which lamp?" in session.messages[1].text and "asset_pointer" not in session.messages[1].text


def test_claude_ai_names_the_leaf_and_the_model(tmp_path: Path) -> None:
    rows = [("q", "", "human"), ("a", "q", "assistant"), ("m", "a", "human"), ("other", "a", "human")]
    messages = [{"uuid": key, "parent_message_uuid": parent, "sender": who, "text": key} for key, parent, who in rows]
    record = {"uuid": "c", "name": "Lamps", "chat_messages": messages, "model": "claude-opus-4"}
    session = only(write_json(tmp_path / "x.json", [record | {"current_leaf_message_uuid": "m"}]))
    assert [message.text for message in session] == ["q", "a", "other", "m"]
    assert session.model == session.messages[1].model == "claude-opus-4"
    assert [message.text for message in only(write_json(tmp_path / "y.json", [record]))] == ["q", "a", "m", "other"]
