"""Classified sentences: what is looked at first must never change which are found."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import given, strategies as st

from inspector.engine.facts import Source
from inspector.engine.facts.classify import ALL_STEMS, RULES, listed_points
from inspector.engine.facts.sentence_facts import (
    _ENDS,
    _NUMBERED,
    _WRAPPED,
    _strip_numbers,
    output_sentences,
    speech_sentences,
    text_classes,
)

PIECES = sorted({mark for rules in RULES.values() for rule in rules.values() for mark in rule.marks})
SIGNS = [
    "We ",
    "you ",
    " it",
    "Ledger",
    " ",
    ". ",
    "\n",
    "\n\n",
    ": ",
    "- [ ] ",
    "  12→",
    "7:",
    "def x(",
    "Error: ",
    "3",
]
texts = st.lists(st.sampled_from([*PIECES, *SIGNS]), max_size=24).map("".join)


def stems_in(text: str) -> set[str]:
    return {stem for stem in ALL_STEMS if stem in text.lower()}


@given(texts, st.sampled_from(["speech", "typed", "rules"]))
def test_stems_that_a_text_does_not_hold_change_nothing(text: str, source: Source) -> None:
    stems = stems_in(text)
    assert list(speech_sentences(text, stems, source)) == list(speech_sentences(text, ALL_STEMS, source))
    for is_error in (False, True):
        few, all_of_them = (list(output_sentences(text, known, is_error)) for known in (stems, ALL_STEMS))
        assert few == all_of_them


@given(texts, st.sampled_from([*RULES]))
def test_what_is_skipped_before_the_patterns_is_what_the_rule_excludes_anyway(text: str, source: Source) -> None:
    for rule in RULES[source].values():
        marks = list(rule.marks)
        last = rule._replace(skips=lambda _: False, excludes=_either(rule.excludes, rule.skips))
        for line in text.split("\n"):
            assert rule.matches(line, marks) == last.matches(line, marks)


def _either(one: Callable[[str], object], other: Callable[[str], object]) -> Callable[[str], bool]:
    return lambda sentence: bool(one(sentence) or other(sentence))


@given(st.text("x 1\t\n→:-7A", max_size=16))
def test_numbers_before_lines_are_taken_away_from_one_line_as_from_many(passage: str) -> None:
    assert _strip_numbers(passage) == _NUMBERED.sub("", passage)


@given(st.text("a.!?*_\"'”) \t\n|;:(1A", max_size=16))
def test_sentences_end_where_the_plain_pattern_says(passage: str) -> None:
    plain = r"\n+|(?<=[.!?])[*_\"'”)]{0,3}\s+(?=[A-Z\"'`(\[*“\d])|(?<=[;:])\s+(?=\(\d)|\s\|\s"
    assert _ENDS.split(passage) == re.split(plain, passage)
    assert _WRAPPED.sub(" ", passage) == re.sub(r"(?<=[\w,;)’'`])\n[ \t]{0,4}(?=[a-z(`])", " ", passage)


@given(
    st.sampled_from(["Next steps", "to-do", "Open questions", "Remaining work", "still to do", "Left to do", "Ideas"])
)
def test_points_below_a_heading_that_says_so_are_to_be_done(heading: str) -> None:
    text = f"## {heading}:\n- read the feed"
    assert list(listed_points(text, text.lower())) == ([] if heading == "Ideas" else [("task", "read the feed")])


def test_guesses_headings_hints_warnings_and_steps_with_tools_are_no_facts() -> None:
    said = (
        "The pump may not have reported its pressure.",
        "Here's my list of what needs to be moved and updated:",
        "Must-have features",
        "I'll use TodoWrite to track the pumps.",
        "Let's use a more flexible layout.",
        'decision: "allow"',
        "Decision: a union or an exception?",
    )
    printed = (
        "2026-01-02 10:00:00 INFO pump failed to start, retrying",
        "WARN failed to read the cache of pumps",
        "hint: failed to push? Fetch the branch first",
        "12:  throw new Error('Config missing: port');",
    )
    assert {text: text_classes(text, "speech") for text in said} == dict.fromkeys(said, frozenset())
    assert {text: text_classes(text, "output") for text in printed} == dict.fromkeys(printed, frozenset())
    assert text_classes("We'll use PostgreSQL for the queue of pumps.", "speech") == {"decision"}
    assert text_classes("2026-01-02 10:00:00 ERROR pump failed to start", "output") == {"error"}
