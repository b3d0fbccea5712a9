"""What a provider would refuse, in its own words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from inspector.core.conversation import Dialect, Message, ProviderName
from inspector.engine.window import Window, at_turn
from inspector.engine.window.window import problems
from inspector.llm.providers import PROVIDERS, message_from_raw, wire_of
from tests.generated import Ask, Call, Inject, Notice, Reply, Stray, System, recorded, sized, window_of, windows, work
from tests.provider_rules import check_anthropic, check_openai
from tests.refusals import THINKING_CHANGED, THINKING_GONE
from tests.responses_rules import check_responses


def texts(window: Window, provider: ProviderName | None = None) -> list[str]:
    return [problem.text for problem in problems(window, provider)]


def test_a_sound_window_has_no_problems() -> None:
    for dialect in ("openai", "anthropic"):
        window = window_of(System(), Ask(), work("now", "now"), Reply(), Ask(), dialect=dialect)
        assert problems(window) == ()


def test_a_result_without_a_call_is_refused_in_the_words_of_openai() -> None:
    (problem,) = problems(window_of(Ask(), Stray("x"), Ask()))
    assert problem.text == (
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
    )
    assert problem.message == "m1"


def test_a_result_without_a_call_is_refused_in_the_words_of_anthropic() -> None:
    (problem,) = problems(window_of(Ask(), Stray("x"), Ask(), dialect="anthropic"))
    assert problem.text == (
        "unexpected `tool_use_id` found in `tool_result` blocks: x. Each `tool_result` block must have a corresponding"
        " `tool_use` block in the previous message."
    )


def test_a_call_that_nothing_answers_is_refused_with_its_id() -> None:
    reply = Reply(calls=(Call("a"), Call("b", "never"), Call("c", "never")))
    (problem,) = problems(window_of(Ask(), reply, Ask()))
    assert problem.text == (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
        " The following tool_call_ids did not have response messages: b, c"
    )
    (problem,) = problems(window_of(Ask(), reply, Ask(), dialect="anthropic"))
    assert problem.text.startswith("`tool_use` ids were found without `tool_result` blocks immediately after: b, c.")
    assert problem.message == "m1"


def test_a_live_call_is_no_problem() -> None:
    assert problems(window_of(Ask(), work("now", "never"))) == ()


def test_a_second_result_of_one_call_is_refused() -> None:
    assert len(problems(window_of(Ask(), work("twice"), Ask()))) == 1


@pytest.mark.parametrize("between", [Inject(), System(), Ask()])
def test_a_result_that_stands_away_from_its_call_leaves_the_call_unanswered(between: Inject | System | Ask) -> None:
    window = window_of(Ask(), work("later"), between)
    assert [message.role for message in window.messages][-1] == "tool"
    (problem,) = problems(window)
    assert problem.message == "m1"
    assert problem.text.endswith("The following tool_call_ids did not have response messages: call_1")


def test_system_messages_stand_between_nothing_where_they_are_set_apart() -> None:
    window = window_of(Ask(), work("later"), System(), dialect="anthropic")
    assert texts(window, "anthropic") == []
    assert len(texts(window, "openai")) == 1


def test_responses_finds_a_result_wherever_it_stands() -> None:
    window = window_of(Ask(), work("later"), Inject())
    assert texts(window, "openai-responses") == []
    assert len(texts(window, "anthropic")) == 1


def test_results_of_two_replies_that_are_mixed_up_are_refused() -> None:
    window = window_of(Ask(), Reply(calls=(Call("a"), Call("b", "later"))), Reply(calls=(Call("c"),)))
    assert [message.answers for message in window.messages] == [None, None, "a", None, "c", "b"]
    assert [(problem.message, problem.text[-1]) for problem in problems(window)] == [("m1", "b")]


def test_responses_names_each_call_and_each_result_that_has_no_other() -> None:
    reply = Reply(calls=(Call("a"), Call("b", "never"), Call("c", "never")))
    assert texts(window_of(Ask(), reply, Stray("x"), Ask()), "openai-responses") == [
        "No tool output found for function call b.",
        "No tool output found for function call c.",
        "No tool call found for function call output with call_id x.",
    ]


def test_a_second_result_of_one_call_is_told_from_one_that_nobody_asked_for() -> None:
    window = window_of(Ask(), work("twice"), Ask(), dialect="anthropic")
    assert [message.answers for message in window.messages] == [None, None, "call_1", None, "call_1"]
    assert texts(window)[0].startswith("unexpected `tool_use_id` found")
    doubled = replace(window, messages=(*window.messages[:3], window.messages[4]), tokens=window.tokens[:4])
    assert texts(doubled) == [
        "each tool_use must have a single result. Found multiple `tool_result` blocks with id: call_1"
    ]
    assert texts(doubled, "openai-responses") == ["Duplicate function_call_output for call_id call_1."]


def test_only_anthropic_wants_the_user_to_begin() -> None:
    window = window_of(System(), Reply(), Ask())
    assert texts(window, "openai") == []
    assert texts(window, "anthropic") == ['messages: first message must use the "user" role']
    assert problems(window, "anthropic")[0].message == "m1"


def test_a_result_at_the_beginning_is_a_user_message_to_anthropic() -> None:
    assert len(problems(window_of(Stray(), Ask(), dialect="anthropic"))) == 1


def test_a_window_before_which_nothing_was_sent_has_nothing_to_refuse() -> None:
    assert texts(window_of(Notice())) == []
    assert texts(window_of(Reply(), Ask(), turn=1), "anthropic") == []


def test_a_session_without_messages_has_nothing_to_refuse() -> None:
    session = recorded([])
    assert problems(at_turn(session, sized(session))) == ()


def test_a_window_that_was_emptied_is_refused_as_a_whole() -> None:
    emptied = replace(window_of(Ask(), Reply()), messages=(), tokens=())
    assert [problem.message for provider in PROVIDERS for problem in problems(emptied, provider)] == [None] * 3
    assert texts(emptied, "openai") == ["[] is too short - 'messages'"]
    assert texts(emptied, "anthropic") == ["messages: at least one message is required"]
    assert texts(emptied, "openai-responses")[0].startswith('One of "input" or "previous_response_id"')


def test_system_messages_alone_are_no_conversation_where_they_are_set_apart() -> None:
    window = window_of(System(), dialect="anthropic")
    assert [len(texts(window, provider)) for provider in ("openai", "openai-responses", "anthropic")] == [0, 1, 1]


def test_thinking_of_the_newest_step_may_not_be_taken_out_while_its_tools_answer() -> None:
    step = Reply("Looking.", (Call(),), thinking="Let me see.")
    window = window_of(Ask(), step, dialect="anthropic")
    assert texts(window) == []
    assert texts(without_thoughts(window, 1)) == [THINKING_GONE]
    assert texts(without_thoughts(window, 1, "Let me sea.")) == [THINKING_CHANGED]
    assert texts(without_thoughts(window, 1), "openai") == []


def test_thinking_of_earlier_steps_and_turns_may_leave() -> None:
    step = Reply("Looking.", (Call(),), thinking="Let me see.")
    assert texts(without_thoughts(window_of(Ask(), step, step, dialect="anthropic"), 1)) == []
    assert texts(without_thoughts(window_of(Ask(), step, Ask(), dialect="anthropic"), 1)) == []
    assert texts(without_thoughts(window_of(Ask(), Reply(thinking="Hm."), dialect="anthropic"), 1)) == []


def without_thoughts(window: Window, place: int, instead: str = "") -> Window:
    """The window with one message's thinking taken out, or put in other words."""
    old = window.messages[place]
    blocks = [block for block in old.raw["content"] if block["type"] != "thinking"]
    if instead:
        blocks = [{"type": "thinking", "thinking": instead, "signature": "c2ln"}, *blocks]
    new = message_from_raw(old.id, {**old.raw, "content": blocks}, old.dialect)
    return replace(window, messages=tuple(new if message is old else message for message in window.messages))


