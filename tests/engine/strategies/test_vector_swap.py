"""Old messages are archived, and so many of the newest stay as there is room for; what comes back is in test_recall."""

from __future__ import annotations

import pytest

from inspector.engine.strategies import RecallSettings, draft_plan, recall_settings
from inspector.engine.strategies.vector_swap import VectorSwapSettings
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from tests.generated import LONG, Ask, Inject, Reply, Step, Summary, System, window_of

TALK: tuple[Step, ...] = (
    System(),
    Ask("The task."),
    *(Reply(f"Answer {number}. {LONG * 2}") for number in range(20)),
    Ask("What of the zeppelin?"),
)
"""m0 system, m1 the task, m2 to m21 long answers, m22 the request."""


def swap(window: Window, **settings: int) -> Plan:
    return draft_plan(window, "vector_swap", settings)


def stay(window: Window, plan: Plan) -> list[str]:
    return list(apply(window, plan).ids)


def test_all_that_is_old_is_archived() -> None:
    window = window_of(*TALK)
    plan = swap(window, keep_last=3)
    assert stay(window, plan) == ["m0", "m1", "m20", "m21", "m22"]
    assert plan.by_id["m2"].kind == "archived"
    assert plan.by_id["m2"].reason == "older than the newest 3 messages"
    assert plan.by_id["m20"].reason == "among the newest 3 messages"
    assert not plan.note


def test_the_last_ten_stay_unless_there_is_no_room_for_them() -> None:
    window = window_of(*TALK)
    assert stay(window, swap(window)) == ["m0", "m1", *(f"m{number}" for number in range(13, 23))]
    room = window.total // 4
    plan = swap(window, max_tokens=room, recall=200)
    after = apply(window, plan)
    assert room - 200 - window.tokens[13] < after.total <= room - 200
    assert after.ids[2:] == tuple(f"m{number}" for number in range(25 - len(after.ids), 23))
    assert plan.by_id["m13"].reason == f"does not fit into {room:,} tokens with retrieved messages"


@pytest.mark.parametrize("settings", [{"recall": 0}, {"k": 0}])
def test_where_nothing_comes_back_the_newest_have_all_the_room(settings: dict[str, int]) -> None:
    window = window_of(*TALK)
    room = window.total // 4
    assert room - window.tokens[13] < apply(window, swap(window, max_tokens=room, **settings)).total <= room


def test_what_comes_back_takes_half_of_the_room_at_most() -> None:
    assert RecallSettings.of({"max_tokens": 600}) == RecallSettings(5, 300, 2_000)
    assert RecallSettings.of({"max_tokens": 600, "recall": 100}).tokens == 100
    assert RecallSettings.of({"k": 0}).is_on is False
    defaults = VectorSwapSettings()
    assert RecallSettings.of({"recall": "many", "what": 3}) == RecallSettings(
        defaults.k, defaults.recall, defaults.excerpt
    )


def test_settings_are_those_of_the_newest_plan_that_archives() -> None:
    window = window_of(*TALK)
    plan, idle = swap(window, keep_last=3, k=2), swap(window, keep_last=100, k=4)
    assert recall_settings([]) is None
    assert recall_settings([idle]) is None
    assert (settings := recall_settings([plan, idle])) is not None and settings.k == 2
    assert recall_settings([plan, swap(window, keep_last=2, recall=0)]) is None


def test_an_earlier_summary_stays() -> None:
    window = window_of(Summary(LONG), *TALK[2:])
    plan = swap(window, keep_last=1)
    assert plan.by_id["m0"].reason == "an earlier summary is never dropped"


def test_without_a_request_the_newest_step_stays() -> None:
    window = window_of(Inject(LONG), Reply(LONG * 9), Reply(LONG * 9), Reply("Done."))
    assert stay(window, swap(window, keep_last=1)) == ["m0", "m3"]


@pytest.mark.parametrize("keep_last", [0, 100_000])
def test_none_and_all_may_be_the_newest(keep_last: int) -> None:
    window = window_of(*TALK)
    assert stay(window, swap(window, keep_last=keep_last)) == (
        ["m0", "m1", "m22"] if keep_last == 0 else list(window.ids)
    )
