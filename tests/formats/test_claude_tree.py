"""What came before each message of a transcript: straight on nearly always, after a rewind or a compaction not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.written import Scribe, calls, only, path_texts, says


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def talk(scribe: Scribe, *numbers: int) -> None:
    """Questions and answers, one pair for each number."""
    for number in numbers:
        scribe.ask(f"u{number}", f"Question {number}.")
        scribe.reply(f"a{number}", f"msg_{number}", says(f"Answer {number}."))


def test_going_back_begins_a_branch_behind_the_point_gone_back_to(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2, 3)
    scribe.last = "a1"
    talk(scribe, 4)
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Answer 4.") == ["Question 1.", "Answer 1.", "Question 4.", "Answer 4."]
    assert path_texts(session, "Answer 3.")[-3:] == ["Answer 2.", "Question 3.", "Answer 3."]


def test_going_back_twice_and_back_to_the_first_way(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    scribe.last = "a1"
    talk(scribe, 3)
    scribe.last = "a2"
    talk(scribe, 4)
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Answer 4.")[::2] == ["Question 1.", "Question 2.", "Question 4."]


def test_words_that_were_never_answered_are_gone_when_asked_anew(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1)
    scribe.ask("u2", "Questoin 2.")
    scribe.last = "a1"
    talk(scribe, 3)
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Question 3.") == ["Question 1.", "Answer 1.", "Question 3."]


def test_going_back_to_a_message_with_calls_keeps_their_results(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Read both.")
    scribe.reply("a1", "msg_1", calls("t1"), calls("t2"))
    scribe.answer("r1", "t1", "first", parentUuid="a1")
    scribe.answer("r2", "t2", "second", parentUuid="a1")
    talk(scribe, 2)
    scribe.ask("u3", "Stop.", parentUuid="r1")
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Stop.")[2:] == ["first", "second", "Stop."]


def test_going_back_to_before_the_first_message(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    scribe.last = None
    talk(scribe, 3)
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Answer 3.") == ["Question 3.", "Answer 3."]


def test_missing_parents_mean_nothing_where_records_are_not_linked(tmp_path: Path, scribe: Scribe) -> None:
    for number in (1, 2, 3):
        scribe.last = None
        scribe.ask(f"u{number}", f"Question {number}.")
        scribe.reply(f"a{number}", f"msg_{number}", says(f"Answer {number}."), parentUuid=None)
    session = only(scribe.write(tmp_path / "x"))
    assert [m.parent for m in session] == [-1, 0, 1, 2, 3, 4]


@pytest.mark.parametrize(("parent", "link"), [("gone", -1), ("", 3), (7, 3)])
def test_only_a_parent_that_is_not_in_the_file_breaks_the_chain(
    tmp_path: Path, scribe: Scribe, parent: object, link: int
) -> None:
    talk(scribe, 1, 2)
    scribe.ask("u3", "Question 3.", parentUuid=parent)
    session = only(scribe.write(tmp_path / "x"))
    assert [m.parent for m in session] == [-1, 0, 1, 2, link]
    assert [problem.line for problem in session.problems] == ([5] if link < 0 else [])


def test_hooks_and_notes_in_the_chain_mean_nothing(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1)
    scribe.add("progress", "p1")
    scribe.add("system", "s1", subtype="stop_hook_summary")
    scribe.add("attachment", "x1")
    talk(scribe, 2)
    scribe.reply("e1", "id-1", says("API Error"), isApiErrorMessage=True)
    scribe.last = "p1"
    scribe.add("progress", "p2")
    scribe.last = "a2"
    talk(scribe, 3)
    session = only(scribe.write(tmp_path / "x"))
    assert [m.parent for m in session] == [-1, 0, 1, 2, 3, 4, 5]


def test_words_that_hang_from_one_of_several_results_go_straight_on(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Read both.")
    scribe.reply("a1", "msg_1", calls("t1"))
    scribe.reply("a2", "msg_1", calls("t2"))
    scribe.answer("r1", "t1", "first", parentUuid="a1")
    scribe.answer("r2", "t2", "second", parentUuid="a2")
    scribe.ask("u2", "Go on.", parentUuid="r1")
    scribe.ask("u3", "Now.", parentUuid="u2")
    session = only(scribe.write(tmp_path / "x"))
    assert [m.parent for m in session] == [-1, 0, 1, 2, 3, 4]


def compact(scribe: Scribe, **metadata: object) -> None:
    last, scribe.last = scribe.last, None
    scribe.add("system", "c1", subtype="compact_boundary", logicalParentUuid=last, compactMetadata=metadata)
    scribe.ask("c2", "This session is being continued.", isCompactSummary=True)


def test_a_compaction_begins_a_new_context_in_the_same_log(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    compact(scribe, trigger="auto", preTokens=170_000)
    talk(scribe, 3)
    session = only(scribe.write(tmp_path / "x"))
    assert len(session.messages) == 7
    assert path_texts(session, "Answer 3.") == ["This session is being continued.", "Question 3.", "Answer 3."]
    assert path_texts(session, "Answer 2.")[0] == "Question 1."


@pytest.mark.parametrize("is_attached", [False, True], ids=["directly", "after an attachment"])
def test_a_compaction_whose_summary_is_missing_counts_too(tmp_path: Path, scribe: Scribe, is_attached: bool) -> None:
    talk(scribe, 1, 2)
    last, scribe.last = scribe.last, None
    scribe.add("system", "c1", subtype="compact_boundary", logicalParentUuid=last)
    if is_attached:
        scribe.add("attachment", "x1", attachment={"type": "edited_text_file", "filename": "/a.py", "snippet": "1"})
    talk(scribe, 3)
    session = only(scribe.write(tmp_path / "x"))
    attached = ["/a.py\n1"] if is_attached else []
    new = ["[A summary, not recorded]", *attached, "Question 3.", "Answer 3."]
    assert path_texts(session, "Answer 3.") == new
    assert [session.messages[place].text for place in session.compactions] == ["[A summary, not recorded]"]
    before = session.context_before(session.compactions[0])
    assert [session.messages[place].text for place in before] == [
        "Question 1.",
        "Answer 1.",
        "Question 2.",
        "Answer 2.",
    ]


def test_a_compaction_that_a_resumed_file_repeats_counts_once(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1)
    compact(scribe)
    talk(scribe, 2)
    scribe.records += [dict(record) for record in scribe.records]
    talk(scribe, 3)
    scribe.last = None
    talk(scribe, 4)
    session = only(scribe.write(tmp_path / "x"))
    assert [session.messages[place].text for place in session.compactions] == ["This session is being continued."]


def test_a_branch_from_before_a_boundary_does_not_go_on_from_it(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1)
    scribe.last = None
    scribe.add("system", "c1", subtype="compact_boundary", logicalParentUuid="a1")
    scribe.last = "a1"
    talk(scribe, 2)
    session = only(scribe.write(tmp_path / "x"))
    assert not session.compactions
    assert path_texts(session, "Answer 2.")[0] == "Question 1."


def test_going_back_to_before_a_compaction(tmp_path: Path, scribe: Scribe) -> None:
    talk(scribe, 1, 2)
    compact(scribe)
    talk(scribe, 3)
    scribe.last = "a1"
    talk(scribe, 4)
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Answer 4.")[::2] == ["Question 1.", "Question 4."]


def test_a_loop_of_parents_is_no_trap(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Question 1.", parentUuid="u2")
    scribe.ask("u2", "Question 2.", parentUuid="u1")
    scribe.ask("u3", "Question 3.", parentUuid="u3")
    assert [m.parent for m in only(scribe.write(tmp_path / "x"))] == [-1, 0, -1]
