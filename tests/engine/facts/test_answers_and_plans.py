"""Answers in few words, lists of work in several notations, and failures in markup."""

from __future__ import annotations

import pytest

from inspector.engine.facts.classes import SentenceClass, Source
from inspector.engine.facts.classify import SEARCH
from inspector.engine.facts.sentence_facts import output_sentences, text_classes


@pytest.mark.parametrize(
    ("text", "source", "cls"),
    [
        ("Second pump -> yes", "typed", "decision"),
        ("Alarm at night: no, only by day", "typed", "decision"),
        ("We approve the third draft.", "typed", "decision"),
        ("We don't need a login in the first version.", "typed", "decision"),
        ("Selected the spare pump, which is cheaper.", "speech", "decision"),
        ("Let me drop the timer and fix the valve instead:", "speech", "decision"),
        ("Before answering, check the gauge.", "typed", "constraint"),
        ("No pump will be required for this.", "typed", "constraint"),
        ("I want the gap above and below the gauge to be equal.", "typed", "constraint"),
        ("Readings should come from `pump/log.txt`, not from the panel.", "speech", "constraint"),
        ("The pump exited with an error.", "speech", "error"),
        ("The gauge is missing a label.", "speech", "task"),
    ],
)
def test_a_sentence_has_its_class(text: str, source: Source, cls: SentenceClass) -> None:
    assert cls in text_classes(text, source)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("fatal: no pump named next", "typed"),
        ("Selected text is shown in blue.", "speech"),
        ("I would not know.", "speech"),
    ],
)
def test_an_unlike_sentence_is_no_decision(text: str, source: Source) -> None:
    assert "decision" not in text_classes(text, source)


def printed(text: str) -> set[tuple[SentenceClass, str]]:
    return set(output_sentences(text, SEARCH.found_in(text.lower()), False))


def test_a_box_without_a_tick_is_work() -> None:
    assert printed("☒ Look at the valve\n☐ Repair the valve\n  ☐ Test the pump twice") == {
        ("task", "Repair the valve"),
        ("task", "Test the pump twice"),
    }


def test_a_message_in_markup_is_an_error_and_an_assertion_is_none() -> None:
    message = "<message>Valve cannot be resolved: no object matches</message>"
    assert {cls for cls, _ in printed(message)} == {"error"}
    assert not printed('$warning | Should -Match "Failed to open the valve"')


def test_points_after_a_line_below_their_heading_are_tasks() -> None:
    text = "## Next steps\n\nYou are ready to:\n1. Write a test for each valve\n2. Add the pump to the list of parts\n"
    assert text_classes(text) == {"task"}


def test_a_case_in_a_numbered_list_is_no_step() -> None:
    text = "1. Read the log of the pump\n2. If a name is unclear, ask for it\n3. Write the list of valves\n"
    assert "constraint" in text_classes(text, "typed")
