"""Failures in the state of the work: which line says why, and which later command ends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state import WorkHistory
from tests.engine.work_state.scripts import Run, Step, Tool, User, session_of


def failures(folder: Path, *steps: Step, form: str = "claude-code") -> list[tuple[str, str]]:
    state = WorkHistory(session_of((User("Fix it."), *steps), form, folder)).at_turn()
    return [(item.name, item.text) for item in state.of("failure")]


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("# shop/cart\ncart.go:4:2: undefined: total", "cart.go:4:2: undefined: total"),
        ("accepts at most 1 arg(s), received 3", "accepts at most 1 arg(s), received 3"),
        ("collecting\nNo such file: a.py", "No such file: a.py"),
    ],
)
def test_the_first_line_that_says_why_a_command_failed(output: str, line: str, tmp_path: Path) -> None:
    assert failures(tmp_path, Run("make cart", output, 1)) == [("make cart", line)]


@pytest.mark.parametrize(
    ("command", "code", "fails"),
    [("pnpm test", 0, False), ("pnpm test | tail -5", 0, True), ("pnpm test", 1, True)],
)
def test_words_of_failure_in_a_check_that_exits_with_0(command: str, code: int, fails: bool, tmp_path: Path) -> None:
    steps = Run(command, "ERROR: Failed to parse a certificate\n4 passing", code)
    assert bool(failures(tmp_path, steps, form="codex")) is fails


@pytest.mark.parametrize(
    ("later", "is_over"),
    [
        ("git add -A && git commit --no-edit", True),
        ("git rebase --continue", True),
        ("cd sub && git merge --abort", True),
        ("git push origin main", True),
        ("git status", False),
        ("git log --oneline", False),
    ],
)
def test_a_conflict_is_over_once_git_goes_on(later: str, is_over: bool, tmp_path: Path) -> None:
    merge = Run("git merge main", "CONFLICT (content): a.py\nAutomatic merge failed; fix conflicts", 1)
    assert (failures(tmp_path, merge, Run(later, "ok")) == []) is is_over


@pytest.mark.parametrize(
    ("command", "fails"), [("gh pr diff 7 -- a.py", False), ("git show a:b", False), ("git push", True)]
)
def test_a_command_that_only_looks_at_something_leaves_no_failure(command: str, fails: bool, tmp_path: Path) -> None:
    assert bool(failures(tmp_path, Run(command, "fatal: no such path", 1))) is fails


@pytest.mark.parametrize("space", ["", " "])
def test_the_output_in_an_object_is_read_without_the_object(space: str, tmp_path: Path) -> None:
    printed = "cart.go:77:2: result of Errorf call not used"
    result = f'{{"output":{space}"\\u001b[31m{printed}\\u001b[0m","metadata":{space}{{"exit_code":{space}1}}}}'
    step = Tool("shell", {"command": ["bash", "-lc", "go vet ./..."]}, result)
    assert failures(tmp_path, step, form="codex") == [("go vet ./...", printed)]


@pytest.mark.parametrize(
    "command",
    [
        "git stash && pytest -q; git stash pop",
        "git stash push -u -q\npytest -q\ngit stash pop -q",
        "git checkout HEAD~2 -- src && pytest -q; git checkout - -- src",
        "git checkout 3fa9c1d && pytest -q; git switch -",
    ],
)
def test_a_check_of_old_code_says_nothing_of_the_work(command: str, tmp_path: Path) -> None:
    now = Run("pytest -q", "FAILED test_cart.py::test_total\n1 failed", 1)
    assert failures(tmp_path, Run(command, "FAILED test_cart.py::test_rows\n1 failed", 1)) == []
    assert failures(tmp_path, now, Run(command, "9 passed")) == failures(tmp_path, now) != []


@pytest.mark.parametrize("command", ["git stash pop && pytest -q", "git stash list; pytest -q", "git switch a; pytest"])
def test_a_check_after_changes_are_back_is_one_of_the_work(command: str, tmp_path: Path) -> None:
    assert len(failures(tmp_path, Run(command, "1 failed", 1))) == 1
