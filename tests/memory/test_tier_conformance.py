"""What every tier does, whatever holds it: dictionaries, the persistent tier of a store, a session's tier in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from inspector.engine.retrieval import explain
from inspector.memory import MemoryConfig, MemoryManager
from inspector.memory.tier_stores import (
    InMemoryTier,
    KeyedMemory,
    MemoryEntry,
    MemoryTier,
    StoredTier,
    entries_from_json,
    entries_json,
)
from inspector.memory.tiers import Tiers
from inspector.store import MemoryFilter, MemoryKind, Store, StoreError
from tests.store.made import chain


class Clock:
    """A clock that stands until it is set on."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> float:
        return self.seconds

    def text(self) -> str:
        return f"2026-05-01T{self.seconds // 3600:02}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}Z"


Make = Callable[[Clock, Store], MemoryTier]
TIERS: dict[str, Make] = {
    "in dictionaries": lambda clock, _store: InMemoryTier("s1", clock=clock),
    "persistent in a store": lambda _clock, store: StoredTier(store, "s1"),
    "a session's in a store": lambda _clock, store: StoredTier(store, "s1", tier="session"),
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store(tmp_path / "inspector.db", clock=clock.text) as store:
        store.add(chain("a", "b"))
        store.add(chain("c", id="s2"))
        yield store


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest, clock: Clock, store: Store) -> MemoryTier:
    return TIERS[request.param](clock, store)


def test_a_name_has_one_text_of_a_kind(tier: MemoryTier) -> None:
    tier.set("step", "1 of 4")
    tier.set("step", "2 of 4")
    tier.set("step", "by tabs", "preference")
    tier.set("other", "x")
    assert tier.get("step") == "2 of 4"
    assert tier.get("step", "preference") == "by tabs"
    assert tier.get("nothing") is None
    assert tier.texts() == {"step": "2 of 4", "other": "x"}
    assert len(tier) == 3
    assert tier.remove(MemoryEntry("", kind="state", key="step"))
    assert not tier.remove(MemoryEntry("", kind="state", key="step"))
    assert tier.texts() == {"other": "x"}


def test_what_has_a_key_comes_back_with_it_and_is_replaced(tier: MemoryTier) -> None:
    entry = MemoryEntry("Alice", ("m0", "m1"), "profile", "s1", key="name")
    tier.add(entry)
    assert list(tier) == [entry]
    assert entry in tier
    (new,) = tier.add(MemoryEntry("Bob", ("m1",), "profile", "s1", key="name"))
    assert [item.text for item in tier] == ["Bob"]
    assert new in tier


def test_what_has_expired_is_not_there(tier: MemoryTier, clock: Clock) -> None:
    tier.set("query", "what came back", "retrieval", ttl=10)
    tier.set("lasting", "for good", "retrieval")
    clock.seconds = 9
    assert tier.get("query", "retrieval") == "what came back"
    clock.seconds = 10
    assert tier.get("query", "retrieval") is None
    assert tier.texts("retrieval") == {"lasting": "for good"}
    assert [entry.text for entry in tier] == ["for good"]
    assert len(tier) == 1
    assert tier.recall("what came back") == []
    assert MemoryEntry("", kind="retrieval", key="query") not in tier
    tier.set("query", "again", "retrieval")
    clock.seconds = 3_000
    assert tier.get("query", "retrieval") == "again"


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf")])
def test_a_time_to_live_that_is_none_is_refused(tier: MemoryTier, ttl: float) -> None:
    with pytest.raises(StoreError, match="an entry cannot last"):
        tier.set("query", "text", ttl=ttl)
    assert len(tier) == 0


def test_a_search_says_why_and_what_nearly_came_back(tier: MemoryTier) -> None:
    tier.add(MemoryEntry("the gateway listens on port 8080", ("m0",), "fact", "s1"))
    tier.add(MemoryEntry("the port of the old gateway was " + "9090 " * 40, ("m1",), "fact", "s1"))
    tier.add(MemoryEntry("something else", (), "fact", "s1"))
    hits = tier.search("gateway port", 5, 20)
    assert [entry.source for entry in hits.results] == ["m0"]
    assert explain(hits.retrieval.results[0]).startswith("bm25 #1 (")
    (miss,) = hits.retrieval.near_misses
    assert hits.entries[miss.result.key].source == "m1"
    assert "remaining" in miss.reason
    assert [entry.source for entry in tier.recall("gateway port", 1)] == ["m0"]
    assert tier.recall("submarine") == []
    tier.remove(hits.results[0])
    assert [entry.source for entry in tier.recall("gateway port")] == ["m1"]


def test_the_tier_of_a_session_is_its_own(store: Store) -> None:
    own, other = (StoredTier(store, name, tier="session") for name in ("s1", "s2"))
    own.set("step", "1")
    assert other.get("step") is None
    assert other.recall("step 1") == []
    assert StoredTier(store).texts() == {}


def test_names_are_set_got_listed_and_deleted(tier: MemoryTier) -> None:
    preferences = KeyedMemory(tier, "preference")
    preferences.set("language", "German")
    preferences.set("language", "English")
    preferences.set("indent", "4 spaces")
    assert preferences.get("language") == "English"
    assert preferences.get("nothing") is None
    assert preferences.get("nothing", "otherwise") == "otherwise"
    assert preferences.list() == {"language": "English", "indent": "4 spaces"}
    assert preferences.delete("language")
    assert not preferences.delete("language")
    assert KeyedMemory(tier, "profile").list() == {}


# names of a session's tiers


