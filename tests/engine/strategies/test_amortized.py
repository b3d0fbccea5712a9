"""Past the limit, half is forgotten at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspector.engine.strategies import draft_plan
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from tests.engine.strategies.passes import Stack, saying
from tests.generated import LONG, Ask, Inject, Reply, Step, Stray, Summary, System, window_of, work

TALK: tuple[Step, ...] = (System(), Ask(LONG), *(Reply(f"{number} {LONG}") for number in range(9)), Ask("Now?"))
"""m0 system, m1 the task, m2 to m10 replies, m11 the request: eleven that are counted."""


def amortized(window: Window, **settings: Any) -> Plan:
    return draft_plan(window, "amortized", {"keep_first": 0} | settings, saying("They talked."))


def left(window: Window, **settings: Any) -> str:
    return " ".join(apply(window, amortized(window, **settings)).ids)


def test_up_to_the_limit_nothing_is_forgotten() -> None:
    window = window_of(*TALK)
    plan = amortized(window, limit=11)
    assert not plan.alters
    assert plan.note == "11 messages do not exceed the limit of 11"


def test_one_past_it_the_oldest_are_forgotten_until_half_the_limit_is_left() -> None:
    window = window_of(*TALK)
    plan = amortized(window, limit=10)
    assert left(window, limit=10) == "m0 m1 m8 m9 m10 m11"
    assert plan.by_id["m2"].reason == "removed with half of 10 messages"
    assert plan.by_id["m8"].reason == "in the newer half of 10 messages"
    assert plan.note == ""


def test_the_first_few_stay() -> None:
    window = window_of(*TALK)
    assert left(window, limit=10, keep_first=3) == "m0 m1 m2 m3 m10 m11"
    assert amortized(window, limit=10, keep_first=3).by_id["m3"].reason == "among the first 3 messages"
    assert left(window, limit=10, keep_first=20) == " ".join(window.ids)


def test_it_is_done_once_in_half_a_limit_and_not_at_every_step() -> None:
    result = []
    for count in range(4, 40):
        stack = Stack(window_of(Ask(), *(Reply(f"{number}.") for number in range(count)), Ask("Now?")))
        result.append(stack.put("amortized", {"limit": 20, "keep_first": 0}).after)
    assert all(len(after.messages) <= 20 for after in result)
    longer = apply(result[-1], amortized(result[-1], limit=20))
    assert longer.messages == result[-1].messages


def test_forgotten_messages_may_be_summarised_instead_with_an_earlier_summary_taken_in() -> None:
    window = window_of(Summary(LONG), *TALK[1:])
    plan = amortized(window, limit=10, forgotten="summarised")
    assert plan.sources("summary 1") == tuple(f"m{place}" for place in range(7))
    assert left(window, limit=10, forgotten="summarised") == "summary 1 m7 m8 m9 m10 m11"


def test_a_summary_counts_toward_the_limit() -> None:
    plan = amortized(window_of(Reply(LONG * 3), work()), limit=2, forgotten="summarised")
    assert plan.summaries and plan.note == "3 messages remain, because they are protected"


def test_an_earlier_summary_is_not_forgotten_and_counts_as_a_message() -> None:
    window = window_of(Summary(LONG), Inject(), Reply(), Reply(), Reply(), Ask())
    assert left(window, limit=4) == "m0 m5"
    assert left(window, limit=6) == " ".join(window.ids)


def test_system_messages_are_not_counted_even_where_they_may_leave() -> None:
    window = replace(window_of(*TALK), preserve_system=False)
    assert left(window, limit=10) == "m1 m8 m9 m10 m11"
    assert left(window, limit=11) == " ".join(window.ids)


def test_results_that_leave_in_any_case_are_not_counted_either() -> None:
    window = window_of(Ask(), Stray(), Reply(), Ask())
    assert left(window, limit=3) == "m0 m2 m3"


def test_a_call_leaves_with_its_results_though_fewer_would_do() -> None:
    window = window_of(Ask(), Reply(), Reply(), work("now", "now", "now", "now"), Reply(), Reply(), Ask())
    assert left(window, limit=10) == "m0 m8 m9 m10"


def test_where_too_much_may_not_leave_the_plan_says_so() -> None:
    window = window_of(*TALK, pinned=["m3", "m4", "m5"])
    plan = amortized(window, limit=2)
    assert left(window, limit=2) == "m0 m1 m3 m4 m5 m11"
    assert plan.note == "5 messages remain, because they are protected"
