"""A summary that failed, is empty, or is longer than what it stands for changes nothing, and the plan says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message
from inspector.engine.strategies import Services
from inspector.engine.strategies.plan_builder import SUBSTANTIAL
from inspector.engine.window.window import Window
from tests.engine.strategies.passes import FAILURE, SUMMARISING, Asked, Pass, rambling, refusing, saying
from tests.generated import LONG, Ask, Inject, Reply, Step, Stray, moves, window_of, windows, work

TALK: tuple[Step, ...] = (
    Ask(LONG),
    Inject(LONG * 2),
    *(Reply(f"{number} {LONG * 2}") for number in range(6)),
    Stray(),
    work("later", content=LONG),
    Inject("A program speaks."),
    Ask("And now?"),
)
"""Enough words that a summary is worth having; a result that nothing asked for, and one away from its call."""
SETTINGS: dict[str, dict[str, Any]] = {
    "sliding_window": {"keep_recent": 2},
    "selective": {"keep_recent": 2, "target": 0},
    "summarize_half": {"max_tokens": 0},
    "auto": {"keep_recent": 2},
    "pipeline": {"stages": "dedupe; trim_outputs longest=100; sliding_window keep_recent=2; fifo", "target": 0},
    "head_tail": {"head": 1, "tail": 1, "middle": "summarised"},
    "amortized": {"limit": 4, "forgotten": "summarised"},
}
"""For each strategy that summarises, settings with which it does."""
EMPTY = "the summary is empty, so it replaces nothing"


def unchanged(done: Pass) -> bool:
    return done.after.messages == done.before.messages and done.after.tokens == done.before.tokens


def test_every_strategy_that_summarises_is_tried_here() -> None:
    assert set(SETTINGS) >= set(SUMMARISING)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_summariser_that_fails_leaves_the_window_as_it_is_to_the_byte(name: str) -> None:
    result = Pass(window_of(*TALK), name, SETTINGS[name], Services(refusing))
    assert unchanged(result)
    assert result.plan.has_failed
    assert result.plan.note.endswith(FAILURE)
    assert not result.plan.alters
    assert not result.plan.summaries


@pytest.mark.parametrize("name", sorted(SETTINGS))
@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_summary_leaves_the_window_as_it_is_to_the_byte(name: str, text: str) -> None:
    result = Pass(window_of(*TALK), name, SETTINGS[name], saying(text))
    assert unchanged(result)
    assert result.plan.has_failed
    assert result.plan.note.endswith(EMPTY)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_summary_that_is_no_shorter_leaves_the_window_as_it_is_to_the_byte(name: str) -> None:
    result = Pass(window_of(*TALK), name, SETTINGS[name], Services(rambling))
    assert unchanged(result)
    assert result.plan.has_failed
    assert "a summary would have" in result.plan.note
    assert "no less than the" in result.plan.note


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_same_settings_do_summarise_when_the_summariser_works(name: str) -> None:
    result = Pass(window_of(*TALK), name, SETTINGS[name], saying("It was about plan B."))
    assert [summary.text for summary in result.plan.summaries] == ["It was about plan B."]
    assert not result.plan.has_failed


@given(windows(), st.data(), st.sampled_from(["refusing", "empty", "rambling"]))
def test_whatever_the_window_a_failed_summary_changes_nothing_and_is_told(
    window: Window, data: st.DataObject, how: str
) -> None:
    answers = {"refusing": refusing, "empty": lambda *_: "", "rambling": rambling}
    requests = Asked(answers[how])
    name, chosen = data.draw(moves(window, sorted(SETTINGS)))
    result = Pass(window, name, chosen, Services(requests))
    assert not result.plan.summaries
    if not requests.messages:
        assert not result.plan.has_failed
    elif how == "refusing" or any(tokens_of(window, item) >= SUBSTANTIAL for item in requests.messages[-1:]):
        assert result.plan.has_failed
    if result.plan.has_failed:
        assert unchanged(result)
        assert result.plan.note
        assert not result.plan.alters


def tokens_of(window: Window, messages: Sequence[Message]) -> int:
    """Tokens of messages of a window, as they are in it; 0 where a pipeline had changed any of them before."""
    known = dict(zip(window.messages, window.tokens, strict=True))
    return sum(known[message] for message in messages) if all(message in known for message in messages) else 0


def test_of_a_few_words_no_summary_is_worth_having_and_that_is_no_failure() -> None:
    window = window_of(Ask(), Reply("There are three."), Stray(), Ask())
    result = Pass(window, "sliding_window", {"keep_recent": 1})
    assert not result.plan.has_failed
    assert result.plan.note.startswith("a summary would have")
    assert result.after.ids == ("m0", "m1", "m3"), "what a provider would refuse leaves all the same"


def test_a_stage_that_fails_undoes_the_stages_before_it_and_keeps_those_behind_from_being_tried() -> None:
    requests = Asked(refusing)
    stages = "trim_outputs longest=100; sliding_window keep_recent=2; sliding_window keep_recent=1"
    result = Pass(window_of(*TALK), "pipeline", {"stages": stages, "target": 0}, Services(requests))
    assert unchanged(result)
    assert result.plan.note == f"stage sliding_window: {FAILURE}"
    assert len(requests.messages) == 1
