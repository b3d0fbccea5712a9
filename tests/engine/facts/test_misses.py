"""What a reply says again without having had to remember it, and what it had to."""

from __future__ import annotations

import json

import pytest

from inspector.core.conversation import Message
from inspector.engine.facts import FactClass, FactIndex, FactTracker, find_unmet_needs
from inspector.engine.facts.noise import is_noise
from inspector.llm.providers import message_from_raw
from tests.engine.facts.conversations import conversation, message, session


def regrets(*log: Message, lost: int = 1, kept: Message | None = None) -> list[str]:
    """What the last message regrets when as many of the first ones are gone; `kept` stands for them."""
    ledger = FactTracker(FactIndex(session(log)))
    ledger.add(log[:-1])
    ledger.show(2, [*([kept] if kept else []), *log[lost:-1]])
    regret = find_unmet_needs(ledger, 3, log[-1]).regret
    return [need.fact for need in regret.needs] if regret else []


def calling(id: str, text: str, name: str, **arguments: object) -> Message:
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return message_from_raw(id, {"role": "assistant", "content": text or None, "tool_calls": [call]}, "openai")


OUTPUT = "def read_ledger(path):\n    return 1\n"
GOOD = message("m2", "Good.")


@pytest.mark.parametrize(
    ("first", "is_needed"),
    [
        (message("m1", OUTPUT, "tool"), True),
        (calling("m1", "", "write", file="a.py", content="import os\n" + OUTPUT), True),
        (message("m1", "I could call it `read_ledger` there.", "assistant"), False),
    ],
)
def test_a_name_that_the_agent_only_thought_of_can_be_thought_of_again(first: Message, is_needed: bool) -> None:
    assert regrets(first, GOOD, message("m3", "Now `read_ledger` fails.", "assistant")) == ["read_ledger"] * is_needed


def test_what_others_say_later_tells_nothing_of_what_was_known_before() -> None:
    log = [
        message("m1", "I could call it `read_ledger` there.", "assistant"),
        GOOD,
        message("m3", "Or is `read_ledger` too long?", "assistant"),
        message("m4", OUTPUT, "tool"),
    ]
    ledger = FactTracker(FactIndex(session(log)))
    ledger.add(log[:2])
    ledger.show(2, [GOOD])
    assert find_unmet_needs(ledger, 3, log[2]).regret is None


@pytest.mark.parametrize("said", ["read_ledger := 3", "const read_ledger = 3;", "def read_ledger(rows):\n    pass"])
def test_names_that_a_reply_gives_by_itself_are_not_missed(said: str) -> None:
    assert regrets(message("m1", OUTPUT, "tool"), GOOD, message("m3", f"```\n{said}\n```", "assistant")) == []


def test_a_name_that_an_argument_carries_is_not_missed() -> None:
    log = [message("m1", "The `old_string` was not found.", "tool"), GOOD, calling("m3", "", "edit", old_string="one")]
    assert regrets(*log) == []


@pytest.mark.parametrize(
    ("window", "is_needed"),
    [("It is in readLedgerRows now.", False), ("Call the.readLedger there.", False), ("It reads the ledger.", True)],
)
def test_a_name_that_stands_in_a_longer_one_is_not_missed(window: str, is_needed: bool) -> None:
    first = message("m1", "func readLedger() int {\n\treturn 1\n}\n", "tool")
    reply = message("m3", "So `readLedger` fails.", "assistant")
    assert regrets(first, message("m2", window), reply) == ["readLedger"] * is_needed


@pytest.mark.parametrize(
    ("window", "is_needed"),
    [
        ("See feed/load.py there.", False),
        ("Both load.py and /srv/tide/feed are meant.", False),
        ("See tide/load.py there.", True),
        ("It is in /srv/tide/feed.", True),
    ],
)
def test_a_path_that_can_be_put_together_is_not_missed(window: str, is_needed: bool) -> None:
    first = message("m1", "/srv/tide/feed/load.py:12: import csv", "tool")
    reply = message("m3", "Reading /srv/tide/feed/load.py now.", "assistant")
    assert regrets(first, message("m2", window), reply) == ["/srv/tide/feed/load.py"] * is_needed


def test_a_folder_of_one_letter_is_not_told_wherever_that_letter_stands() -> None:
    first = message("m1", "tide: 0/ledger.jsonl and 1/ledger.jsonl", "tool")
    reply = message("m3", "Reading 0/ledger.jsonl now.", "assistant")
    assert regrets(first, message("m2", "There are 0 of ledger.jsonl."), reply) == ["0/ledger.jsonl"]


@pytest.mark.parametrize(("window", "is_needed"), [("It is in /srv/tide/feed.", False), ("It is somewhere.", True)])
def test_of_a_usual_name_only_the_folder_is_missed(window: str, is_needed: bool) -> None:
    first = message("m1", "/srv/tide/feed/README.md:12: hello", "tool")
    reply = message("m3", "Reading /srv/tide/feed/README.md now.", "assistant")
    assert regrets(first, message("m2", window), reply) == ["/srv/tide/feed/README.md"] * is_needed


