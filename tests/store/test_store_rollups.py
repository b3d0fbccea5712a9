"""Rollups: totals by group, staleness, and what remains of them without their session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.engine.window import KEPT, Fate, Plan
from inspector.store import Rollup, RollupPart, RollupPeriod, Store, StoreError
from inspector.store.damage import DamagedError
from inspector.store.repairing import repair_store
from tests.store.made import chain

EVER = RollupPeriod()


def rollup(agent: str = "main", place: int = 0, parts: tuple[RollupPart, ...] = (), **facts: object) -> Rollup:
    """A rollup of a session of two messages that cost a dollar."""
    row = Rollup(
        agent, place, 1, 2, "A session", "/tmp/made.jsonl", "pier", "/tmp/pier", "made", "model-a", "desk", "ann",
        "2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z", 1, 2, 3, 0, 100, 40, 10, 5, 1.0, 90, 1, 80, 20, 2, 30, 0.25,
        10, 20, 7, 0.5, parts,
    )  # fmt: skip
    return replace(row, **facts)  # type: ignore[arg-type]  # of the fields


def test_totals_are_added_up_by_group() -> None:
    tool = RollupPart("tool", "mcp__maps__find", count=0, defined=300)
    with Store() as store:
        store.rollups.put("a", [rollup(parts=(tool,)), rollup("helper", 1, (replace(tool, count=2),), cost=None)])
        store.rollups.put("b", [rollup(project="mole", parts=(tool, RollupPart("model", "model-b", 3, 100, 0, 1.0)))])
        total = store.rollups.total(EVER)
        assert (total.sessions, total.calls, total.tokens, total.cost) == (2, 9, 300, 2.0)
        assert (total.compacted, total.compactions, total.rereads, total.reread_cost) == (2, 3, 6, 0.75)
        rows = store.rollups.rows("project", EVER)
        assert [(row.name, row.sessions, row.cost) for row in rows] == [("pier", 1, 1.0), ("mole", 1, 1.0)]
        assert [(row.name, row.sessions) for row in store.rollups.rows("agent", EVER)] == [("main", 2), ("helper", 1)]
        (row,) = store.rollups.rows("tool", EVER)
        assert (row.sessions, row.calls, row.defined, row.unused) == (2, 2, 300, 2)
        assert [row.name for row in store.rollups.rows("model", EVER)] == ["model-b"]
        assert store.rollups.rows("server", EVER) == []


def test_a_session_counts_once_in_a_week_and_weeks_begin_on_monday() -> None:
    days = tuple(RollupPart("day", f"2026-03-0{day}", 1, 10, 0, 0.5) for day in (1, 2, 3))
    with Store() as store:
        store.rollups.put("a", [rollup(parts=(*days, RollupPart("day", "", 1, 5)))])
        weeks = store.rollups.rows("week", EVER)
        assert [(row.name, row.sessions, row.cost) for row in weeks] == [
            ("", 1, None), ("2026-02-23", 1, 0.5), ("2026-03-02", 1, 1.0),
        ]  # fmt: skip
        assert [row.name for row in store.rollups.rows("day", RollupPeriod("2026-03-02T00:00:00Z"))] == [
            "2026-03-02", "2026-03-03",
        ]  # fmt: skip
        assert store.rollups.day_costs(EVER)["pier", "2026-03-03"] == 0.5
        assert [one.id for one in store.rollups.sessions("week", "2026-03-02", EVER, 5)] == ["a"]


def test_presets_are_those_of_the_plans_of_a_session() -> None:
    plans = [replace(plan, preset=name) for plan, name in zip(some_plans(3), ("early", "early", ""), strict=True)]
    with Store() as store:
        for name in "ab":
            store.add(chain("Hello", "Hi", "Bye", id=name))
            store.push(name, "main", plans[0])
        store.rollups.put("a", [rollup(), rollup("helper", 1)])
        store.rollups.put("b", [rollup(cost=3.0, ended="2025-03-02T10:00:00Z")])
        store.push("a", "main", plans[1])
        store.push("a", "main", plans[2])
        (row,) = store.rollups.rows("preset", EVER)
        assert (row.name, row.sessions, row.cost, row.rereads) == ("early", 2, 5.0, 6)
        assert [(one.id, one.part) for one in store.rollups.sessions("preset", "early", EVER, 9)] == [
            ("a", 2),
            ("b", 1),
        ]
        (row,) = store.rollups.rows("preset", RollupPeriod("2026-01-01T00:00:00Z"))
        assert row.sessions == 1
        parts = [part for one in store.rollups.of_session("a") for part in one.parts]
        assert parts == [RollupPart("preset", "early", 2)]
        store.rollups.put("a", store.rollups.of_session("a"))
        undone = [store.undo("a", "main") for _ in range(3)]
        assert [plan.preset for plan in undone if plan] == ["", "early", "early"]
        assert [one.id for one in store.rollups.sessions("preset", "early", EVER, 9)] == ["b"]


def some_plans(number: int) -> list[Plan]:
    """Plans for a session of three messages that drop its first ones."""
    ids = ("m0", "m1", "m2")
    drops = [tuple(Fate("dropped", "old") if place < 1 else KEPT for place in range(3)) for _ in range(number)]
    return [Plan("fifo", {}, ids, fates) for fates in drops]


def test_the_period_is_that_of_the_last_message() -> None:
    with Store() as store:
        store.rollups.put("a", [rollup()])
        store.rollups.put("timeless", [rollup(started="", ended="")])
        assert store.rollups.total(RollupPeriod("2026-03-02T00:00:00Z")).sessions == 1
        assert store.rollups.total(RollupPeriod("2026-03-03T00:00:00Z")).sessions == 0
        assert store.rollups.total(EVER).sessions == 2


def test_the_sessions_of_a_group_are_listed_worst_first() -> None:
    with Store() as store:
        stored = store.add(chain("Look.", "I look.")).id
        store.rollups.put(stored, [rollup(parts=(RollupPart("file", "notes.md", 1, 10),))])
        store.rollups.put("other", [rollup(cost=9.0, parts=(RollupPart("file", "notes.md", 3, 30),))])
        by_file = store.rollups.sessions("file", "notes.md", EVER, 5)
        assert [(one.id, one.part, one.is_stored) for one in by_file] == [("other", 3, False), (stored, 1, True)]
        by_project = store.rollups.sessions("project", "pier", EVER, 1)
        assert [(one.id, one.cost, one.title) for one in by_project] == [("other", 9.0, "A session")]


def test_rollups_are_stale_after_the_session_or_the_rules_have_changed() -> None:
    with Store() as store:
        key = store.add(chain("Look.", "I look.")).id
        assert store.rollups.stale(1) == [key]
        store.rollups.put(key, [rollup()])
        assert store.rollups.stale(1) == [] and store.rollups.stale(2) == [key]
        store.add(chain("Look.", "I look.", "More."))
        assert store.rollups.stale(1) == [key]


def test_totals_by_day_follow_what_is_put_and_removed() -> None:
    """The totals of tools are those of all parts, whatever was replaced or removed before."""
    parts = (
        RollupPart("tool", "look", 2, 30, 300),
        RollupPart("tool", "wait", 0, 0, 100),
        RollupPart("model", "model-a", 3, 100, 0, 1.0),
    )
    with Store() as store:

        def tools(since: str = "") -> list[tuple[str, int, int, int, int | None, int | None]]:
            rows = store.rollups.rows("tool", RollupPeriod(since))
            return [(row.name, row.sessions, row.calls, row.tokens, row.defined, row.unused) for row in rows]

        store.rollups.put("a", [rollup(parts=parts), rollup("helper", 1, parts)])
        store.rollups.put("b", [rollup(parts=parts, ended="2026-03-05T10:00:00Z")])
        assert tools() == [("look", 2, 6, 90, 300, 0), ("wait", 2, 0, 0, 100, 2)]
        assert tools("2026-03-05T00:00:00Z") == [("look", 1, 2, 30, 300, 0), ("wait", 1, 0, 0, 100, 1)]
        assert [row.last for row in store.rollups.rows("model", EVER)] == ["2026-03-05"]
        store.rollups.put("a", [rollup(parts=parts[1:2], ended="")])
        assert tools() == [("look", 1, 2, 30, 300, 0), ("wait", 2, 0, 0, 100, 2)]
        assert store.rollups.rows("model", EVER)[0].cost == 1.0
        store.rollups.drop("b")
        assert tools() == [("wait", 1, 0, 0, 100, 1)] and store.rollups.rows("model", EVER) == []
        store.rollups.drop("a")
        assert tools() == []


@pytest.mark.parametrize("keeps", [True, False])
def test_a_removed_session_keeps_its_totals_only_if_asked(tmp_path: Path, keeps: bool) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        key = store.add(chain("Look.", "I look.", title="zanzibar plan")).id
        parts = (RollupPart("model", "model-a", 3, 100, 0, 1.0),)
        store.rollups.put(key, [rollup(parts=parts, title="zanzibar plan", path="/tmp/zanzibar.jsonl")])
        store.removals.remove(key, with_rollups=not keeps)
        assert store.rollups.total(EVER).sessions == keeps
        assert len(store.rollups.rows("model", EVER)) == keeps
        assert store.rollups.is_alone(key) == keeps
        if keeps:
            assert store.removals.content(key).messages == 0
            store.rollups.drop(key)
        with pytest.raises(StoreError, match="no stored session"):
            store.removals.content(key)
    assert not any(b"zanzibar" in file.read_bytes() for file in tmp_path.iterdir())


def test_half_of_a_surrogate_pair_is_stored_and_read_back() -> None:
    with Store() as store:
        store.rollups.put("\ud800", [rollup(project="\udc00", title="\ud800")])
        assert [row.name for row in store.rollups.rows("project", EVER)] == ["\udc00"]
        assert [one.title for one in store.rollups.sessions("project", "\udc00", EVER, 1)] == ["\ud800"]


def test_values_that_were_never_written_are_one_sentence() -> None:
    with Store() as store:
        store.rollups.put("a", [rollup()])
        with store.rollups._settled() as connection:
            connection.execute("UPDATE rollup_total SET project = x'ff'")
        with pytest.raises(DamagedError, match="totals of the sessions cannot be read"):
            store.rollups.rows("project", EVER)


def test_a_repair_copies_the_rollups(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        key = store.add(chain("Look.", "I look.")).id
        store.rollups.put(key, [rollup(parts=(RollupPart("model", "model-a", 3, 100, 0, 1.0),))])
        store.rollups.put("kept", [rollup()])
        with store.rollups._settled() as connection:
            connection.execute("UPDATE body SET raw = 'no JSON'")
    repair = repair_store(path)
    assert repair is not None
    with Store(repair.path) as store:
        assert store.rollups.total(EVER).sessions == 2
        assert [row.name for row in store.rollups.rows("model", EVER)] == ["model-a"]
