"""Messages that a compaction of Claude Code kept word for word: they stand in the context of its summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.formats import file_loading, load, tail
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from tests.formats.written import Scribe, calls, only, says
from tests.growth import calls_made
from tests.library.tailing.growing import assert_same, read_whole, session_of

Facts = dict[str, object]
SUMMARY = "This session is being continued."
SEGMENT: Facts = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "c2", "tailUuid": "a2"}}
LIST: Facts = {"preservedMessages": {"anchorUuid": "c2", "uuids": ["u2", "a2"], "allUuids": ["u2", "x2", "a2"]}}


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def talk(scribe: Scribe, *numbers: int) -> None:
    for number in numbers:
        scribe.ask(f"u{number}", f"Question {number}.")
        scribe.reply(f"a{number}", f"msg_{number}", says(f"Answer {number}."))


def compact(scribe: Scribe, facts: Facts, number: int = 0) -> None:
    """A compaction whose boundary has the uuid "c1" and whose summary has "c2"; each number further, two more."""
    last, scribe.last = scribe.last, None
    boundary, summary = f"c{2 * number + 1}", f"c{2 * number + 2}"
    scribe.add("system", boundary, subtype="compact_boundary", logicalParentUuid=last, compactMetadata=facts)
    scribe.ask(summary, SUMMARY, isCompactSummary=True)


def window(path: Path) -> list[str]:
    session = only(path)
    return [session.messages[at].text for at in session.path_to(session.last_position())]


@pytest.mark.parametrize("facts", [SEGMENT, LIST, SEGMENT | LIST])
@pytest.mark.parametrize("parent", ["a2", "c2", "x1"])
def test_what_was_kept_stands_behind_the_summary(tmp_path: Path, scribe: Scribe, facts: Facts, parent: str) -> None:
    talk(scribe, 1, 2)
    compact(scribe, facts)
    scribe.add("attachment", "x1", attachment={"type": "file"})
    scribe.last = parent
    talk(scribe, 3)
    path = scribe.write(tmp_path / "x")
    assert window(path) == [SUMMARY, "Question 2.", "Answer 2.", "Question 3.", "Answer 3."]
    session = only(path)
    copies = session.messages[5:7]
    assert [session.original_of(copy).id for copy in copies] == ["u2", "msg_2"]
    assert [copy.usage for copy in copies] == [None, None] and len(session.turns()) == 3
    assert session.repeats == 2
    context_before = [session.messages[at].text for at in session.context_before(4)]
    assert context_before == ["Question 1.", "Answer 1.", "Question 2.", "Answer 2."]


def test_what_hangs_from_the_boundary_stands_before_the_summary(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    compact(scribe, {"preservedSegment": {"headUuid": "u1", "anchorUuid": "c1", "tailUuid": "a1"}})
    talk(scribe, 3)
    path = scribe.write(tmp_path / "x")
    assert window(path) == ["Question 1.", "Answer 1.", SUMMARY, "Question 3.", "Answer 3."]
    session = only(path)
    assert session.messages[session.compactions[0]].text == SUMMARY


def test_results_are_kept_with_their_calls_and_what_was_left_is_not(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1)
    scribe.reply("a2", "msg_2", calls("t1"), calls("t2"))
    answers = [{"type": "tool_result", "tool_use_id": name, "content": f"of {name}"} for name in ("t1", "t2")]
    scribe.ask("r2", answers)
    scribe.ask("u3", "Wrong way.")
    scribe.last = "r2"
    talk(scribe, 4)
    for name in ("preservedSegment", "preservedMessages"):
        facts = (
            {"headUuid": "a2", "tailUuid": "a4"} if name == "preservedSegment" else {"uuids": ["a2", "r2", "u4", "a4"]}
        )
        file = Scribe([*scribe.records], last="a4")
        compact(file, {name: facts})
        talk(file, 5)
        said = window(file.write(tmp_path / name))
        assert said[0] == SUMMARY and said[2:4] == ["of t1", "of t2"]
        assert said[4:] == ["Question 4.", "Answer 4.", "Question 5.", "Answer 5."]


def test_going_back_to_what_was_kept_stays_behind_the_summary(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    compact(scribe, SEGMENT)
    scribe.last = "a2"
    talk(scribe, 3)
    scribe.last = "a2"
    talk(scribe, 4)
    assert window(scribe.write(tmp_path / "x")) == [SUMMARY, "Question 2.", "Answer 2.", "Question 4.", "Answer 4."]


def test_a_second_compaction_keeps_what_the_first_had_kept(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    compact(scribe, SEGMENT)
    scribe.last = "a2"
    talk(scribe, 3)
    compact(scribe, {"preservedSegment": {"headUuid": "a2", "anchorUuid": "c4", "tailUuid": "a3"}}, 1)
    scribe.last = "a3"
    talk(scribe, 4)
    path = scribe.write(tmp_path / "x")
    assert window(path) == [SUMMARY, "Answer 2.", "Question 3.", "Answer 3.", "Question 4.", "Answer 4."]
    assert len({message.id for message in only(path)}) == len(only(path).messages)


@pytest.mark.parametrize("facts", [{"preservedSegment": {"headUuid": "?", "tailUuid": "?"}}, {"preservedMessages": 7}])
def test_what_is_not_there_was_not_kept(tmp_path: Path, scribe: Scribe, facts: Facts) -> None:
    talk(scribe, 1, 2)
    compact(scribe, facts)
    talk(scribe, 3)
    assert window(scribe.write(tmp_path / "x")) == [SUMMARY, "Question 3.", "Answer 3."]


def test_a_file_that_goes_on_comes_to_the_same_at_any_moment(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, *range(SAMPLE_RECORDS // 2))
    for number in range(3):
        newest = 100 + 2 * number - 2 if number else SAMPLE_RECORDS // 2 - 1
        head = f"a{newest - 1}"
        compact(scribe, {"preservedSegment": {"headUuid": head, "tailUuid": f"a{newest}"}}, number)
        scribe.last = f"a{newest}"
        talk(scribe, 100 + 2 * number - 1, 100 + 2 * number)
    lines = scribe.write(tmp_path / "x").read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:SAMPLE_RECORDS]))
    source = FollowedFile(path)
    session_of(source)
    for line in lines[SAMPLE_RECORDS:]:
        with path.open("ab") as file:
            file.write(line)
        growth = source.poll()
        if growth is not None:
            assert_same(growth.session, read_whole(path))


def test_the_end_of_a_long_file_is_not_shown_without_what_was_kept(
    tmp_path: Path, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_loading, "_LARGE_FILE_BYTES", 0)
    talk(scribe, 1, 2)
    bare = Scribe([*scribe.records], last="a2")
    for file, facts in ((scribe, SEGMENT), (bare, {})):
        compact(file, facts)
        talk(file, 3)
    assert tail(scribe.write(tmp_path / "kept")) is None
    assert tail(bare.write(tmp_path / "bare")) is not None


def test_compactions_that_keep_everything_take_bounded_memory_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.formats.readers.claude_code.kept_runs.MAX_COPIES", 100)

    def written(count: int) -> Path:
        scribe = Scribe()
        for number in range(count):
            talk(scribe, number)
            tail = f"a{number}"
            compact(scribe, {"preservedSegment": {"headUuid": "u0", "anchorUuid": "?", "tailUuid": tail}}, number)
            scribe.last = tail
        return scribe.write(tmp_path / str(count))

    session = only(written(40))
    assert len(session.messages) <= 40 * 3 + 100
    assert [problem.text for problem in session.problems] == [
        "its compactions keep more than 100 messages: some contexts lack them"
    ]
    longer = written(80)
    assert calls_made(lambda: load(longer)) < 2.3 * calls_made(lambda: load(tmp_path / "40"))
