"""Reading back what was stored: the same heads, the same raw records, and what the list of sessions shows."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import CallHead, InMemoryBody, Message, Problem, Session, Usage
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.sizes import digest
from inspector.store import SessionRow, Store, StoreError
from tests.generated import conversations
from tests.store.made import chain, head, message, whole_message, with_message


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "inspector.db")


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One file for all examples of a property."""
    with Store(tmp_path_factory.mktemp("store") / "inspector.db") as store:
        yield store


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=12)
"""Every code point: NULs, and halves of surrogate pairs, which UTF-8 cannot carry."""
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT
JSON = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3), max_leaves=8
)
RAW = st.dictionaries(ANY_TEXT | st.sampled_from(["role", "content", "name"]), JSON, max_size=4)
SMALL = st.integers(0, 2**40)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    return message_from_raw(
        "to be numbered",
        draw(RAW),
        draw(st.sampled_from(["openai", "anthropic"])),
        kind=draw(st.sampled_from(["chat", "summary", "injected", "notice"])),
        name=draw(ANY_TEXT),
        calls=tuple(draw(st.lists(st.builds(CallHead, ANY_TEXT, ANY_TEXT), max_size=2))),
        answers=draw(st.none() | ANY_TEXT),
        is_error=draw(st.booleans()),
        thinks=draw(st.booleans()),
        preview=draw(ANY_TEXT),
        images=draw(SMALL),
        agent=draw(st.sampled_from(["main", "helper", "\ud800"])),
        time=draw(ANY_TEXT),
        model=draw(ANY_TEXT),
        usage=draw(st.none() | st.builds(Usage, SMALL, SMALL, SMALL, SMALL)),
    )


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Anything at all that a format could make of a hostile file."""
    log = []
    for place, item in enumerate(draw(st.lists(messages(), max_size=4))):
        body = InMemoryBody(item.raw, draw(RAW))
        log.append(replace(item, id=f"{draw(ANY_TEXT)}{place}", parent=draw(st.integers(-1, place - 1)), body=body))
    return Session(
        draw(ANY_TEXT),
        draw(ANY_TEXT),
        "made",
        tuple(log),
        draw(ANY_TEXT),
        tuple(draw(st.lists(RAW, max_size=2))),
        draw(st.sampled_from(["openai", "anthropic"])),
        draw(RAW),
        draw(st.booleans()),
        tuple(draw(st.lists(st.builds(Problem, ANY_TEXT, st.none() | SMALL, st.none() | ANY_TEXT), max_size=2))),
        draw(ANY_TEXT),
        draw(SMALL),
    )


def comparable(value: Any) -> Any:
    """The same, with NaN as something that equals itself."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case dict():
            return {key: comparable(inner) for key, inner in value.items()}
        case list() | tuple():
            return [comparable(inner) for inner in value]
    return value


def facts(session: Session) -> Any:
    around = (session.title, session.format, session.model, session.dialect, session.records_system, session.problems)
    loose = (session.tools, session.settings, session.path, session.line)
    return comparable([*around, *loose, [whole_message(message) for message in session]])


@given(sessions())
def test_any_session_comes_back_as_it_was(one_store: Store, session: Session) -> None:
    added = one_store.add(session)
    try:
        assert facts(one_store.load(added.id)) == facts(session)
        assert one_store.add(session) == replace(added, new=False, writes=0)
        assert one_store.add(one_store.load(added.id)) == replace(added, new=False, writes=0)
        assert one_store.digests(added.id) == [digest(message) for message in session]
        assert one_store.sessions()[0].id == added.id
        with one_store._connections.use() as connection:
            for view in ("session_tier", "working_tier"):
                connection.execute(f"SELECT count(*) FROM {view}").fetchone()
    finally:
        one_store.remove(added.id)
    assert one_store.sessions() == []


@given(conversations(), st.integers(0, 30))
def test_a_session_stored_in_two_goes_is_the_session(one_store: Store, session: Session, part: int) -> None:
    first = replace(session, messages=session.messages[:part])
    try:
        one_store.add(first)
        one_store.add(session)
        assert facts(one_store.load(session.id)) == facts(session)
        assert len(one_store.sessions()) == 1
        with one_store._connections.use() as connection:
            in_two = connection.execute("SELECT agent, position FROM context ORDER BY 1, 2").fetchall()
            one_store.remove(session.id)
            one_store.add(session)
            assert in_two == connection.execute("SELECT agent, position FROM context ORDER BY 1, 2").fetchall()
    finally:
        one_store.remove(session.id)


