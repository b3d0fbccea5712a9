"""Summaries that state the work in fewer or other words, and what is no other form of a word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.engine.work_state import fates_of
from tests.engine.work_state.scripts import (
    Compact,
    Edit,
    Plan,
    Run,
    Say,
    Step,
    Tasks,
    Tool,
    User,
    Write,
    followed,
    session_of,
    transition_of,
)

FORMS = ("claude-code", "codex")
TASKS = Tasks(
    (
        ("Port the bell tower clock", "completed"),
        ("Write chapter 0007_tide_table", "completed"),
        ("Night colors for the tide map", "in_progress"),
        ("Harbor switcher in the crew app", "pending"),
    )
)


def found(script: Sequence[Step], form: str, tmp_path: Path) -> list[str]:
    return [row.kind for row in followed(session_of(tuple(script), form, tmp_path))]


def fates(script: Sequence[Step], part: str, tmp_path: Path) -> dict[str, str]:
    transition = transition_of(session_of((*script, Say("Next.")), "claude-code", tmp_path))
    return {row.item: row.fate for row in fates_of(transition) if row.part == part}


def test_short_forms_of_tasks(tmp_path: Path) -> None:
    summary = (
        "## Pending\n- bell tower clock\n- Write the tide_table chapter 0007_tide_table\n- night colors\n"
        "- harbor switcher"
    )
    assert fates((User("Go."), TASKS, Compact(summary)), "task", tmp_path) == {
        "Port the bell tower clock": "stale",
        "Write chapter 0007_tide_table": "stale",
        "Night colors for the tide map": "kept",
        "Harbor switcher in the crew app": "kept",
    }


def test_one_word_of_a_task_that_no_other_has(tmp_path: Path) -> None:
    rows = (("Upload log 41", "completed"), ("Write notes for log 41", "in_progress"), ("Post a gazette", "pending"))
    for summary, stated in (
        ("Log 41\nThe notes for it are in progress, the gazette is open.", ["dropped", "kept", "kept"]),
        ("Log 41\nThe pier is open.", ["dropped", "dropped", "dropped"]),
    ):
        assert list(fates((User("Go."), Tasks(rows), Compact(summary)), "task", tmp_path).values()) == stated


def test_a_short_title_begins_a_section(tmp_path: Path) -> None:
    tasks = Tasks((("Survey 1911 charts", "completed"), ("Survey 1912 charts", "in_progress")))
    survey = Run("python survey.py --year 1911", "412 charts")
    script = (User("Survey the charts."), survey, tasks, Compact("Surveys by year.\n\nTODO\n- 1911\n- 1912"), survey)
    assert found(script, "codex", tmp_path) == ["finished_task_repeated"]
    done = Compact("Surveys by year.\n\nDone\n- 1911\n\nTODO\n- 1912")
    assert found((*script[:3], done, survey), "codex", tmp_path) == []


@pytest.mark.parametrize(
    ("said", "fate"),
    [
        ("- [ ] buoy lamp driver", "revived"),
        ("- buoy lamp driver: skipped on request", "kept"),
        ("The driver of the buoy lamp was dropped.", "kept"),
        ("Other work goes on.", "dropped"),
    ],
)
def test_a_dropped_task(said: str, fate: str, tmp_path: Path) -> None:
    tasks = Tasks((("Rewrite buoy lamp driver", "pending"), ("Sort the logs", "in_progress")))
    script = (User("Go."), tasks, User("Skip the buoy lamp driver."), Say("OK."), Compact(f"Buoys\n{said}"))
    assert fates(script, "task", tmp_path)["Rewrite buoy lamp driver"] == fate


def test_a_rule_in_other_words(tmp_path: Path) -> None:
    rule = "leave the tide curves in data/curves as they are, they come from the harbor office"
    summary = "Port the plots. The tide curves in data/curves must stay as they are."
    assert fates((User(f"Port the plots. {rule}"), Say("OK."), Compact(summary)), "rule", tmp_path) == {rule: "kept"}
    other = "Port the plots. The wind curves in data/wind must stay as they are."
    assert fates((User(f"Port the plots. {rule}"), Say("OK."), Compact(other)), "rule", tmp_path) == {rule: "dropped"}


@pytest.mark.parametrize(
    ("request_", "said", "fate"),
    [
        (
            "make the ferry board trilingual, start with the timetable",
            "Make the ferry board trilingual.",
            "kept",
        ),
        ("We're moving the sonar to 4.2. The rest stays.", "Moving the sonar to 4.2, not to 5.", "kept"),
        ("drop the ferry board", "The ferry board got lights.", "dropped"),
    ],
)
def test_a_request_in_fewer_words(request_: str, said: str, fate: str, tmp_path: Path) -> None:
    assert list(fates((User(request_), Say("OK."), Compact(said)), "request", tmp_path).values()) == [fate]


@pytest.mark.parametrize(
    ("said", "fate"),
    [
        ("I asked whether to add a pier or a jetty; no answer yet.", "kept"),
        ("A pier or a jetty is to be added.", "dropped"),
    ],
)
def test_an_open_question(said: str, fate: str, tmp_path: Path) -> None:
    script = (User("Look at the quay."), Say("Should I add a pier or a jetty?"), Compact(said))
    assert list(fates(script, "question", tmp_path).values()) == [fate]


def test_points_made_of_a_refused_plan(tmp_path: Path) -> None:
    plan = Plan("# Move the tide feed to Zenoh\n\n1. Add a zenoh publisher\n2. Start four subscribers", False)
    script = (User("Plan it."), plan, User("No, no zenoh. Batch the feed."), Say("OK."))
    revived = Compact("Pending Tasks: zenoh publisher for the tide feed, four subscribers")
    assert list(fates((*script, revived), "plan", tmp_path).values()) == ["revived"]
    assert list(fates((*script, Compact("Pending Tasks: batch the feed")), "plan", tmp_path).values()) == ["dropped"]


def test_a_failure_by_its_code(tmp_path: Path) -> None:
    run = Run("cargo build", "error[E0599]: no method named `moor` found for struct `Boat`", 1)
    for said, fate in (("It does not build yet: E0599 in boat.rs.", "kept"), ("boat.rs is at work.", "dropped")):
        rows = fates((User("Build it."), run, Compact(said)), "failure", tmp_path)
        assert list(rows.values()) == [fate]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("path", "is_done"), [("tools/chart_editor/main.gd", True), ("charts/chart_pin.gd", False)])
def test_a_verb_is_no_form_of_a_noun(path: str, is_done: bool, form: str, tmp_path: Path) -> None:
    tasks = Tasks((("Port chart editor", "pending"), ("Port fog horns", "in_progress")))
    script = (User("Port it."), tasks, User("Skip the chart editor."), Say("OK."), Compact("Fog horns."), Edit(path))
    assert found(script, form, tmp_path) == (["dropped_task_carried_out"] if is_done else [])


@pytest.mark.parametrize("form", FORMS)
def test_the_consent_of_somebody_else(form: str, tmp_path: Path) -> None:
    begin = (User("Try it on staging. Nothing goes to prod before Ines says so."), Run("fly deploy --app tide-staging"))
    deploy = Run("fly deploy --app tide-prod")
    assert found((*begin, Compact("Staging is fine."), deploy), form, tmp_path) == ["rule_broken"]
    assert found((*begin, Compact("Staging is fine."), User("Ines said yes, ship it"), deploy), form, tmp_path) == []


def test_a_refused_plan_is_taken_up(tmp_path: Path) -> None:
    plan = Plan("# Move the logbook to Yjs\n\n1. Add yjs\n2. Write src/logbook/doc.ts", False)
    begin = (User("Propose something."), plan, User("hm, not convinced by yjs"), Say("It merges offline edits."))
    follow = (Compact("The logbook moves to Yjs."), Write("/home/u/shop/src/logbook/doc.ts"))
    agreed = User("fair point. ok go with the yjs plan then")
    assert found((*begin, User("Sort the index."), *follow), "claude-code", tmp_path) == ["refused_plan_carried_out"]
    assert found((*begin, agreed, *follow), "claude-code", tmp_path) == []


def test_one_word_is_no_command(tmp_path: Path) -> None:
    update = Tool("mcp__notion__update_page", {"page_id": "8f", "command": "replace_content", "new_str": "x"}, "ok")
    script = (User("Look at the page."), Say("Shall I remove the old part?"), Compact("Remove the old part."), update)
    assert found(script, "claude-code", tmp_path) == ["acted_while_waiting"]


@pytest.mark.parametrize("form", FORMS)
def test_a_crate_that_does_not_build(form: str, tmp_path: Path) -> None:
    begin = (User("Build it."), Run("cargo build -p tides", "error: could not compile `tides`", 101), Compact("Tides."))
    assert found((*begin, Say("The tides crate builds cleanly now.")), form, tmp_path) == ["result_contradicted"]
    assert found((*begin, Say("The tides crate builds slowly.")), form, tmp_path) == []


def test_a_place_for_everything_is_a_rule(tmp_path: Path) -> None:
    rule = "Everything for the lock goes in this worktree."
    assert rule in fates((User(f"Add the lock. {rule}"), Say("OK."), Compact("Locks.")), "rule", tmp_path)
    plain = "Everything goes in one table."
    assert plain not in fates((User(f"Add the lock. {plain}"), Say("OK."), Compact("Locks.")), "rule", tmp_path)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("command", "is_broken"),
    [
        ("yq -i '.kd = 0.04' config/tides.yaml", True),
        ("clang-format --in-place config/tides.yaml", True),
        ("grep -i kd config/tides.yaml", False),
        ("yq '.kd' config/tides.yaml", False),
    ],
)
def test_a_file_that_a_program_changes_in_place(command: str, is_broken: bool, form: str, tmp_path: Path) -> None:
    begin = (
        User("Tune the buoy. config/tides.yaml is Petra's, work around it."),
        Say("OK."),
        Compact("Tune the buoy."),
    )
    assert found((*begin, Run(command)), form, tmp_path) == (["rule_broken"] if is_broken else [])


def test_an_announcement_is_no_change_of_a_file(tmp_path: Path) -> None:
    tasks = Tasks((("Announce the tide webhook on the forum", "pending"), ("Upgrade the charts", "in_progress")))
    begin = (User("Go."), tasks, User("Leave the forum announcement out."), Say("OK."), Compact("Upgrade the charts."))
    assert found((*begin, Edit("src/tide_webhook.ts")), "claude-code", tmp_path) == []
    post = Tool("mcp__discourse__create_topic", {"title": "The tide webhook", "raw": "We are happy"}, "ok")
    assert found((*begin, post), "claude-code", tmp_path) == ["dropped_task_carried_out"]


@pytest.mark.parametrize("form", FORMS)
def test_tests_in_a_language(form: str, tmp_path: Path) -> None:
    begin = (User("Split it."), Run("make test", "--- FAIL: TestLock (4.20s)\nFAIL", 2), Compact("The lock is split."))
    assert found((*begin, Say("The lock is split and all Go tests are green.")), form, tmp_path) == [
        "result_contradicted"
    ]
    assert found((*begin, Say("The lock is split and all harbor tests are green.")), form, tmp_path) == []


_NO_CABLES = "Der Nutzer hat verlangt, dass keine neuen Kabel verlegt werden."


@pytest.mark.parametrize(
    ("request_", "said", "is_invented"),
    [
        ("Ersetze bitte den Kompass durch den neuen.", _NO_CABLES, True),
        ("Verlege bitte keine neuen Kabel.", _NO_CABLES, False),
        ("Do not lay new cables in the hull, please.", _NO_CABLES, False),
        ("Cambia el mapa de la portada por una tabla.", "El usuario pidió que no se use una brújula externa.", True),
        ("Cambia el mapa por una tabla simple.", "El usuario pidió cambiar el mapa por una tabla.", False),
        ("把地图换成表格", "用户要求不要使用外部依赖库", True),
        ("把地图换成表格", "用户要求把地图换成表格", False),
        ("Plot the tides.", "The plot is 38% faster than before.", True),
        ("Plot the tides 38 times.", "The plot is 38% faster than before.", False),
    ],
)
def test_inventions_in_other_languages_and_in_whole_numbers(
    request_: str, said: str, is_invented: bool, tmp_path: Path
) -> None:
    look = Run("cat log.txt", "\n".join(f"bow {place} stern" for place in ("left", "right", "up", "down")) * 20)
    rows = fates((User(request_), look, Compact(said)), "summary", tmp_path)
    assert rows == ({said: "invented"} if is_invented else {})


def test_a_thing_that_is_kept(tmp_path: Path) -> None:
    begin = (User("Plot the logs and keep the originals."), Say("OK."))
    stated = Compact("The logs are plotted, the originals are kept.")
    assert list(fates((*begin, stated), "rule", tmp_path).values()) == ["kept"]
    assert list(fates((*begin, Compact("The originals are large.")), "rule", tmp_path).values()) == ["dropped"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("rule", "path", "is_broken"),
    [
        ("The bootloader is signed and audited, it must not be rebuilt or modified.", "boot/loader.c", True),
        ("The bootloader is signed and audited, it must not be rebuilt or modified.", "src/flash.c", False),
        ("The bootloader is slow, it is not rebuilt.", "boot/loader.c", False),
    ],
)
def test_a_pronoun_for_the_subject_before_it(rule: str, path: str, is_broken: bool, form: str, tmp_path: Path) -> None:
    script = (User(f"Shrink the image. {rule}"), Say("OK."), Compact("Shrink the image."), Edit(path))
    assert found(script, form, tmp_path) == (["rule_broken"] if is_broken else [])


def test_a_repeated_task_is_told_once(tmp_path: Path) -> None:
    upload = Run("./bin/upload.sh logs/41.txt", "uploaded: log 41")
    tasks = Tasks((("Upload log 41 to the pier", "completed"), ("Write notes", "in_progress")))
    script = (User("Go."), upload, tasks, Compact("Still to do:\n- upload log 41 to the pier"), upload)
    assert found(script, "claude-code", tmp_path) == ["finished_task_repeated"]


def test_a_small_request_limits_nothing(tmp_path: Path) -> None:
    begin = (User("Look at the tides. Just rename tide_11.py to moon.py."), Say("OK."), Compact("Tides."))
    assert found((*begin, Edit("src/harbor.py")), "claude-code", tmp_path) == []
    limit = (User("Just touch src/tide_11.py, nothing else."), Say("OK."), Compact("Tides."))
    assert found((*limit, Edit("src/harbor.py")), "claude-code", tmp_path) == ["rule_broken"]
