"""What is read out of a model's response, whatever its client makes of it."""

from __future__ import annotations

from types import SimpleNamespace as Object
from typing import Any
from unittest.mock import MagicMock

import pytest

from inspector.conversation import Usage
from inspector.memory.answer import read_answer
from tests.memory.playing import Counts, Reply, call

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
    answer = read_answer(response)
    assert answer.text == "Three."
    assert [(each.id, each.name) for each in answer.calls] == [("c1", "look")]
    assert answer.usage == Usage(120, 8, 100)
    assert not answer.cut_off


def test_the_form_of_requirement_3_is_read() -> None:
    answer = read_answer(Reply("Three.", usage=Counts(120, 8)))
    assert (answer.text, answer.calls, answer.usage) == ("Three.", (), Usage(120, 8))


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_an_answer_that_was_cut_off_is_known(reason: str) -> None:
    assert read_answer(Reply("Thr", stop_reason=reason)).cut_off
    assert read_answer({"choices": [{"message": {"content": "Thr"}, "finish_reason": reason}]}).cut_off


@pytest.mark.parametrize("response", [None, "", 7, {}, object(), {"choices": []}, {"choices": [None]}, MagicMock()])
def test_nothing_that_comes_back_makes_it_raise(response: Any) -> None:
    answer = read_answer(response)
    assert (answer.text, answer.calls, answer.usage) == ("", (), None)


def test_thinking_goes_into_the_memory_with_the_words_and_is_no_part_of_them() -> None:
    answer = read_answer(MESSAGE)
    assert answer.message.content[0] == {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    assert "Hm." not in answer.text
