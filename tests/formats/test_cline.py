"""Tasks of Cline and Roo Code: a folder of files that tell of each other, and contexts that lose their middle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Usage
from inspector.formats import files_of, find, load
from inspector.library import found_entries
from tests.formats.written import Record, only, texts, write_json

TASK = "1767323045000"
DETAILS = (
    "<environment_details>\n# Context Window Usage\n45,231 / 200K tokens used (23%)\n\n# Current Mode\n"
    "<slug>code</slug>\n<model>anthropic/claude-sonnet-4</model>\n</environment_details>"
)


def said(role: str, text: str, **fields: Any) -> Record:
    return {"role": role, "content": [{"type": "text", "text": text}], **fields}


def request(index: int | None, ts: int, **numbers: Any) -> Record:
    """What is shown of a request: with the place of the newest message, or with its time alone."""
    entry = {"ts": ts, "type": "say", "say": "api_req_started", "text": json.dumps({"request": "…", **numbers})}
    return entry if index is None else entry | {"conversationHistoryIndex": index}


def shown(kind: str, ts: int, text: str = "", **fields: Any) -> Record:
    return {"ts": ts, "type": "say", "say": kind, "text": text, **fields}


def task_folder(tmp_path: Path, history: list[Record], seen: list[Record], **metadata: Any) -> Path:
    """The folder of a task; gives the file with the messages."""
    folder = tmp_path / TASK
    folder.mkdir(parents=True)
    write_json(folder / "ui_messages.json", seen)
    write_json(folder / "task_metadata.json", metadata)
    return write_json(folder / "api_conversation_history.json", history)


LONG = [
    said("user", "<task>\nCount the gulls.\n</task>", ts=10),
    said("assistant", "At the pier?", ts=20),
    {"role": "user", "content": [{"type": "text", "text": "Yes."}, {"type": "text", "text": DETAILS}], "ts": 30},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}], "ts": 40},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "Fog."}], "ts": 50},
    said("assistant", "Seven.", ts=60),
]
SEEN = [
    shown("task", 5, "Count the gulls."),
    request(-1, 11, tokensIn=5, tokensOut=2, cacheReads=90, cacheWrites=5, cost=0.25),
    request(1, 31, tokensIn=100, tokensOut=3),
    request(3, 51, cancelReason="streaming_failed"),
    request(3, 52, tokensIn=60, tokensOut=4),
    shown("text", 55, "Sev", conversationHistoryIndex=4, conversationHistoryDeletedRange=[1, 3]),
]
MODELS = [{"ts": 1, "model_id": "m-1"}, {"ts": 45, "model_id": "m-2"}]


def test_a_task_is_read_with_what_stands_beside_it(tmp_path: Path) -> None:
    path = task_folder(tmp_path, LONG, SEEN, model_usage=MODELS)
    write_json(path.with_name("context_history.json"), [])
    session = only(path)
    replies = [session.messages[place] for place in session.turns()]
    assert [message.usage for message in replies] == [Usage(100, 2, 90, 5), Usage(100, 3, 0, 0), Usage(60, 4, 0, 0)]
    assert [message.model for message in replies] == ["m-1", "m-1", "m-2"]
    assert replies[0].record["request"]["cost"] == 0.25
    assert (session.id, session.title, session.model, session.problems) == (TASK, "Count the gulls.", "m-2", ())
    assert session.sizes and session.sizes.limit == 200_000
    assert find(tmp_path) == [path]
    assert [file.name for file in files_of(path)[1:]] == [
        "ui_messages.json",
        "task_metadata.json",
        "context_history.json",
    ]
    again = only(path.with_name("ui_messages.json"))
    assert (texts(again), again.id, again.model) == (texts(session), session.id, session.model)


def test_a_range_that_was_taken_out_is_a_compaction(tmp_path: Path) -> None:
    """The reply that came next saw the first message and the newest; a result without its call was not sent."""
    history = [*LONG[:5], said("user", "Well?", ts=55), LONG[5]]
    seen = [*SEEN[:5], SEEN[5] | {"conversationHistoryIndex": 5}]
    session = only(task_folder(tmp_path, history, seen))
    assert len(session.compactions) == 1
    last = session.turns()[-1]
    context = [session.messages[place].text for place in session.path_to(last)]
    mark, *others = context
    assert "messages 2 to 4" in mark
    assert others == ["<task>\nCount the gulls.\n</task>", "Well?", "Seven."]
    assert len(session.turns()) == 3, "a copy of a reply is no reply"


def test_a_summary_of_roo_code_leaves_the_newest_messages_in_place(tmp_path: Path) -> None:
    history = [
        said("user", "<task>\nCount.\n</task>", ts=10),
        said("assistant", "One.", ts=20, condenseParent="k"),
        said("user", DETAILS, ts=30, condenseParent="k"),
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "text": "Short."}, {"type": "text", "text": "One was said."}],
            "ts": 39,
            "isSummary": True,
            "condenseId": "k",
        },
        said("assistant", "Two.", ts=40),
        said("user", "On.", ts=50),
        said("assistant", "Three.", ts=60),
    ]
    seen = [
        request(None, 15, apiProtocol="anthropic", tokensIn=100, tokensOut=1, cacheReads=90, cacheWrites=5),
        request(None, 35, apiProtocol="openai", tokensIn=110, tokensOut=1),
        shown("condense_context", 55, contextCondense={"summary": "One was said."}),
        request(None, 56, apiProtocol="openai", tokensIn=50, tokensOut=1),
    ]
    session = only(task_folder(tmp_path, history, seen))
    one, two, three = (session.messages[place] for place in session.turns())
    assert [one.usage, two.usage, three.usage] == [Usage(100, 1, 90, 5), Usage(110, 1, 0, 0), Usage(50, 1, 0, 0)]
    assert three.model == session.model == "anthropic/claude-sonnet-4"

    def context(message: Any) -> list[str]:
        return [session.messages[at].text for at in session.path_to(session.messages.index(message))]

    assert context(two) == ["<task>\nCount.\n</task>", "One.", DETAILS, "Two."]
    assert context(three) == ["Short.\n\nOne was said.", "<task>\nCount.\n</task>", "Two.", "On.", "Three."]


def test_a_mark_of_roo_code_hides_messages_without_a_summary(tmp_path: Path) -> None:
    history = [
        said("user", "Count.", ts=10),
        said("user", "(3 messages hidden)", ts=15, isTruncationMarker=True, truncationId="t"),
        said("assistant", "One.", ts=20, truncationParent="t"),
        said("user", "On.", ts=30, truncationParent="t"),
        said("assistant", "Two.", ts=40),
        said("user", "On!", ts=50),
        said("assistant", "Three.", ts=60),
    ]
    session = only(task_folder(tmp_path, history, [shown("sliding_window_truncation", 45)]))
    assert [session.messages[at].text for at in session.path_to(session.turns()[-1])] == [
        *("(3 messages hidden)", "Count.", "Two.", "On!", "Three.")
    ]


def test_a_summary_stands_before_the_mark_of_a_later_truncation(tmp_path: Path) -> None:
    history = [
        said("user", "Count.", ts=10, condenseParent="k"),
        said("assistant", "One.", ts=20, condenseParent="k"),
        said("user", "One was said.", ts=21, isSummary=True, condenseId="k"),
        said("user", "On.", ts=30, truncationParent="t"),
        said("assistant", "Two.", ts=40, truncationParent="t"),
        said("user", "(2 messages hidden)", ts=45, isTruncationMarker=True, truncationId="t"),
        said("user", "On!", ts=50),
        said("assistant", "Three.", ts=60),
    ]
    session = only(task_folder(tmp_path, history, []))
    context = [session.messages[at] for at in session.path_to(session.turns()[-1])]
    assert [(message.text, message.kind) for message in context] == [
        ("One was said.", "summary"),
        ("(2 messages hidden)", "summary"),
        ("On!", "chat"),
        ("Three.", "chat"),
    ]
    assert [session.messages[at].text for at in session.compactions] == ["One was said.", "(2 messages hidden)"]


def test_a_note_in_the_place_of_words_is_sent_from_its_time_on(tmp_path: Path) -> None:
    """Cline takes out what a file held where it was read again: the replies before were sent the whole of it."""
    path = task_folder(tmp_path, LONG, SEEN[:-1])
    change = [53, "text", ["(read again later)"], []]
    damaged: list[Any] = [7, [3, [0, []]], [2, [1, [[0, [[1, "other"]]], [9, [change]]]]], [99, [1, [[0, [change]]]]]]
    write_json(path.with_name("context_history.json"), [[2, [1, [[0, [change]]]]], *damaged])
    session = only(path)
    contexts = [[session.messages[at] for at in session.path_to(end)] for end in session.turns()]
    assert [message.text for message in contexts[1]][2] == f"Yes.\n\n{DETAILS}"
    first, reply, edited, call, result, last = contexts[2]
    assert [first.text, reply.text] == ["<task>\nCount the gulls.\n</task>", "At the pier?"]
    assert edited.text == f"(read again later)\n\n{DETAILS}"
    assert call.calls[0].id == result.answers == "c1"
    assert last.text == "Seven."
    assert not session.compactions
    assert len(session.turns()) == 3


def test_a_compaction_leaves_a_note_in_its_place(tmp_path: Path) -> None:
    path = task_folder(tmp_path, LONG, [*SEEN[:5], SEEN[5] | {"conversationHistoryDeletedRange": [3, 4]}])
    write_json(path.with_name("context_history.json"), [[2, [1, [[0, [[53, "text", ["(read again later)"], []]]]]]]])
    session = only(path)
    context = [session.messages[at].text for at in session.path_to(session.turns()[-1])]
    assert f"(read again later)\n\n{DETAILS}" in context
    assert not any(text.startswith("Yes.") for text in context)


def test_a_task_in_one_file_has_its_system_prompt_and_the_numbers_of_each_reply(tmp_path: Path) -> None:
    metrics = {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 80, "cacheWriteTokens": 10, "cost": 0.1}
    own = {"modelInfo": {"id": "claude-x", "provider": "anthropic"}, "metrics": metrics}
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"at": "pier"}}
    answer = {
        "type": "tool-result",
        "toolCallId": "c1",
        "toolName": "look",
        "output": {"type": "text", "value": "Fog."},
    }
    value = {
        "version": 1,
        "sessionId": "s1",
        "systemPrompt": "Be brief.",
        "messages": [
            said("user", "Count."),
            {"role": "assistant", "content": [call], "ts": 1, **own},
            {"role": "tool", "content": [answer]},
            said("assistant", "None.", ts=2, modelInfo={"id": "m-2", "provider": "x"}, metrics=metrics),
        ],
    }
    session = only(write_json(tmp_path / "s1.messages.json", value))
    assert [message.role for message in session] == ["system", "user", "assistant", "tool", "assistant"]
    assert session.messages[3].name == "look"
    assert [session.messages[place].usage for place in session.turns()] == [Usage(100, 2, 80, 10)] * 2
    assert (session.id, session.format, session.model) == ("s1", "cline", "m-2")


def test_what_was_shown_is_read_alone_where_the_messages_are_gone(tmp_path: Path) -> None:
    seen = [
        shown("text", 1, "Count the gulls."),
        request(-1, 2, tokensIn=9, tokensOut=3),
        shown("reasoning", 3, "Where?"),
        {"ts": 4, "type": "ask", "ask": "followup", "text": json.dumps({"question": "At the pier?"})},
        shown("user_feedback", 5, "Yes."),
        shown("checkpoint_created", 6, "x"),
        shown("text", 7, "Hal", partial=True),
    ]
    session = only(write_json(tmp_path / "ui_messages.json", seen))
    assert texts(session) == ["Count the gulls.", "Where?", "At the pier?", "Yes."]
    assert session.messages[1].thinks and session.messages[1].usage == Usage(9, 3, 0, 0)
    assert "api_conversation_history.json" in str(session.problems[0])


def test_a_file_made_of_compactions_alone_does_not_fill_the_memory(tmp_path: Path) -> None:
    history = [said("user", f"{number}", ts=number) for number in range(400)]
    ranges = [
        shown("text", 1, conversationHistoryIndex=399, conversationHistoryDeletedRange=[1, last])
        for _ in range(200)
        for last in (1, 2)
    ]
    session = only(task_folder(tmp_path, history, ranges))
    assert len(session.messages) < 101_000


def test_tasks_are_found_in_the_folders_of_editors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "cline"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    extensions = tmp_path / "config" / "Code" / "User" / "globalStorage"
    path = task_folder(extensions / "rooveterinaryinc.roo-cline" / "tasks", LONG, SEEN)
    own = tmp_path / "cline" / "data" / "sessions" / "s1" / "s1.messages.json"
    own.parent.mkdir(parents=True)
    write_json(own, {"version": 1, "sessionId": "s1", "messages": LONG})
    entries = {entry.path: (entry.title, entry.format) for entry in found_entries({"cline"})}
    assert entries == {str(path): ("Count the gulls.", "cline"), str(own): ("Count the gulls.", "cline")}
    assert {load(target)[0].format for target in entries} == {"cline"}


PIER = [
    said("user", "Walk to the pier and count.", id="a", ts=1),
    said("assistant", "Nine gulls.", id="b", ts=2),
    said("user", "And terns? " + "They are white. " * 9, id="c", ts=3),
    said("assistant", "Two terns.", id="d", ts=4),
    said("user", "Write it down.", id="e", ts=5),
    said("assistant", "Written.", id="f", ts=6),
]
SUMMARY = {
    "role": "user",
    "content": "Context summary:\n\nNine gulls.",
    "metadata": {"kind": "compaction_summary", "generatedAt": 4},
}


def sdk_session(folder: Path, compacted: list[Record], **fields: Any) -> Path:
    """A session of the Cline SDK with its newest compaction; gives the file with the messages."""
    write_json(folder / "s9.compaction.json", {"version": 1, "messages": compacted, **fields})
    head = {"version": 1, "sessionId": "s9", "system_prompt": "Count birds."}
    return write_json(folder / "s9.messages.json", {**head, "messages": PIER})


def test_a_compaction_of_the_sdk_is_read_with_the_messages_that_it_replaces(tmp_path: Path) -> None:
    """The compaction has no times, and the messages that follow it are only in the other file."""
    path = sdk_session(tmp_path, [SUMMARY, PIER[3]], source_message_count=4)
    session = only(path)
    (summary,) = session.compactions
    assert session.messages[summary].text == "Context summary:\n\nNine gulls."
    last = session.turns()[-1]
    context = [session.messages[place].text for place in session.path_to(last)]
    assert context == [SUMMARY["content"], "Count birds.", "Two terns.", "Write it down.", "Written."]
    assert len(session.turns()) == 3
    assert find(tmp_path) == [path]
    assert files_of(path) == [path, path.with_name("s9.compaction.json")]
    again = only(path.with_name("s9.compaction.json"))
    assert (texts(again), again.id, again.title) == (texts(session), session.id, session.title)


def test_a_compaction_of_the_sdk_may_shorten_messages_without_a_summary(tmp_path: Path) -> None:
    short = PIER[2] | said("user", "And terns? They are white. …")
    session = only(sdk_session(tmp_path, [short, PIER[3]], source_message_count=4))
    last = session.turns()[-1]
    context = [session.messages[place].text for place in session.path_to(last)]
    assert context[-4:] == ["And terns? They are white. …", "Two terns.", "Write it down.", "Written."]
    (note,) = session.compactions
    assert session.messages[note].text == "(2 messages of the conversation were removed here, and 1 shortened)"


def test_a_compaction_of_other_messages_changes_nothing_and_is_named(tmp_path: Path) -> None:
    session = only(sdk_session(tmp_path, [SUMMARY], source_message_count=40))
    assert not session.compactions
    assert "it replaces 40 messages, of which 6 are recorded" in str(session.problems[0])


def test_a_compaction_of_the_sdk_alone_begins_with_its_summary(tmp_path: Path) -> None:
    path = sdk_session(tmp_path, [SUMMARY, *PIER[3:5]], source_message_count=5)
    path.unlink()
    session = only(path.with_name("s9.compaction.json"))
    assert [message.kind for message in session] == ["summary", "chat", "chat"]
    assert "*.messages.json" in str(session.problems[0])
