"""What must hold through five compressions in a row, of one strategy or of any, and when they are taken back."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.core.conversation import Message, Session
from inspector.engine.strategies import Services, draft_plan
from inspector.engine.strategies.plan_builder import BLEMISH, HOLLOW
from inspector.engine.summaries.extractive.summarize import summarise
from inspector.engine.summaries.summary_sections import TITLE
from inspector.engine.window import Window, at_turn, message_faults
from inspector.engine.window.plan import Plan, manual_plan, view
from inspector.llm.providers import PROVIDERS
from inspector.llm.tokens import Sizes
from tests.engine.strategies.passes import (
    CHECKS,
    FIVE,
    SUMMARISING,
    Asked,
    Stack,
    assert_each,
    held_for_good,
    must_open_with_a_reply,
    refusals,
    spoke_last,
    stacks,
    thinking,
)
from tests.generated import moves, recipes, windows
from tests.refusals import FIRST_ROLE, NO_MESSAGES, standing_refusals

INVARIANTS: list[Callable[[Stack], None]] = []


def invariant(check: Callable[[Stack], None]) -> Callable[[Stack], None]:
    INVARIANTS.append(check)
    return check


def test_every_stack_keeps_every_invariant() -> None:
    assert_each(stacks(), INVARIANTS, name="stacks", share=3)


@invariant
def each_pass_leaves_calls_and_results_together_and_never_a_larger_window(stack: Stack) -> None:
    for item in stack.passes:
        assert list(refusals(item.after.messages, spoke_last(stack.window.messages))) == []
        assert item.after.total <= item.before.total


@invariant
def every_provider_takes_what_each_pass_leaves(stack: Stack) -> None:
    requests = any(message.role == "user" for message in stack.window.messages)
    excused = not requests or must_open_with_a_reply(stack.window)
    for item in stack.passes:
        for provider, check in CHECKS.items():
            refused = [text for _, text in standing_refusals(item.after, provider)]
            assert [text for text in refused if not excused or text not in (FIRST_ROLE, *NO_MESSAGES.values())] == []
            assert check(PROVIDERS[provider].request(item.after.context, item.after.messages)) == []


@invariant
def the_task_the_request_and_the_pinned_survive_any_number_of_passes(stack: Stack) -> None:
    stays = held_for_good(stack.window)
    assert all(stays <= set(item.after.messages) for item in stack.passes)
    assert all(item.after.pins == stack.window.pins for item in stack.passes)


@invariant
def calls_that_wait_are_still_waiting_behind_all_passes(stack: Stack) -> None:
    caller = spoke_last(stack.window.messages)
    if caller is not None and caller.calls:
        assert any(message.id == caller.id and message.calls == caller.calls for message in stack.now.messages)


@invariant
def system_messages_lead_behind_all_passes_as_they_were(stack: Stack) -> None:
    before = [message for message in stack.window.messages if message.role == "system"]
    after = [message for message in stack.now.messages if message.role == "system"]
    if stack.window.preserve_system:
        assert [message.id for message in before] == [message.id for message in after]
        faulty = {stack.window.ids[index] for index in message_faults(stack.window)}
        assert all(old is new or old.id in faulty for old, new in zip(before, after, strict=True))
    assert not any(plan.alters for plan in stack.plans) or list(stack.now.messages[: len(after)]) == after


@invariant
def the_order_of_time_is_kept_through_all_passes(stack: Stack) -> None:
    place = {message.id: index for index, message in enumerate(stack.window.messages) if message.role != "tool"}
    for item in stack.passes:
        rest = [place[message.id] for message in item.after.messages if message.id in place]
        talk = [index for index in rest if stack.window.messages[index].role != "system"]
        assert talk == sorted(talk)


@invariant
def thinking_is_whole_or_gone_behind_all_passes(stack: Stack) -> None:
    thoughts = {message.id: thinking(message) for message in stack.window.messages}
    for message in stack.now.messages:
        assert thinking(message) in (thoughts.get(message.id, ()), ())


@invariant
def each_earlier_summary_is_kept_or_taken_into_the_next_and_none_is_nested(stack: Stack) -> None:
    for item in stack.passes:
        for message in item.before.messages:
            if message.kind == "summary":
                fate = item.plan.by_id[message.id]
                stays = message in item.after.messages or (fate == BLEMISH and message.id in item.after.ids)
                assert stays or fate == HOLLOW or (fate.kind == "summarised" and fate.into in item.after.ids)
        assert all(summary.text.count(TITLE) == 1 for summary in item.plan.summaries)


@given(windows(most=14), st.data())
def test_a_summariser_is_given_all_that_its_summary_stands_for_earlier_summaries_among_it(
    window: Window, data: st.DataObject
) -> None:
    stack = Stack(window)
    for _ in range(FIVE):
        requests = Asked(summarise)
        name, chosen = data.draw(moves(stack.now, sorted({*SUMMARISING, "head_tail", "amortized"} - {"pipeline"})))
        result = stack.put(name, chosen, Services(requests))
        for summary in result.plan.summaries:
            assert tuple(message.id for message in requests.messages[-1]) == result.plan.sources(summary.id)


@invariant
def all_that_ever_left_can_be_traced_to_one_fate(stack: Stack) -> None:
    """What is not in the last window was taken out by exactly one of the plans; what went into a summary is in one."""
    known = set(stack.window.ids)
    for item in stack.passes:
        known |= {summary.id for summary in item.plan.summaries}
    took = [name for plan in stack.plans for name, fate in plan.by_id.items() if fate.leaves]
    assert len(took) == len(set(took))
    assert set(took) | set(stack.now.ids) == known
    assert not set(took) & set(stack.now.ids)


@invariant
def the_total_is_the_sum_of_the_parts_behind_each_pass(stack: Stack) -> None:
    for item in stack.passes:
        assert item.after.total == sum(size.tokens for size in item.after.breakdown.values())
        assert item.after.total - sum(item.after.tokens) == item.before.total - sum(item.before.tokens) or (
            not item.after.messages
        )


@invariant
def leaving_out_plans_from_the_end_gives_back_the_very_same_windows(stack: Stack) -> None:
    for count in range(len(stack.plans) + 1):
        records = view(stack.window, stack.plans[:count])
        expected = stack.passes[count - 1].after if count else stack.window
        assert records.messages == expected.messages
        assert records.tokens == expected.tokens
        assert records.pins == expected.pins


@invariant
def no_two_summaries_of_a_stack_share_a_name(stack: Stack) -> None:
    names = [summary.id for plan in stack.plans for summary in plan.summaries]
    assert len(names) == len(set(names))


class Bench:
    """Plans made at one turn and another, by strategies and by hand, each seen through those made before it."""

    def __init__(self, session: Session, sizes: Sizes) -> None:
        self.session, self.sizes = session, sizes
        self.plans: list[Plan] = []

    def at(self, turn: int) -> Window:
        return at_turn(self.session, self.sizes, turn)

    def seen(self, turn: int) -> Window:
        return view(self.at(turn), self.plans)

    def __repr__(self) -> str:
        log = [f"{m.id} {m.role}/{m.kind} {[call.id for call in m.calls]} {m.answers!r}" for m in self.session]
        plans = [f"{plan.strategy} {plan.settings} at {plan.turn}: {plan.by_id}" for plan in self.plans]
        return "\n".join([*log, *plans])


@st.composite
def benches(draw: DrawFn) -> Bench:
    recipe = draw(recipes(pins=False))
    session = recipe.session()
    bench = Bench(session, recipe.sizing(session))
    for _ in range(draw(st.integers(1, 3))):
        window = bench.seen(draw(st.integers(1, len(bench.session.turns()) + 1)))
        if draw(st.booleans()) and window.ids:
            chosen = draw(st.sets(st.sampled_from(window.ids), min_size=1, max_size=2))
            bench.plans.append(
                manual_plan(window, sorted(chosen), draw(st.sampled_from(["pinned", "dropped", "kept"])))
            )
        else:
            bench.plans.append(draft_plan(window, *draw(moves(window))))
    return bench


@given(benches())
def test_plans_made_at_any_turns_spoil_no_other(bench: Bench) -> None:
    for turn in range(1, len(bench.session.turns()) + 2):
        recorded, records = bench.at(turn), bench.seen(turn)
        live = spoke_last(recorded.messages)
        assert len(list(refusals(in_one_piece(records), live))) <= len(list(refusals(in_one_piece(recorded), live)))
        assert records.total <= recorded.total
        assert len(set(records.ids)) == len(records.ids)
        if all(plan.turn > turn for plan in bench.plans):
            assert records.messages == recorded.messages


def in_one_piece(window: Window) -> list[Message]:
    """The messages with each group's own together: what the recording got wrong besides the order."""
    return [window.messages[index] for members in window.groups.members for index in members]
