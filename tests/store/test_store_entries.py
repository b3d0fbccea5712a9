"""The entries of the session and the persistent tier: where they come from, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.engine.window.plan import KEPT, Fate, Plan
from inspector.llm.providers import text_message
from inspector.store import MemoryFilter, Store, StoreError
from tests.store.made import chain, persistent_entries

SESSION, PERSISTENT = MemoryFilter(tier="session"), MemoryFilter(tier="persistent")


class Clock:
    """A clock that stands until it is set on."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> str:
        return f"2026-05-01T12:{self.seconds // 60:02}:{self.seconds % 60:02}Z"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store(tmp_path / "inspector.db", clock=clock) as store:
        store.add(chain("a", "b", "c", "d"))
        store.add(chain("e", id="s2"))
        yield store


def texts(store: Store, meant: MemoryFilter) -> list[str]:
    return [entry.text for entry in store.entries.page(meant=meant)]


def test_an_entry_tells_where_it_comes_from(store: Store) -> None:
    number = store.entries.remember(
        "fact", "The port is 8080.", "s1", message_ids=("m0", "m2"), agent=MAIN, reason="asked to remember",
        origin="user", tokens=6, ttl=60,
    )  # fmt: skip
    entry = store.entries.get(number)
    assert (entry.tier, entry.kind, entry.text, entry.session_id) == ("persistent", "fact", "The port is 8080.", "s1")
    assert (entry.message_ids, entry.message_id, entry.agent) == (("m0", "m2"), "m2", MAIN)
    assert (entry.reason, entry.origin, entry.tokens) == ("asked to remember", "user", 6)
    assert (entry.created_at, entry.expires_at) == ("2026-05-01T12:00:00Z", "2026-05-01T12:01:00.000Z")
    assert (entry.used_at, entry.is_pinned, entry.key, entry.plan_id) == ("", False, None, None)


def test_a_plan_archives_with_where_it_comes_from(store: Store) -> None:
    into = Fate("summarised", "older than the last 2", "summary 1")
    summary = text_message("summary 1", "user", "a and b", "openai", kind="summary")
    plan = Plan(
        "vector_swap", {}, ("m0", "m1", "m2", "m3"), (into, into, Fate("archived", "old"), KEPT), {}, (summary,)
    )
    store.push("s1", MAIN, plan)
    archived, condensed = store.entries.page()
    assert (archived.text, archived.reason, archived.origin, archived.agent) == ("c", "old", "vector_swap", MAIN)
    assert (archived.message_ids, archived.session_id) == (("m2",), "s1")
    assert (condensed.text, condensed.reason) == ("a and b", "older than the last 2")
    assert (condensed.message_ids, condensed.message_id) == (("m0", "m1", "summary 1"), "summary 1")
    store.entries.pin(archived.id)
    store.undo("s1", MAIN)
    assert texts(store, PERSISTENT) == ["c"]


def test_what_has_a_key_is_there_once(store: Store) -> None:
    entries = store.entries
    first = entries.remember("preference", "tabs", "s1", key="indent")
    assert entries.remember("preference", "spaces", "s2", key="indent") == first
    assert (entries.get(first).text, entries.get(first).session_id) == ("spaces", "s2")
    assert entries.remember("profile", "Alice", key="indent") != first
    one = entries.remember("state", "step 1", "s1", tier="session", key="progress")
    other = entries.remember("state", "step 7", "s2", tier="session", key="progress")
    assert one != other
    assert texts(store, MemoryFilter(session_id="s1", key="progress")) == ["step 1"]
    store.remove("s1")
    store.remove("s2")
    assert texts(store, SESSION) == []
    assert texts(store, PERSISTENT) == ["Alice", "spaces"]


def test_the_session_tier_goes_with_its_session(store: Store) -> None:
    number = store.entries.remember("fact", "for now", "s1", tier="session")
    with pytest.raises(StoreError, match="belongs to a session"):
        store.entries.remember("fact", "of nobody", tier="session")
    assert persistent_entries(store) == []
    assert store.entries.recall("now") == []
    assert [entry.id for entry in store.entries.recall("now", meant=SESSION)] == [number]
    store.remove("s1")
    assert texts(store, MemoryFilter()) == []


def test_promotion_and_demotion_move_between_tiers(store: Store) -> None:
    entries = store.entries
    number = entries.remember("fact", "for now", "s1", tier="session")
    assert entries.promote(number).tier == "persistent"
    assert entries.promote(number).tier == "persistent"
    assert entries.demote(number).session_id == "s1"
    assert entries.demote(number, "s2").session_id == "s2"
    loose = entries.remember("fact", "loose")
    with pytest.raises(StoreError, match="comes from no session"):
        entries.demote(loose)
    assert entries.demote(loose, "s1").tier == "session"
    old = entries.remember("preference", "tabs", key="indent")
    new = entries.remember("preference", "spaces", "s1", tier="session", key="indent")
    entries.promote(new)
    assert [entry.text for entry in entries.page(meant=PERSISTENT)] == ["spaces"]
    with pytest.raises(StoreError, match="no memory with the number"):
        entries.get(old)


