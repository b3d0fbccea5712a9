"""Failing examples that properties once found, each as a small conversation of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inspector.engine.strategies import STRATEGIES, Services, draft_plan
from inspector.engine.summaries.extractive.summarize import summarise
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.counting import FRAME
from tests.engine.strategies.passes import refusing
from tests.generated import LONG, Ask, Call, Content, Inject, Reply, Stray, System, window_of, work


def drafted(window: Window, name: str, **settings: Any) -> tuple[Plan, Window]:
    plan = draft_plan(window, name, settings)
    return plan, apply(window, plan)


def again(after: Window, plan: Plan) -> Plan:
    return draft_plan(after, plan.strategy, plan.settings)


def test_thinking_that_was_dropped_does_not_come_back_when_a_dead_call_is_taken_out() -> None:
    steps = (Ask(), Reply("Looking.", (Call(), Call(answer="never")), thinking="Let me see. " * 9), Ask(), Ask())
    plan, after = drafted(window_of(*steps, dialect="anthropic"), "clear_thinking", keep=0)
    assert not after.messages[1].thinks
    assert len(after.messages[1].calls) == 1
    assert not again(after, plan).alters


def test_a_dead_call_of_the_older_kind_is_taken_out_too() -> None:
    dead = [Reply(words, (Call(answer="never", older=True),)) for words in ("Looking.", None)]
    plan, after = drafted(window_of(Ask(), *dead, Ask()), "deletion", keep_recent=9)
    assert after.ids == ("m0", "m1", "m3")
    assert "function_call" not in after.messages[1].raw
    assert plan.by_id["m2"].reason == "its call has no result and it has no other content"


def test_entries_that_are_no_calls_do_not_shift_which_call_is_dead() -> None:
    window = window_of(Ask(), work("now", "never", content="Looking."), Ask())
    raw = dict(window.messages[1].raw)
    raw["tool_calls"] = ["no call", *raw["tool_calls"]]
    odd = message_from_raw("m1", raw, "openai")
    _, after = drafted(replace(window, messages=(window.messages[0], odd, *window.messages[2:])), "deletion")
    assert [call.id for call in after.messages[1].calls] == ["call_1"]
    assert after.ids == window.ids


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_a_message_that_lost_its_dead_call_and_then_left_has_no_new_version(name: str) -> None:
    plan, after = drafted(window_of(work("never", "now"), Ask(), Reply("Done.")), name)
    assert plan.by_id["m0"].leaves
    assert "m0" not in after.ids
    assert not plan.rewrites


def test_a_pipeline_with_nothing_to_do_still_takes_out_what_a_provider_would_refuse() -> None:
    plan, after = drafted(window_of(Stray(), Ask()), "pipeline", stages="amortized", target=2_000_000)
    assert after.ids == ("m1",)
    assert plan.by_id["m0"].kind == "dropped"


def test_auto_does_not_count_calls_that_leave_in_any_case() -> None:
    plan, after = drafted(window_of(Ask(), work("never", content="ok"), Ask()), "auto", keep_recent=0, target=0)
    assert plan.note.startswith("picked deletion")
    assert not again(after, plan).alters


def test_two_pictures_of_one_size_are_not_the_same_result() -> None:
    def shot(name: str) -> Content:
        words = {"type": "text", "text": LONG * 3}
        return words, {"type": "image", "source": {"type": "url", "url": f"https://example.org/{name}.png"}}

    same = [Reply(None, (Call(result=shot("a")),)), Reply(None, (Call(result=shot("a")),))]
    other = Reply(None, (Call(result=shot("b")),))
    plan, _ = drafted(window_of(Ask(), *same, other, Ask(), dialect="anthropic"), "dedupe")
    assert [name for name, fate in plan.by_id.items() if fate.kind == "masked"] == ["m2"]
    assert plan.by_id["m2"].reason == "the same, in message m4"


def test_a_failure_is_not_the_same_as_a_success_with_the_same_words() -> None:
    calls = [Reply(None, (Call(result=LONG * 3, is_error=failed),)) for failed in (True, False)]
    plan, _ = drafted(window_of(Ask(), *calls, Ask()), "dedupe", reads=False)
    assert not plan.alters


def test_trimming_the_words_of_a_result_does_not_lose_its_picture() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    result = ({"type": "text", "text": LONG * 9}, picture)
    window = window_of(Ask(), Reply(None, (Call(result=result),)), Ask())
    _, after = drafted(window, "trim_outputs", longest=100)
    assert after.messages[2].images == 1


@pytest.mark.parametrize("most", [3, 5])
def test_system_messages_are_not_counted_by_fifo_even_where_they_may_leave(most: int) -> None:
    window = window_of(System(), Ask(), *[Reply()] * 6, Ask())
    plan, after = drafted(replace(window, preserve_system=False), "fifo", max_messages=most)
    assert len(after.messages) == most
    assert not plan.note


def test_the_older_half_is_taken_again_where_it_was_only_a_summary() -> None:
    first, once = drafted(window_of(Ask(), *[Reply(LONG * 3)] * 9, Ask()), "summarize_half", max_tokens=700)
    assert first.summaries
    second, twice = drafted(once, "summarize_half", max_tokens=300)
    assert once.total > 300 >= twice.total
    assert second.by_id["summary 1"].kind == "summarised"
    assert not again(twice, second).alters


def test_a_summary_of_all_there_is_is_made_to_fit() -> None:
    requests: list[int] = []

    def listen(messages: Any, target: int, count: Any) -> str:
        requests.append(target)
        return summarise(messages, target, count)

    window = window_of(Ask(), *(Reply(f"{number} {LONG * 9}") for number in range(30)), Ask())
    plan = draft_plan(window, "summarize_half", {"max_tokens": 400, "ratio": 0.5}, Services(listen))
    around = window.total - sum(window.tokens[1:-1])
    assert requests == [400 - around - FRAME]
    assert apply(window, plan).total <= 400
    assert not plan.note


def test_what_failed_does_not_even_move_a_result_to_its_call() -> None:
    window = window_of(Ask(LONG), work("later"), Inject(), Reply(LONG * 9), Ask())
    assert [message.role for message in window.messages[1:4]] == ["assistant", "user", "tool"]
    plan = draft_plan(window, "sliding_window", {"keep_recent": 1}, Services(refusing))
    assert apply(window, plan).messages == window.messages


def test_no_reason_speaks_of_the_first_0_messages() -> None:
    plan, _ = drafted(window_of(Ask(), *[Reply(LONG)] * 6, Ask()), "amortized", limit=4, keep_first=0)
    assert not [fate for fate in plan.fates if "first 0" in fate.reason]


def test_a_summary_of_a_system_message_stands_where_that_would_have_led() -> None:
    window = window_of(work("now", "twice", content=LONG), System(LONG * 3), Reply("Done."))
    window = replace(window, preserve_system=False)
    value: dict[str, Any] = {"keep_recent": 1}
    at_once = draft_plan(window, "pipeline", {"stages": "dedupe; sliding_window keep_recent=1", "target": 0})
    mended = apply(window, draft_plan(window, "dedupe"))
    one_by_one = apply(mended, draft_plan(mended, "sliding_window", value))
    assert (
        apply(window, at_once).ids == one_by_one.ids == apply(window, draft_plan(window, "sliding_window", value)).ids
    )
    assert one_by_one.ids[0] == "summary 1"
