"""What newer Codex rollouts record: who speaks, tools, the usage of each response, other agents, steps that failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Usage
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from tests.formats.test_codex import CALL, META, RESULT, TURN, item, record, reported, rollout, said
from tests.formats.written import texts, write_lines
from tests.library.tailing.growing import assert_same, read_whole, session_of

TOOL = {"type": "function", "name": "open_box", "description": "Opens a box.", "parameters": {"type": "object"}}
CUSTOM = {"type": "custom", "name": "exec", "description": "Runs a script."}
BOXES = {"type": "namespace", "name": "boxes", "tools": [TOOL]}
LETTER = {"author": "/root/scout", "recipient": "/root", "content": "Box 3 is empty.", "trigger_turn": True}


def noted(text: str, *kinds: Any) -> dict[str, Any]:
    """What somebody says in the user's name, with what the program notes of each block."""
    blocks = [{"type": "input_text", "text": text} for _ in kinds]
    notes = {"turn_id": "t1", "content_item_kinds": list(kinds)}
    return item("message", role="user", content=blocks, internal_chat_message_metadata_passthrough=notes)


@pytest.mark.parametrize("at", [0, 1], ids=["before the reply", "behind it"])
def test_tools_and_settings_are_no_replies(tmp_path: Path, at: int) -> None:
    records = [said("user", "Count."), said("assistant", "Three.")]
    records[at:at] = [
        item("additional_tools", role="developer", tools=[TOOL, CUSTOM, BOXES, "odd"]),
        item("configuration_update", reasoning={"effort": "high"}),
    ]
    session = rollout(tmp_path, TURN, *records, item("additional_tools", tools=[TOOL | {"description": "Opens."}]))
    assert texts(session) == ["Count.", "Three."] and len(session.turns()) == 1
    assert [tool["type"] for tool in session.tools] == ["function", "custom", "namespace"]
    assert session.tools[0]["function"] == {name: TOOL[name] for name in ("name", "parameters")} | {
        "description": "Opens."
    }
    assert not session.problems


def test_tools_are_those_of_a_request_also_while_a_rollout_goes_on(tmp_path: Path) -> None:
    records = [META, TURN, *(said("user", f"Count box {number}.") for number in range(SAMPLE_RECORDS))]
    path = write_lines(tmp_path / "rollout.jsonl", records)
    source = FollowedFile(path)
    first = session_of(source)
    assert first is not None and first.context.tools == ()
    for more in (item("additional_tools", tools=[TOOL]), said("assistant", "Three."), said("user", "Go on.")):
        write_lines(tmp_path / "more", [more])
        with path.open("ab") as file:
            file.write((tmp_path / "more").read_bytes())
        if growth := source.poll():
            assert_same(growth.session, read_whole(path))
            last = growth.session
    assert len(last.context.tools) == 1


def test_a_history_that_a_compaction_keeps_brings_tools_and_is_told_apart_as_any_other(tmp_path: Path) -> None:
    history = [
        item("additional_tools", tools=[TOOL])["payload"],
        said("user", "Count.")["payload"],
        noted("It is Monday.", "hooks.additional_context")["payload"],
        {"type": "agent_message", "author": "/root/scout", "content": [{"type": "input_text", "text": "Box 3."}]},
        {"type": "context_compaction", "encrypted_content": "x"},
    ]
    compaction = record("compacted", message="", replacement_history=history)
    session = rollout(tmp_path, said("user", "Count."), said("assistant", "Three."), compaction)
    path = [session.messages[place] for place in session.path_to(len(session.messages) - 1)]
    assert [(message.role, message.kind, message.text) for message in path[:3]] == [
        ("user", "chat", "Count."),
        ("user", "injected", "It is Monday."),
        ("user", "chat", "Box 3."),
    ]
    assert path[3].kind == "summary" and len(session.tools) == 1


def test_the_usage_of_each_response_is_read_and_an_event_adds_nothing_to_it(tmp_path: Path) -> None:
    usage = {"input_tokens": 90, "cached_input_tokens": 40, "output_tokens": 7, "total_tokens": 97}
    used = record("token_usage_record", thread_id="s1", response_id="r1", usage=usage, turn_token_usage=usage)
    session = rollout(tmp_path, TURN, said("user", "Count."), CALL, used, RESULT, reported(100), said("user", "Go on."))
    assert [message.usage for message in session] == [None, Usage(90, 7, 40), None, None]
    assert not session.problems


def test_records_that_no_model_sees_are_no_damage(tmp_path: Path) -> None:
    records = [
        record("realtime_item", type="transcript_segment", role="user", text="hello"),
        record("retained_context", type="verified_answer", turn_id="t1", call_id="c1", questions=[]),
        record("security_risk_score", score=1),
    ]
    session = rollout(tmp_path, said("user", "Count."), *records, said("assistant", "Three."))
    assert texts(session) == ["Count.", "Three."] and not session.problems


