"""Old messages are archived, and those that have to do with the request come back as excerpts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from inspector.strategies import Services, draft_plan
from inspector.strategies.vector_swap import EXCERPT, came_back
from inspector.window.plan import Plan, apply
from inspector.window.window import Window
from tests.generated import LONG, Ask, Call, Inject, Reply, Step, Summary, System, window_of, work
from tests.strategies.passes import Stack


class Found:
    """A search that always finds the same places, and remembers what it was asked for."""

    def __init__(self, *places: int) -> None:
        self.places = places
        self.asked: list[tuple[str, list[int], int]] = []

    def __call__(self, _window: Window, words: str, places: Sequence[int], most: int) -> list[tuple[int, float]]:
        self.asked.append((words, list(places), most))
        return [(place, 9.5 - number) for number, place in enumerate(self.places) if place in places][:most]


def swap(window: Window, *places: int, **settings: Any) -> Plan:
    return draft_plan(window, "vector_swap", {"keep_last": 1, "k": 2} | settings, Services(search=Found(*places)))


def kinds(plan: Plan) -> dict[str, str]:
    return {name: fate.kind for name, fate in plan.by_id.items()}


TALK: tuple[Step, ...] = (
    System(),
    Ask("The task."),
    *(Reply(f"Answer {number}. " * 60) for number in range(6)),
    Ask("What of the zeppelin?"),
)
"""m0 system, m1 the task, m2 to m7 long answers, m8 the request."""


def test_all_that_is_old_is_archived_and_what_the_search_finds_comes_back() -> None:
    window = window_of(*TALK)
    plan = swap(window, 6, 3)
    assert kinds(plan) == {
        **dict.fromkeys(("m2", "m4", "m5", "m7"), "archived"),
        **dict.fromkeys(("m3", "m6"), "retrieved"),
        "m0": "kept",
        "m1": "pinned",
        "m8": "pinned",
    }
    assert plan.by_id["m2"].reason == "older than the newest 1 messages"
    assert plan.by_id["m6"].reason == "among the 2 most relevant to the current request, score 9.50"
    assert not plan.note


def test_the_search_is_asked_for_the_words_of_the_request_among_what_was_archived() -> None:
    search = Found()
    window = window_of(*TALK)
    draft_plan(window, "vector_swap", {"keep_last": 3, "k": 2}, Services(search=search))
    assert search.asked == [("What of the zeppelin?", [2, 3, 4, 5], 8)]


def test_what_comes_back_is_an_excerpt_in_the_memory_section_where_it_stood() -> None:
    window = window_of(*TALK)
    after = apply(window, swap(window, 3, excerpt=200))
    assert after.ids == ("m0", "m1", "m3", "m8")
    back = after.messages[2]
    assert dict(zip(after.ids, after.sections, strict=True))["m3"] == "memory"
    assert (back.role, back.kind) == ("user", "injected")
    assert back.text.startswith(f"{EXCERPT}assistant]\n")
    assert "Answer 1." in back.text
    assert len(back.text) <= 200 + len(f"{EXCERPT}assistant]\n")
    assert came_back(back) and not came_back(window.messages[3])


def test_an_excerpt_is_the_part_that_has_to_do_with_the_request() -> None:
    window = window_of(Ask(), Reply(f"{LONG * 9} The zeppelin is grey. {LONG * 9}"), *TALK[2:])
    plan = draft_plan(window, "vector_swap", {"keep_last": 1, "k": 1, "excerpt": 100})
    assert kinds(plan)["m1"] == "retrieved"
    assert "The zeppelin is grey." in apply(window, plan).messages[1].text


def test_a_short_message_comes_back_whole() -> None:
    window = window_of(Ask(), Reply("It is grey."), *TALK[2:])
    after = apply(window, swap(window, 1))
    assert after.messages[1] is window.messages[1]


def test_calls_come_back_with_their_results_as_one_excerpt_without_thinking() -> None:
    steps = (Ask(), Reply("Looking.", (Call(result=LONG * 20), Call(result="grey")), thinking="It may be grey. " * 9))
    window = window_of(*steps, *TALK[2:], dialect="anthropic")
    plan = swap(window, 3)
    after = apply(window, plan)
    assert [kinds(plan)[name] for name in ("m1", "m2", "m3")] == ["retrieved", "archived", "archived"]
    assert plan.by_id["m3"].reason == "what comes back of it is in message m1"
    assert after.messages[1].text.startswith(f"{EXCERPT}assistant]\nLooking.\n\nquery(")
    assert not after.messages[1].calls
    assert "It may be grey." not in after.messages[1].text


def test_no_more_come_back_than_asked_for_and_several_hits_in_one_group_count_once() -> None:
    window = window_of(Ask(), work("now", "now", result=LONG * 20), *TALK[2:])
    plan = swap(window, 1, 2, 3, 4, 5)
    assert [name for name, kind in kinds(plan).items() if kind == "retrieved"] == ["m1", "m4"]
    assert plan.by_id["m1"].reason.endswith("score 9.50"), "that of the best"
    assert "retrieved" not in kinds(swap(window, 1, 2, 3, k=0)).values()


def test_where_no_more_are_old_than_may_come_back_all_of_them_do() -> None:
    window = window_of(*TALK)
    plan = swap(window, keep_last=5, k=2)
    assert [name for name, kind in kinds(plan).items() if kind == "retrieved"] == ["m2", "m3"]
    assert plan.by_id["m2"].reason == "there is room for all 2 of that age"


def test_what_came_back_before_stays_as_long_as_there_is_room_the_newest_first() -> None:
    stack = Stack(window_of(*TALK))
    stack.put("vector_swap", {"keep_last": 1, "k": 2, "excerpt": 200}, Services(search=Found(3, 5)))
    again = stack.put("vector_swap", {"keep_last": 1, "k": 2, "excerpt": 200}, Services(search=Found()))
    assert not again.plan.alters
    fewer = stack.put("vector_swap", {"keep_last": 1, "k": 1, "excerpt": 200}, Services(search=Found()))
    assert kinds(fewer.plan)["m3"] == "archived"
    assert fewer.plan.by_id["m5"].reason == "it came back before, and there is room for it"


def test_a_better_hit_takes_the_place_of_what_came_back_before() -> None:
    window = window_of(*TALK[:5], Inject(f"{EXCERPT}assistant]\nIt was grey. {LONG * 3}"), *TALK[5:])
    plan = swap(window, 2, k=1)
    assert kinds(plan)["m2"] == "retrieved"
    assert kinds(plan)["m5"] == "archived"


def test_without_a_request_nothing_can_be_relevant() -> None:
    search = Found(1)
    window = window_of(Inject(LONG), Reply(LONG * 9), Reply(LONG * 9), Reply("Done."))
    plan = draft_plan(window, "vector_swap", {"keep_last": 1, "k": 1}, Services(search=search))
    assert not search.asked
    assert apply(window, plan).ids == ("m0", "m3")


def test_an_earlier_summary_stays_and_is_not_searched() -> None:
    search = Found(0)
    window = window_of(Summary(LONG), *TALK[2:])
    plan = draft_plan(window, "vector_swap", {"keep_last": 1, "k": 1}, Services(search=search))
    assert plan.by_id["m0"].reason == "an earlier summary is never dropped"
    assert all(0 not in places for _, places, _ in search.asked)


@pytest.mark.parametrize("keep_last", [0, 100_000])
def test_none_and_all_may_be_the_newest(keep_last: int) -> None:
    window = window_of(*TALK)
    plan = swap(window, keep_last=keep_last, k=0)
    assert apply(window, plan).ids == (("m0", "m1", "m8") if keep_last == 0 else window.ids)


def test_by_default_the_words_of_the_request_are_looked_for_in_the_messages_themselves() -> None:
    answers = [Reply(f"Answer {number}. {LONG}") for number in range(20)]
    window = window_of(
        Ask("The task."),
        *answers,
        Reply(f"The zeppelin is grey. {LONG}"),
        *[Reply(LONG)] * 5,
        Ask("What of the zeppelin?"),
    )
    plan = draft_plan(window, "vector_swap", {"keep_last": 1, "k": 1})
    assert [name for name, kind in kinds(plan).items() if kind == "retrieved"] == ["m21"]
    assert float(plan.by_id["m21"].reason.rpartition(" ")[2]) > 0
