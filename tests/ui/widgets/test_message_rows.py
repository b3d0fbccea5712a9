"""The rows of the list of messages as data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.library import Preview, Workbench
from inspector.library.diagnosis import largest_messages
from inspector.ui.widgets.message_list import size_bar
from inspector.ui.widgets.message_rows import MessageRow, MessageRows, number_text
from tests.generated import LONG, Ask, Inject, Reply, Step, Summary, recorded, sized, work

STEPS: list[Step] = [
    Ask("Count the orders."),
    *(work(content=LONG, result=LONG) for _ in range(9)),
    Ask("And now?"),
]


def bench() -> Workbench:
    session = recorded(STEPS)
    return Workbench(session, sized(session))


def tried(bench: Workbench) -> Preview:
    return bench.preview(bench.turns() + 1, "main", "sliding_window", {"keep_recent": 4})


def test_without_a_plan_every_message_has_a_row() -> None:
    opened = bench()
    content = MessageRows(opened.preview(opened.turns() + 1))
    rows = content.rows(True, ())
    assert rows == [MessageRow(index, index + 1) for index in range(len(content.window.messages))]
    assert [content.number(row) for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
    assert content.edge() == len(rows) - 1 and content.fate(0).kind == "kept"


def test_a_message_is_called_the_same_in_the_list_beside_it_and_by_the_verdict() -> None:
    session = recorded([Summary(), Inject(), Ask("And now?"), Reply(LONG)])
    opened = Workbench(session, sized(session))
    content = MessageRows(opened.preview())
    rows = content.rows(True, ())
    names = [content.speaker(row) for row in rows]
    assert names == ["summary", "injected", "user", "assistant"]
    assert [content.detail(index, row).who for index, row in enumerate(rows)] == names
    largest = largest_messages(content.window, len(rows), {})
    assert sorted(share.name for share in largest) == sorted(names)


def test_what_leaves_together_is_one_row_until_it_is_unfolded() -> None:
    content = MessageRows(tried(bench()))
    rows = content.rows(True, ())
    [folded] = [row for row in rows if row.is_folded]
    first = content.message(folded)
    assert all(content.fate(index).leaves for index in range(folded.start, folded.end))
    assert content.edge() == folded.end - 1
    assert content.speaker(folded) == f"{folded.end - folded.start} messages"
    assert content.text(folded, 80).startswith("query ×") and content.score(folded) is None
    assert content.number(folded) == f"{folded.start + 1}–{folded.end}"
    assert content.tokens(folded) == sum(content.window.tokens[folded.start : folded.end])
    for unfolded in (content.rows(True, {first.id}), content.rows(False, ())):
        assert len(unfolded) == len(content.window.messages) > len(rows)


def test_what_is_known_of_a_session_is_taken_over_and_of_another_one_not() -> None:
    opened = bench()
    before = MessageRows(opened.preview(opened.turns() + 1))
    after = MessageRows(tried(opened), before)
    assert after.same_session and after.numbers is before.numbers and after.names is before.names
    earlier = MessageRows(opened.preview(3), after)
    assert earlier.same_session and earlier.names is after.names
    assert not MessageRows(tried(bench()), before).same_session


@pytest.mark.parametrize(("number", "text"), [(7, "7"), (1020, "1,020"), (99_999, "99,999"), (123_456, "123456")])
def test_a_number_is_written_as_everywhere_where_it_fits_its_column(number: int, text: str) -> None:
    assert number_text(number) == text


def test_no_number_is_told_that_would_still_move() -> None:
    session = recorded(STEPS)
    whole = sized(session)
    partial = MessageRows(Workbench(session, replace(whole, is_partial=True)).preview())
    assert partial.size_text(44) == "…" and partial.detail(0, MessageRow(0, 1)).tokens == "…"
    assert MessageRows(Workbench(session, whole).preview()).size_text(44).endswith("44")


def test_a_bar_is_to_scale_and_says_where_it_would_be_longer() -> None:
    assert size_bar(1000, 8, False, 1000) == "████████" and size_bar(500, 8, False, 1000) == "████    "
    assert size_bar(500, 8, True, 1000) == "░░░░    "
    assert size_bar(5, 8, True, 1000) == "▏       ", "little is no whole cell, also where it leaves"
    assert size_bar(90_000, 8, True, 1000) == "░░░░░░░»", "a folded run goes beyond the largest message"
