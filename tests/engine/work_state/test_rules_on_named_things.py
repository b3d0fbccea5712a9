"""Rules about a concrete thing in any words, and what changes that thing; refused offers; users who ask to wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.commands import core_words
from inspector.engine.work_state import WorkHistory
from inspector.engine.work_state.object_rules import object_rule_of
from inspector.engine.work_state.spoken_rules import rules_in
from inspector.formats import load
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
    Write,
    followed,
    session_of,
)

SUMMARY = Compact("Summary:\n1. Primary Request and Intent: repair the nightly export.\n2. Pending: go on\n")
RULES: dict[str, tuple[Step, Step]] = {
    "Find the leak. The prod-eu cluster is off limits, use kind for everything.": (
        Run("kubectl --context prod-eu rollout restart deploy/api", "restarted"),
        Run("kubectl --context kind-dev rollout restart deploy/api", "restarted"),
    ),
    "Each commit must carry a sign-off (git commit -s).": (
        Run("git -C /home/u/shop commit -m 'docs: b'", "[main 2]"),
        Run("git commit -sm 'docs: b'", "[main 2]"),
    ),
    "Cut the bundle size. Nothing goes to npm until I say so.": (
        Run("cd packages/ui && npm publish --access public", "+ @acme/ui@1.2.0"),
        Run("npm pack --dry-run", "ui-1.2.0.tgz"),
    ),
    "The name `resolve_order` is public API and must not be renamed.": (
        Run("sed -i 's/resolve_order/find_order/g' src/api.py", ""),
        Run("sed -i 's/slow_path/fast_path/g' src/api.py", ""),
    ),
    "Check with me before you install software.": (
        Run("sudo apt-get install -y ffmpeg", "Setting up ffmpeg"),
        Run("which ffmpeg", "/usr/bin/ffmpeg"),
    ),
    "La rama main no se toca.": (Run("git push origin HEAD:main", "ok"), Run("git push origin fix/carrito", "ok")),
    "maxDepth has to remain 24, old phones need it.": (
        Edit(f"{ROOT}/build.gradle", "    maxDepth = 26"),
        Edit(f"{ROOT}/build.gradle", "    maxDepth = 24\n    minDepth = 3"),
    ),
    "Free some disk. Get rid of nothing under /data/raw though.": (
        Run("find /data/raw -name '*.tmp' -mtime +30 -delete", ""),
        Run("find /data/cache -type f -delete", ""),
    ),
    "Port 8080 is taken by another project, keep off that port.": (
        Run("python3 -m http.server 8080 --directory site", "Serving"),
        Run("python3 -m http.server 8090 --directory site", "Serving"),
    ),
    "Here is the folder ckpt/best. It cost us two weeks. Don't nuke it.": (
        Run("rm -rf ckpt/best", ""),
        Run("cp ckpt/best/model.pt ckpt/start/model.pt", ""),
    ),
    "Everything in notebooks/ has to survive.": (Run("rm notebooks/old.ipynb", ""), Run("rm -rf dist", "")),
    "Prepare the feature. You must not merge into develop yourself.": (
        Run("git checkout develop && git merge --no-ff feat/tax", "Merge made"),
        Run("git merge origin/develop", "Already up to date."),
    ),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_a_change_of_a_named_thing_breaks_its_rule(rule: str, form: str, tmp_path: Path) -> None:
    broken, kept = RULES[rule]
    kinds = [one.kind for one in followed(session_of((User(rule), SUMMARY, broken), form, tmp_path))]
    assert kinds == ["rule_broken"]
    assert not followed(session_of((User(rule), SUMMARY, kept), form, tmp_path))


@pytest.mark.parametrize(
    "sentence",
    [
        "The parser in main.py should not crash on empty input.",
        "Don't forget to update main.py.",
        "I don't see the events table in the schema.",
        "Why can't we use config.py?",
        "Array index out of bounds in src/list.py.",
        "The tests in tests/test_a.py don't work.",
    ],
)
def test_a_report_about_a_named_thing_is_no_rule(sentence: str) -> None:
    assert object_rule_of(sentence) is None


OFFER = Say("An option is to partition the measurements table by month. Should I write the migration?")
PARTITION = Write(f"{ROOT}/migrations/0042_partition_measurements.sql", "ALTER TABLE m PARTITION BY RANGE (day)")


@pytest.mark.parametrize("answer", ["let's park that for now, just add an index", "No, leave it. Add an index."])
def test_a_refused_offer_is_a_refused_plan(answer: str, tmp_path: Path) -> None:
    steps = (User("The queries are slow."), OFFER, User(answer), SUMMARY)
    (row,) = followed(session_of((*steps, PARTITION), "claude-code", tmp_path))
    assert row.kind == "refused_plan_carried_out"
    index = Write(f"{ROOT}/migrations/0042_index.sql", "CREATE INDEX ON m (day)")
    assert not followed(session_of((*steps, index), "claude-code", tmp_path))
    accepted = (User("The queries are slow."), OFFER, User("yes please"), SUMMARY)
    assert not followed(session_of((*accepted, PARTITION), "claude-code", tmp_path))


@pytest.mark.parametrize("words", ["Moment, das muss ich mit dem Team klären.", "wait, let me ask Marta first"])
def test_a_user_who_asks_to_wait_keeps_the_floor(words: str, tmp_path: Path) -> None:
    asked = (User("Look at the import."), Say("It loses rows without a date. Keep them or report them?"))
    change = Edit(f"{ROOT}/import.py")
    (row,) = followed(session_of((*asked, User(words), SUMMARY, change), "codex", tmp_path))
    assert row.kind == "acted_while_waiting"
    assert not followed(session_of((*asked, User(words), User("Keep them."), SUMMARY, change), "codex", tmp_path))


def test_the_same_program_on_the_same_port_is_started_twice(tmp_path: Path) -> None:
    first = Run("kubectl port-forward svc/db 5432:5432", background="k1")
    again = Run("kubectl -n default port-forward service/db 5432:5432", background="k2")
    steps = (User("Forward the database."), first, SUMMARY)
    (row,) = followed(session_of((*steps, again), "codex", tmp_path))
    assert row.kind == "started_twice"
    other = Run("kubectl port-forward svc/redis 6379:6379", background="k2")
    assert not followed(session_of((*steps, other), "codex", tmp_path))


def test_the_command_of_a_finished_task_is_not_to_run_again(tmp_path: Path) -> None:
    export = "python scripts/export.py --out data/clean.parquet"
    tasks = ("Export the data to data/clean.parquet", "Describe the columns")
    done = Tasks(((tasks[0], "completed"), (tasks[1], "in_progress")))
    steps = (User("Export and describe."), Run(export, "wrote 10 rows"), done)
    pending = Compact("Summary:\nPending Tasks:\n- export the data to data/clean.parquet\n- describe the columns\n")
    (row,) = followed(session_of((*steps, pending, Run(export, "wrote 10 rows")), "claude-code", tmp_path))
    assert row.kind == "finished_task_repeated"
    assert not followed(session_of((*steps, SUMMARY, Run(export, "wrote 10 rows")), "claude-code", tmp_path))


@pytest.mark.parametrize(
    ("line", "core"),
    [
        ("git -C /srv/app commit -m x", "git commit -m x"),
        ("docker compose -f deploy/dev.yml stop web", "docker compose stop web"),
        ("kubectl --context prod -n shop delete pod a", "kubectl delete pod a"),
        ("/usr/bin/python3 -m pytest -q", "pytest -q"),
        ("npx -y prisma migrate deploy", "prisma migrate deploy"),
        ("npm --prefix web run build", "npm run build"),
    ],
)
def test_a_command_has_one_form_whatever_is_before_its_subcommand(line: str, core: str) -> None:
    assert " ".join(core_words(line.split())) == core


def test_a_plan_in_a_file_is_a_plan(tmp_path: Path) -> None:
    path = "/home/u/.claude/plans/blue-fox.md"
    plan = Write(path, "# Move the queue to Redis\n\n1. Write src/bus.py\n2. Delete src/queue.py")
    approved = Tool("ExitPlanMode", {}, "User has approved your plan. You can now start coding.")
    steps = (User("Plan the queue."), plan)
    proposed = WorkHistory(session_of(steps, "claude-code", tmp_path)).at_turn().of("plan")
    assert [(item.text, item.state) for item in proposed] == [("Move the queue to Redis", "proposed")]
    known = WorkHistory(session_of((*steps, approved), "claude-code", tmp_path)).at_turn().of("plan")
    assert [(item.text, item.state) for item in known] == [("Move the queue to Redis", "approved")]
    other = (User("Write the guide."), Write(f"{ROOT}/docs/guide.md", "# Guide\n\n1. Install it\n2. Run it"))
    assert not WorkHistory(session_of(other, "claude-code", tmp_path)).at_turn().of("plan")


def test_the_task_list_of_specstory_is_read(tmp_path: Path) -> None:
    tool = '<tool-use data-tool-type="task" data-tool-name="TodoWrite"><details>\n<summary>Tool use</summary>'
    rows = "- [X] 🌡️ Write the workflow\n- [⚡] 🌡️ Move the notes\n- [ ] Update the guide"
    turns = f"_**User**_\n\nDo it.\n\n---\n\n_**Agent (m)**_\n\n{tool}\n**Agent task list:**\n"
    text = f"{turns}{rows}\n\n</details></tool-use>\n"
    path = tmp_path / "log.md"
    path.write_text(f"<!-- Generated by SpecStory -->\n\n{text}", encoding="utf-8")
    (session,) = load(path)
    tasks = WorkHistory(session).at_turn().of("task")
    assert [(item.text, item.state) for item in tasks] == [
        ("Write the workflow", "done"),
        ("Move the notes", "in progress"),
        ("Update the guide", "pending"),
    ]


@pytest.mark.parametrize(
    "sentence", ["Never give up!", "No fixes applied.", "Run the linter - no errors.", "Keep it up!"]
)
def test_encouragement_and_reports_are_no_rules(sentence: str) -> None:
    assert rules_in(sentence) == ()