@given(windows(), st.sampled_from(sorted(PROVIDERS)))
def test_what_is_refused_is_always_one_of_the_windows_own_messages_and_said_once(
    window: Window, provider: ProviderName
) -> None:
    result = problems(window, provider)
    assert {problem.message for problem in result} <= {*window.ids, None}
    assert len({(problem.message, problem.text) for problem in result}) == len(result)
    places = [window.ids.index(problem.message) if problem.message else -1 for problem in result]
    assert places == sorted(places)


@given(windows(), st.sampled_from(sorted(PROVIDERS)))
def test_what_is_known_to_have_no_flaw_has_none_when_it_is_read(window: Window, provider: ProviderName) -> None:
    unknown = tuple(replace(message, has_flaw=None) for message in window.messages)
    assert problems(replace(window, messages=unknown, originals={}), provider) == problems(
        replace(window, originals={}), provider
    )


@given(windows(pins=False), st.sampled_from(sorted(PROVIDERS)))
def test_the_badge_says_what_the_rules_say_of_the_window_sent_as_it_stands(
    window: Window, provider: ProviderName
) -> None:
    assume(not window.live and window.messages)
    lines = {kind_of(problem.text) for problem in problems(window, provider)} - {""}
    refused = {kind_of(words) for words in sent_as_it_stands(window, provider)} - {""}
    if "id" in lines | refused:  # which result belongs to which call is anybody's guess
        assert lines and refused
        return
    older = any("function_call" in message.raw for message in window.messages)
    assert lines - ({"unanswered"} if older else set()) <= refused  # a call of the old form is let through without one
    settled = {"orphan"} if "unanswered" in lines else set()  # of a result that strayed, the call is named alone
    if window.context.dialect != provider:
        settled.add("content")  # blanks in a form that is written anew anyway
    assert refused - lines <= settled


