"""What a provider would refuse a message for by itself."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.core.conversation import Dialect, Message, ProviderName
from inspector.llm.providers import message_from_raw, text_message
from inspector.llm.providers.anthropic.anthropic_rules import refuses_prefill
from tests.refusals import message_refusals

Raw = dict[str, Any]
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
TEXT = {"type": "text", "text": "Yes."}
EMPTY = {"type": "text", "text": ""}
ASK = {"role": "user", "content": "Hi."}


def call(id: str) -> Raw:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}


def calling(*ids: str) -> Raw:
    return {"role": "assistant", "content": None, "tool_calls": list(map(call, ids))}


def reply(*blocks: Raw) -> Raw:
    return {"role": "assistant", "content": list(blocks)}


def result(content: Any, **fields: Any) -> Raw:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content, **fields}]}


def messages(dialect: Dialect, *raws: Raw) -> list[Message]:
    return [message_from_raw(f"m{at}", raw, dialect) for at, raw in enumerate(raws)]


def found(provider: ProviderName, *raws: Raw) -> list[tuple[int, str]]:
    """The faults of messages in the provider's own form."""
    dialect: Dialect = "anthropic" if provider == "anthropic" else "openai"
    return list(message_refusals(messages(dialect, *raws), provider))


def test_an_id_is_neither_empty_nor_too_long() -> None:
    (empty,), (long,) = found("openai", calling("")), found("openai", calling("x" * 41))
    assert empty == (
        0,
        "Invalid 'messages[…].tool_calls[…].id': empty string. Expected a string with minimum length 1, but got an"
        " empty string instead.",
    )
    assert long[1] == (
        "Invalid 'messages[…].tool_calls[…].id': string too long. Expected a string with maximum length 40, but got a"
        " string with length 41 instead."
    )
    assert found("openai", calling("x" * 40)) == []
    assert "'input[…].call_id': string too long" in found("openai-responses", calling("x" * 65))[0][1]


def test_anthropic_takes_ids_of_plain_signs_only() -> None:
    words = "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    for strange in ("functions.read:0", "", "é"):
        assert found("anthropic", reply({**USE, "id": strange}), ASK) == [(0, words)]
    assert found("anthropic", reply({**USE, "id": "toolu_01-X"}), ASK) == []


def test_one_id_may_come_twice_in_a_chat_but_not_in_one_message() -> None:
    assert found("openai", calling("a"), calling("a")) == []
    assert found("openai", calling("a", "a")) == [(0, "Duplicate value for 'tool_call_id' of a in message[…]")]


def test_one_id_may_come_only_once_elsewhere() -> None:
    assert found("anthropic", reply(USE), ASK, reply(USE), ASK) == [(2, "`tool_use` ids must be unique")]
    words = "Duplicate function_call_output for call_id a."
    assert found("openai-responses", calling("a"), ASK, calling("a")) == [(2, words)]


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool"])
def test_content_may_not_be_null_where_nothing_is_called(role: str) -> None:
    raw = {"role": role, "content": None, "tool_call_id": "a"}
    assert found("openai", raw) == [(0, "Invalid value for 'content': expected a string, got null.")]
    assert found("openai", {**raw, "content": ""}) == []
    assert found("openai", calling("a")) == []
    assert found("openai", {"role": "assistant", "content": None, "refusal": "No."}) == []


def test_a_list_of_no_blocks_is_refused() -> None:
    assert "empty array" in found("openai", {"role": "user", "content": []})[0][1]


def test_roles_that_there_are_not_and_thinking_beside_null_are_refused() -> None:
    owl = {"role": "owl", "content": "Hoo."}
    assert found("anthropic", owl)[0][1] == "messages: Input should be 'user' or 'assistant'"
    assert found("openai", owl)[0][1].startswith("Invalid value: 'owl'. Supported values are: 'system'")
    thought = {"role": "assistant", "content": None, "reasoning_content": "Hm."}
    assert "got null" in found("openai", thought)[0][1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "all messages must have non-empty content"),
        ([], "all messages must have non-empty content"),
        (None, "all messages must have non-empty content"),
        ([EMPTY], "text content blocks must be non-empty"),
        ("  \n", "text content blocks must contain non-whitespace text"),
        ([{"type": "text", "text": "\t"}], "text content blocks must contain non-whitespace text"),
    ],
)
def test_anthropic_refuses_what_says_nothing(content: Any, says: str) -> None:
    for role in ("user", "assistant"):
        ((place, words),) = found("anthropic", {"role": role, "content": content}, ASK)
        assert place == 0
        assert says in words


