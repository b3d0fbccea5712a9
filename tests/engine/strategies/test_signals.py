"""What speaks for a message."""

from __future__ import annotations

import pytest

from inspector.engine.strategies.signals import SCAN_LENGTH, WORDS, Signals, signals
from tests.generated import Ask, Call, Content, Inject, Reply, Step, Summary, System, window_of, work


def of(step: Step, words: str = WORDS, place: int = -1) -> Signals:
    return signals(window_of(step), words)[place]


@pytest.mark.parametrize(
    ("step", "speaker"),
    [(System("x"), 1.0), (Ask("x"), 1.0), (Inject("x"), 0.5), (Reply("x"), 0.4), (work(), 0.2), (Summary("x"), 1.0)],
)
def test_the_persons_words_weigh_most_and_a_tools_least(step: Step, speaker: float) -> None:
    assert of(step).speaker == speaker


@pytest.mark.parametrize("text", ["It is IMPORTANT.", "critical: do it", "you must", "never", "Remember!", "essential"])
def test_words_that_mark_a_message_are_found_in_any_case(text: str) -> None:
    assert of(Reply(text)).marked == 1


@pytest.mark.parametrize("text", ["unimportant", "mustard", "nevertheless", "", None, "importance"])
def test_other_words_do_not_mark_it_though_one_stands_inside(text: Content) -> None:
    assert of(Reply(text)).marked == 0


def test_words_of_ones_own_may_be_any() -> None:
    assert of(Reply("a C++ (draft)"), "c++, (draft)").marked == 1
    assert of(Reply("größer"), "GRÖSSER, größer").marked == 1
    assert of(Reply("anything"), "").marked == 0
    assert of(Reply("anything"), " , ,").marked == 0


@pytest.mark.parametrize("text", ["We decided that.", "Let's go with B.", "going with plan B", "I'll use the second"])
def test_decisions_are_found(text: str) -> None:
    assert of(Reply(text)).decision == 1
    assert of(Reply("It was neither here nor there.")).decision == 0


def test_a_result_tells_of_an_error_by_its_mark_or_by_its_first_words() -> None:
    assert of(Reply(None, (Call(result="fine", is_error=True),))).error == 1
    assert of(Reply(None, (Call(result="Traceback (most recent call last)"),))).error == 1
    assert of(Reply(None, (Call(result="3 rows"),))).error == 0


def test_outputs_of_tools_are_not_looked_through_for_words() -> None:
    result = of(Reply(None, (Call(result="It is important. We decided that."),)))
    assert (result.marked, result.decision) == (0, 0)


def test_a_long_message_is_looked_through_from_its_beginning() -> None:
    assert of(Reply("word " * (SCAN_LENGTH // 5 - 3) + "critical")).marked == 1
    assert of(Reply("word " * (SCAN_LENGTH // 5) + "critical")).marked == 0


def test_a_word_is_found_wherever_it_stands_in_a_short_message() -> None:
    blocks = ({"type": "text", "text": "see"}, {"type": "text", "text": "it is critical"})
    assert of(Reply(blocks)).marked == 1
    assert of(Reply("first\n\n\n   critical")).marked == 1
    assert of(Reply(None, (Call(),)), "orders", place=0).marked == 1
