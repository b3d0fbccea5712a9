"""Calls and results in the shapes of Gemini CLI, OpenHands and Copilot CLI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.core.conversation import Text, ToolResult
from inspector.engine.work_state import WorkHistory, WorkState
from inspector.engine.work_state.code_effects import files_in_code
from inspector.engine.work_state.result_news import news_of
from inspector.formats import load
from tests.engine.work_state.scripts import Step, Tool, User, session_of


def result(output: str, code: int = 0, pids: str = "(none)") -> str:
    """The result of a command as Gemini CLI writes it."""
    head = f"Command: make error-page\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\n"
    return f"{head}Signal: 0\nBackground PIDs: {pids}\nProcess Group PGID: 7"


def state_of(folder: Path, *steps: Step) -> WorkState:
    return WorkHistory(session_of((User("Fix it."), *steps), "claude-code", folder)).at_turn()


def test_the_failing_line_is_of_the_output_and_not_of_the_frame(tmp_path: Path) -> None:
    command = {"command": "make error-page"}
    state = state_of(tmp_path, Tool("run_shell_command", command, result("make: *** No rule to make it", 2)))
    assert [(item.name, item.text) for item in state.of("failure")] == [
        ("make error-page", "make: *** No rule to make it")
    ]


def test_a_process_in_the_background_goes_on_although_the_shell_has_ended(tmp_path: Path) -> None:
    server = {"command": "python -m http.server & sleep 1"}
    state = state_of(tmp_path, Tool("run_shell_command", server, result("(empty)", pids="4711, 4712")))
    assert [item.detail for item in state.of("running")] == ["4711"]
    assert state_of(tmp_path, Tool("run_shell_command", {"command": "ls"}, result("a"))).of("running") == ()


@pytest.mark.parametrize("text", ["On branch fix/tax\nnothing to commit", result("On branch fix/tax\nnothing")])
def test_git_status_tells_the_branch_where_the_program_does_not_record_it(text: str, tmp_path: Path) -> None:
    git = Tool("exec_command", {"cmd": "git status"}, text)
    session = session_of((User("Fix it."), git), "codex", tmp_path)
    assert WorkHistory(session).at_turn().text("where", "branch") in ("fix/tax", "main")
    assert state_of(tmp_path, Tool("run", {"command": "git status"}, text)).text("where", "branch") == "main"


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("edit_file_by_replace(\n'/w/App.css',\nto_replace='a', new_content='b')", [("changed", "/w/App.css")]),
        ("create_file('a.py')\nwith open('a.py', 'w') as f: f.write('')", [("created", "a.py")]),
        ("open('log.txt', mode='a').write('x'); os.remove('b.py')", [("changed", "log.txt"), ("deleted", "b.py")]),
        ("open_file('/w/App.css')\nprint(open('a.py').read(), open(name, 'w'))", []),
    ],
)
def test_files_that_python_code_names(code: str, files: list[tuple[str, str]]) -> None:
    assert [(change.kind, change.path) for change in files_in_code(code)] == files


def test_code_of_an_interpreter_is_no_shell_line_and_an_edit_that_failed_changes_nothing(tmp_path: Path) -> None:
    edit = {"code": "edit_file_by_replace('/w/a.py', to_replace='rm b.py', new_content='x')"}
    refused = "[Your proposed edit has introduced new syntax error(s).]\n/w/a.py:3"
    assert state_of(tmp_path, Tool("run_ipython", edit, refused)).of("file") == ()
    state = state_of(tmp_path, Tool("run_ipython", edit, "[File: /w/a.py (3 lines total after edit)]"))
    assert [(item.state, item.text) for item in state.of("file")] == [("changed", "/w/a.py")]


def test_a_call_that_ends_the_turn_gives_the_floor_to_the_user(tmp_path: Path) -> None:
    assert state_of(tmp_path, Tool("finish", {"message": "Done."}, "ok")).actor == "user"
    assert state_of(tmp_path, Tool("attempt_completion", {"result": "Done."}, "")).actor == "user"


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("a\n[The command completed with exit code 1.]", True),
        ("a\n[The command completed with exit code 0.]", False),
        ("exit status 2", True),
        ("Exit code: 0", False),
    ],
)
def test_exit_codes_in_the_words_of_several_programs(text: str, failed: bool) -> None:
    assert news_of(ToolResult("c", (Text(text),))).failed is failed


def test_a_script_that_polls_a_process_ends_it_when_it_has_exited(tmp_path: Path) -> None:
    start = 'const r = await tools.exec_command({cmd:"pnpm check"}); text(JSON.stringify(r));'
    poll = 'const r = await tools.write_stdin({"session_id":53069,"chars":""}); text(JSON.stringify(r));'
    steps: list[Step] = [Tool("exec", {"input": start}, '{"chunk_id":"a","session_id":53069,"output":"checking"}')]
    assert [item.detail for item in state_of(tmp_path, *steps).of("running")] == ["53069"]
    steps.append(Tool("exec", {"input": poll}, '{"chunk_id":"b","session_id":53069,"output":"half"}'))
    assert len(state_of(tmp_path, *steps).of("running")) == 1
    steps.append(Tool("exec", {"input": poll}, '{"chunk_id":"c","exit_code":0,"output":"done"}'))
    assert state_of(tmp_path, *steps).of("running") == ()


STILL = "<command with shellId: 30 is still running after 30 seconds. Use read_bash to continue waiting.>"
ENDED = 'Shell command "Serve" (shellId: 30) has completed successfully. Use read_bash to retrieve the output.'


@pytest.mark.parametrize("notice", ["", ENDED])
def test_shell_of_copilot_runs_until_its_notice(notice: str, tmp_path: Path) -> None:
    call = {"toolCallId": "c1", "name": "bash", "arguments": {"command": "npm run dev"}, "type": "function"}
    events = [
        ("session.start", {"sessionId": "s1", "version": 1, "producer": "copilot-agent", "context": {"cwd": "/shop"}}),
        ("user.message", {"content": "Start the shop."}),
        ("assistant.message", {"messageId": "m1", "content": "", "toolRequests": [call]}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": call["arguments"]}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"content": STILL}}),
        ("system.notification", {"content": f"<system_notification>\n{notice}\n</system_notification>"}),
        ("assistant.message", {"messageId": "m2", "content": "It runs."}),
    ]
    rows = [
        {"type": kind, "data": data, "id": f"e{at}", "timestamp": f"2026-06-25T01:55:{at:02}.000Z", "parentId": None}
        for at, (kind, data) in enumerate(events)
    ]
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (session,) = load(path)
    running = WorkHistory(session).at_turn().of("running")
    assert [(item.detail, item.text) for item in running] == ([] if notice else [("30", "npm run dev")])


def test_shell_of_copilot_is_stopped_by_its_id(tmp_path: Path) -> None:
    start = Tool("bash", {"command": "npm run dev"}, STILL)
    assert [item.detail for item in state_of(tmp_path, start).of("running")] == ["30"]
    assert state_of(tmp_path, start, Tool("stop_bash", {"shellId": "30"}, "Stopped.")).of("running") == ()
