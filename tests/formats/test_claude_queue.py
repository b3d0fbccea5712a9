"""What users type while Claude Code works: when it is sent, and that no words are read twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.engine.work_state import WorkHistory
from inspector.library.tailing import FollowedFile
from tests.formats.written import Record, Scribe, by_text, calls, only, path_texts, says, texts, write_lines
from tests.library.tailing.growing import assert_same, read_whole, session_of

WORDS = "Keep the old labels, and never touch the maps table."


def queue(scribe: Scribe, operation: Any, **fields: Any) -> None:
    record: Record = {"type": "queue-operation", "operation": operation, "sessionId": scribe.session}
    scribe.records.append(record | {"timestamp": f"2026-03-01T10:{len(scribe.records):02}:00Z"} | fields)


def attach(scribe: Scribe, uuid: str, prompt: Any) -> None:
    scribe.add("attachment", uuid, attachment={"type": "queued_command", "prompt": prompt, "commandMode": "prompt"})


@pytest.fixture
def scribe() -> Scribe:
    """A session whose agent calls a tool."""
    scribe = Scribe()
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", calls("t1"))
    return scribe


def go_on(scribe: Scribe, path: Path) -> list[str]:
    """Let the tool answer and the agent reply. Return the context of the reply."""
    scribe.answer("r1", "t1", "two scans")
    scribe.reply("a2", "msg_2", says("Both counted."))
    return path_texts(only(scribe.write(path)), "Both counted.")


@pytest.mark.parametrize("reason", [{}, {"reason": "absorbed_mid_turn"}])
def test_queued_words_are_the_users_where_the_next_call_sends_them(
    tmp_path: Path, scribe: Scribe, reason: Record
) -> None:
    queue(scribe, "enqueue", content=WORDS)
    queue(scribe, "remove", **reason)
    assert go_on(scribe, tmp_path / "x")[2:] == ["two scans", WORDS, "Both counted."]
    session = only(tmp_path / "x")
    message = by_text(session, WORDS)
    assert (message.role, message.kind, message.time) == ("user", "chat", "2026-03-01T10:04:00Z")
    assert message.record["operation"] == "enqueue"
    state = WorkHistory(session).at_turn()
    assert state.text("request", "latest") == WORDS
    assert [item.text for item in state.of("rule")] == [WORDS]


def test_words_follow_all_results_of_a_reply_whose_lines_they_are_between(tmp_path: Path, scribe: Scribe) -> None:
    queue(scribe, "enqueue", content=WORDS)
    queue(scribe, "remove")
    scribe.reply("a1b", "msg_1", calls("t2"))
    scribe.answer("r2", "t2", "three maps")
    context = go_on(scribe, tmp_path / "x")
    assert sorted(context[2:4]) == ["three maps", "two scans"]
    assert context[4:] == [WORDS, "Both counted."]


@pytest.mark.parametrize("attached_at", ["before", "after"])
def test_words_that_an_attachment_repeats_are_read_once(tmp_path: Path, scribe: Scribe, attached_at: str) -> None:
    queue(scribe, "enqueue", content=WORDS)
    scribe.answer("r1", "t1", "two scans")
    if attached_at == "before":
        attach(scribe, "x1", WORDS)
    queue(scribe, "remove")
    if attached_at == "after":
        attach(scribe, "x1", [says(WORDS)])
    scribe.reply("a2", "msg_2", says("Both counted."))
    session = only(scribe.write(tmp_path / "x"))
    assert texts(session).count(WORDS) == 1
    assert by_text(session, WORDS).record["type"] == "attachment"


def test_words_that_begin_the_next_turn_are_read_once(tmp_path: Path, scribe: Scribe) -> None:
    queue(scribe, "enqueue", content=WORDS)
    go_on(scribe, tmp_path / "x")
    queue(scribe, "dequeue")
    scribe.ask("u2", WORDS)
    queue(scribe, "remove")
    scribe.reply("a3", "msg_3", says("They stay."))
    assert texts(only(scribe.write(tmp_path / "x"))).count(WORDS) == 1


def test_words_that_the_user_took_back_were_never_sent(tmp_path: Path, scribe: Scribe) -> None:
    queue(scribe, "enqueue", content=WORDS)
    queue(scribe, "popAll", content=WORDS)
    queue(scribe, "remove")
    assert WORDS not in go_on(scribe, tmp_path / "x")


@pytest.mark.parametrize(
    ("content", "reason"), [("/theme dark", ""), ('{"task_id":"b1","task_type":"local_bash"}', ""), (WORDS, "deleted")]
)
def test_commands_notes_of_tasks_and_deleted_words_were_not_sent(
    tmp_path: Path, scribe: Scribe, content: str, reason: str
) -> None:
    queue(scribe, "enqueue", content=content)
    queue(scribe, "remove", reason=reason)
    assert len(go_on(scribe, tmp_path / "x")) == 4


def test_a_record_that_states_its_words_removes_these(tmp_path: Path, scribe: Scribe) -> None:
    queue(scribe, "enqueue", content="Later: the letters.")
    queue(scribe, "enqueue", content=WORDS)
    queue(scribe, "remove", content=WORDS)
    assert go_on(scribe, tmp_path / "x")[3:] == [WORDS, "Both counted."]
    queue(scribe, "dequeue")
    scribe.ask("u2", "Later: the letters.")
    assert texts(only(scribe.write(tmp_path / "x"))).count("Later: the letters.") == 1


def test_notices_of_the_program_end_a_task_and_are_not_the_users_words(tmp_path: Path, scribe: Scribe) -> None:
    notice = "<agent-notification>\n<agent-id>a7</agent-id>\n<status>completed</status>\n</agent-notification>"
    queue(scribe, "enqueue", content=notice)
    queue(scribe, "remove")
    go_on(scribe, tmp_path / "x")
    assert by_text(only(tmp_path / "x"), notice).kind == "injected"


def test_words_that_a_compaction_follows_precede_it(tmp_path: Path, scribe: Scribe) -> None:
    queue(scribe, "enqueue", content=WORDS)
    queue(scribe, "remove")
    scribe.answer("r1", "t1", "two scans")
    scribe.add("system", "b1", subtype="compact_boundary", content="Compacted", parentUuid=None)
    scribe.ask("s1", "The user asked to keep the labels.", isCompactSummary=True)
    scribe.reply("a2", "msg_2", says("They stay."))
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, WORDS)[-2:] == ["two scans", WORDS]
    assert path_texts(session, "They stay.") == ["The user asked to keep the labels.", "They stay."]


def test_an_image_that_was_queued_is_sent_with_its_words(tmp_path: Path, scribe: Scribe) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "no result"}
    queue(scribe, "enqueue", content=[says(WORDS), image, result, "odd", None])
    queue(scribe, "remove")
    go_on(scribe, tmp_path / "x")
    [message] = [message for message in only(tmp_path / "x").messages if message.images]
    assert message.text.startswith(WORDS) and message.role == "user"


def test_records_that_are_damaged_or_unbalanced_change_nothing(tmp_path: Path, scribe: Scribe) -> None:
    for operation in ("remove", "remove", "dequeue", "popAll", "odd", None, 7, ["enqueue"]):
        queue(scribe, operation)
    for content in (None, 7, {"text": WORDS}, [[says(WORDS)]], "", "  \n", [None]):
        queue(scribe, "enqueue", content=content)
        queue(scribe, "remove", content=content)
    queue(scribe, "enqueue", content=WORDS)
    assert len(go_on(scribe, tmp_path / "x")) == 4


def test_queued_words_appear_in_a_session_that_grows(tmp_path: Path, scribe: Scribe) -> None:
    queue(scribe, "enqueue", content=WORDS)
    queue(scribe, "remove")
    scribe.answer("r1", "t1", "two scans")
    scribe.reply("a2", "msg_2", says("Both counted."))
    path = write_lines(tmp_path / "x.jsonl", scribe.records[:3])
    source = FollowedFile(path)
    session_of(source)
    for record in scribe.records[3:]:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        if (growth := source.poll()) is not None:
            assert_same(growth.session, read_whole(path))
    assert WORDS in texts(read_whole(path))
