"""Statements of kept messages are found without reading the messages that cannot contain them."""

from __future__ import annotations

import pytest

from inspector.engine.facts import content_words
from inspector.engine.work_state.summary_points import ContextPoints, matching, points_of
from inspector.llm.providers import text_message

KEPT = tuple(
    text_message(f"m{number}", "user", text, "openai")
    for number, text in enumerate(
        (
            "Please run the failing tests of src/cart/Loader.py before you commit anything.",
            "The weather is fine.\n\n## Pending tasks\n- Stopping the queries: write the parsers",
            "Führe die Tests aus und schreibe die Änderungen.",
            "RUN THE TESTS OF THE CART",
            "",
        )
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "Run the failing test of loader.py",
        "stop the query and write a parser",
        "Führe Tests aus",
        "weathers",
        "",
        "zebra",
    ],
)
def test_the_same_statements_are_found_as_in_all(text: str) -> None:
    points = ContextPoints("1. Goal: run the tests\n2. Write parsers", KEPT)
    everything = tuple(points)
    assert len(everything) == len(points.summary) + sum(len(points_of(message)) for message in KEPT)
    assert matching(points, text) == matching(everything, text)
    words = content_words(text)
    near = list(points.near(words, 1))
    assert [point for point in near if point.words & words] == [point for point in everything if point.words & words]
    for word in ("loader.py", "stop", "führe", "zebra"):
        assert points.has_word(word) == any(word in point.words for point in everything)
    assert points.has_word("goal"), "a title is a part of the summary"


def test_messages_without_the_words_are_not_read() -> None:
    points = ContextPoints("", KEPT)
    assert {point.text for point in points.near(content_words("cart"), 1)} == {
        "Please run the failing tests of src/cart/Loader.py before you commit anything.",
        "Führe die Tests aus und schreibe die Änderungen.",
        "RUN THE TESTS OF THE CART",
    }
