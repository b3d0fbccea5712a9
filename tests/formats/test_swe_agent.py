"""Trajectories of SWE-agent that were cut, and what only looks like events of OpenHands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import UnreadableError, load
from tests.formats.written import only, write_json

Record = dict[str, Any]
START: list[Record] = [
    {"role": "system", "content": "You mend clocks.", "agent": "primary"},
    {"role": "user", "content": "The clock stands still.", "agent": "primary"},
]
STEPS = [("ls", "clock.py"), ("cat clock.py", "x = 0"), ("edit clock.py", "done")]


def step(command: str, observation: str, **fields: Any) -> Record:
    response = f"I try {command}."
    return {"action": command, "observation": observation, "response": response, "state": "{}", **fields}


def rows(*steps: tuple[str, str]) -> list[Record]:
    """The messages of the history that these steps came to."""
    pairs = [
        (
            {"role": "assistant", "content": f"I try {command}.", "agent": "primary", "action": command},
            {"role": "user", "content": observation, "agent": "primary"},
        )
        for command, observation in steps
    ]
    return [row for pair in pairs for row in pair]


def run() -> Record:
    history = [*START, *rows(*STEPS)]
    return {"environment": "bench", "trajectory": [step(*pair) for pair in STEPS], "history": history, "info": {}}


def cut(path: Path, record: Record, end: str) -> Path:
    """A file that breaks off right before the last place where a text stands in it."""
    text = json.dumps(record)
    path.write_text(text[: text.rindex(end)], encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("end", "problem"),
    [
        ('"info"', ""),
        ('"done"', "its history is cut off: the rest is from 1 step of its trajectory"),
        ('"I try edit', "its history is cut off: the rest is from 1 step of its trajectory"),
        ('"I try ls', "its history is cut off: the rest is from 3 steps of its trajectory"),
    ],
)
def test_a_run_that_was_cut_is_one_of_swe_agent_and_goes_on_with_its_steps(
    tmp_path: Path, end: str, problem: str
) -> None:
    whole = only(write_json(tmp_path / "a.traj", run()))
    session = only(cut(tmp_path / "b.traj", run(), end))
    assert session.format == "swe-agent"
    assert [(one.role, one.text) for one in session] == [(one.role, one.text) for one in whole]
    problems = [str(one) for one in session.problems]
    assert "only the part before the damage could be read" in problems[0]
    assert [problem in text for text in problems[1:]] == ([True] if problem else [])


def test_a_run_without_a_history_is_read_from_its_steps(tmp_path: Path) -> None:
    session = only(cut(tmp_path / "a.traj", run(), '"history"'))
    assert [(message.role, message.text) for message in session] == [
        (role, text) for command, seen in STEPS for role, text in (("assistant", f"I try {command}."), ("user", seen))
    ]
    assert "it has no history: the rest is from 3 steps" in str(session.problems[1])


def test_what_was_asked_for_a_step_stands_before_it(tmp_path: Path) -> None:
    record = run()
    for number, entry in enumerate(record["trajectory"]):
        entry["messages"] = [*START, *rows(*STEPS[:number])]
    session = only(cut(tmp_path / "a.traj", record, '"history"'))
    assert [message.text for message in session] == [row["content"] for row in (*START, *rows(*STEPS))]
    assert [message.role for message in session][:3] == ["system", "user", "assistant"]
    assert "1 step of its trajectory" in str(session.problems[1])


def test_messages_with_an_action_are_no_events_of_openhands(tmp_path: Path) -> None:
    history = [*START, *rows(*STEPS)]
    assert {session.format for session in load(write_json(tmp_path / "a.json", {"history": history}))} == {"swe-agent"}


def test_a_history_in_which_few_entries_are_events_is_none_of_openhands(tmp_path: Path) -> None:
    entries = [{"name": f"box {number}", "count": number} for number in range(5)]
    path = write_json(tmp_path / "a.json", {"history": [*entries, {"action": "count", "source": "agent"}]})
    with pytest.raises(UnreadableError):
        load(path)


def test_what_the_program_tells_of_a_step_is_no_request_of_a_person(tmp_path: Path) -> None:
    path = tmp_path / "x.traj"
    path.write_text(json.dumps(run()), encoding="utf-8")
    [session] = load(path)
    observed = [message for message in session if message.text in {observation for _, observation in STEPS}]
    assert observed and {(message.role, message.kind) for message in observed} == {("user", "injected")}
    assert session.messages[len(START) - 1].kind == "chat", "the task is one"
