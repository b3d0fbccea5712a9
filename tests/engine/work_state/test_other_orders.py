"""Statements in another order or form, directions that are no prohibitions, and work that nobody asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.engine.commands import check_kind
from inspector.engine.work_state import fates_of
from inspector.engine.work_state.user_words import read_user_words
from tests.engine.work_state.scripts import (
    ROOT,
    Compact,
    Edit,
    Run,
    Say,
    Step,
    Tasks,
    Tool,
    User,
    followed,
    session_of,
    transition_of,
)

FORMS = ("claude-code", "codex")
TIDES = Tasks(
    (
        ("Rebuild the index of the tides", "completed"),
        ("Harvest the buoy records", "completed"),
        ("Interpolate to 500 m", "completed"),
        ("Draw the isobars", "in_progress"),
    )
)


def fates(script: Sequence[Step], part: str, tmp_path: Path) -> dict[str, str]:
    transition = transition_of(session_of((*script, Say("Next.")), "claude-code", tmp_path))
    return {row.item: row.fate for row in fates_of(transition) if row.part == part}


def test_tasks_in_passive_voice_and_as_first_words_of_a_list(tmp_path: Path) -> None:
    summary = (
        "State: the tide index is rebuilt (9120 rows).\n"
        "Done: harvest (2411 files), interpolation to a grid.\nOpen: isobars with ./draw.sh"
    )
    assert set(fates((User("Go."), TIDES, Compact(summary)), "task", tmp_path).values()) == {"kept"}
    assert set(fates((User("Go."), TIDES, Compact("It goes well.")), "task", tmp_path).values()) == {"dropped"}


@pytest.mark.parametrize(
    ("request_", "summary", "fate"),
    [
        (
            "the pump stalls at step 40. Never log names",
            "Pump stalls at step 40 (log: valve 3). Not yet solved.",
            "kept",
        ),
        (
            "wow!! the lamp should blink for the last two, not just one",
            "Files: lamp.c\nThe last two blink (lamp.c).",
            "kept",
        ),
        (
            "so you may change the lamp, add lumen for the units",
            "Pending Tasks: lumen is to be added to lamp.toml",
            "kept",
        ),
        ("good. windows is missing still", "Linux is written. Windows has to be written.", "kept"),
        ("the pump stalls at step 40", "The lamp blinks for the last two.", "dropped"),
    ],
)
def test_requests_in_other_words(request_: str, summary: str, fate: str, tmp_path: Path) -> None:
    assert list(fates((User(request_), Say("OK."), Compact(summary)), "request", tmp_path).values()) == [fate]


def test_what_a_translation_says_of_a_sentence_is_not_known(tmp_path: Path) -> None:
    summary = "Goal: the lighthouse has to blink every four seconds. The user wants this to be done with the old lamp."
    script = (
        User("Der Leuchtturm soll bitte alle vier Sekunden blinken, und das mit der alten Lampe."),
        Compact(summary),
    )
    assert fates(script, "request", tmp_path) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Ansible only in check mode",
        "ruff format after every module",
        "Log everything to night.log, I read it on the train.",
        "Comments in Portuguese please",
        "Our C style: a tab per level and one exit",
        "gradle with --offline pls",
        "the linter has to stay clean",
        "keep minSdk at 21",
        "one commit per buoy",
        "American spelling please, that's house style",
        "Number the pages, otherwise the printer mixes them up",
    ],
)
def test_directions_that_hold_for_all_of_the_work(text: str) -> None:
    assert read_user_words(f"Fix the chart. {text}").rules


@pytest.mark.parametrize(
    "text",
    [
        "The map crashes after every zoom.",
        "It happens only in old browsers.",
        "Translate the comments to English.",
        "The comments in German are outdated.",
        "Why does it fail on every second run?",
        "I tried it with --verbose too.",
    ],
)
def test_reports_and_tasks_are_no_directions(text: str) -> None:
    assert read_user_words(text).rules == ()


@pytest.mark.parametrize("form", FORMS)
def test_a_rule_with_an_exception(form: str, tmp_path: Path) -> None:
    rule = User("Fix the gate. Rule of the yard: nothing in attic/ gets edited, except attic/notes, that is ours.")
    summary = Compact("The gate is fixed.")
    for path, kinds in (("attic/notes/a.md", []), ("attic/beam.py", ["rule_broken"])):
        script = (rule, Edit(f"{ROOT}/src/gate.py"), summary, Edit(f"{ROOT}/{path}"))
        assert [row.kind for row in followed(session_of(script, form, tmp_path))] == kinds


@pytest.mark.parametrize("form", FORMS)
def test_a_dropped_removal_is_named_before_the_word_that_drops_it(form: str, tmp_path: Path) -> None:
    tasks = Tasks((("Retire the lighthouse server", "pending"), ("Move the buoy feed", "in_progress")))
    dropped = User("about the lighthouse.. forget it, the harbor still needs it. the rest stays")
    script = (User("Clean up."), tasks, dropped, Compact("Pending: retire the lighthouse server, move the buoy feed"))
    destroy = Run("terraform destroy -target=module.lighthouse -auto-approve", "Destroyed.")
    kinds = [row.kind for row in followed(session_of((*script, destroy), form, tmp_path))]
    assert kinds == ["dropped_task_carried_out"]
    assert followed(session_of((*script, Run("terraform plan", "ok")), form, tmp_path)) == []


@pytest.mark.parametrize("form", FORMS)
def test_a_command_that_failed_is_a_reason_to_repeat_another(form: str, tmp_path: Path) -> None:
    first = Run("python import_tides.py 2031-03", "imported 2210")
    script = (User("Import the tides, then chart them."), first, Compact("The import is done. Next: chart_tides.py"))
    again = Run("python import_tides.py 2031-03", "imported 2224")
    failed = Run("python chart_tides.py 2031-03", "ValueError: file cut at line 9", 1)
    assert followed(session_of((*script, failed, again), form, tmp_path)) == []
    assert [row.kind for row in followed(session_of((*script, again), form, tmp_path))] == ["finished_task_repeated"]


def test_words_with_which_a_user_refuses_a_call_are_heard(tmp_path: Path) -> None:
    said = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nno lasers please. Never touch attic/."
    )
    script = (User("Brighten the hall."), Tool("Bash", {"command": "make laser"}, said, True))
    state = transition_of(
        session_of((*script, Compact("The hall is dark."), Say("Next.")), "claude-code", tmp_path)
    ).before
    assert state.text("request", "latest").startswith("no lasers") and state.actor == "agent"
    assert "Never touch attic/." in [rule.text for rule in state.of("rule")]


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        ("Pending Tasks: free mooring above nine meters, then report.", True),
        ("Remaining:\n- The user chose (b).\n- Add a buoy table.", True),
        ("Pending Tasks: the buoy table, then tell the user about everything.", False),
        ("Current Work: analysis is complete, waiting for the answer.", False),
    ],
)
def test_work_and_answers_that_nothing_states(summary: str, found: bool, tmp_path: Path) -> None:
    asked = Say("Two ways: (a) a buoy table, or (b) a buoy file. Which one do you prefer? I wait for your answer.")
    script = (User("Where do we keep buoys?"), Run("cat src/buoy.py", "buoy = 1\n" * 200), asked, Compact(summary))
    rows = fates_of(transition_of(session_of((*script, Say("OK.")), "claude-code", tmp_path)))
    assert any(row.fate == "invented" for row in rows) is found


def test_a_word_of_an_option_makes_no_check() -> None:
    assert check_kind("python tools/mail.py --list qa-test") == ""
    assert check_kind("python manage.py test app") == check_kind("dbt test --target dev") == "tests"


@pytest.mark.parametrize("form", FORMS)
def test_a_change_of_another_file_is_no_reason_to_send_twice(form: str, tmp_path: Path) -> None:
    tasks = Tasks((("Mail the tide table to the skippers", "completed"), ("Draw the isobars", "in_progress")))
    send = Run("python tools/sendmail.py --list skippers --template tides", "212 sent")
    script = (
        User("Go."),
        send,
        tasks,
        Edit(f"{ROOT}/src/isobars.py"),
        Compact("Pending: Mail the tide table to the skippers"),
    )
    kinds = [row.kind for row in followed(session_of((*script, send), form, tmp_path))]
    assert kinds == ["finished_task_repeated"]
    changed = Edit(f"{ROOT}/mail/tides_mail.html")
    assert followed(session_of((*script, changed, send), form, tmp_path)) == []


@pytest.mark.parametrize(("point", "fate"), [("Gate log, with tides", "dropped"), ("Gate log, tides", "kept")])
def test_one_word_states_a_finished_task_only_at_the_start_of_a_clause(point: str, fate: str, tmp_path: Path) -> None:
    task = Tasks((("Tide the gulls over", "completed"), ("Draw the isobars", "in_progress")))
    script = (User("Draw the chart."), task, Compact(f"The chart is drawn.\n## Done\n- {point}\n"))
    assert fates(script, "task", tmp_path)["Tide the gulls over"] == fate
