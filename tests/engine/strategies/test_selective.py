"""What matters stays word for word, the rest becomes one summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inspector.core.conversation import Message
from inspector.engine.strategies import Services, draft_plan
from inspector.engine.strategies.mask_observations import MASK
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from inspector.llm.tokens.counting import FRAME
from tests.engine.strategies.passes import saying
from tests.generated import LONG, Ask, Call, Inject, Reply, Step, Summary, window_of, work

HUGE = 2_000_000
LIKE_A_FILE = "a line of it\n" * 400
"""More than 2,000 characters."""


def selective(window: Window, services: Services | None = None, **settings: Any) -> Plan:
    value = {"keep_recent": 1, "target": HUGE} | settings
    return draft_plan(window, "selective", value, services or saying("They talked."))


def kinds(plan: Plan) -> dict[str, str]:
    return {name: fate.kind for name, fate in plan.by_id.items()}


MIXED: tuple[Step, ...] = (
    Ask("The task."),
    Reply("Plain talk that goes on and on, about this and that." * 3),
    work(content="Looking.", result="3 rows"),
    Reply("It is CRITICAL that the table stays."),
    Inject("More plain talk that a program put in." * 3),
    Reply(None, (Call(result="no such table", is_error=True),)),
    Ask("And now?"),
)
"""m0 task, m1 talk, m2 call, m3 result, m4 marked, m5 talk, m6 call, m7 its failed result, m8 request."""


def test_calls_errors_and_marked_words_stay_and_the_rest_becomes_one_summary() -> None:
    plan = selective(window_of(*MIXED))
    assert plan.sources("summary 1") == ("m1", "m5")
    assert apply(window_of(*MIXED), plan).ids == ("m0", "summary 1", "m2", "m3", "m4", "m6", "m7", "m8")


def test_each_that_stays_says_what_it_matters_for() -> None:
    plan = selective(window_of(*MIXED))
    assert plan.by_id["m3"].reason == "tool calls and their results"
    assert plan.by_id["m4"].reason == "contains a marking word"
    assert plan.by_id["m6"].reason == plan.by_id["m7"].reason == "reports an error"
    assert plan.by_id["m8"].reason == "the current request"


def test_without_tools_their_calls_and_results_go_into_the_summary_but_errors_stay() -> None:
    plan = selective(window_of(*MIXED), tools=False)
    assert plan.sources("summary 1") == ("m1", "m2", "m3", "m5")
    assert kinds(plan)["m7"] == "kept"


def test_a_pinned_message_stays_and_so_do_the_newest() -> None:
    window = window_of(*MIXED, pinned=["m5"])
    assert selective(window).sources("summary 1") == ("m1",)
    plan = selective(window, keep_recent=20)
    assert not plan.alters
    assert plan.by_id["m1"].reason == "among the newest 20 messages"


def test_words_of_ones_own_mark_what_stays() -> None:
    plan = selective(window_of(*MIXED), words="this and that")
    assert plan.sources("summary 1") == ("m4", "m5")


def test_an_earlier_summary_is_taken_into_the_new_one_however_it_is_worded() -> None:
    window = window_of(Summary(f"It is critical. {LONG}"), *MIXED[1:])
    assert selective(window).sources("summary 1") == ("m0", "m1", "m5")


TOO_MUCH: tuple[Step, ...] = (
    Ask("The task."),
    *(work(result=f"{number} {LIKE_A_FILE}") for number in range(4)),
    Reply(None, (Call(result=f"Error: {LIKE_A_FILE}", is_error=True),)),
    Ask("And now?"),
)
"""m0 task; m2, m4, m6, m8 long results; m10 a long error; m11 request."""


def test_what_is_kept_is_masked_from_the_oldest_on_until_the_target_is_met() -> None:
    window = window_of(*TOO_MUCH)
    one = window.tokens[2]
    for masked in range(5):
        plan = selective(window, target=window.total - masked * (one - 40))
        expected = [f"m{place}" for place in (2, 4, 6, 8)][:masked]
        assert [name for name, kind in kinds(plan).items() if kind == "masked"] == expected
        assert not plan.summaries and not plan.note
        after = apply(window, plan)
        assert after.total <= window.total - masked * (one - 40)
        assert all(after.messages[after.ids.index(name)].text.startswith(MASK) for name in expected)


def test_masking_comes_before_trimming_and_trimming_before_anything_goes_into_the_summary() -> None:
    window = window_of(*TOO_MUCH)
    all_masked = apply(window, selective(window, target=window.total - 4 * (window.tokens[2] - 40))).total
    plan = selective(window, target=all_masked - 100)
    assert [kinds(plan)[name] for name in ("m2", "m4", "m6", "m8")] == ["masked"] * 4
    assert kinds(plan)["m10"] == "trimmed"
    assert plan.by_id["m10"].reason == f"shortened to meet {all_masked - 100:,} tokens"
    assert not plan.summaries
    assert not plan.note


def test_only_when_that_is_not_enough_what_matters_goes_into_the_summary_too() -> None:
    window = window_of(*TOO_MUCH)
    least = apply(window, selective(window, target=window.total - 4 * (window.tokens[2] - 40) - 100)).total
    plan = selective(window, target=least - 500)
    assert plan.sources("summary 1") == tuple(f"m{place}" for place in range(1, 11))
    assert apply(window, plan).total <= least - 500
    assert not plan.note


def test_nothing_old_is_ever_dropped() -> None:
    for target in (0, 100, 500, 1_000, 2_000, 5_000, HUGE):
        for steps in (MIXED, TOO_MUCH):
            window = window_of(*steps)
            assert "dropped" not in selective(window, target=target).counts


def test_the_newest_results_are_never_masked_and_trimmed_only_as_the_last_resort() -> None:
    window = window_of(*TOO_MUCH[:5], Reply("Done."), Ask("And now?"))
    plan = selective(window, keep_recent=4, target=0)
    assert kinds(plan)["m8"] == "trimmed"
    assert kinds(plan)["m6"] == "summarised"
    roomy = selective(window, keep_recent=4, target=window.total - 10)
    assert kinds(roomy)["m8"] == "kept"


def test_the_summary_of_last_resort_is_asked_to_be_as_small_as_there_is_room_for() -> None:
    requests: list[tuple[int, int]] = []

    def summarise(messages: Sequence[Message], target: int, _count: Callable[[str], int]) -> str:
        requests.append((len(messages), target))
        return "x" * 4 * target

    window = window_of(*TOO_MUCH)
    plan = selective(window, Services(summarise), target=300, ratio=0.9)
    around = window.total - sum(window.tokens[1:11])
    assert requests == [(10, 300 - around - FRAME)]
    assert apply(window, plan).total == 300
    assert not plan.note


def test_a_target_out_of_reach_is_told() -> None:
    window = window_of(Ask(LONG), Reply(LONG * 4), Ask(LONG))
    plan = selective(window, target=0)
    assert plan.sources("summary 1") == ("m1",)
    after = apply(window, plan).total
    assert plan.note.startswith(
        f"{after:,} tokens remain, because these are kept: the first task ({window.tokens[0]:,}), "
    )
