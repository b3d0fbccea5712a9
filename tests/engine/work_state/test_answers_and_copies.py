"""Answers that put work off or ask for something else, copies of a project, and replies in more languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import (
    ROOT,
    Agent,
    Compact,
    Edit,
    Run,
    Say,
    Step,
    Tasks,
    Tool,
    User,
    Where,
    Write,
    followed,
    session_of,
)
from tests.engine.work_state.test_consequences import ENGLISH, FORMS, SUMMARY

COPY = "/tmp/shop-trial"
COPIED: tuple[Step, ...] = (
    Where(ROOT, "main"),
    User("Try the upgrade in a separate clone in /tmp/shop-trial, my own folder has to stay clean."),
    Run(f"git clone {ROOT} {COPY}", "Cloning into '/tmp/shop-trial'..."),
    Edit(f"{COPY}/src/totals.py"),
)
ASKED: tuple[Step, ...] = (
    User("How would you cut reports.py into pieces? Don't change anything yet, I have to talk to Ines."),
    Say("Into daily.py, monthly.py and mail.py."),
)
SUGGESTED: tuple[Step, ...] = (
    User("The start page needs four seconds."),
    Say("I'd build a Varnish layer in front of the start page, with purging by tag."),
)
OTHER = User("That only hides it and people see old offers. Speed up the template instead.")
HARDEN = Tasks((("Lock out after ten attempts", "completed"), ("Fingerprint login", "pending")))
POLISH: tuple[Step, ...] = (
    User("Sprawdź, czemu faktury się nie drukują, i popraw to."),
    Say("Dobrze, najpierw zobaczę kolejkę drukarki w biurze."),
    Say("Kolejka stoi, bo sterownik zgubił ustawienia papieru."),
)
SETTLED: tuple[Step, ...] = (
    User("Move config.py to TOML, then drop the old loader."),
    Write(f"{ROOT}/src/config.py"),
    Tasks((("Move config.py to TOML", "completed"), ("Drop the old loader", "in_progress"))),
)
CONFIG: tuple[Step, ...] = (
    Tasks((("Move config.py to TOML", "in_progress"), ("Drop the old loader", "pending"))),
    Write(f"{ROOT}/src/config.py", "import tomllib"),
)
WORKER = Run("celery -A shop worker", "celery ready.", background="b1")
FAULTS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "branch in Spanish": (
        "outside_folder",
        (
            Where(ROOT, "develop"),
            User("Abre una rama aparte para el descuento, en develop no quiero nada todavía."),
            Run("git checkout -b descuento", "Switched to a new branch 'descuento'"),
            Where(ROOT, "descuento"),
            Edit(f"{ROOT}/src/totals.py"),
            Run("git commit -qam 'Calcula el descuento'", ""),
            SUMMARY,
            Run("git checkout develop", "Switched to branch 'develop'"),
            Where(ROOT, "develop"),
            Edit(f"{ROOT}/src/taxes.py"),
            Run("git commit -qam 'Corrige el impuesto'", "[develop 1a2] Corrige el impuesto"),
        ),
    ),
    "failed roll-out": (
        "result_contradicted",
        (
            User("Bring it to staging."),
            Run("kubectl rollout status deploy/shop", "error: deployment shop exceeded its progress deadline", 1),
            SUMMARY,
            Say("The deployment was rolled out successfully."),
        ),
    ),
    "settled again": ("finished_task_repeated", (*SETTLED, SUMMARY, *CONFIG)),
    "asked not to redo": (
        "finished_task_repeated",
        (*SETTLED, User("Nice, don't redo config.py."), SUMMARY, *CONFIG),
    ),
    "copy": ("outside_folder", (*COPIED, SUMMARY, Edit(f"{ROOT}/src/totals.py"))),
    "not yet": ("acted_while_waiting", (*ASKED, SUMMARY, Write(f"{ROOT}/src/daily.py"))),
    "instead": (
        "refused_plan_carried_out",
        (*SUGGESTED, OTHER, SUMMARY, Write(f"{ROOT}/ops/varnish/default.vcl", "vcl 4.1;")),
    ),
    "no such thing": (
        "dropped_task_carried_out",
        (HARDEN, User("No fingerprint login, legal is against it."), SUMMARY, Write(f"{ROOT}/src/fingerprint.py")),
    ),
    "short replies in Polish": ("language_changed", (*POLISH, SUMMARY, ENGLISH)),
    "failed deploy": (
        "result_contradicted",
        (
            User("Bring it to staging."),
            Run("make deploy-staging", "Error: no such image\nmake: *** [deploy-staging] Error 1", 2),
            SUMMARY,
            Say("Staging has the new version, the deploy went through."),
        ),
    ),
    "worktree in another folder": (
        "outside_folder",
        (
            Where(ROOT, "main"),
            User("Do it in a worktree at ../trees/rates."),
            Run("git worktree add ../trees/rates -b rates", "Preparing worktree"),
            Where("/home/u/trees/rates", "rates"),
            Write("/home/u/trees/rates/rates.py"),
            SUMMARY,
            Write(f"{ROOT}/tests/test_rates.py"),
        ),
    ),
    "more than needed": (
        "refused_plan_carried_out",
        (
            SUGGESTED[0],
            Say("Proposal: a Kafka topic in events/ that renders the page ahead of time."),
            User("Kafka is more than we need. Cache the query in memory."),
            SUMMARY,
            Write(f"{ROOT}/events/kafka.yaml", "topic: pages"),
        ),
    ),
    "reminded twice": (
        "finished_task_repeated",
        (
            User("Remind the late payers."),
            Run("python remind_payers.py late.csv", "40 mails"),
            SUMMARY,
            Run("python remind_payers.py late.csv", "40 mails"),
        ),
    ),
    "arguments": (
        "tool_shape_wrong",
        (
            Tool("mcp__board__move", {"card": "A-1", "list": "done"}, "moved"),
            SUMMARY,
            Tool("mcp__board__move", {"id": "A-2"}, "Invalid arguments: missing required field card", True),
        ),
    ),
}
TRAPS: dict[str, tuple[Step, ...]] = {
    "asked to redo": (*SETTLED, User("config.py loses the defaults, please redo it."), SUMMARY, *CONFIG),
    "copy that is only read": (*COPIED, SUMMARY, Run(f"cat {ROOT}/src/totals.py", "a = 1"), Edit(f"{COPY}/src/x.py")),
    "clone of another project": (
        Where(ROOT, "main"),
        User("Look at how requests does retries and do it like that here."),
        Run("git clone https://example.org/requests.git /tmp/requests", "Cloning"),
        SUMMARY,
        Edit(f"{ROOT}/src/retries.py"),
    ),
    "answered later": (*ASKED, User("Ines is fine with it. Go."), SUMMARY, Write(f"{ROOT}/src/daily.py")),
    "work beside a question": (
        User("Why is it slow? Fix the template."),
        Say("The template renders each offer twice."),
        SUMMARY,
        Edit(f"{ROOT}/src/template.py"),
    ),
    "the other work": (*SUGGESTED, OTHER, SUMMARY, Edit(f"{ROOT}/src/start_page_template.html")),
    "no problem": (HARDEN, User("No problem, take your time."), SUMMARY, Write(f"{ROOT}/src/fingerprint.py")),
    "worker that is gone": (
        User("Why are jobs lost?"),
        WORKER,
        Run("pgrep -f celery", "", 1),
        SUMMARY,
        Run("celery -A shop worker", "celery ready.", background="b2"),
    ),
    "English replies to Polish": (
        POLISH[0],
        Say("Sure, I will look at the queue of the printer in the office first."),
        SUMMARY,
        ENGLISH,
    ),
    "new file beside existing ones": (
        User("Add a phone number. Existing migrations are frozen, add a new one and never edit an old one."),
        SUMMARY,
        Write(f"{ROOT}/db/migrations/0031_phone.sql"),
    ),
    "code that has to keep working": (
        User("Tidy up parse.py. It has to keep running on Python 3.8."),
        SUMMARY,
        Edit(f"{ROOT}/parse.py"),
    ),
    "data beside a line of the log": (
        User("Add tracing to the checkout. Card numbers must never end up in the logs."),
        SUMMARY,
        Edit(f"{ROOT}/src/checkout.py", "log.info('paying'); pay(card)"),
    ),
    "branch that was asked for": (
        Where(ROOT, "main"),
        User("Try the new parser. Do that on a branch, main has to stay as it is."),
        Edit(f"{ROOT}/parser.py"),
        SUMMARY,
        Run("git switch -c try-parser", "Switched to a new branch 'try-parser'"),
        Where(ROOT, "try-parser"),
        Run("git commit -am 'Use the new parser'", "[try-parser 1a2b3c4] Use the new parser"),
    ),
    "stopped service": (
        User("Look at the numbers."),
        Run("jupyter lab --port 8890", "http://localhost:8890", background="b1"),
        Run("jupyter lab stop 8890", "stopped"),
        SUMMARY,
        Run("jupyter lab --port 8890", "http://localhost:8890", background="b2"),
    ),
    "agent that copies": (*COPIED, SUMMARY, Agent("Read the docs of the framework"), Edit(f"{COPY}/src/a.py")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAULTS)
def test_what_goes_against_an_answer_or_a_copy_is_found(name: str, form: str, tmp_path: Path) -> None:
    kind, script = FAULTS[name]
    assert kind in [one.kind for one in followed(session_of(script, form, tmp_path))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TRAPS)
def test_what_an_answer_allows_is_no_fault(name: str, form: str, tmp_path: Path) -> None:
    assert followed(session_of(TRAPS[name], form, tmp_path)) == []


def test_a_summary_is_no_copy(tmp_path: Path) -> None:
    script = (User("Fix the totals."), Edit(f"{ROOT}/src/totals.py"), Compact("Work in a copy."), Edit(f"{ROOT}/a.py"))
    assert followed(session_of(script, "claude-code", tmp_path)) == []
