"""The presets over several sessions: progress, a stop, what goes on afterwards, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.widgets import Static

from inspector import library
from inspector.analysis.experiments import SessionFigures, TrialResult, TrialSetup, corpus_rows, corpus_verdict, sweep
from inspector.analysis.experiments.kept_results import load_results
from inspector.engine.compression import Preset
from inspector.library import Entry, Opener
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.sessions import Sessions
from inspector.ui.screens.tune import CorpusScreen
from inspector.ui.screens.tune.corpus_controller import CorpusController, FigureKey
from inspector.ui.screens.tune.corpus_screen import ComparedList, CorpusRows
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Opening, Writer, chat, press, settled, until
from tests.manual_jobs import ManualJobs, RecordingHost

LENGTHS = (30, 35)
"""Steps of the chats, each of which some preset compresses."""


@pytest.fixture
def files(write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv("INSPECTOR_PRESETS", f"{tmp_path}/presets.toml")
    return [write(f"scans-{steps}.json", chat(steps, words=200)) for steps in LENGTHS]


class Driven:
    """A controller over files, with its jobs."""

    def __init__(
        self, *files: Path, known: dict[FigureKey, SessionFigures] | None = None, opener: Opener | None = None
    ) -> None:
        self.jobs, self.host = ManualJobs(), RecordingHost()
        self.opened = 0
        self.opener = opener or Opener()
        self.known: dict[FigureKey, SessionFigures] = {} if known is None else known
        entries = [entry for entry, _ in library.list_entries([str(file) for file in files], None, look_around=False)]
        self.controller = CorpusController(self.jobs, self.host, entries, self.open, self.known, lambda: None)

    def open(self) -> Opener:
        self.opened += 1
        return self.opener

    def status(self) -> list[str]:
        return [one.status for one in self.controller.state.sessions]


def test_the_presets_are_replayed_on_each_session_and_a_damaged_one_is_named(files: list[Path]) -> None:
    driven = Driven(*files)
    assert driven.status() == ["not replayed yet"] * 2 and not driven.controller.state.rows
    driven.controller.start()
    assert "session 1 of 2 0%" in driven.controller.state.summary
    files[1].write_text("{}", encoding="utf-8")
    driven.jobs.finish()
    state = driven.controller.state
    assert (state.busy, len(state.figures)) == (None, 1)
    assert state.sessions[0].status == "" and "scans-35.json" in state.sessions[1].problem
    assert "1 compared, 1 that cannot be replayed" in state.summary
    assert {"recorded", "none", "balanced"} <= {row.preset for row in state.rows}
    assert state.verdict.best and not state.verdict.is_clear


def test_a_stopped_comparison_goes_on_with_the_sessions_that_are_due(files: list[Path], write: Writer) -> None:
    driven = Driven(*files)
    controller = driven.controller
    controller.start()
    report: list[Callable[[], None]] = []
    driven.jobs.run()
    while not controller.state.figures:
        driven.jobs.results.popleft()()
    report.extend(driven.jobs.results)
    assert controller.stop() and not controller.stop()
    assert controller.state.busy is None and len(controller.state.due) == 1
    for late in report:
        late()
    assert len(controller.state.due) == 1, "results of a stopped comparison are dropped"
    again = Driven(*files, known=driven.known)
    assert len(again.controller.state.figures) == 1, "what is known is shown at once"
    again.controller.start()
    again.jobs.finish()
    assert again.opened == 1 and len(again.controller.state.figures) == 2
    again.controller.start()
    assert again.host.notices[-1][0] == "All of these sessions are compared."
    see_a_session_left_out(again.controller)
    write(files[0].name, chat(31, words=200))
    assert len(Driven(*files, known=driven.known).controller.state.due) == 1, "a changed file is due again"


def test_a_replay_ends_soon_after_a_stop(files: list[Path]) -> None:
    driven = Driven(*files)
    driven.controller.start()
    driven.controller.close()
    driven.jobs.finish()
    assert not driven.controller.state.figures and driven.opened == 1


def see_a_session_left_out(controller: CorpusController) -> None:
    """It does not count until it is taken in again."""
    both = controller.state.figures
    controller.leave_out(controller.state.sessions[0])
    assert controller.state.figures == both[1:]
    assert [one.status for one in controller.state.sessions] == ["left out", ""]
    assert controller.state.rows == corpus_rows(both[1:]) and controller.state.verdict == corpus_verdict(both[1:])
    controller.leave_out(controller.state.sessions[0])
    assert controller.state.figures == both


def test_only_the_sessions_of_a_project(files: list[Path]) -> None:
    driven = Driven(*files[:1], SAMPLES / "coding-agent.jsonl")
    controller = driven.controller
    project = controller.state.sessions[1].entry.project
    controller.choose_scope(project)
    assert [one.entry.project for one in controller.state.sessions] == [project]
    assert f"1 session of {project}" in controller.state.summary
    controller.choose_scope("")
    assert len(controller.state.sessions) == 2


def corpus_screen(app: object) -> CorpusScreen:
    screen = getattr(app, "screen", None)
    assert isinstance(screen, CorpusScreen)
    return screen


async def test_from_the_library_to_the_table_and_into_a_session(running: Opening, files: list[Path]) -> None:
    async with running(*files, size=(160, 50)) as pilot:
        await press(pilot, "P")
        screen = corpus_screen(pilot.app)
        start = str(screen.query_one("#corpus-verdict", Static).render())
        assert "Press a to replay each preset on 2 sessions." in start
        await press(pilot, "a")
        assert len(screen.query_one(CorpusRows).rows) > 5
        text = str(screen.query_one("#corpus-verdict", Static).render())
        assert "leads, and" in text and "95%: interval of the mean, by session." in text
        assert screen.query_one(ComparedList).preset == "recorded"
        await press(pilot, "tab", "down", "down")
        assert screen.query_one(ComparedList).preset == screen.query_one(CorpusRows).rows[2].preset
        await press(pilot, "tab", "D")
        assert screen.query_one(ComparedList).rows[0].is_left_out
        assert "take in" in [key.text for key in screen.query_one(KeyBar).keys]
        await press(pilot, "escape", "P")
        assert len(corpus_screen(pilot.app).controller.state.figures) == 2, "the figures are kept"
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, Inspect)


async def test_the_filter_of_the_library_selects_the_sessions(running: Opening, files: list[Path]) -> None:
    async with running(*files, size=(80, 24)) as pilot:
        await press(pilot, "/", *"scans-35", "enter", "P")
        assert len(corpus_screen(pilot.app).controller.state.sessions) == 1


async def test_from_tune_to_all_sessions_of_the_library(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "4", "P")
        assert [one.status for one in corpus_screen(pilot.app).controller.state.sessions] == ["not replayed yet"]


async def test_the_comparison_waits_until_all_sessions_are_listed(
    running: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_list, list_entries = Event(), library.list_entries

    def slow(*args: Any, **options: Any) -> Iterator[tuple[Entry, float | None]]:
        may_list.wait(60)
        yield from list_entries(*args, **options)

    monkeypatch.setattr(library, "list_entries", slow)
    may_list.set()
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "1")
        sessions = pilot.app.screen
        assert isinstance(sessions, Sessions) and sessions.controller is not None
        may_list.clear()
        sessions.controller.list_sessions()
        await pilot.press("P")
        await until(pilot, lambda: sessions.is_comparison_due)
        assert pilot.app.screen is sessions
        may_list.set()
        await settled(pilot)
        assert len(corpus_screen(pilot.app).controller.state.sessions) == 1


def test_after_a_restart_no_finished_session_is_replayed_again(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library.Library(tmp_path / "inspector.db") as lib:
        opener = Opener(lib.store)
        first = Driven(*files, opener=opener)
        first.controller.start()
        first.jobs.finish()
        are_known: list[bool] = []

        def load(subject: TrialSetup, presets: Sequence[Preset], keys: Sequence[bytes]) -> dict[int, TrialResult]:
            results = load_results(subject, presets, keys)
            are_known.append(len(results) == len(presets))
            return results

        monkeypatch.setattr(sweep, "load_results", load)
        again = Driven(*files, opener=opener)
        again.controller.start()
        again.jobs.finish()
    assert are_known == [True, True] and again.controller.state.rows == first.controller.state.rows
