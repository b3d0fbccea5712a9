"""Replay, driven by keys: what is seen is asserted on the state behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.compression.presets import PRESETS
from inspector.library import Library
from inspector.replay.frames import Compaction, Frame, Regret
from inspector.replay.run import window_at
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.reader import Reader
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay import Replay
from inspector.ui.screens.replay.looking import FrameWindow
from inspector.ui.screens.replay.numbers import Numbers, Outcome
from inspector.ui.screens.replay.regrets import RegretList
from inspector.ui.widgets.area import EMPTY, Area, Cell, Grid, Picture, cell_of, column_of, stacked, turn_range
from inspector.ui.widgets.head import Head
from tests.driving import SAMPLES, Opening, Writer, chat, inspect_screen, press, settled

LONG = {"steps": 60, "words": 200}
"""A chat that every preset compresses."""


def replay_screen(pilot: Pilot[None]) -> Replay:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Replay)
    return screen


def told(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


async def test_a_session_is_replayed_to_its_end_under_the_recommended_preset(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        assert screen.preset == PRESETS["balanced"] and screen.busy is None
        assert screen.film is not None and screen.film.finished
        assert len(screen.film.frames) == screen.count == inspect_screen_turns(screen) + 1
        assert screen.turn == screen.count
        assert screen.film.replay.compactions and screen.film.replay.peak < screen.film.whole


def inspect_screen_turns(screen: Replay) -> int:
    return len(screen.bench.session.turns())


async def test_keys_go_through_turns_and_compactions(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3", "home")
        screen = replay_screen(pilot)
        assert screen.turn == 1
        await press(pilot, "left", "right", "right", "shift+right")
        assert screen.turn == 13
        await press(pilot, "home", "c")
        assert screen.film is not None
        first = screen.film.replay.compactions[0]
        assert screen.turn == first.turn
        assert f"{first.before:,} → {first.after:,}" in screen.query_one("#numbers", Numbers).render().plain
        await press(pilot, "C")
        assert screen.turn == screen.film.replay.compactions[-1].turn
        await press(pilot, "end")
        assert screen.turn == screen.count


async def test_playing_goes_on_by_itself_from_the_start_and_stops_at_the_end(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        await pilot.press("space")
        assert screen.playing and screen.turn < screen.count
        await press(pilot, "+", "+", "+", "+", "+")
        for _ in range(200):
            if not screen.playing:
                break
            await pilot.pause(0.05)
        assert screen.turn == screen.count and not screen.playing


async def test_space_pauses_and_a_step_by_hand_stops_too(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3", "-", "-", "-")
        screen = replay_screen(pilot)
        await pilot.press("space", "space")
        assert not screen.playing
        here = screen.turn
        await pilot.press("space", "right")
        assert not screen.playing and screen.turn >= here + 1
        await pilot.press("space", "escape")
        assert not screen.playing and pilot.app.screen is screen


async def test_another_preset_is_replayed_at_the_same_turn(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3", "home", "c")
        screen = replay_screen(pilot)
        turn, before = screen.turn, screen.film
        await press(pilot, "s", "up", "enter")
        assert screen.preset == PRESETS["aggressive"] and screen.turn == turn
        assert screen.film is not None and before is not None and screen.film.finished
        assert screen.film.replay.tokens_sent < before.replay.tokens_sent
        await press(pilot, "s", "up", "up", "enter")
        assert screen.film.preset.name == "recorded" and screen.film.never
        assert not screen.film.replay.compactions
        assert "no regrets" in screen.query_one(Outcome).render().plain
        await press(pilot, "c")
        assert "Nothing is compressed here. Press s to choose another preset." in told(pilot)


@pytest.mark.parametrize("name", ["research.json", "coding-agent.jsonl"])
async def test_a_frame_opens_as_the_window_that_it_was_and_escape_comes_back(running: Opening, name: str) -> None:
    async with running(SAMPLES / name) as pilot:
        await press(pilot, "3", "home", "c", "enter")
        replay = replay_screen(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, FrameWindow) and screen.state.preview is not None and replay.film is not None
        meant = window_at(replay.bench.session, replay.bench.sizes, replay.film.replay, replay.turn)
        assert screen.controller.turn == replay.turn
        assert screen.state.preview.before.ids == meant.ids and screen.state.preview.before.total == meant.total
        frame = replay.film.frame(replay.turn)
        assert frame is not None and frame.total == meant.total
        await press(pilot, "escape")
        assert pilot.app.screen is replay and replay.turn == frame.turn


async def test_what_is_applied_in_a_frame_is_not_stored(running: Opening, write: Writer, library: Library) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3", "enter", "s", "enter", "a")
        assert isinstance(pilot.app.screen, FrameWindow) and len(pilot.app.screen.state.stack) > 1
        await press(pilot, "escape", "2")
        inspect = inspect_screen(pilot)
        assert inspect.state.stack == () and library.store is not None
        assert library.store.plans(inspect.state.bench.stored, "main") == []


def regretted(screen: Replay) -> tuple[Regret, ...]:
    """Regrets of a replay, made up where their engine gives none: two turns, three facts."""
    messages = screen.bench.session.messages
    return (
        Regret(30, "scan-02-004.tif", "path", 22, messages[60].id, messages[5].id),
        Regret(30, "[red]1968[/]\x1b[31m", "number", 22, messages[60].id, messages[5].id),
        Regret(41, "box 7", "quoted", 22, messages[82].id, messages[17].id),
    )


async def give_regrets(screen: Replay, pilot: Pilot[None]) -> tuple[Regret, ...]:
    from dataclasses import replace

    assert screen.film is not None
    found = regretted(screen)
    screen.film = replace(screen.film, replay=replace(screen.film.replay, regrets=found))
    await settled(pilot)
    return found


async def test_regrets_are_gone_to_listed_and_traced_to_both_messages(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3", "home")
        screen = replay_screen(pilot)
        found = await give_regrets(screen, pilot)
        await press(pilot, "r")
        regrets = screen.query_one(RegretList)
        assert screen.turn == 30 and regrets.current is found[0]
        await press(pilot, "down", "down")
        assert screen.turn == 41 and regrets.current is found[2]
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader) and reader.message.id == found[2].message
        await press(pilot, "escape", "o")
        source = pilot.app.screen
        assert isinstance(source, Reader) and source.message.id == found[2].source
        await press(pilot, "escape")
        assert pilot.app.screen is screen and screen.turn == 41
        await press(pilot, "left", "enter")
        assert isinstance(pilot.app.screen, FrameWindow)


async def test_a_fact_is_shown_harmless(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        await give_regrets(screen, pilot)
        line = "".join(text for text, _ in screen.query_one(RegretList).spans(1, 100))
        assert "[red]1968[/]" in line and "\x1b" not in line


async def test_where_nothing_is_regretted_that_is_said(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "3", "r")
        assert "Nothing that was lost was needed again." in told(pilot)
        assert replay_screen(pilot).query_one(RegretList).empty == "  Nothing was compressed, so nothing was lost."


async def test_each_agent_is_replayed_by_itself(running: Opening) -> None:
    async with running(SAMPLES / "three-agents.jsonl") as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        agents = screen.bench.session.agents
        assert len(agents) > 1
        await press(pilot, "n")
        assert screen.agent == agents[1] and screen.film is not None and screen.film.replay.agent == agents[1]
        assert len(screen.film.frames) == len(screen.bench.session.turns(agents[1])) + 1
        await press(pilot, "2", "3")
        assert screen.agent == agents[1]


async def test_without_a_session_the_key_says_what_to_do(running: Opening) -> None:
    async with running() as pilot:
        await press(pilot, "3")
        assert "No session is open yet: choose one and press enter." in told(pilot)


async def test_what_inspect_has_open_is_what_is_replayed(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LONG))) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        film = screen.film
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)
        await press(pilot, "3")
        assert screen.film is film
        assert screen.query_one(Head).session is screen.bench.session


# the chart by itself


def frame(turn: int, *sections: int) -> Frame:
    return Frame(turn, turn, (*sections, *[0] * (6 - len(sections))), sum(sections), 1)


def test_a_cell_shows_one_boundary_and_the_two_largest_of_what_meets_in_it() -> None:
    assert cell_of([8], 0) == Cell(8, 0, 0)
    assert cell_of([3], 0) == Cell(3, 0, EMPTY)
    assert cell_of([3, 8], 0) == Cell(3, 0, 1)
    assert cell_of([1, 5, 8], 0) == Cell(5, 1, 2)
    assert cell_of([0], 0) == Cell(0, EMPTY, EMPTY)


def test_a_column_is_as_high_as_its_window_to_an_eighth() -> None:
    cells = stacked([500, 0, 0, 250], 1000, 4)
    assert cells == [Cell(8, 0, 0), Cell(8, 0, 0), Cell(8, 3, 3), Cell(0, EMPTY, EMPTY)]
    assert stacked([1, 999], 1000, 2) == [Cell(8, 1, 1), Cell(8, 1, 1)]


@pytest.mark.parametrize(("count", "columns"), [(5, 40), (138, 74), (7, 7), (2000, 60)])
def test_every_turn_has_a_column_that_shows_it(count: int, columns: int) -> None:
    for turn in range(1, count + 1):
        first, last = turn_range(column_of(turn, count, columns), count, columns)
        assert first <= turn - 1 < last


def test_marks_tell_lossy_from_reversible_and_the_lossy_one_wins() -> None:
    made = [Compaction(turn, 9, 5, "x", 2, turn != 2) for turn in (2, 3, 4)]
    picture = Picture(tuple(frame(turn, 5) for turn in range(1, 5)), 4, 6, compactions=tuple(made))
    assert Grid(picture, 4, 3).marks() == ["", "◆", "◇", "◇"]
    assert Grid(picture, 2, 3).marks() == ["◆", "◇"]


def test_letters_stand_in_the_areas_that_are_large_enough() -> None:
    picture = Picture(tuple(frame(turn, 400, 0, 0, 600) for turn in range(1, 11)), 10)
    letters = Grid(picture, 10, 10).letters
    assert sorted(letters.values()) == ["H", "S"]


# pictures

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=["80x24", "120x40", "200x50"])


@sizes
def test_a_replay(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, "3", "home", "c", "c")
        screen = replay_screen(pilot)
        assert screen.film is not None and screen.film.finished and len(screen.film.replay.compactions) > 3
        assert screen.turn == screen.film.replay.compactions[1].turn
        assert screen.query_one(Area).turn == screen.turn

    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=before)


async def test_a_tiny_terminal_shows_the_chart_and_the_keys(running: Opening) -> None:
    async with running(SAMPLES / "research.json", size=(40, 12)) as pilot:
        await press(pilot, "3", "c")
        screen = replay_screen(pilot)
        assert screen.query_one(Area).size.height >= 4
        assert screen.query_one("#numbers-line", Numbers).display
