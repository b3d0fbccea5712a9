"""Strategies that leave every message in its place and make some of them shorter; and two more that take some away."""

from __future__ import annotations

import json

from inspector.engine.strategies import draft_plan
from inspector.engine.strategies.summarize_half import half
from inspector.engine.strategies.trim_outputs import trim_text
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from inspector.llm.providers import message_from_raw
from tests.generated import LONG, Ask, Reply, Step, window_of, work

WORK: tuple[Step, ...] = (
    Ask(LONG),
    *(work("now", result=f"{number} {LONG * 4}") for number in range(6)),
    Reply("Done."),
    Ask("And now?"),
)
"""m0 the task, then six calls with long results (m2, m4 … m12), m13 an answer, m14 the request."""


def fates(plan: Plan, kind: str) -> list[str]:
    return [message for message, fate in plan.by_id.items() if fate.kind == kind]


def text(window: Window, id: str) -> str:
    return window.messages[window.ids.index(id)].text


def test_masking_leaves_a_line_with_name_size_and_id_in_place_of_older_results() -> None:
    window = window_of(*WORK)
    plan = draft_plan(window, "mask_observations", {"keep": 2})
    assert fates(plan, "masked") == ["m2", "m4", "m6", "m8"]
    after = apply(window, plan)
    assert after.ids == window.ids
    tokens = window.tokens[window.ids.index("m2")]
    assert f"result of {tokens:,} tokens, message m2" in text(after, "m2")
    assert text(after, "m10") == text(window, "m10")


def test_masking_with_keep_0_masks_all_and_with_many_none() -> None:
    window = window_of(*WORK)
    assert len(fates(draft_plan(window, "mask_observations", {"keep": 0}), "masked")) == 6
    assert not draft_plan(window, "mask_observations", {"keep": 50}).alters


def test_a_pinned_result_and_the_newest_step_are_never_masked() -> None:
    window = window_of(*WORK[:-2], pinned=["m4"])
    plan = draft_plan(window, "mask_observations", {"keep": 0})
    assert fates(plan, "masked") == ["m2", "m6", "m8", "m10"]


def test_clearing_waits_for_its_trigger_and_for_enough_to_win() -> None:
    window = window_of(*WORK)
    waiting = draft_plan(window, "clear_tool_uses", {"trigger": window.total + 1})
    assert not waiting.alters and "below the trigger" in waiting.note
    little = draft_plan(window, "clear_tool_uses", {"clear_at_least": 100_000})
    assert not little.alters and "less than 100,000" in little.note
    cleared = draft_plan(window, "clear_tool_uses")
    assert fates(cleared, "masked") == ["m2", "m4", "m6"]


def test_clearing_passes_over_excluded_tools() -> None:
    window = window_of(*WORK)
    name = window.messages[1].calls[0].name
    assert not draft_plan(window, "clear_tool_uses", {"keep": 0, "exclude_tools": f"other, {name}"}).alters


def test_trimming_keeps_head_and_tail_of_long_outputs_only() -> None:
    window = window_of(Ask(), work("now", result="a" * 500 + "z" * 500), work("now", result="short"), Ask())
    plan = draft_plan(window, "trim_outputs", {"longest": 300})
    assert fates(plan, "trimmed") == ["m2"]
    new = text(apply(window, plan), "m2")
    assert new.startswith("aaa") and new.endswith("zzz") and "left out" in new and len(new) <= 300


def test_a_trimmed_text_says_how_much_is_missing_and_is_never_too_long() -> None:
    for longest in (100, 137, 400):
        for head in (0.0, 0.5, 1.0):
            assert len(trim_text("x" * 5_000, longest, head)) <= longest
    assert f"{5_000 - 400:,} characters left out" in trim_text("x" * 5_000, 400, 0.5)


def test_of_identical_results_the_newest_stays_and_the_others_point_to_it() -> None:
    window = window_of(Ask(), *(work("now", result=LONG * 3) for _ in range(3)), Reply(), Ask())
    plan = draft_plan(window, "dedupe")
    assert fates(plan, "masked") == ["m2", "m4"]
    assert "message m6" in text(apply(window, plan), "m2")


def test_an_older_reading_of_a_file_gives_way_to_a_newer_one() -> None:
    window = readings({"path": "notes.md"}, {"path": "notes.md"}, {"path": "other.md"})
    plan = draft_plan(window, "dedupe")
    assert fates(plan, "masked") == ["r0"]
    assert plan.by_id["r0"].reason == "a newer reading of notes.md, in message r1"
    assert not draft_plan(window, "dedupe", {"reads": False}).alters


def test_readings_of_parts_of_a_file_all_stay() -> None:
    window = readings({"path": "notes.md", "offset": 0}, {"path": "notes.md", "offset": 200})
    assert not draft_plan(window, "dedupe").alters


def readings(*arguments: dict[str, object]) -> Window:
    """A window in which files were read, each time with other content."""
    from dataclasses import replace

    messages = [message_from_raw("u", {"role": "user", "content": "Look."}, "openai")]
    for number, item in enumerate(arguments):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "read_file", "arguments": json.dumps(item)},
        }
        reply = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} {LONG * 3}"}
        messages.append(message_from_raw(f"a{number}", reply, "openai"))
        messages.append(message_from_raw(f"r{number}", result, "openai"))
    messages.append(message_from_raw("q", {"role": "user", "content": "And now?"}, "openai"))
    window = window_of(Ask())
    return replace(window, messages=tuple(messages), tokens=tuple(window.sizes.measure(item) for item in messages))


def test_thinking_of_earlier_turns_leaves_whole_and_the_newest_stays_untouched() -> None:
    window = window_of(
        Ask("One?"),
        Reply("First.", thinking="Hm, one."),
        Ask("Two?"),
        Reply("Second.", thinking="Hm, two."),
        Ask("Three?"),
        Reply("Third.", thinking="Hm, three."),
        dialect="anthropic",
    )
    after = apply(window, draft_plan(window, "clear_thinking", {"keep": 1}))
    assert [message.thinks for message in after.messages if message.role == "assistant"] == [False, False, True]
    assert text(after, "m1") == "First."
    assert not draft_plan(window, "clear_thinking", {"keep": 9}).alters


def test_head_and_tail_stay_and_the_middle_is_dropped_or_summarised() -> None:
    window = window_of(*WORK)
    dropped = draft_plan(window, "head_tail", {"head": 3, "tail": 2})
    assert apply(window, dropped).ids == ("m0", "m1", "m2", "m13", "m14")
    summarised = draft_plan(window, "head_tail", {"head": 3, "tail": 2, "middle": "summarised"})
    assert apply(window, summarised).ids == ("m0", "m1", "m2", "summary 1", "m13", "m14")


def test_the_older_half_is_summarised_until_the_window_fits() -> None:
    window = window_of(*WORK)
    nothing = draft_plan(window, "summarize_half", {"max_tokens": window.total})
    assert not nothing.alters
    once = draft_plan(window, "summarize_half", {"max_tokens": window.total - 10})
    assert once.sources("summary 1") == tuple(f"m{number}" for number in range(1, 9))
    more = draft_plan(window, "summarize_half", {"max_tokens": 0})
    assert len(more.sources("summary 1")) == 13 and "the first task (" in more.note


def test_half_of_the_messages_is_counted_in_whole_groups() -> None:
    assert half([(0,), (1,), (2,), (3,)]) == 2
    assert half([(0, 1, 2), (3,)]) == 1
    assert half([(0,), (1, 2, 3)]) == 2
    assert half([(0,)]) == 1
