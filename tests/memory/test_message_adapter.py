"""Messages on their way into the log and back out of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.llm.providers import dialect_of_message, with_placeholder
from inspector.memory import LLMMessage
from inspector.memory.message_adapter import MessageAdapter, _call_as_dict, message_of
from tests.generated import conversations
from tests.memory.scripted_llm import call

RESULTS = LLMMessage(
    "user",
    [
        {"type": "tool_result", "tool_use_id": "a", "content": "one"},
        {"type": "tool_result", "tool_use_id": "b", "content": "two"},
        {"type": "text", "text": "Go on."},
    ],
)
USES = LLMMessage(
    "assistant",
    [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "a", "name": "query", "input": {}},
        {"type": "tool_use", "id": "b", "name": "query", "input": {}},
    ],
)


def taken(*messages: LLMMessage) -> tuple[MessageAdapter, list[Any]]:
    adapter = MessageAdapter()
    return adapter, [made for message in messages for made in adapter.to_log(message)]


def test_a_message_is_written_without_what_is_not_set() -> None:
    assert LLMMessage("user", "hello").to_dict() == {"role": "user", "content": "hello"}
    whole = LLMMessage("tool", "3", tool_call_id="c1", name="query")
    assert whole.to_dict() == {"role": "tool", "content": "3", "tool_call_id": "c1", "name": "query"}


def test_the_text_of_a_message_is_what_a_person_would_read() -> None:
    assert LLMMessage("user", "hello").text == "hello"
    assert LLMMessage("assistant", None, [call("c1", "look", '{"at":1}')]).text == 'look({"at":1})'
    assert RESULTS.text == "one\n\ntwo\n\nGo on."
    assert LLMMessage("user").text == ""


@pytest.mark.parametrize(
    "given",
    [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}},
        SimpleNamespace(id="c1", function=SimpleNamespace(name="look", arguments='{"at":1}')),
        SimpleNamespace(id="c1", name="look", arguments={"at": 1}),
        SimpleNamespace(id="c1", name="look", input={"at": 1}),
        SimpleNamespace(model_dump=lambda **_: {"id": "c1", "name": "look", "arguments": {"at": 1}}),
    ],
)
def test_calls_are_understood_in_every_form(given: Any) -> None:
    adapter = MessageAdapter()
    (message,) = adapter.to_log(LLMMessage("assistant", None, [given]))
    assert [(each.id, each.name) for each in message.calls] == [("c1", "look")]
    assert message.text == 'look({"at":1})'
    assert _call_as_dict(given)["id"] == "c1"


def test_the_form_of_a_message_is_told_by_its_blocks() -> None:
    assert dialect_of_message(USES.to_dict()) == "anthropic"
    assert dialect_of_message({"role": "user", "content": "hello"}) == "openai"
    assert dialect_of_message({"role": "user", "content": [{"type": "text", "text": "hello"}]}) == "openai"


def test_what_was_not_changed_comes_back_as_the_very_same_object() -> None:
    given = [LLMMessage("system", "Be brief."), LLMMessage("user", "Look."), USES, RESULTS]
    adapter, made = taken(*given)
    assert len(made) == 6
    back = adapter.to_llm(made)
    assert [id(message) for message in back] == [id(message) for message in given]


def test_the_same_object_may_be_added_twice() -> None:
    given = [USES, RESULTS, USES, RESULTS]
    adapter, made = taken(*given)
    assert [id(message) for message in adapter.to_llm(made)] == [id(message) for message in given]


def test_a_changed_result_comes_back_beside_its_unchanged_neighbours() -> None:
    adapter, (use, first, second, words) = taken(USES, RESULTS)
    back = adapter.to_llm([use, with_placeholder(first, "[cleared]"), second, words])
    assert back[0] is USES
    assert back[1].role == "user"
    assert [block.get("content", block.get("text")) for block in back[1].content] == ["[cleared]", "two", "Go on."]


def test_what_is_left_of_a_message_comes_back_without_the_rest() -> None:
    adapter, (_, first, _, words) = taken(USES, RESULTS)
    (back,) = adapter.to_llm([first, words])
    assert back.content == [RESULTS.content[0], RESULTS.content[2]]


def test_a_result_without_an_id_answers_the_oldest_call_that_waits() -> None:
    calls = LLMMessage("assistant", None, [call("a"), call("b")])
    _, (_, first, second) = taken(calls, LLMMessage("tool", "one"), LLMMessage("tool", "two"))
    assert (first.answers, second.answers) == ("a", "b")


def test_it_goes_out_with_the_id_of_that_call() -> None:
    calls = LLMMessage("assistant", None, [call("a"), call("b")])
    adapter, made = taken(calls, LLMMessage("tool", "one", name="look"), LLMMessage("tool", "two"))
    first, second = (message.to_dict() for message in adapter.to_llm(made)[1:])
    assert first == {"role": "tool", "content": "one", "tool_call_id": "a", "name": "look"}
    assert second == {"role": "tool", "content": "two", "tool_call_id": "b"}
    changed = adapter.to_llm([made[0], with_placeholder(made[1], "[cleared]"), made[2]])
    assert changed[1].tool_call_id == "a"


def test_results_without_ids_in_anthropics_form_go_out_with_them() -> None:
    uses = [{"type": "tool_use", "id": each, "name": "look", "input": {}} for each in "ab"]
    bare = [{"type": "tool_result", "content": text} for text in ("one", "two")]
    words = {"type": "text", "text": "Go on."}
    adapter, made = taken(LLMMessage("assistant", uses), LLMMessage("user", [*bare, words]))
    assert [message.answers for message in made[1:3]] == ["a", "b"]
    _, back = adapter.to_llm(made)
    assert [block.get("tool_use_id") for block in back.content] == ["a", "b", None]
    assert adapter.to_llm(made)[1] is back


def test_a_result_in_anthropics_form_that_no_call_waits_for_goes_out_as_words() -> None:
    found = LLMMessage("user", [{"type": "tool_result", "content": "Found 10 results"}])
    adapter, made = taken(LLMMessage("assistant", "I'll search."), found)
    assert adapter.to_llm(made)[1] == LLMMessage("user", [{"type": "text", "text": "Found 10 results"}])


def test_calls_and_results_without_any_ids_find_each_other() -> None:
    _, (caller, result) = taken(LLMMessage("assistant", None, [call("")]), LLMMessage("tool", "one"))
    assert result.answers == caller.calls[0].id == ""


def test_a_result_that_no_call_waits_for_is_kept_as_words() -> None:
    found = LLMMessage("tool", "Found 10 results")
    adapter, made = taken(LLMMessage("assistant", "I'll search."), found)
    assert (made[1].role, made[1].kind, made[1].answers) == ("user", "injected", None)
    assert adapter.to_llm(made)[1] == LLMMessage("user", "Found 10 results")


def test_a_result_with_a_strange_id_stays_the_orphan_that_it_is() -> None:
    _, (_, result) = taken(LLMMessage("assistant", None, [call("a")]), LLMMessage("tool", "?", tool_call_id="z"))
    assert (result.role, result.answers) == ("tool", "z")


@given(conversations(), st.data())
def test_any_conversation_comes_back_as_it_was_given(session: Session, data: st.DataObject) -> None:
    given = [message_of(message.raw) for message in session.messages]
    adapter, made = taken(*given)
    assert len({message.id for message in made}) == len(made)
    bare = [message.answers == "" or not message.text.strip() for message in session.messages]
    back = zip(adapter.to_llm(made), given, bare, strict=True)
    assert all(message is one or nameless for message, one, nameless in back)
    kept = [message for message in made if data.draw(st.booleans())]
    texts = adapter.to_llm(kept)
    assert [message.text for message in texts if message.text] == [message.text for message in kept if message.text]


def test_blocks_may_be_the_objects_of_an_sdk() -> None:
    call = SimpleNamespace(type="tool_use", id="c1", name="look", input={"at": 3})
    asks = LLMMessage("assistant", [SimpleNamespace(type="text", text="I look."), call])
    answers = LLMMessage("user", [{"type": "tool_result", "tool_use_id": "c1", "content": "Three."}])
    adapter, made = taken(LLMMessage("user", "Look."), asks, answers)
    assert [call.id for call in made[1].calls] == ["c1"]
    assert made[2].answers == "c1"
    assert adapter.to_llm(made)[1] is asks
    assert asks.to_dict()["content"][1] == {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 3}}
