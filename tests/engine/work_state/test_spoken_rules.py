"""Rules as users type them: in a clause, about written text, in several languages, with a question at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.spoken_rules import rules_in
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Step, Tool, User, Write, followed, session_of
from tests.engine.work_state.test_consequences import FORMS

SUMMARY = Compact("The work goes on.")
RULES: dict[str, tuple[Step, Step]] = {
    "raise the versions. the lock file stays untouched, i make it on ci": (
        Edit(f"{ROOT}/lock.json"),
        Edit(f"{ROOT}/setup.cfg"),
    ),
    "Ich merge selbst, du baust nur.": (Run("git merge feat/x", "ok"), Run("git push origin feat/x", "ok")),
    "le push, je m'en occupe": (Run("git push", "ok"), Run("git commit -am x", "ok")),
    "clean the tool, but dont add new packages pls": (Run("pip install rich", "ok"), Run("pip install -e .", "ok")),
    "Write the page. No emojis.": (Edit(f"{ROOT}/a.md", "Done \U0001f680"), Edit(f"{ROOT}/a.md", "Done.")),
    "never use sleep in tests!": (
        Edit(f"{ROOT}/tests/test_a.py", "time.sleep(1)"),
        Edit(f"{ROOT}/src/a.py", "time.sleep(1)"),
    ),
    "Don't use any types here.": (Edit(f"{ROOT}/a.ts", "let x: any = 1"), Edit(f"{ROOT}/a.ts", "// any order")),
    "never import lodash": (Edit(f"{ROOT}/a.ts", "import _ from 'lodash'"), Edit(f"{ROOT}/a.ts", "// no lodash")),
    "no prints in the library please": (Edit(f"{ROOT}/lib/a.py", "print(1)"), Edit(f"{ROOT}/cli/a.py", "print(1)")),
    "i do the releases, so no tags and no publishing": (Run("git tag v2", ""), Run("git push", "ok")),
    "clear out the cache but keep everything under cache/keys": (
        Run("rm -r cache/keys", ""),
        Run("rm -r cache/img", ""),
    ),
    "bitte nix committen": (Run("git commit -am x", "ok"), Edit(f"{ROOT}/a.py")),
    "não mexe no compose.yml, tá?": (Edit(f"{ROOT}/compose.yml"), Edit(f"{ROOT}/a.py")),
    "nothing in vendor/ gets edited": (Edit(f"{ROOT}/vendor/a.py"), Edit(f"{ROOT}/src/a.py")),
    "The app reads limits.yaml, so that file must not change.": (
        Edit(f"{ROOT}/limits.yaml"),
        Edit(f"{ROOT}/src/limits.py"),
    ),
    "Fix the link in the page footer. Don't deploy it, sales wants to see it first.": (
        Run("npm run deploy", "ok"),
        Run("npm run build", "ok"),
    ),
    "api.proto belongs to the other team. hands off.": (Edit(f"{ROOT}/api.proto"), Edit(f"{ROOT}/src/a.py")),
}

NO_RULES = (
    "Users are never deleted by this function",
    "Orders are never touched by the nightly job",
    "this helper never writes to disk",
    "guests may not edit published posts",
    "nothing is sent when the flag is off",
    "The queue is locked per request",
    "we moved from npm to pnpm last year, update the docs",
    "The settings page belongs in the admin app",
    "get rid of axios and use fetch",
    "last week Tom restarted the broker",
    "why does rebasing mess up the clones?",
)


@pytest.mark.parametrize("sentence", NO_RULES)
def test_a_description_a_report_or_an_order_is_no_rule(sentence: str) -> None:
    assert not bans_in(sentence)
    assert not rules_in(sentence)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rule", RULES)
def test_a_spoken_rule_is_broken_by_what_it_forbids_only(rule: str, form: str, tmp_path: Path) -> None:
    broken, allowed = RULES[rule]
    before = (User(rule), Edit(f"{ROOT}/b.py"), SUMMARY)
    assert {one.kind for one in followed(session_of((*before, broken), form, tmp_path))} == {"rule_broken"}
    assert followed(session_of((*before, allowed), form, tmp_path)) == []


def test_lines_that_an_edit_keeps_break_no_rule(tmp_path: Path) -> None:
    arguments = {"file_path": f"{ROOT}/a.py", "old_string": "print(1)\na = 1", "new_string": "print(1)\na = 2"}
    script = (User("No prints please."), SUMMARY, Tool("Edit", arguments, "The file has been updated."))
    assert followed(session_of(script, "claude-code", tmp_path)) == []


def test_a_renamed_function_breaks_a_rule_about_names(tmp_path: Path) -> None:
    arguments = {"file_path": f"{ROOT}/a.py", "old_string": "def load(x):", "new_string": "def load_all(x):"}
    script = (
        User("please tidy up but names stay as they are"),
        SUMMARY,
        Write(f"{ROOT}/b.py", "def more(): ..."),
        Tool("Edit", arguments, "The file has been updated."),
    )
    (one,) = followed(session_of(script, "claude-code", tmp_path))
    assert one.evidence == f"Edit {ROOT}/a.py load → load_all"


@pytest.mark.parametrize("words", ["ok you can add rich, it was reviewed", "fine, add the rich package"])
def test_a_package_that_the_user_allows_breaks_no_rule(words: str, tmp_path: Path) -> None:
    script = (User("dont add new packages pls"), Edit(f"{ROOT}/b.py"), User(words), SUMMARY, Run("pip install rich"))
    assert followed(session_of(script, "claude-code", tmp_path)) == []
