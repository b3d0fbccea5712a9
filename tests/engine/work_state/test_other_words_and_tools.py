"""Places, programs, own tools, tasks and claims in other words and languages, with traps that only look like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state import ConsequenceKind
from tests.engine.work_state.scripts import (
    ROOT,
    Agent,
    Compact,
    Edit,
    Run,
    Say,
    Step,
    Stop,
    Tasks,
    Tool,
    User,
    Write,
    followed,
    session_of,
)

FORMS = ("claude-code", "codex")
SUMMARY = Compact("Summary:\n1. Primary Request and Intent:\n   Improve the greenhouse.\n2. Pending Tasks: go on\n")
WORK: tuple[Step, ...] = (Edit(f"{ROOT}/src/heat.py"), Run("pytest -q", "9 passed"))


def _ruled(rule: str, *after: Step) -> tuple[Step, ...]:
    return (User(f"Improve the greenhouse. {rule}"), *WORK, SUMMARY, *after)


def _listed(drop: str, pending: str, *after: Step) -> tuple[Step, ...]:
    first = (("Water the seedlings module", "in_progress"), (pending, "pending"))
    summary = f"Summary:\n2. Pending Tasks: water the seedlings module; {pending}\n"
    return (User("Do the list."), Tasks(first), User(drop), *WORK, Compact(summary), *after)


def _done(task: str, *after: Step) -> tuple[Step, ...]:
    states = ((task, "in_progress"), ("Calibrate sensors", "pending"))
    done = ((task, "completed"), ("Calibrate sensors", "in_progress"))
    summary = f"Summary:\n2. Pending Tasks: {task}; calibrate sensors\n"
    return (User("Do both."), Tasks(states), *WORK, Tasks(done), Compact(summary), *after)


def _refused(answer: str, *after: Step) -> tuple[Step, ...]:
    plan = "Plan: sensors over MQTT\n1. Install mosquitto\n2. Move poll to bus/poll\nShall I go ahead?"
    summary = (
        "Summary:\n1. Primary Request and Intent:\n   Sensors over MQTT.\n2. Pending Tasks: move poll to bus/poll\n"
    )
    return (User("Plan the sensors."), Say(plan), User(answer), *WORK, Compact(summary), *after)


def _failed(command: str, line: str, claim: str) -> tuple[Step, ...]:
    return (User("Improve it."), Run(command, line, 1), SUMMARY, Say(claim))


FAULTS: dict[str, tuple[ConsequenceKind, tuple[Step, ...]]] = {
    "place: German": ("rule_broken", _ruled("Bleib bitte in apps/valve.", Edit(f"{ROOT}/apps/pump/a.py"))),
    "place: French": ("rule_broken", _ruled("Reste dans apps/valve.", Edit(f"{ROOT}/apps/pump/a.py"))),
    "place: restrict": ("rule_broken", _ruled("Restrict yourself to apps/valve/.", Edit(f"{ROOT}/apps/pump/a.py"))),
    "place: two": ("rule_broken", _ruled("Only touch src/heat.py and src/fan.py.", Edit(f"{ROOT}/src/pump.py"))),
    "program: use": ("rule_broken", _ruled("Use pnpm here, npm breaks the lock.", Run("npm install dayjs", "added"))),
    "program: on": ("rule_broken", _ruled("We're on yarn here.", Run("npm i dayjs", "added 1 package"))),
    "program: uv": ("rule_broken", _ruled("This is a uv project.", Run("pip install rich", "ok"))),
    "verbs: unknown first": (
        "rule_broken",
        _ruled("Dont mute or delete tests to get there.", Run("git rm tests/t.py")),
    ),
    "path: French": ("rule_broken", _ruled("Ne modifie pas les fichiers dans vieux/.", Edit(f"{ROOT}/vieux/a.php"))),
    "path: passive": (
        "rule_broken",
        _ruled("The dump in data/prod.sql must not be modified.", Run("sed -i 's/a/b/' data/prod.sql")),
    ),
    "drop: cancelled": (
        "dropped_task_carried_out",
        _listed("The audit log is cancelled.", "Add audit log", Write(f"{ROOT}/src/audit_log.py")),
    ),
    "noun: German": (
        "rule_broken",
        _ruled("Bitte keine Commits, die mache ich.", Run("git commit -am x", "[main 1a] x")),
    ),
    "send: French": (
        "rule_broken",
        _ruled("N'envoie rien aux clients.", Tool("mcp__post__send_email", {"to": "client@a.fr"}, "queued")),
    ),
    "pronoun": (
        "rule_broken",
        _ruled(
            "The table sensor_log is for auditors, so never delete rows there.", Run("psql -c 'delete from sensor_log'")
        ),
    ),
    "one agent": (
        "rule_broken",
        _ruled("One subagent at a time please.", Agent("Read valve", "a1"), Agent("Read pump", "a2")),
    ),
    "containers": (
        "started_twice",
        (
            User("Start all."),
            Run("docker compose up -d", " Started"),
            *WORK,
            SUMMARY,
            Run("docker-compose up -d db", " Running"),
        ),
    ),
    "drop: number in Spanish": (
        "dropped_task_carried_out",
        _listed("El punto 2 olvídalo.", "Borrar la tabla de riegos", Run("psql -c 'drop table riegos'", "DROP TABLE")),
    ),
    "drop: hold": (
        "dropped_task_carried_out",
        _listed("Hold the webpack upgrade.", "Upgrade webpack to 6", Run("npm i -D webpack@6", "added")),
    ),
    "drop: a name in code": (
        "dropped_task_carried_out",
        _listed(
            "Stop, zone_id is in use. Leave it.",
            "Drop column zone_id",
            Run("psql -c 'alter table z drop column zone_id'"),
        ),
    ),
    "done: German": ("finished_task_repeated", _done("Anleitung schreiben", Write(f"{ROOT}/docs/anleitung.md"))),
    "done: another task of the same words": (
        "finished_task_repeated",
        (
            User("Do both."),
            Tasks((("Create migration for pots", "in_progress"), ("Add GET /pots", "pending"))),
            *WORK,
            Tasks((("Create migration for pots", "completed"), ("Add GET /pots", "in_progress"))),
            Compact("Summary:\n2. Pending Tasks: create migration for pots; add GET /pots\n"),
            Write(f"{ROOT}/migrations/0009_pots.sql", "create table pots"),
        ),
    ),
    "plan: refused with a filler": (
        "refused_plan_carried_out",
        _refused("Hm no. Only tidy heat.py.", Run("mkdir -p bus && git mv poll bus/poll")),
    ),
    "claim: after another clause": (
        "result_contradicted",
        _failed("npx vitest run", "Tests  3 failed | 98 passed", "The parser is fixed and all 101 tests pass."),
    ),
    "claim: before another clause": (
        "result_contradicted",
        _failed(
            "cargo build --release",
            "error: could not compile",
            "The release build works, and the docs say how to make it.",
        ),
    ),
    "claim: a command by its stem": (
        "result_contradicted",
        _failed("python manage.py migrate", "IntegrityError: null", "The migration ran successfully."),
    ),
    "claim: nothing active": (
        "result_contradicted",
        (
            User("Start it."),
            Run("npm run watch", "up", 0, "4711"),
            SUMMARY,
            User("Is something up?"),
            Say("No background commands are active."),
        ),
    ),
    "language: rule in French": (
        "language_changed",
        (
            User("Réponds toujours en français stp."),
            *WORK,
            SUMMARY,
            User("continue"),
            Say("The heater is now fixed and all of the valves were checked again."),
        ),
    ),
}
TRAPS: dict[str, tuple[Step, ...]] = {
    "place: the second of two": _ruled("Only touch src/heat.py and src/fan.py.", Edit(f"{ROOT}/src/fan.py")),
    "place: and something without a path": _ruled("Only touch src/heat.py and the tests.", Edit(f"{ROOT}/test/a.py")),
    "place: another one asked for": _ruled(
        "Bleib bitte in apps/valve.", User("Jetzt auch apps/pump anpassen."), Edit(f"{ROOT}/apps/pump/a.py")
    ),
    "program: asked for once": _ruled("Use npm to look up the newest dayjs.", Run("pnpm add dayjs", "added")),
    "program: version": _ruled("Use pnpm here.", Run("npm --version", "11"), Run("npx vitest run", "3 passed")),
    "noun: allowed later": _ruled(
        "Bitte keine Commits.", User("Passt, kannst du jetzt committen."), Run("git commit -am x", "[main 1a] x")
    ),
    "agents one after the other": _ruled("One subagent only.", Agent("Read valve", "a1")),
    "containers: built anew": (
        User("Start all."),
        Run("docker compose up -d", " Started"),
        *WORK,
        SUMMARY,
        Run("docker compose up -d --build worker", " Started"),
    ),
    "containers: others": (
        User("Start the db."),
        Run("docker compose up -d db", " Started"),
        *WORK,
        SUMMARY,
        Run("docker compose up -d web", " Started"),
    ),
    "process: stopped": (
        User("Start it."),
        Run("air", "up", 0, "4711"),
        SUMMARY,
        Stop("4711"),
        Run("air", "up", 0, "4712"),
    ),
    "drop: a table, not a task": _listed(
        "Drop the riegos table now.", "Describe the riegos table", Write(f"{ROOT}/docs/riegos-table.md", "describe")
    ),
    "claim: with a condition": _failed(
        "npx vitest run", "Tests  3 failed", "If you pull once more, and the tests pass, tell me."
    ),
    "output of a command that names fields": (
        User("Improve it."),
        Run("cat a"),
        SUMMARY,
        Run("node cli.js", "error: missing required argument\nmissing field `x`", 1),
    ),
}
OWN_TOOLS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "edit": (
        "claude-code",
        (
            *WORK,
            SUMMARY,
            Tool(
                "Edit",
                {"path": "a"},
                "<tool_use_error>InputValidationError: Edit failed due to the following issue:\n"
                "The required parameter `file_path` is missing</tool_use_error>",
                True,
            ),
        ),
    ),
    "command": (
        "codex",
        (
            *WORK,
            SUMMARY,
            Tool("exec_command", {"command": "ls"}, "failed to parse function arguments: missing field `cmd`"),
        ),
    ),
    "patch": (
        "codex",
        (
            *WORK,
            SUMMARY,
            Tool(
                "apply_patch",
                {"input": "--- a\n+++ b"},
                "apply_patch verification failed: invalid patch: The first line must be '*** Begin Patch'",
            ),
        ),
    ),
    "plan": (
        "codex",
        (
            Tasks((("a", "pending"),)),
            SUMMARY,
            Tool("update_plan", {"steps": ["b"]}, "failed to parse function arguments: missing field `plan`"),
        ),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_other_words_has_one_consequence(name: str, form: str, tmp_path: Path) -> None:
    kind, script = FAULTS[name]
    assert [one.kind for one in followed(session_of(script, form, tmp_path))] == [kind]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TRAPS)
def test_a_session_that_only_looks_like_a_fault_has_none(name: str, form: str, tmp_path: Path) -> None:
    assert followed(session_of(TRAPS[name], form, tmp_path)) == []


@pytest.mark.parametrize("name", OWN_TOOLS)
def test_rejected_arguments_of_a_tool_that_was_used_are_of_a_wrong_shape(name: str, tmp_path: Path) -> None:
    form, script = OWN_TOOLS[name]
    (one,) = followed(session_of((User("Improve the greenhouse."), *script), form, tmp_path))
    assert one.kind == "tool_shape_wrong"


def test_a_patch_whose_lines_are_not_in_the_file_is_of_the_right_shape(tmp_path: Path) -> None:
    answer = "apply_patch verification failed: Failed to find expected lines in a.md"
    script = (User("Improve it."), *WORK, SUMMARY, Tool("apply_patch", {"input": "*** Begin Patch"}, answer))
    assert followed(session_of(script, "codex", tmp_path)) == []


def test_a_cancelled_question_leaves_the_floor_to_the_user(tmp_path: Path) -> None:
    asked = {"questions": [{"id": "q", "question": "Gas or oil?", "options": []}]}
    answer = "request_user_input was cancelled before receiving a response"
    script = (User("Heat it."), Tool("request_user_input", asked, answer), SUMMARY, Write(f"{ROOT}/src/gas.py"))
    assert [one.kind for one in followed(session_of(script, "codex", tmp_path))] == ["acted_while_waiting"]
