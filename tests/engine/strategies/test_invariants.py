"""What must hold for every strategy, at every turn, with every setting: the engine's list of invariants.

Windows here are generated with every fault that a recording may have. What a provider would refuse is judged twice: by
the project's own check, and by one of the tests' own on the level of messages, which knows nothing of groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message, Text, Unknown
from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.strategies.plan_builder import BLEMISH, DEAD_CALL
from inspector.engine.strategies.protection import (
    NEWEST,
    OPEN_CALL,
    OPENER as OPENED,
    REQUEST,
    SUMMARY,
    SYSTEM,
    TASK,
    free_groups,
    free_results,
    protection,
    summary_names,
    tool_results,
)
from inspector.engine.summaries.summary_sections import TITLE
from inspector.engine.window import REPLY_PRIMER, Window, message_faults
from inspector.engine.window.plan import apply
from inspector.engine.work_state import without_block
from inspector.llm.providers import PROVIDERS
from tests.engine.strategies.passes import (
    CHECKS,
    Pass,
    assert_each,
    held_for_good,
    must_open_with_a_reply,
    passes,
    refusals,
    spoke_last,
    thinking,
)
from tests.generated import moves, windows
from tests.refusals import FIRST_ROLE, NO_MESSAGES, TRAILING_SPACE, message_refusals, standing_refusals

INVARIANTS: list[Callable[[Pass], None]] = []


def invariant(check: Callable[[Pass], None]) -> Callable[[Pass], None]:
    INVARIANTS.append(check)
    return check


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_pass_keeps_every_invariant(name: str) -> None:
    assert_each(passes([name]), INVARIANTS, name=name, share=1 / 3)


@invariant
def what_a_plan_hands_on_of_a_window_is_what_its_messages_say(done: Pass) -> None:
    draft_plan(done.after, "mask_observations")
    anew = replace(done.after)
    for name in ("groups", "live", "ids", "system", "tool_names", "request", "task"):
        assert getattr(done.after, name) == getattr(anew, name)
    for make in (protection, free_groups, free_results, tool_results, summary_names):
        assert done.after.cached_form(make) == anew.cached_form(make)


@invariant
def every_call_keeps_its_results_and_every_result_its_call(done: Pass) -> None:
    assert list(refusals(done.after.messages, spoke_last(done.before.messages))) == []


@invariant
def every_provider_would_take_what_is_left_as_it_stands(done: Pass) -> None:
    is_excused = must_open_with_a_reply(done.before) or all(message.role != "user" for message in done.before.messages)
    for provider in CHECKS:
        refused = [text for _, text in standing_refusals(done.after, provider)]
        assert [text for text in refused if not is_excused or text not in (FIRST_ROLE, *NO_MESSAGES.values())] == []


@invariant
def no_message_gets_a_fault_that_it_did_not_have(done: Pass) -> None:
    for provider in CHECKS:
        before, after = (
            {(window.ids[place], text) for place, text in message_refusals(window.messages, provider)}
            for window in (done.before, done.after)
        )
        assert {fault for fault in after - before if fault[1] != TRAILING_SPACE} == set()


@invariant
def every_provider_takes_the_request_that_is_made_of_it(done: Pass) -> None:
    for provider, check in CHECKS.items():
        assert check(PROVIDERS[provider].request(done.after.context, done.after.messages)) == []


@invariant
def results_of_a_batch_of_calls_stand_first_in_the_next_message_of_anthropics_form(done: Pass) -> None:
    items = PROVIDERS["anthropic"].request(done.after.context, done.after.messages)["messages"]
    for item, following in zip(items, [*items[1:], None], strict=True):
        called = [block["id"] for block in blocks(item) if block["type"] == "tool_use"]
        if called:
            assert following["role"] == "user"
            answered = [block.get("tool_use_id", "") for block in blocks(following)]
            assert sorted(answered[: len(called)]) == sorted(called)
            assert not any(answered[len(called) :])


def blocks(item: dict[str, Any]) -> list[dict[str, Any]]:
    return item["content"] if isinstance(item["content"], list) else []


@invariant
def calls_that_still_wait_for_their_result_survive(done: Pass) -> None:
    caller = spoke_last(done.before.messages)
    if caller is not None and caller.calls:
        alive = [message for message in done.after.messages if message.id == caller.id]
        assert [message.calls for message in alive] == [caller.calls]
        assert alive == [caller] or caller.has_flaw, "its words change only where a provider would refuse them"


@invariant
def the_first_message_is_from_the_user_and_there_is_one(done: Pass) -> None:
    talk = [message for message in done.after.messages if message.role != "system"]
    if any(message.role == "user" for message in done.before.messages):
        assert talk[0].role == "user" or must_open_with_a_reply(done.before)
    only_orphans = len(done.before.groups.orphans) == len(done.before.messages)
    assert done.after.messages or only_orphans


@invariant
def no_neighbours_of_the_exported_form_speak_for_the_same_side(done: Pass) -> None:
    roles = [
        item["role"] for item in PROVIDERS["anthropic"].request(done.after.context, done.after.messages)["messages"]
    ]
    assert all(first != second for first, second in pairwise(roles))
    plain = [
        item["role"] if set(item) == {"role", "content"} else object()
        for item in PROVIDERS["openai"].request(done.after.context, done.after.messages)["messages"]
    ]
    assert all(first != second for first, second in pairwise(plain) if first in ("user", "assistant"))


@invariant
def no_reply_is_left_at_the_end_unless_one_was_there(done: Pass) -> None:
    spoken = [message.role for message in done.before.messages if message.role in ("user", "assistant")]
    if spoken[-1:] == ["user"]:
        assert [m.role for m in done.after.messages if m.role in ("user", "assistant")][-1] == "user"
        assert PROVIDERS["anthropic"].request(done.after.context, done.after.messages)["messages"][-1]["role"] == "user"


@invariant
def system_messages_all_stay_untouched_and_lead(done: Pass) -> None:
    before = [message for message in done.before.messages if message.role == "system"]
    after = [message for message in done.after.messages if message.role == "system"]
    if done.before.preserve_system:
        assert [message.id for message in before] == [message.id for message in after]
        faulty = {done.before.ids[index] for index in message_faults(done.before)}
        assert all(old is new or old.id in faulty for old, new in zip(before, after, strict=True))
    assert not done.plan.alters or list(done.after.messages[: len(after)]) == after


@invariant
def the_task_the_request_and_the_pinned_stay_word_for_word(done: Pass) -> None:
    asked = [message for message in done.before.messages if message.role == "user" and message.kind == "chat"]
    first = next((m for m in done.before.messages if m.kind == "summary" or m in asked), None)
    stays = asked[-1:] + ([first] if first in asked else [])
    faulty = {done.before.ids[index] for index in message_faults(done.before)}
    assert {id(message) for message in stays if message.id not in faulty} <= set(map(id, done.after.messages))
    assert {message.id for message in stays} <= set(done.after.ids)
    assert held_for_good(done.before) <= set(done.after.messages)
    assert done.after.pins == done.before.pins


@invariant
def thinking_stays_whole_or_leaves_whole(done: Pass) -> None:
    thoughts = {m.id: thinking(m) for m in done.before.messages}
    for message in done.after.messages:
        if message.id in thoughts:
            assert thinking(message) in (thoughts[message.id], ())


@invariant
def thinking_is_quoted_nowhere_else(done: Pass) -> None:
    thoughts = [part.text for message in done.before.messages for part in thinking(message) if len(part.text) > 20]
    said = "\n".join(part.text for m in done.before.messages for part in m.parts if isinstance(part, Text))
    told = "\n".join(part.text for m in done.after.messages for part in m.parts if isinstance(part, Text))
    assert not [text for text in thoughts if text[:20] in told and text[:20] not in said]


@invariant
def a_reasoning_item_stays_with_what_follows_it(done: Pass) -> None:
    followed = {message.id: reasons_for(message) for message in done.before.messages}
    for message in done.after.messages:
        if reasons_for(message) is not None and message.id in followed:
            assert reasons_for(message) == followed[message.id]


def reasons_for(message: Message) -> bool | None:
    """Whether anything follows the reasoning items of a message; None where it has none."""
    items = [
        place for place, part in enumerate(message.parts) if isinstance(part, Unknown) and part.type == "reasoning"
    ]
    return items[-1] + 1 < len(message.parts) if items else None


@invariant
def a_summary_is_text_in_the_memory_section_and_names_what_it_covers(done: Pass) -> None:
    sections = dict(zip(done.after.ids, done.after.sections, strict=True))
    for summary in done.plan.summaries:
        assert summary.kind == "summary"
        assert [type(part) for part in summary.parts] == [Text]
        assert without_block(summary.text).startswith(TITLE)
        assert sections[summary.id] == "memory"
        covered = done.plan.sources(summary.id)
        assert covered
        assert not set(covered) & set(done.after.ids)


@invariant
def a_pass_never_makes_the_window_larger(done: Pass) -> None:
    assert done.after.total <= done.before.total


@invariant
def a_target_is_reached_or_the_plan_says_why_not(done: Pass) -> None:
    reached = reaches(done)
    assert reached or done.plan.note
    if done.plan.strategy in ("token_window", "fifo", "importance"):
        assert reached == (done.plan.note == "")


def reaches(done: Pass) -> bool:
    """Whether a pass came to where its settings wanted it to be."""
    talk = sum(message.role != "system" for message in done.after.messages)
    match done.plan.settings:
        case {"max_tokens": int(most)} | {"target": int(most)} if done.plan.strategy != "auto":
            return done.after.total <= most
        case {"max_messages": int(most)} | {"limit": int(most)}:
            return talk <= most
    return True


@invariant
def an_earlier_summary_is_taken_in_or_kept_but_never_lost_or_nested(done: Pass) -> None:
    faulty = {done.before.ids[index] for index in message_faults(done.before)}
    for message in done.before.messages:
        if message.kind == "summary" and message.id not in faulty:
            assert message.id in done.after.ids or done.plan.by_id[message.id].kind == "summarised"
    assert all(summary.text.count(TITLE) == 1 for summary in done.plan.summaries)


@invariant
def all_that_left_has_one_fate_and_all_that_stayed_has_one_too(done: Pass) -> None:
    assert done.plan.ids == done.before.ids
    assert len(done.plan.fates) == len(done.plan.ids)
    assert all(fate.reason for fate in done.plan.fates)
    gone = {name for name, fate in done.plan.by_id.items() if fate.leaves}
    assert gone == set(done.before.ids) - set(done.after.ids)
    made = {summary.id for summary in done.plan.summaries}
    assert set(done.after.ids) - set(done.before.ids) == made
    assert {fate.into for fate in done.plan.fates if fate.kind == "summarised"} == made
    altered = {m.id for m in done.after.messages if m not in done.before.messages} - made
    assert altered == set(done.plan.rewrites)
    assert len(set(done.after.ids)) == len(done.after.ids)


@invariant
def what_did_not_change_is_kept_and_what_changed_is_not(done: Pass) -> None:
    for name, fate in done.plan.by_id.items():
        if fate.kind in ("kept", "pinned"):
            assert name not in done.plan.rewrites
        if fate.kind in ("trimmed", "masked"):
            assert name in done.plan.rewrites


@given(windows(), st.data())
def test_the_log_is_untouched(window: Window, data: st.DataObject) -> None:
    log = [repr(message.raw) for message in window.originals.values()]
    name, chosen = data.draw(moves(window))
    apply(window, draft_plan(window, name, chosen))
    assert [repr(message.raw) for message in window.originals.values()] == log


@invariant
def the_order_of_time_is_kept(done: Pass) -> None:
    place = {
        message.id: index for index, message in enumerate(done.before.messages) if message.role in ("user", "assistant")
    }
    left = [place[message.id] for message in done.after.messages if message.id in place]
    assert left == sorted(left)


@invariant
def a_second_pass_with_the_same_settings_changes_nothing_more(done: Pass) -> None:
    again = draft_plan(done.after, done.plan.strategy, done.settings)
    assert not again.alters
    assert apply(done.after, again).messages == done.after.messages


@invariant
def the_total_is_the_sum_of_the_parts(done: Pass) -> None:
    for window in (done.before, done.after):
        around = window.sizes.tools + window.unrecorded + (REPLY_PRIMER if window.messages else 0)
        assert window.total == sum(window.tokens) + around
        assert window.total == sum(size.tokens for size in window.breakdown.values())
        assert len(window.tokens) == len(window.messages)


@invariant
def sizes_stand_beside_their_messages(done: Pass) -> None:
    known = dict(zip(done.before.messages, done.before.tokens, strict=True))
    for message, tokens in zip(done.after.messages, done.after.tokens, strict=True):
        measured = done.after.sizes.measure(message)
        assert tokens == known.get(message, measured) or (message.id in done.plan.rewrites and tokens < measured)


NEVER_LEAVES = {each.reason for each in (SYSTEM, TASK, REQUEST, NEWEST, OPEN_CALL, SUMMARY, OPENED, DEAD_CALL, BLEMISH)}
NOTHING_KEPT = ("keep", "keep_recent", "keep_last", "keep_first", "head", "tail", "k", "max_messages")


@given(windows(pins=False), st.sampled_from(sorted(STRATEGIES)))
def test_keeping_none_is_not_keeping_all(window: Window, name: str) -> None:
    none = {each.name: 0 for each in STRATEGIES[name].knobs if each.name in NOTHING_KEPT and not each.low}
    done = Pass(window, name, none)
    kept = [fate.reason for fate in done.plan.fates if fate.kind == "kept"]
    assert not [reason for reason in kept if "newest 0" in reason or "oldest 0" in reason or "first 0" in reason]
    if name in ("deletion", "fifo", "head_tail", "vector_swap"):
        assert {fate.reason for fate in done.plan.fates if not fate.leaves} <= NEVER_LEAVES
