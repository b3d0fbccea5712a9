"""An opened session on the bench: what is shown of a turn, and what applying, trying and undoing do to it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.engine.strategies import Services
from inspector.library.bench.turn_validity import accepted_problems, problem_turns
from inspector.library.bench.workbench import RefusedError, Workbench
from tests.generated import (
    LONG,
    Ask,
    Helper,
    Reply,
    Step,
    Stray,
    conversations,
    moves,
    recorded,
    sized,
    work,
)

TALK = (
    Ask(LONG),
    Reply(LONG),
    Ask(LONG),
    Reply(LONG),
    Ask("And now?"),
)


def bench_of(*steps: Step) -> Workbench:
    session = recorded(steps)
    return Workbench(session, sized(session))


def test_without_a_strategy_a_preview_shows_the_turn_as_it_was_recorded() -> None:
    bench = bench_of(*TALK)
    preview = bench.preview()
    assert preview.recorded.ids == ("m0", "m1", "m2", "m3", "m4")
    assert preview.before is preview.recorded
    assert preview.after is preview.before
    assert (preview.plan, preview.applied, preview.savings, preview.valid) == (None, (), 0, True)


def unreported(session: Session) -> Session:
    """The session without any usage."""
    return session.with_messages(tuple(replace(message, usage=None) for message in session.messages))


def test_what_a_provider_took_was_recorded_so_and_no_plan_is_to_blame() -> None:
    session = recorded((Ask(), work("never"), Ask("Well?"), Reply(), Ask("And now?")))
    refused = Workbench(unreported(session), sized(session)).preview()
    assert len(refused.problems) == 1 and not refused.recorded_so and not refused.taken
    bench = Workbench(session, sized(session))
    at_call, now = bench.preview(2), bench.preview()
    assert at_call.recorded_so and now.recorded_so and not now.valid
    assert accepted_problems(bench, problem_turns(bench, session.dialect)) == frozenset(now.problems)
    bench.limit = 10
    assert bench.preview(2).recorded_so


def test_turns_are_the_model_calls_and_each_has_its_window() -> None:
    bench = bench_of(*TALK)
    assert bench.turns() == 2
    assert bench.preview(1).recorded.ids == ("m0",)
    assert bench.preview(3).recorded.ids == bench.preview().recorded.ids
    with pytest.raises(ValueError, match="there is no turn 4"):
        bench.preview(4)


def test_trying_a_strategy_changes_nothing_that_is_applied() -> None:
    bench = bench_of(*TALK)
    preview = bench.preview(strategy="deletion", settings={"keep_recent": 1})
    assert preview.after.ids == ("m0", "m4")
    assert preview.savings == preview.before.total - preview.after.total > 0
    assert bench.plans == {}
    assert bench.preview().after.ids == ("m0", "m1", "m2", "m3", "m4")


def test_a_plan_that_is_applied_is_looked_through_from_then_on() -> None:
    bench = bench_of(*TALK)
    plan = bench.preview(strategy="deletion", settings={"keep_recent": 1}).plan
    assert plan is not None
    bench.apply(plan)
    preview = bench.preview()
    assert preview.before.ids == ("m0", "m4")
    assert preview.recorded.ids == ("m0", "m1", "m2", "m3", "m4")
    assert preview.applied == (plan,)
    assert preview.savings == 0


def test_a_plan_is_not_looked_through_at_turns_before_it_was_made() -> None:
    bench = bench_of(*TALK)
    plan = bench.preview(3, strategy="deletion", settings={"keep_recent": 1}).plan
    assert plan is not None
    bench.apply(plan)
    assert bench.preview(2).applied == ()
    assert bench.preview(2).after.ids == ("m0", "m1", "m2")


def test_undoing_takes_the_newest_plan_off_and_gives_it_back() -> None:
    bench = bench_of(*TALK)
    first = bench.hand_plan(("m1",), "dropped", None)
    bench.apply(first)
    second = bench.hand_plan(("m3",), "dropped", None)
    bench.apply(second)
    assert bench.preview().after.ids == ("m0", "m2", "m4")
    assert bench.undo() is second
    assert bench.preview().after.ids == ("m0", "m2", "m3", "m4")
    assert bench.undo() is first
    assert bench.undo() is None
    assert bench.preview().after.ids == ("m0", "m1", "m2", "m3", "m4")


def test_pinning_by_hand_protects_from_the_strategy_that_is_tried_next() -> None:
    bench = bench_of(*TALK)
    bench.apply(bench.hand_plan(("m2",), "pinned", None))
    assert bench.preview(strategy="deletion", settings={"keep_recent": 0}).after.ids == ("m0", "m2", "m4")
    bench.apply(bench.hand_plan(("m2",), "kept", None))
    assert bench.preview(strategy="deletion", settings={"keep_recent": 0}).after.ids == ("m0", "m4")


def test_every_agent_has_a_stack_of_its_own() -> None:
    bench = bench_of(Ask(), Helper(), Reply(), Ask())
    bench.apply(bench.hand_plan(("m1",), "dropped", None, "helper"), "helper")
    assert bench.preview(agent="helper").after.ids == ("m2",)
    assert bench.preview().after.ids == ("m0", "m3", "m4")
    assert bench.undo() is None
    assert bench.undo("helper") is not None


def test_a_preview_tells_what_the_provider_would_refuse() -> None:
    bench = bench_of(Ask(), Stray(), Ask())
    assert not bench.preview().valid
    assert [problem.message for problem in bench.preview().problems] == ["m1"]
    assert bench.preview(strategy="fifo").valid


def test_what_was_wrong_before_does_not_let_a_change_by_hand_make_more_wrong() -> None:
    session = recorded((Ask(), Reply(), Ask(""), Ask(), Reply()), "anthropic")
    bench = Workbench(session, sized(session))
    assert [problem.message for problem in bench.preview().problems] == ["m2"]
    with pytest.raises(RefusedError, match="first message must use"):
        bench.hand_plan(("m0", "m2", "m3"), "dropped", None)
    assert bench.hand_plan(("m2",), "dropped", None).alters


def test_a_limit_and_better_counts_change_the_window_and_keep_the_plans() -> None:
    bench = bench_of(*TALK)
    bench.apply(bench.hand_plan(("m1",), "dropped", None))
    bench.limit = 321
    better = bench.with_sizes(sized(bench.session, limit=9))
    assert better.preview().after.limit == 321
    assert better.preview().after.ids == ("m0", "m2", "m3", "m4")


def test_a_preview_asks_the_summariser_that_it_is_given() -> None:
    bench = bench_of(*TALK)
    services = Services(lambda _messages, _target, _count: "Said before.")
    preview = bench.preview(strategy="sliding_window", settings={"keep_recent": 1}, services=services)
    assert preview.after.messages[1].text == "Said before."


def test_work_that_is_done_can_be_compressed_while_the_agent_is_still_at_it() -> None:
    bench = bench_of(Ask(), *[work(result=LONG * 4)] * 8)
    preview = bench.preview(strategy="sliding_window", settings={"keep_recent": 4, "ratio": 0.2})
    assert preview.valid
    assert preview.after.ids[:2] == ("m0", "summary 1")
    assert preview.savings > preview.before.total / 3


@given(conversations(), st.data())
def test_undoing_everything_gives_back_what_was_there(session: Session, data: st.DataObject) -> None:
    bench = Workbench(session, sized(session))
    seen = [bench.preview().before]
    for _ in range(data.draw(st.integers(1, 3))):
        name, chosen = data.draw(moves(seen[-1]))
        plan = bench.preview(strategy=name, settings=chosen).plan
        assert plan is not None
        bench.apply(plan)
        seen.append(bench.preview().before)
    for expected in reversed(seen):
        before = bench.preview().before
        assert (before.messages, before.tokens) == (expected.messages, expected.tokens)
        bench.undo()


def test_summaries_of_one_stack_never_share_a_name() -> None:
    bench = bench_of(*(step for _ in range(12) for step in (Ask(LONG), Reply(LONG))), Ask())
    for turn in (12, 8, 4):
        plan = bench.preview(turn, strategy="sliding_window", settings={"keep_recent": 2}).plan
        assert plan is not None and plan.summaries
        bench.apply(plan)
    names = [summary.id for plan in bench.plans["main"] for summary in plan.summaries]
    assert len(set(names)) == len(names) == 3
    for plan in bench.plans["main"]:
        assert all(plan.sources(summary.id) for summary in plan.summaries)
        assert all(fate.into in fate.reason for fate in plan.fates)


def test_the_place_of_a_message_is_the_first_turn_that_has_it_in_its_window() -> None:
    bench = bench_of(Ask(), Reply(), Ask(), Reply(), Ask())
    for message in bench.session.messages:
        place = bench.place_of(message.id)
        assert place is not None
        agent, turn = place
        assert message.id in bench.window(turn, agent).ids
        assert turn == 1 or message.id not in bench.window(turn - 1, agent).ids
    assert bench.place_of("nobody") is None
