"""Text in cells: whatever it is, it fits."""

from __future__ import annotations

from hypothesis import given, strategies as some

from inspector.core.text import (
    cells,
    clip,
    clipped,
    clipped_words,
    ends,
    filled,
    fold,
    head,
    lines_of,
    pad,
    visible,
    wrapped,
)

TEXT = some.text(alphabet=some.sampled_from("ab é灯台🙂e\u0301 \n\t\x1b\u202e…"), max_size=60)
ROOM = some.integers(-2, 30)


@given(text=TEXT, room=ROOM)
def test_no_line_is_wider_than_its_room(text: str, room: int) -> None:
    line = visible(text).replace("\n", " ")
    for short in (clip(text, room), ends(text, room), clipped(line, room), clipped_words(line, room), head(line, room)):
        assert cells(short) <= max(room, 0)


@given(text=TEXT, room=some.integers(0, 30))
def test_a_padded_line_is_exactly_as_wide_as_its_room(text: str, room: int) -> None:
    assert cells(pad(text, room)) == room
    assert cells(filled(visible(text).replace("\n", " "), room)) == room


@given(text=TEXT, room=some.integers(2, 30))
def test_folding_loses_nothing_but_spaces_and_fits(text: str, room: int) -> None:
    lines = list(lines_of(text, room))
    assert "".join(lines).replace(" ", "") == visible(text).replace("\n", "").replace(" ", "")
    assert all(cells(line) <= room for line in lines)


def test_folding_breaks_at_spaces() -> None:
    assert list(fold("one two three four", 9)) == ["one two", "three", "four"]
    assert list(fold("", 9)) == []
    assert wrapped("灯台 灯台 灯台", 9) == ["灯台 灯台", "灯台"]
