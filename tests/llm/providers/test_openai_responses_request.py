"""Requests to OpenAI's Responses interface: items that say what the chat said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.core.conversation import Dialect, Message, Session
from inspector.llm.providers import PROVIDERS, message_from_raw, wire_of
from tests.responses_rules import check_responses

ASK: dict[str, Any] = {"role": "user", "content": "Count."}
CUSTOM = {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}


def call(id: str = "c1", arguments: str = '{"n": 1}') -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "count", "arguments": arguments}}


def result(id: str = "c1", content: Any = "3") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def exported(raws: Sequence[dict[str, Any]], dialect: Dialect = "openai", **fields: Any) -> dict[str, Any]:
    """The request for these raw messages, checked against the interface's rules."""
    pieces = [piece for raw in raws for piece in wire_of(dialect).split(raw)]
    made: list[Message] = [message_from_raw(f"m{at}", raw, dialect) for at, raw in enumerate(pieces)]
    built = PROVIDERS["openai-responses"].request(
        Session("s", "S", "test", tuple(made), dialect=dialect, **fields).context, made
    )
    assert check_responses(built) == []
    return built


def items(*raws: dict[str, Any], dialect: Dialect = "openai") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = exported(raws, dialect)["input"]
    return found


def test_calls_and_results_are_items_of_their_own_without_ids() -> None:
    calling = {"role": "assistant", "content": "Counting.", "tool_calls": [call(), CUSTOM]}
    assert items(ASK, calling, result(), result("c2", "done")) == [
        ASK,
        {"role": "assistant", "content": "Counting."},
        {"type": "function_call", "call_id": "c1", "name": "count", "arguments": '{"n": 1}'},
        {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
    ]


def test_a_reply_that_only_calls_has_no_words_of_its_own() -> None:
    kinds = [item.get("type") for item in items(ASK, {"role": "assistant", "tool_calls": [call()]}, result())]
    assert kinds == [None, "function_call", "function_call_output"]


def test_the_first_system_message_becomes_the_instructions_and_others_stay() -> None:
    system = {"role": "system", "content": "Be brief.\n "}
    built = exported([system, ASK, {"role": "system", "content": "It is May."}, ASK])
    assert built["instructions"] == "Be brief.\n "
    assert [item["role"] for item in built["input"]] == ["user", "system", "user"]
    blocks = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
    built = exported([blocks, ASK])
    assert "instructions" not in built
    assert built["input"][0]["content"] == [{"type": "input_text", "text": "Be brief."}]


def test_a_conversation_of_instructions_alone_is_begun() -> None:
    assert exported([{"role": "system", "content": "s"}])["input"][0]["role"] == "user"


def test_pictures_files_and_texts_have_the_interfaces_own_blocks() -> None:
    url, data = "https://example.org/a.png", "data:application/pdf;base64,eA=="
    blocks = [
        {"type": "text", "text": "See."},
        {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": data}},
        {"type": "hologram", "depth": 3},
    ]
    (item,) = items({"role": "user", "content": blocks})
    assert item["content"][:3] == [
        {"type": "input_text", "text": "See."},
        {"type": "input_image", "image_url": url, "detail": "low"},
        {"type": "input_file", "filename": "a.pdf", "file_data": data},
    ]
    assert item["content"][3]["type"] == "input_text"
    assert "hologram" in item["content"][3]["text"]


def test_reasoning_goes_before_what_it_led_to_and_leaves_where_that_left() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    words = {"type": "text", "text": "Three."}
    assert items(ASK, {"role": "assistant", "content": [reasoning, words]})[1:] == [
        reasoning,
        {"role": "assistant", "content": [{"type": "output_text", "text": "Three."}]},
    ]
    alone = items(ASK, {"role": "assistant", "content": [reasoning]}, ASK)
    assert [item.get("type") for item in alone] == [None, None, None]


def test_calls_of_the_older_kind_get_ids() -> None:
    older = {"role": "assistant", "content": None, "function_call": {"name": "count", "arguments": "{}"}}
    answer = {"role": "function", "name": "count", "content": "3"}
    found = items(ASK, older, answer, older, {**answer, "content": "4"})
    ids = [item["call_id"] for item in found if item.get("type") == "function_call"]
    assert len(set(ids)) == 2
    assert [item["output"] for item in found if "output" in item] == ["3", "4"]


def test_a_session_of_the_other_provider_crosses_over() -> None:
    use = {"type": "tool_use", "id": "t", "name": "count", "input": {"n": 1}}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "3"}]}
    found = items(
        ASK,
        {"role": "assistant", "content": [thought, use]},
        {"role": "user", "content": [answer, {"type": "text", "text": "Go on."}]},
        dialect="anthropic",
    )
    assert [item.get("type") or item["content"] for item in found] == [
        "Count.",
        "function_call",
        "function_call_output",
        "Go on.",
    ]


def test_tools_are_flat_and_strict_only_where_they_were() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = (
        {"type": "function", "function": {"name": "count", "description": "Counts.", "parameters": schema}},
        {"type": "function", "function": {"name": "stop", "strict": True}},
        {"type": "custom", "custom": {"name": "patch"}},
    )
    count, stop, patch = exported([ASK], tools=tools)["tools"]
    assert count == {
        "type": "function",
        "strict": False,
        "name": "count",
        "description": "Counts.",
        "parameters": schema,
    }
    assert (stop["strict"], stop["parameters"]) == (True, {"type": "object", "properties": {}})
    assert patch == {"type": "custom", "name": "patch"}


def test_settings_go_under_the_names_that_they_have_here() -> None:
    tools = ({"type": "function", "function": {"name": "count"}},)
    settings = {
        "temperature": 0.2,
        "max_completion_tokens": 900,
        "reasoning_effort": "low",
        "verbosity": "high",
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}, "strict": True}},
        "tool_choice": {"type": "function", "function": {"name": "count"}},
        "seed": 7,
        "stop": ["x"],
    }
    built = exported([ASK], model="some-model", settings=settings, tools=tools)
    rest = {key: value for key, value in built.items() if key not in ("model", "input", "tools")}
    assert rest == {
        "temperature": 0.2,
        "max_output_tokens": 900,
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True}, "verbosity": "high"},
        "tool_choice": {"type": "function", "name": "count"},
    }