def test_what_has_expired_is_not_there_for_any_reader(store: Store, clock: Clock) -> None:
    entries = store.entries
    number = entries.remember("fact", "brief", "s1", ttl=10)
    pinned = entries.remember("fact", "brief and pinned", "s1", ttl=10, is_pinned=True)
    clock.seconds = 9
    assert len(persistent_entries(store)) == 2
    clock.seconds = 10
    assert [entry.id for entry in persistent_entries(store)] == [pinned]
    assert [entry.id for entry in store.entries.recall("brief")] == [pinned]
    assert store.entries.find("fact", "brief", "s1") is None
    assert [size.entries for size in entries.sizes()] == [1]
    for change in (entries.get, entries.pin, entries.promote, entries.demote):
        with pytest.raises(StoreError, match="no memory with the number"):
            change(number)
    assert store.entries.remember("fact", "brief", "s1", once=True) not in (number, pinned)
    assert entries.sweep_expired() == 1
    assert entries.sweep_expired() == 0
    with pytest.raises(StoreError, match="unpin it first"):
        entries.expire(pinned, 5)
    entries.unpin(pinned)
    assert len(persistent_entries(store)) == 2
    entries.expire(pinned, 5)
    entries.pin(pinned)
    clock.seconds = 60
    assert entries.get(pinned).is_pinned


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), 1e300])
def test_a_time_to_live_that_is_none_is_refused(store: Store, ttl: float) -> None:
    with pytest.raises(StoreError, match="an entry cannot last"):
        store.entries.remember("fact", "brief", ttl=ttl)
    assert persistent_entries(store) == []


def test_what_was_retrieved_is_old_once_the_persistent_tier_changes(store: Store) -> None:
    entries = store.entries
    fact = entries.remember("fact", "The port is 8080.", "s1")

    def cached() -> bool:
        return bool(entries.page(meant=MemoryFilter(kind="retrieval")))

    changes: list[Callable[[], object]] = [
        lambda: entries.remember("fact", "another"),
        lambda: entries.expire(fact, 60),
        lambda: entries.demote(fact),
        lambda: entries.promote(fact),
        lambda: entries.forget(fact),
    ]
    for change in changes:
        entries.remember("retrieval", "8080", "s1", tier="session", key="port")
        entries.remember("state", "unrelated", "s1", tier="session", key="progress")
        assert cached()
        change()
        assert not cached()


def test_entries_are_told_by_tier_kind_session_key_and_pin(store: Store) -> None:
    entries = store.entries
    entries.remember("fact", "one", "s1", tokens=3)
    entries.remember("fact", "two", "s2", is_pinned=True)
    entries.remember("state", "three", "s1", tier="session", key="k")
    assert texts(store, MemoryFilter(session_id="s1")) == ["three", "one"]
    assert texts(store, MemoryFilter(kind="fact")) == ["two", "one"]
    assert texts(store, MemoryFilter(is_pinned=True)) == ["two"]
    assert texts(store, MemoryFilter(key="k")) == ["three"]
    assert [entry.text for entry in entries.page(1, 1)] == ["two"]
    assert [(size.tier, size.kind, size.entries, size.tokens, size.uncounted) for size in entries.sizes()] == [
        ("persistent", "fact", 2, 3, 1),
        ("session", "state", 1, 0, 1),
    ]


def test_vectors_go_with_what_they_were_made_of(store: Store) -> None:
    entries = store.entries
    number = entries.remember("preference", "tabs", key="indent")
    assert entries.without_vector("a model") == [(number, "tabs")]
    entries.save_vectors("a model", [(number, "tabs", b"1234"), (number, "other", b"5678"), (99, "gone", b"1234")])
    assert entries.vectors("a model") == [(number, b"1234")]
    assert entries.vectors("another") == []
    assert entries.without_vector("a model") == []
    entries.remember("preference", "spaces", key="indent")
    assert entries.vectors("a model") == []
    entries.save_vectors("a model", [(number, "spaces", b"1234")])
    entries.forget(number)
    assert entries.vectors("a model") == []


def test_an_entry_notes_when_it_was_used(store: Store, clock: Clock) -> None:
    number = store.entries.remember("fact", "The port is 8080.")
    clock.seconds = 5
    store.entries.touch([number, 99])
    assert store.entries.get(number).used_at == "2026-05-01T12:00:05Z"
