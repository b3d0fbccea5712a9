"""Files that a session read more than once: how often, for how many tokens and dollars, also across compactions."""

from __future__ import annotations

import json

import pytest

from inspector.analysis.replay import reads_tree, session_reads
from inspector.analysis.tool_activity import dropped_rereads
from inspector.analysis.tool_activity.action_index import shell_reads_of
from inspector.core.conversation import MAIN, Session, ToolCall
from inspector.engine.window import compute_timeline
from inspector.llm.models import SessionPrice
from inspector.llm.tokens import estimate_sizes
from tests.analysis.replay.test_rereads import Recording

PRICE = SessionPrice(input=10.0, output=50.0, cache_read=1.0, cache_write=12.0)
"""Dollars per million tokens."""
PATH = '{"path": "/w/report.py"}'


WORDS = "alpha beta gamma " * 60


def read_twice(first: str, second: str, *, compacted: bool = False, tool: str = "read_file") -> Recording:
    """Return a session with two reads; with `compacted`, a summary replaces the first one before the second."""
    recording = Recording().read(WORDS, tool, first)
    if compacted:
        recording.compact()
    return recording.read(WORDS, tool, second).talk(1)


def session_of(recording: Recording) -> Session:
    return Session("s", "", "openai", tuple(recording.messages))


@pytest.mark.parametrize("compacted", [False, True])
def test_a_second_read_is_counted_and_priced_by_the_calls_that_sent_it(compacted: bool) -> None:
    session = session_of(read_twice(PATH, PATH, compacted=compacted))
    sizes = estimate_sizes(session)
    (row,) = session_reads(session, sizes, PRICE)
    first, second = (place for place, message in enumerate(session.messages) if message.role == "tool")
    assert (row.resource, row.reads, row.same) == ("/w/report.py", 2, 1)
    assert row.messages == (f"m{first}", f"m{second}") and row.again == sizes.tokens[second] > 100
    assert row.tokens == sizes.tokens[first] + sizes.tokens[second]
    assert row.cost == pytest.approx(row.again * 12.0 / 1e6), "one call sent it, and wrote it to the cache"


def rows(first: int, last: int) -> str:
    return "\n".join(f"row {number} of the report on the harbour" for number in range(first, last))


@pytest.mark.parametrize(
    ("before", "since", "is_again"),
    [
        (rows(0, 30), None, True),
        (rows(0, 12), None, True),
        (rows(0, 8), None, False),
        (rows(0, 30), rows(0, 20), True),
        (rows(0, 30), rows(0, 26), False),
    ],
)
def test_a_file_is_read_again_if_much_of_it_was_known_and_no_later_result_has_it(
    before: str, since: str | None, is_again: bool
) -> None:
    recording = Recording().read(before, "read_file", PATH).compact()
    if since is not None:
        recording.read(since, "search", '{"pattern": "row"}')
    session = session_of(recording.read(rows(0, 30), "read_file", PATH).talk(1))
    compactions = compute_timeline(session, estimate_sizes(session)).compactions
    found = [one.need.fact for one in dropped_rereads(session, MAIN, compactions)]
    assert found == (["/w/report.py"] if is_again else [])


def test_each_later_call_sends_it_from_the_cache_until_the_context_ends() -> None:
    session = session_of(read_twice(PATH, PATH).talk(3))
    (row,) = session_reads(session, estimate_sizes(session), PRICE)
    assert row.cost == pytest.approx(row.again * (12.0 + 3 * 1.0) / 1e6)
    (unpriced,) = session_reads(session, estimate_sizes(session), None)
    assert unpriced.cost is None and unpriced.again == row.again


def test_two_parts_of_a_file_are_no_repetition() -> None:
    first, second = (json.dumps({"path": "/w/a.py", "offset": start, "limit": 50}) for start in (1, 51))
    session = session_of(read_twice(first, second))
    assert session_reads(session, estimate_sizes(session), PRICE) == ()
    again = session_of(read_twice(first, second.replace("51", "40")))
    assert [row.reads for row in session_reads(again, estimate_sizes(again), PRICE)] == [2]


def test_shell_commands_that_print_one_file_are_reads() -> None:
    first, second = '{"cmd": "sed -n \'1,80p\' src/a.py"}', '{"cmd": "nl -ba src/a.py | sed -n \'60,90p\'"}'
    session = session_of(read_twice(first, second, compacted=True, tool="exec_command"))
    (row,) = session_reads(session, estimate_sizes(session), PRICE)
    assert (row.resource, row.reads) == ("src/a.py", 2)
    assert reads_tree((row,)).children[0].note == "read 2 times, 1 the same"


def test_a_command_that_prints_several_files_reads_each_of_them() -> None:
    both = '{"cmd": "nl -ba src/a.py && echo --- && cat src/b.py"}'
    session = session_of(read_twice(both, both, compacted=True, tool="exec_command"))
    sizes = estimate_sizes(session)
    rows = session_reads(session, sizes, PRICE)
    assert {row.resource: row.reads for row in rows} == {"src/a.py": 2, "src/b.py": 2}
    second = [place for place, message in enumerate(session.messages) if message.role == "tool"][1]
    assert [row.again for row in rows] == [sizes.tokens[second] // 2] * 2, "the result is divided among its files"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat README.md", {"README.md": None}),
        ("cd /w && sed -n '3,9p' a.py", {"/w/a.py": range(3, 10)}),
        ("head -n 20 a.py", {"a.py": range(1, 21)}),
        ("cat a.py | head -5", {"a.py": range(1, 6)}),
        ("sed -n '1,9p' a.py; printf '\\n'; sed -n 4p b.py", {"a.py": range(1, 10), "b.py": range(4, 5)}),
        ("cat a.py b.py", {"a.py": None, "b.py": None}),
        ("sed -i 's/a/b/' a.py", {}),
        ("cat a.py > b.py", {}),
        ("cat a.py && echo x > b.py", {}),
        ("cat a.py && make test", {}),
        ("echo hello", {}),
        ("", {}),
    ],
)
def test_only_commands_that_do_nothing_else_count(command: str, expected: dict[str, range | None]) -> None:
    assert dict(shell_reads_of(ToolCall("c", "Bash", json.dumps({"command": command})))) == expected
