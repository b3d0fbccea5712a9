"""What one message gives to a summary, and how long that is remembered."""

from __future__ import annotations

import gc
import weakref

from hypothesis import given, strategies as st

from inspector.core.conversation import Dialect
from inspector.engine.summaries.extractive.gist import MAX_ERRORS, MAX_SENTENCES, gist, identifiers, make, merge
from inspector.engine.summaries.extractive.summarize import summarise
from inspector.engine.summaries.summary_sections import FACTS, TITLE, parse_lines
from tests.generated import LETTERS, Ask, Call, Reply, Step, Summary, recorded, work


def lines(*steps: Step, heading: str = "", dialect: Dialect = "openai") -> list[str]:
    result = [line for message in recorded(steps, dialect).messages for line in make(message).lines]
    return [text for name, text, _, _ in result if not heading or name == heading]


def test_a_gist_is_made_once_in_the_life_of_a_message() -> None:
    (message,) = recorded([Ask("Count.")]).messages
    assert gist(message) is gist(message)


def test_what_was_closed_is_not_held() -> None:
    session = recorded([Ask("Count the orders."), work(), Reply("Three.")])
    summarise(session.messages, 100, LETTERS.count)
    watched = [weakref.ref(message) for message in session.messages]
    del session
    gc.collect()
    assert [message for message in watched if message()] == []


def test_sentences_are_told_apart() -> None:
    assert lines(Ask("Count them. Then stop! Why? e.g. this.\n- one\n\n- two")) == [
        "Count them.",
        "Then stop!",
        "Why? e.g. this.",
        "- one",
        "- two",
    ]


def test_colours_of_a_terminal_are_no_part_of_a_line() -> None:
    assert lines(work(result="\x1b[31merror\x1b[0m: no \x1b[2msrc/\x1b[22ma.py"), heading="Errors") == [
        "error: no src/a.py"
    ]


def test_of_a_speech_without_end_the_beginning_is_taken() -> None:
    assert len(lines(Ask("Count them. " * 5_000))) == MAX_SENTENCES


def test_of_a_log_full_of_errors_the_first_and_the_last_are_taken() -> None:
    errors = lines(work(result="\n".join(f"error: row {number}" for number in range(300))), heading="Errors")
    assert len(errors) == MAX_ERRORS
    assert errors[0] == "error: row 0"
    assert errors[-1] == "error: row 299"


def test_a_sentence_stands_under_the_heading_of_its_class() -> None:
    kinds = {
        "Constraints": ["You must not open it.", "Take at most 2 of them."],
        "Decisions": ["We decided on it.", "Instead of a list we take a table."],
        "Open tasks": ["TODO: the rest.", "The rest is still to be counted."],
        "Errors": ["It raised a ValueError.", "Connection refused by the server."],
        "Goal": ["A musty smell.", "We plan a feast.", "Notes on errors."],
    }
    for heading, said in kinds.items():
        assert lines(Ask("\n".join(said)), heading=heading) == said


def test_points_of_a_list_of_things_to_do_are_open_tasks() -> None:
    assert lines(Ask("Next steps:\n- count the rest\n- [x] count some"), heading="Open tasks") == ["- count the rest"]


def test_of_a_failed_result_without_any_error_in_it_the_first_line_is_one() -> None:
    call = Call(result="It did not go.\nSo it is.", is_error=True)
    assert lines(Reply(None, (call,)), heading="Errors", dialect="anthropic") == ["It did not go."]


def test_a_long_line_of_an_earlier_summary_is_parted_and_nothing_of_it_is_cut() -> None:
    whole = " ".join(f"word{number}" for number in range(300))
    parts = lines(Summary(whole))
    assert " ".join(parts) == whole
    assert all(len(part) <= 280 for part in parts)


PIECES = [
    "src/a.py:12",
    "total: 12.50",
    "x =",
    "= 17",
    "v1.2.3",
    "/",
    "\x1b[1m",
    "\r",
    "\u2028",
    "\n",
    "\n- ",
    "\n- ",
    " ",
]
HEADS = [TITLE, "\nFacts verbatim:", "\n**Open tasks**", "\nErrors:", "Goal:"]


@given(st.lists(st.sampled_from(PIECES) | st.sampled_from(HEADS) | st.text(max_size=4), max_size=30).map("".join))
def test_an_earlier_summary_read_line_by_line_is_the_summary_read_whole(text: str) -> None:
    result, told = merge(text), list(parse_lines(text))
    said = [(heading, " ".join(words.split())) for heading, words in told if heading != FACTS]
    stated = [" ".join(words.split()) for heading, words in told if heading == FACTS]
    assert [(heading, words) for heading, words, _, _ in result.lines] == [item for item in said if item[1]]
    assert result.facts == tuple(dict.fromkeys([*filter(None, stated), *identifiers(text)]))
    assert merge(text).facts == result.facts
