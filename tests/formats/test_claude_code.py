"""Claude Code transcripts: records of one message joined, results put behind their calls, notes left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.core.conversation import Text, Thinking, ToolCall, ToolResult, Usage
from inspector.formats import UnreadableError, load
from tests.formats.written import Scribe, calls, only, says, texts, write_json, write_lines


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def test_lines_of_one_api_message_become_one_message(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the files.")
    scribe.reply("a1", "msg_1", {"type": "thinking", "thinking": "Let me see.", "signature": "sig"})
    scribe.add("progress", "p1", data={"type": "hook_progress"})
    scribe.reply("a2", "msg_1", says("I will look."))
    scribe.reply("a3", "msg_1", calls("t1", path="/srv"))
    session = only(scribe.write(tmp_path / "x"))
    reply = session.messages[1]
    assert len(session.messages) == 2
    assert reply.id == "msg_1"
    assert reply.parts == (
        Thinking("Let me see.", "sig"),
        Text("I will look."),
        ToolCall("t1", "Read", '{"path":"/srv"}'),
    )
    assert reply.thinks
    assert [(call.id, call.name) for call in reply.calls] == [("t1", "Read")]
    assert reply.preview == 'I will look.  Read {"path":"/srv"}'
    assert reply.raw["role"] == "assistant" and set(reply.raw) == {"role", "content"}


def test_usage_of_one_message_is_taken_once_and_at_its_largest(tmp_path: Path, scribe: Scribe) -> None:
    lines = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    scribe.ask("u1", "Go.")
    scribe.reply("a1", "msg_1", says("One."), usage=lines | {"output_tokens": 1})
    scribe.reply("a2", "msg_1", says("Two."), usage=lines | {"output_tokens": 90})
    scribe.reply("a3", "msg_1", says("Three."), usage=lines | {"output_tokens": 2})
    assert only(scribe.write(tmp_path / "x")).messages[1].usage == Usage(123, 90, 100, 20)


def test_parallel_results_stand_behind_their_calls_each_as_a_message(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Read both.")
    scribe.reply("a1", "msg_1", calls("t1", "Read"))
    scribe.reply("a2", "msg_1", calls("t2", "Grep"))
    scribe.answer("r2", "t2", "second", parentUuid="a2")
    scribe.answer("r1", "t1", [says("first")], parentUuid="a1")
    scribe.reply("a3", "msg_2", says("Done."))
    session = only(scribe.write(tmp_path / "x"))
    assert [(m.role, m.name, m.answers, m.parent) for m in session.messages] == [
        ("user", "", None, -1),
        ("assistant", "", None, 0),
        ("tool", "Grep", "t2", 1),
        ("tool", "Read", "t1", 2),
        ("assistant", "", None, 3),
    ]


def test_results_between_the_lines_of_one_message_do_not_part_it(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Read both.")
    scribe.reply("a1", "msg_1", calls("t1"))
    scribe.answer("r1", "t1", "first")
    scribe.reply("a2", "msg_1", calls("t2"))
    scribe.answer("r2", "t2", "second")
    session = only(scribe.write(tmp_path / "x"))
    assert [m.id for m in session.messages] == ["u1", "msg_1", "r1", "r2"]
    assert len(session.messages[1].calls) == 2


def test_results_come_before_words_that_were_typed_in_between(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Read it.")
    scribe.reply("a1", "msg_1", calls("t1"))
    scribe.ask("u2", "And hurry.", parentUuid="a1")
    scribe.answer("r1", "t1", "the text", parentUuid="a1")
    session = only(scribe.write(tmp_path / "x"))
    assert texts(session) == ["Read it.", "Read({})", "the text", "And hurry."]
    assert [m.parent for m in session.messages] == [-1, 0, 1, 2]


def test_one_record_with_results_and_words_becomes_several_messages(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    scribe.reply("a1", "msg_1", calls("t1"), calls("t2"))
    both = [{"type": "tool_result", "tool_use_id": call, "content": call} for call in ("t1", "t2")]
    scribe.ask("u2", [*both, says("Stop now.")])
    session = only(scribe.write(tmp_path / "x"))
    assert [(m.id, m.role) for m in session.messages[2:]] == [("u2", "tool"), ("u2#2", "tool"), ("u2#3", "user")]
    assert session.messages[3].parts == (ToolResult("t2", (Text("t2"),)),)
    assert session.messages[4].text == "Stop now."
    assert [m.parent for m in session.messages] == [-1, 0, 1, 2, 3]


def test_errors_of_tools_are_told(tmp_path: Path, scribe: Scribe) -> None:
    scribe.reply("a1", "msg_1", calls("t1"))
    scribe.ask("r1", [{"type": "tool_result", "tool_use_id": "t1", "content": "no such file", "is_error": True}])
    assert only(scribe.write(tmp_path / "x")).messages[1].is_error


@pytest.mark.parametrize(
    ("text", "fields", "kind"),
    [
        ("Count.", {}, "chat"),
        ("Base folder: /srv", {"isMeta": True}, "injected"),
        ("<local-command-stdout>Goodbye!</local-command-stdout>", {}, "notice"),
        ([says("<local-command-stderr>no</local-command-stderr>")], {}, "notice"),
        ("<local-command-stdout>ok</local-command-stdout> What does this mean?", {}, "chat"),
        (
            "<local-command-stdout>a</local-command-stderr></local-command-stdout> <local-command-stderr>b"
            "</local-command-stderr>\n",
            {},
            "notice",
        ),
        ("<local-command-stdout>ok</local-command-stderr>", {}, "chat"),
        ("<local-command-stdout>x</local-command-stdout>" * 2_000, {}, "notice"),
        ("<local-command-stdout>x</local-command-stdout>" * 2_000 + "!", {}, "chat"),
        ("<command-name>/init</command-name>", {}, "chat"),
        ("This session is being continued.", {"isCompactSummary": True}, "summary"),
    ],
)
def test_kinds_of_user_records(
    tmp_path: Path, scribe: Scribe, text: object, fields: dict[str, bool], kind: str
) -> None:
    scribe.ask("u1", text, **fields)
    assert only(scribe.write(tmp_path / "x")).messages[0].kind == kind


def test_what_is_never_sent_is_a_notice(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    scribe.add("system", "s1", subtype="api_error", error={"status": 529}, retryAttempt=1, maxRetries=10)
    scribe.reply("a1", "id-1", says("API Error: overloaded"), isApiErrorMessage=True)
    scribe.reply("a2", "id-2", says("No response requested."), model="<synthetic>")
    scribe.reply("a3", "msg_1", says("Here."))
    session = only(scribe.write(tmp_path / "x"))
    assert [m.kind for m in session.messages] == ["chat", "notice", "notice", "injected", "chat"]
    assert session.messages[1].text == (
        "The model's API answered with an error (529) and was asked again: attempt 1 of 10"
    )
    assert session.turns() == (4,)
    assert session.model == "claude-x"


def test_what_hangs_beside_the_reply_that_a_resumed_session_begins_with_is_in_no_later_window(
    tmp_path: Path, scribe: Scribe
) -> None:
    scribe.ask("u1", "Go.")
    scribe.reply("a1", "msg_1", says("Gone."))
    scribe.ask("m1", "The next was a command.", isMeta=True)
    scribe.ask("e1", "<command-name>/exit</command-name>")
    scribe.ask("e2", "<local-command-stdout>Bye</local-command-stdout>")
    scribe.reply("s1", "id-1", says("No response requested."), model="<synthetic>", parentUuid="m1")
    scribe.ask("u2", "Once more.", parentUuid="s1")
    scribe.reply("a2", "msg_2", says("Again."))
    session = only(scribe.write(tmp_path / "x"))
    window = [session.messages[place].text for place in session.path_to(session.context_end(2))]
    assert window == ["Go.", "Gone.", "The next was a command.", "No response requested.", "Once more."]


def test_words_that_hang_from_a_hook_that_hangs_from_nothing_begin_a_new_context(
    tmp_path: Path, scribe: Scribe
) -> None:
    scribe.ask("u1", "Plan.")
    scribe.reply("a1", "msg_1", says("A plan."))
    scribe.add("progress", "p1", parentUuid=None, data={"type": "hook_progress"})
    scribe.ask("u2", "Carry the plan out.", parentUuid="p1")
    scribe.reply("a2", "msg_2", says("Done."))
    session = only(scribe.write(tmp_path / "x"))
    window = [session.messages[place].text for place in session.path_to(session.context_end(2))]
    assert window == ["Carry the plan out."]


def test_records_that_are_no_messages_are_left_out(tmp_path: Path, scribe: Scribe) -> None:
    scribe.add("file-history-snapshot", "f1", snapshot={})
    scribe.add("queue-operation", "q1", operation="enqueue", content="later")
    scribe.ask("u1", "Go.")
    scribe.add("system", "s1", subtype="turn_duration", durationMs=3)
    scribe.add("from-a-newer-version", "n1", message={"role": "user", "content": "not ours"})
    scribe.reply("a1", "msg_1", says("Gone."))
    session = only(scribe.write(tmp_path / "x"))
    assert texts(session) == ["Go.", "Gone."]
    [problem] = session.problems
    assert problem.line == 5 and "from-a-newer-version" in problem.text, "only what holds a message is told"


def test_what_a_transcript_does_not_record_is_known(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    session = only(scribe.write(tmp_path / "x"))
    assert not session.records_system
    assert (session.format, session.dialect, session.id) == ("claude-code", "anthropic", "5e551011-0000")


def test_a_message_keeps_what_its_record_says_around_it(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.", cwd="/srv/shop", toolUseResult={"stdout": "x"})
    message = only(scribe.write(tmp_path / "x")).messages[0]
    assert message.raw == {"role": "user", "content": "Go."}
    assert message.record["cwd"] == "/srv/shop"
    assert message.record["toolUseResult"] == {"stdout": "x"}
    assert message.time == "2026-03-01T10:00:00Z"


def test_repeated_records_of_a_resumed_session_are_read_once(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    scribe.reply("a1", "msg_1", says("One."))
    scribe.reply("a2", "msg_1", says("Two."))
    again = [record | {"sessionId": "5e551011-1111"} for record in scribe.records]
    scribe.records += again
    scribe.session = "5e551011-1111"
    scribe.ask("u2", "On.", parentUuid="a2")
    session = only(scribe.write(tmp_path / "x"))
    assert texts(session) == ["Go.", "One.\n\nTwo.", "On."]
    assert session.id == "5e551011-0000"
    assert only(scribe.write(tmp_path / "5e551011-1111.jsonl")).id == "5e551011-1111"


def test_other_words_under_a_known_uuid_are_kept_under_a_new_id(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "First.")
    scribe.ask("u1", "Second.")
    scribe.ask("u1", "Third.")
    assert [m.id for m in only(scribe.write(tmp_path / "x")).messages] == ["u1", "u1#2", "u1#3"]


def test_ids_that_are_missing_or_strange_are_replaced(tmp_path: Path) -> None:
    records = [
        {"type": "user", "sessionId": "s", "uuid": None, "message": {"role": "user", "content": "a"}},
        {"type": "user", "sessionId": 7, "uuid": 3, "message": {"role": "user", "content": "b"}},
        {"type": "assistant", "uuid": "a1", "message": {"id": 5, "role": "assistant", "content": "c"}},
        {"type": "assistant", "uuid": "a2", "message": {"id": None, "role": "assistant", "content": "d"}},
    ]
    session = only(write_lines(tmp_path / "x", records))
    assert [m.id for m in session.messages] == ["line-1", "line-2", "a1", "a2"]
    assert texts(session) == ["a", "b", "c", "d"]


def test_odd_records_become_problems_with_their_lines(tmp_path: Path) -> None:
    records = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "Go."}},
        "a string",
        42,
        [1],
        {"no": "type"},
        {"type": "user", "uuid": "u2", "message": "not an object"},
        {"type": "assistant", "uuid": "a1"},
        {"type": "user", "uuid": "u3", "message": {"role": "user"}},
        {"type": "user", "uuid": "u4", "message": {"role": "user", "content": ["bare", 5, None, {"type": 3}]}},
    ]
    session = only(write_lines(tmp_path / "x", records))
    assert [problem.line for problem in session.problems] == [None, 2, 3, 4, 5, 6, 7]
    assert [m.id for m in session.messages] == ["u1", "u3", "u4"]
    assert session.messages[2].text.startswith("bare")


def test_a_line_that_breaks_off_is_a_problem_and_the_rest_is_read(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    scribe.reply("a1", "msg_1", says("Going."))
    path = scribe.write(tmp_path / "x")
    path.write_bytes(path.read_bytes()[:-20])
    session = only(path)
    assert texts(session) == ["Go."]
    assert [str(problem) for problem in session.problems] == ["line 2: this line was left out: it is cut off"]


def test_problems_are_kept_up_to_fifty_and_counted_beyond(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    session = only(write_lines(tmp_path / "x", [*scribe.records, *[{"type": "user", "uuid": "u2"}] * 70]))
    assert len(session.problems) == 51
    assert session.problems[-1].text == "20 more problems were found in this file"


def test_a_file_without_messages_is_an_empty_session(tmp_path: Path) -> None:
    records = [
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False},
        {"type": "summary", "summary": "Mending the fence", "leafUuid": "elsewhere"},
    ]
    path = write_lines(tmp_path / "x", records)
    session = only(path)
    assert session.messages == ()
    assert session.title == "Mending the fence"
    assert session.id == only(path).id and len(session.id) == 12


def test_commands_that_the_program_carried_out_are_no_title(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "<command-name>/clear</command-name>\n<command-message>clear</command-message>")
    assert only(scribe.write(tmp_path / "x")).title == "/clear"
    scribe.ask("u2", "<command-name>/model</command-name>\n<command-args>large</command-args>")
    scribe.ask("u3", "<local-command-stdout>Set to large</local-command-stdout>")
    scribe.ask("u4", "<command-message>plan</command-message>\n<command-name>/plan</command-name>")
    assert only(scribe.write(tmp_path / "x")).title == "/plan"


def test_titles_are_given_or_the_first_words(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask(
        "u1", "<system-reminder>Be brief.</system-reminder>\n<command-message>run</command-message>", isMeta=True
    )
    scribe.ask(
        "u2", [says("<system-reminder>Note.</system-reminder>"), says("<command-name>/plan</command-name>\nthe\nfence")]
    )
    scribe.reply("a1", "msg_1", says("Yes."))
    assert only(scribe.write(tmp_path / "x")).title == "/plan the fence"
    scribe.records.append({"type": "summary", "summary": "Of another file", "leafUuid": "elsewhere"})
    assert only(scribe.write(tmp_path / "x")).title == "/plan the fence"
    scribe.records.append({"type": "summary", "summary": "The fence, planned", "leafUuid": "a1"})
    assert only(scribe.write(tmp_path / "x")).title == "The fence, planned"
    scribe.records.append({"type": "custom-title", "customTitle": "Old name", "sessionId": "s"})
    scribe.records.append({"type": "custom-title", "customTitle": "Fence", "sessionId": "s"})
    assert only(scribe.write(tmp_path / "x")).title == "Fence"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<ide_file>a</ide_file>Mend<ide_file>b</ide_text>c</ide_file> it.", "Mend it."),
        ("<ide_file>Mend</ide_text> it.", "Mend it."),
        ("<ide_a>x<ide_b>y</ide_a>Mend</ide_b> it.", "Mend it."),
        ("</ide_a>Mend<ide_a> it.", "Mend it."),
    ],
)
def test_what_a_program_put_beside_the_words_is_no_title(tmp_path: Path, scribe: Scribe, text: str, title: str) -> None:
    scribe.ask("u1", text)
    assert only(scribe.write(tmp_path / "x")).title == title


def test_a_long_title_is_cut_between_words(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "please " * 40)
    title = only(scribe.write(tmp_path / "x")).title
    assert len(title) <= 120 and title.endswith("please…")


def test_text_stays_in_the_file(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Read " + "x" * 5000)
    path = scribe.write(tmp_path / "x")
    message = only(path).messages[0]
    assert message.chars == 5005
    assert len(message.preview) == 160
    assert message.text == "Read " + "x" * 5000


def test_a_file_that_changed_meanwhile_says_so_in_place_of_the_text(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "First.")
    scribe.ask("u2", "Second.")
    path = scribe.write(tmp_path / "x")
    session = only(path)
    path.write_text(path.read_text()[7:])
    gone = f"[This message cannot be read any more: {path} has changed since it was opened.]"
    assert texts(session) == [gone, gone]
    scribe.records.reverse()
    scribe.write(path)
    assert texts(session) == [gone, gone]
    path.unlink()
    assert session.messages[0].text == gone
    assert session.messages[0].record == {}


def test_a_growing_file_leaves_what_was_read_readable(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "First.")
    path = scribe.write(tmp_path / "x")
    session = only(path)
    scribe.reply("a1", "msg_1", says("More."))
    scribe.write(path)
    assert texts(session) == ["First."]


def test_a_transcript_saved_as_one_json_list_reads_the_same(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    scribe.reply("a1", "msg_1", says("One."))
    scribe.reply("a2", "msg_1", calls("t1"))
    scribe.answer("r1", "t1", "ok")
    lines, whole = only(scribe.write(tmp_path / "x")), only(write_json(tmp_path / "y", scribe.records))
    assert [(m.id, m.parent, m.raw, m.record) for m in whole] == [(m.id, m.parent, m.raw, m.record) for m in lines]


def test_a_single_record_is_a_transcript_too(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    assert texts(only(scribe.write(tmp_path / "x"))) == ["Go."]


def test_progress_runs_up_to_the_end(tmp_path: Path, scribe: Scribe) -> None:
    for number in range(300):
        scribe.ask(f"u{number}", "x" * 10_000)
    records: list[tuple[int, int]] = []
    path = scribe.write(tmp_path / "x")
    load(path, lambda done, total: records.append((done, total)))
    assert records[-1] == (path.stat().st_size,) * 2
    assert [done for done, _ in records] == sorted(done for done, _ in records)
    assert len(records) >= 3


def test_a_line_of_ten_megabytes(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "x" * 10_000_000)
    scribe.ask("u2", "Go.")
    session = only(scribe.write(tmp_path / "x"))
    assert [m.chars for m in session] == [10_000_000, 3]


def test_a_file_with_the_right_words_but_no_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(json.dumps({"type": "user"}) + "\n" + json.dumps({"type": "assistant"}) + "\n")
    with pytest.raises(UnreadableError, match="not a supported format"):
        load(path)


def test_results_that_were_cleared_without_a_summary_are_told(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.ask("u1", "Look.")
    facts = {"compactedToolIds": ["t1", "t2"], "tokensSaved": 12345}
    scribe.add("system", "m1", subtype="microcompact_boundary", content="Cleared", microcompactMetadata=facts)
    scribe.ask("u2", "Go on.")
    session = only(scribe.write(tmp_path / "x"))
    notice = session.messages[1]
    assert (notice.kind, notice.text) == (
        "notice",
        "The results of 2 older calls were cleared from the window here, which saved 12,345 tokens",
    )
    assert session.messages[2].parent == 1


def test_records_that_are_no_transcripts_speak_against_it(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the files.")
    path = scribe.write(tmp_path / "x")
    own = path.read_text()
    path.write_text(own + '{"type": "brand-new", "sessionId": "s1"}\n' * 9)
    assert not any("could be read as" in str(problem) for problem in only(path).problems)
    path.write_text(own * 4 + '{"type": "metric", "value": 1}\n' * 2)
    assert "only 67% of the 6 records could be read as Claude Code transcripts" in map(str, only(path).problems)
    path.write_text(own + '{"type": "metric", "value": 1}\n' * 9)
    with pytest.raises(UnreadableError, match="9 of its 10 records are not in this format; the first is line 2"):
        load(path)


def test_prose_behind_records_is_weighed_by_its_length(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the files.")
    path = scribe.write(tmp_path / "x")
    own = path.read_text()
    path.write_text(own + "# Notes\n\n" + "words and words. " * 99)
    with pytest.raises(UnreadableError, match="of it is on lines that are not JSON; the first is line 2"):
        load(path)
    path.write_text(own * 4 + "words " * 40)
    assert len(only(path).messages) == 1
    for broken in (own[:-9], f"{'x' * 2_000}{own[-20:]}", own.replace("Count", "x" * 2_000)[:-9]):
        path.write_text(own + broken)  # a record that was cut at one end is no prose
        assert len(only(path).problems) == 1
