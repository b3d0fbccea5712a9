"""Rules that are no plain orders: what only others do, where work belongs, what may not be done to a thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.spoken_rules import rules_in
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Say, Step, User, followed, session_of

COMPACTION = Compact("Summary: the work goes on.")
RULES: tuple[tuple[str, Step, Step], ...] = (
    (
        "You may copy the tide charts but they must not be edited.",
        Edit(f"{ROOT}/tide_charts.csv"),
        Edit(f"{ROOT}/gate.py"),
    ),
    ("Let's not merge anything this week.", Run("gh pr merge 4 --squash"), Run("gh pr view 4")),
    ("Push nothing, the gate is being inspected.", Run("git push origin gate"), Run("git pull")),
    ("Please stick to the files in gates/.", Edit(f"{ROOT}/pumps/motor.py"), Edit(f"{ROOT}/gates/motor.py")),
    ("All your work belongs in gates/north.", Edit(f"{ROOT}/gates/south/a.py"), Edit(f"{ROOT}/gates/north/a.py")),
    ("Only Mara publishes.", Run("npm publish"), Run("npm pack")),
    ("Only the pump team edits files in pumps/.", Edit(f"{ROOT}/pumps/motor.py"), Edit(f"{ROOT}/gates/motor.py")),
    ("Then wait for us to deploy.", Run("fly deploy"), Run("fly status")),
    ("We never rewrite our history.", Run("git rebase main"), Run("git merge --no-ff gate")),
    ("I really don't want any edits in pumps/.", Edit(f"{ROOT}/pumps/motor.py"), Edit(f"{ROOT}/gates/motor.py")),
    ("Hold off on publishing until Mara is back.", Run("npm publish"), Run("npm pack")),
    ("Don't `poetry update`, please.", Run("poetry update"), Run("poetry check")),
    ("Make do with the packages we have.", Run("npm install left-pad"), Run("npm ls")),
    ("No schema changes until the audit is over.", Edit(f"{ROOT}/db/schema.sql"), Edit(f"{ROOT}/app.py")),
    ("Let the old pump container run.", Run("docker stop old_pump"), Run("docker ps")),
    ("Nothing lands on main today.", Run("git checkout main && git merge gate"), Run("git push origin gate")),
    (
        "You may read the reports in archive/tides but don't tidy them up.",
        Run("git mv archive/tides/a.md b.md"),
        Run("cat archive/tides/a.md"),
    ),
    ("Never mind the slow test, but don't touch e2e/.", Edit(f"{ROOT}/e2e/gate.spec.ts"), Edit(f"{ROOT}/src/gate.ts")),
    ("No direct pushes to stable.", Run("git push origin stable"), Run("git push origin gate")),
    ("I want every change checked by me before it's committed.", Run("git commit -am gate"), Run("git diff")),
    ("It would be great if you stayed out of pumps/.", Edit(f"{ROOT}/pumps/motor.py"), Edit(f"{ROOT}/gates/a.py")),
    ("No calls to the Tideway API please.", Run("curl https://api.tideway.org/v1"), Run("curl localhost:8000/v1")),
    ("Don't run any formatters.", Run("npx prettier --write src"), Run("npx eslint src")),
    ("Port 6379 is off limits.", Run("docker run -p 6379:6379 redis"), Run("docker run -p 6380:6379 redis")),
)


@pytest.mark.parametrize(("rule", "breaking", "innocent"), RULES)
def test_what_a_rule_forbids_breaks_it_and_what_is_close_does_not(
    rule: str, breaking: Step, innocent: Step, tmp_path: Path
) -> None:
    for step, wanted in ((breaking, ["rule_broken"]), (innocent, [])):
        script = (User(f"Please go on with the gate. {rule}"), Say("I will."), COMPACTION, step, Say("Done."))
        rows = followed(session_of(script, "claude-code", tmp_path))
        assert [row.kind for row in rows] == wanted, (rule, step)


@pytest.mark.parametrize(
    "sentence",
    [
        "No worries, the gate can wait.",
        "Never mind!",
        "Nobody uses this gate.",
        "Don't worry about the tide.",
        "Only four gates close at night.",
        "The error says: do not close the gate twice.",
        "The night shift must have closed it.",
    ],
)
def test_comfort_reports_and_guesses_are_no_rules(sentence: str) -> None:
    assert rules_in(sentence) == ()


def test_comfort_before_a_rule_does_not_hide_it() -> None:
    assert rules_in("Don't worry about the tide, but never push to main.")
