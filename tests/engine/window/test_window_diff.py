"""What differs between two windows, and inside a message."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

from hypothesis import example, given, strategies as st

from inspector.engine.strategies import draft_plan
from inspector.engine.window.plan import KEPT, Fate, Plan, apply, manual_plan
from inspector.engine.window.window import Window
from inspector.engine.window.window_diff import WORDS, Change, Span, _common_ends, _edit_runs, diff_windows, word_diff
from inspector.llm.providers import text_message
from tests.generated import LONG, Ask, Reply, System, moves, window_of, windows, work


def rows(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.kind, change.message.id) for change in changes]


def test_a_window_does_not_differ_from_itself() -> None:
    window = window_of(Ask(), work(), Reply())
    changes = diff_windows(window, window)
    assert rows(changes) == [("same", name) for name in window.ids]
    assert all(change.before is change.after and change.tokens_before == change.tokens_after for change in changes)


def test_removed_messages_stand_where_they_stood_and_a_summary_where_it_stands() -> None:
    window = window_of(Ask(LONG), Reply(LONG), Ask(LONG), Reply(LONG), Ask())
    plan = draft_plan(window, "sliding_window", {"keep_recent": 1})
    changes = diff_windows(window, apply(window, plan), [plan])
    assert rows(changes) == [
        ("same", "m0"),
        ("added", "summary 1"),
        ("removed", "m1"),
        ("removed", "m2"),
        ("removed", "m3"),
        ("same", "m4"),
    ]
    assert [change.fate.kind for change in changes if change.fate] == ["summarised"] * 3


def test_a_prompt_that_is_recorded_again_after_a_compaction_is_the_same_message() -> None:
    before = window_of(System("Be brief."), Ask("Sort the files."), Reply(LONG))
    again = [text_message(f"n{at}", one.role, one.text, "openai") for at, one in enumerate(before.messages[:2])]
    after = replace(before, messages=(again[1], again[0]), tokens=(before.tokens[1], before.tokens[0]))
    assert rows(diff_windows(before, after)) == [("same", "n1"), ("same", "n0"), ("removed", "m2")]
    changed = text_message("n2", "system", "Be long.", "openai")
    (prompt, ask, reply) = diff_windows(before, replace(after, messages=(changed, again[1])))
    assert (prompt.kind, ask.kind, reply.kind) == ("changed", "same", "removed")
    assert prompt.before is before.messages[0] and prompt.after is changed


def test_a_row_tells_the_tokens_on_each_side() -> None:
    window = window_of(Ask(), Reply("word " * 30), Ask())
    plan = Plan("test", {}, window.ids, (KEPT, Fate("dropped", "a test"), KEPT))
    _, removed, _ = diff_windows(window, apply(window, plan), [plan])
    assert (removed.tokens_before, removed.tokens_after) == (window.tokens[1], 0)
    assert removed.before is window.messages[1]
    assert removed.after is None
    assert removed.fate == Fate("dropped", "a test")


def test_a_changed_message_is_one_row_with_both_sides_and_the_reason() -> None:
    window = window_of(Ask(), Reply("word " * 30), Ask())
    short = text_message("m1", "assistant", "word", "openai")
    plan = Plan("test", {}, window.ids, (KEPT, Fate("masked", "a test"), KEPT), {"m1": short})
    change = diff_windows(window, apply(window, plan), [plan])[1]
    assert (change.kind, change.before, change.after) == ("changed", window.messages[1], short)
    assert change.tokens_before > change.tokens_after
    assert change.fate == Fate("masked", "a test")
    assert change.message is short


def test_what_left_at_the_end_is_the_last_row() -> None:
    window = window_of(Ask(), Reply(), Ask(), Reply())
    after = apply(window, manual_plan(window, ["m2", "m3"], "dropped"))
    assert rows(diff_windows(window, after)) == [("same", "m0"), ("same", "m1"), ("removed", "m2"), ("removed", "m3")]


def test_what_merely_moved_is_the_same() -> None:
    window = window_of(Ask(), Reply("x"), System(), Ask())
    plan = Plan("test", {}, window.ids, (KEPT, Fate("dropped", "a test"), KEPT, KEPT))
    after = apply(window, plan)
    assert after.ids == ("m2", "m0", "m3")
    assert sorted(rows(diff_windows(window, after))) == [
        ("removed", "m1"),
        ("same", "m0"),
        ("same", "m2"),
        ("same", "m3"),
    ]


def test_the_newest_plan_tells_why() -> None:
    window = window_of(Ask(), Reply(), Ask())
    old = Plan(
        "test", {}, window.ids, (KEPT, Fate("masked", "first"), KEPT), {"m1": text_message("m1", "user", "x", "openai")}
    )
    new = Plan("test", {}, window.ids, (KEPT, Fate("dropped", "then"), KEPT))
    after = apply(apply(window, old), new)
    assert [change.fate.reason for change in diff_windows(window, after, [old, new]) if change.fate] == ["then"]


@given(windows(), st.data())
def test_every_message_of_both_windows_is_in_the_diff_exactly_once(window: Window, data: st.DataObject) -> None:
    plan = draft_plan(window, *data.draw(moves(window)))
    after = apply(window, plan)
    changes = diff_windows(window, after, [plan])
    assert sorted(change.before.id for change in changes if change.before) == sorted(window.ids)
    assert [change.after.id for change in changes if change.after] == list(after.ids)
    assert sum(change.tokens_before for change in changes) == sum(window.tokens)
    assert sum(change.tokens_after for change in changes) == sum(after.tokens)
    for change in changes:
        both = change.before is not None and change.after is not None
        assert both == (change.kind in ("same", "changed"))
        assert (change.kind == "same") == (both and change.before is change.after)
        assert (change.kind == "added") == (change.before is None)
        assert change.fate is None or change.kind != "same"


def sides(spans: list[Span]) -> tuple[str, str]:
    before = "".join(span.text for span in spans if span.kind != "added")
    after = "".join(span.text for span in spans if span.kind != "removed")
    return before, after


def test_words_that_stay_are_told_from_words_that_come_and_go() -> None:
    assert word_diff("the old cat sat", "the new cat sat down") == [
        Span("same", "the "),
        Span("removed", "old"),
        Span("added", "new"),
        Span("same", " cat sat"),
        Span("added", " down"),
    ]


def test_equal_texts_are_one_run_and_empty_ones_are_none() -> None:
    assert word_diff("a b c", "a b c") == [Span("same", "a b c")]
    assert word_diff("", "") == []


def test_long_texts_are_compared_by_line() -> None:
    before = "".join(f"line {number} of many\n" for number in range(WORDS // 4))
    after = before.replace("line 7 of", "line seven of")
    spans = word_diff(before, after)
    assert Span("removed", "line 7 of many\n") in spans
    assert Span("added", "line seven of many\n") in spans
    assert sides(spans) == (before, after)


PIECES = st.sampled_from(["a", "b", " ", "\n", "\r\n", "\t", "é", "漢字", "\x00", "\u2028", "🎈", "...", "word"])
TEXTS = st.text(max_size=40) | st.lists(PIECES, max_size=60).map("".join)


@given(TEXTS, TEXTS, st.sampled_from([1, 1, 1, WORDS]))
@example("a\x85b\x1cc", "a\x85c", WORDS)
def test_the_runs_put_together_are_both_texts_to_the_letter(before: str, after: str, times: int) -> None:
    before, after = before * times, after * times
    spans = word_diff(before, after)
    assert sides(spans) == (before, after)
    assert all(span.text for span in spans)


@given(st.lists(st.sampled_from("ab"), max_size=8), st.lists(st.sampled_from("ab"), max_size=8))
def test_stretches_follow_each_other_without_gaps_and_are_the_same_where_they_say_so(
    old: list[str], new: list[str]
) -> None:
    for result in (_edit_runs(old, new), _common_ends(old, new)):
        mine = theirs = 0
        for same, i1, i2, j1, j2 in result:
            assert (i1, j1) == (mine, theirs)
            assert not same or old[i1:i2] == new[j1:j2]
            mine, theirs = i2, j2
        assert (mine, theirs) == (len(old), len(new))


def test_what_is_too_much_to_compare_still_shows_both_ends_as_the_same() -> None:
    head, tail = [f"{number}\n" for number in range(300)], ["end\n"]
    before = "".join([*head, *["x\n"] * 4_000, *tail])
    after = "".join([*head, *["y\n"], *["x\n"] * 300, *tail])
    assert word_diff(before, after) == [
        Span("same", "".join(head)),
        Span("removed", "x\n" * 3_700),
        Span("added", "y\n"),
        Span("same", "x\n" * 300 + "end\n"),
    ]


def test_two_very_long_texts_of_the_same_few_lines_are_compared_in_good_time() -> None:
    before = "\n".join("abc"[number * 7 % 3] for number in range(190))
    after = "\n".join("abcd"[number * 5 % 4] for number in range(60_000))
    start = process_time()
    assert sides(word_diff(before, after)) == (before, after)
    assert process_time() - start < 10
