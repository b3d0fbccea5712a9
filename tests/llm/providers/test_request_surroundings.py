"""What stands around the messages of a request: tools and settings that are refused, and what is made of them."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.core.conversation import Dialect, ProviderName, RequestContext
from inspector.llm.providers import PROVIDERS, chat_form, message_from_raw, wire_of
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

CHECKS = {"openai": check_openai, "openai-responses": check_responses, "anthropic": check_anthropic}
ASK: dict[str, Any] = {"role": "user", "content": "Count."}
THINKING = {"type": "enabled", "budget_tokens": 10_000}
MARK = {"cache_control": {"type": "ephemeral"}}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
RECORDED: dict[str, Any] = {
    "model": "gpt-5",
    "input": [
        ASK,
        REASONING,
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
        SEARCH,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Three."}]},
    ],
    "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "web_search"}],
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "low", "summary": "auto"},
    "tool_choice": {"type": "web_search"},
}


def context_of(request: dict[str, Any], dialect: Dialect, model: str = "") -> RequestContext:
    rest = {key: value for key, value in request.items() if key not in ("model", "messages", "tools", "system")}
    return RequestContext(model or request["model"], dialect, tuple(request.get("tools", ())), rest)


def sent(request: dict[str, Any], to: ProviderName, dialect: Dialect, model: str = "") -> dict[str, Any]:
    """The request that is made of a recorded one, which its provider takes."""
    pieces = [piece for raw in request["messages"] for piece in wire_of(dialect).split(raw)]
    messages = [message_from_raw(f"m{at}", raw, dialect) for at, raw in enumerate(pieces)]
    result = PROVIDERS[to].request(context_of(request, dialect, model), messages)
    assert [words for words in CHECKS[to](result) if "web_search_call" not in words and "rs_1" not in words] == []
    return result


def refusals(request: dict[str, Any], dialect: Dialect, model: str = "") -> list[str]:
    return list(PROVIDERS[dialect].context_refusals(context_of(request, dialect, model)))


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **fields}}


def test_a_responses_request_keeps_items_and_settings_of_its_own() -> None:
    made = sent(chat_form(RECORDED), "openai-responses", "openai")
    assert {key: made[key] for key in ("include", "reasoning", "tool_choice")} == {
        key: RECORDED[key] for key in ("include", "reasoning", "tool_choice")
    }
    assert made["input"][:5] == RECORDED["input"][:5]
    assert {"type": "web_search"} in made["tools"]


def test_items_and_tools_of_the_responses_interface_go_to_no_other() -> None:
    chat = sent(chat_form(RECORDED), "openai", "openai")
    assert [tool["function"]["name"] for tool in chat["tools"]] == ["f"]
    assert set(chat) == {"model", "messages", "tools", "reasoning_effort"}
    for made in (chat, sent(chat_form(RECORDED), "anthropic", "openai")):
        assert not [word for word in ("rs_1", "ws_1", "c2VjcmV0", "web_search") if word in str(made)]


def test_reasoning_is_never_shown_as_words() -> None:
    block = {"type": "item", "item": SEARCH}
    message = message_from_raw("m", {"role": "assistant", "content": [REASONING, block]}, "openai")
    assert (message.preview, message.text) == ("[reasoning]  [web_search_call]", "")
    spoken = {"role": "assistant", "content": [REASONING, {"type": "text", "text": "Three."}]}
    assert message_from_raw("m", spoken, "openai").preview == "Three."


@pytest.mark.parametrize("to", ["openai", "openai-responses", "anthropic"])
def test_a_tool_has_one_name_in_its_definition_its_calls_and_the_choice_of_it(to: ProviderName) -> None:
    call = {"id": "c1", **function("fs.read", arguments="{}")}
    request = {
        "model": "gpt-4o",
        "messages": [ASK, {"role": "assistant", "tool_calls": [call]}, {**ASK, "role": "tool", "tool_call_id": "c1"}],
        "tools": [function("fs.read"), function("fs_read")],
        "tool_choice": function("fs.read"),
    }
    made = str(sent(request, to, "openai"))
    assert "fs.read" not in made
    assert made.count("'fs_read'") == 1
    assert made.count("'fs_read_2'") == (2 if to == "anthropic" else 3)
    assert any("tools[…].function.name" in words for words in refusals(request, "openai"))


def test_the_newer_of_two_tools_of_one_name_is_numbered_for_anthropic() -> None:
    tool = {"name": "count", "input_schema": {"type": "object"}}
    request = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": [ASK], "tools": [tool, tool, {**tool, "x": 1}]}
    assert [entry["name"] for entry in sent(request, "anthropic", "anthropic")["tools"]] == ["count", "count_2"]
    assert refusals(request, "anthropic") == ["tools: Tool names must be unique."]


def test_the_form_before_tools_has_one_name_everywhere() -> None:
    older = {"name": "f.g", "arguments": "{}"}
    request = {
        "model": "gpt-4o",
        "functions": [{"name": "f.g", "parameters": {}}],
        "function_call": {"name": "f.g"},
        "messages": [
            ASK,
            {"role": "assistant", "content": None, "function_call": older},
            {"role": "function", "name": "f g", "content": "3"},
        ],
    }
    made = sent(request, "openai", "openai")
    assert made["functions"] == [{"name": "f_g", "parameters": {}}]
    assert made["function_call"] == {"name": "f_g"}
    assert made["messages"][1]["function_call"]["name"] == "f_g"
    assert made["messages"][2] == {"role": "function", "name": "f_g", "content": "3"}
    assert any("functions[…].name" in words for words in refusals(request, "openai"))


@pytest.mark.parametrize(
    ("settings", "model", "rest"),
    [
        ({"max_tokens": 9, "temperature": 0.2, "logit_bias": {"5": 1}}, "gpt-5", {"max_completion_tokens": 9}),
        ({"temperature": 1, "top_p": 0.5}, "o3-mini", {"temperature": 1}),
        ({"temperature": 0.2}, "gpt-5-chat-latest", {"temperature": 0.2}),
        ({"temperature": 0.2}, "gpt-5.1", {"temperature": 0.2}),
        ({"temperature": 0.2, "max_tokens": 9}, "gpt-4o", {"temperature": 0.2, "max_tokens": 9}),
        ({"reasoning_effort": "low"}, "gpt-4o", {}),
        ({"stream_options": {"include_usage": True}}, "gpt-4o", {}),
        ({"tool_choice": "auto", "parallel_tool_calls": True}, "gpt-4o", {}),
    ],
)
def test_a_chat_request_has_the_settings_that_its_model_takes(
    settings: dict[str, Any], model: str, rest: dict[str, Any]
) -> None:
    request = {"model": model, "messages": [ASK], **settings}
    made = sent(request, "openai", "openai")
    assert {key: value for key, value in made.items() if key not in ("model", "messages")} == rest
    assert bool(refusals(request, "openai")) is (rest != settings)


@pytest.mark.parametrize(
    ("settings", "model", "rest"),
    [
        ({"thinking": THINKING}, "claude-sonnet-4-5", {"thinking": THINKING, "max_tokens": 10_001}),
        ({"thinking": THINKING, "max_tokens": 90}, "claude-3-7-sonnet", {"thinking": THINKING, "max_tokens": 10_001}),
        ({"thinking": THINKING, "max_tokens": 12_000}, "claude-3-haiku-20240307", {"max_tokens": 4096}),
        (
            {"thinking": THINKING, "max_tokens": 12_000, "temperature": 0.1, "top_k": 3},
            "claude-opus-4-5",
            {"thinking": THINKING, "max_tokens": 12_000},
        ),
        ({"max_tokens": 9, "tool_choice": {"type": "any"}}, "claude-opus-4-5", {"max_tokens": 9}),
        ({"max_tokens": 9, "temperature": 0.1}, "claude-opus-4-5", {"max_tokens": 9, "temperature": 0.1}),
    ],
)
def test_a_request_to_anthropic_has_the_settings_that_its_model_takes(
    settings: dict[str, Any], model: str, rest: dict[str, Any]
) -> None:
    request = {"model": model, "messages": [ASK], **settings}
    made = sent(request, "anthropic", "anthropic")
    assert {key: value for key, value in made.items() if key not in ("model", "messages")} == rest
    assert bool(refusals(request, "anthropic")) is (rest != settings)


def test_the_newest_four_marks_of_the_prompt_cache_stay() -> None:
    blocks = [{"type": "text", "text": f"t{number}", **MARK} for number in range(4)]
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "3", **MARK}]}
    use = {"type": "tool_use", "id": "t", "name": "count", "input": {}}
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "tools": [{"name": "count", "input_schema": {"type": "object"}, **MARK}],
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "s", **MARK}]},
            {"role": "user", "content": blocks},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ],
    }
    made = sent(request, "anthropic", "anthropic")
    assert "cache_control" not in made["tools"][0] and "cache_control" not in made["system"][0]
    assert ["cache_control" in block for block in made["messages"][0]["content"]] == [False, True, True, True]
    assert made["messages"][2]["content"] == [result]


def test_a_message_to_anthropic_has_a_role_and_content_alone() -> None:
    noted = {**ASK, "id": "msg_1", "timestamp": "2026-01-01"}
    made = sent({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [noted]}, "anthropic", "anthropic")
    assert made["messages"] == [ASK]
    message = message_from_raw("m", noted, "anthropic")
    faults = [fault.words for fault in PROVIDERS["anthropic"].message_faults([message], [1])]
    assert faults == ["messages.….id: Extra inputs are not permitted"]
    assert PROVIDERS["anthropic"].mend(message) == ASK


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "openai-responses"])
@pytest.mark.parametrize("shape", [list, dict])
def test_a_type_that_is_nested_deeply_is_refused_in_a_sentence(dialect: Dialect, shape: type[Any]) -> None:
    nested: Any = "function"
    for _ in range(5_000):
        nested = [nested] if shape is list else {"type": nested}
    tool = {"type": nested, "name": "f", "input_schema": {}, "function": {"name": "f"}}
    for more in ({"tools": [tool]}, {"tools": [function("f")], "tool_choice": {"type": nested}}):
        said = refusals({"model": "gpt-4o", "messages": [ASK], **more}, dialect)
        assert all(len(words) < 300 for words in said)
        assert said or dialect != "openai"
