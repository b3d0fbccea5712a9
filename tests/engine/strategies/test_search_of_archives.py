"""Which messages have to do with some words, and which part of a long one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from threading import Thread

import pytest
from hypothesis import given, strategies as st

from inspector.engine.retrieval import INDEXED, FullTextIndex, folded, passage
from inspector.engine.strategies.services import MessageSearch
from inspector.engine.window import Window, at_turn
from tests.generated import LONG, Ask, Reply, Step, recorded, sized, window_of

TALK = (
    "The orders of May are in the ledger.",
    "The customers of May are in the register.",
    "The orders of June are in the ledger too.",
    "Nothing was said of the zeppelin.",
    "Größe und Straße der Bücher: naïve façade.",
    "東京 での 注文 番号 4711",
)


INDEX = MessageSearch(FullTextIndex())
"""One index for all tests: what was searched before makes no difference."""


def search(window: Window, words: str, places: Sequence[int], most: int) -> list[tuple[int, float]]:
    """The places of a window, out of `places`, whose messages have most to do with the words."""
    by_message = {window.messages[place]: place for place in places}
    return [(by_message[match.key], match.score) for match in INDEX.search(tuple(by_message), words, most)]


def talk() -> Window:
    return window_of(*map(Reply, TALK))


def found(words: str, window: Window | None = None, most: int = 10) -> list[int]:
    window = window or talk()
    return [place for place, _ in search(window, words, range(len(window.messages)), most)]


def test_the_messages_that_hold_a_word_are_found() -> None:
    assert found("zeppelin") == [3]
    assert set(found("ledger")) == {0, 2}
    assert found("ZEPPELIN, please!") == [3]


def test_a_rare_word_says_more_than_a_frequent_one() -> None:
    assert found("the ledger of June")[:2] == [2, 0]
    assert found("orders of the customers")[0] == 1
    assert found("the zeppelin")[0] == 3


def test_a_short_message_is_more_about_a_word_than_a_long_one() -> None:
    window = window_of(Reply("zeppelin " + "and more of the same " * 50), Reply("a zeppelin"), *[Reply("alpha")] * 9)
    assert found("zeppelin", window) == [1, 0]


def test_a_word_said_again_and_again_counts_for_more() -> None:
    window = window_of(Reply("alpha zeppelin beta"), Reply("zeppelin zeppelin beta"), *[Reply("gamma")] * 9)
    assert found("zeppelin", window) == [1, 0]


def test_words_that_nobody_holds_and_words_of_one_or_two_letters_are_passed_over() -> None:
    assert found("hovercraft") == []
    assert found("hovercraft zeppelin") == [3]
    assert found("of is in") == []
    assert found("") == []


@pytest.mark.parametrize("word", ["größe", "GRÖẞE", "Größe", "straße", "bücher", "BÜCHER", "façade", "FAÇADE"])
def test_words_with_umlauts_and_accents_are_found_in_any_case(word: str) -> None:
    assert found(word) == [4]


def test_numbers_and_whole_runs_of_other_scripts_are_found() -> None:
    assert found("Nr. 4711") == [5]
    assert found("東京での注文", window_of(Reply("東京での注文"), Reply("alpha"))) == [0]


@pytest.mark.parametrize(
    "words",
    [
        '"zeppelin',
        "zeppelin*",
        "zeppelin AND NOT",
        "NEAR(zeppelin",
        "text:zeppelin",
        "zeppelin'; DROP TABLE",
        "^zeppelin -",
    ],
)
def test_quotes_and_operators_of_the_search_are_words_like_any_others(words: str) -> None:
    assert 3 in found(words)


@given(st.text())
def test_no_text_is_too_strange_to_be_searched_for(words: str) -> None:
    assert set(found(words)) <= set(range(len(TALK)))


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll"], max_codepoint=0x24F), min_size=3, max_size=12))
def test_a_word_is_found_in_the_message_that_is_nothing_else(word: str) -> None:
    assert found(word, window_of(Reply(word), Reply("alpha"))) == [0]


def test_a_word_of_many_scripts_is_folded_letter_by_letter() -> None:
    assert folded("Größe") == "größe"
    assert folded("ΟΔΟΣ") == folded("οδος") == folded("οδοσ")
    assert folded("ẞ") == "ß"


def test_only_the_places_asked_for_are_found_and_only_as_many() -> None:
    window = talk()
    assert search(window, "ledger", [2, 3], 10)[0][0] == 2
    assert len(search(window, "ledger", range(6), 1)) == 1
    assert search(window, "ledger", [], 10) == []
    assert search(window, "ledger", range(6), 0) == []


def test_scores_fall_and_of_equals_the_older_comes_first() -> None:
    window = window_of(*[Reply("alpha beta")] * 3, Reply("alpha beta gamma"), *[Reply("delta")] * 9)
    hits = search(window, "gamma alpha", range(len(window.messages)), 10)
    assert [place for place, _ in hits] == [3, 0, 1, 2]
    scores = [score for _, score in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores[1:])) == 1


def test_what_was_searched_before_makes_no_difference() -> None:
    told = (f"alpha {'omega' if number % 5 else 'beta'} {number}" for number in range(30))
    steps: list[Step] = [Ask("start"), *map(Reply, told)]
    session = recorded(steps)
    fresh, used = (at_turn(each, sized(each), 12) for each in (recorded(steps), session))
    late = at_turn(session, used.sizes)
    search(late, "omega", range(len(late.messages)), 5)
    search(used, "alpha", [3, 1], 5)
    for words in ("beta", "omega beta", "alpha 7 beta"):
        places = range(1, len(fresh.messages))
        assert search(used, words, places, 20) == search(fresh, words, places, 20)


def test_several_threads_may_search_one_session() -> None:
    window = window_of(*(Reply(f"alpha word{number}") for number in range(50)))
    answers: dict[int, list[int]] = {}

    def look(number: int) -> None:
        answers[number] = found(f"word{number}", window)

    threads = [Thread(target=look, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [number] for number in range(50)}


def test_a_message_is_searched_by_its_beginning() -> None:
    window = window_of(Reply("filler " * (INDEXED // 7) + "zeppelin"), Reply("zeppelin"))
    assert found("zeppelin", window) == [1]


def test_what_is_short_enough_is_its_own_passage() -> None:
    assert passage(LONG, "plan", len(LONG)) == LONG


def test_a_passage_is_where_most_of_the_words_are() -> None:
    text = f"{'alpha ' * 100}{'x ' * 500}The import of ORDERS failed.{' y' * 500}orders"
    part = passage(text, "import orders failed", 200)
    assert "The import of ORDERS failed." in part
    assert part.startswith("… ") and part.endswith(" …")
    assert len(part) == 200


def test_a_passage_is_where_the_only_word_is() -> None:
    assert "zeppelin" in passage("alpha " * 500 + "zeppelin" + " beta" * 500, "the zeppelin", 100)


def test_without_any_of_the_words_a_passage_is_the_beginning() -> None:
    assert passage("alpha " * 100, "zeppelin", 100) == ("alpha " * 100)[:96] + " …"
    assert passage("alpha " * 100, "a ()[", 100).startswith("alpha")


@given(
    st.lists(st.sampled_from(["zeppelin", "Größe", "and", "x", "🎈", "\n"]), max_size=300).map(" ".join),
    st.sampled_from(["zeppelin", "größe and", "nothing", ""]),
    st.integers(100, 400),
)
def test_a_passage_is_never_too_long_and_holds_a_word_where_the_text_does(text: str, words: str, longest: int) -> None:
    part = passage(text, words, longest)
    assert len(part) <= longest
    assert part.removeprefix("… ").removesuffix(" …") in text
    for word in re.findall(r"\w{3,}", words):
        if word.lower() in text.lower():
            break
    else:
        return
    assert any(each.lower() in part.lower() for each in re.findall(r"\w{3,}", words))


def test_a_request_of_a_thousand_words_is_looked_for_in_a_long_text_word_by_word() -> None:
    """A pattern with a thousand choices would be tried at every letter of the text."""
    words = " ".join(f"{chr(97 + number % 26)}{number}word" for number in range(900))
    text = " ".join(f"{chr(97 + number % 26)}other{number}" for number in range(100_000))
    assert "z25word" in passage(f"{text} z25word {text}", words, 500)
