"""The summary that is made of the conversation's own lines."""

from __future__ import annotations

import os
import subprocess
import sys
from time import process_time

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message, Session
from inspector.engine.summaries.extractive.gist import identifiers
from inspector.engine.summaries.extractive.summarize import summarise
from inspector.engine.summaries.summary_sections import HEADINGS, TITLE, Heading, parse_lines, render_sections
from inspector.llm.providers import message_from_raw, text_message
from tests.generated import LETTERS, LONG, Ask, Call, Inject, Reply, Step, Summary, conversations, recorded, work

PLENTY = 100_000


def made(*steps: Step, target: int = PLENTY) -> str:
    return summarise(recorded(steps).messages, target, LETTERS.count)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def under(text: str, heading: str) -> list[str]:
    """The lines of one section."""
    block = next((block for block in text.split("\n\n") if block.startswith(f"{heading}:\n")), "")
    return [line[2:] for line in block.splitlines()[1:]]


def test_lines_stand_under_the_heading_that_they_belong_to() -> None:
    text = made(
        Ask("Count the orders of May. You must not touch the archive."),
        Reply(
            "Let's go with the small table. The rest is still to do.",
            (Call("a", result="first\nError: no table\nlast"),),
        ),
        Reply("There are three orders."),
    )
    assert under(text, "Goal") == ["Count the orders of May."]
    assert under(text, "Constraints") == ["You must not touch the archive."]
    assert under(text, "Decisions") == ["Let's go with the small table."]
    assert under(text, "Open tasks") == ["The rest is still to do."]
    assert under(text, "Errors") == ["Error: no table"]
    assert under(text, "Results") == ["first", "last", "There are three orders."]
    assert under(text, "Files") == ["query table=orders"]


def test_sections_stand_in_their_order_and_empty_ones_are_left_out() -> None:
    text = made(Ask("Count. Never guess."), work(result="Error: gone"), Reply("I'll look at src/a.py next."))
    result = [block.splitlines()[0].rstrip(":") for block in text.split("\n\n")[1:]]
    assert result == [heading for heading in HEADINGS if heading in result]
    assert "Open tasks" not in result
    assert text.startswith(TITLE)


def test_lines_of_a_section_stand_in_the_order_in_which_they_were_said() -> None:
    text = made(*[Ask(f"Look at table number {number}.") for number in range(12)])
    assert under(text, "Goal") == [f"Look at table number {number}." for number in range(12)]


def test_nothing_said_makes_an_empty_summary() -> None:
    assert made() == ""
    assert made(Ask(""), Ask(None), Ask(" \n\t"), Reply(None)) == ""


def test_a_target_of_nothing_still_gets_the_one_line_that_says_most() -> None:
    text = made(Ask("You must never count an order twice."), Reply("There are three. There are four."), target=0)
    assert text == f"{TITLE}\n\nConstraints:\n- You must never count an order twice."


def test_a_smaller_target_keeps_the_lines_that_say_more() -> None:
    steps: list[Step] = [
        Ask("Count the orders of May."),
        *[Reply(f"Result {number} is plain.") for number in range(40)],
    ]
    text = made(*steps, target=60)
    assert "Count the orders of May." in under(text, "Goal")
    assert 0 < len(under(text, "Results")) < 10


def test_the_same_line_said_twice_is_taken_once() -> None:
    assert under(made(Ask("Count the orders."), Ask("Count the orders.")), "Goal") == ["Count the orders."]


def test_long_lines_are_cut_at_a_word_and_say_so() -> None:
    (line,) = under(made(Ask("word " * 200)), "Goal")
    assert line.endswith("word …")
    assert len(line) <= 280


def test_of_a_long_result_both_ends_are_read_and_the_errors_in_them() -> None:
    result = "\n".join([f"row {number}" for number in range(3_000)] + ["Error: disk full", "done"])
    text = made(Ask("Count."), work(result=result))
    assert "Error: disk full" in under(text, "Errors")
    assert under(text, "Results") == ["row 0", "row 1", "done"]


def test_thinking_is_not_quoted() -> None:
    assert "secret" not in made(Ask("Count."), Reply("Three.", thinking="A secret thought."), Ask("Why?"))


