"""Rules in other words, and commands and edits that break them after a compaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import ROOT, Edit, Run, Step, User, followed, session_of
from tests.engine.work_state.test_consequences import BEFORE, FORMS, SUMMARY

BROKEN: dict[str, tuple[str, Step]] = {
    "hands off": ("Hands off the migrations folder.", Edit(f"{ROOT}/migrations/001.sql")),
    "env file": (".env is off limits.", Run("echo A=1 >> .env")),
    "read-only dir": ("src/legacy is off limits.", Edit(f"{ROOT}/src/legacy/a.py")),
    "never rm": ("You must not delete anything under data/.", Run("rm -rf data/cache", "")),
    "pip": ("Always use uv, never pip.", Run("pip install requests", "ok")),
    "python -m pip": ("Use uv instead of pip.", Run("python -m pip install requests", "ok")),
    "commit gh": ("Please don't open any pull requests.", Run("gh pr create --fill", "ok")),
    "amend": ("Never amend commits.", Run("git commit --amend --no-edit", "ok")),
    "no-verify": ("Never use --no-verify.", Run("git commit --no-verify -m x", "ok")),
    "deploy": ("Do not deploy to production.", Run("./deploy.sh production", "ok")),
    "leave alone": ("Leave package.json as it is.", Edit(f"{ROOT}/package.json")),
    "only edit": ("Only change files in src/ui.", Edit(f"{ROOT}/src/api/x.py")),
    "sed": ("Do not touch config/prod.yaml.", Run("sed -i 's/a/b/' config/prod.yaml", "")),
    "tee": ("Do not touch config/prod.yaml.", Run("echo x | tee -a config/prod.yaml", "")),
    "git restore": ("config/prod.yaml must not be modified.", Edit(f"{ROOT}/config/prod.yaml")),
    "tag": ("No releases until I say so.", Run("npm publish", "ok")),
    "api": ("The public API must stay unchanged: don't edit src/api.py.", Edit(f"{ROOT}/src/api.py")),
    "test files": ("Don't change the tests.", Edit(f"{ROOT}/tests/test_totals.py")),
    "forbidden": ("Editing vendor/ is forbidden.", Edit(f"{ROOT}/vendor/x.js")),
    "spanish": ("No hagas commits, por favor.", Run("git commit -m x", "ok")),
    "german file": ("Finger weg von config/prod.yaml!", Edit(f"{ROOT}/config/prod.yaml")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_in_other_words_is_broken(name: str, form: str, tmp_path: Path) -> None:
    rule, step = BROKEN[name]
    (row,) = followed(session_of((*BEFORE, User(rule), SUMMARY, step), form, tmp_path))
    assert (row.kind, row.item) == ("rule_broken", rule)
