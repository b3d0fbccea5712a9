"""Cue phrases are found by their stems: the same ones as if each phrase were searched in the text by itself."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.engine.facts import SentenceClass, Source, cue_tables
from inspector.engine.facts.classify import RULES, SEARCH, listed_points, marks_in
from inspector.engine.facts.cue_tables import StemSearch
from inspector.engine.facts.list_headings import HEADINGS

MARKS = sorted({mark for rules in RULES.values() for rule in rules.values() for mark in rule.marks} | {*HEADINGS})
PIECES = st.one_of(
    st.sampled_from(MARKS),
    st.sampled_from(MARKS).flatmap(lambda mark: st.integers(1, len(mark)).map(lambda end: mark[:end])),
    st.sampled_from(MARKS).flatmap(lambda mark: st.integers(0, len(mark)).map(lambda start: mark[start:].upper())),
    st.sampled_from(
        [" ", "\n", "\n- ", "\n1. ", ":\n- ", ". ", "’", "'", "_", "7", "[ ] ", "İ", "\ud800", "Rename the file"]
    ),
    st.text(max_size=4),
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def marks_one_by_one(low: str, source: Source) -> dict[SentenceClass, list[str]]:
    """The cue phrases of each class, with every phrase searched by itself."""
    found = {cls: sorted(mark for mark in rule.marks if mark in low) for cls, rule in RULES[source].items()}
    return {cls: marks for cls, marks in found.items() if marks}


@pytest.mark.parametrize("source", RULES)
@given(text=TEXTS)
def test_same_cue_phrases_as_one_by_one(source: Source, text: str) -> None:
    low = text.lower()
    found = marks_in(low, SEARCH.found_in(low), source)
    assert {cls: sorted(marks) for cls, marks in found.items()} == marks_one_by_one(low, source)


@pytest.mark.parametrize("mark", MARKS)
def test_every_cue_phrase_is_found_inside_other_letters(mark: str) -> None:
    low = f"xq{mark}xq"
    stems = SEARCH.found_in(low)
    for source in RULES:
        found = marks_in(low, stems, source)
        assert {cls: sorted(marks) for cls, marks in found.items()} == marks_one_by_one(low, source)


@pytest.mark.parametrize("source", RULES)
@given(text=TEXTS)
def test_known_stems_change_no_list_point(source: Source, text: str) -> None:
    low = text.lower()
    assert list(listed_points(text, low, source, SEARCH.found_in(low))) == list(listed_points(text, low, source))


@given(texts=st.lists(st.text("abc ", max_size=12), max_size=8))
def test_stems_are_the_same_however_full_the_cache_is(texts: list[str]) -> None:
    search = StemSearch(["abc", "bca", "cab", "aaaa"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cue_tables, "_MAX_RUNS", 2)
        for text in texts:
            assert search.found_in(text) == {stem for stem in search.searched if stem in text}
