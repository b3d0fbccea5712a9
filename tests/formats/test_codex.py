"""Codex rollouts: items are the conversation, events tell what was reported, and a compaction begins a new context."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.core.text import dumps
from inspector.engine.window import compute_timeline
from inspector.formats import UnreadableError, load
from inspector.library import Workbench, problem_turns
from inspector.llm.models import calls_of
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import only, write_json, write_lines

TIME = "2026-01-02T03:04:05.000Z"


def record(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": TIME, "type": kind, "payload": payload}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return record("response_item", type=kind, **fields)


def said(role: str, text: str) -> dict[str, Any]:
    return item(
        "message", role=role, content=[{"type": "input_text" if role == "user" else "output_text", "text": text}]
    )


def reported(tokens: int) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "cached_input_tokens": 40, "output_tokens": 7}
    return record("event_msg", type="token_count", info={"last_token_usage": usage, "model_context_window": 9000})


META = record("session_meta", id="s1", base_instructions={"text": "Be brief."})
TURN = record("turn_context", model="gpt-5.5")
CALL = item("function_call", name="shell", arguments="{}", call_id="c1")
RESULT = item("function_call_output", call_id="c1", output="three lines")
WORDS = ["Count.", "Counted.", "Go on."]


def rollout(tmp_path: Path, *records: dict[str, Any]) -> Session:
    return only(write_lines(tmp_path / "rollout.jsonl", records))


def test_each_turn_has_the_context_window_that_was_recorded_for_it(tmp_path: Path) -> None:
    records = [record("session_meta", id="s1")]
    for number, limit in enumerate((9000, 9000, 12_000, 7000)):
        usage = {"input_tokens": 8500 + number, "output_tokens": 5}
        records += [
            said("user", f"Count {number}."),
            said("assistant", f"Counted {number}."),
            record("event_msg", type="token_count", info={"last_token_usage": usage, "model_context_window": limit}),
        ]
    session = rollout(tmp_path, *records)
    bench = Workbench(session, estimate_sizes(session))
    assert [bench.window(turn).limit for turn in (None, 4, 3, 2, 1)] == [7000, 7000, 12_000, 9000, 9000]
    (spans,) = problem_turns(bench, "openai").values()
    assert spans == [(4, 5)], "the others were within the window of their time"
    assert Workbench(session, estimate_sizes(session), limit=500).window(1).limit == 500, "the user set one"


def test_items_become_messages_and_events_tell_what_was_reported(tmp_path: Path) -> None:
    event = record("event_msg", type="user_message", message="Count.")
    words, thought = said("assistant", "I look."), item("reasoning", summary=[])
    session = rollout(
        tmp_path,
        META,
        TURN,
        said("user", "Count."),
        event,
        thought,
        words,
        CALL,
        RESULT,
        reported(100),
        said("assistant", "Three."),
    )
    assert [(message.role, message.text) for message in session] == [
        ("system", "Be brief."),
        ("user", "Count."),
        ("assistant", "I look.\n\nshell({})"),
        ("tool", "three lines"),
        ("assistant", "Three."),
    ]
    assert session.messages[2].usage == Usage(100, 7, 40), "though its result stood behind it by then"
    assert session.messages[3].name == "shell"
    assert session.messages[4].usage is None
    assert (session.id, session.model, session.title) == ("s1", "gpt-5.5", "Count.")
    assert session.sizes is not None and session.sizes.limit == 9000
    assert session.messages[1].time == TIME
    assert not session.problems


def test_a_compaction_begins_a_context_with_what_was_kept(tmp_path: Path) -> None:
    kept = [said("user", "Count.")["payload"], {"type": "compaction", "encrypted_content": "x"}]
    compaction = record("compacted", message="", replacement_history=kept)
    session = rollout(
        tmp_path, META, said("user", "Count."), said("assistant", "Three."), compaction, said("user", "Go on.")
    )
    assert session.compactions == (5,)
    path = [session.messages[place] for place in session.path_to(len(session.messages) - 1)]
    assert [(message.role, message.kind) for message in path] == [
        ("system", "chat"),
        ("user", "chat"),
        ("user", "summary"),
        ("user", "chat"),
    ]
    assert [message.text for message in path if message.kind == "chat"] == ["Be brief.", "Count.", "Go on."]
    assert session.original_of(path[1]) is session.messages[1], "what was kept is known as what it is"
    session = rollout(tmp_path, META, compaction, said("user", "Go on."), said("assistant", "Three."))
    assert compute_timeline(session, estimate_sizes(session)).compactions == (1,), "the words that it kept came first"


def test_a_compaction_that_does_not_say_what_it_kept_keeps_the_words_of_the_user(tmp_path: Path) -> None:
    notes = said("user", "<environment_context>the pier</environment_context>")
    session = rollout(
        *(tmp_path, META, notes, said("user", "Count." + " gull" * 40_000), said("user", "Count."), notes),
        *(said("assistant", "Three."), record("compacted", message="Counted."), said("user", "Go on.")),
    )
    path = [session.messages[place] for place in session.path_to(len(session.messages) - 1)]
    assert [message.text for message in path] == ["Be brief.", notes["payload"]["content"][0]["text"], *WORDS]
    assert [message.kind for message in path] == ["chat", "injected", "chat", "summary", "chat"]


@pytest.mark.parametrize(("beside", "words"), [("Counted.", "Counted."), ("Counted.", "A model said so:\nCounted.")])
def test_a_summary_among_what_was_kept_stands_there_once(tmp_path: Path, beside: str, words: str) -> None:
    kept = [row["payload"] for row in (said("user", "Count."), said("user", words), said("user", "And then?"))]
    compaction = record("compacted", message=beside, replacement_history=kept)
    session = rollout(tmp_path, said("user", "Count."), said("assistant", "Three."), compaction)
    path = [session.messages[place] for place in session.path_to(len(session.messages) - 1)]
    assert [(message.kind, message.text) for message in path] == [
        ("chat", "Count."),
        ("summary", words),
        ("chat", "And then?"),
    ]


@pytest.mark.parametrize(
    ("output", "is_error"),
    [
        ('{"output": "no such file", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}', True),
        ('{"output": "exit_code: 2", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}', False),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 127\nOutput:\nnot found", True),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nthree", False),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nno", True),
        ("He said: Process exited with code 1", False),
    ],
)
def test_a_command_that_failed_is_an_error(tmp_path: Path, output: str, is_error: bool) -> None:
    answer = item("function_call_output", call_id="c1", output=output)
    session = rollout(tmp_path, said("user", "Count."), CALL, answer)
    assert session.messages[-1].is_error is is_error


def test_a_rollout_that_is_one_object_is_read(tmp_path: Path) -> None:
    items = [row["payload"] for row in (said("user", "Count."), CALL, RESULT, said("assistant", "Three."))]
    value = {"session": {"id": "s1", "timestamp": TIME, "instructions": ""}, "items": [*items, "odd"]}
    session = only(write_json(tmp_path / "rollout.json", value))
    assert [message.text for message in session] == ["Count.", "shell({})", "three lines", "Three."]
    assert (session.id, session.format) == ("s1", "codex")


def test_turns_that_were_rolled_back_leave_the_context(tmp_path: Path) -> None:
    def context(turns: int) -> list[str]:
        rollback = record("event_msg", type="thread_rolled_back", num_turns=turns)
        session = rollout(
            *(tmp_path, META, said("user", "Count."), said("assistant", "Three."), said("user", "Again.")),
            *(said("assistant", "Four."), rollback, said("user", "Sure?")),
        )
        assert len(session.messages) == 6
        return [session.messages[place].text for place in session.path_to(len(session.messages) - 1)]

    assert context(0) == ["Be brief.", "Count.", "Three.", "Again.", "Four.", "Sure?"]
    assert context(1) == ["Be brief.", "Count.", "Three.", "Sure?"]
    assert context(2) == context(9) == ["Be brief.", "Sure?"]


def test_a_summary_in_words_is_read(tmp_path: Path) -> None:
    session = rollout(tmp_path, META, said("user", "Count."), record("compacted", message="Three were counted."))
    assert session.messages[session.compactions[0]].text == "Three were counted."


def test_tools_that_codex_runs_itself_are_called_and_answer_as_any_other(tmp_path: Path) -> None:
    tools = [{"type": "namespace", "name": "archive", "tools": []}]
    session = rollout(
        tmp_path,
        said("user", "Count box 3."),
        item("tool_search_call", call_id="c1", execution="client", arguments={"query": "scans"}),
        item("tool_search_output", call_id="c1", tools=tools),
        item("local_shell_call", call_id="c2", status="completed", action={"type": "exec", "command": ["ls", "box-3"]}),
        item("function_call_output", call_id="c2", output="3 scans"),
        item("web_search_call", id="w1", action={"type": "search", "query": "scans"}),
    )
    calls = [(call.name, call.id) for message in session for call in message.calls]
    assert calls == [("tool_search", "c1"), ("local_shell", "c2")]
    answers = [(message.answers, message.text) for message in session if message.role == "tool"]
    assert answers == [("c1", dumps(tools)), ("c2", "3 scans")]
    assert session.messages[-1].text == "" and session.messages[-1].chars > 0, (
        "what OpenAI ran is no call of the model's"
    )


def test_what_the_program_puts_in_is_told_apart(tmp_path: Path) -> None:
    session = rollout(tmp_path, META, said("user", "<environment_context>x</environment_context>"), said("user", "Go."))
    assert [message.kind for message in session] == ["chat", "injected", "chat"]
    assert session.title == "Go."


def test_the_older_kind_has_bare_items(tmp_path: Path) -> None:
    first = {"id": "s0", "timestamp": TIME, "instructions": "x", "git": {}}
    items = [said("user", "Count.")["payload"], {"record_type": "state"}, CALL["payload"], RESULT["payload"]]
    session = rollout(tmp_path, first, *items, said("assistant", "Three.")["payload"])
    assert session.format == "codex"
    assert [message.role for message in session] == ["user", "assistant", "tool", "assistant"]
    assert session.id == "s0"


def test_a_rollout_of_unknown_records_is_refused_with_the_first_of_them(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x", [META, {"what": 1}, said("user", "Hi."), {"what": 2}, {"what": 3}, {"what": 4}])
    with pytest.raises(UnreadableError, match="line 2: it is not a known record"):
        load(path)


def test_a_rollout_without_a_message_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="has no message"):
        load(write_lines(tmp_path / "x", [META | {"payload": {"id": "s1"}}, TURN]))


def test_calls_that_are_missing_between_two_reports_are_a_problem_with_its_line(tmp_path: Path) -> None:
    def spent(own: int, total: int) -> dict[str, Any]:
        used = {"input_tokens": own, "output_tokens": 0, "total_tokens": own}
        info = {"last_token_usage": used, "total_token_usage": {"total_tokens": total}}
        return record("event_msg", type="token_count", info=info)

    talk = [said("user", "Count."), said("assistant", "Two.")]
    first = [*talk, spent(100, 100), said("user", "Again."), said("assistant", "Three.")]
    assert not rollout(tmp_path, *first, spent(120, 220), spent(9, 9)).problems
    (problem,) = rollout(tmp_path, *first, spent(120, 350), spent(0, 0)).problems
    assert (problem.line, problem.text.endswith("calls that used 130 tokens")) == (6, True)


def test_a_call_whose_reply_is_recorded_in_parts_is_one_call(tmp_path: Path) -> None:
    def spent(total: int) -> dict[str, Any]:
        used = {"input_tokens": 900, "output_tokens": 100, "total_tokens": 1000}
        return record(
            "event_msg",
            type="token_count",
            info={"last_token_usage": used, "total_token_usage": {"total_tokens": total}},
        )

    parts = [CALL, RESULT, item("function_call", name="shell", arguments="{}", call_id="c2"), RESULT]
    whole = rollout(tmp_path, TURN, said("user", "Count."), *parts, spent(1000))
    assert [call.usage for call in calls_of(whole)] == [Usage(900, 100)]
    missing = rollout(tmp_path, TURN, said("user", "Count."), *parts, spent(2000))
    assert [call.usage for call in calls_of(missing)] == [None, Usage(900, 100)], "the total says that two were made"
    started = record("event_msg", type="task_started")
    stopped = [said("user", "Count."), said("assistant", "One"), record("event_msg", type="turn_aborted"), started]
    again = rollout(tmp_path, TURN, *stopped, said("user", "Go on."), said("assistant", "Two."), spent(1000))
    assert [call.usage for call in calls_of(again)] == [None, Usage(900, 100)], "what it cost is not known"


def twice(time: str, text: str) -> list[dict[str, Any]]:
    """A reply as an item and as an event."""
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"{text}\n<note/>"}]}
    rows = [("event_msg", {"type": "agent_message", "message": text}), ("response_item", message)]
    return [{"timestamp": time, "type": kind, "payload": payload} for kind, payload in rows]


def test_a_reply_that_only_an_event_records_is_a_problem(tmp_path: Path) -> None:
    began, ended = (
        {"timestamp": "t", "type": "event_msg", "payload": {"type": f"task_{end}"}} for end in ("started", "complete")
    )
    rows = [began, *twice("a", "One."), *twice("b", "Two."), ended]
    assert load(write_lines(tmp_path / "whole.jsonl", rows))[0].problems == ()
    without = [*rows[:4], ended]
    assert [str(problem) for problem in load(write_lines(tmp_path / "cut.jsonl", without))[0].problems] == [
        "line 4: the reply that this line repeats is not in the file: records may be missing"
    ]
    copied = [*rows[:2], *rows[3:4], *rows]
    assert load(write_lines(tmp_path / "fork.jsonl", copied))[0].problems == ()