def test_what_is_known_of_the_user_outlives_the_session_and_its_state_does_not(store: Store) -> None:
    memory = MemoryManager(MemoryConfig(), store=store, session_id="s1")
    memory.preferences.set("language", "German")
    memory.profile.set("name", "Alice")
    memory.session_state.set("step", "3 of 4")
    again = MemoryManager(MemoryConfig(), store=store, session_id="s1")
    assert again.session_state.get("step") == "3 of 4"
    other = MemoryManager(MemoryConfig(), store=store, session_id="s2")
    assert other.preferences.list() == {"language": "German"}
    assert other.profile.get("name") == "Alice"
    assert other.session_state.list() == {}
    store.remove("s1")
    assert other.profile.get("name") == "Alice"
    assert store.entries.page(meant=MemoryFilter(tier="session")) == []


def test_what_was_retrieved_is_not_searched_for_again_until_something_changes(store: Store) -> None:
    for tiers in (Tiers(store, "s1"), Tiers()):
        fact = MemoryEntry("Bob pays the bills.", ("m0", "m1"), "fact")
        tiers.persistent_memory.add(fact)
        assert tiers.recall("bills") == [fact]
        assert len(tiers.retrievals.list()) == 1
        assert tiers.recall("bills") == [fact]
        tiers.state.set("step", "1")
        assert len(tiers.retrievals.list()) == 1
        other = MemoryEntry("Ann checks the bills.", (), "fact")
        tiers.persistent_memory.add(other)
        assert tiers.retrievals.list() == {}
        assert set(tiers.recall("bills")) == {fact, other}
        tiers.persistent_memory.remove(fact)
        assert tiers.recall("bills") == [other]


def test_a_retrieval_is_made_again_after_its_time(store: Store, clock: Clock) -> None:
    tiers = Tiers(store, "s1", retrieval_ttl=60)
    tiers.recall("bills")
    clock.seconds = 59
    assert tiers.retrievals.list() == {"5 bills": "[]"}
    clock.seconds = 60
    assert tiers.retrievals.list() == {}


def test_a_session_summary_leaves_out_what_was_noted_beside_it() -> None:
    tiers = Tiers()
    tiers.on_turn_end("Count the orders of May.")
    tiers.state.set("secret", "xyzzy")
    tiers.recall("orders")
    summary = tiers.on_session_end()
    assert summary is not None
    assert "xyzzy" not in summary.text


def test_why_something_is_persistent_is_told(store: Store) -> None:
    tiers = Tiers(store, "s1")
    tiers.on_turn_end("Remember that Bob pays.")
    tiers.on_session_end()
    summary, turn = store.entries.page()
    assert (turn.reason, turn.origin) == ("asked to remember", "manager")
    assert (summary.reason, summary.kind) == ("the session has ended", "summary")


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[[1, 2]]", "null"])
def test_what_no_cache_has_written_is_no_retrieval(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting value|not entries"):
        entries_from_json(text)
    entries = [MemoryEntry("a", ("m0",), "fact", "s1", key="k"), MemoryEntry("\ud800")]
    assert entries_from_json(entries_json(entries)) == entries


# all tiers do the same


KINDS = st.sampled_from(["fact", "state", "preference", "summary"])
WORDS = st.sampled_from(["lamp", "cellar", "bills", "orders of May", "\ud800", ""])


class SameTiers(RuleBasedStateMachine):
    """The three tiers are told the same, and hold the same."""

    entries = Bundle("entries")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.store = Store(clock=self.clock.text)
        self.store.add(chain("a", "b"))
        self.tiers = [make(self.clock, self.store) for make in TIERS.values()]

    def teardown(self) -> None:
        self.store.close()

    @rule(target=entries, text=WORDS, kind=KINDS, ids=st.lists(st.sampled_from("mn"), max_size=2))
    def add(self, text: str, kind: MemoryKind, ids: list[str]) -> MemoryEntry:
        entry = MemoryEntry(text, tuple(ids), kind, "s1")
        for tier in self.tiers:
            tier.add(entry)
        return entry

    @rule(target=entries, key=WORDS, text=WORDS, kind=KINDS, ttl=st.none() | st.integers(1, 20))
    def set(self, key: str, text: str, kind: MemoryKind, ttl: int | None) -> MemoryEntry:
        entries = {tier.set(key, text, kind, ttl).identity for tier in self.tiers}
        assert len(entries) == 1
        return MemoryEntry(text, (), kind, "s1", key=key)

    @rule(entry=entries)
    def remove(self, entry: MemoryEntry) -> None:
        assert len({tier.remove(entry) for tier in self.tiers}) == 1

    @rule(seconds=st.integers(1, 30))
    def wait(self, seconds: int) -> None:
        self.clock.seconds += seconds

    @rule(entry=entries, words=WORDS)
    def ask(self, entry: MemoryEntry, words: str) -> None:
        assert len({entry in tier for tier in self.tiers}) == 1
        key = entry.key or words
        assert len({tier.get(key, entry.kind) for tier in self.tiers}) == 1
        recalled = [{found.identity for found in tier.recall(words, 100)} for tier in self.tiers]
        assert recalled[0] == recalled[1] == recalled[2]

    @invariant()
    def hold_the_same(self) -> None:
        held = [sorted((e.kind, e.key or "", e.text, e.message_ids) for e in tier) for tier in self.tiers]
        assert held[0] == held[1] == held[2]
        assert [len(tier) for tier in self.tiers] == [len(held[0])] * 3


TestSameTiers = SameTiers.TestCase
TestSameTiers.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
