"""Agent files of Letta: what is in the window, by ids and by numbers, and content of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, SizeFacts, Thinking
from tests.formats.written import only, write_json

MESSAGES: list[dict[str, Any]] = [
    {"id": "m0", "role": "system", "content": "You keep lamps, compiled."},
    {"id": "m1", "role": "user", "content": [{"type": "text", "text": "Which lamp?"}]},
    {
        "id": "m2",
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "I look."}],
        "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"id": "m3", "role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "The third."}]},
    {"id": "m4", "role": "user", "content": [{"type": "text", "text": "Why?"}]},
]
AGENT = {"name": "Keeper", "system": "You keep lamps.", "llm_config": {"model": "gpt-4o", "context_window": 32_000}}
BLOCK = {"id": "b1", "label": "human", "value": "A keeper of lamps."}


def of_ids(tmp_path: Path, *names: str, messages: list[dict[str, Any]] = MESSAGES) -> Session:
    agent = AGENT | {"id": "a1", "messages": messages, "in_context_message_ids": list(names), "block_ids": ["b1"]}
    return only(write_json(tmp_path / "x.af", {"agents": [agent], "blocks": [BLOCK], "tools": []}))


def of_numbers(tmp_path: Path, *numbers: int) -> Session:
    flat = AGENT | {"agent_type": "memgpt_agent", "core_memory": [BLOCK], "tools": []}
    messages = [{key: value for key, value in message.items() if key != "id"} for message in MESSAGES]
    return only(write_json(tmp_path / "x.af", flat | {"messages": messages, "in_context_message_indices": [*numbers]}))


def window(session: Session) -> list[str]:
    return [session.messages[at].text for at in session.path_to(len(session.messages) - 1)]


START = ["You keep lamps.", "<human>\nA keeper of lamps.\n</human>"]


@pytest.mark.parametrize("way", ["ids", "numbers"])
def test_the_window_has_the_prompt_the_blocks_and_what_the_file_says(tmp_path: Path, way: str) -> None:
    session = of_ids(tmp_path, "m0", "m4") if way == "ids" else of_numbers(tmp_path, 0, 4)
    assert session.format == "letta"
    assert window(session) == [*START, "Why?"]
    assert len(session.messages) == 6, "what left the window is there as well"
    assert session.sizes == SizeFacts(limit=32_000)


def test_what_is_not_in_the_window_stands_behind_in_the_file_at_times(tmp_path: Path) -> None:
    assert window(of_ids(tmp_path, "m1", "m2", "m3"))[2:] == ["Which lamp?", "Hm.\n\nI look.\n\nlook({})", "The third."]


def test_a_file_that_does_not_say_has_all_in_the_window(tmp_path: Path) -> None:
    assert len(window(of_ids(tmp_path))) == 6


def test_reasoning_calls_and_answers_are_what_they_are(tmp_path: Path) -> None:
    session = of_ids(tmp_path)
    assert any(isinstance(part, Thinking) for part in session.messages[3].parts)
    blocks = [
        {"id": "m1", "role": "assistant", "content": [{"type": "tool_call", "id": "c1", "name": "look", "input": {}}]},
        {
            "id": "m2",
            "role": "tool",
            "content": [{"type": "tool_return", "tool_call_id": "c1", "content": "no oil", "is_error": True}],
        },
    ]
    _, _, call, answer = of_ids(tmp_path, messages=blocks).messages
    assert [one.name for one in call.calls] == ["look"]
    assert (answer.answers, answer.is_error, answer.text) == ("c1", True, "no oil")


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5"])
def test_tools_have_the_form_of_the_model(tmp_path: Path, model: str) -> None:
    agent = AGENT | {"id": "a1", "messages": MESSAGES, "llm_config": {"model": model}}
    tools = [{"name": "look", "json_schema": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]
    session = only(write_json(tmp_path / "x.af", {"agents": [agent], "blocks": [BLOCK], "tools": tools}))
    (tool,) = session.tools
    assert (tool.get("function") or tool)["name"] == "look"
    assert ("input_schema" in tool) == model.startswith("claude")
