"""Tool definitions are counted by the published formula, and nothing in them makes the counting fail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.text import dumps
from inspector.llm.providers import provider_of, text_message
from inspector.llm.tokens.counting import CharsCounter, TokenizerCounter, count_message

CHAT, CLAUDE = provider_of("openai"), provider_of("anthropic")
O200K = TokenizerCounter("o200k_base")
CL100K = TokenizerCounter("cl100k_base")

WEATHER: dict[str, Any] = {
    "name": "get_current_weather",
    "description": "Get the current weather in a given location",
    "parameters": {
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "unit": {
                "type": "string",
                "description": "The unit of temperature to return",
                "enum": ["celsius", "fahrenheit"],
            },
        },
        "required": ["location"],
    },
}
"""OpenAI's published example: with it, its API counted 101 tokens for gpt-4o and 105 for gpt-4."""
QUESTIONS = (
    text_message(
        "1", "system", "You are a helpful assistant that can answer to questions about the weather.", "openai"
    ),
    text_message("2", "user", "What's the weather like in San Francisco?", "openai"),
)


@pytest.mark.parametrize(("counter", "reported"), [(O200K, 101), (CL100K, 105)])
def test_the_published_example_counts_as_the_api_counted_it(counter: TokenizerCounter, reported: int) -> None:
    messages = sum(count_message(message, counter) for message in QUESTIONS) + 3
    assert messages + CHAT.count_tools([{"type": "function", "function": WEATHER}], counter) == reported


def test_the_flat_form_counts_like_the_nested_one() -> None:
    nested = CHAT.count_tools([{"type": "function", "function": WEATHER}], O200K)
    assert CHAT.count_tools([{"type": "function", **WEATHER}], O200K) == nested


def test_no_tools_cost_nothing() -> None:
    assert CHAT.count_tools([], O200K) == 0
    assert CLAUDE.count_tools([], O200K) == 0


def test_a_full_stop_behind_a_description_is_free() -> None:
    stopped = {**WEATHER, "description": WEATHER["description"] + "."}
    assert CHAT.count_tools([{"function": stopped}], O200K) == CHAT.count_tools([{"function": WEATHER}], O200K)


def test_nested_parameters_are_counted_as_json() -> None:
    deep = {"type": "object", "properties": {"lines": {"type": "array", "items": {"type": "integer"}}}}
    tool = {"name": "cut", "parameters": {"type": "object", "properties": {"range": deep}}}
    bare = {"name": "cut", "parameters": {"type": "object", "properties": {}}}
    more = CHAT.count_tools([tool], O200K) - CHAT.count_tools([bare], O200K)
    assert more == 3 + 3 + O200K.count(dumps({"range": deep}))


def test_anthropic_tools_are_counted_as_json() -> None:
    tool = {"name": "cut", "description": "Cut lines.", "input_schema": {"type": "object", "properties": {}}}
    assert CLAUDE.count_tools([tool], O200K) == O200K.count(dumps(tool))


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"properties": schema}
    return schema


ODD: dict[str, Any] = {
    "nothing": None,
    "a number": 7,
    "a text": "text",
    "a list": [],
    "an empty schema": {},
    "no properties": {"properties": None},
    "a property without a schema": {"properties": {"a": None}},
    "two types": {"properties": {"a": {"type": ["string", "null"]}}},
    "a number as key": {"properties": {1: {"type": "string"}}},
    "numbers in an enum": {"properties": {"a": {"type": "string", "enum": [None, 3]}}},
    "a union": {"anyOf": [{"type": "object"}]},
    "a very large number": {"big": 1 << 80},
    "half a surrogate pair": {"lone": "\ud800"},
    "nesting without end": deep(3_000),
}


@pytest.mark.parametrize("parameters", ODD.values(), ids=ODD.keys())
def test_odd_parameters_are_counted_somehow(parameters: Any) -> None:
    for dialect in ("openai", "anthropic"):
        assert (
            provider_of(dialect).count_tools([{"name": "odd", "description": 5, "parameters": parameters}], O200K) > 0
        )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["name", "description", "parameters", "function", "type"]), JSON), max_size=3
    )
)
def test_no_definition_makes_the_counting_fail(tools: list[dict[str, Any]]) -> None:
    for dialect in ("openai", "anthropic"):
        assert provider_of(dialect).count_tools(tools, CharsCounter(4)) >= 0
