"""The three tiers of a session as rows, and messages of its log that become entries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.engine.window.plan import KEPT, Fate, Plan
from inspector.library import (
    Library,
    MemoryMoveError,
    OpenSession,
    list_tiers,
    place_of_entry,
    promote_messages,
)
from inspector.store import MemoryFilter, Store
from tests.store.made import chain, persistent_entries

NOW = datetime(2026, 3, 1, 11, tzinfo=UTC)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[OpenSession]:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain("The port is 8080.", "Noted.", "And the host?", "localhost"))
        store.add(chain("elsewhere", id="s2"))
    with Library(path) as library:
        yield library.open("s1")


def test_the_tiers_of_a_session_add_up(session: OpenSession) -> None:
    store = session.library.required_store
    store.entries.remember("state", "step 1", "s1", tier="session", key="progress", tokens=3)
    store.entries.remember("state", "step 9", "s2", tier="session", key="progress")
    store.entries.remember("fact", "Orders are kept for ten years.", tokens=8)
    store.entries.remember("fact", "Nobody has counted this.")
    session.push(Plan("vector_swap", {}, ("m0", "m1", "m2", "m3"), (Fate("archived", "old"), KEPT, KEPT, KEPT)))
    tiers = list_tiers(session.bench, store, MAIN, now=NOW)
    assert [row.id for row in tiers["working"].rows] == ["m1", "m2", "m3"]
    assert tiers["working"].tokens == session.bench.preview().before.total
    assert [row.text for row in tiers["session"].rows] == [
        "The port is 8080.", "Noted.", "And the host?", "localhost", "step 1",
    ]  # fmt: skip
    assert tiers["session"].tokens == sum(session.bench.sizes.tokens) + 3
    assert tiers["session"].oldest == 3_600
    assert [row.text for row in tiers["persistent"].rows] == [
        "The port is 8080.", "Nobody has counted this.", "Orders are kept for ten years.",
    ]  # fmt: skip
    archived = tiers["persistent"].rows[0]
    assert (archived.message_ids, archived.session_id, archived.reason, archived.who) == (
        ("m0",), "s1", "old", "vector_swap",
    )  # fmt: skip
    assert tiers["persistent"].uncounted == 1
    own = list_tiers(session.bench, store, MAIN, meant=MemoryFilter(tier="persistent", session_id="s1"))
    assert len(own["persistent"].rows) == 1


def test_a_session_without_a_store_has_its_window_and_its_log(session: OpenSession) -> None:
    tiers = list_tiers(session.bench, None, MAIN)
    assert [len(rows.rows) for rows in tiers.values()] == [4, 4, 0]


def test_a_message_becomes_an_entry_once(session: OpenSession) -> None:
    store = session.library.required_store
    (entry,) = promote_messages(session.bench, store, ["m0"], kind="fact")
    assert (entry.text, entry.tier, entry.kind, entry.agent) == ("The port is 8080.", "persistent", "fact", MAIN)
    assert (entry.session_id, entry.message_ids, entry.origin) == ("s1", ("m0",), "user")
    assert entry.tokens == session.bench.sizes.tokens[0]
    assert promote_messages(session.bench, store, ["m0"], kind="fact") == [entry]
    assert place_of_entry(store, entry) == ("s1", 0)
    (state,) = promote_messages(session.bench, store, ["m3"], "session", "state", key="host")
    assert (state.tier, state.key, state.text) == ("session", "host", "localhost")
    store.remove("s1")
    assert place_of_entry(store, entry) is None


def test_a_message_that_is_not_there_moves_nothing(session: OpenSession) -> None:
    store = session.library.required_store
    for ids, key in ((["m0", "m9"], None), (["m0", "m1"], "two")):
        with pytest.raises(MemoryMoveError):
            promote_messages(session.bench, store, ids, key=key)
    assert persistent_entries(store) == []
