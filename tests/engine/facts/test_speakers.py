"""What rules, choices and failures look like by who tells them: a system prompt, somebody who types, an agent."""

from __future__ import annotations

import pytest

from inspector.core.conversation import Role
from inspector.engine.facts import extract, sentence_classes
from inspector.engine.facts.instructions import is_imperative
from tests.engine.facts.conversations import message


def sentences(text: str, role: Role = "user") -> set[tuple[str, str]]:
    wanted = ("constraint", "decision", "task", "error")
    return {(fact.cls, fact.text) for fact in extract(message("m1", text, role)) if fact.cls in wanted}


@pytest.mark.parametrize(
    "sentence",
    [
        "Keep a question short.",
        "When a parcel is late, tell the sender first.",
        "Summarise the letter in two lines.",
        "If a box is broken, then refund the buyer.",
        "Similarly, ask for the number of the crate.",
        "Guests: Offer a second room where one is free.",
        "A guest needs to show the letter.",
        "The clerk should ask for the number of the crate.",
        "A crate can hold at most five lamps.",
        "The deposit is not refundable.",
        "Lamps can be returned within 14 days.",
        "The clerk can only move whole crates.",
        "A paid crate cannot change its owner.",
        "If the lamp was paid, the clerk can offer a voucher.",
        "You need to write the answer in one line.",
    ],
)
def test_a_system_prompt_rules_by_imperatives_and_by_what_is_allowed(sentence: str) -> None:
    assert sentence_classes(sentence, "rules")[0] == "constraint"
    assert ("constraint", sentence) in sentences(f"You are a clerk.\n\n- {sentence}\n", "system")


@pytest.mark.parametrize(
    "sentence",
    [
        "You are a clerk in a house of lamps.",
        "The house has four floors and a yard.",
        "Each crate has a number, an owner and a place.",
        "If floor is not given, the search goes through all of them",
        "When you open a crate:",
        "Lamp Care and Repair",
        "signature: move <crate> <floor>",
        "moves the crate to another floor",
    ],
)
def test_what_a_system_prompt_describes_is_no_rule(sentence: str) -> None:
    assert sentence_classes(sentence, "rules") == ()


@pytest.mark.parametrize(
    ("text", "constraint"),
    [
        ("hands off the ledger until the audit is over", "hands off the ledger until the audit is over"),
        ("Move the lamps without breaking the glass.", "Move the lamps without breaking the glass."),
        ("i'd rather have one table than three.", "i'd rather have one table than three."),
        ("we really don't want another service", "we really don't want another service"),
        ("it should show the owner of each crate", "it should show the owner of each crate"),
        ("nice. keep all of the names we have.", "keep all of the names we have."),
        ("the index needs to fit on one page", "the index needs to fit on one page"),
        ("you cannot use the lift in this house", "you cannot use the lift in this house"),
        ("use at most three lamps", "use at most three lamps"),
        ("make the gate open to the left instead.", "make the gate open to the left instead."),
    ],
)
def test_who_types_rules_by_wishes(text: str, constraint: str) -> None:
    assert ("constraint", constraint) in sentences(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know which lamp that is.",
        "I really need to change the date.",
        "Can we do that without moving the crate now, or what would you say should happen?",
        "Read the ledger and tell me what it says.",
        "tell me where the lamps should go",
        "Keep it up!",
        "open '/yard/lamp.txt': no such file or directory, stat or open",
    ],
)
def test_a_question_a_request_or_a_need_is_no_rule(text: str) -> None:
    assert "constraint" not in {cls for cls, _ in sentences(text)}


@pytest.mark.parametrize(
    "text",
    [
        "let's store the owner in the label",
        "yeah, apply that to the second floor too",
        "Yes, please go ahead with the blue one.",
        "ok, merge both tables",
        "I think we want one lamp for each floor.",
        "we want to put it into the yard, and only then count",
        "I'd like the third room for two nights.",
        "I can live with two tables.",
        "Just cancel the second one.",
    ],
)
def test_who_types_decides_by_taking_an_offer(text: str) -> None:
    assert "decision" in sentence_classes(text, "typed")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("let's look at the second floor", "typed"),
        ("ok, what does the ledger say?", "typed"),
        ("Yes, that is my number.", "typed"),
        ("Let's open the second floor.", "speech"),
        ("Let's use find_lamp for that.", "speech"),
        ("Let's use the grep command here.", "speech"),
        ("We want to see what is there.", "speech"),
    ],
)
def test_an_announcement_of_the_next_step_is_no_decision(text: str, source: str) -> None:
    assert "decision" not in sentence_classes(text, "typed" if source == "typed" else "speech")


def test_points_below_a_heading_of_decisions_are_decisions() -> None:
    text = "**Key decisions:**\n- one table for all floors\n- no lift in the yard\n\nThe rest is open.\n- the roof"
    assert {fact for fact in sentences(text, "assistant") if fact[0] == "decision"} == {
        ("decision", "one table for all floors"),
        ("decision", "no lift in the yard"),
    }


def test_numbered_steps_of_a_request_are_tasks_and_a_heading_without_points_is_none() -> None:
    assert {("task", "Count the lamps."), ("task", "Print the labels.")} <= sentences(
        "Please do this:\n1. Count the lamps.\n2. Print the labels.\n"
    )
    assert sentences("The next steps are:", "assistant") == set()
    assert ("task", "paint the gate") in sentences("**Next steps (yard):**\n- paint the gate", "assistant")


@pytest.mark.parametrize(
    "line",
    [
        "yard/lamp.go:12:4: undefined: wick",
        "[lint] yard/lamp.go:12:4: wick is never used (deadcode)",
        "    lamp_test.go:97: the wick is too short",
        "CONFLICT (content): Merge conflict in yard/lamp.go",
        "Automatic merge failed; fix conflicts and then commit the result.",
        "--- FAIL: TestWick (0.00s)",
        "npm error code 2",
        "=> ERROR [lamp 3/9] RUN make wick",
    ],
)
def test_messages_of_compilers_and_tools_are_errors(line: str) -> None:
    facts = {fact.cls for fact in extract(message("m1", f"ok\n{line}\nbye", "tool"))}
    assert "error" in facts


@pytest.mark.parametrize(
    "line",
    [
        "yard/lamp.go:12:\treturn wick",
        'yard/lamp_test.go-26-\t\tt.Fatalf("failed to light: %v", err)',
        "12:30:45 INFO lamp lit",
        "the types must have the same size in C",
    ],
)
def test_source_code_and_logs_are_none(line: str) -> None:
    assert not {fact for fact in extract(message("m1", line, "tool")) if fact.cls in ("error", "constraint")}


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("Count the lamps.", True),
        ("Carefully, count the lamps.", True),
        ("Before you close the gate, count the lamps.", True),
        ("count the lamps", False),
        ("Lamps count.", False),
        ("Before the gate closes, lamps go out.", False),
    ],
)
def test_an_imperative_begins_with_its_verb(sentence: str, is_one: bool) -> None:
    assert is_imperative(sentence) == is_one
