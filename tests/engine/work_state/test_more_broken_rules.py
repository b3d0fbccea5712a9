"""Rules in other words, and commands and edits that break them after a compaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import ROOT, Edit, Run, Say, Step, User, Write, followed, session_of
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
    "left to me": ("I read every diff before it goes in, so leave pushing to me.", Run("git push", "ok")),
    "spanish": ("No hagas commits, por favor.", Run("git commit -m x", "ok")),
    "more than one verb": (
        "The reviewer reads them in order, so no squashing and no rebasing.",
        Run("git rebase main"),
    ),
    "what is on the remote": ("Whatever is on the remote must not be rewritten.", Run("git push --force", "ok")),
    "burnt before": ("Don't pull in anything new, we've been burnt before.", Run("pip install attrs", "ok")),
    "a file with underscores": (
        "api/__init__.py has to stay the way it is.",
        Edit(f"{ROOT}/api/__init__.py"),
    ),
    "for everything": ("The lockfile is pnpm's, so pnpm for everything.", Run("npm install zod", "ok")),
    "syntax": ("Walrus operators are off the table.", Write(f"{ROOT}/a.py", "if (n := f(1)): g(n)")),
    "that one": ("Keys are in .env.live, please don't ever open that one.", Run("cat .env.live", "A=1")),
    "keeps running": (
        "My dev server is on port 3000 and in use, so that has to keep running.",
        Run("kill $(lsof -ti :3000)", ""),
    ),
    "said by when": (
        "It has to stay switched off in config/flags.yaml until May, that file is Dana's.",
        Edit(f"{ROOT}/config/flags.yaml"),
    ),
    "not ours": (
        "The protobuf files are a contract, so those are not ours to change.",
        Edit(f"{ROOT}/proto/order.proto"),
    ),
    "volumes": (
        "My docker volumes hold old test data, make sure they survive.",
        Run("docker compose down -v", "ok"),
    ),
    "von": ("Von config/prod.yaml lass bitte die Finger.", Edit(f"{ROOT}/config/prod.yaml")),
    "surtout": ("Ne touche surtout pas au dossier textes.", Edit(f"{ROOT}/textes/fr.json")),
    "german file": ("Finger weg von config/prod.yaml!", Edit(f"{ROOT}/config/prod.yaml")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_in_other_words_is_broken(name: str, form: str, tmp_path: Path) -> None:
    rule, step = BROKEN[name]
    (row,) = followed(session_of((*BEFORE, User(rule), SUMMARY, step), form, tmp_path))
    assert (row.kind, row.item) == ("rule_broken", rule)


LIFTED: dict[str, tuple[str, str, Step]] = {
    "by its reason": (
        "Stay out of db/migrate for now, Priya is squashing in there.",
        "Priya has finished, so migrations are fair game again.",
        Edit(f"{ROOT}/db/migrate/002.rb"),
    ),
    "in one folder": (
        "Please don't use npm here.",
        "Right, npm is what you want in e2e.",
        Run("cd e2e && npm install", "ok"),
    ),
    "after a look": (
        "Don't push anything yet, I want to see it first.",
        "Looks good, ship it to the branch.",
        Run("git commit -am x && git push", "ok"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LIFTED)
def test_a_rule_that_the_user_lifts_is_not_broken(name: str, form: str, tmp_path: Path) -> None:
    rule, word, step = LIFTED[name]
    session = session_of((*BEFORE, User(rule), SUMMARY, Say("It is ready."), User(word), step), form, tmp_path)
    assert [row for row in followed(session) if row.kind == "rule_broken"] == []
