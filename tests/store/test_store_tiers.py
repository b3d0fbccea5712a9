"""The three tiers as views: what a person sees who opens the file in an SQLite shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import MAIN, Session
from inspector.engine.strategies import draft_plan
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import KEPT, Fate, Plan, manual_plan, view
from inspector.llm.providers import text_message
from inspector.store import Store
from tests.generated import (
    Ask,
    Call,
    Helper,
    Inject,
    Notice,
    Reply,
    Rewind,
    Summary,
    System,
    conversations,
    moves,
    recorded,
    sized,
    work,
)
from tests.store.made import chain, message


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("store") / "inspector.db") as store:
        yield store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "inspector.db", clock=lambda: "2026-05-01T12:00:00Z") as store:
        yield store


def rows(store: Store, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with store._connections.use() as connection:
        return connection.execute(sql, values).fetchall()


def working_rows(store: Store, session_id: str, agent: str = MAIN) -> list[tuple[str, Any]]:
    sql = "SELECT message_id, raw FROM working_tier WHERE session_id = ? AND agent = ? ORDER BY place"
    return [(item, json.loads(raw)) for item, raw in rows(store, sql, session_id, agent)]


def window_rows(window: Window) -> list[tuple[str, Any]]:
    return [(message.id, message.raw) for message in window.messages]


def test_the_session_tier_is_the_whole_log(store: Store) -> None:
    session = recorded([Ask("alpha"), Notice("beta"), Rewind(1), Ask("gamma"), Helper("delta")])
    store.add(session)
    store.save_counts("counter", {store.digests("s")[0]: 7})
    columns = "session, position, who, preview, tokens, in_context"
    assert rows(store, f"SELECT {columns} FROM session_tier ORDER BY position") == [
        ("A session", 0, "user", "alpha", 7, 1),
        ("A session", 1, "user", "beta", None, 0),
        ("A session", 2, "user", "gamma", None, 1),
        ("A session", 3, "helper", "delta", None, 1),
        ("A session", 4, "helper", "delta", None, 1),
    ]


def test_tokens_are_those_of_the_sessions_counter(store: Store) -> None:
    store.add(chain("alpha"))
    store.save_counts("a counter", {store.digests("s1")[0]: 3})
    store.save_counts("the counter", {store.digests("s1")[0]: 5})
    assert rows(store, "SELECT tokens FROM session_tier") == [(3,)]
    store.set_size("s1", 5, 5, "the counter")
    assert rows(store, "SELECT tokens FROM session_tier") == [(5,)]
    assert rows(store, "SELECT tokens FROM working_tier") == [(5,)]


def test_the_working_tier_of_a_session_without_plans_is_its_context(store: Store) -> None:
    session = recorded([System(), Ask("a"), Reply("b"), Summary("c", fresh=True), Inject("d"), Notice("e"), Ask("f")])
    store.add(session)
    assert working_rows(store, "s") == window_rows(at_turn(session, sized(session)))
    assert rows(store, "SELECT DISTINCT fate, reason FROM working_tier") == [("kept", "nothing to do")]


def test_the_working_tier_shows_what_plans_made_of_the_context(store: Store) -> None:
    store.add(chain("a", "b", "c", "d", "e", "f"))
    into, other = Fate("summarised", "into summary 1", "summary 1"), Fate("summarised", "into summary 2", "summary 2")
    first = Plan(
        "sliding_window",
        {},
        tuple(f"m{n}" for n in range(6)),
        (KEPT, into, into, Fate("dropped", "old"), Fate("trimmed", "to 1 line"), Fate("kept", "recent")),
        {"m4": message("m4", "user", "e …")},
        (text_message("summary 1", "user", "b and c", "openai", kind="summary"),),
    )
    store.push("s1", MAIN, first)
    columns = "place, position, role, kind, who, preview, fate, reason"
    assert rows(store, f"SELECT {columns} FROM working_tier ORDER BY place") == [
        (1, 0, "user", "chat", "user", "a", "kept", "nothing to do"),
        (2, None, "user", "summary", "user", "b and c", "kept", "nothing to do"),
        (3, 4, "user", "chat", "user", "e …", "trimmed", "to 1 line"),
        (4, 5, "assistant", "chat", "assistant", "f", "kept", "recent"),
    ]
    second = Plan(
        "sliding_window",
        {},
        ("m0", "summary 1", "m4", "m5"),
        (KEPT, other, other, Fate("pinned", "pinned by the user")),
        {},
        (text_message("summary 2", "user", "b to e", "openai", kind="summary"),),
    )
    store.push("s1", MAIN, second)
    assert rows(store, "SELECT place, preview, fate FROM working_tier ORDER BY place") == [
        (1, "a", "kept"),
        (2, "b to e", "kept"),
        (3, "f", "pinned"),
    ]
    store.undo("s1", MAIN)
    store.undo("s1", MAIN)
    assert rows(store, "SELECT preview FROM working_tier ORDER BY place") == [(text,) for text in "abcdef"]


def test_a_summary_may_carry_the_name_of_one_that_is_gone(store: Store) -> None:
    session = chain("a", "b", "c", "d", "e")
    store.add(session)
    window = at_turn(session, sized(session))
    stack: list[Plan] = []
    for name, covered in (
        ("summary 1", ("m0", "m1")),
        ("summary 2", ("summary 1", "m2")),
        ("summary 1", ("summary 2", "m3")),
    ):
        fate = Fate("summarised", f"into {name}", name)
        text = f"{name} of {', '.join(covered)}"
        records = view(window, stack)
        fates = tuple(fate if item in covered else KEPT for item in records.ids)
        stack.append(
            Plan("test", {}, records.ids, fates, {}, (text_message(name, "user", text, "openai", kind="summary"),))
        )
        store.push("s1", MAIN, stack[-1])
        assert working_rows(store, "s1") == window_rows(view(window, stack))
    assert rows(store, "SELECT preview FROM working_tier ORDER BY place") == [("summary 1 of summary 2, m3",), ("e",)]


def test_a_plan_that_was_made_at_an_earlier_turn_finds_less_to_cover(store: Store) -> None:
    session = recorded([Ask("a"), Reply("b"), Ask("c"), Reply("d"), Ask("e"), Reply("f"), Ask("g")])
    store.add(session)
    late, early = Fate("summarised", "late", "summary 1"), Fate("summarised", "early", "summary 2")
    ids = tuple(message.id for message in session)
    stack = [
        Plan(
            "late",
            {},
            ids,
            (*[late] * 4, KEPT, KEPT, KEPT),
            {},
            (text_message("summary 1", "user", "late", "openai"),),
            4,
        ),
        Plan(
            "early", {}, ids[:3], (early, early, KEPT), {}, (text_message("summary 2", "user", "early", "openai"),), 2
        ),
    ]
    for plan in stack:
        store.push("s", MAIN, plan)
    assert working_rows(store, "s") == window_rows(view(at_turn(session, sized(session)), stack))
    assert [item for item, _ in working_rows(store, "s")] == ["summary 1", "m4", "m5", "m6"]


def test_results_stand_behind_their_call_once_a_plan_alters_the_window(store: Store) -> None:
    session = recorded([Ask("a"), work("later", "now"), Ask("b"), System("c"), Reply("d")])
    store.add(session)
    window = at_turn(session, sized(session))
    assert working_rows(store, "s") == window_rows(window)
    plan = manual_plan(window, [window.ids[-1]], "dropped")
    store.push("s", MAIN, plan)
    assert working_rows(store, "s") == window_rows(view(window, [plan]))


@given(conversations(), st.data())
def test_the_working_tier_is_the_window_seen_through_the_plans(
    one_store: Store, session: Session, data: st.DataObject
) -> None:
    one_store.add(session)
    try:
        sizes = sized(session)
        for agent in session.agents:
            stack: list[Plan] = []
            last = len(session.turns(agent)) + 1
            for _ in range(data.draw(st.integers(0, 4))):
                window = view(at_turn(session, sizes, data.draw(st.integers(1, last)), agent), stack)
                if data.draw(st.booleans()) or not window.ids:
                    stack.append(draft_plan(window, *data.draw(moves(window))))
                else:
                    chosen = data.draw(st.lists(st.sampled_from(window.ids), max_size=3))
                    stack.append(manual_plan(window, chosen, data.draw(st.sampled_from(["pinned", "dropped", "kept"]))))
                one_store.push(session.id, agent, stack[-1])
            assert working_rows(one_store, session.id, agent) == window_rows(
                view(at_turn(session, sizes, agent=agent), stack)
            )
    finally:
        one_store.remove(session.id)


def test_the_persistent_tier_names_what_put_it_there(store: Store) -> None:
    store.add(chain("a", "b"))
    store.push("s1", MAIN, Plan("vector_swap", {}, ("m0", "m1"), (Fate("archived", "old"), KEPT)))
    store.entries.remember("fact", "loose")
    columns = "kind, session, text, archived_by, created_at"
    assert rows(store, f"SELECT {columns} FROM persistent_tier ORDER BY id") == [
        ("archived", "A session", "a", "vector_swap", "2026-05-01T12:00:00Z"),
        ("fact", None, "loose", None, "2026-05-01T12:00:00Z"),
    ]


def test_results_of_calls_with_one_id_stand_behind_the_nearest(store: Store) -> None:
    session = recorded([Ask("a"), Reply(None, (Call("x"),)), Reply(None, (Call("x"),)), Ask("b"), Reply("c")])
    store.add(replace(session, id="twins"))
    window = at_turn(session, sized(session))
    plan = manual_plan(window, [window.ids[-1]], "dropped")
    store.push("twins", MAIN, plan)
    assert working_rows(store, "twins") == window_rows(view(window, [plan]))
