"""Stores of sessions, the file on this machine and a team's on one or several servers: one suite for all readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

from inspector.core.conversation import Session
from inspector.store import (
    ROLLUP_GROUPS,
    Rollup,
    RollupPart,
    RollupPeriod,
    SessionStore,
    Store,
    StoreError,
    TeamStore,
    TeamWriter,
    team_writer,
)
from inspector.store.serialization import message_json
from tests.store.made import chain, message, with_message
from tests.store.teams import data_servers, emptied, new_team, pushed
from tests.store.test_store_rollups import rollup

EVER = RollupPeriod()


@dataclass
class Filled:
    """A store that is read, and what fills it."""

    store: SessionStore
    writer: Store | TeamWriter

    def add(self, session: Session, rollups: Sequence[Rollup] = ()) -> None:
        if isinstance(self.writer, TeamWriter):
            self.writer.write([pushed(session, rollups)])
        else:
            self.writer.rollups.put(self.writer.add(session).id, rollups)


@pytest.fixture(scope="module")
def sharded(postgres_address: str) -> Iterator[str]:
    """The address of a team's store whose sessions are on two other servers."""
    with data_servers(2) as servers:
        yield new_team(postgres_address, *(server.address for server in servers))


@pytest.fixture(params=["sqlite", "postgres", "shards"])
def filled(request: pytest.FixtureRequest) -> Iterator[Filled]:
    if request.param == "sqlite":
        with Store() as store:
            yield Filled(store, store)
    else:
        is_sharded = request.param == "shards"
        address = (
            emptied(request.getfixturevalue("sharded"))
            if is_sharded
            else new_team(request.getfixturevalue("postgres_address"))
        )
        with TeamWriter(address) as writer, TeamStore(address) as team:
            yield Filled(team, writer)


def test_sessions_are_listed_newest_first(filled: Filled) -> None:
    assert filled.store.sessions() == []
    early, late = chain("Hello", id="early"), chain("Hello", "Hi", "Bye", id="late", title="A later\ud800 \0 one é")
    filled.add(late)
    filled.add(early)
    rows = filled.store.sessions()
    assert [row.id for row in rows] == ["late", "early"]
    assert (rows[0].messages, rows[0].turns, rows[0].agents, rows[0].model) == (3, 1, 1, "some-model")
    assert rows[0].title.startswith("A later")
    assert filled.store.sessions(1) == rows[:1]
    assert filled.store.row("early") == rows[1]
    with pytest.raises(StoreError, match="no stored session has the id 'ear'"):
        filled.store.row("ear")


def test_a_session_is_found_by_the_beginning_of_its_id(filled: Filled) -> None:
    for name in ("abc-1", "abc-12", "b%_", "\U0001f600/x"):
        filled.add(chain("Hello", id=name))
    assert filled.store.find("abc-1") == "abc-1"
    assert filled.store.find("b") == "b%_"
    assert filled.store.find("\U0001f600") == "\U0001f600/x"
    for word, reason in (
        ("abc", "2 stored sessions have an id"),
        ("", "no stored session"),
        ("%", "no stored session"),
    ):
        with pytest.raises(StoreError, match=reason):
            filled.store.find(word)


def test_a_session_opens_with_all_of_its_content(filled: Filled) -> None:
    session = replace(
        with_message(chain("Hello", "Hi \0 \ud800 é"), 1, message("m1", "assistant", "Hi \0 \ud800 é", parent=0)),
        tools=({"name": "find", "x": 1.5},),
        settings={"temperature": 0.5},
    )
    filled.add(session)
    loaded = filled.store.load("s1")
    unchecked = [replace(one, has_flaw=None) for one in session.messages]
    assert [*map(message_json, loaded.messages)] == [*map(message_json, unchecked)]
    assert (loaded.tools, loaded.settings, loaded.model) == (session.tools, session.settings, session.model)
    with pytest.raises(StoreError, match="no stored session has the id 'none'"):
        filled.store.load("none")


