"""The short form of `tests.store.team_stress`, and what a push does when its server is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.cli.commands import team_push
from inspector.library import PushOptions, push_sessions
from inspector.store import LostError, Store, TeamStore, TeamWriter, team_init
from tests.cli.calling import inspect
from tests.servers import PostgresServer, short_folder
from tests.store.made import chain
from tests.store.team_stress import run


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with short_folder() as folder:
        server = PostgresServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def test_stores_push_at_once_while_programs_are_killed_and_the_server_stops(
    server: PostgresServer, tmp_path: Path
) -> None:
    tally = run(tmp_path, server, stores=2, sessions=20, kills=2, stops=1)
    assert tally.faults == []
    assert tally.stops == 1


def test_a_reader_and_a_push_go_on_when_the_server_is_back(server: PostgresServer, tmp_path: Path) -> None:
    if (change := team_init(server.address)).sql:
        change.apply()
    with Store(tmp_path / "a.db") as store, TeamWriter(server.address) as writer, TeamStore(server.address) as team:
        store.add(chain("Hello", id="a"))
        assert [one.is_sent for one in push_sessions(store, writer, ["a"], PushOptions())] == [True]
        session = team.load("a")
        server.stop()
        store.add(chain("Hello", id="b"))
        for _ in range(2):
            with pytest.raises(LostError, match="cannot be reached"):
                team.sessions()
            with pytest.raises(LostError, match="cannot be reached"):
                list(push_sessions(store, writer, ["b"], PushOptions()))
        assert session.messages[0].text == "Hello", "an open session needs no server"
        server.start()
        assert "a" in [row.id for row in team.sessions()]
        assert [one.is_sent for one in push_sessions(store, writer, ["a", "b"], PushOptions())] == [False, True]
        assert {"a", "b"} <= {row.id for row in team.sessions()}


def test_a_watch_pushes_what_changes_and_waits_for_a_server_that_is_gone(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "watched.db"
    with Store(path) as store:
        store.add(chain("Hello", id="watched-1"))

    def add() -> None:
        with Store(path) as store:
            store.add(chain("Hello", "Hi", id="watched-2"))

    def interrupt() -> None:
        raise KeyboardInterrupt

    def nothing() -> None:
        pass

    changes: Iterator[Callable[[], None]] = iter([add, server.stop, nothing, server.start, nothing, interrupt])
    monkeypatch.setattr(team_push, "_pause", lambda: next(changes)())
    if (change := team_init(server.address)).sql:
        change.apply()
    ended = inspect("push", "--all", "--watch", "--db", path, "--to", server.address)
    lines = ended.err.splitlines()
    assert ended.code == 130
    assert [line.partition(" to ")[0] for line in lines if line.startswith("Pushed")] == [
        "Pushed 1 session",
        "Pushed 1 session",
        "Pushed 0 sessions",
    ]
    assert sum("cannot be reached" in line for line in lines) == 1
    with TeamStore(server.address) as team:
        assert team.row("watched-2").messages == 2
