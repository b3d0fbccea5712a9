"""Forms of English, of ids and of outputs that tell a fact: some of each family, and what only looks like one."""

from __future__ import annotations

import pytest

from inspector.core.conversation import Role
from inspector.engine.facts import Source, extract, text_classes
from tests.engine.facts.conversations import message

TOLD: tuple[tuple[Source, str, str], ...] = (
    # rules of a system prompt
    ("rules", "constraint", "No jokes about the harbour."),
    ("rules", "constraint", "Exercise restraint with the crane."),
    ("rules", "constraint", "On short trips (e.g. to the pier, the buoy) Take the small boat."),
    ("rules", "constraint", "When somebody asks for the tide, you say it."),
    ("rules", "constraint", "Question about prices → answer with the list"),
    ("rules", "constraint", "You will answer in the language of the guest."),
    ("rules", "constraint", "It is better to ask twice than to guess."),
    ("rules", "constraint", "The list of guests is off-limits."),
    ("rules", "constraint", "I never mention other guests."),
    ("rules", "constraint", "If the name is missing, ask."),
    ("rules", "constraint", "Match the greeting to the hour:"),
    # wishes
    ("typed", "constraint", "just give the total"),
    ("typed", "constraint", "Answer in one sentence."),
    ("typed", "constraint", "Round it to two decimals, please, and return it as a list."),
    ("typed", "constraint", "i only want the harbour tests"),
    ("typed", "constraint", "It runs ONLY on the second pier."),
    ("typed", "constraint", "Put it into the north shed, not into the south one."),
    ("typed", "constraint", "It is really important to me to arrive dry."),
    ("typed", "constraint", "Leave the old ledger as it is, untouched."),
    ("typed", "constraint", "That is above our budget."),
    ("typed", "constraint", "The names should still be sorted."),
    ("typed", "constraint", "Anything else must wait."),
    ("typed", "constraint", "As long as it stays dry we can sail."),
    ("typed", "constraint", "<system-reminder>\nKeep the hatch closed.\n</system-reminder>"),
    # rules that are told again
    ("speech", "constraint", "I am unable to change the berth due to the policy of the port."),
    ("speech", "constraint", "Under no circumstances is the gate opened."),
    ("speech", "constraint", "The upload is limited to 5 MB."),
    ("speech", "constraint", "Please note that the pier closes at eight."),
    ("speech", "constraint", "## Constraints\n- The hull stays blue."),
    ("speech", "constraint", "Callers SHOULD close the hatch."),
    ("output", "constraint", "Before you sail, you should read the list of the harbour."),
    # choices
    ("speech", "decision", "The user rejected the second plan."),
    ("speech", "decision", "The crane was replaced in favor of two small ones."),
    ("speech", "decision", "We won't support the old crane."),
    ("speech", "decision", "Uses a queue rather than a lock."),
    ("speech", "decision", "The second pier was chosen."),
    ("speech", "decision", "The repair was postponed."),
    ("typed", "decision", "i actually want to move the crane to the north"),
    ("typed", "decision", "I'd also like to add a second berth."),
    ("typed", "decision", "I think it's fine to close the gate."),
    ("typed", "decision", "option B, please"),
    # things to do
    ("typed", "task", "### 1. Fix the lamp\ntext\n### 2. Build the hull"),
    ("typed", "task", "- Add a lamp to the pier\n- Remove the old crane"),
    ("typed", "task", "Step 1: Count the boats\nStep 2: Write the list"),
    ("speech", "task", "Now I need to:\n1. Paint the hull"),
    ("speech", "task", "**Fix suggestion:** Add a second lamp."),
    ("speech", "task", "The list needs to be updated."),
    ("speech", "task", "Need to add the lamp."),
    ("speech", "task", "The gate is not yet implemented."),
    # failures
    ("speech", "error", "**Bug:** boats are marked as lost."),
    ("speech", "error", "The lamp was incorrectly switched off."),
    ("speech", "error", "`lamp --on` fails with a strange noise"),
    ("speech", "error", "There are failures in the second test."),
    ("speech", "error", "The crane is experiencing difficulties."),
    ("speech", "error", "There was a mistake in the list."),
    ("speech", "error", "It silently skips the second boat."),
    ("typed", "error", "and then the lamp stopped working"),
    ("typed", "error", "The list is never saved"),
    ("typed", "error", "Your changes have NOT been applied."),
    ("output", "error", "Invalid `berth` parameter: nine"),
    ("output", "error", "Path does not exist: /srv/boats"),
    ("output", "error", "lamp.c:3: undefined reference to `shine'"),
    ("output", "error", "make: *** [lamp] Error 2"),
    ("output", "error", "thread 'main' panicked at src/lamp.rs:4"),
    ("output", "error", "Caused by: java.io.EOFException"),
    ("output", "error", "HTTP/1.1 503 Service Unavailable"),
    ("output", "error", " ! [rejected] main -> main (fetch first)"),
    ("output", "error", "UNIQUE constraint failed: boats.name"),
    ("output", "error", "connect ECONNREFUSED 127.0.0.1:5432"),
    ("output", "error", "No space left on device"),
    ("output", "error", "zsh: segmentation fault  ./lamp"),
    ("output", "error", "Type 'Boat' is not assignable to type 'Lamp'."),
    ("output", "error", "The request was rejected by the harbour"),
    ("speech", "decision", "For the lamps, I'll call it from the list instead of the loader."),
    ("speech", "decision", "It makes more sense to open the list than to ask again."),
    ("typed", "decision", "I think we need to revert the list of lamps"),
    ("speech", "task", "We should rename the fields of the list."),
    ("output", "error", "Error adding lamp: the list is full"),
    ("output", "error", "[ERROR] The list of lamps is full"),
    ("output", "error", "Command 'lamp' not found, did you mean:"),
    ("output", "task", "# TODO of the pier\n\n- [x] Count the lamps\n- [ ] Paint the lamps red\n"),
)
PLAIN: tuple[tuple[Source, str, str], ...] = (
    ("rules", "constraint", "Open boats: [none]"),
    ("rules", "constraint", "No problem was met on the way."),
    ("rules", "constraint", "When somebody asks, you get a list of boats."),
    ("rules", "constraint", "Follow the steps below:"),
    ("typed", "constraint", "That must feel great!"),
    ("typed", "constraint", "Must be so nice there."),
    ("typed", "constraint", "Focus on:"),
    ("typed", "constraint", "Follow these steps:"),
    ("typed", "constraint", "Following the custom of the harbour"),
    ("speech", "constraint", "I was unable to find the list of boats."),
    ("speech", "constraint", "The grey boats are old and do not contain a lamp."),
    ("speech", "decision", "There are many things we want to see."),
    ("typed", "decision", "Sounds great!"),
    ("typed", "task", "- Added a lamp to the pier\n- Removed the old crane"),
    ("speech", "task", "This will:\n- make the lamp shine"),
    ("speech", "error", "Tell me if you hit any problems."),
    ("speech", "error", "I did not run it."),
    ("output", "error", "    return wrong, nil"),
    ("output", "error", 'if status == 404 { return "x" }'),
    ("speech", "constraint", "This should only touch the lamps of the pier."),
    ("speech", "constraint", "The list must be written somewhere."),
    ("speech", "constraint", "The old loader needs to be converted to the new form."),
    ("speech", "constraint", "`lampList` is read at line 312 but never defined."),
    ("speech", "constraint", "I'm now listing what needs to be kept for each lamp."),
    ("speech", "constraint", 'The error "all rows must have the same length" comes from the list.'),
    ("speech", "constraint", "It's important to note that the price of a lamp can vary."),
    ("speech", "constraint", "The change is limited to the list of the lamps."),
    ("rules", "constraint", "Commit 4f1c9ab Moved the lamps into the list."),
    ("typed", "constraint", "you only changed the comments in the list"),
    ("typed", "decision", "ok, do a release"),
    ("typed", "decision", "alright, let's write a new test"),
    ("typed", "decision", "I want to make the list smoother"),
    ("typed", "decision", "it let's people add lamps of their own"),
    ("speech", "task", "Is anything still to be done, or should I commit?"),
    ("output", "error", "cannot be read, or the line is outside of the list"),
    ("output", "error", "var error: LampError?"),
)


