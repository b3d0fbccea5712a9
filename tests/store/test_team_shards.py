"""A team's store whose sessions are on two data servers: who reads what, and what happens while one of them is away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from psycopg import Error, connect

from inspector.library import PushOptions, push_sessions, stored_ids
from inspector.library.team import pushing
from inspector.store import LostError, Store, StoreError, TeamStore, TeamWriter, team_init
from tests.cli.calling import inspect
from tests.servers import PostgresServer, wait_for
from tests.store.made import chain
from tests.store.teams import data_servers, emptied, execute, login, new_database, new_team, pushed
from tests.store.test_store_rollups import rollup

SESSIONS = 30
WAITING = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)"
PARTS = "SELECT count(*), count(DISTINCT session_id) FROM inspector.message"


@pytest.fixture(scope="module")
def servers() -> Iterator[list[PostgresServer]]:
    with data_servers(3) as servers:
        yield servers


@pytest.fixture(scope="module")
def made(servers: list[PostgresServer]) -> str:
    return new_team(*(server.address for server in servers))


@pytest.fixture
def team(made: str) -> str:
    return emptied(made)


def filled(path: Path, first: int, last: int) -> Store:
    """A store with sessions."""
    store = Store(path)
    for number in range(first, last):
        key = store.add(chain(f"The lamp {number}", "It burns", "Thanks", id=f"s{number}")).id
        store.rollups.put(key, [rollup(rules=99, logged=3)])
    return store


def parts(team: str) -> list[tuple[int, int]]:
    """Messages and sessions on each data server."""
    names = ("inspector.message_1", "inspector.message_2")
    return [execute(team, PARTS.replace("inspector.message", name))[0] for name in names]  # type: ignore[misc]


def test_sessions_are_spread_and_each_is_whole_on_its_server(team: str, tmp_path: Path) -> None:
    with filled(tmp_path / "a.db", 0, SESSIONS) as store, TeamWriter(team) as writer:
        assert all(one.is_sent for one in push_sessions(store, writer, stored_ids(store, ()), PushOptions()))
    shares = parts(team)
    assert sum(sessions for _, sessions in shares) == SESSIONS
    assert all(sessions and messages == 3 * sessions for messages, sessions in shares)
    with pytest.raises(StoreError, match="is a team's store already"):
        team_init(team, [team])


@contextmanager
def stopped_during(server: PostgresServer, address: str, question: Callable[[], object]) -> Iterator[str]:
    """Ask a question, stop a data server while it works on it, and start it again after the block.

    Provides the sentence of the answer.
    """
    with connect(address) as locked, ThreadPoolExecutor(1) as pool:
        locked.execute("LOCK TABLE inspector.session, inspector.message IN ACCESS EXCLUSIVE MODE")
        answer = pool.submit(question)
        wait_for(lambda: execute(address, WAITING) == [(True,)] or answer.done())
        server.stop()
        with suppress(Error):
            locked.rollback()
    try:
        with pytest.raises(LostError) as failure:
            answer.result()
        yield str(failure.value)
    finally:
        server.start()


def test_a_server_that_stops_during_a_push_loses_nothing(
    servers: list[PostgresServer], team: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few sessions are pushed at a time, and a data server is stopped after the first of them."""
    monkeypatch.setattr(pushing, "_MAX_MESSAGES", 18)
    with filled(tmp_path / "a.db", 0, SESSIONS) as store, TeamWriter(team) as writer, TeamStore(team) as reader:
        ids, sent = stored_ids(store, ()), list[str]()

        def push() -> None:
            sent.extend(one.session for one in push_sessions(store, writer, ids, PushOptions()) if one.is_sent)

        list(push_sessions(store, writer, ids[:6], PushOptions()))
        with stopped_during(servers[2], data_address(servers[2], team), push) as sentence:
            assert re.fullmatch("a data server of .* cannot be reached .*: try again when it is", sentence)
            assert reader.rollups.stored() == 6 and not sent, "totals need no data server"
        assert {row.id for row in reader.sessions()} == {*ids[:6]}
        assert all(len(reader.load(key).messages) == 3 for key in ids[:6])
        with stopped_during(servers[1], data_address(servers[1], team), lambda: reader.search("lamp")) as sentence:
            assert sentence.startswith("a data server of")
            with pytest.raises(LostError, match=r"a data server of .* cannot be reached"):
                reader.sessions()
        assert len(reader.search("lamp")) == 6
        push()
        assert {*sent} == {*ids[6:]} and len(reader.sessions()) == reader.rollups.stored() == SESSIONS
        assert len(reader.search("lamp")) == SESSIONS


