"""Plans in the store: they come back as they were, and take what they archived with them when they are undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.strategies import draft_plan
from inspector.engine.window import at_turn
from inspector.engine.window.plan import KEPT, UNPINNED, Fate, Plan, inject, manual_plan, view
from inspector.llm.providers import text_message
from inspector.llm.tokens.sizes import digest
from inspector.store import StaleError, Store, StoreError
from tests.generated import conversations, moves, sized
from tests.store.made import chain, message, persistent_entries, whole_message


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "inspector.db", clock=lambda: "2026-05-01T12:00:00Z") as store:
        store.add(chain("a", "b", "c", "d", "e"))
        yield store


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("store") / "inspector.db") as store:
        yield store


IDS = ("m0", "m1", "m2", "m3", "m4")
INTO = Fate("summarised", "into summary 1", "summary 1")


def summary(id: str = "summary 1", text: str = "They said a, b and c.") -> Message:
    return text_message(id, "user", text, "openai", kind="summary")


def shorter(id: str, text: str) -> Message:
    return message(id, "assistant", text, model="some-model", agent="main")


def plan(*fates: Fate, ids: tuple[str, ...] = IDS, **facts: Any) -> Plan:
    return Plan(facts.pop("strategy", "test"), facts.pop("settings", {}), ids, fates, **facts)


def full_plan(plan: Plan) -> Any:
    """All of a plan as something that can be compared."""
    changed = {item: whole_message(message) for item, message in plan.rewrites.items()}
    summaries = [whole_message(message) for message in plan.summaries]
    return plan.strategy, plan.settings, plan.ids, plan.fates, changed, list(changed), summaries, plan.turn, plan.note


def test_a_plan_comes_back_as_it_was(store: Store) -> None:
    result = plan(
        INTO,
        INTO,
        Fate("kept", "recent"),
        Fate("trimmed", "to 1 line"),
        KEPT,
        strategy="sliding_window",
        settings={"keep_recent": 2, "ratio": 0.3, "keep": ["a", "b"], "name": "half \ud83d"},
        rewrites={"m3": shorter("m3", "d …"), "m4": shorter("m4", "e\0")},
        summaries=(summary(),),
        turn=2,
        note="too little to save",
    )
    store.push("s1", MAIN, result)
    (back,) = store.plans("s1", MAIN)
    assert full_plan(back) == full_plan(result)
    assert back.alters


def test_what_a_plan_injects_comes_back_with_it_and_is_no_new_memory(store: Store) -> None:
    window = at_turn(session := store.load("s1"), sized(session))
    memory = text_message("memory 1", "user", "Bob likes tea.", "openai", kind="injected")
    result = inject(window, memory, "asked for: tea", {"query": "tea", "memories": [7]})
    store.push("s1", MAIN, result)
    (back,) = store.plans("s1", MAIN)
    [(message, before, reason)] = [(each.message, each.before, each.reason) for each in back.injections]
    assert (whole_message(message), before, reason) == (
        whole_message(memory),
        result.injections[0].before,
        "asked for: tea",
    )
    assert view(window, [back]).ids == view(window, [result]).ids
    assert (back.by_id, back.settings) == (result.by_id, result.settings)
    assert persistent_entries(store) == []
    dropped = manual_plan(view(window, [back]), ["memory 1"], "dropped")
    store.push("s1", MAIN, dropped)
    assert "memory 1" not in view(window, store.plans("s1", MAIN)).ids
    assert store.undo("s1", MAIN) and store.undo("s1", MAIN) and store.plans("s1", MAIN) == []


def test_the_stack_is_each_agents_own_and_the_oldest_comes_first(store: Store) -> None:
    for name in ("one", "two"):
        store.push("s1", MAIN, plan(*[KEPT] * 5, strategy=name))
    store.push("s1", "helper", plan(strategy="other", ids=()))
    assert [item.strategy for item in store.plans("s1", MAIN)] == ["one", "two"]
    assert [item.strategy for item in store.plans("s1", "helper")] == ["other"]
    assert store.plans("s1", "nobody") == []


def test_undo_takes_the_newest(store: Store) -> None:
    for name in ("one", "two"):
        store.push("s1", MAIN, plan(*[KEPT] * 5, strategy=name))
    top = store.undo("s1", MAIN)
    assert top is not None and top.strategy == "two"
    assert [item.strategy for item in store.plans("s1", MAIN)] == ["one"]
    store.push("s1", MAIN, plan(*[KEPT] * 5, strategy="three"))
    assert [item.strategy for item in store.plans("s1", MAIN)] == ["one", "three"]
    assert store.undo("s1", MAIN) and store.undo("s1", MAIN)
    assert store.undo("s1", MAIN) is None


def test_plans_of_a_session_that_is_not_there_are_refused(store: Store) -> None:
    for ask in (store.plans, store.undo):
        with pytest.raises(StoreError, match="no stored session has the id 'nobody'"):
            ask("nobody", MAIN)
    with pytest.raises(StoreError, match="no stored session has the id 'nobody'"):
        store.push("nobody", MAIN, plan(ids=()))


def test_settings_that_json_cannot_hold_are_refused_in_a_sentence(store: Store) -> None:
    with pytest.raises(StoreError, match="the plan test cannot be stored"):
        store.push("s1", MAIN, plan(*[KEPT] * 5, settings={"judge": len}))
    assert store.plans("s1", MAIN) == []


def test_pins_and_unpins_by_hand_hold(store: Store) -> None:
    session = store.load("s1")
    window = at_turn(session, sized(session))
    pin = manual_plan(window, ["m1", "m2"], "pinned")
    unpin = manual_plan(view(window, [pin]), ["m1"], "kept")
    store.push("s1", MAIN, pin)
    store.push("s1", MAIN, unpin)
    stack = store.plans("s1", MAIN)
    assert stack[1].by_id["m1"] is UNPINNED
    assert view(window, stack).pins == view(window, [pin, unpin]).pins == {"m2"}


def tier(store: Store) -> list[tuple[str, str | None, str, int | None]]:
    return [(item.kind, item.message_id, item.text, item.tokens) for item in reversed(persistent_entries(store))]


def test_summaries_and_archived_messages_go_into_the_persistent_tier(store: Store) -> None:
    store.save_counts("counter", {digest(summary()): 9, store.digests("s1")[3]: 4})
    archive = Fate("archived", "least relevant", "archive")
    store.push("s1", MAIN, plan(INTO, INTO, INTO, archive, KEPT, summaries=(summary(),)))
    assert tier(store) == [("summary", "summary 1", "They said a, b and c.", 9), ("archived", "m3", "d", 4)]
    assert persistent_entries(store)[0].created_at == "2026-05-01T12:00:00Z"
    assert persistent_entries(store)[0].session_id == "s1"


def test_a_summary_that_is_archived_later_goes_there_too(store: Store) -> None:
    store.push("s1", MAIN, plan(INTO, INTO, KEPT, KEPT, KEPT, summaries=(summary(),)))
    archive = Fate("archived", "old")
    store.push("s1", MAIN, plan(archive, KEPT, KEPT, KEPT, ids=("summary 1", "m2", "m3", "m4")))
    assert tier(store)[1] == ("archived", "summary 1", "They said a, b and c.", None)


def test_undo_takes_out_of_the_persistent_tier_what_the_plan_put_there_and_nothing_else(store: Store) -> None:
    store.entries.remember("fact", "stays", "s1")
    store.push("s1", MAIN, plan(INTO, *[KEPT] * 4, summaries=(summary(),)))
    store.push("s1", MAIN, plan(KEPT, Fate("archived", "old"), KEPT, KEPT, KEPT))
    store.undo("s1", MAIN)
    assert [kind for kind, *_ in tier(store)] == ["fact", "summary"]
    store.undo("s1", MAIN)
    assert [kind for kind, *_ in tier(store)] == ["fact"]
    assert store.entries.recall("said") == []


def test_removing_a_session_removes_its_plans_but_not_what_they_archived(store: Store) -> None:
    store.push("s1", MAIN, plan(INTO, *[KEPT] * 4, summaries=(summary(),)))
    store.remove("s1")
    with store._connections.use() as connection:
        for table in ("plan", "plan_fate", "plan_message", "message", "body", "context"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert tier(store) == [("summary", "summary 1", "They said a, b and c.", None)]
    assert persistent_entries(store)[0].session_id is None


def test_plans_hold_when_the_log_goes_on(store: Store) -> None:
    result = plan(INTO, INTO, Fate("dropped", "old"), KEPT, KEPT, summaries=(summary(),))
    store.push("s1", MAIN, result)
    store.add(chain("a", "b", "c", "d", "e", "f"))
    assert full_plan(store.plans("s1", MAIN)[0]) == full_plan(result)
    session = store.load("s1")
    assert view(at_turn(session, sized(session)), store.plans("s1", MAIN)).ids == ("summary 1", "m3", "m4", "m5")


@given(conversations(), st.data())
def test_any_plan_of_any_strategy_comes_back_as_it_was(one_store: Store, session: Session, data: st.DataObject) -> None:
    one_store.add(replace(session, title="A session"))
    try:
        window = at_turn(session, sized(session))
        for _ in range(3):
            name, knobs = data.draw(moves(window))
            result = draft_plan(window, name, knobs)
            one_store.push(session.id, MAIN, result)
            assert full_plan(one_store.plans(session.id, MAIN)[-1]) == full_plan(result)
            undone = one_store.undo(session.id, MAIN)
            assert undone and full_plan(undone) == full_plan(result)
            one_store.push(session.id, MAIN, result)
            window = view(window, [result])
    finally:
        one_store.remove(session.id)


def test_a_plan_that_was_made_for_another_stack_is_refused_and_nothing_is_stored(store: Store) -> None:
    records = store.stack("s1", MAIN)
    assert (records.version, records.plans) == (0, ())
    first = plan(INTO, INTO, *[KEPT] * 3, summaries=(summary(),))
    version = store.push("s1", MAIN, first, on=records.version)
    for refused in (lambda: store.push("s1", MAIN, first, on=records.version), lambda: store.undo("s1", MAIN, on=0)):
        before = tier(store)
        with pytest.raises(StaleError, match="the session has changed since it was opened, so nothing was stored"):
            refused()
        assert (store.stack("s1", MAIN).version, len(store.plans("s1", MAIN)), tier(store)) == (version, 1, before)
    assert store.undo("s1", MAIN, on=version) is not None
    assert store.version("s1", MAIN) == 0


def test_a_stack_has_its_old_version_again_once_all_was_taken_back(store: Store) -> None:
    version = store.push("s1", MAIN, plan(*[KEPT] * 5))
    store.push("s1", MAIN, plan(*[KEPT] * 5))
    store.undo("s1", MAIN)
    assert store.version("s1", MAIN) == version
    store.undo("s1", MAIN)
    store.push("s1", MAIN, plan(*[KEPT] * 5))
    assert store.version("s1", MAIN) not in (0, version)


def test_the_stacks_of_other_agents_are_other_stacks(store: Store) -> None:
    store.push("s1", "helper", plan(ids=()))
    store.push("s1", MAIN, plan(*[KEPT] * 5), on=0)
    assert len(store.plans("s1", MAIN)) == 1


def test_what_is_done_in_one_change_is_stored_all_or_not_at_all(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.atomic():
        store.add(chain("x", id="s2"))
        store.push("s1", MAIN, plan(*[KEPT] * 5))
        raise ZeroDivisionError
    assert [row.id for row in store.sessions()] == ["s1"]
    assert store.plans("s1", MAIN) == []
