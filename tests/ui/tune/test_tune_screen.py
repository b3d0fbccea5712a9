"""Tune, driven by keys: the rows, the verdict, live knobs, sweeps, and what is taken away from them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.analysis.experiments.recommend import rank
from inspector.analysis.experiments.trials import TrialResult, run_trial as worked_out
from inspector.analysis.export import TARGETS
from inspector.analysis.replay.run import NONE, RECORDED
from inspector.engine.compression import BUILT_IN, Net, Scale
from inspector.engine.compression.presets import PRESETS, Preset, load, save
from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.screens.tune import Tune
from inspector.ui.screens.tune.panels import PresetHeads, RowList, RowPanel
from inspector.ui.screens.tune.preset_export_dialog import ExportPreset
from inspector.ui.screens.tune.preset_rows import SORTS, knobs_of, sort_key, trial_of, value_of
from inspector.ui.screens.tune.sweep_dialog import SweepDialog, short_name
from inspector.ui.widgets.pareto import Pareto, Plane, Point
from tests.driving import SAMPLES, Opening, Word, Writer, chat, press, settled

Dialog = TypeVar("Dialog", SweepDialog, ExportPreset)
LARGE_SESSION_BYTES = {"steps": 60, "words": 200}
"""A chat that every preset compresses."""


def tune_screen(pilot: Pilot[None]) -> Tune:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Tune)
    return screen


def told(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


def front(pilot: Pilot[None], kind: type[Dialog]) -> Dialog:
    """The dialog in front."""
    screen = pilot.app.screen
    assert isinstance(screen, kind)
    return screen


def rows_of(screen: Tune) -> dict[str, TrialResult]:
    return {result.name: result for result in screen.state.table.results.values()}


async def choose(pilot: Pilot[None], name: str) -> None:
    rows = tune_screen(pilot).query_one(RowList)
    rows.in_hand = True
    rows.cursor = next(n for n, entry in enumerate(rows.table.rows) if entry.preset.name == name)
    await settled(pilot)


async def test_the_rows_of_a_long_chat(running: Opening, write: Writer) -> None:
    """One table, walked through: the presets are replayed once."""
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "4")
        screen = tune_screen(pilot)
        see_the_best_row(screen)
        await hold_a_knob(pilot, screen)
        await type_a_value(pilot, screen)
        await turn_one_row(pilot, screen)
        await turn_what_was_recorded(pilot, screen)
        await go_to_both_ends(pilot, screen)
        await sort_the_rows(pilot, screen)


def see_the_best_row(screen: Tune) -> None:
    """Every preset has its row, and the best one stands first."""
    assert set(rows_of(screen)) == {RECORDED.name, NONE.name, *BUILT_IN}
    assert screen.state.busy is None and not screen.state.table.stale
    subject = screen.state.context.setup
    assert rows_of(screen)["balanced"].tokens_sent == worked_out(subject, PRESETS["balanced"]).tokens_sent
    best = screen.state.table.verdict.best
    assert best is not None and screen.state.table.is_best(screen.state.table.rows[0]) and screen.current is not None
    assert screen.current.preset.name == best.name
    assert best.name in str(screen.query_one("#verdict", Static).render())
    assert rank(best) == min(rank(row) for row in rows_of(screen).values() if row.preset != RECORDED)


async def hold_a_knob(pilot: Pilot[None], screen: Tune) -> None:
    """It ends at its last place."""
    await choose(pilot, "balanced")
    await pilot.press(*["-"] * 15)
    await settled(pilot)
    assert screen.current is not None and screen.current.result is not None
    assert screen.current.result.preset == screen.current.preset and screen.current.preset.threshold == 25_000
    assert screen.current.result == worked_out(screen.state.context.setup, screen.current.preset)
    await press(pilot, "u")


async def type_a_value(pilot: Pilot[None], screen: Tune) -> None:
    """And turn the strategy."""
    await press(pilot, "t", Word("25000"), "enter")
    assert screen.current is not None and screen.current.preset.threshold == 25_000
    await press(pilot, "shift+tab", "+")
    assert screen.current.preset.strategy != "sliding_window"
    assert screen.current.result is not None and screen.current.result.preset == screen.current.preset
    await press(pilot, "u", "tab")


async def turn_one_row(pilot: Pilot[None], screen: Tune) -> None:
    """And no other."""
    before = rows_of(screen)
    await press(pilot, "<", "<", "-")
    after = rows_of(screen)
    assert screen.current is not None and screen.current.preset.threshold == 19_000 and screen.current.is_changed
    assert after["balanced"].tokens_sent < before["balanced"].tokens_sent
    assert all(after[name].tokens_sent == before[name].tokens_sent for name in before if name != "balanced")
    await press(pilot, "tab", "+")
    assert screen.current.preset.keep_recent == 21
    await press(pilot, "u")
    assert not screen.current.is_changed and rows_of(screen)["balanced"].tokens_sent == before["balanced"].tokens_sent


async def turn_what_was_recorded(pilot: Pilot[None], screen: Tune) -> None:
    """It has nothing to turn."""
    await choose(pilot, "recorded")
    for key in ("+", "t", "w", "e", "v"):
        await press(pilot, key)
        assert pilot.app.screen is screen
    assert screen.current is not None and not screen.current.is_changed


async def go_to_both_ends(pilot: Pilot[None], screen: Tune) -> None:
    rows = screen.query_one(RowList)
    await press(pilot, "end")
    assert rows.cursor == rows.count - 1 > 0
    await press(pilot, "home")
    assert rows.cursor == 0


async def sort_the_rows(pilot: Pilot[None], screen: Tune) -> None:
    """By any column, and the other way round."""
    for order in (*SORTS[1:], SORTS[0]):
        await press(pilot, "S")
        assert screen.state.order == order
        keys = [sort_key(order, screen.state.table.results[entry.number], entry) for entry in screen.state.table.rows]
        assert keys == sorted(keys)
    await press(pilot, "S", "I")
    names = [entry.name for entry in screen.state.table.rows]
    assert names == sorted(names, reverse=True)
    await pilot.click("#row-columns", offset=(4, 0))
    await settled(pilot)
    assert [entry.name for entry in screen.state.table.rows] == names[::-1]


async def test_where_nothing_is_compressed_the_cursor_stands_where_a_knob_can_change_that(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "4")
        screen = tune_screen(pilot)
        assert screen.state.table.idle and screen.current is not None and screen.current.preset.enabled
        assert "Lower a threshold with -" in str(screen.query_one("#verdict", Static).render())
        await press(pilot, *["<"] * 3)
        assert screen.current.is_changed and screen.state.table.results[screen.current.number].compressions


async def test_a_click_on_an_arrow_turns_its_knob_and_one_beside_it_chooses_it(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "4")
        screen = tune_screen(pilot)
        row = screen.current
        assert row is not None and row.is_simulation
        panel, knobs = screen.query_one(RowPanel), knobs_of(row.preset)

        async def click(number: int, sign: str) -> dict[str, Any]:
            line = str(panel.render()).splitlines()[1 + number]
            place = panel.content_region.offset - panel.region.offset + (line.index(sign), 1 + number)
            await pilot.click(panel, offset=place)
            await settled(pilot)
            assert screen.current is not None
            return {knob.name: value_of(screen.current.preset, knob, screen.state.context.scale) for knob in knobs}

        values = await click(1, knobs[1].name)
        assert screen.state.knob == 1
        up = await click(1, "▸")
        assert {name for name in values if up[name] != values[name]} == {knobs[1].name}
        assert await click(1, "◂") == values
        await click(0, "▸")
        assert screen.state.knob == 0
        await pilot.click(panel, offset=(2, 0))
        assert screen.state.knob == 0


async def test_the_presets_are_tried_on_the_next_agent(running: Opening) -> None:
    async with running(SAMPLES / "three-agents.jsonl") as pilot:
        await press(pilot, "4")
        screen, agents = tune_screen(pilot), tune_screen(pilot).state.context.bench.session.agents
        seen = []
        for _ in agents:
            seen.append((screen.state.context.agent, rows_of(screen)["none"].tokens_sent))
            await press(pilot, ".")
        assert [agent for agent, _ in seen] == list(agents) and screen.state.context.agent == agents[0]
        assert len({sent for _, sent in seen}) == len(agents)
        assert all(row.retained == 1 for row in rows_of(screen).values())


async def test_what_the_provider_reported_stands_beside_the_recorded_row(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "4")
        await choose(pilot, "recorded")
        row = rows_of(tune_screen(pilot))["recorded"]
        assert row.reported is not None
        assert row.cost == pytest.approx(row.reported.cost)
        panel = str(tune_screen(pilot).query_one(RowPanel).render())
        assert "as the provider reported" in panel and f"{row.reported.sent:,}" in panel
        assert "Read again: unknown, because no compaction" in " ".join(panel.split())


async def test_columns_that_do_not_fit_are_in_the_panel_and_come_into_the_table_when_they_sort_it(
    running: Opening,
) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(80, 24)) as pilot:
        await press(pilot, "4")
        await settled(pilot)
        screen = tune_screen(pilot)
        heads = screen.query_one(PresetHeads)
        while screen.state.table.stale or not screen.state.table.has_facts:
            await settled(pilot)
        result = screen.query_one(RowPanel).result
        assert "invented" not in str(heads.render()) and result is not None
        panel = " ".join(str(screen.query_one(RowPanel).render()).split())
        assert f"hidden (S): invented {result.state.invented}, revived {result.state.revived}" in panel
        screen.controller.sort_by("invented")
        await settled(pilot)
        assert "invented▾" in str(heads.render()) and "valid" not in str(heads.render())
        panel = " ".join(str(screen.query_one(RowPanel).render()).split())
        assert "hidden (S): valid" in panel
        place = str(heads.render()).index("invented")
        screen.post_message(PresetHeads.HeadClicked(heads.room.column_at(place)))
        await settled(pilot)
        assert screen.state.worst, "a click on the head of that column reverses the order"


async def test_a_hasty_row_carries_a_sign_and_says_why(running: Opening) -> None:
    save(Preset("hollow", 5_000, 0.3, 20, "mask_observations", {"keep": 0}))
    async with running(SAMPLES / "research.json") as pilot:
        await press(pilot, "4")
        await choose(pilot, "hollow")
        screen = tune_screen(pilot)
        assert rows_of(screen)["hollow"].haste
        rows = screen.query_one(RowList)
        line = "".join(text for text, _ in rows.spans(rows.cursor, 110))
        assert line.split()[:2] == ["»", "hollow"] and line.count("»") == 2
        panel = " ".join(str(screen.query_one(RowPanel).render()).split())
        assert "removed content right after it was read" in panel


async def test_enter_replays_the_row_also_one_that_was_turned(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "4")
        await choose(pilot, "aggressive")
        await press(pilot, "<", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, ReplayScreen) and screen.state.preset.threshold == 20_000
        assert screen.state.progress is not None and screen.state.progress.is_final
        sent = screen.state.progress.replay.tokens_sent
        await press(pilot, "4")
        assert rows_of(tune_screen(pilot))["aggressive"].tokens_sent == sent


async def test_a_sweep_fills_the_table_and_can_be_taken_out_or_stopped(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "4")
        await choose(pilot, "balanced")
        screen = tune_screen(pilot)
        await press(pilot, "*")
        ask = front(pilot, SweepDialog)
        ask.query_one(Input).value = "colour=red"
        await press(pilot, "enter")
        assert pilot.app.screen is ask and "colour" in str(ask.query_one("#outcome", Static).render())
        await press(pilot, "escape")
        assert not screen.state.has_sweep and len(screen.state.table.rows) == 8
        await press(pilot, "*")
        ask = front(pilot, SweepDialog)
        ask.query_one(Input).value = "threshold=20000,50000 keep_recent=5,30"
        await settled(pilot)
        assert str(ask.query_one("#outcome", Static).render()).startswith("4 rows, about")
        await press(pilot, "enter")
        swept = [entry for entry in screen.state.table.rows if entry.is_of_sweep]
        assert {entry.name for entry in swept} == {"20k keep 5", "20k keep 30", "50k keep 5", "50k keep 30"}
        assert not screen.state.has_sweep and screen.state.busy is None
        assert all(entry.result == worked_out(screen.state.context.setup, entry.preset) for entry in swept)
        assert len(screen.query_one(Pareto).points) == 12
        await press(pilot, "D")
        assert len(screen.state.table.rows) == 8
        await stop_a_sweep(pilot, screen)


async def stop_a_sweep(pilot: Pilot[None], screen: Tune) -> None:
    """By escape; what it came to stays."""
    grid = tuple(PRESETS["balanced"].with_value("threshold", 10_000 + 500 * n) for n in range(400))
    screen.controller.start_sweep(grid)
    await pilot.press("escape")
    assert not screen.state.has_sweep and pilot.app.screen is screen
    await settled(pilot)
    assert len([entry for entry in screen.state.table.rows if entry.is_of_sweep]) < len(grid)
    await press(pilot, "escape")
    assert isinstance(pilot.app.screen, Inspect)


async def test_a_row_is_exported_as_it_stands_now_and_kept_as_a_preset(
    running: Opening, write: Writer, tmp_path: Path
) -> None:
    theirs, path = tmp_path / "theirs.sh", tmp_path / "out.toml"
    theirs.write_text("theirs")
    async with running(write("scans.json", chat(**LARGE_SESSION_BYTES))) as pilot:
        await press(pilot, "4")
        await choose(pilot, "balanced")
        await press(pilot, "+", "e")
        export = front(pilot, ExportPreset)
        assert "41000" in export.text
        targets = str(export.query_one("#provider", Static).content)
        assert all(name in targets for name in TARGETS) and TARGETS[export.framework].about in targets
        export.query_one(Input).value = str(theirs)
        await press(pilot, "enter")
        assert theirs.read_text(encoding="utf-8") == "theirs"
        await press(pilot, "ctrl+r")
        assert "MEMORY_" in theirs.read_text(encoding="utf-8")
        assert pilot.app.screen is tune_screen(pilot)
        await press(pilot, "e")
        export = front(pilot, ExportPreset)
        await press(pilot, "tab", "tab")
        assert export.framework == "toml"
        export.query_one(Input).value = str(path)
        await press(pilot, "enter")
        (table,) = tomllib.loads(path.read_text(encoding="utf-8")).values()
        assert table["threshold"] == 41_000
        assert pilot.app.screen is tune_screen(pilot)
        await press(pilot, "u", "<", "w", Word("tight"), "enter")
        assert load()["tight"].threshold == 30_000
        assert "tight" in rows_of(tune_screen(pilot))


async def test_a_small_session_is_told_to_need_no_preset(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "4")
        screen = tune_screen(pilot)
        assert screen.state.table.verdict.best is None
        assert "Leave it uncompressed: it peaks" in str(screen.query_one("#verdict", Static).render())


# settings and points by themselves


def test_a_knob_of_a_preset_is_where_its_policy_has_it() -> None:
    preset = PRESETS["conservative"].with_value("threshold", 50_000)
    scale = Scale(200_000, 5_000)
    trial = trial_of(preset, scale)
    assert trial.settings["target"] == 25_000 and trial.settings["keep_recent"] == 30 and trial.threshold == 50_000
    moved = preset.with_value("tools", False)
    assert moved.settings == {"tools": False} and moved.values()["tools"] is False
    other = moved.with_value("strategy", "sliding_window")
    assert other.settings == {} and other.keep_recent == 30
    assert value_of(other, trial.knobs[0], scale) == 30
    net = preset.with_value("threshold", Net(30_000))
    assert trial_of(net, scale).settings["target"] == 17_500 and trial_of(net, scale).threshold == 35_000


def test_names_of_a_grid_are_short_and_may_name_a_preset() -> None:
    assert short_name("threshold=20000 keep_recent=5 ratio=0.1") == "20k keep 5 ratio 0.1"
    assert short_name("selective threshold=7500") == "selective 7.5k"


def test_points_lie_by_tokens_and_share_and_the_front_is_a_stair() -> None:
    cheap, dear = Point("cheap", 500, 0.5, front=True), Point("dear", 1000, 1.0, front=True)
    plane = Plane((cheap, dear, Point("worse", 1000, 0.6)), 21, 11)
    assert plane.cell(dear) == (20, 0) and plane.cell(cheap)[0] == 10 and plane.cell(cheap)[1] > 5
    low = plane.cell(cheap)[1]
    assert plane.line[15, low] == "─" and plane.line[20, 3] == "│" and plane.line[20, low] == "╯"


@pytest.mark.parametrize(
    ("tokens", "fewest"), [((500, 1000), 0), ((61_400, 69_100), 59_000), ((7, 7), 0), ((0, 0), 0), ((998, 1001), 998)]
)
def test_the_plane_begins_near_points_that_lie_far_from_nothing(tokens: tuple[int, int], fewest: int) -> None:
    points = tuple(Point(str(number), number, 0.5 + number % 2 / 10) for number in tokens)
    plane = Plane(points, 40, 10)
    assert plane.fewest == fewest
    assert all(0 <= column < 40 and 0 <= row < 10 for column, row in map(plane.cell, points))


async def test_rows_that_come_to_the_same_are_said_and_not_drawn(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "4")
        drawn = pilot.app.screen.query_one(Pareto).render().plain
        assert "keep 100% of the facts" in drawn and "better" not in drawn
        await press(pilot, "down", "t", Word("2000"), "enter")
        assert "better" in pilot.app.screen.query_one(Pareto).render().plain


def test_names_stand_where_nothing_else_does() -> None:
    points = tuple(Point(f"p{n}", 900 + n, 0.9, front=not n) for n in range(6))
    plane = Plane(points, 30, 5)
    spots = {plane.cell(point) for point in points}
    taken: set[tuple[int, int]] = set()
    for (left, row), point in plane.names("p3", spots):
        cells = {(left + step, row) for step in range(len(point.name))}
        assert not cells & spots and not cells & taken and left >= 0 and left + len(point.name) <= 30
        taken |= cells
    assert taken


# pictures

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=["80x24", "120x40", "200x50"])


@sizes
def test_the_presets_of_a_session(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, "4", "+")
        screen = tune_screen(pilot)
        assert screen.state.table.verdict.best is not None and not screen.state.table.stale
        assert screen.current is not None and screen.current.is_changed

    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=before)


async def test_a_tiny_terminal_shows_the_verdict_and_the_rows(running: Opening) -> None:
    async with running(SAMPLES / "research.json", size=(40, 12)) as pilot:
        await press(pilot, "4", "S", "+", "tab", "*", "escape", "enter")
        assert isinstance(pilot.app.screen, ReplayScreen)
        await press(pilot, "4")
        assert tune_screen(pilot).query_one(RowList).size.height >= 3
