"""What a recording states about the state of the work is the same in the store as in the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.conversation import WorkEvent
from inspector.engine.work_state import WorkHistory, consequences_of, fates_of
from inspector.library.opening.imports import import_targets
from inspector.library.opening.session_refs import OpenError, find_session_id
from inspector.store import Store, StoreError
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Step, User, Where, session_of, transition_of

TREE = f"{ROOT}/.claude/worktrees/loyalty"
SCRIPT: tuple[Step, ...] = (
    Where(TREE, "feat/loyalty"),
    User("Add loyalty points."),
    Edit(f"{TREE}/src/points.py"),
    Compact("Summary: add loyalty points."),
    Where(ROOT, "main"),
    Edit(f"{ROOT}/src/points.py"),
    Run("git commit -am x", "ok"),
)


@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_a_stored_session_has_the_state_of_its_file(form: str, tmp_path: Path) -> None:
    session = session_of(SCRIPT, form, tmp_path)
    with Store(tmp_path / "inspector.db") as store:
        stored = store.load(store.add(session).id)
        assert [message.events for message in stored] == [message.events for message in session]
        assert any(message.events for message in stored)
        assert WorkHistory(stored).at_turn() == WorkHistory(session).at_turn()
        ours, theirs = transition_of(session), transition_of(stored)
        assert fates_of(theirs) == fates_of(ours)
        assert list(consequences_of(theirs)) == list(consequences_of(ours)) != []


def test_a_session_stored_without_events_gets_them_when_it_is_imported_again(tmp_path: Path) -> None:
    session = session_of(SCRIPT, "claude-code", tmp_path)
    with Store(tmp_path / "inspector.db") as store:
        key = store.add(session).id
        with store._connections.use() as connection:
            connection.execute("UPDATE message SET events = NULL")
        assert not any(message.events for message in store.load(key))
        assert store.add(session).id == key
        assert [message.events for message in store.load(key)] == [message.events for message in session]


@pytest.mark.parametrize("value", ["{}", "[[1, 2, 3]]", '[["where"]]', "no", 7])
def test_events_that_nobody_wrote_are_damage(value: object, tmp_path: Path) -> None:
    with Store(tmp_path / "inspector.db") as store:
        key = store.add(session_of(SCRIPT, "claude-code", tmp_path)).id
        with store._connections.use() as connection:
            connection.execute("UPDATE message SET events = ? WHERE position = 0", (value,))
        with pytest.raises(StoreError):
            store.load(key)


def test_halves_of_surrogate_pairs_in_an_event_survive(tmp_path: Path) -> None:
    session = session_of((User("Fix it."),), "claude-code", tmp_path)
    events = (WorkEvent("where", "folder", "/home/u/\ud83d"),)
    session = replace(session, messages=(replace(session.messages[0], events=events),))
    with Store(tmp_path / "inspector.db") as store:
        assert store.load(store.add(session).id).messages[0].events == events


def test_a_stored_sub_agent_opens_by_its_id_with_a_slash(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    session_of((User("Look."), Run("ls", "a")), "claude-code", folder)
    (folder / "claude-code.jsonl").rename(folder / "agent-a1.jsonl")
    text = (
        (folder / "agent-a1.jsonl").read_text().replace('"type": "', '"agentId": "a1", "isSidechain": true, "type": "')
    )
    (folder / "agent-a1.jsonl").write_text(text)
    with Store(tmp_path / "inspector.db") as store:
        (outcome,) = import_targets(store, [str(folder / "agent-a1.jsonl")])
        assert outcome.addition is not None and "/" in outcome.addition.id
        assert find_session_id(outcome.addition.id, store) == outcome.addition.id
        with pytest.raises(OpenError, match="does not exist"):
            find_session_id("s/none", store)
