"""Sentences end at points that are none of a name, a version, code or an abbreviation."""

from __future__ import annotations

import pytest

from inspector.engine.facts import sentences_of


@pytest.mark.parametrize(
    "sentence",
    [
        "Use a queue, e.g. Redis, and keep it small.",
        "Rename it, i.e. change every caller.",
        "Prefer rows vs. columns here.",
        "Nimm z. B. Valkey für die Warteschlange.",
        "Das gilt d. h. nur für src/heat.py.",
        "Prends p. ex. la vanne bleue.",
        "See fig. 3 and no. 5 of v. 2.1 first.",
        "Cover units, tests etc. (all of them) as well.",
        "Change package.json, .env and v1.2.3 only.",
        "Never run `git add .; git commit` here.",
    ],
)
def test_a_point_inside_of_a_sentence_does_not_end_it(sentence: str) -> None:
    assert list(sentences_of(f"{sentence} Then stop.")) == [sentence, "Then stop."]


def test_a_short_answer_and_an_open_quote_end_as_before() -> None:
    assert list(sentences_of("No. Shelve it; later. `open. End")) == ["No.", "Shelve it;", "later.", "`open.", "End"]