@pytest.mark.parametrize("most", [1, 250, 10_000])
def test_long_messages_are_sent_in_several_statements(
    postgres_address: str, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(team_writer, "_MAX_CHARS", most)
    address, texts = new_team(postgres_address), ["Hello", "A long answer " * 40, "Go on", "Yes", "Done"]
    with TeamWriter(address) as writer, TeamStore(address) as team:
        assert writer.write([pushed(chain(*texts)), pushed(chain("Hi", id="s2"))]) == 6
        assert [message.text for message in team.load("s1").messages] == texts
        assert len(team.load("s2").messages) == 1


def test_a_session_that_has_grown_has_each_message_once(filled: Filled) -> None:
    texts = ("Hello", "Hi", "Go on", "Done")
    filled.add(chain(*texts[:2]))
    filled.add(chain(*texts))
    filled.add(chain(*texts[:3]))
    assert [found.text for found in filled.store.load("s1").messages] == list(texts)
    assert [row.messages for row in filled.store.sessions()] == [4]


WORDS = {
    "harbour": ["a"],
    "Harbour ship": ["a"],
    "ships": ["a"],
    "harb": ["a"],
    "src/app.py": ["b"],
    "app": ["b"],
    "cafe": ["b"],
    "the": ["a"],
    "crane": [],
    "' OR 1=1 -- ) & | ! <-> :*": [],
    "": [],
    "% \\ \0": [],
}


@pytest.mark.parametrize("words", WORDS)
def test_words_are_found(filled: Filled, words: str) -> None:
    filled.add(chain("The ship leaves the harbour", id="a", title="Ports"))
    filled.add(chain("Open src/app.py in the café" if words != "the" else "Open it", id="b"))
    hits = filled.store.search(words)
    assert [hit.session_id for hit in hits] == WORDS[words]
    for hit in hits:
        assert (hit.position, hit.message_id, hit.role, hit.agent) == (0, "m0", "user", "main")
        assert hit.spans and all(hit.snippet[start:end] for start, end in hit.spans)


def test_hits_are_limited_to_a_number_and_a_session(filled: Filled) -> None:
    for name in "ab":
        filled.add(chain(*["a crane lifts"] * 6, id=name))
    assert len(filled.store.search("crane", 5)) == 5
    assert {hit.session_id for hit in filled.store.search("crane", 50, "b")} == {"b"}
    assert len(filled.store.search("crane", 50, "b")) == 6


def test_totals_are_equal(filled: Filled) -> None:
    """Each number is that of the store on this machine, whose own tests say what it should be."""
    days = tuple(RollupPart("day", f"2026-03-0{day}", day, 10, 1, 0.5) for day in (1, 2, 3))
    names = ("mcp__maps__find", "read")
    tools = tuple(RollupPart("tool", name, place, 7, 300 + place) for place, name in enumerate(names))
    others = (
        RollupPart("server", "maps", 2, 9, 301),
        RollupPart("model", "m", 3, 5, 0, 0.1),
        RollupPart("file", "a.py", 2),
        RollupPart("preset", "early", 2),
    )
    first = rollup(
        parts=(*days, *tools, *others, RollupPart("day", "", 1), RollupPart("cause", "tools changed", 1, 5, 0, 0.1))
    )
    with Store() as store:
        both = (filled, Filled(store, store))
        for one in both:
            one.add(chain("Hello", id="a"), [first, rollup("helper", 1, tools, cost=None, calls=0)])
            one.add(chain("Hello", id="b"), [rollup(project="mole", ended="", parts=(*days[1:], *tools))])
            one.add(chain("Hello", id="c"), [rollup(project="", cost=None)])
            one.add(chain("Hello", "Hi", id="c"), [rollup(project="crow", cost=0.25, parts=tools[:1])])
        for day in ("2026-03-02", "2026-03-03", "2027-01-01", ""):
            period = RollupPeriod(f"{day}T00:00:00Z" if day else "")
            ours, theirs = (one.store.rollups for one in both)
            assert ours.total(period) == theirs.total(period)
            assert ours.day_costs(period) == theirs.day_costs(period)
            for group in ROLLUP_GROUPS:
                rows = ours.rows(group, period)
                assert rows == theirs.rows(group, period), group
                assert ours.rows(group, period, 1) == rows[:1]
                for row in rows:
                    found = [replace(one, title="") for one in theirs.sessions(group, row.name, period, 9)]
                    assert [replace(one, title="") for one in ours.sessions(group, row.name, period, 9)] == found
        assert ours.stored() == theirs.stored() == 3
