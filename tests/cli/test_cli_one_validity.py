"""One validity for every command, and exports that hold what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import inspect, written
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

ASK = {"role": "user", "content": "Count the boats."}
SHARED = {"role": "assistant", "content": [{"type": "text", "text": "Seven."}, {"type": "text", "text": " "}]}
MORE = {"role": "user", "content": "And the oars?"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
USE = {"type": "tool_use", "id": "t1", "name": "count", "input": {"of": "boats"}}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "7"}]}


def claude(path: Path, *messages: Any, model: str = "claude-sonnet-4-5", **fields: Any) -> Path:
    return written(path, {"model": model, "max_tokens": 90, **fields, "messages": list(messages)})


def verdicts(path: Path) -> dict[str, bool]:
    """What each command says of the current context, or of all of them."""
    tuned = inspect("tune", path, "--preset", "none", "--json").json
    return {
        "show": inspect("show", path, "--json").json["valid"],
        "check": inspect("check", path, "--json").json["valid"],
        "check all": inspect("check", path, "--all-turns", "--json").json["valid"],
        "replay": inspect("replay", path, "--preset", "none", "--json").json["valid"],
        "tune": next(row["valid"] for row in tuned["rows"] if row["preset"] == "none"),
    }


def test_all_commands_say_the_same_of_a_blank_block(tmp_path: Path) -> None:
    path = claude(tmp_path / "blank.json", ASK, SHARED, MORE)
    assert set(verdicts(path).values()) == {False}
    sound = claude(tmp_path / "sound.json", ASK, {"role": "assistant", "content": "Seven."}, MORE)
    assert set(verdicts(sound).values()) == {True}


def test_a_window_larger_than_the_models_is_valid_nowhere(tmp_path: Path) -> None:
    long = {"role": "user", "content": "An oar and a boat. " * 2_500}
    path = written(tmp_path / "large.json", {"model": "gpt-4", "messages": [long, {**long, "role": "assistant"}, MORE]})
    assert set(verdicts(path).values()) == {False}
    shown = inspect("show", path).out
    assert "✗ invalid" in shown and "maximum context length is 8192 tokens" in shown and "over by" in shown
    assert inspect("compress", path, "-s", "deletion", "--set", "keep_recent=0", "--json").json["valid"] is False
    assert "✓ valid" in inspect("show", path, "--limit", 90_000).out


def test_a_reserve_that_is_taken_is_no_fault(tmp_path: Path) -> None:
    path = written(tmp_path / "full.json", {"model": "gpt-4", "messages": [{**ASK, "content": "a boat " * 3_950}]})
    shown = inspect("show", path).out
    assert "✓ valid" in shown and "of the reserve used" in shown


@pytest.mark.parametrize("strategy", ["fifo", "token_window", "sliding_window", "mask_observations", "dedupe"])
def test_a_strategy_mends_what_the_export_mends(tmp_path: Path, strategy: str) -> None:
    blocks = [{"type": "text", "text": "Seven."}, {"type": "text", "text": ""}, {"type": "hologram", "depth": 3}]
    hollow = {"role": "user", "contenst": "Well?"}
    path = claude(tmp_path / "odd.json", ASK, {"role": "assistant", "content": blocks}, hollow, MORE)
    out = tmp_path / f"{strategy}.json"
    ended = inspect("compress", path, "-s", strategy, "--fail-invalid", "--out", out)
    assert ended.code == 0, ended.out
    assert inspect("check", out).code == 0
    shown = inspect("compress", path, "-s", strategy, "--json").json
    reasons = {message["reason"] for message in shown["messages"] if message["fate"] in ("dropped", "trimmed")}
    if strategy in ("mask_observations", "dedupe"):  # the others have no more room for either
        assert reasons == {"it is empty: the provider would reject it", "the provider would reject a part of it"}


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("claude-opus-4-6", {}),
        ("claude-sonnet-4-5", {"max_tokens": 2048, "thinking": {"type": "enabled", "budget_tokens": 1024}}),
    ],
)
def test_a_reply_to_go_on_with_is_refused_and_left_out(tmp_path: Path, model: str, fields: dict[str, Any]) -> None:
    path = claude(tmp_path / "pre.json", ASK, {"role": "assistant", "content": "Well"}, model=model, **fields)
    ended = inspect("check", path)
    assert ended.code == 3
    assert "does not support assistant message prefill" in ended.out
    made = inspect("export", path)
    assert made.json["messages"] == [ASK]
    assert "The last reply was omitted" in made.err
    assert check_anthropic(made.json) == []
    assert inspect("compress", path, "-s", "fifo", "--fail-invalid").code == 0
    old = claude(tmp_path / "old.json", ASK, {"role": "assistant", "content": "Well"})
    assert inspect("check", old).code == 0
    assert inspect("export", old).json["messages"][-1]["content"] == "Well"


def test_behind_an_answered_reply_the_next_words_have_a_place(tmp_path: Path) -> None:
    record = {
        "request": {"model": "claude-opus-4-6", "max_tokens": 90, "messages": [ASK]},
        "response": {
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-6",
            "content": [{"type": "text", "text": "Seven."}],
            "usage": {"input_tokens": 20, "output_tokens": 3},
        },
    }
    path = written(tmp_path / "log.json", record)
    assert inspect("check", path).code == 0, "the person's next words are still to come"
    made = inspect("export", path, "--json").json
    assert made["request"]["messages"][-1] == {"role": "user", "content": "[the next request goes here]"}
    assert [note for note in made["notes"] if "Replace it by the next request" in note]
    assert check_anthropic(made["request"]) == []


def test_interleaved_thinking_stays_where_it_was(tmp_path: Path) -> None:
    reply = {"role": "assistant", "content": [{"type": "text", "text": "Well."}, THOUGHT, USE]}
    tools = [{"name": "count", "input_schema": {"type": "object"}}]
    path = claude(tmp_path / "inter.json", ASK, reply, ANSWER, tools=tools, thinking={"type": "adaptive"})
    made = inspect("export", path).json
    assert (made["messages"], made["thinking"]) == ([ASK, reply, ANSWER], {"type": "adaptive"})


@pytest.mark.parametrize(
    ("model", "to", "name"),
    [
        ("gpt-4o", "anthropic", None),
        ("claude-opus-4-5", "openai", None),
        ("claude-opus-4-5", "openai-responses", None),
        ("litellm_proxy/claude-opus-4-5", "anthropic", "claude-opus-4-5"),
        ("openrouter/openai/gpt-4o", "openai", "gpt-4o"),
        ("us.anthropic.claude-opus-4-6-v1:0", "anthropic", "claude-opus-4-6"),
        ("claude-opus-4-6[1m]", "anthropic", "claude-opus-4-6"),
        ("Qwen/Qwen2.5-7B", "openai", "Qwen/Qwen2.5-7B"),
    ],
)
def test_a_request_names_a_model_of_its_own_provider_or_none_and_says_so(
    tmp_path: Path, model: str, to: str, name: str | None
) -> None:
    path = written(tmp_path / "log.json", {"model": model, "messages": [ASK]})
    made = inspect("export", path, "--to", to, "--json").json
    assert made["request"].get("model") == name
    assert any(model in note for note in made["notes"]) is (model != name)
    asked = inspect("export", path, "--to", to, "--model", "claude-haiku-5").json
    assert asked["model"] == "claude-haiku-5"


def test_a_name_out_of_pattern_is_refused_and_mended(tmp_path: Path) -> None:
    path = written(tmp_path / "jane.json", {"model": "gpt-4o", "messages": [{**ASK, "name": "Jane Doe"}]})
    assert "does not match pattern" in inspect("check", path).out
    made = inspect("export", path).json
    assert made["messages"] == [{**ASK, "name": "Jane_Doe"}]
    assert check_openai(made) == []


def talk(path: Path) -> tuple[list[Any], int]:
    """What an opened file holds: who says what in how many tokens, and all tokens."""
    shown = inspect("show", path, "--json").json
    rows = [(row["role"], row["kind"], row["preview"], row["tokens"]) for row in shown["messages"]]
    return rows, shown["window"]["total"]


@pytest.mark.parametrize("to", ["openai", "openai-responses"])
def test_what_is_exported_opens_again(tmp_path: Path, to: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"of": "boats"}'}}
    other = {"id": "c2", "type": "function", "function": {"name": "count", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Be brief."},
        ASK,
        {"role": "assistant", "content": None, "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "c1", "content": "7"},
        {"role": "tool", "tool_call_id": "c2", "content": "0"},
        {"role": "assistant", "content": "Seven."},
        {"role": "user", "content": [{"type": "text", "text": "And the oars?"}]},
    ]
    tool = {"type": "function", "function": {"name": "count", "description": "d", "parameters": {"type": "object"}}}
    path = written(tmp_path / "log.json", {"model": "gpt-4o", "messages": messages, "tools": [tool], "temperature": 0})
    out = tmp_path / "made.json"
    assert inspect("export", path, "--to", to, "--out", out).code == 0
    assert inspect("check", out).code == 0
    before, after = talk(path), talk(out)
    assert after == before
    again = inspect("export", out, "--to", "openai").json
    assert (again["messages"], again["temperature"]) == (messages, 0)
    if to == "openai-responses":
        made = inspect("export", path, "--to", to).json
        assert check_responses(made) == []
        items = written(tmp_path / "items.jsonl", made["input"])
        assert len(inspect("show", items, "--json").json["messages"]) == len(messages) - 1


def test_what_a_request_leaves_out_for_its_interface_or_its_model_is_said(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "Count."},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Three."}]},
    ]
    own = {"include": ["x"], "reasoning": {"effort": "low", "summary": "auto"}, "tools": [{"type": "web_search"}]}
    path = written(tmp_path / "items.json", {"model": "gpt-5", "input": items, **own})
    words = "Not supported by OpenAI chat: include, reasoning.summary, web_search, reasoning, web_search_call."
    assert words in inspect("export", path, "--to", "openai").err
    assert "web_search_call." in inspect("export", path, "--to", "anthropic").err
    assert inspect("export", path, "--to", "openai-responses", "--json").json["notes"] == []


def test_what_the_model_that_is_asked_for_does_not_take_is_said(tmp_path: Path) -> None:
    chat = {"model": "gpt-4o", "max_tokens": 9, "temperature": 0.2, "messages": [{"role": "user", "content": "x"}]}
    path = written(tmp_path / "old.json", chat)
    assert inspect("check", path).code == 0
    ended = inspect("export", path, "--model", "gpt-5")
    assert set(ended.json) == {"model", "messages", "max_completion_tokens"}
    assert "Adjusted for gpt-5: Unsupported parameter: 'max_tokens'" in ended.err
    assert "Adjusted for gpt-5: Unsupported value: 'temperature'" in ended.err
    assert check_openai(ended.json) == []
    other = inspect("export", path, "--model", "claude-sonnet-4-5")
    assert "is not a model of OpenAI chat. To write its request, use --to anthropic." in other.err
    assert "temperature" in inspect("export", path, "--to", "anthropic").err
    thinking = {"type": "enabled", "budget_tokens": 5000}
    claude = {**chat, "model": "claude-sonnet-4-5", "max_tokens": 9000, "temperature": 1, "thinking": thinking}
    older = inspect("export", written(tmp_path / "c.json", claude), "--model", "claude-3-haiku-20240307")
    assert "Adjusted for claude-3-haiku-20240307: 'claude-3-haiku-20240307' does not support thinking." in older.err
    assert "the messages lack" not in older.err
    assert check_anthropic(older.json) == []
