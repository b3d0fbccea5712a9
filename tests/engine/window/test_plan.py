"""Several plans as one: it leaves what they leave one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import assume, given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.core.conversation import Message
from inspector.engine.strategies import draft_plan
from inspector.engine.window.merging import merge_plans
from inspector.engine.window.plan import KEPT, Fate, Plan, Score, apply
from inspector.engine.window.window import Window
from inspector.llm.providers import text_message
from tests.generated import LONG, Ask, Reply, moves, window_of, windows, work


class Made:
    """Plans made at one turn, each for the window that those before it leave."""

    def __init__(self, window: Window, plans: Sequence[Plan]) -> None:
        self.window = window
        self.plans = plans

    @property
    def after(self) -> Window:
        window = self.window
        for plan in self.plans:
            window = apply(window, plan)
        return window

    @property
    def one(self) -> Plan:
        return merge_plans(self.window, self.plans, "several", {"of": len(self.plans)}, "a note")

    def __repr__(self) -> str:
        return "\n".join(f"{plan.strategy} {plan.settings}: {plan.by_id}" for plan in [*self.plans, self.one])


@st.composite
def made(draw: DrawFn) -> Made:
    window = draw(windows(most=12))
    plans: list[Plan] = []
    for _ in range(draw(st.integers(1, 5))):
        now = Made(window, plans).after
        plans.append(draft_plan(now, *draw(moves(now))))
        assume(not plans[-1].has_failed)
    return Made(window, plans)


@given(made())
def test_one_plan_leaves_what_all_of_them_leave_one_after_the_other(each: Made) -> None:
    once = apply(each.window, each.one)
    assert once.messages == each.after.messages
    assert once.tokens == each.after.tokens
    assert once.pins == each.after.pins


@given(made())
def test_the_one_plan_has_a_fate_for_every_message_of_the_first_window_and_for_no_other(each: Made) -> None:
    assert each.one.ids == each.window.ids
    assert len(each.one.fates) == len(each.window.ids)
    gone = {name for name, fate in each.one.by_id.items() if fate.leaves}
    assert gone == set(each.window.ids) - set(each.after.ids)
    assert set(each.one.rewrites) <= set(each.after.ids)


@given(made())
def test_its_summaries_are_those_that_are_left_and_each_covers_what_it_stands_for(each: Made) -> None:
    rest = [message for message in each.after.messages if message.id not in each.window.ids]
    assert {summary.id for summary in each.one.summaries} == {summary.id for summary in rest}
    into = {fate.into for fate in each.one.fates if fate.kind == "summarised"}
    assert into == {summary.id for summary in rest}


@given(made())
def test_it_is_a_plan_like_any_other_so_that_leaving_it_out_undoes_all(each: Made) -> None:
    assert each.one.turn == each.window.turn
    assert (each.one.strategy, each.one.settings, each.one.note) == ("several", {"of": len(each.plans)}, "a note")
    assert not each.one.has_failed
    assert each.one.alters == any(plan.alters for plan in each.plans)


def summary(name: str) -> Message:
    return text_message(name, "user", "What was said.", "openai", kind="summary")


def plan_of(window: Window, fates: dict[str, Fate], *summaries: Message) -> Plan:
    return Plan("test", {}, window.ids, tuple(fates.get(name, KEPT) for name in window.ids), {}, summaries, window.turn)


def test_what_went_into_a_summary_that_went_into_another_went_into_that_one() -> None:
    window = window_of(Ask(), Reply(LONG), Reply(LONG), Reply(LONG), Ask())
    first = plan_of(window, {name: Fate("summarised", "into a", "a") for name in ("m1", "m2")}, summary("a"))
    then = apply(window, first)
    second = plan_of(then, {name: Fate("summarised", "into b", "b") for name in ("a", "m3")}, summary("b"))
    one = merge_plans(window, [first, second], "test", {})
    assert one.sources("b") == ("m1", "m2", "m3")
    assert [item.id for item in one.summaries] == ["b"]
    assert one.by_id["m1"].reason == "into b"
    assert apply(window, one).ids == ("m0", "b", "m4")


def test_a_message_has_the_last_fate_that_changed_anything_for_it() -> None:
    window = window_of(Ask(), work(result=LONG * 9), Reply(LONG), Ask())
    masked = draft_plan(window, "mask_observations", {"keep": 0})
    rest = draft_plan(apply(window, masked), "fifo", {"max_messages": 9})
    one = merge_plans(window, [masked, rest], "test", {})
    assert one.by_id["m2"] == masked.by_id["m2"]
    assert one.by_id["m3"].reason == "among the newest 9 messages"
    dropped = draft_plan(apply(window, masked), "fifo", {"max_messages": 1})
    assert merge_plans(window, [masked, dropped], "test", {}).by_id["m2"].kind == "dropped"
    assert not merge_plans(window, [masked, dropped], "test", {}).rewrites


def test_of_no_plans_it_keeps_everything() -> None:
    window = window_of(Ask(), Reply())
    one = merge_plans(window, [], "test", {})
    assert not one.alters
    assert apply(window, one).messages == window.messages


def test_scores_are_those_of_the_last_that_scored_a_message_and_are_not_worked_out_before() -> None:
    window = window_of(Ask(), Reply(), Ask())

    class Unread(dict[str, Score]):
        def __getitem__(self, id: str) -> Score:
            raise AssertionError("nobody has looked at it")

    first = replace(plan_of(window, {}), scores={"m0": Score({"age": 1.0}), "m1": Score({"age": 2.0})})
    second = replace(plan_of(window, {}), scores={"m1": Score({"size": 3.0})})
    scores = merge_plans(window, [first, second], "test", {}).scores
    assert {name: score.total for name, score in scores.items()} == {"m0": 1.0, "m1": 3.0}
    assert len(merge_plans(window, [replace(first, scores=Unread(m0=Score({})))], "test", {}).scores) == 1
