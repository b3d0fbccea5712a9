"""What a provider would refuse, in its own words."""

from __future__ import annotations

import pytest
from hypothesis import given

from inspector.conversation import Dialect
from inspector.window.validity import problems
from inspector.window.window import Window, at_turn
from tests.generated import Ask, Call, Inject, Notice, Reply, Stray, System, recorded, sized, window_of, windows, work


def texts(window: Window, provider: Dialect | None = None) -> list[str]:
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
def test_a_result_that_stands_away_from_its_call_is_refused(between: Inject | System | Ask) -> None:
    window = window_of(Ask(), work("later"), between)
    assert [message.role for message in window.messages][-1] == "tool"
    assert [problem.message for problem in problems(window)] == ["m3"]


def test_results_of_two_replies_that_are_mixed_up_are_refused() -> None:
    window = window_of(Ask(), Reply(calls=(Call("a"), Call("b", "later"))), Reply(calls=(Call("c"),)))
    assert [message.answers for message in window.messages] == [None, None, "a", None, "c", "b"]
    assert [problem.message for problem in problems(window)] == ["m5"]


def test_only_anthropic_wants_the_user_to_begin() -> None:
    window = window_of(System(), Reply(), Ask())
    assert texts(window, "openai") == []
    assert texts(window, "anthropic") == ['messages: first message must use the "user" role']
    assert problems(window, "anthropic")[0].message == "m1"


def test_a_result_at_the_beginning_is_a_user_message_to_anthropic() -> None:
    assert len(problems(window_of(Stray(), Ask(), dialect="anthropic"))) == 1


def test_a_window_before_which_nothing_was_sent_has_nothing_to_refuse() -> None:
    assert texts(window_of(Notice())) == []


def test_a_session_without_messages_has_nothing_to_refuse() -> None:
    session = recorded([])
    assert problems(at_turn(session, sized(session))) == ()


@given(windows())
def test_what_is_refused_is_always_one_of_the_windows_own_messages_and_said_once(window: Window) -> None:
    found = problems(window)
    assert {problem.message for problem in found} <= {*window.ids, None}
    assert len({(problem.message, problem.text) for problem in found}) == len(found)
