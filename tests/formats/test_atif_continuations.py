"""A trajectory that Terminus continues in another file is one session, with a compaction between the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspector.formats import files_of, find
from tests.cli.calling import inspect
from tests.formats.written import only

TASK = "Drain the dam."
HANDOFF = "You are picking up the work of another agent. The gate stands open, the level is 4.2 m."


def step(number: int, source: str, message: str, sent: int = 0, **more: Any) -> dict[str, Any]:
    metrics = {"metrics": {"prompt_tokens": sent, "completion_tokens": 9}} if sent else {}
    return {"step_id": number, "source": source, "message": message, **metrics, **more}


def trajectory(*steps: dict[str, Any], follower: str = "", **extra: Any) -> dict[str, Any]:
    agent = {"name": "terminus-2", "version": "2", "model_name": "gpt-4o", "extra": extra}
    ref = {"continued_trajectory_ref": follower} if follower else {}
    return {"schema_version": "ATIF-v1.5", "session_id": "dam", "agent": agent, "steps": list(steps), **ref}


def summarization(number: int) -> dict[str, Any]:
    ref = {"subagent_trajectory_ref": [{"trajectory_path": "trajectory.summarization-1-summary.json"}]}
    words = "Performed context summarization and handoff to continue task."
    return step(number, "system", words, observation={"results": [ref]})


FIRST = trajectory(
    step(1, "user", TASK),
    step(2, "agent", "I open the gate.", 24_000),
    step(3, "agent", "I read the level.", 25_000),
    summarization(4),
    follower="trajectory.cont-1.json",
)
SECOND = trajectory(
    step(1, "user", TASK, is_copied_context=True),
    step(2, "user", HANDOFF, is_copied_context=True),
    step(3, "agent", "Which gate is open?", is_copied_context=True),
    step(4, "user", "The northern one.", is_copied_context=True),
    step(5, "agent", "I wait.", 1_700),
    continuation_index=1,
)
SUMMARY = trajectory(step(1, "user", "Summarize the work."), step(2, "agent", HANDOFF, 26_000))


def write(folder: Path, prefix: str = "", **files: dict[str, Any]) -> Path:
    for name, value in files.items():
        end = {"first": "", "second": ".cont-1", "summary": ".summarization-1-summary"}[name]
        (folder / f"{prefix}trajectory{end}.json").write_text(json.dumps(value), "utf-8")
    return folder / f"{prefix}trajectory.json"


def test_the_files_of_a_continued_trajectory_are_one_session_with_a_compaction(tmp_path: Path) -> None:
    for prefix in ("", "dam-17."):
        folder = tmp_path / f"in{prefix}"
        folder.mkdir()
        path = write(folder, prefix, first=FIRST, second=SECOND, summary=SUMMARY)
        assert find(folder) == [path] and len(files_of(path)) == 3
        session = only(path)
        main = [message for message in session.messages if message.agent == "main"]
        assert [message.text for message in main].count(TASK) == 1
        summary = next(message for message in main if message.kind == "summary")
        assert summary.text == HANDOFF
        window = [session.messages[place].text for place in session.path_to(len(main) - 1)]
        assert window == [TASK, HANDOFF, "Which gate is open?", "The northern one.", "I wait."]
        assert [message.agent for message in session.messages[len(main) :]] == ["summarization-1-summary"] * 2
        assert not session.problems


def test_a_continuation_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    session = only(write(tmp_path, first=FIRST))
    assert "the session continues in trajectory.cont-1.json, which is not in this folder" in str(session.problems)


def test_a_continuation_alone_begins_with_a_compaction(tmp_path: Path) -> None:
    write(tmp_path, second=SECOND)
    told = inspect("why", str(tmp_path / "trajectory.cont-1.json")).out
    assert "The session begins with a compaction, with 1,700 tokens. The dropped messages" in " ".join(told.split())
