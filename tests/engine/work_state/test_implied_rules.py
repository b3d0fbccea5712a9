"""Rules that a reason, a decision, an owner or a limit implies, each with an action that breaks it and another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.implied_rules import is_only_reported, orders_implied
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.spoken_rules import rules_in
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Say, Step, Tool, User, Write, followed, session_of

COMPACTION = Compact("Summary: the work goes on.")
RULES: dict[str, tuple[Step, Step]] = {
    "Bring the branch up to date, but rebasing ruins the checkouts of my colleagues.": (
        Run("git rebase origin/main"),
        Run("git merge origin/main"),
    ),
    "Two snapshots differ, find out what changed in the markup. Just updating the snapshots isn't what I asked for.": (
        Run("npx vitest run -u"),
        Run("npx vitest run"),
    ),
    "Add the chart. If you re-record the goldens we'd never see what broke.": (
        Run("npx playwright test --update-snapshots"),
        Run("npx playwright test"),
    ),
    "Set up the linter. brew upgrade always wrecks my ruby.": (Run("brew upgrade"), Run("brew install shellcheck")),
    "Repair the exporter. The golden files come from the auditors, so they're sacrosanct.": (
        Edit(f"{ROOT}/tests/golden/march.csv", "1"),
        Edit(f"{ROOT}/src/exporter.py", "1"),
    ),
    "Clean up the settings, but nobody has any business in conf/live.toml.": (
        Edit(f"{ROOT}/conf/live.toml", "1"),
        Edit(f"{ROOT}/conf/test.toml", "1"),
    ),
    "Räum die Skripte auf. In infra/main.tf hast du nichts verloren.": (
        Edit(f"{ROOT}/infra/main.tf", "1"),
        Edit(f"{ROOT}/scripts/main.sh", "1"),
    ),
    "Draft the release, but publishing it is Maya's job.": (Run("npm publish"), Run("npm pack")),
    "Finish the branch. Merging stays our call.": (Run("git merge feat/map"), Run("git commit -am 'Add the map'")),
    "Tune the prompt, each run of bench_all.py costs us 30 dollars.": (
        Run("python bench_all.py"),
        Run("python bench_one.py"),
    ),
    "Rebuild the index. The weekly job (rebuild-world) hammers the cluster.": (
        Run("make rebuild-world"),
        Run("make rebuild-index"),
    ),
    "Rename the flag. I've been burned by sed before.": (
        Run("sed -i s/old_flag/new_flag/ a.py b.py"),
        Edit(f"{ROOT}/a.py", "new_flag = 1"),
    ),
    "Add the map. We ditched leaflet in spring and it's not coming back.": (
        Write(f"{ROOT}/map.ts", "import L from 'leaflet'"),
        Write(f"{ROOT}/map.ts", "import maplibre from 'maplibre-gl'"),
    ),
    "We all agreed on no new tables this year, so find another place for the votes.": (
        Write(f"{ROOT}/7.sql", "CREATE TABLE votes (id int)"),
        Write(f"{ROOT}/7.sql", "UPDATE polls SET votes = 0"),
    ),
    "The team decided to stop adding columns to invoices, use the notes.": (
        Write(f"{ROOT}/8.sql", "ALTER TABLE invoices ADD COLUMN memo text"),
        Write(f"{ROOT}/8.sql", "UPDATE invoices SET notes = ''"),
    ),
    "Sort out the warnings. Priya has uncommitted work in web/forms/.": (
        Edit(f"{ROOT}/web/forms/a.ts", "b"),
        Edit(f"{ROOT}/web/lists/a.ts", "b"),
    ),
    "Prepare 3.1. Tags come from the release bot and nowhere else.": (
        Run("git tag v3.1"),
        Edit(f"{ROOT}/CHANGES", "b"),
    ),
    "Clean up the history of my branch. Last time somebody force pushed we lost a day.": (
        Run("git push --force origin feat/a"),
        Run("git push origin feat/a"),
    ),
    "Resolve the conflicts. Merging is something I'd like to keep for myself.": (
        Run("gh pr merge 12"),
        Run("gh pr view 12"),
    ),
    "Try the new cache. main has to stay deployable, so do that on a branch.": (
        Run("git commit -am 'Cache'"),
        Run("git switch -c cache && git commit -am 'Cache'"),
    ),
    "Only with --dry-run please, I start the real thing later.": (
        Run("python purge.py"),
        Run("python purge.py --dry-run"),
    ),
    "Check the payments. Always with the test key, the live one charges real cards.": (
        Run("STRIPE_KEY=sk_live_1 node pay.js"),
        Run("STRIPE_KEY=sk_test_1 node pay.js"),
    ),
    "Count the orders of June. The replica is there for this, production isn't.": (
        Run("psql -h db-production -c 'select 1'"),
        Run("psql -h db-replica -c 'select 1'"),
    ),
    "Get the pods healthy. Anything in infra/ goes past me first.": (
        Edit(f"{ROOT}/infra/main.tf", "b"),
        Edit(f"{ROOT}/k8s/pod.yml", "b"),
    ),
    "Trace the checkout. Legal would kill us if an iban showed up in the logs.": (
        Edit(f"{ROOT}/pay.py", "logger.info('pay %s', iban)"),
        Edit(f"{ROOT}/pay.py", "logger.info('pay %s', order)"),
    ),
    "Why is the mail empty? conf/vault.yml is for the deploy robot's eyes only.": (
        Run("cat conf/vault.yml"),
        Run("cat conf/mail.yml"),
    ),
    "We're in a freeze for release/5.1, nothing gets in there.": (
        Run("git push origin HEAD:release/5.1"),
        Run("git push origin HEAD:notes"),
    ),
    "Look at why rows are skipped. The code stays the way it is for now.": (
        Edit(f"{ROOT}/importer.py", "b"),
        Write(f"{ROOT}/findings.md", "b"),
    ),
}
MEMORY: dict[str, tuple[Step, Step]] = {
    "Everything in api/client_gen.go comes out of a generator. Manual edits there get lost with the next run.": (
        Edit(f"{ROOT}/api/client_gen.go", "b"),
        Edit(f"{ROOT}/api/client.go", "b"),
    ),
    "Pip in this environment corrupts the lock.": (Run("pip install httpx"), Run("uv add httpx")),
}
NO_RULES = (
    "Users are never deleted by this function",
    "Orders are never touched by the nightly job",
    "this helper never writes to disk",
    "guests may not edit published posts",
    "nothing is sent when the flag is off",
    "The queue is locked per request",
    "rebasing fails with a conflict",
    "npm install breaks on my machine",
    "restarting the worker takes about 30 seconds",
    "deleting a user leaves orphans behind",
    "We dropped python 3.8, so clean up the shims",
    "we moved from npm to pnpm last year, update the docs",
    "The settings page belongs in the admin app",
    "get rid of axios and use fetch",
    "renaming the field fixes the bug",
    "we agreed on the blue one yesterday",
    "last week Tom restarted the broker",
    "why does rebasing mess up the clones?",
)


@pytest.mark.parametrize("form", ["claude-code", "codex"])
@pytest.mark.parametrize("rule", RULES)
def test_an_implied_rule_is_broken_by_what_it_excludes(rule: str, form: str, tmp_path: Path) -> None:
    broken, _ = RULES[rule]
    found = followed(session_of((User(rule), Say("Sure."), COMPACTION, broken), form, tmp_path))
    assert {one.kind for one in found} == {"rule_broken"}


@pytest.mark.parametrize("form", ["claude-code", "codex"])
@pytest.mark.parametrize("rule", RULES)
def test_an_implied_rule_is_not_broken_by_anything_else(rule: str, form: str, tmp_path: Path) -> None:
    _, kept = RULES[rule]
    assert not followed(session_of((User(rule), Say("Sure."), COMPACTION, kept), form, tmp_path))


@pytest.mark.parametrize("rule", MEMORY)
def test_a_memory_file_can_imply_a_rule(rule: str, tmp_path: Path) -> None:
    broken, kept = MEMORY[rule]
    read = Tool("Read", {"file_path": f"{ROOT}/CLAUDE.md"}, f"# Notes\n\n{rule}\n")
    for step, kinds in ((broken, {"rule_broken"}), (kept, set[str]())):
        found = followed(session_of((User("Add retries."), read, COMPACTION, step), "claude-code", tmp_path))
        assert {one.kind for one in found} == kinds


@pytest.mark.parametrize("sentence", NO_RULES)
def test_a_description_a_report_or_an_order_implies_none(sentence: str) -> None:
    assert not bans_in(sentence)
    assert not rules_in(sentence)


def test_what_a_request_is_about_is_no_rule() -> None:
    loses = "Stopping the worker loses jobs."
    assert orders_implied(loses)
    assert is_only_reported(loses, [loses])
    assert is_only_reported(loses, [loses, "Find out why."])
    assert not is_only_reported(loses, [loses, "Add a second queue."])
    assert not is_only_reported(
        "Careful, stopping the worker loses jobs.", ["Careful, stopping the worker loses jobs."]
    )


def test_a_sentence_is_one_rule() -> None:
    assert rules_in("pip install corrupts the lock here, always has") == (
        "pip install corrupts the lock here, always has",
    )