@pytest.mark.parametrize("common", ["See dist/index.js and src/lib.", "Say 100-150 words.", "It was 2006-01-02."])
def test_what_anybody_would_expect_is_not_missed(common: str) -> None:
    assert regrets(message("m1", common), GOOD, message("m3", common, "assistant")) == []


def todo(id: str, *points: str, text: str = "") -> Message:
    return calling(id, text, "TodoWrite", todos=[{"content": point, "status": "pending"} for point in points])


FIRST, SECOND = "Check the ledger of read_ledger", "Compare the shards with read_ledger"


def test_the_points_of_a_list_that_is_written_once_more_are_not_missed() -> None:
    log = [message("m0", OUTPUT, "tool"), todo("m1", FIRST), GOOD]
    assert regrets(*log, todo("m3", FIRST), lost=2) == []
    assert regrets(*log, todo("m3", FIRST, text="Now `read_ledger`."), lost=2) == ["read_ledger"]
    assert regrets(*log, todo("m3", FIRST, SECOND), lost=2) == ["read_ledger"]


def test_a_file_that_only_a_repeated_point_names_is_not_missed() -> None:
    first = message("m0", "see /srv/tide/plans/ledger_helpers.py", "tool")
    point = "Read ledger_helpers.py and check the shards"
    assert regrets(first, todo("m1", point), GOOD, todo("m3", point), lost=2) == []
    again = todo("m3", point, text="In ledger_helpers.py.")
    assert regrets(first, todo("m1", point), GOOD, again, lost=2) == ["/srv/tide/plans/ledger_helpers.py"]


def test_a_page_that_a_browsing_agent_reports_is_seen_and_not_remembered() -> None:
    page = "I clicked it. {page}Its code is HR-204417."
    seen = page.format(page="Automatic OCR of the page screenshot has detected the following text: ")
    assert regrets(message("m1", "The code is HR-204417."), GOOD, message("m3", seen, "assistant")) == []
    told = page.format(page="")
    assert regrets(message("m1", "The code is HR-204417."), GOOD, message("m3", told, "assistant")) == ["HR-204417"]


def test_what_a_summary_lists_is_named_and_not_missed() -> None:
    summary = message_from_raw(
        "s", {"role": "user", "content": "Files:\n- https://example.org/tide/feed/rows"}, "openai", kind="summary"
    )
    first = message("m1", 'see "https://example.org/tide/feed"', "tool")
    reply = message("m3", "I use `https://example.org/tide/feed` too.", "assistant")
    assert regrets(first, GOOD, reply) == ["https://example.org/tide/feed"]
    assert regrets(first, GOOD, reply, kept=summary) == []


def test_an_afternoon_is_told_by_the_clock_of_24_hours() -> None:
    log = ["It leaves at 07:30 PM.", "Noted.", "19:30 it says.", "It leaves at 07:30 PM."]
    assert regrets(*conversation(*log).messages) == []
    assert regrets(*conversation(log[0], log[1], "So when?", log[3]).messages) == ["07:30"]


def test_a_moment_is_put_together_from_its_day_and_its_time() -> None:
    log = ["The gate opened at 2026-03-29T00:59:08Z.", "Noted.", "Which row of Sunday 29 March is 00:59:08Z?"]
    reply = "The row of 2026-03-29T00:59:08Z."
    assert regrets(*conversation(*log, reply).messages) == []
    assert regrets(*conversation(*log[:2], "Which row of Sunday 29 March?", reply).messages) == ["2026-03-29 00:59:08"]


def test_an_address_of_the_agents_own_is_not_missed() -> None:
    line = "Co-Authored-By: Robin <robin@example.org>"
    assert regrets(message("m1", line, "assistant"), GOOD, message("m3", line, "assistant")) == []
    assert regrets(message("m1", line), GOOD, message("m3", line, "assistant")) == ["robin@example.org"]


@pytest.mark.parametrize(
    ("cls", "text", "is_common"),
    [
        ("symbol", "in_progress", True),
        ("symbol", "tide_progress", False),
        ("path", "console.log", True),
        ("path", "harbour.log", False),
    ],
)
def test_a_state_of_a_to_do_list_and_a_function_for_printing_are_not_missed(
    cls: FactClass, text: str, is_common: bool
) -> None:
    assert is_noise(cls, text, 1) is is_common


@pytest.mark.parametrize(("argument", "needed"), [("workdir", []), ("cwd", []), ("path", ["/srv/tide/gate"])])
def test_the_folder_in_which_a_command_runs_is_not_missed(argument: str, needed: list[str]) -> None:
    log = (message("m1", "The code is in /srv/tide/gate."), GOOD)
    assert regrets(*log, calling("m3", "", "shell", command="ls", **{argument: "/srv/tide/gate"})) == needed
