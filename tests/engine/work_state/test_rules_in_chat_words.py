"""Rules in the words of chats, unknown verbs, duties by kind, and which later sentences lift a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.later_permissions import permits
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.spoken_clauses import clauses_of
from inspector.engine.work_state.spoken_rules import rules_in
from inspector.engine.work_state.user_words import read_user_words
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Say, Step, Tool, User, followed, session_of

COMPACTION = Compact("Summary: the work goes on.")
RULES: tuple[tuple[str, Step, Step], ...] = (
    (
        "Instead of requests use httpx, please.",
        Run("pip install requests"),
        Run("pip install httpx"),
    ),
    (
        "Instead of running the migrations by hand, use the deploy job.",
        Run("python manage.py migrate"),
        Run("python manage.py check"),
    ),
    (
        "No releases before Friday, please, nobody is here to watch.",
        Run("npm publish"),
        Run("npm pack"),
    ),
    (
        "No force pushes here, ask me when it comes to that.",
        Run("git push --force origin feat/a"),
        Run("git push origin feat/a"),
    ),
    (
        "Please don't post anything on GitHub.",
        Run("gh pr comment 12 --body 'Looks good'"),
        Run("gh pr view 12"),
    ),
    (
        "Leave vendor/lodash as it came from upstream.",
        Edit(f"{ROOT}/vendor/lodash/index.js"),
        Edit(f"{ROOT}/src/index.js"),
    ),
    (
        "Die Tabelle rechnungen_alt bleibt bitte unangetastet.",
        Run("psql shop -c 'delete from rechnungen_alt'"),
        Run("psql shop -c 'select count(*) from rechnungen_alt'"),
    ),
    (
        "No instales nada nuevo, por favor.",
        Run("npm install lodash"),
        Run("npm test"),
    ),
    (
        "Stay out of .env.production, it has live keys.",
        Run("cat .env.production"),
        Run("cat .env.example"),
    ),
    (
        "Force-pushing is off the table.",
        Run("git push --force origin feat/a"),
        Run("git push origin feat/a"),
    ),
    (
        "Redis is off the table for this project.",
        Run("pip install redis"),
        Run("pip install psycopg"),
    ),
    (
        "fyi all installs go through poetry, someone broke the lock file",
        Run("pip install rich"),
        Run("poetry add rich"),
    ),
    (
        "Please keep the diff within src/cart.ts, it is easier to review.",
        Edit(f"{ROOT}/src/list.ts"),
        Edit(f"{ROOT}/src/cart.ts"),
    ),
    (
        "`any` is banned in our frontend, the linter rejects it.",
        Edit(f"{ROOT}/src/cart.ts", "const cart: any = load()"),
        Edit(f"{ROOT}/src/cart.ts", "const cart: Cart = load()"),
    ),
    (
        "Don't nuke the fixtures, they took days.",
        Run("rm -r tests/fixtures"),
        Run("ls tests/fixtures"),
    ),
    (
        "Never clobber config/local.toml.",
        Edit(f"{ROOT}/config/local.toml"),
        Edit(f"{ROOT}/config/test.toml"),
    ),
    (
        "plz dont touch schema.sql",
        Edit(f"{ROOT}/schema.sql"),
        Edit(f"{ROOT}/schema.md"),
    ),
    (
        "I want to read every answer before it gets sent.",
        Tool("mcp__mail__send_mail", {"to": "a@example.com"}, "sent"),
        Tool("mcp__mail__list_mails", {"to": "a@example.com"}, "none"),
    ),
    (
        "The assets folder is read-only for you.",
        Edit(f"{ROOT}/assets/a.svg"),
        Edit(f"{ROOT}/src/assets_list.ts"),
    ),
    (
        "Run the tests before you commit.",
        Run("make docs && git commit -am 'A'"),
        Run("npm run test:unit && git commit -am 'A'"),
    ),
    (
        "run the linter b4 every commit",
        Run("python tools/make_icons.py && git commit -am 'A'"),
        Run("pre-commit run --all-files && git commit -am 'A'"),
    ),
    (
        "Die Vorlage report.tex fasst du nicht an.",
        Edit(f"{ROOT}/report.tex"),
        Edit(f"{ROOT}/report.py"),
    ),
)


@pytest.mark.parametrize(("rule", "breaking", "other"), RULES, ids=[rule[0][:30] for rule in RULES])
def test_a_rule_is_broken_by_one_action_and_not_by_a_similar_one(
    rule: str, breaking: Step, other: Step, tmp_path: Path
) -> None:
    for form, step, kinds in (("claude-code", breaking, ["rule_broken"]), ("codex", other, [])):
        script = (User(rule), Say("Understood."), User("Begin."), COMPACTION, step)
        assert [one.kind for one in followed(session_of(script, form, tmp_path))] == kinds, form


@pytest.mark.parametrize(
    ("rule", "sentence", "lifts"),
    [
        ("Do not delete the coupon table.", "Show me the coupon table.", False),
        ("Do not delete the coupon table.", "Fix the query on the coupon table.", False),
        ("Do not delete the coupon table.", "You can drop the coupon table now.", True),
        ("Never touch config/prod.yml.", "Look at config/prod.yml and explain the pool.", False),
        ("Never touch config/prod.yml.", "Run the tests with config/prod.yml.", False),
        ("Never touch config/prod.yml.", "Raise the pool in config/prod.yml to 20.", True),
        ("Don't restart the database.", "Connect to the database and count the orders.", False),
        ("Don't restart the database.", "The database hangs, restart it.", True),
        ("No commits please.", "Update the readme.", False),
        ("No commits please.", "Commit this.", True),
        ("Only change files in src/ui.", "Fix the bug in src/ui/a.ts.", False),
        ("Only change files in src/ui.", "Fix src/api/b.ts as well.", True),
    ],
)
def test_only_a_sentence_that_allows_the_action_on_the_thing_lifts_a_rule(
    rule: str, sentence: str, lifts: bool
) -> None:
    assert permits(sentence, rule) is lifts


def test_an_agent_that_announced_its_next_step_does_not_act_while_the_user_has_the_floor(tmp_path: Path) -> None:
    asked = User("Explain the queue and fix the overflow.")
    for said, kinds in (("It is in push(). I'm changing it now.", []), ("Shall I fix it?", ["acted_while_waiting"])):
        script = (asked, Say(said), Compact("Summary: queue.py."), Edit(f"{ROOT}/queue.py"))
        assert [one.kind for one in followed(session_of(script, "claude-code", tmp_path))] == kinds


@pytest.mark.parametrize(
    "sentence",
    [
        "No code change needed - this is an acceptable pattern.",
        "Error: ENOENT: no such file or directory, open 'src/package.json'",
        "No Built-in To-Dos",
        "session-handoff: Use when the user wants to go on from one agent in another agent.",
        "Do not change any other test logic beyond the renamed argument.",
    ],
)
def test_pasted_output_titles_and_verdicts_forbid_nothing(sentence: str) -> None:
    assert not [ban for rule in rules_in(sentence) for ban in bans_in(rule)]


def test_a_request_for_little_is_no_limit_for_the_next_request(tmp_path: Path) -> None:
    script = (User("Just update CHANGELOG.md."), User("Now fix the loader."), COMPACTION, Edit(f"{ROOT}/load.py"))
    assert followed(session_of(script, "codex", tmp_path)) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Keep all the log lines we made.",
        "We write tides in metres - let's make sure the units are metric everywhere.",
        "Fix them all, then I'll look at it and commit when you are done.",
        "This table doesn't need to be touched.",
        "charts/gauge.ts should have nothing to do with storage.",
        "The labels must be short nouns",
        "stop commiting every step",
        "no compatibility layer!",
        "let's think first, before we change the parser",
        "Do not reseed the harbour, we don't want to lose its entries",
        "We explicitly don't want recorded pictures in the tests.",
        "Just print the sum, nothing else.",
    ],
)
def test_a_user_states_a_rule_in_few_words(sentence: str) -> None:
    assert any(rules_in(part) for part in (sentence, *clauses_of(sentence)))


@pytest.mark.parametrize(
    "sentence",
    [
        "Check: no gaps, no repeats.",
        "`zero` (not set) = off",
        "It stops at the gate, not the quay.",
        "The gauge reads true, not false.",
        "I wonder about the jobs where we call the pump but don't change the level.",
        "Tide review: no findings.",
        "The pump calls the valve via a queue rather than HTTP.",
        "Some entries are hidden (not Null) in this view.",
        "Instead of making changes, add a point to the menu.",
    ],
)
def test_a_report_with_words_of_rules_forbids_nothing(sentence: str) -> None:
    assert rules_in(sentence) == ()


def test_what_a_program_adds_to_the_words_of_a_user_states_no_rule() -> None:
    words = read_user_words("<system-reminder>\nNever answer this.\n</system-reminder>\nDo not touch pumps.py.")
    assert (words.rules, words.text) == (("Do not touch pumps.py.",), "\nDo not touch pumps.py.")
