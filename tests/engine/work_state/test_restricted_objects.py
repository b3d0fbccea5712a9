"""Rules in words that no form covers, found because a later action is done to what a sentence restricts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Step, User, followed, session_of

AFTER = Compact("Summary:\n1. Primary Request and Intent:\n   Speed up the import.\n")
FLUSH = Run("redis-cli -h redis-live flushall", "OK")
REBOOT = Run("ssh node-3 'sudo reboot'")
PUSH = Run("git push origin HEAD", "ok")
BROKEN: dict[str, tuple[str, Step]] = {
    "owner": ("Mira's sweep is on node-3 all week, her whole team needs it.", REBOOT),
    "harm": ("A reboot of node-3 and the whole ward is furious.", REBOOT),
    "status": ("The numbers in rates.yaml are certified, the customer signed them.", Edit(f"{ROOT}/conf/rates.yaml")),
    "time": ("Pushing comes after the auditors had their say.", PUSH),
    "people": ("Ben freaks out when stuff gets pushed behind his back.", PUSH),
    "value": ("redis-live has everybody's cart in it, no backup.", FLUSH),
    "past": ("last time I force-pushed I overwrote Ben's fix", Run("git push --force origin dev")),
    "blame": ("why did you edit notes.md? that one is generated", Edit(f"{ROOT}/notes.md")),
}
ALLOWED: dict[str, tuple[tuple[Step, ...], Step]] = {
    "request": ((User("redis-live has everybody's cart in it. flush it"), AFTER), FLUSH),
    "permission": ((User("Speed it up. Mira's sweep is on node-3, she said yes to a reboot."), AFTER), REBOOT),
    "harmless": ((User("Speed it up. redis-live only has test data, no backup."), AFTER), FLUSH),
    "report": (
        (User("Speed it up. rates.yaml looks wrong, the customer says."), AFTER),
        Edit(f"{ROOT}/conf/rates.yaml"),
    ),
    "asked for": ((User("Push it. Pushing is what Ben wants."), AFTER), PUSH),
    "asked for later": ((User("Mira's sweep is on node-3 all week."), AFTER, User("reboot node-3 now")), REBOOT),
    "agreed": ((User("Speed it up. Mira's sweep is on node-3 all week."), AFTER, User("ok, go on")), REBOOT),
    "other object": (
        (User("Speed it up. Mira's sweep is on node-3 all week."), AFTER),
        Run("ssh node-4 'sudo reboot'"),
    ),
    "other path": ((User("Speed it up. web/rates.yaml is certified."), AFTER), Edit(f"{ROOT}/conf/rates.yaml")),
    "the rest": (
        (User("Speed it up. It is in rates.yaml, nothing else may change."), AFTER),
        Edit(f"{ROOT}/rates.yaml"),
    ),
    "code": ((User("Speed it up. redis-live::flush(never) // no backup"), AFTER), FLUSH),
}


@pytest.mark.parametrize("form", ["claude-code", "codex"])
@pytest.mark.parametrize("name", BROKEN)
def test_an_action_breaks_a_rule_in_any_words(name: str, form: str, tmp_path: Path) -> None:
    rule, step = BROKEN[name]
    script = (User(f"Speed up the import. {rule}"), AFTER, step)
    assert [row.kind for row in followed(session_of(script, form, tmp_path))] == ["rule_broken"]


@pytest.mark.parametrize("form", ["claude-code", "codex"])
@pytest.mark.parametrize("name", ALLOWED)
def test_an_action_that_is_allowed_breaks_nothing(name: str, form: str, tmp_path: Path) -> None:
    script, step = ALLOWED[name]
    assert [row.kind for row in followed(session_of((*script, step), form, tmp_path))] == []


def test_the_consequence_has_the_sentence_and_the_command(tmp_path: Path) -> None:
    said = User(f"Speed up the import. {BROKEN['harm'][0]}")
    (row,) = followed(session_of((said, AFTER, REBOOT), "codex", tmp_path))
    assert (row.item, row.evidence) == (BROKEN["harm"][0], "ssh node-3 'sudo reboot'")