def test_bodies_stay_in_the_store_until_they_are_read(store: Store) -> None:
    store.add(chain("a", "b"))
    session = store.load("s1")
    assert head(session.messages[0]) == head(chain("a", "b").messages[0])
    store.remove("s1")
    with pytest.raises(StoreError, match="no longer in the store"):
        _ = session.messages[0].raw


def test_a_removed_messages_place_is_never_given_to_another(store: Store) -> None:
    store.add(chain("a", "b"))
    session = store.load("s1")
    store.remove("s1")
    store.add(chain("c", "d"))
    with pytest.raises(StoreError, match="no longer in the store"):
        _ = session.messages[0].raw


def test_bodies_are_read_from_any_thread(store: Store) -> None:
    store.add(chain("a", "b"))
    session = store.load("s1")
    read: list[str] = []
    worker = threading.Thread(target=lambda: read.extend(message.text for message in session))
    worker.start()
    worker.join()
    assert read == ["a", "b"]


def test_a_session_that_is_not_there_is_told(store: Store) -> None:
    for ask in (store.load, store.digests, store.remove):
        with pytest.raises(StoreError, match="no stored session has the id 'nobody'"):
            ask("nobody")
    with pytest.raises(StoreError, match="no stored session has the id 'nobody'"):
        store.set_size("nobody", 1, 1)


def test_the_list_shows_each_session_newest_first(store: Store) -> None:
    older = chain("a", "b", id="older", title="Older")
    newer = replace(chain("a", "b", "c", id="newer", title="Newer"))
    newer = with_message(newer, 2, replace(newer.messages[2], time="2026-04-01T00:00:00Z", kind="summary"))
    store.add(newer)
    store.add(older)
    first, second = store.sessions()
    assert first == SessionRow(
        id="newer",
        title="Newer",
        format="made",
        model="some-model",
        agents=1,
        messages=3,
        turns=1,
        tokens=None,
        peak=None,
        compactions=1,
        changed="2026-04-01T00:00:00Z",
        path="/tmp/made.jsonl",
    )
    assert second.id == "older"


def test_a_session_without_times_stands_where_it_was_imported(tmp_path: Path) -> None:
    times = iter(["2026-03-15T00:00:00Z", "2026-03-20T00:00:00Z"])
    with Store(tmp_path / "inspector.db", clock=lambda: next(times)) as store:
        store.add(replace(chain(id="timeless"), messages=(message("m0", "user", "a"),)))
        store.add(chain("a", id="dated"))
        assert [(row.id, row.changed) for row in store.sessions()] == [
            ("timeless", ""),
            ("dated", "2026-03-01T10:00:00Z"),
        ]


def test_sizes_are_noted(store: Store) -> None:
    store.add(chain("a"))
    store.set_size("s1", 1200, 800)
    assert (store.sessions()[0].tokens, store.sessions()[0].peak) == (1200, 800)


def test_a_session_is_found_by_a_beginning_of_its_id(store: Store) -> None:
    for name in ("abc-1", "abc-2", "xyz", "abc-1~2"):
        store.add(chain(name, id=name))
    assert store.find("xyz") == store.find("x") == "xyz"
    assert store.find("abc-1") == "abc-1"
    with pytest.raises(StoreError, match="3 stored sessions have an id that begins with 'abc'"):
        store.find("abc")
    for nothing in ("q", "", "%", "abc-1_2"):
        with pytest.raises(StoreError, match="no stored session has an id that begins with"):
            store.find(nothing)


def test_counts_are_kept_by_content_and_counter(store: Store) -> None:
    store.add(chain("same words", "b", id="one"))
    store.add(chain("same words", "c", id="two"))
    one, two = store.digests("one"), store.digests("two")
    store.save_counts("o200k_base", dict(zip(one, (11, 12), strict=True)))
    assert store.counts(two, "o200k_base") == {one[0]: 11}
    assert store.counts(one, "cl100k_base") == {}
    store.save_counts("o200k_base", {one[0]: 13})
    assert store.counts(one, "o200k_base") == {one[0]: 13, one[1]: 12}


def test_many_counts_are_asked_for_at_once(store: Store) -> None:
    many = {number.to_bytes(16, "big"): number for number in range(3000)}
    store.save_counts("counter", many)
    assert store.counts(many, "counter") == many


def test_digests_of_an_earlier_version_are_made_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = chain("a", "b")
    store.add(session)
    before = store.digests("s1")
    for module in ("inspector.llm.tokens", "inspector.llm.tokens.session_counting"):
        monkeypatch.setattr(f"{module}.RULES", b"inspector-9")
    after = store.digests("s1")
    assert after == [digest(message) for message in session]
    assert not set(after) & set(before)
    assert store.add(session).writes == 0
