"""An agent's own model: how it is called, and what is read out of its responses."""

from __future__ import annotations

import re
from types import SimpleNamespace as Object
from typing import Any
from unittest.mock import MagicMock

import pytest

from inspector.core.conversation import Usage
from inspector.engine.summaries import Answer, answer_of
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, ReActAgent
from inspector.memory.model_calls import call as call_model, parse_response
from tests.memory.scripted_llm import SUMMARY, Counts, Reply, call

WORDS = "The order lies in /srv/orders/may.csv and came to 4,711 dollars, as was agreed. " * 4
TOOLS = [{"type": "function"}]


class Needing:
    async def call_async(self, messages: Any, tools: Any) -> Any:
        return Reply(SUMMARY if tools is None else f"{len(tools)} tools")


class Offering:
    async def call_async(self, messages: Any, tools: Any = ()) -> Any:
        return Reply(f"{len(tools)} tools")


class Without:
    async def call_async(self, messages: Any) -> Any:
        return Reply("no tools")


class Anything:
    async def call_async(self, **given: Any) -> Any:
        return Reply(" ".join(given))


@pytest.mark.parametrize(
    ("llm", "tools", "said"),
    [
        (Needing(), TOOLS, "1 tools"),
        (Needing(), None, SUMMARY),
        (Needing(), [], SUMMARY),
        (Offering(), TOOLS, "1 tools"),
        (Offering(), None, "0 tools"),
        (Without(), TOOLS, "no tools"),
        (Without(), None, "no tools"),
        (Anything(), TOOLS, "messages tools"),
        (Anything(), None, "messages"),
    ],
)
async def test_tools_are_handed_over_where_they_are_taken(llm: Any, tools: Any, said: str) -> None:
    assert (await call_model(llm, [LLMMessage("user", "Hello.")], tools)).content == said


async def test_a_model_that_must_be_told_of_tools_writes_summaries() -> None:
    memory = MemoryManager(MemoryConfig(compression_threshold=1_000, short_term_size=4), Needing())
    for number in range(16):
        await memory.add_message(LLMMessage("assistant" if number % 2 else "user", f"{number}: {WORDS}"))
    assert memory.get_stats()["failed_compressions"] == 0
    assert memory.compressed_memory
    assert "There were three." in memory.compressed_memory.summary


async def test_an_agent_may_have_a_model_that_takes_no_tools() -> None:
    def look(at: int) -> str:
        return f"Order {at}"

    assert await ReActAgent(Without(), [look]).run("Look.") == "no tools"


# what is read out of a response


COMPLETION: dict[str, Any] = {
    "choices": [
        {
            "message": {"role": "assistant", "content": "Three.", "tool_calls": [call("c1", "look")]},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 120, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 100}},
}
MESSAGE = Object(
    content=[
        Object(type="thinking", thinking="Hm.", signature="c2ln"),
        Object(type="text", text="Three."),
        Object(type="tool_use", id="c1", name="look", input={}),
    ],
    stop_reason="end_turn",
    usage=Object(input_tokens=20, output_tokens=8, cache_read_input_tokens=100, cache_creation_input_tokens=0),
)


def as_objects(value: Any) -> Any:
    if isinstance(value, dict):
        return Object(**{name: as_objects(each) for name, each in value.items()})
    return [as_objects(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("response", [COMPLETION, as_objects(COMPLETION), MESSAGE])
def test_words_calls_and_usage_are_found_in_every_form(response: Any) -> None:
    answer = parse_response(response)
    assert answer.text == "Three."
    assert [(each.id, each.name) for each in answer.calls] == [("c1", "look")]
    assert answer.usage == Usage(120, 8, 100)
    assert answer_of(response).finish in ("stop", "end_turn")


def test_the_form_of_requirement_3_is_read() -> None:
    answer = parse_response(Reply("Three.", usage=Counts(120, 8)))
    assert (answer.text, answer.calls, answer.usage) == ("Three.", (), Usage(120, 8))


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_the_reason_why_it_stopped_is_read(reason: str) -> None:
    assert answer_of(Reply("Thr", stop_reason=reason)).finish == reason
    assert answer_of({"choices": [{"message": {"content": "Thr"}, "finish_reason": reason}]}).finish == reason


@pytest.mark.parametrize("body", ["<html>Log in</html>", " <!DOCTYPE html>", '{"error": "no"}', "data: {}\n\n"])
def test_a_body_that_a_client_could_not_parse_is_no_answer(body: str) -> None:
    assert answer_of(body) == Answer(finish="")


def test_a_client_may_return_a_text() -> None:
    assert answer_of("Goal: count.") == Answer("Goal: count.")


FAILURES: list[tuple[Any, str]] = [
    (None, "a value of type NoneType"),
    ("", "an empty text"),
    (7, "a value of type int"),
    ({}, "a value of type dict"),
    (object(), "a value of type object"),
    (MagicMock(), "a value of type MagicMock"),
    ({"choices": []}, "has no choices"),
    ({"choices": [None]}, "a choice without a message"),
    ({"error": {"message": "Overloaded."}}, "The provider returned an error: Overloaded."),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "busy\x1b[2J\nnow"}}, "an error: busy"),
    ({"error": "no key"}, "an error: no key."),
    ({"object": "response", "status": "failed", "error": {"message": "broken"}, "output": []}, "an error: broken."),
    ({"object": "response", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}, "max_output_tokens"),
    ({"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}}, "no content (SAFETY)"),
    ({"candidates": [{"content": {}, "finishReason": "MAX_TOKENS"}]}, "no content (MAX_TOKENS)"),
]


@pytest.mark.parametrize(("response", "reason"), FAILURES)
async def test_what_is_no_reply_is_an_error_and_never_an_empty_reply(response: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        parse_response(response)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)

    class Failing:
        async def call_async(self, messages: Any) -> Any:
            return response

    with pytest.raises(ValueError, match=re.escape(reason)):
        await ReActAgent(Failing(), show_statistics=False).run("Look.")


def test_a_reply_of_a_chat_api_may_be_empty() -> None:
    answer = parse_response({"choices": [{"message": {"role": "assistant", "content": None}}]})
    assert (answer.text, answer.calls, answer.usage) == ("", (), None)


def test_thinking_goes_into_the_memory_with_the_words_and_is_no_part_of_them() -> None:
    answer = parse_response(MESSAGE)
    assert answer.message.content[0] == {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    assert "Hm." not in answer.text
