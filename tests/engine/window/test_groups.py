"""What may only stay or leave together."""

from __future__ import annotations

from hypothesis import given

from inspector.engine.window.window import Window
from tests.generated import Ask, Call, Inject, Reply, Stray, System, window_of, windows, work


def test_a_call_and_all_its_results_are_one_group() -> None:
    window = window_of(Ask(), work("now", "now", "now"), Reply())
    assert window.groups.members == ((0,), (1, 2, 3, 4), (5,))
    assert window.groups.of == (0, 1, 1, 1, 1, 2)
    assert len(window.groups) == 3


def test_a_result_belongs_to_its_call_wherever_it_stands() -> None:
    window = window_of(Ask(), work("later"), Inject(), Reply())
    assert [message.role for message in window.messages] == ["user", "assistant", "user", "tool", "assistant"]
    assert window.groups.members == ((0,), (1, 3), (2,), (4,))


def test_results_may_come_in_another_order_than_their_calls() -> None:
    reply = Reply(calls=(Call("a"), Call("b")), backwards=True)
    window = window_of(Ask(), reply)
    assert [message.answers for message in window.messages[2:]] == ["b", "a"]
    assert window.groups.members == ((0,), (1, 2, 3))


def test_two_calls_of_different_replies_with_one_id_each_get_their_own_result() -> None:
    window = window_of(Reply(calls=(Call("x"),)), Reply(calls=(Call("x"),)))
    assert window.groups.members == ((0, 1), (2, 3))


def test_two_calls_of_one_reply_with_one_id_get_one_result_each() -> None:
    window = window_of(Reply(calls=(Call(""), Call(""))))
    assert window.groups.members == ((0, 1, 2),)
    assert window.groups.open_calls == {}
    assert window.groups.orphans == frozenset()


def test_a_result_without_a_call_is_an_orphan_and_so_is_a_second_result() -> None:
    window = window_of(Ask(), Stray(), Reply(calls=(Call("a", "twice"),)), Ask())
    assert [message.answers for message in window.messages] == [None, "nobody", None, "a", None, "a"]
    assert window.groups.orphans == {1, 5}


def test_a_result_before_its_call_does_not_answer_it() -> None:
    window = window_of(Stray("a"), Reply(calls=(Call("a", "never"),)))
    assert window.groups.orphans == {0}
    assert window.groups.open_calls == {1: (0,)}


def test_open_calls_are_told_by_their_place_in_the_reply() -> None:
    window = window_of(Ask(), work("now", "never", "never"))
    assert window.groups.open_calls == {1: (1, 2)}


def test_a_call_is_live_until_somebody_speaks() -> None:
    assert window_of(Ask(), work("never")).live == {1}
    assert window_of(Ask(), work("now", "never")).live == {1}
    assert window_of(Ask(), work("never"), Ask()).live == frozenset()
    assert window_of(Ask(), work("never"), Reply()).live == frozenset()


def test_a_program_that_puts_something_in_does_not_end_a_live_call() -> None:
    assert window_of(Ask(), work("never"), Inject(), System()).live == {1}


def test_nothing_is_live_where_all_calls_are_answered() -> None:
    assert window_of(Ask(), work("now")).live == frozenset()


@given(windows())
def test_every_message_is_in_exactly_one_group_and_groups_are_in_order(window: Window) -> None:
    groups = window.groups
    flat = [index for members in groups.members for index in members]
    assert sorted(flat) == list(range(len(window.messages)))
    assert all(groups.of[index] == number for number, members in enumerate(groups.members) for index in members)
    assert [members[0] for members in groups.members] == sorted(members[0] for members in groups.members)


@given(windows())
def test_a_group_is_one_message_or_a_reply_with_results_to_its_own_calls(window: Window) -> None:
    for members in window.groups.members:
        first, *rest = (window.messages[index] for index in members)
        ids = [call.id for call in first.calls]
        for result in rest:
            assert result.role == "tool"
            ids.remove(result.answers or "")
        if ids:
            assert len(window.groups.open_calls[members[0]]) == len(ids)
