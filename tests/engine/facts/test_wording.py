"""What stands in messages word for word."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, strategies as st

from inspector.engine.facts.text_match import Literals, Passage, phrase, plain_words, texts_of
from tests.engine.facts.conversations import TEXTS, conversation, message


@pytest.mark.parametrize(
    ("value", "text", "stands"),
    [
        ("src/feed", "see src/feed/load.py", True),
        ("load.py", "see /srv/src/load.py:12", True),
        ("err != nil", "if err  !=\nnil {", True),
        ("use_this", "Use this!", True),
        ("a b", '{"text": "a\\nb"}', True),
        ("load", "loader", False),
        ("src/load", "src/feed/load", False),
        ("", "anything", False),
    ],
)
def test_a_phrase_is_its_words_in_order(value: str, text: str, stands: bool) -> None:
    words = phrase(value)
    assert (bool(words.strip()) and words in plain_words([text])) == stands
    assert bool(literals(text).holders(words)) == stands


def literals(*texts: str) -> Literals:
    result = Literals()
    result.read(conversation(*texts).messages)
    return result


@given(st.lists(TEXTS, min_size=1, max_size=6), TEXTS)
def test_the_holders_of_a_phrase_are_the_messages_that_hold_it(texts: list[str], value: str) -> None:
    talk = conversation(*texts)
    words, result = phrase(value), Literals()
    result.read(talk.messages[:2])
    result.holders(words)
    result.read(talk.messages)
    plain = [plain_words(text for text, _ in texts_of(each)) for each in talk.messages]
    expected = [each for each, text in zip(talk.messages, plain, strict=True) if words.strip() and words in text]
    assert list(result.holders(words)) == expected


def test_another_process_begins_anew() -> None:
    there = pickle.loads(pickle.dumps(literals("HR-204417")))
    assert there.holders(phrase("HR-204417")) == ()
    there.read([message("m1", "HR-204417")])
    assert len(there.holders(phrase("HR-204417"))) == 1


@given(
    st.lists(st.sampled_from(["load", "the feed", "17", "4.2", "src/feed/load.py", "ß", "…", "a→b—c", "it’s"])),
    st.text(max_size=8),
)
def test_a_phrase_stands_in_a_passage_where_its_words_stand_there_one_behind_the_other(
    said: list[str], other: str
) -> None:
    words = plain_words(said)
    passage = Passage(words)
    for text in (*said, other, "feed 17", " ".join(said[:2])):
        assert (phrase(text) in passage) is (phrase(text) in words)


def test_texts_of_a_long_log_are_found_when_they_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.engine.facts.text_match._AT_HAND", 40)
    said = ["The feed has 17 rows.", "Seventeen — 17 — are left, and the feed\ud800 is old.", "feed the 17 rows"]
    result = literals(*said)
    assert [len(result.holders(phrase(words))) for words in ("17 rows", "the feed", "feed", "rows 17")] == [2, 2, 3, 0]
