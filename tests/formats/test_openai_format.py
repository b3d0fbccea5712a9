"""OpenAI chat messages in all their wrappings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Text, ToolCall, ToolResult, Usage
from inspector.formats import load
from tests.formats.written import only, texts, write_json, write_lines

SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief."}
ASK: dict[str, Any] = {"role": "user", "content": "How many orders?"}
CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"of": "orders"}'}}],
}
ANSWER: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "3"}
REPLY: dict[str, Any] = {"role": "assistant", "content": "Three."}
TALK = [SYSTEM, ASK, CALL, ANSWER, REPLY]
TOOL = {"type": "function", "function": {"name": "count", "parameters": {"type": "object", "properties": {}}}}
USAGE = {"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}


@pytest.mark.parametrize(
    "value",
    [
        TALK,
        {"messages": TALK},
        {"model": "gpt-4o", "messages": TALK, "tools": [TOOL], "temperature": 0},
        {"custom_id": "r1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": TALK}},
        {"request": {"model": "m", "messages": TALK}, "latency": 3},
        {"request": json.dumps({"model": "m", "messages": TALK})},
        [{"messages": TALK}],
        [TALK],
    ],
)
def test_every_wrapping_gives_the_same_messages(tmp_path: Path, value: Any) -> None:
    session = only(write_json(tmp_path / "x", value))
    assert [m.raw for m in session] == TALK
    assert [m.role for m in session] == ["system", "user", "assistant", "tool", "assistant"]
    assert [m.parent for m in session] == [-1, 0, 1, 2, 3]
    assert [m.id for m in session] == ["m1", "m2", "m3", "m4", "m5"]
    assert (session.format, session.dialect, session.records_system) == ("openai", "openai", True)
    assert session.messages[3].parts == (ToolResult("c1", (Text("3"),)),)
    assert session.messages[3].name == "count"
    assert session.title == "How many orders?"
    assert session.line == 0


def test_one_message_a_line_is_one_session(tmp_path: Path) -> None:
    assert [m.raw for m in only(write_lines(tmp_path / "x", TALK))] == TALK


def test_one_request_a_line_is_a_session_each(tmp_path: Path) -> None:
    other = [{"role": "user", "content": "Something else?"}]
    sessions = load(write_lines(tmp_path / "x", [{"messages": TALK}, TALK[:1] + other, "junk", {"a": 1}]))
    assert [(len(s.messages), s.line) for s in sessions] == [(5, 1), (2, 2)]
    assert str(sessions[1].problems[0]).startswith("only 50% of the 4 records")
    assert [str(problem) for problem in sessions[0].problems[1:]] == [
        "line 3: this line was left out: it is a JSON string",
        "line 4: this line was left out: it is a JSON object without a conversation",
    ]


def test_settings_tools_and_model_are_kept(tmp_path: Path) -> None:
    value = {"model": "gpt-4o", "messages": TALK, "tools": [TOOL], "temperature": 0, "new_setting": {"a": 1}}
    session = only(write_json(tmp_path / "x", value))
    assert session.model == "gpt-4o"
    assert session.tools == (TOOL,)
    assert session.settings == {"temperature": 0, "new_setting": {"a": 1}}


def test_what_stands_beside_the_messages_of_a_data_set_is_no_setting(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", {"messages": TALK, "label": "good", "temperature": 1}))
    assert session.settings == {"temperature": 1}
    assert session.messages[0].record == {"label": "good", "temperature": 1}


def test_a_gateways_log_ends_with_the_reply_and_its_usage(tmp_path: Path) -> None:
    usage = USAGE | {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    log = {
        "messages": TALK[:4],
        "tools": [TOOL],
        "kwargs": {"temperature": 0.0, "tools": [TOOL], "extra_body": {"metadata": {}}},
        "context_window": 200_000,
        "response": {
            "id": "chatcmpl-1",
            "created": 1_760_000_000,
            "model": "gateway/claude-x",
            "choices": [{"index": 0, "message": REPLY | {"function_call": None}, "finish_reason": "stop"}],
            "usage": usage,
        },
        "cost": 0.01,
    }
    session = only(write_json(tmp_path / "x", log))
    reply = session.messages[-1]
    assert texts(session)[-1] == "Three."
    assert reply.usage == Usage(90, 7, 64, 0)
    assert (reply.model, reply.time) == ("gateway/claude-x", "2025-10-09T08:53:20.000Z")
    assert reply.record["usage"] == usage and reply.record["choice"]["finish_reason"] == "stop"
    assert session.model == "gateway/claude-x"
    assert session.settings == {"temperature": 0.0}
    assert session.messages[0].record["cost"] == 0.01


def test_a_stored_completion(tmp_path: Path) -> None:
    record = {
        "object": "traffic.completion",
        "id": "chatcmpl-2",
        "model": "gpt-5",
        "created": 1_760_000_000,
        "request_id": "req_1",
        "seed": 3,
        "tool_choice": None,
        "usage": USAGE,
        "tools": [TOOL],
        "messages": [message | {"name": None, "content_parts": None} for message in TALK[:4]],
        "choices": [{"index": 0, "message": REPLY}],
    }
    session = only(write_json(tmp_path / "x", record))
    assert session.id == "chatcmpl-2"
    assert session.messages[-1].usage == Usage(90, 7, 64)
    assert session.settings == {"seed": 3, "tool_choice": None}
    assert all("content_parts" not in m.raw for m in session)
    assert "content_parts" in session.messages[1].record


def test_a_reply_that_stands_among_the_messages_is_not_repeated(tmp_path: Path) -> None:
    log = {"model": "m", "messages": TALK, "response": {"choices": [{"message": REPLY}], "usage": USAGE}}
    session = only(write_json(tmp_path / "x", log))
    assert len(session.messages) == 5
    assert session.messages[-1].usage == Usage(90, 7, 64)


def test_usage_that_a_message_carries_itself(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", [ASK, REPLY | {"usage": USAGE, "model": "m"}]))
    assert session.messages[1].usage == Usage(90, 7, 64)
    assert session.messages[1].model == "m"


RUN = {"task_id": 7, "reward": 1.0, "info": {"task": {"user_id": "u"}}, "traj": TALK, "trial": 2}


class TestRuns:
    def test_each_is_a_session_named_by_task_and_trial(self, tmp_path: Path) -> None:
        first, second = load(write_json(tmp_path / "x", [RUN, RUN | {"trial": 3}]))
        prefix = first.id.removesuffix("-task-7-trial-2")
        assert len(prefix) == 8
        assert second.id == f"{prefix}-task-7-trial-3"
        assert first.title == "task 7, trial 2: How many orders?"
        assert (first.line, second.line) == (1, 2)
        assert first.messages[0].record["reward"] == 1.0
        assert first.settings == {}

    def test_names_stay_while_the_file_grows_and_never_clash(self, tmp_path: Path) -> None:
        before = [s.id for s in load(write_json(tmp_path / "x", [RUN]))]
        after = [s.id for s in load(write_json(tmp_path / "x", [RUN, RUN, RUN | {"task_id": 8}]))]
        assert after[:1] == before
        assert after[1] == f"{before[0]}-2"
        assert len(set(after)) == 3

    def test_other_files_have_other_prefixes(self, tmp_path: Path) -> None:
        other = RUN | {"traj": [{"role": "user", "content": "Hello."}]}
        [one], [two] = load(write_json(tmp_path / "x", [RUN])), load(write_json(tmp_path / "y", [other]))
        assert one.id != two.id


def test_ids_come_from_the_first_words_and_stay_while_the_session_grows(tmp_path: Path) -> None:
    short, long = only(write_json(tmp_path / "x", TALK[:2])), only(write_json(tmp_path / "y", {"messages": TALK}))
    assert short.id == long.id and len(short.id) == 12
    assert only(write_json(tmp_path / "z", [SYSTEM, {"role": "user", "content": "Other?"}])).id != short.id


@pytest.mark.parametrize(("own", "id"), [("run-1", "run-1"), (7, "7"), ("", None), (True, None), ([1], None)])
def test_an_own_id_is_used(tmp_path: Path, own: Any, id: str | None) -> None:
    session = only(write_json(tmp_path / "x", {"id": own, "messages": TALK}))
    assert session.id == id if id else len(session.id) == 12


def test_two_of_the_same_opening_are_numbered(tmp_path: Path) -> None:
    other = [*TALK[:2], {"role": "assistant", "content": "No idea."}]
    one, two = load(write_lines(tmp_path / "x", [{"messages": TALK}, {"messages": other}]))
    assert two.id == f"{one.id}-2"


def test_a_title_in_the_record_is_used(tmp_path: Path) -> None:
    assert only(write_json(tmp_path / "x", {"messages": TALK, "title": " The\norders "})).title == "The orders"
    assert only(write_json(tmp_path / "x", {"messages": TALK, "metadata": {"title": "Orders"}})).title == "Orders"


def test_elements_that_are_no_messages_are_problems(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", {"messages": [ASK, "what?", REPLY]}))
    assert texts(session) == ["How many orders?", "Three."]
    assert "element 2 of the messages" in session.problems[0].text


def test_functions_of_the_old_form(tmp_path: Path) -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "count", "arguments": "{}"}}
    session = only(write_json(tmp_path / "x", [ASK, call, {"role": "function", "name": "count", "content": "3"}]))
    assert session.messages[1].parts == (ToolCall("count", "count", "{}"),)
    assert session.messages[2].answers == "count"
    assert session.messages[2].role == "tool"


class TestGrowingLogs:
    """Every call sends the whole history: the log of such calls is one conversation."""

    @staticmethod
    def call(messages: list[Any], reply: Any, tokens: int, **fields: Any) -> dict[str, Any]:
        usage = {"prompt_tokens": tokens, "completion_tokens": 5}
        response = {"model": "m", "created": tokens, "choices": [{"message": reply}], "usage": usage}
        return {"model": "m", "messages": messages, "response": response, **fields}

    def test_calls_that_continue_each_other_are_one_session(self, tmp_path: Path) -> None:
        calls = [self.call(TALK[:2], CALL, 10, note="first"), self.call(TALK[:4], REPLY, 20, note="second")]
        session = only(write_lines(tmp_path / "x", calls))
        assert [m.raw for m in session] == TALK
        assert [m.usage and m.usage.input for m in session] == [None, None, 10, None, 20]
        assert session.messages[0].record["note"] == "first"

    def test_a_reply_that_was_sent_back_in_other_words_still_continues(self, tmp_path: Path) -> None:
        logged = CALL | {"reasoning_content": "Let me count.", "refusal": None, "content": ""}
        retold = {"role": "assistant", "content": "(counts)", "tool_calls": CALL["tool_calls"]}
        calls = [self.call(TALK[:2], logged, 10), self.call([*TALK[:2], retold, ANSWER], REPLY, 20)]
        session = only(write_lines(tmp_path / "x", calls))
        assert session.messages[2].usage == Usage(10, 5)

    def test_another_way_from_the_middle_is_another_session(self, tmp_path: Path) -> None:
        other = [*TALK, {"role": "user", "content": "And refunds?"}]
        calls = [
            self.call(TALK[:2], CALL, 10),
            self.call(TALK[:4], REPLY, 20),
            self.call([*TALK[:2], {"role": "user", "content": "Never mind."}], REPLY, 30),
            self.call(other, REPLY, 40),
        ]
        first, second = load(write_lines(tmp_path / "x", calls))
        assert (len(first.messages), len(second.messages)) == (7, 4)
        assert (first.line, second.line) == (1, 3)

    def test_the_same_question_asked_twice_is_two_sessions(self, tmp_path: Path) -> None:
        calls = [self.call(TALK[:2], REPLY, 10), self.call(TALK[:2], REPLY, 11)]
        assert len(load(write_lines(tmp_path / "x", calls))) == 2

    def test_the_id_stays_while_the_log_grows(self, tmp_path: Path) -> None:
        calls = [self.call(TALK[:2], CALL, 10, id="one"), self.call(TALK[:4], REPLY, 20, id="two")]
        assert only(write_lines(tmp_path / "x", calls[:1])).id == "one"
        assert only(write_lines(tmp_path / "x", calls)).id == "one"

    def test_requests_without_replies_are_joined_too(self, tmp_path: Path) -> None:
        session = only(
            write_lines(tmp_path / "x", [{"messages": TALK[:2]}, {"messages": TALK[:4]}, {"messages": TALK}])
        )
        assert [m.raw for m in session] == TALK

    def test_runs_of_a_benchmark_are_never_joined(self, tmp_path: Path) -> None:
        runs = [{"task_id": 1, "traj": TALK[:2]}, {"task_id": 1, "traj": TALK}]
        assert len(load(write_json(tmp_path / "x", runs))) == 2


def response(name: str, *output: Any, **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 36, "output_tokens": 8, "total_tokens": 44}
    return {"id": name, "object": "response", "model": "gpt-5", "output": list(output), "usage": usage, **fields}


SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Three."}]}


def test_a_log_of_the_responses_interface_has_its_replies_and_goes_on_from_them(tmp_path: Path) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "count", "arguments": "{}"}
    answer = {"type": "function_call_output", "call_id": "c1", "output": "3"}
    request = {"model": "gpt-5", "instructions": "Be brief."}
    exchanges = [
        {"request": {**request, "input": "Count."}, "response": response("r1", call)},
        {"request": {**request, "input": [answer], "previous_response_id": "r1"}, "response": response("r2", SAID)},
    ]
    session = only(write_lines(tmp_path / "log.jsonl", exchanges))
    assert texts(session) == ["Be brief.", "Count.", "count({})", "3", "Three."]
    assert [message.usage and message.usage.input for message in session if message.role == "assistant"] == [36, 36]


def test_items_of_openais_own_tools_are_calls_answers_or_stand_beside_the_words(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "List."},
        {"type": "web_search_call", "id": "w1", "status": "completed"},
        {"type": "web_search_call", "id": "w2", "status": "completed"},
        {"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": "a.txt", "stderr": ""}]},
        {"type": "local_shell_call", "call_id": "c2", "id": "l2", "action": {"command": ["pwd"]}},
        {"type": "local_shell_call_output", "id": "c2", "output": "/pier"},
        SAID,
    ]
    session = only(write_json(tmp_path / "items.json", items))
    assert [(call.name, call.id) for message in session for call in message.calls] == [
        ("shell", "c1"),
        ("local_shell", "c2"),
    ]
    answers = [(message.answers, message.text) for message in session if message.role == "tool"]
    assert answers == [("c1", '[{"stdout":"a.txt","stderr":""}]'), ("c2", "/pier")]
    assert session.messages[-1].text == "Three." and not session.problems


def test_requests_of_a_batch_are_read(tmp_path: Path) -> None:
    asked = {"model": "claude-sonnet-4", "max_tokens": 9, "messages": [{"role": "user", "content": "Count."}]}
    session = only(write_lines(tmp_path / "batch.jsonl", [{"custom_id": "r1", "params": asked}]))
    assert (session.id, session.model, texts(session)) == ("r1", "claude-sonnet-4", ["Count."])
