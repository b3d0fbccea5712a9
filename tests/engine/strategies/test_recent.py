"""What counts as recent."""

from __future__ import annotations

from hypothesis import given, strategies as st

from inspector.engine.strategies.recent import recent
from inspector.engine.window.window import Window
from tests.generated import Ask, Inject, Reply, Summary, System, window_of, windows, work


def kept(window: Window, keep: int) -> list[str]:
    newest = recent(window, keep)
    return [name for index, name in enumerate(window.ids) if index in newest]


def test_the_newest_messages_are_recent() -> None:
    assert kept(window_of(Ask(), Reply(), Reply(), Reply(), Reply()), 2) == ["m3", "m4"]


def test_none_means_none_and_not_all() -> None:
    assert kept(window_of(Ask(), Reply()), 0) == []
    assert kept(window_of(Ask(), Reply()), -1) == []


def test_more_than_there_are_means_all() -> None:
    assert kept(window_of(Ask(), Reply()), 3) == ["m0", "m1"]
    assert kept(window_of(System()), 3) == []


def test_system_messages_are_not_counted() -> None:
    assert kept(window_of(Reply(), Reply(), System(), Reply()), 2) == ["m1", "m3"]


def test_a_summary_is_not_counted() -> None:
    assert kept(window_of(Reply(), Reply(), Summary(), Reply()), 2) == ["m1", "m2", "m3"]


def test_the_edge_moves_outward_to_take_a_whole_group() -> None:
    assert kept(window_of(Reply(), work("now", "now", "now"), Reply()), 2) == ["m1", "m2", "m3", "m4", "m5"]


def test_a_late_result_counts_where_its_call_stands() -> None:
    window = window_of(Reply(), work("later"), Inject())
    assert [message.role for message in window.messages] == ["assistant", "assistant", "user", "tool"]
    assert kept(window, 1) == ["m2"]
    assert kept(window, 2) == ["m1", "m2", "m3"]


def test_words_from_the_user_shortly_before_are_taken_along() -> None:
    steps = (Reply(), Ask(), Reply(), Reply(), Reply(), Reply(), Reply())
    assert kept(window_of(*steps), 4) == ["m1", "m2", "m3", "m4", "m5", "m6"]  # the request is two before m3
    assert kept(window_of(*steps), 3) == ["m4", "m5", "m6"]  # it is three before m4: too far
    assert kept(window_of(*steps), 1) == ["m6"]
    assert kept(window_of(Ask(), Reply(), Reply()), 2) == ["m0", "m1", "m2"]


def test_the_nearest_words_are_enough() -> None:
    assert kept(window_of(Ask(), Ask(), Reply(), Reply(), Reply(), Reply(), Reply()), 4) == [
        f"m{number}" for number in range(1, 7)
    ]


def test_a_part_that_begins_with_the_user_is_not_widened() -> None:
    assert kept(window_of(Ask(), Reply(), Ask(), Reply()), 2) == ["m2", "m3"]


def test_what_a_program_put_in_does_not_count_as_words_from_the_user() -> None:
    assert kept(window_of(Reply(), Inject(), Reply(), Reply()), 2) == ["m2", "m3"]


@given(windows(), st.integers(1, 12))
def test_recent_holds_enough_and_whole_groups_only(window: Window, keep: int) -> None:
    newest = recent(window, keep)
    talk = [index for index, message in enumerate(window.messages) if message.role != "system"]
    assert len(newest) >= min(keep, len(talk))
    assert newest <= set(talk)
    for members in window.groups.members:
        assert newest.issuperset(members) or newest.isdisjoint(members)


@given(windows(), st.integers(1, 12))
def test_nothing_recent_is_older_than_anything_that_is_not(window: Window, keep: int) -> None:
    newest = {window.groups.of[index] for index in recent(window, keep)}
    older = {
        number
        for number, members in enumerate(window.groups.members)
        if number not in newest and window.messages[members[0]].role != "system"
    }
    assert max(older, default=-1) < min(newest, default=len(window.groups))
