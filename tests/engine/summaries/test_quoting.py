"""What is quoted of somebody else is short, on one line, and holds no key."""

from __future__ import annotations

import pytest

from inspector.engine.summaries.model.error_quotes import _QUOTE, _SENTENCE, clean_sentence, describe_error, quote


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-Abc123def456",
        "sk-…9xyz12",
        "key_0123456789",
        "Bearer abc.def.ghi",
        "gsk_abcdef123456",
        "hf_abcdefABCDEF",
        "AIzaSyA0123456789abcdefghij",
    ],
)
def test_keys_are_left_out(key: str) -> None:
    assert quote(f"It was {key}, they said.") == "It was …, they said"


def test_so_is_what_is_named_as_secret() -> None:
    assert quote("The word is hunter2, hunter2!", "hunter2", "") == "The word is …, …!"


def test_words_end_on_one_line_and_before_they_are_too_many() -> None:
    assert quote("no\n such \x1b[31mthing. ") == "no such ␛[31mthing"
    assert len(quote("word " * 1_000)) == _QUOTE
    assert quote("x" * _QUOTE) == "x" * _QUOTE


def test_a_key_that_the_end_would_cut_through_is_left_out_too() -> None:
    assert "sk-" not in quote("x" * (_QUOTE - 10) + " sk-proj-Abc123def456")


def test_an_exception_is_told_by_its_kind_and_its_words() -> None:
    assert describe_error(KeyError("importance")) == "KeyError: 'importance'"
    assert describe_error(RuntimeError()) == "RuntimeError"


def test_a_sentence_keeps_its_end() -> None:
    assert clean_sentence("The model does not exist.") == "The model does not exist."
    assert clean_sentence("nobody there") == "nobody there."
    assert clean_sentence("Why not?") == "Why not?"
    assert clean_sentence("") == ""
    assert len(clean_sentence("word " * 1_000)) == _SENTENCE
