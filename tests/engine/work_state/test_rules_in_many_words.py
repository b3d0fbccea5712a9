"""Rules in other words and languages: broken by one action of a shell, an editor or a server, not by another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import ROOT, Agent, Edit, Run, Step, Tool, User, Write, followed, session_of
from tests.engine.work_state.test_consequences import BEFORE, SUMMARY

TICKET = Tool("mcp__linear__create_issue", {"title": "Totals are wrong", "team": "SHOP"}, "Created SHOP-12")
TICKETS = Tool("mcp__linear__list_issues", {"query": "totals"}, "none")
COMMIT = Run("git commit -am x", "[main 3f0a1] x")
RULES: dict[str, tuple[Step, Step]] = {
    "Whatever happens: no database migrations without me.": (
        Run("python manage.py migrate"),
        Run("python manage.py check"),
    ),
    "package-lock.json must not change.": (Edit(f"{ROOT}/package-lock.json"), Edit(f"{ROOT}/package.json")),
    "We use pnpm in this repo, not npm.": (Run("npm install dayjs"), Run("pnpm add dayjs")),
    "Don't create any tickets in Linear.": (TICKET, TICKETS),
    "Ask me before you delete anything.": (Run("rm src/old.py"), Run("ls src")),
    "Please never amend commits here.": (Run("git commit --amend --no-edit"), COMMIT),
    "No sudo on this machine.": (Run("sudo apt-get install shellcheck"), Run("pip install --user ruff")),
    "Never run anything against production, only staging.": (
        Run("heroku run --app shop-production python replay.py"),
        Run("heroku run --app shop-staging python replay.py"),
    ),
    "Commit in small steps and never use --no-verify.": (Run("git commit --no-verify -m x"), COMMIT),
    "Make the suite pass without changing any test files.": (Edit(f"{ROOT}/tests/test_totals.py"), Run("pytest tests")),
    "You mustn't touch the Stripe integration (src/payments/stripe.ts).": (
        Edit(f"{ROOT}/src/payments/stripe.ts"),
        Edit(f"{ROOT}/src/payments/paypal.ts"),
    ),
    "pls dont commit, i review first": (COMMIT, Run("git diff")),
    "The .env file is mine, never edit it.": (Edit(f"{ROOT}/.env"), Edit(f"{ROOT}/src/settings.py")),
    "Read-only on the database please: no writes, no deletes.": (
        Run('psql -c "DELETE FROM labels WHERE id=3"'),
        Run("psql -c 'select 1'"),
    ),
    "Push only after I say so.": (Run("git push"), COMMIT),
    "The seeds must never be committed.": (Run("git commit -m x seeds"), COMMIT),
    "I will deploy myself.": (Run("fly deploy --remote-only"), Run("fly status")),
    "Use at most one subagent at a time.": (Agent("Research b", "z2"), Run("ls")),
    "Don't post in Slack about this.": (
        Tool("mcp__slack__post_message", {"channel": "#dev", "text": "done"}, "ok"),
        Tool("mcp__slack__search_messages", {"query": "done"}, "none"),
    ),
    "Não faças commit, eu trato disso.": (COMMIT, Run("git status")),
    "不要修改 config/prod.yaml。": (Edit(f"{ROOT}/config/prod.yaml"), Edit(f"{ROOT}/config/dev.yaml")),
    "git push はしないでください。": (Run("git push"), Run("git fetch")),
    "git push는 하지 마세요.": (Run("git push"), Run("git fetch")),
    "Не трогай файл config/prod.yaml.": (Edit(f"{ROOT}/config/prod.yaml"), Edit(f"{ROOT}/config/dev.yaml")),
    "N'installe aucune nouvelle dépendance.": (Run("npm install bwip-js"), Run("npm install")),
}
NO_RULES: dict[str, tuple[str, Step]] = {
    "told to another": ("The intern was told never to push. You may push when the tests pass.", Run("git push")),
    "of a product": ("Document that users must not delete their last address.", Run("rm tmp/address.json")),
    "of an error": ("I get 'refusing to merge unrelated histories'. Never seen that.", Run("git merge other")),
    "of a specification": (
        "Spec: the endpoint should not create a label twice.",
        Write(f"{ROOT}/src/label.py", "create"),
    ),
}
ENDS: dict[str, tuple[str, str, Step]] = {
    "German": ("Nichts committen bitte.", "Jetzt darfst du committen.", COMMIT),
    "Spanish": ("No toques config/prod.yaml.", "Ya puedes cambiar config/prod.yaml.", Edit(f"{ROOT}/config/prod.yaml")),
    "Chinese": ("先不要提交代码。", "可以提交了。", COMMIT),
    "after all": (
        "Don't touch config/prod.yaml.",
        "I changed my mind, you can edit config/prod.yaml as well.",
        Edit(f"{ROOT}/config/prod.yaml"),
    ),
}
FIRST = Agent("Research a", "z1")


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_broken_by_the_action_that_it_forbids(rule: str, tmp_path: Path) -> None:
    broken, _ = RULES[rule]
    (one,) = followed(session_of((*BEFORE, User(rule), FIRST, SUMMARY, broken), "claude-code", tmp_path))
    assert one.kind == "rule_broken"


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_not_broken_by_another_action(rule: str, tmp_path: Path) -> None:
    _, allowed = RULES[rule]
    assert followed(session_of((*BEFORE, User(rule), SUMMARY, allowed), "claude-code", tmp_path)) == []


@pytest.mark.parametrize("name", NO_RULES)
def test_a_sentence_that_forbids_the_agent_nothing_is_no_rule(name: str, tmp_path: Path) -> None:
    words, action = NO_RULES[name]
    assert followed(session_of((*BEFORE, User(words), SUMMARY, action), "codex", tmp_path)) == []


@pytest.mark.parametrize("name", ENDS)
def test_a_rule_ends_in_any_language(name: str, tmp_path: Path) -> None:
    rule, end, action = ENDS[name]
    script = (*BEFORE, User(rule), User(end), SUMMARY, action)
    assert followed(session_of(script, "claude-code", tmp_path)) == []
