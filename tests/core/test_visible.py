"""What reaches a terminal is letters and signs, never control."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, strategies as st

from inspector.core.text.sanitize import one_line, visible

HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")


def harm(text: str) -> list[str]:
    return [char for char in text if unicodedata.category(char) in HARMFUL and char != "\n"]


def test_no_character_of_all_unicode_gets_through_that_controls_anything() -> None:
    got_through = [f"U+{code:04X}" for code in range(sys.maxunicode + 1) if harm(visible(chr(code)))]
    assert got_through == []


def test_every_letter_sign_and_mark_that_can_be_seen_stays_as_it_is() -> None:
    kept = ("L", "N", "P", "S", "Zs")
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char).startswith(kept):
            assert visible(char) == char, f"U+{code:04X}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("größer 漢字 e\u0301 🎈", "größer 漢字 e\u0301 🎈"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\x00b\x07\x7f", "a␀b␇␡"),
        ("\x9b31m", "⟨009B⟩31m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("abc\u202ecba", "abc⟨RLO⟩cba"),
        ("\u2066in\u2069", "⟨LRI⟩in⟨PDI⟩"),
        ("one\ntwo", "one\ntwo"),
        ("one\r\ntwo", "one\ntwo"),
        ("over\rwritten", "over␍written"),
        ("a\tb", "a    b"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\U0001f469"),
        ("\u2764\ufe0f", "\u2764"),
        ("line\u2028separator", "line⟨2028⟩separator"),
        ("lone \ud800", "lone ⟨D800⟩"),
        ("tag \U000e0041", "tag ⟨E0041⟩"),
        ("ayah \u06dd", "ayah ⟨06DD⟩"),
    ],
)
def test_what_controls_is_shown_as_a_sign(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=30))
def test_no_mixture_of_characters_gets_through_either(text: str) -> None:
    shown = visible(text)
    assert harm(shown) == []
    assert visible(shown) == shown
    assert "\n" not in one_line(text)
    assert harm(one_line(text)) == []
    shown.encode("utf-8")


def test_one_line_takes_all_white_space_together() -> None:
    assert one_line("  a \n\n b\tc\r\n\u2028d\x1b ") == "a b c d␛"
