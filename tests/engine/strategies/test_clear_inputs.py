"""`clear_tool_uses` with `clear_inputs`: the arguments of calls go with their results."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.core.conversation import Dialect, ToolCall
from inspector.engine.strategies import draft_plan
from inspector.engine.strategies.clear_tool_uses import NOTE
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from tests.generated import LONG, Ask, Call, Reply, window_of, work

DIALECTS: tuple[Dialect, ...] = ("openai", "anthropic")
FILE = "src/orders/of/the/month/of/may/in/the/year/of/the/zeppelin.md"


def reads(result: str = LONG * 3) -> Call:
    return Call(reads=FILE, result=result)


def clear(window: Window, **settings: Any) -> Plan:
    return draft_plan(window, "clear_tool_uses", {"keep": 0, "clear_inputs": True} | settings)


def arguments(window: Window, place: int) -> list[str]:
    return [part.arguments for part in window.messages[place].parts if isinstance(part, ToolCall)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_calls_lose_their_arguments_and_keep_their_names_ids_and_words(dialect: Dialect) -> None:
    window = window_of(Ask(), Reply("Looking.", (reads(), reads())), Reply("Done."), Ask(), dialect=dialect)
    plan = clear(window)
    after = apply(window, plan)
    assert FILE in window.messages[1].text
    assert arguments(after, 1) == ["{}", "{}"]
    assert after.messages[1].calls == window.messages[1].calls
    assert after.messages[1].text.startswith("Looking.")
    assert [message.text for message in after.messages[2:4]] == [NOTE, NOTE]
    assert plan.by_id["m1"].kind == "trimmed"
    assert plan.by_id["m1"].reason == "its results were cleared, and its arguments with them"
    assert after.tokens[1] < window.tokens[1]
    assert {key: value for key, value in after.messages[1].raw.items() if key not in ("content", "tool_calls")} == {
        key: value for key, value in window.messages[1].raw.items() if key not in ("content", "tool_calls")
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_arguments_stay_where_they_are_not_to_be_cleared(dialect: Dialect) -> None:
    window = window_of(Ask(), Reply(None, (reads(),)), Reply("Done."), Ask(), dialect=dialect)
    assert arguments(apply(window, clear(window, clear_inputs=False)), 1) == arguments(window, 1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_batch_of_which_one_result_stays_keeps_all_its_arguments(dialect: Dialect) -> None:
    for last in (reads("short"), reads()):
        window = window_of(Ask(), Reply(None, (reads(), last)), Reply("Done."), Ask(), dialect=dialect)
        after = apply(window, clear(window, keep=0 if last.result == "short" else 1))
        assert after.messages[2].text == NOTE
        assert arguments(after, 1) == arguments(window, 1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_newest_step_pinned_and_waiting_calls_keep_their_arguments(dialect: Dialect) -> None:
    call = Reply(None, (reads(),))
    window = window_of(Ask(), call, call, call, dialect=dialect, pinned=["m3"])
    after = apply(window, clear(window))
    assert arguments(after, 1) == ["{}"]
    assert arguments(after, 3) == arguments(window, 3)
    assert arguments(after, 5) == arguments(window, 5)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_second_pass_finds_them_cleared_and_what_was_cleared_before_can_lose_its_arguments_later(
    dialect: Dialect,
) -> None:
    window = window_of(Ask(), Reply(None, (reads(),)), work(result=LONG * 3), Ask(), dialect=dialect)
    once = apply(window, clear(window))
    assert not clear(once).alters
    results = apply(window, clear(window, clear_inputs=False))
    assert arguments(apply(results, clear(results)), 1) == ["{}"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tokens_of_arguments_count_towards_what_has_to_be_won(dialect: Dialect) -> None:
    window = window_of(Ask(), Reply(None, (reads(),)), Reply("Done."), Ask(), dialect=dialect)
    won = window.total - apply(window, clear(window)).total
    assert clear(window, clear_at_least=won).alters
    assert not clear(window, clear_at_least=won + 1).alters
    assert not clear(window, clear_at_least=won, clear_inputs=False).alters


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_without_an_answer_beside_a_cleared_one_leaves_and_the_other_stays_cleared(dialect: Dialect) -> None:
    window = window_of(
        Ask(), Reply("Looking.", (reads(), Call(reads=FILE, answer="never"))), Reply(), Ask(), dialect=dialect
    )
    after = apply(window, clear(window))
    assert arguments(after, 1) == ["{}"]
    assert not clear(after).alters
