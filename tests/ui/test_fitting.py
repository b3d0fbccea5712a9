"""Text in cells: nothing is wider than it may be, and no word is lost on the way."""

from __future__ import annotations

import unicodedata

from hypothesis import given, strategies as st
from rich.cells import cell_len

from inspector.core.text.layout import clipped, fold, wrapped
from inspector.core.text.sanitize import visible
from inspector.llm.providers import message_from_raw
from inspector.ui.message_lines import Line, reading, wrap

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Mn", "Me")), max_size=300)


@given(texts, st.integers(2, 60))
def test_a_clipped_text_fits_and_says_that_something_is_missing(text: str, cells: int) -> None:
    short = clipped(text, cells)
    assert cell_len(short) <= cells
    assert short == text or short.endswith("…")


@given(texts, st.integers(4, 60))
def test_a_folded_line_fits_and_keeps_every_word(text: str, width: int) -> None:
    line = text.replace("\n", " ")
    pieces = list(fold(line, width))
    assert all(cell_len(piece) <= width for piece in pieces)
    assert "".join(pieces).replace(" ", "") == line.replace(" ", "")


@given(st.lists(st.text("abcdef", min_size=1, max_size=9), max_size=30), st.integers(10, 40))
def test_wrapped_words_stay_whole_and_in_order(words: list[str], width: int) -> None:
    lines = wrapped(" ".join(words), width)
    assert " ".join(lines).split() == words
    assert all(len(line) <= width for line in lines)


@given(st.text(max_size=400), st.integers(8, 80))
def test_no_control_character_reaches_a_line(text: str, width: int) -> None:
    for line in wrap(text, width):
        assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in line.text)
        assert cell_len(line.text) <= max(width, 4)


def test_a_message_is_read_with_its_parts_under_headings() -> None:
    raw = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Where was it?", "signature": "s"},
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "t", "name": "find", "input": {"name": "lamp", "rooms": [1, 2]}},
            {"type": "hologram", "beam": 3},
        ],
    }
    lines = reading(message_from_raw("1", raw, "anthropic"), 60)
    texts = [line.text for line in lines]
    assert texts[:3] == ["thinking", "Where was it?", ""]
    assert "name: lamp" in texts and "rooms: [1,2]" in texts
    assert any("hologram" in text for text in texts) and any('"beam":3' in text for text in texts)
    assert lines[0].kind == "heading" and lines[1].kind == "dim"


def test_an_empty_message_says_so() -> None:
    assert reading(message_from_raw("1", {"role": "user", "content": ""}, "openai"), 40)[0].text in ("", "(empty)")
    assert reading(message_from_raw("1", {"role": "assistant", "content": None}, "openai"), 40) == [
        Line("(empty)", "dim")
    ]


def test_tabs_and_carriage_returns_become_blanks_and_signs() -> None:
    assert visible("a\tb\r\nc\rd") == "a    b\nc␍d"
