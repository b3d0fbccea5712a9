"""What a plan does to a window, and that leaving it out undoes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import BY_HAND, KEPT, UNPINNED, Fate, Plan, apply, manual_plan, view
from inspector.llm.providers import message_from_raw, text_message
from tests.generated import (
    Ask,
    Call,
    Inject,
    Reply,
    Rewind,
    Stray,
    Summary,
    System,
    recorded,
    sized,
    window_of,
    windows,
    work,
)

DROPPED = Fate("dropped", "a test")


def plan_for(
    window: Window, fates: Mapping[str, Fate], *summaries: Message, changed: Mapping[str, Message] | None = None
) -> Plan:
    all_fates = tuple(fates.get(name, KEPT) for name in window.ids)
    return Plan("test", {}, window.ids, all_fates, changed or {}, summaries, window.turn)


def into(id: str) -> Fate:
    return Fate("summarised", "a test", id)


def summary(id: str = "summary 1", text: str = "What was said.") -> Message:
    return text_message(id, "user", text, "openai", kind="summary")


def test_a_plan_that_keeps_everything_leaves_the_very_same_messages() -> None:
    window = window_of(Ask(), work(), System(), Ask())
    plan = plan_for(window, {})
    assert not plan.alters
    assert apply(window, plan).messages == window.messages


def test_what_is_dropped_is_gone_and_everything_else_keeps_its_place_and_size() -> None:
    window = window_of(Ask("one"), Reply("two"), Ask("three"))
    after = apply(window, plan_for(window, {"m1": DROPPED}))
    assert after.ids == ("m0", "m2")
    assert after.tokens == (window.tokens[0], window.tokens[2])
    assert window.ids == ("m0", "m1", "m2")


def test_a_summary_stands_where_the_first_message_that_it_covers_stood() -> None:
    window = window_of(Ask(), Reply(), Ask(), Reply(), Ask())
    after = apply(window, plan_for(window, {"m1": into("s"), "m3": into("s")}, summary("s")))
    assert after.ids == ("m0", "s", "m2", "m4")
    assert after.tokens[1] == window.sizes.measure(summary("s"))


def test_two_summaries_stand_each_in_their_own_place() -> None:
    window = window_of(Ask(), Reply(), Ask(), Reply(), Ask())
    after = apply(window, plan_for(window, {"m1": into("a"), "m3": into("b")}, summary("a"), summary("b")))
    assert after.ids == ("m0", "a", "m2", "b", "m4")


def test_a_summary_never_stands_before_the_first_task() -> None:
    window = window_of(Inject(), Ask(), Reply(), Ask())
    after = apply(window, plan_for(window, {"m0": into("s"), "m2": into("s")}, summary("s")))
    assert after.ids == ("m1", "s", "m3")
    assert after.task == 0


def test_a_summary_of_what_came_before_the_only_request_stands_behind_it() -> None:
    window = window_of(Inject(), Ask())
    after = apply(window, plan_for(window, {"m0": into("s")}, summary("s")))
    assert after.ids == ("m1", "s")
    assert len(after.tokens) == 2


def test_a_summary_of_messages_that_are_not_in_the_window_is_not_put_in() -> None:
    window = window_of(Ask(), Reply())
    plan = Plan("test", {}, ("elsewhere",), (into("s"),), summaries=(summary("s"),))
    assert apply(window, plan).ids == ("m0", "m1")


def test_a_summary_of_messages_that_are_only_partly_there_is_left_out_and_they_stay() -> None:
    window = window_of(Ask(), Reply(), Reply())
    plan = Plan("test", {}, ("elsewhere", "m1", "m2"), (into("s"), into("s"), DROPPED), summaries=(summary("s"),))
    assert apply(window, plan).ids == ("m0", "m1")


def test_where_the_conversation_took_another_way_a_summary_does_not_tell_of_the_first() -> None:
    session = recorded([Ask(), Reply("one"), Ask("two"), Reply("three"), Rewind(2), Ask("four")])
    plan = plan_for(at_turn(session, sized(session), 2), {"m1": into("s"), "m2": into("s")}, summary("s"))
    assert view(at_turn(session, sized(session), 2), [plan]).ids == ("m0", "s")
    assert view(at_turn(session, sized(session)), [plan]).ids == ("m0", "m1", "m4")


def test_a_summary_does_not_take_a_name_that_is_in_use() -> None:
    window = window_of(Ask(), Reply())
    assert apply(window, plan_for(window, {"m1": into("m0")}, summary("m0"))).ids == ("m0", "m1")


def test_a_changed_message_takes_the_place_and_its_own_size() -> None:
    window = window_of(Ask(), work("now", result="a long result " * 20))
    short = message_from_raw("m2", {"role": "tool", "tool_call_id": "call_1", "content": "short"}, "openai")
    after = apply(window, plan_for(window, {"m2": Fate("masked", "a test")}, changed={"m2": short}))
    assert after.messages[2] is short
    assert after.tokens[2] == window.sizes.measure(short) < window.tokens[2]


def test_a_trimmed_message_never_counts_more_than_the_whole_did() -> None:
    window = window_of(Ask(), Reply("A reply of some length."))
    window = replace(window, tokens=(5, 1))
    shorter = text_message("m1", "assistant", "A reply.", "openai")
    after = apply(window, plan_for(window, {"m1": Fate("trimmed", "a test")}, changed={"m1": shorter}))
    assert after.tokens == (5, 1)


def test_when_something_leaves_system_messages_lead_and_results_stand_behind_their_calls() -> None:
    window = window_of(Ask(), work("later"), Inject(), System(), Reply())
    assert [message.role for message in window.messages] == ["user", "assistant", "user", "tool", "system", "assistant"]
    after = apply(window, plan_for(window, {"m5": DROPPED}))
    assert after.ids == ("m4", "m0", "m1", "m3", "m2")
    assert after.tokens == tuple(window.tokens[window.ids.index(name)] for name in after.ids)


def test_when_nothing_leaves_only_results_away_from_their_calls_move() -> None:
    window = window_of(Ask(), work("later"), Inject(), System())
    assert apply(window, plan_for(window, {})).ids == ("m0", "m1", "m3", "m2", "m4")


def test_a_plan_does_not_name_what_came_later_so_that_stays() -> None:
    session = recorded([Ask(), Reply(), Ask(), Reply(), Ask()])
    early = at_turn(session, sized(session), 2)
    plan = plan_for(early, {"m1": DROPPED})
    late = at_turn(session, sized(session))
    assert view(late, [plan]).ids == ("m0", "m2", "m3", "m4")


def test_a_plan_made_at_a_later_turn_says_nothing_about_an_earlier_one() -> None:
    session = recorded([Ask(), Reply(), Ask(), Reply()])
    plan = plan_for(at_turn(session, sized(session), 3), {"m1": DROPPED})
    earlier = at_turn(session, sized(session), 2)
    assert view(earlier, [plan]) is earlier


def test_a_result_that_comes_only_after_its_call_was_taken_out_leaves_too() -> None:
    session = recorded([Ask(), work("never"), Ask(), Reply(), Stray("call_1"), Ask()])
    plan = plan_for(at_turn(session, sized(session), 2), {"m1": DROPPED})
    late = at_turn(session, sized(session))
    assert "m4" in late.ids
    assert view(late, [plan]).ids == ("m0", "m2", "m3", "m5")


def test_orphans_that_the_recording_holds_are_left_to_whoever_looks_for_them() -> None:
    window = window_of(Ask(), Stray(), Reply(), Ask())
    assert "m1" in apply(window, plan_for(window, {"m2": DROPPED})).ids


def test_leaving_a_plan_out_gives_back_the_very_same_window() -> None:
    window = window_of(Ask(), work("later"), Inject(), work(), Ask())
    first = plan_for(window, {"m1": into("s"), "m3": into("s"), "m2": into("s")}, summary("s"))
    once = view(window, [first])
    second = plan_for(once, {"s": DROPPED})
    assert view(window, [first, second]).ids != once.ids
    again = view(window, [first])
    assert (again.messages, again.tokens, again.pins) == (once.messages, once.tokens, once.pins)
    assert view(window, []) is window


def test_a_plan_knows_what_a_summary_covers_and_how_many_fates_of_each_kind_it_holds() -> None:
    window = window_of(Ask(), Reply(), Reply(), Ask())
    plan = plan_for(window, {"m1": into("s"), "m2": into("s")}, summary("s"))
    assert plan.sources("s") == ("m1", "m2")
    assert plan.counts == {"kept": 2, "summarised": 2}
    assert plan.by_id["m1"].into == "s"


@pytest.mark.parametrize("kind", ["summarised", "archived", "dropped"])
def test_these_fates_take_a_message_out(kind: str) -> None:
    assert Fate(kind, "a test").leaves  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["kept", "pinned", "trimmed", "masked", "retrieved"])
def test_these_fates_leave_a_message_in(kind: str) -> None:
    assert not Fate(kind, "a test").leaves  # type: ignore[arg-type]


def test_pinning_by_hand_pins_the_whole_group_and_changes_nothing_else() -> None:
    window = window_of(Ask(), work("later"), System(), Ask())
    plan = manual_plan(window, ["m3"], "pinned")
    after = apply(window, plan)
    assert after.pins == {"m1", "m3"}
    assert after.messages == window.messages
    assert plan.by_id["m1"].reason == "pinned by the user"


def test_unpinning_by_hand_unpins_the_whole_group() -> None:
    window = window_of(Ask(), work("now", "now"), Ask())
    pinned = apply(window, manual_plan(window, ["m1", "m4"], "pinned"))
    assert pinned.pins == {"m1", "m2", "m3", "m4"}
    assert apply(pinned, manual_plan(pinned, ["m2"], "kept")).pins == {"m4"}


def test_unpinning_still_works_when_the_plan_was_written_down_and_read_back() -> None:
    window = replace(window_of(Ask(), Reply()), pins=frozenset({"m1"}))
    plan = manual_plan(window, ["m1"], "kept")
    read = replace(plan, fates=tuple(Fate(fate.kind, fate.reason, fate.into) for fate in plan.fates))
    assert read.fates[1] is not UNPINNED
    assert apply(window, read).pins == frozenset()


def test_dropping_by_hand_takes_the_whole_group() -> None:
    window = window_of(Ask(), work("now", "now"), Reply(), Ask())
    assert apply(window, manual_plan(window, ["m3"], "dropped")).ids == ("m0", "m4", "m5")


def test_a_plan_by_hand_for_messages_that_are_not_there_does_nothing() -> None:
    window = window_of(Ask(), Reply())
    plan = manual_plan(window, ["nowhere"], "dropped")
    assert not plan.alters
    assert plan.strategy == BY_HAND


def test_a_strategy_cannot_pin() -> None:
    window = window_of(Ask(), Reply())
    assert apply(window, plan_for(window, {"m0": Fate("pinned", "the first task")})).pins == frozenset()


def test_a_pinned_summary_is_a_message_like_any_other() -> None:
    window = window_of(Summary(), Ask(), Reply(calls=(Call("a"),)))
    assert apply(window, manual_plan(window, ["m0"], "pinned")).pins == {"m0"}


@given(windows(), st.data())
def test_any_choice_by_hand_keeps_calls_and_results_together(window: Window, data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.sampled_from(window.ids))) if window.ids else set()
    after = apply(window, manual_plan(window, sorted(chosen), "dropped"))
    assert not set(after.ids) & chosen
    for members in window.groups.members:
        ids = {window.ids[index] for index in members}
        assert ids <= set(after.ids) or not ids & set(after.ids)