def test_identifiers_that_stand_in_no_line_are_added_word_for_word() -> None:
    rows = ["first", "second", "a /srv/data/orders.csv", "b src/load.py:88", "c https://example.org/x?id=9", "d", "e"]
    text = made(Ask("It is for job-4711, total=1,204.50 now."), work(result="\n".join(rows)))
    assert under(text, "Facts verbatim") == ["/srv/data/orders.csv", "src/load.py:88", "https://example.org/x?id=9"]
    assert under(text, "Goal") == ["It is for job-4711, total=1,204.50 now."]


def test_of_facts_the_most_used_come_first_and_of_those_the_newest() -> None:
    results = ["a/1.csv b/2.csv", "c/3.csv b/2.csv", "d/4.csv"]
    text = made(*[work(result=f"x\nx\n{result}\ny\ny") for result in results])
    assert under(text, "Facts verbatim") == ["b/2.csv", "d/4.csv", "c/3.csv", "a/1.csv"]


def test_arguments_of_calls_are_read_as_what_they_mean() -> None:
    function = {"name": "write", "arguments": '{"path": "a.py", "lines": 3, "text": "x\\nsrc/b.py\\n"}'}
    call = {"id": "c", "type": "function", "function": function}
    text = summarise(
        [message_from_raw("m", {"role": "assistant", "tool_calls": [call]}, "openai")], PLENTY, LETTERS.count
    )
    assert under(text, "Files") == ["write path=a.py lines=3"]
    assert under(text, "Facts verbatim") == ["src/b.py"]


def test_what_a_program_put_in_is_no_goal() -> None:
    assert under(made(Inject("The date is the third of May.")), "Goal") == []


def test_an_earlier_summary_is_merged_and_not_nested() -> None:
    first = made(Ask("Count the orders. Never guess."), work(result="Error: no table in /srv/a.db"))
    text = made(Summary(first), Ask("Now count the refunds."), Reply("There are two."))
    assert text.count(TITLE) == 1
    assert all(text.count(f"{heading}:\n") <= 1 for heading in HEADINGS)
    assert under(text, "Goal") == ["Count the orders.", "Now count the refunds."]
    assert under(text, "Constraints") == ["Never guess."]
    assert under(text, "Errors") == ["Error: no table in /srv/a.db"]
    assert under(text, "Facts verbatim") == []


def test_a_summary_of_a_summary_alone_says_the_same() -> None:
    first = made(Ask("Count. Never guess."), work(result="Error: no table in /srv/a.db"), Reply("I'll look next."))
    assert made(Summary(first)) == first


def test_earlier_lines_come_before_new_ones_when_room_is_short() -> None:
    first = made(Ask("Count the orders of the month of May."))
    text = made(Summary(first), *[Ask(f"Then count table {number} too.") for number in range(20)], target=40)
    assert "Count the orders of the month of May." in under(text, "Goal")


def test_a_line_that_looks_like_a_heading_stays_a_line() -> None:
    first = made(Ask("Errors:\nCount them all."), Reply("Two."))
    assert under(first, "Goal") == ["Errors:", "Count them all."]
    assert made(Summary(first)) == first


def test_a_line_keeps_its_signs_through_two_passes() -> None:
    first = made(Ask("**Count** all of it*\n- # and these"))
    assert made(Summary(first)) == first


def test_a_summary_from_somewhere_else_is_taken_in_as_it_stands() -> None:
    text = made(Summary("## Goal:\n* Count the orders\n\nA plain line."), Ask("Go on."))
    assert {"Count the orders", "A plain line.", "Go on."} <= set(under(text, "Goal"))


@pytest.mark.parametrize(
    "hostile",
    [
        "a" * 200_000,
        "a-" * 100_000,
        "a-" * 100_000 + "1",
        "1." * 100_000 + "a",
        "a1-b" * 50_000,
        "@" * 200_000 + "/1",
        ". " + " " * 200_000 + "a",
        "a/" * 100_000,
        "/" * 200_000,
        "1," * 100_000,
        "x=" * 100_000,
        "http://" * 30_000,
        ". A" * 60_000,
        "\n" * 200_000,
        "must " * 40_000,
        "\x00\x1b[31m\u202e\ud800" * 20_000,
        "- " * 100_000,
        "[Summary of earlier conversation]\n" * 6_000,
    ],
    ids=lambda text: repr(text[:8]),
)
@pytest.mark.parametrize("where", ["ask", "reply", "summary", "result"])
def test_hostile_text_is_summarised_in_good_time(hostile: str, where: str) -> None:
    steps: dict[str, Step] = {
        "ask": Ask(hostile),
        "reply": Reply(hostile),
        "summary": Summary(hostile),
        "result": work(result=hostile),
    }
    messages = recorded([steps[where]]).messages
    start = process_time()
    text = summarise(messages, 500, LETTERS.count)
    assert process_time() - start < 10
    assert LETTERS.count(text) <= 500 or len(lines(text)) == 1


