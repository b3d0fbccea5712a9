"""What each strategy means, on conversations small enough to be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inspector.core.conversation import Message
from inspector.engine.strategies import Services, draft_plan
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import Plan, apply, manual_plan
from inspector.llm.tokens.counting import FRAME
from tests.engine.strategies.passes import saying
from tests.generated import LONG, Ask, Inject, Reply, Step, Stray, Summary, System, recorded, sized, window_of, work


def left(window: Window, plan: Plan) -> str:
    return " ".join(apply(window, plan).ids)


CHAT = (System(), Ask(LONG), Reply(LONG), Ask(LONG), Reply(LONG), Ask(LONG), Reply(LONG), Ask("And now?"))
"""m0 system, m1 the task, then three answers and two questions, m7 the request."""


def test_fifo_lets_the_oldest_go_first() -> None:
    window = window_of(*CHAT)
    assert left(window, draft_plan(window, "fifo", {"max_messages": 7})) == "m0 m1 m2 m3 m4 m5 m6 m7"
    plan = draft_plan(window, "fifo", {"max_messages": 5})
    assert left(window, plan) == "m0 m1 m4 m5 m6 m7"
    assert plan.by_id["m3"].reason == "older than the newest 5 messages"
    assert plan.by_id["m4"].reason == "among the newest 5 messages"
    assert left(window, draft_plan(window, "fifo", {"max_messages": 3})) == "m0 m1 m6 m7"


def test_fifo_says_so_when_what_may_not_leave_is_more() -> None:
    window = window_of(*CHAT)
    plan = draft_plan(window, "fifo", {"max_messages": 0})
    assert left(window, plan) == "m0 m1 m7"
    assert plan.note == "2 messages remain, because they are protected"


def test_fifo_takes_a_call_with_all_its_results_even_if_one_would_do() -> None:
    window = window_of(Ask(), work("now", "now"), Reply(), Ask())
    plan = draft_plan(window, "fifo", {"max_messages": 5})
    assert left(window, plan) == "m0 m4 m5"
    assert plan.note == ""


def test_fifo_does_not_count_results_that_leave_anyway() -> None:
    window = window_of(Ask(), Stray(), Reply(), Ask())
    assert left(window, draft_plan(window, "fifo", {"max_messages": 3})) == "m0 m2 m3"
    assert left(window, draft_plan(window, "fifo", {"max_messages": 2})) == "m0 m3"


def test_a_result_that_answers_nothing_is_dropped_and_not_summarised() -> None:
    window = window_of(Ask(), Stray(), Reply(LONG * 3), Ask())
    plan = draft_plan(window, "sliding_window", {"keep_recent": 1, "ratio": 0.5})
    assert plan.sources("summary 1") == ("m2",)
    assert plan.by_id["m1"].reason == "this result has no call: the provider would reject it"


def test_token_window_keeps_the_newest_that_fit_in_one_piece() -> None:
    window = window_of(*CHAT)
    room = window.total - sum(window.tokens[2:5]) + window.tokens[4]
    assert left(window, draft_plan(window, "token_window", {"max_tokens": room})) == "m0 m1 m4 m5 m6 m7"
    assert left(window, draft_plan(window, "token_window", {"max_tokens": room - 1})) == "m0 m1 m5 m6 m7"
    assert left(window, draft_plan(window, "token_window", {"max_tokens": window.total})) == "m0 m1 m2 m3 m4 m5 m6 m7"


def test_token_window_says_why_each_message_stays_or_leaves() -> None:
    window = window_of(*CHAT)
    plan = draft_plan(window, "token_window", {"max_tokens": window.total - 1})
    assert plan.by_id["m2"].reason == f"does not fit into {window.total - 1:,} tokens"
    assert plan.by_id["m3"].reason == f"fits into {window.total - 1:,} tokens"
    assert plan.by_id["m0"].reason == "system messages are always kept"


def test_strategies_start_at_half_of_what_there_is() -> None:
    window = window_of(*CHAT)
    assert draft_plan(window, "fifo").settings == {"max_messages": 4}
    assert draft_plan(window, "token_window").settings == {"max_tokens": round(window.total / 2)}
    long = window_of(Ask(), *[Reply(LONG)] * 90, Ask())
    assert draft_plan(long, "token_window").settings == {"max_tokens": round(long.total / 2 / 500) * 500}


def test_token_window_stops_at_the_first_that_does_not_fit_though_an_older_one_would() -> None:
    window = window_of(Ask(), Reply("short"), Reply(LONG * 4), Reply("short"), Ask())
    room = window.total - window.tokens[2]
    plan = draft_plan(window, "token_window", {"max_tokens": room})
    assert left(window, plan) == "m0 m3 m4"
    assert plan.note == ""


def test_token_window_explains_only_a_target_that_it_missed() -> None:
    window = window_of(*CHAT)
    bare = window.total - sum(window.tokens[2:7])
    assert draft_plan(window, "token_window", {"max_tokens": bare}).note == ""
    missed = draft_plan(window, "token_window", {"max_tokens": bare - 1})
    assert left(window, missed) == "m0 m1 m7"
    assert missed.note.startswith(f"{bare:,} tokens remain, because these are kept: the first task (")


def test_deletion_keeps_the_newest_and_writes_no_summary() -> None:
    window = window_of(*CHAT)
    plan = draft_plan(window, "deletion", {"keep_recent": 3})
    assert left(window, plan) == "m0 m1 m5 m6 m7"
    assert plan.summaries == ()
    assert plan.by_id["m2"].reason == "older than the newest 3 messages"
    assert plan.by_id["m6"].reason == "among the newest 3 messages"


def test_sliding_window_puts_all_that_is_older_into_one_summary() -> None:
    window = window_of(*CHAT)
    plan = draft_plan(window, "sliding_window", {"keep_recent": 3, "ratio": 0.5})
    assert left(window, plan) == "m0 m1 summary 1 m5 m6 m7"
    assert plan.sources("summary 1") == ("m2", "m3", "m4")
    assert plan.by_id["m3"].reason == "into summary 1, with 2 others"
    assert plan.by_id["m5"].reason == "among the newest 3 messages"
    assert plan.note == ""


def test_a_message_that_is_summarised_knows_in_what_company() -> None:
    for replies, reason in (
        (1, "into summary 1"),
        (2, "into summary 1, with 1 other"),
        (3, "into summary 1, with 2 others"),
    ):
        window = window_of(Ask(), *[Reply(LONG * 2)] * replies, Ask())
        plan = draft_plan(window, "sliding_window", {"keep_recent": 1, "ratio": 0.5})
        assert plan.by_id["m1"].reason == reason


def test_sliding_window_asks_for_a_summary_of_the_given_share() -> None:
    requests: list[tuple[int, int]] = []

    def summarise(messages: Sequence[Message], target: int, _count: Callable[[str], int]) -> str:
        requests.append((len(messages), target))
        return "Short."

    window = window_of(*CHAT)
    draft_plan(window, "sliding_window", {"keep_recent": 3, "ratio": 0.25}, Services(summarise))
    assert requests == [(3, int(0.25 * sum(window.tokens[2:5])) - FRAME)]


def test_an_earlier_summary_is_taken_into_the_next_one() -> None:
    window = window_of(*CHAT, Reply(LONG), Ask())
    once = apply(window, draft_plan(window, "sliding_window", {"keep_recent": 6, "ratio": 0.5}))
    assert once.ids == ("m0", "m1", "summary 1", "m3", "m4", "m5", "m6", "m7", "m8", "m9")
    plan = draft_plan(once, "sliding_window", {"keep_recent": 2, "ratio": 0.3})
    twice = apply(once, plan)
    assert [name for name in twice.ids if name.startswith("summary")] == ["summary 2"]
    assert plan.by_id["summary 1"].into == "summary 2"


def test_a_lone_summary_is_not_summarised_again() -> None:
    window = window_of(Summary(LONG * 5), Ask(), Reply(), Ask())
    plan = draft_plan(window, "sliding_window", {"keep_recent": 3})
    assert not plan.alters
    assert plan.note == "nothing is older than the newest 3 messages"


def test_a_strategy_that_drops_never_drops_a_summary() -> None:
    window = window_of(Summary(LONG * 5), Ask(LONG), Reply(LONG), Ask())
    for name, none in (("fifo", "max_messages"), ("deletion", "keep_recent"), ("token_window", "max_tokens")):
        plan = draft_plan(window, name, {none: 0})
        assert left(window, plan) == "m0 m3"
        assert plan.by_id["m0"].reason == "an earlier summary is never dropped"


def test_an_empty_summary_changes_nothing_and_says_so() -> None:
    window = window_of(*CHAT)
    for text in ("", " \n"):
        plan = draft_plan(window, "sliding_window", {"keep_recent": 1}, saying(text))
        assert apply(window, plan).messages == window.messages
        assert plan.note == "the summary is empty, so it replaces nothing"


def test_a_summary_that_is_too_long_changes_nothing_and_says_so() -> None:
    window = window_of(*CHAT)
    plan = draft_plan(window, "sliding_window", {"keep_recent": 1}, saying("word " * 2_000))
    assert apply(window, plan).messages == window.messages
    older = sum(window.tokens[2:7])
    assert plan.note == f"a summary would have 2,504 tokens, no less than the {older:,} of its source"


def test_a_summary_has_to_be_smaller_than_what_it_stands_for() -> None:
    window = window_of(Ask(), Reply("x" * 40), Ask())
    assert window.tokens[1] == 14
    assert not draft_plan(window, "sliding_window", {"keep_recent": 1}, saying("y" * 40)).alters
    assert draft_plan(window, "sliding_window", {"keep_recent": 1}, saying("y" * 36)).alters


def test_a_session_with_one_request_can_be_compressed_too() -> None:
    steps: list[Step] = [Ask(), *[work(result=LONG)] * 6]
    window = window_of(*steps)
    plan = draft_plan(window, "deletion", {"keep_recent": 4})
    assert left(window, plan) == "m0 m9 m10 m11 m12"
    assert left(window, draft_plan(window, "deletion", {"keep_recent": 0})) == "m0 m11 m12"
    assert plan.by_id["m0"].kind == "pinned"


def test_the_newest_step_stays_with_all_its_results_and_what_was_put_in_after_it() -> None:
    window = window_of(Ask(), work(result=LONG), work("now", "now"), Inject())
    plan = draft_plan(window, "token_window", {"max_tokens": 0})
    assert left(window, plan) == "m0 m3 m4 m5 m6"
    assert [fate.reason for fate in plan.fates[3:]] == ["the newest step"] * 4


def test_live_calls_stay_and_dead_ones_do_not_block() -> None:
    window = window_of(Ask(), work("never"), Reply(), work("now", "never"))
    plan = draft_plan(window, "deletion", {"keep_recent": 0})
    assert left(window, plan) == "m0 m3 m4"
    assert plan.by_id["m3"].reason == "its call is waiting for a result"


def test_a_dead_call_is_taken_out_of_what_stays_and_the_words_around_it_are_left() -> None:
    for dialect in ("openai", "anthropic"):
        window = window_of(Ask(), work("now", "never", content="Looking."), Ask(), dialect=dialect)
        plan = draft_plan(window, "deletion", {"keep_recent": 9})
        after = apply(window, plan)
        assert [call.id for call in after.messages[1].calls] == ["call_1"]
        assert after.messages[1].text.startswith("Looking.")
        assert plan.by_id["m1"].reason == "its call has no result: the provider would reject it"


def test_a_message_that_lost_a_dead_call_keeps_everything_else_that_is_known_of_it() -> None:
    window = window_of(Ask(), work("never", content="Looking."), Ask())
    old, new = window.messages[1], apply(window, draft_plan(window, "deletion", {"keep_recent": 9})).messages[1]
    assert new is not old
    for fact in ("id", "role", "dialect", "kind", "name", "agent", "parent", "time", "model", "usage", "record"):
        assert getattr(new, fact) == getattr(old, fact), fact
    assert new.calls == ()
    assert new.chars < old.chars


def test_a_message_that_only_made_a_dead_call_leaves() -> None:
    window = window_of(Ask(), work("never"), Ask())
    plan = draft_plan(window, "deletion", {"keep_recent": 9})
    assert left(window, plan) == "m0 m2"
    assert plan.by_id["m1"].reason == "its call has no result and it has no other content"


def test_words_before_the_first_from_the_user_leave() -> None:
    window = window_of(System(), Reply("Hello!"), Ask(), Reply(), Ask())
    plan = draft_plan(window, "deletion", {"keep_recent": 9})
    assert left(window, plan) == "m0 m2 m3 m4"
    assert plan.by_id["m1"].reason == "a conversation must start with a user message"


def test_where_nobody_ever_asked_the_conversation_keeps_its_beginning() -> None:
    window = window_of(System(), Inject("You are a helper."), work(), work(), Reply())
    plan = draft_plan(window, "deletion", {"keep_recent": 0})
    assert left(window, plan) == "m0 m1 m6"
    assert plan.by_id["m1"].reason == "a conversation must start with a user message"


def test_where_nobody_ever_asked_the_summary_may_begin_the_conversation() -> None:
    window = window_of(Inject(LONG * 2), Reply(LONG * 2), Reply("Done."))
    plan = draft_plan(window, "sliding_window", {"keep_recent": 1, "ratio": 0.5})
    assert left(window, plan) == "summary 1 m2"


def test_what_comes_before_the_task_is_kept_where_only_it_stands_before_something_pinned() -> None:
    window = window_of(Inject(LONG * 2), Reply("Hello."), Ask(), Reply(LONG * 3), Ask(), pinned=["m1"])
    plan = draft_plan(window, "sliding_window", {"keep_recent": 1, "ratio": 0.5})
    assert left(window, plan) == "m0 m1 m2 summary 1 m4"


def test_a_summary_in_front_is_beginning_enough() -> None:
    window = window_of(Reply(LONG * 3), Reply("One."), Inject(), Reply("Two."))
    plan = draft_plan(window, "sliding_window", {"keep_recent": 3, "ratio": 0.5})
    assert left(window, plan) == "summary 1 m1 m2 m3"


def test_a_summary_behind_the_task_does_not_excuse_a_reply_in_front_of_it() -> None:
    window = window_of(Reply(LONG * 3), Reply("Hello."), Ask())
    plan = draft_plan(window, "sliding_window", {"keep_recent": 2, "ratio": 0.5})
    assert left(window, plan) == "m2 summary 1"


def test_a_window_of_what_programs_put_in_is_not_emptied() -> None:
    window = window_of(Inject(), Inject())
    assert left(window, draft_plan(window, "deletion", {"keep_recent": 0})) == "m1"


def test_what_came_before_the_task_does_not_take_its_place_when_it_is_summarised() -> None:
    window = window_of(Inject(LONG * 4), Ask(), Reply(LONG * 4), Reply(), Ask())
    after = apply(window, draft_plan(window, "sliding_window", {"keep_recent": 1, "ratio": 0.3}))
    assert after.ids == ("m1", "summary 1", "m4")
    assert after.task == 0


def test_names_of_summaries_are_never_used_again_through_many_passes() -> None:
    session = recorded([Ask(), *[work(result=LONG * 2)] * 12, Ask()])
    window = at_turn(session, sized(session))
    names = []
    for keep in (15, 10, 5, 1):
        plan = draft_plan(window, "sliding_window", {"keep_recent": keep, "ratio": 0.5})
        window = apply(window, plan)
        names += [summary.id for summary in plan.summaries]
    assert names == [f"summary {number}" for number in range(1, 5)]
    assert [name for name in window.ids if name.startswith("summary")] == ["summary 4"]


def test_the_name_of_a_pinned_summary_is_not_given_again() -> None:
    window = window_of(Ask(), *[Reply(LONG * 3)] * 12, Ask())
    for keep in (9, 6, 3):
        window = apply(window, draft_plan(window, "sliding_window", {"keep_recent": keep, "ratio": 0.3}))
        newest = [name for name in window.ids if name.startswith("summary")][-1]
        window = apply(window, manual_plan(window, [newest], "pinned"))
    assert [name for name in window.ids if name.startswith("summary")] == ["summary 1", "summary 2", "summary 3"]


def test_pinned_messages_stay_with_their_whole_group() -> None:
    window = window_of(Ask(), work("now", "now"), Reply(), Ask(), pinned=["m3"])
    plan = draft_plan(window, "deletion", {"keep_recent": 0})
    assert left(window, plan) == "m0 m1 m2 m3 m5"
    assert plan.by_id["m3"].reason == "pinned by the user"
