"""What messages of chat exports hold beside words: pictures, and calls that nobody gave an id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.conversation import Image
from tests.formats.written import only, write_json


def node(key: str, parent: str | None, role: str, content: dict[str, Any]) -> dict[str, Any]:
    message = {"id": key, "author": {"role": role}, "content": content}
    return {"id": key, "parent": parent, "children": [], "message": message}


def test_a_picture_of_chatgpt_is_one(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://a", "width": 640, "height": 480}
    content = {"content_type": "multimodal_text", "parts": [picture, "What is that?"]}
    nodes = {
        "u": node("u", None, "user", content),
        "a": node("a", "u", "assistant", {"content_type": "text", "parts": ["A gull."]}),
    }
    session = only(write_json(tmp_path / "x.json", [{"title": "Gull", "mapping": nodes, "current_node": "a"}]))
    picture_part = session.messages[0].parts[0]
    assert isinstance(picture_part, Image) and picture_part.source == "file-service://a"
    assert session.messages[0].text.endswith("What is that?")


def test_calls_of_claude_ai_without_ids_are_answered_in_their_order(tmp_path: Path) -> None:
    def call(query: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": None, "name": "search", "input": {"query": query}}

    def answer(text: str) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": None, "content": [{"type": "text", "text": text}]}

    reply = [call("gulls"), call("terns"), answer("three"), answer("four"), call("auks"), answer("none")]
    record = {
        "uuid": "c1",
        "name": "Birds",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "Count.", "content": []},
            {"uuid": "m2", "sender": "assistant", "text": "", "content": [*reply, {"type": "text", "text": "Seven."}]},
        ],
    }
    session = only(write_json(tmp_path / "x.json", [record]))
    queries = {call.id: message.text for message in session for call in message.calls}
    assert len(queries) == 3
    answers = [(message.text, message.answers) for message in session if message.role == "tool"]
    assert [text for text, _ in answers] == ["three", "four", "none"]
    assert [place for _, place in answers] == list(queries)
