"""Failures that agents state in plain words, and lines of tools that name no error."""

import pytest

from inspector.engine.facts.classify import sentence_classes
from inspector.engine.facts.sentence_facts import text_classes


@pytest.mark.parametrize(
    "sentence",
    [
        "The import script did not create the index.",
        "The hook wasn't triggered by the last save.",
        "The listeners are never closed, so each test slows the next one down.",
        "The reader doesn't handle rows without a date.",
        "The lock file is out of date.",
        "The ledger is missing from the archive.",
        "The parser chokes on tabs.",
        "The type checker reports four errors.",
        "It fails because the mock returns a string.",
        "The tests pass locally but fail in CI.",
        "There is a race condition between the two writers.",
        "The fixture has the wrong date.",
        "I misread the schema.",
        "My last edit removed the guard as well.",
        "Found the bug: the pager starts at one.",
        "You're still seeing the old chart because the browser keeps it.",
    ],
)
def test_a_failure_in_plain_words_is_an_error(sentence: str) -> None:
    assert "error" in sentence_classes(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "If the lock file is out of date, it is written again.",
        "The check reports when a file is missing from the archive.",
        "I did not create an index.",
        "There is no race condition.",
        "Is the hook not triggered, or is it the wrong file?",
        "A token that is rejected with `401` is asked for again.",
        "The new test ensures that the parser never chokes on tabs.",
    ],
)
def test_cases_checks_and_guesses_are_no_errors(sentence: str) -> None:
    assert "error" not in sentence_classes(sentence)


@pytest.mark.parametrize(
    "line",
    [
        "[warn] Code style issues found in 2 files. Run the formatter.",
        "would reformat ledger.py",
        'jq: error (at <stdin>:3): Cannot index string with string "id"',
        "e: file:///app/src/Main.kt:12:5 Unresolved reference: berth",
        "[FAIL] adds a row",
        "not ok 3 - adds a row",
        "The connection to the server localhost:8080 was refused",
        "User rejected the tool call",
    ],
)
def test_a_line_of_a_tool_that_names_no_error_is_one(line: str) -> None:
    assert text_classes(line, "output") == {"error"}


@pytest.mark.parametrize(
    "line",
    ["No issues found in 3 files", "ok 3 - adds a row", "3 files would be left unchanged", "HTTP/1.1 200 OK"],
)
def test_a_line_without_a_failure_is_none(line: str) -> None:
    assert not text_classes(line, "output")


@pytest.mark.parametrize("sentence", ["don't show line numbers", "Please do not start the server", "so don't save it"])
def test_what_a_user_forbids_is_no_failure(sentence: str) -> None:
    assert "error" not in sentence_classes(sentence, "typed")


@pytest.mark.parametrize(
    "sentence", ["they don't load", "the pages do not open", "this is wrong", "for me it does not start"]
)
def test_what_does_not_work_is_a_failure(sentence: str) -> None:
    assert "error" in sentence_classes(sentence, "typed")


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Going with the smaller image.", "decision"),
        ("Leaving the old route alone for now.", "decision"),
        ("I interpreted the two names as one person.", "decision"),
        ("We'll roll back to the last release.", "decision"),
        ("The importer is not wired up yet.", "task"),
        ("Two findings remain unresolved.", "task"),
        ("A natural next step is the importer.", "task"),
        ("The cards are missing their titles.", "task"),
        ("The error path needs a test.", "task"),
    ],
)
def test_choices_and_open_work_in_the_words_of_agents(sentence: str, name: str) -> None:
    assert name in sentence_classes(sentence)
