"""What `claude -p --output-format stream-json` prints: sub-agents by the call that started them, compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN
from inspector.formats import load
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from tests.formats.written import Record, by_text, calls, only, path_texts, says, write_json, write_lines
from tests.library.tailing.growing import assert_same, read_whole, session_of

LEFT_OUT = "this is output of claude -p, which does not include the first question"
INIT: Record = {"type": "system", "subtype": "init", "session_id": "s-1", "model": "claude-x", "tools": ["Read"]}
DONE: Record = {"type": "result", "subtype": "success", "session_id": "s-1", "result": "Counted.", "num_turns": 2}


def printed(kind: str, content: Any, call: str | None = None, **fields: Any) -> Record:
    message: Record = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"msg-{content}", "model": "claude-x"}
    return {"type": kind, "message": message, "parent_tool_use_id": call, "session_id": "s-1"} | fields


def result(call: str, text: str) -> list[Record]:
    return [{"type": "tool_result", "tool_use_id": call, "content": text}]


WITH_AGENTS = [
    INIT,
    printed("assistant", [calls("t1", "Task", prompt="Count.", subagent_type="Explore")]),
    printed("assistant", [calls("t2", "Task", prompt="Count.", subagent_type="Bash")]),
    printed("user", "Count.", "t2"),
    printed("assistant", [says("Bash counted.")], "t2"),
    printed("assistant", [says("Explore counted.")], "t1"),
    printed("user", result("t1", "two")),
    printed("user", result("t2", "three")),
    printed("assistant", [says("Five.")]),
    DONE,
]


def test_sub_agents_are_told_by_the_call_that_started_them(tmp_path: Path) -> None:
    for session in (only(write_lines(tmp_path / "x", WITH_AGENTS)), only(write_json(tmp_path / "y", WITH_AGENTS))):
        assert set(session.agents) == {MAIN, "Explore-1", "Bash-1"}
        assert by_text(session, "Explore counted.").agent == "Explore-1"
        assert path_texts(session, "Bash counted.") == ["Count.", "Bash counted."]
        assert path_texts(session, "Five.")[1::2] == ["two", "three"]
        assert session.id == "s-1"
        assert [problem.text for problem in session.problems] == [LEFT_OUT]


def test_what_was_asked_in_the_same_form_is_there(tmp_path: Path) -> None:
    session = only(write_lines(tmp_path / "x", [INIT, printed("user", "Count."), printed("assistant", [says("Two.")])]))
    assert session.title == "Count." and not session.problems


COMPACTED = [
    printed("user", "Count the scans.", uuid="u1"),
    printed("assistant", [says("Two.")], uuid="u2"),
    printed("user", "A reminder.", isSynthetic=True),
    printed("assistant", [says("Three.")], uuid="u3"),
    {"type": "system", "subtype": "compact_boundary", "session_id": "s-1", "uuid": "b1"},
    printed("user", "So far three.", uuid="u4", isSynthetic=True),
    printed("assistant", [says("Four.")], uuid="u5"),
]


def test_a_compaction_is_one(tmp_path: Path) -> None:
    session = only(write_lines(tmp_path / "x", COMPACTED))
    assert path_texts(session, "Four.") == ["So far three.", "Four."]
    assert by_text(session, "So far three.").kind == "summary"
    assert by_text(session, "A reminder.").kind == "injected"


def test_what_it_kept_stands_behind_the_summary(tmp_path: Path) -> None:
    kept = {"trigger": "auto", "preserved_segment": {"head_uuid": "u2", "anchor_uuid": "u4", "tail_uuid": "u3"}}
    records = [record | ({"compact_metadata": kept} if record.get("uuid") == "b1" else {}) for record in COMPACTED]
    session = only(write_lines(tmp_path / "x", records))
    assert path_texts(session, "Four.") == ["So far three.", "Two.", "A reminder.", "Three.", "Four."]


@pytest.mark.parametrize("value", [None, 7, [], "s", {"": 1, "_": {}}])
def test_odd_values_do_no_harm(tmp_path: Path, value: Any) -> None:
    odd = [{**record, "session_id": value, "compact_metadata": value} for record in COMPACTED]
    odd += [{**record, "parent_tool_use_id": value} for record in COMPACTED]
    assert load(write_lines(tmp_path / "x", odd))


def test_it_is_followed_while_it_is_printed(tmp_path: Path) -> None:
    records = [
        INIT,
        *(printed("assistant", [says(f"Step {n}.")]) for n in range(SAMPLE_RECORDS)),
        *WITH_AGENTS,
        *COMPACTED,
    ]
    path = write_lines(tmp_path / "log.jsonl", records[:SAMPLE_RECORDS])
    source = FollowedFile(path)
    session_of(source)
    for record in records[SAMPLE_RECORDS:]:
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        growth = source.poll()
        if growth is not None:
            assert_same(growth.session, read_whole(path))