def data_address(server: PostgresServer, team: str) -> str:
    """The database of a data server that a team's store uses."""
    query = "SELECT option_value FROM information_schema.foreign_server_options WHERE option_name = 'dbname'"
    names = {str(name) for (name,) in execute(team, query)}
    (here,) = names & {str(name) for (name,) in execute(server.address, "SELECT datname FROM pg_database")}
    return server.address.replace("/postgres?", f"/{here}?")


def test_a_session_whose_totals_were_not_written_is_pushed_again(team: str, tmp_path: Path) -> None:
    """Data servers commit before the first one, which may stop in between."""
    with filled(tmp_path / "a.db", 0, 2) as store, TeamWriter(team) as writer, TeamStore(team) as reader:
        ids = stored_ids(store, ())
        list(push_sessions(store, writer, ids, PushOptions()))
        execute(team, "DELETE FROM inspector.pushed WHERE session_id = 's1'")
        execute(team, "DELETE FROM inspector.rollup WHERE session_id = 's1'")
        outcomes = push_sessions(store, writer, ids, PushOptions())
        assert [one.session for one in outcomes if one.is_sent] == ["s1"]
        assert reader.rollups.stored() == 2 and len(reader.load("s1").messages) == 3


def test_roles_and_projects_limit_what_is_read(team: str) -> None:
    people = {name: login(team) for name in ("push", "text", "totals")}
    names = {name: address.partition("//")[2].partition("@")[0] for name, address in people.items()}
    inspect("team", "add", team, names["push"], "--role", "push", "--yes")
    inspect("team", "add", team, names["text"], "--role", "text", "--project", "pier", "--yes")
    inspect("team", "add", team, names["totals"], "--role", "totals", "--yes")
    sessions = [
        pushed(chain("A lamp", "It burns", id=f"{project}-{number}"), [rollup(project=project)])
        for project in ("pier", "mole")
        for number in range(3)
    ]
    with TeamWriter(people["push"]) as writer:
        assert writer.write(sessions) == 12
        assert writer.write(sessions) == 0
    pier = [f"pier-{number}" for number in range(3)]
    with TeamStore(people["text"]) as reader:
        assert sorted(row.id for row in reader.sessions()) == pier
        assert {hit.session_id for hit in reader.search("lamp")} == {*pier}
        assert len(reader.load("pier-1").messages) == 2
        with pytest.raises(StoreError, match="no stored session"):
            reader.load("mole-1")
    with TeamStore(people["totals"]) as reader:
        assert reader.rollups.stored() == 6
        with pytest.raises(StoreError, match=r"your role .* may not do this"):
            reader.sessions()
    for words in ("DELETE FROM inspector.session", "SELECT * FROM inspector.message_1"):
        with pytest.raises(Exception, match="permission denied"):
            execute(people["text"], words)


def test_what_cannot_be_set_up_is_one_sentence_and_changes_nothing(servers: list[PostgresServer], team: str) -> None:
    first, second, third = (new_database(server.address) for server in servers)
    for shards, reason in (
        ([third, team], "has a schema inspector"),
        ([third, third], "are the same database"),
        (["postgresql://postgres@/x"], "names no host"),
        (["postgresql://ana:hidden7K@127.0.0.1:1/x"], "127.0.0.1/x cannot be reached"),
    ):
        ended = inspect("team", "init", first, *(word for one in shards for word in ("--shard", one)), "--yes")
        assert ended.code == 1 and reason in ended.err and len(ended.err.splitlines()) == 1
        assert "hidden7K" not in ended.out + ended.err
    change = team_init(first, [second, third])
    execute(first, "CREATE EXTENSION postgres_fdw", "CREATE SERVER inspector_shard_2 FOREIGN DATA WRAPPER postgres_fdw")
    with pytest.raises(StoreError, match="already exists"):
        change.apply()
    servers[2].stop()
    with pytest.raises(LostError):
        change.apply()
    servers[2].start()
    for address in (first, second, third):
        assert execute(address, "SELECT to_regnamespace('inspector')") == [(None,)]
    asked = inspect("team", "init", first, "--shard", second, "--shard", third, "--dry-run")
    assert "postgres_fdw" in asked.out and asked.out.count("CREATE SCHEMA inspector") == 3
