"""The app on a team's store: its screens read it, and go on when its server is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.library import Library, PushOptions, push_sessions, stored_ids
from inspector.store import Store, TeamWriter, team_init
from inspector.ui.app import InspectorApp
from inspector.ui.screens.overview.screen import OverviewScreen
from inspector.ui.screens.sessions import HitList, SearchScreen
from tests.driving import SAMPLES, Word, inspect_screen, press, settled
from tests.servers import PostgresServer, short_folder


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PostgresServer]:
    """A server with a team's store that has one session."""
    with short_folder() as folder:
        server = PostgresServer(folder)
        server.start()
        try:
            team_init(server.address).apply()
            with Library(tmp_path / "other.db", required=True) as other, TeamWriter(server.address) as writer:
                assert all(
                    not outcome.problem for outcome in other.import_targets([str(SAMPLES / "support-ticket.json")])
                )
                ids = stored_ids(other.required_store, ())
                assert all(
                    outcome.is_sent for outcome in push_sessions(other.required_store, writer, ids, PushOptions())
                )
            yield server
        finally:
            server.stop()


async def test_screens_read_a_team_s_store_and_go_on_without_it(server: PostgresServer, tmp_path: Path) -> None:
    with Library(tmp_path / "own.db", team=server.address) as library:
        app = InspectorApp([], library, look_around=False)
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            (entry,) = app.sessions.state.entries.values()
            assert entry.origin == "stored" and entry.messages == 51
            await press(pilot, "F", Word("refund"))
            search = app.screen
            assert isinstance(search, SearchScreen)
            hits = search.query_one(HitList).hits
            assert hits and {hit.target for hit in hits} == {entry.target}
            await press(pilot, "escape")
            app.open(entry.target)
            await settled(pilot)
            await press(pilot, "2")
            assert len(inspect_screen(pilot).state.bench.session.messages) == 51
            await press(pilot, "8")
            screen = app.screen
            assert isinstance(screen, OverviewScreen)
            assert screen.state.stats is not None and screen.state.stats.total.sessions == 1
            server.stop()
            await press(pilot, "tab")
            assert "cannot be reached" in screen.state.failure
            app.sessions.list_sessions()
            await settled(pilot)
            assert any("cannot be reached" in note.message for note in app._notifications)
            await press(pilot, "2")
            assert len(inspect_screen(pilot).state.bench.session.messages) == 51
            server.start()
            app.sessions.list_sessions()
            await settled(pilot)
            assert list(app.sessions.state.entries) == [entry.target]
        assert app.failure is None
    with Store(tmp_path / "own.db") as own:
        assert own.sessions() == [], "a team's sessions are not copied"
