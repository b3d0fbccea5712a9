"""A message in full: whatever its calls and its record hold, there are lines to show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import InMemoryBody, Message
from inspector.formats import load
from inspector.library import Export
from inspector.library.bench.workbench import Workbench
from inspector.llm.providers import PROVIDERS, message_from_raw
from inspector.llm.tokens.sizes import estimate_sizes
from inspector.ui.dialogs.message_reader import raw_lines
from inspector.ui.message_lines import reading


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


VALUES: dict[str, Any] = {
    "large": 2**70,
    "half a pair": "\ud800",
    "deep": nested(300),
    "so deep that it cannot be written": nested(1_500),
    "a number as a key": {1: 2},
}


def message_of(value: Any) -> Message:
    block = {"type": "tool_use", "id": "toolu_1", "name": "count", "input": {"value": value, "pier": 7}}
    raw = {"role": "assistant", "content": [block]}
    return message_from_raw("m1", raw, "anthropic", body=InMemoryBody(raw, {"usage": value}))


@pytest.mark.parametrize("name", VALUES)
def test_calls_are_read_whatever_they_hold(name: str) -> None:
    lines = [line.text for line in reading(message_of(VALUES[name]), 60)]
    assert lines[0] == "calls count"
    assert any("pier" in line or "nested too deeply" in line for line in lines)


@pytest.mark.parametrize("name", VALUES)
def test_the_record_is_shown_whatever_it_holds(name: str) -> None:
    lines = [line.text for line in raw_lines(message_of(VALUES[name]), 60)]
    assert {"message", "record"} <= set(lines)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("value", [2**70, "\ud800", "größer", nested(300)])
def test_a_request_is_written_whatever_its_calls_hold(value: Any, tmp_path: Path) -> None:
    asks = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "count", "input": {"value": value}}],
    }
    gives = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "7"}]}
    messages = [{"role": "user", "content": "Count."}, asks, gives]
    file = tmp_path / "request.json"
    file.write_text(json.dumps({"model": "claude-x", "max_tokens": 9, "messages": messages}))
    (session,) = load(file)
    preview = Workbench(session, estimate_sizes(session)).preview()
    sent = json.loads(Export(preview, "anthropic").text)
    assert sent == PROVIDERS["anthropic"].request(session.context, preview.after.messages)


def test_a_record_is_shown_as_indented_json() -> None:
    lines = [line.text for line in raw_lines(message_of(7), 60)]
    assert lines[lines.index("record") + 1 :] == ["{", '  "usage": 7', "}", ""]
    large = [line.text for line in raw_lines(message_of(2**70), 60)]
    assert json.loads("".join(large[large.index("record") + 1 :])) == {"usage": 2**70}
