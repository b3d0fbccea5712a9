"""What was in the context at a turn, and in which section."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import MAIN, Session, Usage
from inspector.engine.window import Window, at_turn
from inspector.engine.window.sections import SECTIONS, TokenBudget
from inspector.engine.window.timeline import compute_timeline
from inspector.llm.tokens.sizes import LARGEST_PROMPT
from tests.generated import (
    Ask,
    Call,
    Helper,
    Inject,
    Notice,
    Reply,
    Rewind,
    Step,
    Summary,
    System,
    conversations,
    recorded,
    sized,
    window_of,
    windows,
    work,
)


def sections_of(*steps: Step) -> list[str]:
    return list(window_of(*steps).sections)


def at(session: Session, turn: int | None) -> Window:
    return at_turn(session, sized(session), turn)


def test_each_message_stands_in_the_section_that_its_part_in_the_conversation_gives_it() -> None:
    result = sections_of(System(), Inject(), Ask(), Reply(), Ask(), work(), Reply())
    #                 system    inject    ask        reply      ask      call          result        reply
    assert result == ["system", "memory", "history", "history", "input", "scratchpad", "scratchpad", "scratchpad"]


def test_a_summary_is_memory_and_a_system_message_in_the_middle_is_system() -> None:
    assert sections_of(Summary(), Ask(), System(), Ask()) == ["memory", "history", "system", "input"]


def test_what_a_program_puts_in_after_the_request_does_not_become_the_request() -> None:
    assert sections_of(Ask(), Reply(), Ask(), Inject()) == ["history", "history", "input", "memory"]


def test_without_a_request_the_work_since_the_last_message_in_the_users_name_is_scratchpad() -> None:
    assert sections_of(Summary(), work(), Inject(), work()) == [
        "memory",
        "history",
        "history",
        "memory",
        "scratchpad",
        "scratchpad",
    ]


def test_the_window_at_a_turn_is_what_was_sent_for_that_reply() -> None:
    session = recorded([System(), Ask(), work(), Reply(), Ask(), Reply()])
    assert at(session, 1).ids == ("m0", "m1")
    assert at(session, 2).ids == ("m0", "m1", "m2", "m3")
    assert at(session, 3).ids == ("m0", "m1", "m2", "m3", "m4", "m5")


def test_one_past_the_last_turn_is_the_context_as_it_now_stands() -> None:
    session = recorded([Ask(), Reply(), Ask()])
    assert at(session, 2).ids == ("m0", "m1", "m2")
    assert at(session, None).ids == at(session, 2).ids
    assert at(session, None).turn == 2


@pytest.mark.parametrize("turn", [0, -1, 3])
def test_a_turn_that_is_not_there_is_refused_with_a_sentence(turn: int) -> None:
    with pytest.raises(ValueError, match=f"there is no turn {turn}: the last turn is 1"):
        at(recorded([Ask(), Reply()]), turn)


def test_notices_are_never_part_of_a_window() -> None:
    session = recorded([Ask(), Notice(), Reply(), Notice()])
    assert at(session, 1).ids == ("m0",)
    assert at(session, None).ids == ("m0", "m2")


def test_what_was_taken_back_is_not_in_the_window_but_still_was_at_its_turn() -> None:
    session = recorded([Ask("one"), Reply(), Ask("two"), Reply(), Rewind(2), Ask("three")])
    assert at(session, 2).ids == ("m0", "m1", "m2")
    assert at(session, None).ids == ("m0", "m1", "m4")


def test_a_recorded_compaction_begins_a_new_context() -> None:
    session = recorded([Ask(), Reply(), Summary(fresh=True), Ask(), Reply()])
    assert at(session, 2).ids == ("m2", "m3")


def test_a_sub_agent_has_a_window_of_its_own_and_is_not_in_the_main_one() -> None:
    session = recorded([Ask(), Helper(), Reply()])
    assert at(session, None).ids == ("m0", "m3")
    helper = at_turn(session, sized(session), None, "helper")
    assert helper.ids == ("m1", "m2")
    assert at_turn(session, sized(session), 1, "helper").ids == ("m1",)


def test_a_session_without_messages_has_an_empty_window() -> None:
    window = at(recorded([]), None)
    assert window.messages == ()
    assert window.total == 40  # the tools that it records


def test_the_first_task_is_the_first_thing_that_the_user_said() -> None:
    assert window_of(System(), Inject(), Ask(), Reply(), Ask()).task == 2


def test_behind_a_summary_nothing_is_the_first_task_any_more() -> None:
    window = window_of(Summary(), Ask(), Reply())
    assert window.task is None
    assert window.request == 1


def test_the_total_is_the_messages_the_tools_and_three_tokens_for_the_reply() -> None:
    window = window_of(Ask("word"), Reply("word"))
    assert window.tokens == (5, 5)
    assert window.total == 5 + 5 + 40 + 3
    assert window.breakdown["input"].tokens == 5 + 3
    assert window.breakdown["scratchpad"].tokens == 5
    assert window.breakdown["tools"].tokens == 40


def test_an_unrecorded_prompt_and_its_tools_are_one_number() -> None:
    session = recorded([Ask()], records_system=False)
    window = replace(at(session, None), sizes=replace(sized(session), tools=0), unrecorded=701)
    assert [window.breakdown[section].tokens for section in ("system", "tools")] == [701, 0]
    assert {window.breakdown[section].certainty for section in ("system", "tools")} == {"unrecorded"}
    assert window.joins_tools and window.section_name("system") == "System+T"
    assert window.allocation("system") == window.budget.section("system") + window.budget.section("tools")
    assert window.breakdown["input"].certainty == "estimated"


def test_recorded_tools_are_counted_apart_from_an_unrecorded_prompt() -> None:
    window = replace(at(recorded([Ask()], records_system=False), None), unrecorded=701)
    assert [window.breakdown[section].tokens for section in ("system", "tools")] == [701, 40]
    assert [window.breakdown[section].certainty for section in ("system", "tools")] == ["unrecorded", "estimated"]
    assert not window.joins_tools and window.section_name("system") == "System"


def test_what_no_prompt_is_large_enough_for_was_carried_over_and_is_never_history() -> None:
    window = at(recorded([Ask(), Reply(), Ask()], records_system=False), None)
    full = replace(window, unrecorded=LARGEST_PROMPT).breakdown
    assert (full["system"].tokens, full["tools"].tokens) == (LARGEST_PROMPT, 40)
    assert (full["memory"].tokens, full["memory"].certainty) == (0, "estimated")
    more = replace(window, unrecorded=LARGEST_PROMPT + 5_000).breakdown
    assert (more["system"].tokens, more["tools"].tokens) == (LARGEST_PROMPT, 40)
    assert (more["memory"].tokens, more["memory"].certainty) == (5_000, "unrecorded")
    assert more["history"] == full["history"] == window.breakdown["history"]


def test_a_session_that_records_its_prompt_has_nothing_unrecorded() -> None:
    window = window_of(System(), Ask())
    assert window.unrecorded == 0
    assert {size.certainty for size in window.breakdown.values()} == {"estimated"}


def test_an_agent_that_never_spoke_has_an_empty_window() -> None:
    session = recorded([Ask(), Reply()])
    assert at_turn(session, sized(session), None, "nobody").ids == ()


def test_the_sections_always_stand_in_the_same_order() -> None:
    assert list(window_of(Ask()).breakdown) == ["system", "memory", "tools", "history", "input", "scratchpad"]


def test_what_the_provider_reported_belongs_to_its_own_turn() -> None:
    session = recorded([Ask(), Reply(), Ask(), Reply(), Ask()])
    assert at(session, 1).reported == 101
    assert at(session, 2).reported == 103
    assert at(session, 3).reported is None


def test_a_limit_that_is_given_overrides_the_one_of_the_model() -> None:
    session = recorded([Ask()])
    assert at_turn(session, sized(session), limit=123).limit == 123
    assert at_turn(session, sized(session)).limit == 8000


@given(windows())
def test_the_sections_take_every_message_once_and_add_up_to_the_total(window: Window) -> None:
    assert len(window.sections) == len(window.messages)
    extra = (3 if window.messages else 0) + window.sizes.tools
    assert sum(size.tokens for size in window.breakdown.values()) == window.total
    assert window.total == sum(window.tokens) + extra + window.unrecorded
    assert window.unrecorded == 0 or not window.context.records_system
    assert window.sections.count("input") <= 1


@given(conversations(), st.sampled_from([MAIN, "helper"]))
def test_every_window_is_a_part_of_the_log_that_ends_where_its_reply_begins(session: Session, agent: str) -> None:
    sizes = sized(session)
    position = {message.id: place for place, message in enumerate(session.messages)}
    for turn, reply in enumerate(session.turns(agent), 1):
        window = at_turn(session, sizes, turn, agent)
        places = [position[name] for name in window.ids]
        assert places == sorted(set(places))
        assert all(place < reply for place in places)
        assert not [message for message in window.messages if message.kind == "notice"]
        assert list(window.tokens) == [sizes.tokens[place] for place in places]


@given(conversations())
def test_the_timeline_shows_the_very_totals_of_the_windows(session: Session) -> None:
    sizes = sized(session)
    totals = [at_turn(session, sizes, turn).total for turn in range(1, len(session.turns()) + 2)]
    assert list(compute_timeline(session, sizes).totals) == totals


def test_the_timeline_marks_the_first_turn_after_a_recorded_compaction() -> None:
    session = recorded([Ask(), Reply(), Ask(), Reply(), Summary(fresh=True), Ask(), Reply(), Ask(), Reply()])
    line = compute_timeline(session, sized(session))
    assert line.compactions == (3,)
    assert line.peak == max(line.totals)


def test_a_size_is_as_it_was_reported_and_else_as_it_was_counted() -> None:
    session = recorded([Ask(), Reply(), Ask(), Reply(), Summary(fresh=True), Ask(), Reply()])
    messages, reported = [replace(message, usage=None) for message in session], session.turns()[1]
    messages[reported] = replace(messages[reported], usage=Usage(153_703, 5))
    line = compute_timeline(session.with_messages(tuple(messages)), replace(sized(session), certainty="estimated"))
    assert line.reported == (0, 153_703, 0)
    counted = line.totals[2]
    assert str(line.change(3)) == f"153,703 → ≈{counted:,}"
    assert line.change(3).grew is False
    assert str(line.change(1)) == f"0 → ≈{line.totals[0]:,}"
    assert line.size(4).tokens == line.totals[3], "the context now was never reported"


def test_a_log_that_begins_with_a_summary_begins_with_a_compaction() -> None:
    session = recorded([Summary(), Ask(), Reply(), Ask(), Reply()])
    assert compute_timeline(session, sized(session)).compactions == (1,)


def test_a_reply_that_nothing_stands_before_has_the_tools_alone() -> None:
    session = recorded([Reply(), Ask(), Reply()])
    assert compute_timeline(session, sized(session)).totals[0] == 40
    assert compute_timeline(session, sized(session)).compactions == ()


def test_a_reply_whose_context_is_not_recorded_has_the_tokens_that_were_reported() -> None:
    session = recorded([Reply(), Ask(), Reply()], records_system=False)
    first, *rest = session.messages
    session = replace(session, messages=(replace(first, usage=Usage(280_000, 5)), *rest))
    window = at_turn(session, sized(session), 1)
    assert (window.messages, window.total, window.reported) == ((), 280_000, 280_000)
    assert "280,000" in window.emptiness
    assert compute_timeline(session, sized(session)).totals[0] == 280_000
    assert at_turn(session, sized(session), 2).total < 2_000


def test_calls_are_told_from_the_text_in_both_dialects() -> None:
    for dialect in ("openai", "anthropic"):
        window = window_of(Ask(), Reply(calls=(Call("a"), Call("b"))), dialect=dialect)
        assert [call.id for call in window.messages[1].calls] == ["a", "b"]
        assert [message.answers for message in window.messages[2:]] == ["a", "b"]


def test_a_budget_without_arguments_is_the_one_of_the_requirement() -> None:
    budget = TokenBudget()
    assert budget.total == 8000
    assert budget.allocations == {"system": 1000, "tools": 1500, "history": 4000, "input": 1000, "output_reserve": 500}


def test_what_remains_for_history_is_the_total_without_system_tools_and_the_reply() -> None:
    budget = TokenBudget(total=8000)
    assert budget.remaining_for_history({"system": 700, "tools": 300}) == 6500
    assert budget.remaining_for_history({}) == 7500
    assert budget.remaining_for_history({"input": 900, "system": 100}) == 7400


def test_what_remains_is_negative_when_system_and_tools_take_more_than_there_is() -> None:
    assert TokenBudget(total=1600).remaining_for_history({"system": 1000, "tools": 1000}) == -900


def test_the_reserve_for_the_reply_is_the_same_for_every_total() -> None:
    """By the requirement: 128,000 - 1,000 - 1,500 - 500."""
    assert TokenBudget(128_000).remaining_for_history({"system": 1000, "tools": 1500}) == 125_000
    assert TokenBudget(7).output_reserve == 7


@pytest.mark.parametrize("total", [0, 1, 7, 499, 500, 501, 7_999, 8_000, 8_001, 128_000, 1_048_576])
def test_the_parts_of_a_budget_add_up_to_its_total(total: int) -> None:
    for budget in (TokenBudget(total), TokenBudget.of_window(total)):
        assert sum(budget.allocations.values()) == total
        assert sum(map(budget.section, SECTIONS)) + budget.output_reserve == total
        assert min(budget.allocations.values()) >= 0


def test_a_budget_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="A budget must not be negative, not -1"):
        TokenBudget(-1)


def test_the_budget_of_a_window_scales_every_allocation() -> None:
    assert TokenBudget.of_window(200_000).allocations == {
        "system": 25_000,
        "tools": 37_500,
        "history": 100_000,
        "input": 25_000,
        "output_reserve": 12_500,
    }


def test_an_allocation_that_is_given_stands_and_the_others_keep_their_share() -> None:
    budget = TokenBudget(16_000, {"system": 50})
    assert budget.section("system") == 50
    assert budget.section("tools") == 3100


def test_the_marks_of_the_six_sections_and_the_reply_fill_the_window() -> None:
    budget = TokenBudget()
    marks = {section: budget.section(section) for section in SECTIONS}
    assert marks == {"system": 1000, "memory": 500, "tools": 1500, "history": 2500, "input": 1000, "scratchpad": 1000}
    assert sum(marks.values()) + budget.output_reserve == budget.total


def test_memory_can_be_given_a_mark_of_its_own() -> None:
    assert TokenBudget(8000, {"memory": 123}).section("memory") == 123


def test_two_budgets_do_not_share_their_allocations() -> None:
    TokenBudget().allocations["system"] = 1
    assert TokenBudget().allocations["system"] == 1000


def test_free_tokens_are_what_is_left_beside_the_reply() -> None:
    window = window_of(Ask("word " * 40))
    assert window.reserve == 500
    assert window.free == 8000 - 500 - window.total


def test_a_window_over_its_limit_has_less_than_nothing_free() -> None:
    window = window_of(Ask("word " * 40_000))
    assert window.total > window.limit
    assert window.free == 7500 - window.total < 0
