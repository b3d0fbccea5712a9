"""What Claude Code put beside the messages: words typed while it worked, files and reminders, records nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN
from inspector.formats import load
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from tests.formats.written import Scribe, by_text, calls, only, path_texts, says, texts
from tests.library.tailing.growing import assert_same, read_whole, session_of


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def attach(scribe: Scribe, uuid: str, kind: str, /, parent: str | None = None, **fields: Any) -> None:
    own = {"parentUuid": parent} if parent else {}
    scribe.add("attachment", uuid, attachment={"type": kind, **fields}, **own)


def work(scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", calls("t1"))
    scribe.answer("r1", "t1", "two scans")


def test_words_typed_while_it_worked_were_sent(tmp_path: Path, scribe: Scribe) -> None:
    work(scribe)
    attach(scribe, "x1", "queued_command", prompt="The maps as well.", commandMode="prompt")
    attach(scribe, "x2", "queued_command", prompt=[says("And the letters.")], origin={"kind": "human"})
    scribe.reply("a2", "msg_2", says("I count them all."))
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "I count them all.")[2:-1] == ["two scans", "The maps as well.", "And the letters."]
    for text in ("The maps as well.", "And the letters."):
        message = by_text(session, text)
        assert (message.role, message.kind, message.agent) == ("user", "chat", MAIN)
    assert by_text(session, "The maps as well.").record["attachment"]["type"] == "queued_command"


@pytest.mark.parametrize(
    "fields",
    [{"commandMode": "task-notification"}, {"commandMode": "prompt", "origin": {"kind": "peer"}}, {"isMeta": True}],
)
def test_what_others_queued_are_no_words_of_the_person(tmp_path: Path, scribe: Scribe, fields: dict[str, Any]) -> None:
    work(scribe)
    attach(scribe, "x1", "queued_command", prompt="The task is done.", **fields)
    assert by_text(only(scribe.write(tmp_path / "x")), "The task is done.").kind == "injected"


@pytest.mark.parametrize(
    ("text", "fields", "kind"),
    [
        ("<task-notification>\n<status>completed</status>\n</task-notification>", {}, "injected"),
        ("The task is done.", {"origin": {"kind": "task-notification"}}, "injected"),
        ("Look into box 3.", {"origin": {"kind": "peer", "from": "f1"}}, "injected"),
        ("Count the maps.", {"origin": {"kind": "human"}}, "chat"),
        ("Count the maps.", {"origin": {"kind": "sdk"}}, "chat"),
        ("Count the maps.", {"origin": "odd"}, "chat"),
        ("What is a <task-notification>?", {}, "chat"),
    ],
)
def test_turns_that_the_program_begins_are_no_requests_of_the_person(
    tmp_path: Path, scribe: Scribe, text: str, fields: dict[str, Any], kind: str
) -> None:
    work(scribe)
    scribe.ask("u2", text, **fields)
    assert by_text(only(scribe.write(tmp_path / "x")), text).kind == kind


@pytest.mark.parametrize(
    ("second", "parent", "is_told"), [("5e551011-0001", None, True), ("5e551011-0001", "r1", False), ("", None, False)]
)
def test_sessions_that_share_a_file_are_told(
    tmp_path: Path, scribe: Scribe, second: str, parent: str | None, is_told: bool
) -> None:
    work(scribe)
    scribe.ask("u2", "Count the maps.", sessionId=second or scribe.session, parentUuid=parent)
    scribe.reply("a2", "msg_2", says("Two."), sessionId=second or scribe.session)
    problems = [str(problem) for problem in only(scribe.write(tmp_path / "x")).problems]
    assert problems == (
        ["it contains 2 sessions: each begins a context, and the last one is current"] if is_told else []
    )


def test_a_summary_that_another_session_begins_with_goes_on_from_the_first(tmp_path: Path, scribe: Scribe) -> None:
    work(scribe)
    scribe.session = "5e551011-0001"
    scribe.add("system", "b1", subtype="compact_boundary", parentUuid=None, logicalParentUuid="r1")
    scribe.ask("s1", "Two were counted.", isCompactSummary=True)
    assert not only(scribe.write(tmp_path / "x")).problems


def test_texts_that_the_program_attached_are_injected(tmp_path: Path, scribe: Scribe) -> None:
    work(scribe)
    attach(scribe, "x1", "edited_text_file", filename="/maps.py", snippet="1 two = 3")
    attach(scribe, "x2", "file", filename="/a.txt", content={"type": "text", "file": {"content": "letters"}})
    attach(scribe, "x3", "hook_additional_context", content=["Be quick.", "Be kind."])
    attach(scribe, "x4", "deferred_tools_delta", addedNames=["WebFetch"])
    attach(scribe, "x5", "file", filename="/b.png", content={"type": "image", "file": {"base64": "AA=="}})
    scribe.reply("a2", "msg_2", says("Noted."))
    session = only(scribe.write(tmp_path / "x"))
    assert texts(session)[3:] == ["/maps.py\n1 two = 3", "/a.txt\nletters", "Be quick.\n\nBe kind.", "Noted."]
    assert {message.kind for message in session.messages[3:6]} == {"injected"}
    assert [message.parent for message in session] == [-1, 0, 1, 2, 3, 4, 5]
    assert not session.problems


def test_attachments_between_parallel_results_change_no_way(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count both.")
    scribe.reply("a1", "msg_1", calls("t1"))
    scribe.reply("a2", "msg_1", calls("t2"))
    scribe.answer("r1", "t1", "first", parentUuid="a1")
    attach(scribe, "x1", "hook_additional_context", content="after first")
    scribe.answer("r2", "t2", "second", parentUuid="a2")
    attach(scribe, "x2", "hook_additional_context", content="after second")
    scribe.ask("u2", "Go on.", parentUuid="x1")
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Go on.")[2:] == ["first", "second", "after first", "after second", "Go on."]


def test_going_back_to_before_an_attachment(tmp_path: Path, scribe: Scribe) -> None:
    work(scribe)
    scribe.reply("a2", "msg_2", says("Two."))
    attach(scribe, "x1", "queued_command", prompt="The maps as well.", commandMode="prompt")
    scribe.reply("a3", "msg_3", says("Three."))
    scribe.ask("u2", "Only the letters.", parentUuid="a2")
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Only the letters.")[-2:] == ["Two.", "Only the letters."]


def test_attachments_give_no_names_to_agents(tmp_path: Path, scribe: Scribe) -> None:
    work(scribe)
    scribe.reply("a2", "msg_2", calls("t2", "Task", prompt="Dig.", subagent_type="Explore"))
    scribe.last, scribe.common = None, {"isSidechain": True, "agentId": "ag1"}
    attach(scribe, "x1", "hook_additional_context", content="Be quick.")
    scribe.ask("d1", "Dig.")
    scribe.reply("d2", "msg_d", says("Dug."))
    session = only(scribe.write(tmp_path / "x"))
    assert by_text(session, "Dug.").agent == by_text(session, "Be quick.").agent == "Explore-1"


def test_records_of_kinds_that_are_not_known_are_counted_and_named(tmp_path: Path, scribe: Scribe) -> None:
    work(scribe)
    scribe.add("brand-new", "n1", payload={})
    scribe.add("brand-new", "n2", payload={})
    scribe.add("queue-operation", "q1", operation="enqueue")
    for kind in ("cost-state", "continued-in", "relocated", "ended-by-model", "atis-latch"):
        scribe.add(kind, f"s-{kind}")
    for number in range(9):
        scribe.add(f"kind-{number}", f"k{number}")
    session = only(scribe.write(tmp_path / "x"))
    assert [problem.text for problem in session.problems] == [
        "11 records left out, of unknown kinds: brand-new, kind-0, kind-1, kind-2, kind-3, …"
    ]


@pytest.mark.parametrize(
    "attachment", [None, 7, "text", [], {"type": []}, {"type": "file", "content": {"file": [[[[1]]]]}}]
)
def test_odd_attachments_do_no_harm(tmp_path: Path, scribe: Scribe, attachment: Any) -> None:
    work(scribe)
    scribe.add("attachment", "x1", attachment=attachment)
    assert len(only(scribe.write(tmp_path / "x")).messages) == 3


def test_a_deep_attachment_is_no_trap(tmp_path: Path, scribe: Scribe) -> None:
    deep: Any = "text"
    for _ in range(200):
        deep = [deep]
    work(scribe)
    attach(scribe, "x1", "skill_listing", content=deep)
    assert load(scribe.write(tmp_path / "x"))


def test_a_file_that_goes_on_comes_to_the_same_at_any_moment(tmp_path: Path, scribe: Scribe) -> None:
    for number in range(SAMPLE_RECORDS):
        scribe.ask(f"u{number}", f"Count box {number}.")
    for number in range(3):
        scribe.reply(f"a{number}", f"msg_{number}", calls(f"c{number}"), calls(f"d{number}"))
        scribe.answer(f"r{number}", f"c{number}", "first", parentUuid=f"a{number}")
        attach(scribe, f"x{number}", "hook_additional_context", content="after first")
        scribe.answer(f"s{number}", f"d{number}", "second", parentUuid=f"a{number}")
        attach(scribe, f"y{number}", "queued_command", prompt="Quick.", commandMode="prompt")
        scribe.add("brand-new", f"n{number}")
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
