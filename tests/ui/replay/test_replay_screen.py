"""ReplayScreen, driven by keys: what is seen is asserted on the state behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.analysis.replay.repeated_reads import Rate, RepeatedReadRates
from inspector.analysis.replay.run import window_at
from inspector.engine.compression.presets import PRESETS
from inspector.engine.facts import Need, Regret
from inspector.library import Library, Workbench
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay.area_chart import AreaChart
from inspector.ui.screens.replay.frame_window import FrameWindow
from inspector.ui.screens.replay.panels import OutcomePanel, RegretList, TurnPanel
from inspector.ui.screens.replay.progress import ReplayProgress
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.widgets.title import TitleLine
from tests.driving import SAMPLES, Opening, Writer, chat, inspect_screen, press, settled, until

LARGE_SESSION_BYTES = {"steps": 60, "words": 200}
"""A chat that every preset compresses."""


def replay_screen(pilot: Pilot[None]) -> ReplayScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, ReplayScreen)
    return screen


def shown(screen: ReplayScreen) -> ReplayProgress:
    assert screen.state.progress is not None
    return screen.state.progress


def bench_of(screen: ReplayScreen) -> Workbench:
    assert screen.state.bench is not None
    return screen.state.bench


def told(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


async def test_a_film_is_gone_through_played_and_searched_for_regrets(running: Opening, write: Writer) -> None:
    """One replay, walked through."""
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        see_the_whole_film(screen)
        await go_through_turns(pilot, screen)
        await pause_and_step(pilot, screen)
        await play_to_the_end(pilot, screen)
        await trace_regrets(pilot, screen)


def see_the_whole_film(screen: ReplayScreen) -> None:
    """To its end, under the recommended preset."""
    assert screen.state.preset == PRESETS["balanced"] and screen.state.busy is None
    assert shown(screen).is_final
    assert len(shown(screen).frames) == screen.state.count == inspect_screen_turns(screen) + 1
    assert screen.state.turn == screen.state.count
    assert shown(screen).replay.compactions and shown(screen).replay.peak < shown(screen).full_tokens


async def go_through_turns(pilot: Pilot[None], screen: ReplayScreen) -> None:
    """And compactions."""
    await press(pilot, "home")
    assert screen.state.turn == 1
    await press(pilot, "left", "right", "right", "shift+right")
    assert screen.state.turn == 13
    await press(pilot, "home", "c")
    first = shown(screen).replay.compactions[0]
    assert screen.state.turn == first.turn
    assert f"{first.before:,} → {first.after:,}" in screen.query_one("#numbers", TurnPanel).render().plain
    await press(pilot, "C")
    assert screen.state.turn == shown(screen).replay.compactions[-1].turn
    await press(pilot, "end")
    assert screen.state.turn == screen.state.count


async def pause_and_step(pilot: Pilot[None], screen: ReplayScreen) -> None:
    """Space pauses, and a step by hand stops too."""
    await press(pilot, "-", "-", "-")
    await pilot.press("space", "space")
    assert not screen.state.playback.is_playing
    here = screen.state.turn
    await pilot.press("space", "right")
    assert not screen.state.playback.is_playing and screen.state.turn >= here + 1
    await pilot.press("space", "escape")
    assert not screen.state.playback.is_playing and pilot.app.screen is screen


async def play_to_the_end(pilot: Pilot[None], screen: ReplayScreen) -> None:
    """From the start, by itself."""
    await press(pilot, "end")
    await pilot.press("space")
    assert screen.state.playback.is_playing and screen.state.turn < screen.state.count
    await press(pilot, *["+"] * 8)
    await until(pilot, lambda: not screen.state.playback.is_playing)
    assert screen.state.turn == screen.state.count and not screen.state.playback.is_playing


async def trace_regrets(pilot: Pilot[None], screen: ReplayScreen) -> None:
    """They are gone to, listed, and traced to both messages; and shown harmless."""
    await press(pilot, "home")
    regrets = await give_regrets(screen, pilot)
    line = "".join(text for text, _ in screen.query_one(RegretList).spans(1, 100))
    assert "[red]1968[/]" in line and "\x1b" not in line
    await press(pilot, "r")
    rows = screen.query_one(RegretList)
    assert screen.state.turn == 30 and rows.current is regrets[0]
    await press(pilot, "down", "down")
    assert screen.state.turn == 41 and rows.current is regrets[2]
    await press(pilot, "enter")
    reader = pilot.app.screen
    assert isinstance(reader, Reader) and reader.message.id == regrets[2].message
    await press(pilot, "escape", "o")
    source = pilot.app.screen
    assert isinstance(source, Reader) and source.message.id == regrets[2].source
    await press(pilot, "escape")
    assert pilot.app.screen is screen and screen.state.turn == 41
    await press(pilot, "left", "enter")
    assert isinstance(pilot.app.screen, FrameWindow)


def inspect_screen_turns(screen: ReplayScreen) -> int:
    return len(bench_of(screen).session.turns())


async def test_another_preset_is_replayed_at_the_same_turn(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "3", "home", "c")
        screen = replay_screen(pilot)
        turn, before = screen.state.turn, screen.state.progress
        await press(pilot, "s", "up", "enter")
        assert screen.state.preset == PRESETS["aggressive"] and screen.state.turn == turn
        assert before is not None and shown(screen).is_final
        assert shown(screen).replay.tokens_sent < before.replay.tokens_sent
        await press(pilot, "s", "up", "up", "enter")
        assert shown(screen).preset.name == "recorded" and not shown(screen).preset.enabled
        assert not shown(screen).replay.compactions
        assert "no regrets" in screen.query_one(OutcomePanel).render().plain
        await press(pilot, "c")
        assert "Nothing is compressed here. Press s to choose another preset." in told(pilot)


@pytest.mark.parametrize("name", ["research.json", "coding-agent.jsonl"])
async def test_a_frame_opens_as_the_window_that_it_was_and_escape_comes_back(running: Opening, name: str) -> None:
    async with running(SAMPLES / name) as pilot:
        await press(pilot, "3", "home", "c", "enter")
        replay = replay_screen(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, FrameWindow) and screen.state.preview is not None
        meant = window_at(bench_of(replay).session, bench_of(replay).sizes, shown(replay).replay, replay.state.turn)
        assert screen.controller.turn == replay.state.turn
        assert screen.state.preview.before.ids == meant.ids and screen.state.preview.before.total == meant.total
        frame = shown(replay).frame(replay.state.turn)
        assert frame is not None and frame.total == meant.total
        await press(pilot, "escape")
        assert pilot.app.screen is replay and replay.state.turn == frame.turn


async def test_what_is_applied_in_a_frame_is_not_stored(running: Opening, write: Writer, library: Library) -> None:
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "3", "enter", "s", "enter", "a")
        assert isinstance(pilot.app.screen, FrameWindow) and len(pilot.app.screen.state.stack) > 1
        await press(pilot, "escape", "2")
        inspect = inspect_screen(pilot)
        assert inspect.state.stack == () and library.store is not None
        assert library.store.plans(inspect.state.bench.store_id, "main") == []


def regretted(screen: ReplayScreen) -> tuple[Regret, ...]:
    """Regrets of a replay, made up where their engine gives none: two turns, three facts."""
    messages = bench_of(screen).session.messages
    return (
        Regret(30, messages[60].id, (Need("scan-02-004.tif", "path", 22, messages[5].id),)),
        Regret(30, messages[60].id, (Need("[red]1968[/]\x1b[31m", "number", 22, messages[5].id),)),
        Regret(41, messages[82].id, (Need("box 7", "quote", 22, messages[17].id),)),
    )


async def give_regrets(screen: ReplayScreen, pilot: Pilot[None]) -> tuple[Regret, ...]:
    progress = screen.state.progress
    assert progress is not None
    found = regretted(screen)
    screen.controller._set(progress=replace(progress, replay=replace(progress.replay, regrets=found)))
    await settled(pilot)
    return found


async def test_where_nothing_is_regretted_that_is_said(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "3", "r")
        assert "No reply needed a dropped fact." in told(pilot)
        assert replay_screen(pilot).query_one(RegretList).empty == "  Nothing was lost: no compression."


@pytest.mark.parametrize(
    ("kept", "words"),
    [(Rate(7, 29), "2/7 read again, 7/29 anyway, too few"), (Rate(2, 40), "20/70 read again, 2/40 anyway")],
)
async def test_what_was_read_again_stands_beside_the_regrets(running: Opening, kept: Rate, words: str) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(200, 50)) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        assert "read again" not in screen.query_one(OutcomePanel).render().plain
        gone = Rate(2, 7) if kept.count < 40 else Rate(20, 70)
        outcome = replace(shown(screen).replay, rereads=RepeatedReadRates(1, gone, kept))
        screen.controller._set(progress=replace(shown(screen), replay=outcome))
        await settled(pilot)
        assert words in screen.query_one(OutcomePanel).render().plain


async def test_each_agent_is_replayed_by_itself(running: Opening) -> None:
    async with running(SAMPLES / "three-agents.jsonl") as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        agents = bench_of(screen).session.agents
        assert len(agents) > 1
        await press(pilot, ".")
        assert screen.state.agent == agents[1] and shown(screen).replay.agent == agents[1]
        assert len(shown(screen).frames) == len(bench_of(screen).session.turns(agents[1])) + 1
        await press(pilot, "2", "3")
        assert screen.state.agent == agents[1]


async def test_without_a_session_the_key_says_what_to_do(running: Opening) -> None:
    async with running() as pilot:
        await press(pilot, "3")
        assert "No session is open yet: T in Sessions opens samples." in told(pilot)


async def test_what_inspect_has_open_is_what_is_replayed(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "3")
        screen = replay_screen(pilot)
        film = screen.state.progress
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)
        await press(pilot, "3")
        assert screen.state.progress is film
        assert screen.query_one(TitleLine).session is bench_of(screen).session


# pictures

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=["80x24", "120x40", "200x50"])


@sizes
def test_a_replay(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, "3", "home", "c", "c")
        screen = replay_screen(pilot)
        assert (
            screen.state.progress is not None and shown(screen).is_final and len(shown(screen).replay.compactions) > 3
        )
        assert screen.state.turn == shown(screen).replay.compactions[1].turn
        assert screen.query_one(AreaChart).turn == screen.state.turn

    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=before)


async def test_a_tiny_terminal_shows_the_chart_and_the_keys(running: Opening) -> None:
    async with running(SAMPLES / "research.json", size=(40, 12)) as pilot:
        await press(pilot, "3", "c")
        screen = replay_screen(pilot)
        assert screen.query_one(AreaChart).size.height >= 4
        assert screen.query_one("#numbers-line", TurnPanel).display