KINDS = {
    "orphan": ("must be a response", "unexpected `tool_use_id`", "No tool call found", "single result", "call_output"),
    "unanswered": ("did not have response messages", "without `tool_result`", "No tool output found"),
    "id": ("ids must be unique", "Duplicate", "].id'", "call_id'", "tool_use.id"),
    "content": ("got null", "empty array", "non-empty", "non-whitespace", "cannot be empty", "valid list", "trailing"),
    "nothing": ("too short", "at least one message", "must be provided"),
    "opening": ("first message must",),
}


def kind_of(words: str) -> str:
    """What a refusal speaks of. Empty for what is no fault of the window: neighbours that could be joined, which
    side may show a picture, where thinking stands; an export settles those without losing anything."""
    if words.startswith("system"):
        return ""
    return next((kind for kind, marks in KINDS.items() if any(mark in words for mark in marks)), "")


def sent_as_it_stands(window: Window, provider: ProviderName) -> list[str]:
    """The refusals of the plainest request there is: the messages one by one, nothing mended."""
    if provider == "openai":
        raws = [one_raw(message, "openai") for message in window.messages]
        return check_openai({"model": "m", "messages": raws})
    talk = [message for message in window.messages if message.role != "system"]
    if provider == "openai-responses":
        return check_responses({"model": "m", "input": [item for message in talk for item in items_of(message)]})
    items: list[dict[str, Any]] = []
    for message, before in zip(talk, [None, *talk], strict=False):
        raw = one_raw(message, "anthropic")
        if message.role == "tool" and before is not None and before.role == "tool":
            items[-1] = {"role": "user", "content": [*items[-1]["content"], *raw["content"]]}
        else:
            items.append({"role": raw["role"], "content": raw.get("content") or []})
    tools = [{"name": "query", "input_schema": {"type": "object"}}]
    return check_anthropic({"model": "m", "max_tokens": 9, "tools": tools, "messages": items})


def one_raw(message: Message, dialect: Dialect) -> dict[str, Any]:
    if message.dialect == dialect:
        return dict(message.raw)
    return dict(wire_of(dialect).encode(message.role, message.parts))


def items_of(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.answers, "output": "3"}]
    calls = [{"type": "function_call", "call_id": c.id, "name": c.name, "arguments": "{}"} for c in message.calls]
    return [{"role": message.role, "content": "said"}, *calls]