def test_what_another_agent_says_is_read_from_its_record_and_once(tmp_path: Path) -> None:
    block = [{"type": "input_text", "text": LETTER["content"]}]
    own = item("agent_message", id="amsg_1", author="/root/scout", recipient="/root", content=block)
    for records in (
        [record("inter_agent_communication", **LETTER)],
        [own, record("inter_agent_communication", **LETTER, id="amsg_1")],
    ):
        session = rollout(tmp_path, said("user", "Count."), said("assistant", "Wait."), *records)
        assert [(message.role, message.text) for message in session][2:] == [("user", "Box 3 is empty.")]
        assert session.messages[2].record["author"] == "/root/scout" and not session.problems


def test_an_encrypted_letter_stands_there_as_what_it_is(tmp_path: Path) -> None:
    sent = record("inter_agent_communication", **LETTER | {"content": "", "encrypted_content": "gAAA"})
    session = rollout(tmp_path, said("user", "Count."), sent)
    assert session.messages[1].role == "user" and "gAAA" in session.messages[1].text


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (["user.text"], "chat"),
        (["user.text", "environments.environment_context"], "chat"),
        (["images.unsupported"], "chat"),
        ([""], "chat"),
        ([7], "chat"),
        (["skills.selected_skill_instructions"], "injected"),
        (["agents_md.instructions", "environments.environment_context"], "injected"),
    ],
)
def test_who_speaks_is_what_the_program_notes(tmp_path: Path, kinds: list[Any], kind: str) -> None:
    session = rollout(tmp_path, noted("Count the boxes.", *kinds))
    assert session.messages[0].kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<skill>\n<name>count</name>\n</skill>", "injected"),
        ("<user_shell_command>\n<command>ls</command>\n</user_shell_command>\n", "injected"),
        ('<subagent_notification>\n{"status": "done"}\n</subagent_notification>', "injected"),
        ("<recommended_plugins>\nboxes\n</recommended_plugins>", "injected"),
        ("<turn_aborted>stopped</turn_aborted>", "injected"),
        ('<codex_internal_context source="goal">\nCount.\n</codex_internal_context>', "injected"),
        ("<external_weather>rain</external_weather>", "injected"),
        ("<ENVIRONMENT_CONTEXT>x</ENVIRONMENT_CONTEXT>", "injected"),
        ("# AGENTS.md instructions for /boxes\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>", "injected"),
        ("Warning: apply_patch was requested via exec_command. Use the apply_patch tool.", "injected"),
        ("<question>How many?</question>", "chat"),
        ("<skill> is a tag that I do not know.", "chat"),
        ("What does <environment_context>x</environment_context> mean?", "chat"),
        ("<", "chat"),
    ],
)
def test_where_nothing_is_noted_the_words_tell_who_speaks(tmp_path: Path, text: str, kind: str) -> None:
    session = rollout(tmp_path, said("user", text))
    assert session.messages[0].kind == kind


@pytest.mark.parametrize(
    ("step", "is_error"),
    [
        ({"type": "CommandExecution", "status": "completed", "exit_code": 1}, True),
        ({"type": "McpToolCall", "status": "failed"}, True),
        ({"type": "CommandExecution", "status": "completed", "exit_code": 0}, False),
        ({"type": "UserMessage", "status": "failed"}, False),
    ],
)
def test_a_step_that_an_event_says_failed_is_an_error(tmp_path: Path, step: dict[str, Any], is_error: bool) -> None:
    event = record("event_msg", type="item_completed", item=step | {"id": "c1"})
    for records in ([CALL, event, RESULT], [CALL, RESULT, event]):
        session = rollout(tmp_path, said("user", "Count."), *records)
        assert [message.is_error for message in session] == [False, False, is_error]


def test_a_fork_says_that_what_came_before_is_in_another_rollout(tmp_path: Path) -> None:
    base = {"thread_id": "s0", "end_ordinal_exclusive": 14, "end_byte_offset": 9000}
    session = rollout(tmp_path, record("session_meta", id="s1", history_base=base), said("user", "Go on."))
    assert [problem.text for problem in session.problems] == [
        "it continues the rollout s0, whose messages are not in this file"
    ]


@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [[]], [{}], {"a": [1]}])
def test_odd_values_do_no_harm(tmp_path: Path, odd: Any) -> None:
    history = [{"type": odd, "role": "user", "content": odd}, {"type": "additional_tools", "tools": odd}, odd]
    records = [
        record("session_meta", id="s1", history_base=odd),
        said("user", "Count."),
        item("message", role="user", content=odd, internal_chat_message_metadata_passthrough=odd),
        noted("Count.", odd),
        item("additional_tools", tools=odd),
        record("event_msg", type="item_completed", item=odd),
        record("event_msg", type="item_completed", item={"type": "CommandExecution", "id": "c1", "exit_code": odd}),
        record("token_usage_record", usage=odd),
        record("inter_agent_communication", id=odd, content=odd, encrypted_content=odd),
        record("compacted", message="Counted.", replacement_history=history),
    ]
    assert "Count." in texts(rollout(tmp_path, *records))