TARGETS = st.integers(0, 300) | st.just(PLENTY)


@given(conversations(), TARGETS)
def test_a_summary_is_never_above_its_target_but_for_its_first_line(session: Session, target: int) -> None:
    text = summarise(session.messages, target, LETTERS.count)
    assert LETTERS.count(text) <= target or len(lines(text)) == 1


@given(conversations(), TARGETS)
def test_the_same_messages_always_give_the_same_summary(session: Session, target: int) -> None:
    def copy() -> list[Message]:
        return [text_message(each.id, "user", each.text, "openai", kind=each.kind) for each in session.messages]

    assert summarise(copy(), target, LETTERS.count) == summarise(copy(), target, LETTERS.count)


@given(conversations(), TARGETS)
def test_sections_are_known_ones_each_once_and_in_order(session: Session, target: int) -> None:
    text = summarise(session.messages, target, LETTERS.count)
    headings = [line[:-1] for line in text.splitlines()[1:] if line and not line.startswith("- ")]
    assert headings == [heading for heading in HEADINGS if heading in headings]


@given(conversations())
def test_with_room_enough_no_identifier_is_lost_even_through_two_passes(session: Session) -> None:
    spoken = [message for message in session.messages if message.role != "system"]
    once = summarise(spoken, PLENTY, LETTERS.count)
    twice = summarise([text_message("s", "user", once, "openai", kind="summary")], PLENTY, LETTERS.count)
    named = identifiers("\n".join(message.text for message in spoken))
    for text in (once, twice):
        assert [word for word in named if word not in text] == []


SECTION = st.sampled_from(HEADINGS)
TOLD = st.lists(
    st.tuples(SECTION, st.sampled_from(["Count.", "See a/b.csv.", "It is 17.", LONG])), min_size=1, max_size=9
)


@given(TOLD, conversations())
def test_with_room_enough_every_line_of_an_earlier_summary_is_taken_over(
    told: list[tuple[Heading, str]], session: Session
) -> None:
    earlier = render_sections({heading: [line for own, line in told if own == heading] for heading in HEADINGS})
    summary = text_message("s", "user", earlier, "openai", kind="summary")
    text = summarise([summary, *session.messages], PLENTY, LETTERS.count)
    assert {line for heading, line in parse_lines(text)} >= {line for _, line in told}
    assert text.count(TITLE) == 1


@given(st.lists(conversations(), min_size=5, max_size=5), st.integers(250, 600))
def test_facts_stay_word_for_word_through_five_passes(sessions: list[Session], target: int) -> None:
    pinned = ["/srv/vault/door.txt", "job-4711", "the code word is heron"]
    text = render_sections({"Goal": ["Count."], "Facts verbatim": pinned})
    for number, session in enumerate(sessions):
        summary = text_message(f"s{number}", "user", text, "openai", kind="summary")
        text = summarise([summary, *session.messages], target, LETTERS.count)
        assert LETTERS.count(text) <= target
        assert under(text, "Facts verbatim")[:3] == pinned


def test_neither_old_nor_new_is_crowded_out_through_many_passes() -> None:
    text = made(Ask("You must count the orders of May."))
    for number in range(12):
        steps = [Ask(f"Look at table {number}-{part}, which has many columns and rows.") for part in range(40)]
        text = made(Summary(text), *steps, target=250)
        assert "You must count the orders of May." in under(text, "Constraints")
        tables = [line.split("-")[0] for line in under(text, "Goal")]
        assert tables.count(f"Look at table {number}") >= 3
        assert number == 0 or tables.count(f"Look at table {number - 1}") >= 3


def test_another_process_makes_the_same_summary() -> None:
    code = (
        "from tests.generated import *; from inspector.engine.summaries.extractive.summarize import summarise\n"
        "steps = [Ask(LONG), work(result=LONG), Reply('We chose a-1, b-2 and c-3. ' + LONG)] * 3\n"
        "print(summarise(recorded(steps).messages, 60, LETTERS.count))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != b""
