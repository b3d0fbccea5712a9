"""Whatever is remembered, moved, pinned, let expire and forgotten, in any order: the store says what a list says."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from inspector.store import MemoryFilter, MemoryKind, Store, StoredTierName, StoreError
from tests.store.made import chain

SESSIONS = ("s1", "s2")
TEXTS = ("the lamp", "the cellar", "a lamp in the cellar", "\ud800", "")
TTL = st.none() | st.integers(1, 40)


@dataclass(frozen=True)
class Row:
    """An entry as the list has it."""

    id: int
    tier: str
    kind: str
    text: str
    session: str | None
    key: str | None
    pinned: bool
    until: int | None


class Entries(RuleBasedStateMachine):
    """A store beside a list that does the same by plain rules."""

    numbers = Bundle("numbers")

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0
        self.rows: dict[int, Row] = {}
        self.store = Store(clock=lambda: f"2026-05-01T{self.seconds // 3600:02}:{self.seconds // 60 % 60:02}:"
                           f"{self.seconds % 60:02}Z")  # fmt: skip
        for name in SESSIONS:
            self.store.add(chain("a", "b", id=name))

    def teardown(self) -> None:
        self.store.close()

    def lasting(self) -> dict[int, Row]:
        return {n: row for n, row in self.rows.items() if row.until is None or row.until > self.seconds}

    def put(self, row: Row) -> None:
        """Another entry under the same key goes; a change of what is persistent makes retrievals old."""
        if row.key is not None:
            for other in list(self.rows.values()):
                same = (other.tier, other.kind, other.key) == (row.tier, row.kind, row.key)
                if other.id != row.id and same and (row.tier == "persistent" or other.session == row.session):
                    del self.rows[other.id]
        self.rows[row.id] = row

    def renew(self, *rows: Row | None) -> None:
        if any(row is not None and row.tier == "persistent" and row.kind != "retrieval" for row in rows):
            self.rows = {n: row for n, row in self.rows.items() if row.kind != "retrieval"}

    @rule(
        target=numbers,
        tier=st.sampled_from(["session", "persistent"]),
        kind=st.sampled_from(["fact", "state", "retrieval"]),
        text=st.sampled_from(TEXTS),
        session=st.none() | st.sampled_from(SESSIONS),
        key=st.none() | st.sampled_from(["one", "two"]),
        pinned=st.booleans(),
        ttl=TTL,
    )
    def remember(
        self,
        tier: StoredTierName,
        kind: MemoryKind,
        text: str,
        session: str | None,
        key: str | None,
        pinned: bool,
        ttl: int | None,
    ) -> int:
        session = session or ("s1" if tier == "session" else None)
        before = None
        for row in self.rows.values():
            same = key is not None and (row.tier, row.kind, row.key) == (tier, kind, key)
            if same and (tier == "persistent" or row.session == session):
                before = row
        number = self.store.entries.remember(kind, text, session, tier=tier, key=key, ttl=ttl, is_pinned=pinned)
        assert (before is None) == (number not in self.rows)
        is_pinned = before.pinned if before else pinned
        until = None if is_pinned or ttl is None or (before is None and pinned) else self.seconds + ttl
        row = Row(number, tier, kind, text, session, key, is_pinned, until)
        self.put(row)
        self.renew(row)
        return number

    def change(self, number: int, **changes: object) -> None:
        row = self.rows[number]
        new = replace(row, **changes)  # type: ignore[arg-type]
        self.put(new)
        if "until" in changes or new.tier != row.tier:
            self.renew(row, new)

    @rule(number=numbers, session=st.none() | st.sampled_from(SESSIONS))
    def demote(self, number: int, session: str | None) -> None:
        row = self.lasting().get(number)
        try:
            self.store.entries.demote(number, session)
        except StoreError:
            assert row is None or (session or row.session) is None
        else:
            assert row is not None
            self.change(number, tier="session", session=session or row.session)

    @rule(number=numbers)
    def promote(self, number: int) -> None:
        with suppress(StoreError):
            self.store.entries.promote(number)
            self.change(number, tier="persistent")

    @rule(number=numbers, on=st.booleans())
    def pin(self, number: int, on: bool) -> None:
        with suppress(StoreError):
            if on:
                self.store.entries.pin(number)
                self.change(number, pinned=True, until=None)
            else:
                self.store.entries.unpin(number)
                self.change(number, pinned=False)

    @rule(number=numbers, ttl=TTL)
    def expire(self, number: int, ttl: int | None) -> None:
        row = self.lasting().get(number)
        try:
            self.store.entries.expire(number, ttl)
        except StoreError:
            assert row is None or row.pinned
        else:
            self.change(number, until=None if ttl is None else self.seconds + ttl)

    @rule(number=consumes(numbers))
    def forget(self, number: int) -> None:
        row = self.rows.pop(number, None)
        assert self.store.entries.forget(number) == (row is not None)
        self.renew(row)

    @rule()
    def sweep(self) -> None:
        over = [row for number, row in self.rows.items() if number not in self.lasting()]
        assert self.store.entries.sweep_expired() <= len(over)
        for row in over:
            self.rows.pop(row.id, None)
        self.renew(*over)

    @rule(seconds=st.integers(1, 30))
    def wait(self, seconds: int) -> None:
        self.seconds += seconds

    @rule(name=st.sampled_from(SESSIONS))
    def remove_session(self, name: str) -> None:
        self.store.remove(name)
        self.rows = {n: row for n, row in self.rows.items() if row.session != name or row.tier == "persistent"}
        self.rows = {n: replace(r, session=None) if r.session == name else r for n, r in self.rows.items()}
        self.store.add(chain("a", "b", id=name))

    @invariant()
    def say_the_same(self) -> None:
        entries = self.store.entries.page(-1)
        said = [
            Row(e.id, e.tier, e.kind, e.text, e.session_id, e.key, e.is_pinned, self.lasting()[e.id].until)
            for e in entries
            if e.id in self.lasting()
        ]
        assert len(said) == len(entries)
        assert said == sorted(self.lasting().values(), key=lambda row: -row.id)
        sizes = {(size.tier, size.kind): size.entries for size in self.store.entries.sizes()}
        assert sum(sizes.values()) == len(said)
        found = {entry.id for entry in self.store.entries.recall("lamp", -1, meant=MemoryFilter())}
        assert found == {row.id for row in said if "lamp" in row.text}
        with self.store._connections.use() as connection:
            connection.execute("INSERT INTO memory_search (memory_search) VALUES ('integrity-check')")


TestEntries = Entries.TestCase
TestEntries.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
