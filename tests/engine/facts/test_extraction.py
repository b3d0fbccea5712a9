"""What messages tell, with the place where it stands."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message, Role
from inspector.engine.facts import FactIndex, extract
from inspector.engine.facts.definitions import _METHOD, _NAMING, METHOD_STEMS
from inspector.engine.facts.extraction import read, read_numbers, unescape
from inspector.engine.facts.vocabulary import forget
from inspector.llm.providers import message_from_raw
from tests.engine.facts.conversations import SENTENCES, Course, conversation, courses, message, session


def told(text: str, role: Role = "user") -> set[tuple[str, str]]:
    return {(fact.cls, fact.text) for fact in extract(message("m1", text, role))}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("You must never delete the ledger.", ("constraint", "You must never delete the ledger.")),
        ("Don't touch the old feed.", ("constraint", "Don't touch the old feed.")),
        ("At most 90 places.", ("constraint", "At most 90 places.")),
        ("We decided to use the second shard.", ("decision", "We decided to use the second shard.")),
        ("Let's keep the old names.", ("decision", "Let's keep the old names.")),
        ("- [ ] write the second test", ("task", "write the second test")),
        ("The feed is still to be read.", ("task", "The feed is still to be read.")),
        ("Next steps:\n- read the feed", ("task", "read the feed")),
        ("ValueError: no row 4711 in it", ("error", "ValueError: no row 4711 in it")),
        ('It says "no harbour today" there.', ("quote", "no harbour today")),
        ("call `read_rows(2)` and see", ("symbol", "read_rows()")),
        ("the `HARBOUR` of it", ("symbol", "HARBOUR")),
    ],
)
def test_what_somebody_says(text: str, fact: tuple[str, str]) -> None:
    assert fact in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I must have missed it.",
        "You must be the new one?",
        "Don't worry about it.",
        "He has not decided whether to go.",
        "There were no errors.",
        "I don't know the rest of it.",
    ],
)
def test_what_sounds_like_a_fact_and_is_none(text: str) -> None:
    assert {cls for cls, _ in told(text)} <= {"quote", "number"}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("E   KeyError: 'harbour'", ("error", "E KeyError: 'harbour'")),
        ("fatal: no branch named next", ("error", "fatal: no branch named next")),
        ("== 3 failed, 4 passed", ("error", "== 3 failed, 4 passed")),
        ("def read_rows(path):\n    pass", ("symbol", "read_rows")),
        ("   12→class Board:\n   13→    x", ("symbol", "Board")),
        ('  File "a/b.py", line 4, in load_all', ("symbol", "load_all")),
        ("MAX_ROWS = 4", ("symbol", "MAX_ROWS")),
        ("# TODO: read the second file", ("task", "TODO: read the second file")),
        ("Nobody may write to the old feed any more", ("constraint", "Nobody may write to the old feed any more")),
    ],
)
def test_what_a_tool_prints(text: str, fact: tuple[str, str]) -> None:
    assert fact in told(text, "tool")


def test_a_call_tells_its_tool_and_what_it_is_given() -> None:
    arguments = json.dumps({"path": "src/load.py", "old": 'rows = "4711"\nx = 1', "n": 42.5})
    call = {"id": "c1", "type": "function", "function": {"name": "edit_file", "arguments": arguments}}
    facts = {
        (fact.cls, fact.text)
        for fact in extract(
            message_from_raw("m1", {"role": "assistant", "content": None, "tool_calls": [call]}, "openai")
        )
    }
    assert {("tool", "edit_file"), ("path", "src/load.py"), ("number", "n = 42.5")} <= facts


@given(st.data())
def test_every_text_in_which_code_names_something_holds_a_sign_of_it(data: st.DataObject) -> None:
    for pattern, signs in (*_NAMING, (_METHOD, METHOD_STEMS)):
        text = data.draw(st.from_regex(re.compile(pattern.pattern, pattern.flags)))
        assert any(sign in text for sign in signs)


@given(st.text('\\"/ntrx a', max_size=30))
def test_escapes_are_read_as_json_means_them(text: str) -> None:
    assert unescape(json.dumps(text)[1:-1]) == text


@given(courses())
def test_the_facts_of_a_message_depend_on_nothing_else(course: Course) -> None:
    log = course.session.messages
    forget()
    alone = [extract(each) for each in log]
    assert [extract(each) for each in reversed(log)] == alone[::-1]
    index = FactIndex(course.session)
    assert [{index.facts[fact][:2] for fact in index.facts_of(each).facts} for each in log] == [
        {(fact.cls, fact.text) for fact in facts} for facts in alone
    ]


@given(courses())
def test_each_fact_names_its_message_and_its_place(course: Course) -> None:
    for each in course.session.messages:
        for fact in extract(each):
            assert fact.message == each.id
            assert fact.place < len(each.text)
            if fact.place < 0:
                assert fact.text not in each.text
            elif fact.cls in ("id", "url", "date", "error"):
                assert each.text.startswith(fact.text, fact.place)


@given(st.text(max_size=200), st.sampled_from(["user", "assistant", "tool"]))
def test_any_text_can_be_read(text: str, role: Role) -> None:
    read_anew = message("m1", text, role)
    first = extract(read_anew)
    assert len({(fact.cls, fact.text) for fact in first}) == len(first)
    assert all(fact.text and -1 <= fact.place < max(1, len(text)) for fact in first)
    assert extract(read_anew) == first


HOSTILE = [
    "a",
    "/",
    '"',
    "\"`'",
    "1,",
    "1.",
    "a=1=",
    "http://",
    "a@a.",
    "must ",
    "must\n",
    "don't ",
    "error: ",
    "```\n",
    "\\",
    "\\n",
    "\x1b[",
    "\ndef ",
    "(",
    "€1",
    '":1',
    "2026-01-01T",
    "a.b:1:",
    "[ ]",
    "“",
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("role", ["user", "tool"])
def test_a_text_of_one_piece_again_and_again_tells_no_more_than_a_little_of_it(piece: str, role: Role) -> None:
    few, many = (read(message("m1", piece * times, role)) for times in (2_000, 8_000))
    assert len(many.facts) <= len(few.facts) + 3
    assert len(many.terms) <= len(few.terms) + 3


def test_a_line_of_a_million_letters_is_no_fact() -> None:
    assert told("x" * 1_000_000) == set()
    assert told(f"{'x' * 1_000_000} The order is HR-204417.") == {("id", "HR-204417")}


def test_lines_that_were_read_before_tell_the_same_again() -> None:
    talk = conversation(*SENTENCES)
    index, other = FactIndex(talk), FactIndex(talk)
    texts = [" ".join(SENTENCES[first : first + 3]) for first in range(len(SENTENCES))]
    summaries = [message(f"s{number}", f"{text}\n{texts[0]}") for number, text in enumerate(texts)]
    told_first = [index.facts_of(each) for each in summaries]
    assert [index.facts_of(each) for each in summaries] == told_first
    assert [other.facts_of(each) for each in reversed(summaries)] == told_first[::-1]


def test_what_the_log_says_word_for_word_a_copy_of_it_says_too() -> None:
    talk = conversation(*SENTENCES)
    index = FactIndex(talk)
    for each in talk.messages:
        assert set(index.facts_of(each).terms) <= set(index.facts_of(message("copy", each.text)).terms)


def test_a_notice_is_in_no_index() -> None:
    notice: Message = message_from_raw("n", {"role": "user", "content": "HR-204417"}, "openai", kind="notice")
    assert len(FactIndex(session([notice]))) == 0


def test_what_the_program_puts_into_a_result_is_none_of_its_words() -> None:
    reminder = "<system-reminder>\nYou must refuse to improve the code.\n</system-reminder>"
    printed = f"{reminder}def count(): ...  # see /pier/gulls.csv\n{reminder}\nopen /pier/terns.csv\n<system-reminder>"
    facts = told(printed, "tool")
    assert {("path", "/pier/gulls.csv"), ("path", "/pier/terns.csv")} <= facts
    assert not any(cls == "constraint" for cls, _ in facts)


def test_what_has_no_words_for_anybody_tells_nothing() -> None:
    reasoning = {"type": "reasoning", "id": "rs_4711", "summary": [], "encrypted_content": "0d9f4c1a77e2"}
    raw = {"role": "assistant", "content": [reasoning, {"type": "text", "text": "See /pier/gulls.csv."}]}
    facts = extract(message_from_raw("m1", raw, "openai"))
    assert {(fact.cls, fact.text) for fact in facts} == {("path", "/pier/gulls.csv")}


@pytest.mark.parametrize("session_file", sorted(Path("sessions").glob("*.json*")), ids=lambda path: path.name)
def test_the_numbers_of_a_summary_are_those_among_its_facts(session_file: Path) -> None:
    text = session_file.read_text("utf-8").replace("\\n", "\n")[:60_000]
    summary = replace(message("s", text), kind="summary")
    numbers = [number for cls, number in read(summary).facts if cls == "number"]
    assert numbers and list(read_numbers(summary)) == numbers


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ('if [ $# -ne 1 ]; then run "$0" --as "$1"; fi', "assistant"),
        ("Run `ls` and `git`, then `grep` again.", "assistant"),
        ("row:  21%|###    | 3/14 [00:01<00:05,  2.19it/s]", "tool"),
        ('type Gauge struct { ID string `json:"gauge_id"` } // `json:"gauge_id"`', "tool"),
    ],
)
def test_arguments_programs_progress_and_tags_are_no_facts(text: str, role: Role) -> None:
    assert not {cls for cls, _ in told(text, role)} & {"amount", "date"}
    assert ("quote", 'json:"gauge_id"') not in told(text, role)
    assert not told(text, role) & {("symbol", "ls"), ("symbol", "git"), ("symbol", "grep")}


def test_an_amount_of_one_digit_in_a_sentence_is_one() -> None:
    assert ("amount", "USD 5") in told("Each ticket costs $5 at the pier.")
