"""Rules that the agent acknowledged, and broken rules of which a complaint or a regret tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.promised_rules import ACKNOWLEDGED, order_in
from inspector.engine.work_state.work_history import WorkHistory
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Say, Step, User, followed, session_of

AFTER = Compact("Summary:\n1. Primary Request and Intent:\n   Make the importer faster.\n")
RULE = "Herr Vogt has the module kunden/ open."
ASKED = User(f"Make the importer faster. {RULE}")
ORIGIN = User("Build the tracking page. What lands at origin is seen by the customer at once.")
LOAD, PUSH = Edit(f"{ROOT}/kunden/load.py"), Run("git push origin HEAD", "ok")
BROKEN: dict[str, tuple[str, tuple[Step, ...]]] = {
    "left alone": (RULE, (ASKED, Say("Understood, I'll leave kunden/ alone."), AFTER, LOAD)),
    "in another reply": (RULE, (ASKED, Run("ls", "kunden"), Say("I'll work around kunden."), AFTER, LOAD)),
    "pronoun": (RULE, (ASKED, Say("Got it. I won't touch it."), AFTER, LOAD)),
    "curved quote": (RULE, (ASKED, Say("Noted — I’ll stay out of kunden/."), AFTER, LOAD)),
    "action": (ORIGIN.text.split(". ")[1], (ORIGIN, Say("Got it, I won't push."), AFTER, PUSH)),
    "left to others": (
        "Everything there is read by the auditors.",
        (
            User("Tidy the ledger. Everything there is read by the auditors."),
            Say("OK, I'll leave the push to you."),
            AFTER,
            PUSH,
        ),
    ),
    "complaint": (RULE, (ASKED, AFTER, LOAD, User("why did you edit kunden/load.py? I said Vogt is in there"))),
    "reproach": (RULE, (ASKED, AFTER, LOAD, User("I told you not to touch kunden/"))),
    "regret": (RULE, (ASKED, AFTER, LOAD, Say("Sorry, I should not have touched kunden/load.py."))),
    "earlier complaint": (
        "I didn't ask you to edit notes.md, it's generated",
        (
            User("Write up the release."),
            Edit(f"{ROOT}/notes.md"),
            User("I didn't ask you to edit notes.md, it's generated"),
            AFTER,
            Edit(f"{ROOT}/notes.md"),
        ),
    ),
}
KEPT: dict[str, tuple[Step, ...]] = {
    "no promise": (ASKED, Say("I'll look at kunden/ first."), AFTER, LOAD),
    "puts off": (ASKED, Say("I'll leave kunden/ alone for now."), AFTER, LOAD),
    "own plan": (User("Make the importer faster."), Say("I'll leave kunden/ alone."), AFTER, LOAD),
    "report": (User("The tests in kunden/ fail."), Say("I'll fix the code and won't touch kunden/."), AFTER, LOAD),
    "lifted": (ASKED, Say("Understood, I'll leave kunden/ alone."), AFTER, User("You can edit kunden/ now."), LOAD),
    "asked for": (ASKED, Say("I'll leave kunden/ alone."), User("Fix kunden/load.py too."), AFTER, LOAD),
    "asked after all": (
        User("Speed up the importer. Leave the customer export out, Vogt does that."),
        Say("Understood, kunden/ stays as it is."),
        AFTER,
        User("Vogt has no time. Please do the customer export here after all."),
        LOAD,
    ),
    "other place": (ASKED, Say("I'll leave kunden/ alone."), AFTER, Edit(f"{ROOT}/waren/load.py")),
    "complaint without a rule": (User("Make it faster."), AFTER, LOAD, User("why did you edit kunden/load.py?")),
    "complaint about nothing": (ASKED, AFTER, Edit(f"{ROOT}/waren/a.py"), User("why did you edit kunden/load.py?")),
    "allowed since": (
        ASKED,
        AFTER,
        User("go into kunden/, change what you need"),
        LOAD,
        User("why did you edit kunden/?"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_the_rule_is_broken(tmp_path: Path, name: str, form: str) -> None:
    rule, steps = BROKEN[name]
    assert [(row.kind, row.item) for row in followed(session_of(steps, form, tmp_path))] == [("rule_broken", rule)]


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_nothing_is_broken(tmp_path: Path, name: str, form: str) -> None:
    assert list(followed(session_of(KEPT[name], form, tmp_path))) == []


def test_an_acknowledged_rule_has_the_words_of_both(tmp_path: Path) -> None:
    session = session_of((ASKED, Say("Understood, I'll leave kunden/ alone."), User("Go on.")), "codex", tmp_path)
    (rule,) = WorkHistory(session).at_turn().of("rule")
    assert (rule.text, rule.state, rule.detail) == (RULE, ACKNOWLEDGED, "Understood, I'll leave kunden/ alone.")


@pytest.mark.parametrize(
    ("promise", "order"),
    {
        "I'll avoid adding lodash.": "do not adding lodash.",
        "I'll make it faster without touching kunden.": "I'll make it faster; do not touching kunden.",
        "I will not merge without her.": "do not merge before I approve.",
        "I'll ask you before merging.": "ask me before merging.",
        "I'll only change src/weight.py.": "only change src/weight.py.",
        "Noted: no restart until tonight.": "no restart until tonight.",
        "The script does not touch the database.": "",
        "I'll read it before touching kunden.": "",
    }.items(),
)
def test_a_promise_is_an_order(promise: str, order: str) -> None:
    assert order_in(promise) == order
