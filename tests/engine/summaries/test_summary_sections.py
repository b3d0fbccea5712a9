"""The sections of a summary, written down and read back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.engine.summaries.summary_sections import (
    HEADINGS,
    TITLE,
    Heading,
    heading_in,
    parse_lines,
    render_sections,
)

LINES = st.text(st.characters(codec="utf-8"), max_size=40).map(lambda text: " ".join(text.split())).filter(bool)
SECTIONS: st.SearchStrategy[dict[Heading, list[str]]] = st.dictionaries(
    st.sampled_from(HEADINGS), st.lists(LINES, min_size=1, max_size=4)
)


def test_sections_stand_in_their_order() -> None:
    text = render_sections({"Errors": ["Gone."], "Goal": ["Count.", "Sum up."]})
    assert text == f"{TITLE}\n\nGoal:\n- Count.\n- Sum up.\n\nErrors:\n- Gone."


def test_no_lines_make_no_text() -> None:
    assert render_sections({}) == render_sections({"Goal": []}) == ""


@given(SECTIONS)
def test_what_is_written_is_read_back(sections: dict[Heading, list[str]]) -> None:
    lines = [(heading, line) for heading in HEADINGS for line in sections.get(heading, ())]
    assert list(parse_lines(render_sections(sections))) == [(heading, line) for heading, line in lines if line != TITLE]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("Goal:", "Goal"),
        ("## Open tasks", "Open tasks"),
        ("**Facts verbatim:**", "Facts verbatim"),
        ("**Errors**:", "Errors"),
        ("# goal", "Goal"),
        ("Goal", None),
        ("Goal: count the orders", None),
        ("Summary:", None),
        ("", None),
    ],
)
def test_headings_are_known_in_any_decoration(line: str, heading: Heading | None) -> None:
    assert heading_in(line) == heading


def test_lines_before_any_heading_count_as_the_goal() -> None:
    assert list(parse_lines("Count.\n\nErrors:\n* Gone.")) == [("Goal", "Count."), ("Errors", "Gone.")]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for heading, line in parse_lines(text):
        assert heading in HEADINGS
        assert line.strip() == line != ""
