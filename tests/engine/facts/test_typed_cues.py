"""Wishes, choices and open work of users that are stated as what is, or what it should be."""

from __future__ import annotations

import pytest

from inspector.engine.facts import extract
from tests.engine.facts.conversations import message


def classes(text: str) -> list[str]:
    return [fact.cls for fact in extract(message("m", text, "user"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The loader should provide the rows that the tables need.", "constraint"),
        ("drafts shouldn't persist, I want it to ask me each time", "constraint"),
        ("In particular, prefer using tabs over spaces in the ledger.", "constraint"),
        ("Report only broken links.", "constraint"),
        ("Instead of writing the ids into the table, use the names of the ports.", "constraint"),
        ("I wanted a list of ports, not prose", "constraint"),
        ("That heading doesn't need to change.", "constraint"),
        ("let's completely remove the export of the ledger", "decision"),
        ("First of all, the report is now called Harbour, not ledger anymore.", "decision"),
        ("We'll handle the exports in a different view later.", "decision"),
        ("For now remove all of the export code and anything related", "decision"),
        ("As we read one line at a time, taking the small parser might be the wiser choice.", "decision"),
        ("The rounding must be fixed before we merge.", "task"),
        ("The folder needs to move to the new repository.", "task"),
    ],
)
def test_a_statement_about_the_result_is_a_rule_a_choice_or_open_work(text: str, expected: str) -> None:
    assert expected in classes(text)


@pytest.mark.parametrize(
    "text",
    [
        "Which port should load the rows?",
        "I should list the ports first, one moment.",
        "We'll see that later.",
        "What would be the best choice here?",
        "Instead of the harbour, the ship went to the pier.",
        "Does the table prefer one port?",
    ],
)
def test_questions_and_remarks_are_none(text: str) -> None:
    assert not {"constraint", "decision", "task"} & set(classes(text))


def test_a_request_after_an_alternative_is_one_of_several() -> None:
    found = extract(
        message("m", "Instead of renaming the port, move the crane. Also update the chart of the pier.", "user")
    )
    assert "Also update the chart of the pier." in {fact.text for fact in found if fact.cls == "task"}
