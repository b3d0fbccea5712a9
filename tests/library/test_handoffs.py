"""Sessions for other coding agents have the form of the ones that these write, and a briefing keeps its budget."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from inspector.core.conversation import Session
from inspector.formats import load
from inspector.library import Export, Handoff, Workbench, exact_sizes
from inspector.llm.tokens import counter_for
from tests.generated import conversations
from tests.places import SESSIONS


def _lines(session: Session, to: str) -> list[dict[str, Any]]:
    text = Export(Workbench(session, exact_sizes(session)).preview(), to).text
    return [json.loads(line) for line in text.splitlines()]


@given(session=conversations())
def test_a_rollout_begins_with_its_head_and_answers_each_call(session: Session) -> None:
    records = _lines(session, "codex")
    assert [record["type"] for record in records].index("session_meta") == 0
    assert [record["timestamp"] for record in records] == sorted(record["timestamp"] for record in records)
    items = [record["payload"] for record in records if record["type"] == "response_item"]
    calls = [item["call_id"] for item in items if item["type"] == "function_call"]
    assert calls == [item["call_id"] for item in items if item["type"] == "function_call_output"]
    assert len(set(calls)) == len(calls)
    assert all(isinstance(json.loads(item["arguments"]), dict) for item in items if item["type"] == "function_call")


@given(session=conversations())
def test_entries_of_pi_follow_each_other_and_answer_each_call(session: Session) -> None:
    head, *entries = _lines(session, "pi")
    assert (head["type"], head["version"]) == ("session", 3)
    assert [entry["parentId"] for entry in entries] == [None, *(entry["id"] for entry in entries)][: len(entries)]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    blocks = [block for one in messages if one["role"] == "assistant" for block in one["content"]]
    calls = [block["id"] for block in blocks if block["type"] == "toolCall"]
    assert calls == [one["toolCallId"] for one in messages if one["role"] == "toolResult"]


@given(session=conversations())
def test_ids_of_opencode_ascend_and_name_their_message(session: Session) -> None:
    preview = Workbench(session, exact_sizes(session)).preview()
    value = json.loads(Export(preview, "opencode").text)
    names = [message["info"]["id"] for message in value["messages"]]
    assert names == sorted(names) and len(set(names)) == len(names)
    for message in value["messages"]:
        assert message["info"]["sessionID"] == value["info"]["id"]
        assert all(part["messageID"] == message["info"]["id"] for part in message["parts"])


@pytest.mark.parametrize("budget", [200, 1_000])
def test_a_briefing_keeps_its_budget_and_quotes_the_user(budget: int) -> None:
    session = load(SESSIONS / "coding-agent.jsonl")[0]
    text = Handoff(Workbench(session, exact_sizes(session)).preview(), "handoff", budget=budget).text
    assert 0 < counter_for(session.model).count(text) <= budget
    assert "User, turn " in text and "before a compaction" not in text