@pytest.mark.parametrize(("source", "cls", "text"), TOLD)
def test_each_form_tells_its_class(source: Source, cls: str, text: str) -> None:
    assert cls in text_classes(text, source)


@pytest.mark.parametrize(("source", "cls", "text"), PLAIN)
def test_what_only_looks_like_a_form_tells_nothing(source: Source, cls: str, text: str) -> None:
    assert cls not in text_classes(text, source)


@pytest.mark.parametrize(
    ("text", "fact", "role"),
    [
        ("see lines 12-40 and 52-60", ("number", "lines 12-40"), "user"),
        ("see lines 12-40 and 52-60", ("number", "lines 52-60"), "user"),
        ("at line ~241 of it", ("number", "line 241"), "user"),
        ("in PR #12 it stands", ("number", "pr 12"), "user"),
        ("it is #48213, I think", ("id", "48213"), "user"),
        ("runs on Python 3.12 here", ("number", "python 3.12"), "user"),
        ("3 matches in it", ("number", "3 matches"), "user"),
        ("72 more lines below", ("number", "72 more lines"), "user"),
        ("of (14 Steps) in all", ("number", "14 Steps"), "user"),
        ("from May 3-5, 2027 on", ("date", "2027-05-03"), "user"),
        ("from May 3-5, 2027 on", ("date", "2027-05-05"), "user"),
        ("after 8am at the pier", ("date", "08:00"), "user"),
        ("the 1936 Harbour Games", ("date", "1936"), "user"),
        ("the card ending in 2076", ("number", "ending in 2076"), "user"),
        ("seed 0xDEADBEEF of it", ("id", "0xDEADBEEF"), "tool"),
        ("the node PRRC_kwDAbyo71M6xZq9K", ("id", "PRRC_kwDAbyo71M6xZq9K"), "tool"),
        (
            "boat-01234567-89ab-4cde-8f01-23456789abcd",
            ("id", "boat-01234567-89ab-4cde-8f01-23456789abcd"),
            "tool",
        ),
        ("certificate 8104069 of it", ("id", "8104069"), "user"),
        ("a reservation with ID QXDUBK", ("id", "QXDUBK"), "user"),
        ("drwx 5 boats .venv", ("path", ".venv"), "tool"),
        ("-rw 5 boats Makefile", ("path", "Makefile"), "tool"),
        ("pier/lamp.go:12:func (l *Lamp) ShineOn(x int) {", ("symbol", "ShineOn"), "tool"),
        ("The boats are counted by `count_boats` in the list", ("symbol", "count_boats"), "tool"),
        ('he wrote "North Pier," and left', ("quote", "North Pier"), "user"),
    ],
)
def test_ids_numbers_days_and_names_of_many_shapes(text: str, fact: tuple[str, str], role: Role) -> None:
    assert fact in {(each.cls, each.text) for each in extract(message("m1", text, role))}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("at lines 347-398 of it", ("id", "347-398")),
        ("the card ending in 2076", ("date", "2076")),
        ("<tool_use_error>No such lamp.</tool_use_error>", ("symbol", "tool_use_error")),
    ],
)
def test_what_is_another_fact_or_none(text: str, fact: tuple[str, str]) -> None:
    for role in ("user", "tool"):
        assert fact not in {(each.cls, each.text) for each in extract(message("m1", text, role))}


def test_a_log_within_a_prompt_states_no_rules() -> None:
    log = "\n".join(f"The lamp {number} was only moved to the pier of the north." for number in range(40))
    assert "constraint" not in text_classes(log.replace("only", "then") + "\nKeep a question short.", "rules")
    assert "constraint" in text_classes("Keep a question short.\nThe clerk can only move whole crates.", "rules")