def test_only_the_last_reply_may_be_without_content() -> None:
    assert found("anthropic", ASK, {"role": "assistant", "content": []}) == []
    assert found("anthropic", ASK, {"role": "assistant", "content": []}, {"role": "system", "content": "s"}) == []
    assert len(found("anthropic", ASK, reply(EMPTY))) == 1
    assert len(found("anthropic", ASK, {"role": "user", "content": []})) == 1


def test_empty_texts_are_refused_among_others_and_inside_results() -> None:
    for raw in (reply(EMPTY, USE), reply(TEXT, EMPTY), result([TEXT, EMPTY])):
        assert found("anthropic", raw, ASK) == [(0, "messages: text content blocks must be non-empty")]


def test_a_result_may_be_empty_unless_it_is_an_error() -> None:
    nothing: list[Any] = []
    assert all(found("anthropic", result(content)) == [] for content in ("", nothing, "ok"))
    assert all(len(found("anthropic", result(content, is_error=True))) == 1 for content in ("", nothing, None))
    words = "tool_result: content cannot be empty if `is_error` is true"
    assert found("anthropic", result("", is_error=True)) == [(0, words)]
    assert found("anthropic", result("No such file.", is_error=True)) == []


@pytest.mark.parametrize("kind", ["hologram", 7, None])
def test_a_block_of_a_kind_that_there_is_not_is_refused(kind: Any) -> None:
    block = {"type": kind, "text": "Hm."}
    for provider in ("openai", "anthropic"):
        for raw in ({"role": "user", "content": [TEXT, block]}, reply(TEXT, block)):
            ((place, words),) = found(provider, raw, ASK)
            assert place == 0
            assert f"'{kind}'" in words
    assert f"'{kind}'" in found("anthropic", result([block]))[0][1]


@pytest.mark.parametrize("name", ["Jane Doe", "<b>", "a|b", "x" * 65, ""])
def test_openai_takes_names_without_space_and_strange_signs_only(name: str) -> None:
    raw = {"role": "user", "content": "Hi.", "name": name}
    assert "messages[…].name': string does not match pattern" in found("openai", raw)[0][1]
    assert found("openai", {**raw, "name": "jane.döe-2"}) == found("openai", {**raw, "name": None}) == []


@pytest.mark.parametrize(
    ("model", "refuses"),
    [
        ("claude-opus-4-6", True),
        ("anthropic/claude-sonnet-4.6", True),
        ("us.anthropic.claude-opus-4-6-v1", True),
        ("claude-haiku-5", True),
        ("claude-opus-4-20250514", False),
        ("claude-sonnet-4-5-20250929", False),
        ("claude-3-7-sonnet-20250219", False),
        ("", False),
    ],
)
def test_newer_models_do_not_go_on_with_a_reply(model: str, refuses: bool) -> None:
    assert refuses_prefill(model) is refuses


def test_what_is_written_anew_in_the_providers_form_has_none_of_the_faults_of_its_own() -> None:
    claude = messages("anthropic", reply(EMPTY, USE), result("", is_error=True), ASK)
    assert list(message_refusals(claude, "openai")) == []
    assert list(message_refusals(claude, "openai-responses")) == []
    chat = messages("openai", calling("a"), {"role": "tool", "tool_call_id": "a", "content": ""}, ASK)
    assert list(message_refusals(chat, "anthropic")) == []


def test_a_message_that_says_nothing_at_all_says_nothing_in_any_form() -> None:
    for content in ("", None, " "):
        chat = messages("openai", {"role": "user", "content": content}, ASK)
        assert [place for place, _ in message_refusals(chat, "anthropic")] == [0]


def test_reasoning_is_refused_where_nothing_follows_it() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    alone, followed = reply(reasoning), reply(reasoning, TEXT)
    assert found("openai-responses", alone, ASK) == [
        (0, "Item 'rs_1' of type 'reasoning' was provided without its required following item.")
    ]
    assert found("openai-responses", followed, {**calling("a"), "content": [reasoning]}) == []


def test_a_summary_has_no_fault() -> None:
    for dialect in ("openai", "anthropic"):
        summary = text_message("s", "user", "Earlier: nothing.", dialect, kind="summary")
        for provider in ("openai", "openai-responses", "anthropic"):
            assert list(message_refusals([summary], provider)) == []
