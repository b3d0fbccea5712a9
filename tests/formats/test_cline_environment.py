"""The environment that Cline and Roo Code describe after each message of the user: folder, mode, running commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state import WorkHistory, WorkState
from tests.formats.written import Record, only, write_json


def environment(mode: str = "ACT MODE", *commands: str, folder: str = "/work/gulls") -> str:
    """An environment as Cline writes it, with running commands whose output looks like headings."""
    running = "".join(f"## Original command: `{command}`\n### New Output\n# ready\n" for command in commands)
    terminals = f"# Actively Running Terminals\n{running}\n" if running else ""
    place = f"# Current Working Directory ({folder}) Files\nNo files found.\n\n"
    rest = f"# Current Time\nMonday\n\n# Current Mode\n{mode}\n"
    return f"<environment_details>\n{place}{terminals}{rest}</environment_details>"


def says(text: str, *details: str) -> Record:
    return {"role": "user", "content": [{"type": "text", "text": part} for part in (text, *details)]}


def runs(number: int, command: str) -> Record:
    call = {"type": "tool_use", "id": f"c{number}", "name": "execute_command", "input": {"command": command}}
    return {"role": "assistant", "content": [call]}


def answers(number: int, text: str, *details: str) -> Record:
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    return {"role": "user", "content": [result, *({"type": "text", "text": part} for part in details)]}


def states(folder: Path, *history: Record) -> list[WorkState]:
    """The state of the work at each turn of a task."""
    place = folder / "1767323045000"
    place.mkdir()
    session = only(write_json(place / "api_conversation_history.json", [*history]))
    turns = WorkHistory(session)
    return [turns.at_turn(turn) for turn in range(1, len(session.turns()) + 1)]


def test_the_mode_and_the_commands_of_each_environment_are_in_the_state(tmp_path: Path) -> None:
    first, second, third = states(
        tmp_path,
        says("<task>\nCount the gulls.\n</task>", environment("PLAN MODE")),
        runs(1, "npm run dev"),
        answers(1, "Command is still running.", environment("ACT MODE", "npm run dev", "make watch")),
        runs(2, "ls"),
        answers(2, "gulls.csv", environment("ACT MODE", "make watch", folder="/work/terns")),
        runs(3, "ls"),
    )
    assert [state.text("mode", "permission") for state in (first, second, third)] == ["plan", "act", "act"]
    assert [state.text("where", "folder") for state in (first, second, third)] == ["/work/gulls"] * 2 + ["/work/terns"]
    assert {state.text("request", "latest") for state in (first, second, third)} == {"Count the gulls."}
    running = [[item.text for item in state.of("running")] for state in (first, second, third)]
    assert running == [[], ["npm run dev", "make watch"], ["make watch"]]


def test_a_message_without_an_environment_says_nothing_about_running_commands(tmp_path: Path) -> None:
    *_, last = states(
        tmp_path,
        says("Start it.", environment("ACT MODE", "npm run dev")),
        runs(1, "ls"),
        answers(1, "gulls.csv"),
        runs(2, "ls"),
    )
    assert [item.text for item in last.of("running")] == ["npm run dev"]


def test_a_mode_of_roo_code_is_an_agent(tmp_path: Path) -> None:
    (state,) = states(
        tmp_path, says("Plan it.", environment("<slug>architect</slug>\n<name>Architect</name>")), runs(1, "ls")
    )
    assert state.text("mode", "agent") == "architect"


@pytest.mark.parametrize(
    "words", ["# Actively Running Terminals\n## Original command: `npm run dev`", "# Current Mode\nPLAN MODE"]
)
def test_words_of_the_user_are_no_environment(tmp_path: Path, words: str) -> None:
    *_, state = states(tmp_path, says("Count.", environment()), runs(1, "ls"), says(words), runs(2, "ls"))
    assert (state.text("mode", "permission"), state.of("running")) == ("act", ())
