"""Compare, driven by keys: two presets or two sessions, where they part, and what one has that the other lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from inspector.analysis.experiments.trials import USUAL, TrialResult, run_trial as worked_out
from inspector.analysis.replay.frames import ReplayCancelled
from inspector.analysis.replay.replay_comparison import comparison_at
from inspector.analysis.replay.run import RECORDED, window_at
from inspector.analysis.replay.state_counts import StateKept
from inspector.core.text.sanitize import CONTROL
from inspector.core.work_pool import Stop
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.command_palette import actions
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.preset_columns import cell
from inspector.ui.screens.compare.comparison import ComparisonView, Report, SidePair, throttle
from inspector.ui.screens.compare.differences import FACT, MESSAGE, OWN, DifferenceItem, TurnDifferences
from inspector.ui.screens.compare.panels import FULL, HALF, LaneList, is_better, item_counts
from inspector.ui.screens.compare.screen import CompareScreen
from inspector.ui.screens.replay.frame_window import FrameWindow
from inspector.ui.screens.sessions import SessionList, Sessions
from inspector.ui.screens.tune import Tune
from inspector.ui.screens.tune.panels import RowList
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.workers.jobs import Busy
from tests.driving import SAMPLES, Opening, Writer, chat, press, settled
from tests.ui.test_pictures import PRICES


def compare_screen(pilot: Pilot[Any]) -> CompareScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CompareScreen)
    return screen


def view_of(screen: CompareScreen) -> ComparisonView:
    assert screen.state.view is not None
    return screen.state.view


def first_turn(screen: CompareScreen) -> int:
    first = view_of(screen).comparison.first
    assert first is not None
    return first.turn


def differences_of(screen: CompareScreen) -> TurnDifferences:
    assert screen.state.differences is not None
    return screen.state.differences


def told(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


async def choose(pilot: Pilot[Any], name: str) -> None:
    """Put the cursor of Tune on a row."""
    rows = pilot.app.screen.query_one(RowList)
    rows.in_hand = True
    rows.cursor = next(n for n, entry in enumerate(rows.table.rows) if entry.preset.name == name)
    await settled(pilot)


async def compared(pilot: Pilot[Any], one: str = "conservative", other: str = "balanced") -> CompareScreen:
    """From the session that was opened to two of its presets side by side."""
    await press(pilot, "4")
    await choose(pilot, one)
    await press(pilot, "m")
    await choose(pilot, other)
    await press(pilot, "v")
    await stood(pilot)
    return compare_screen(pilot)


async def stood(pilot: Pilot[Any]) -> None:
    """Wait until it is told what is kept and lost at the turn: where that takes long, it is begun a moment later."""
    screen = compare_screen(pilot)
    while not (at := screen.state.differences) or (at.view, at.turn) != (screen.state.view, screen.state.turn):
        await pilot.pause()
    await settled(pilot)


def shown(screen: CompareScreen, id: str) -> str:
    return str(screen.query_one(f"#{id}", Static).render())


async def test_two_presets_of_a_long_session(running: Opening) -> None:
    """One comparison, walked through: the others would replay the same presets again."""
    async with running(SAMPLES / "research.json") as pilot:
        screen = await compared(pilot)
        see_where_they_part(screen)
        see_the_totals(screen, pilot.app.screen_stack[0])
        see_the_bars(screen)
        await open_each_lane(pilot, screen)
        await open_a_fact(pilot, screen)
        await go_through_compactions(pilot, screen)
        await click_lanes(pilot, screen)


def see_where_they_part(screen: CompareScreen) -> None:
    view = view_of(screen)
    assert view.is_final and screen.state.busy is None
    assert [film.preset for film in view.replays] == [PRESETS["conservative"], PRESETS["balanced"]]
    first = view.comparison.first
    assert first is not None and screen.state.turn == first.turn == screen.query_one(LaneList).cursor + 1
    assert all(pair.same for pair in view.comparison.turns[: first.turn - 1])
    assert f"difference at turn {first.turn:,}" in shown(screen, "parting")
    assert "balanced compresses, conservative does not" in shown(screen, "parting")


def see_the_totals(screen: CompareScreen, tune: Screen[Any]) -> None:
    assert isinstance(tune, Tune)
    for row in view_of(screen).results(USUAL):
        assert row == worked_out(tune.state.context.setup, row.preset)
        assert f"{row.retained:.0%}" in shown(screen, "totals")


def see_the_bars(screen: CompareScreen) -> None:
    """They are to one scale, and lines as wide as the list."""
    lanes = screen.query_one(LaneList)
    width = lanes.scrollable_content_region.width
    lengths: list[tuple[int, int]] = []
    for line, pair in enumerate(view_of(screen).comparison.turns):
        text = "".join(run for run, _ in lanes.spans(line, width))
        assert cell_len(text) == width
        left, right = text[: width // 2], text[width // 2 :]
        for half, frame in ((left, pair.left), (right, pair.right)):
            assert frame is not None and f"≈{frame.total:,} " in half, "an estimate has its sign"
            lengths.append((frame.total, 2 * half.count(FULL) + half.count(HALF)))
        compactions = [view_of(screen).compaction(side, line + 1) for side in (0, 1)]
        assert [any(sign in half for sign in "◆◇") for half in (left, right)] == [
            each is not None for each in compactions
        ]
    lengths.sort()
    bars = [length for _, length in lengths]
    assert bars == sorted(bars) and len(set(bars)) > 10


async def open_each_lane(pilot: Pilot[Any], screen: CompareScreen) -> None:
    """Tab goes round, and enter opens the lane that it is on."""
    for side in (0, 1):
        turn, film = screen.state.turn, view_of(screen).replays[side]
        await press(pilot, "enter")
        window = pilot.app.screen
        assert isinstance(window, FrameWindow) and window.state.preview is not None
        meant = window_at(film.bench.session, film.bench.sizes, film.replay, turn)
        assert window.state.preview.after.ids == meant.ids
        await press(pilot, "escape")
        assert pilot.app.screen is screen and (screen.state.turn, screen.pane) == (turn, side)
        await press(pilot, "tab")
    await press(pilot, "tab", "tab")
    assert screen.pane == 0
    await press(pilot, "shift+tab")
    assert screen.pane == 3


async def click_lanes(pilot: Pilot[Any], screen: CompareScreen) -> None:
    """A click chooses the turn and the side."""
    lanes = screen.query_one(LaneList)
    await pilot.click(LaneList, offset=(lanes.size.width - 8, 2))
    await settled(pilot)
    assert screen.pane == 1 and screen.state.turn == lanes.cursor + 1 and screen.focused is lanes
    await pilot.click(LaneList, offset=(8, 4))
    await settled(pilot)
    assert screen.pane == 0


async def open_a_fact(pilot: Pilot[Any], screen: CompareScreen) -> None:
    """It opens the message that told it."""
    await press(pilot, "d")
    await stood(pilot)
    await press(pilot, "shift+tab", "down", "down")
    facts = screen.lists[0]
    item = facts.current
    assert item is not None and facts.cursor == 2 and item.text[:30] in shown(screen, "details")
    await press(pilot, "enter")
    reader = pilot.app.screen
    assert isinstance(reader, Reader) and reader.message.id == item.message
    assert item.text in " ".join(reader.message.text.split())
    await press(pilot, "escape")
    assert pilot.app.screen is screen and facts.cursor == 2 and screen.pane == 2
    await press(pilot, "tab", "tab")


async def go_through_compactions(pilot: Pilot[Any], screen: CompareScreen) -> None:
    """c goes from one to the next of either side, round the end; C goes back."""
    marks = sorted({compaction.turn for film in view_of(screen).replays for compaction in film.replay.compactions})
    await press(pilot, "home", "c")
    assert screen.state.turn == marks[0]
    await press(pilot, "end", "c")
    assert screen.state.turn == marks[0]
    await press(pilot, "C")
    assert screen.state.turn == marks[-1]


async def test_marks_say_which_two_rows_are_compared_and_escape_comes_back_to_the_row(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:

        async def compare(row: str, *keys: str) -> list[Preset]:
            """The presets that keys on a row bring side by side; the mark that they leave is taken off again."""
            await choose(pilot, row)
            await press(pilot, *keys)
            presets = [film.preset for film in view_of(compare_screen(pilot)).replays]
            await press(pilot, "end", "escape")
            tune = pilot.app.screen
            assert isinstance(tune, Tune) and tune.current is not None and tune.current.preset == PRESETS[row]
            if tune.state.mark >= 0:
                tune.controller.mark(next(entry for entry in tune.state.table.rows if entry.number == tune.state.mark))
            return presets

        await press(pilot, "4")
        await choose(pilot, "recorded")
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, Tune) and "Mark a row with m" in told(pilot)[-1]
        for keys in (("v",), ("m", "v"), ("m", "m", "v")):
            assert await compare("balanced", *keys) == [RECORDED, PRESETS["balanced"]]
        await choose(pilot, "balanced")
        await press(pilot, "m")
        assert await compare("aggressive", "m") == [PRESETS["balanced"], PRESETS["aggressive"]]


async def test_a_row_that_was_turned_is_told_apart_from_its_preset(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        await press(pilot, "4")
        await choose(pilot, "aggressive")
        await press(pilot, "<", "m")
        await choose(pilot, "balanced")
        await press(pilot, "v")
        view = compare_screen(pilot).state.view
        assert view is not None and view.names == ("aggressive*", "balanced")
        assert view.replays[0].preset.threshold == 20_000


async def test_keys_go_through_the_turns_and_what_is_kept_follows(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        screen = await compared(pilot)
        first, found = first_turn(screen), view_of(screen).comparison
        await press(pilot, "left")
        await stood(pilot)
        assert screen.state.turn == first - 1 and screen.state.differences is not None
        assert not any(differences_of(screen).items)
        await press(pilot, "home", "left")
        assert screen.state.turn == 1
        await press(pilot, "shift+right", "right")
        assert screen.state.turn == 12
        await press(pilot, "end", "right")
        assert screen.state.turn == view_of(screen).count
        await press(pilot, "d")
        assert screen.state.turn == first
        for key in ("down", "c", "end"):
            await press(pilot, key)
            await stood(pilot)
            assert screen.state.differences is not None and differences_of(screen).turn == screen.state.turn
            standing = comparison_at(found, screen.state.turn)
            for side, items in zip(("left", "right"), differences_of(screen).items, strict=True):
                facts = {(item.label, item.text, item.message) for item in items if item.kind == FACT}
                assert facts == {(f.cls, f.text, f.message) for f in standing.facts if f.holder == side}
                assert sum(item.kind == MESSAGE for item in items) == sum(
                    p.fuller_side == side for p in standing.fate_differences
                )


async def test_escape_while_it_works_stops_the_work(running: Opening, write: Writer) -> None:
    begun, ended, tick = Event(), Event(), Event()

    def begin(on_progress: Report, stop: Stop) -> SidePair:
        on_progress(Busy("reading", 0.5))
        begun.set()
        while not stop():
            tick.wait(0.01)
        ended.set()
        raise ReplayCancelled

    async with running(write("scans.json", chat())) as pilot:
        below = pilot.app.screen
        screen = CompareScreen(begin, "inspect")
        await pilot.app.push_screen(screen)
        while not begun.is_set():
            await pilot.pause()
        await pilot.press("right", "enter", "tab", "d", "c", "W")
        assert pilot.app.screen is screen
        assert any(key.label == "stop" for key in screen.query_one(KeyBar).keys)
        await pilot.press("escape")
        await settled(pilot)
        assert pilot.app.screen is below and ended.is_set() and not told(pilot)


# two sessions


def parting_chats(write: Writer) -> tuple[Path, Path]:
    """Two chats that are the same until one opens another box."""
    one, other = chat(12), chat(12)
    one["messages"][1]["content"] = other["messages"][1]["content"] = "Sort the scans."
    other["messages"][11]["content"] = "No box 4 today."
    return write("one.json", one), write("other.json", other)


async def marked_and_compared(pilot: Pilot[None]) -> None:
    sessions = pilot.app.screen.query_one(SessionList)
    files = {Path(entry.path).name: Path(entry.path).resolve() for entry in sessions.entries}
    for name in ("one.json", "other.json"):
        sessions.go_to(files[name])
        await press(pilot, "v")


async def test_two_sessions_first_differ_where_one_says_something_else(running: Opening, write: Writer) -> None:
    one, other = parting_chats(write)
    async with running(one, other) as pilot:
        await marked_and_compared(pilot)
        screen = compare_screen(pilot)
        assert view_of(screen).comparison.first is not None
        assert [half.bench.session.path for half in view_of(screen).sides] == [str(one), str(other)]
        assert all(film.preset == RECORDED for film in view_of(screen).replays)
        assert screen.state.turn == first_turn(screen) == 6
        assert view_of(screen).names[0] != view_of(screen).names[1]
        await stood(pilot)
        assert screen.state.differences is not None
        own = [[item.text for item in items if item.kind == OWN] for items in differences_of(screen).items]
        assert len(own[0]) == len(own[1]) == 1 and "No box 4 today." in own[1][0]
        await press(pilot, "tab", "tab", "tab", "end", "enter")
        assert isinstance(pilot.app.screen, Reader) and "No box 4 today." in pilot.app.screen.message.text
        await press(pilot, "escape", "1")
        assert isinstance(pilot.app.screen, Sessions), "the tab that is lit leads back to its own screen"
        assert pilot.app.screen.query_one(SessionList).current is not None


async def test_turns_of_two_sessions_stand_next_to_each_other_by_their_actions(running: Opening, write: Writer) -> None:
    one, other = chat(12), chat(12)
    one["messages"][1]["content"] = other["messages"][1]["content"] = "Sort the scans."
    del other["messages"][4:8]
    async with running(write("one.json", one), write("other.json", other), size=(120, 40)) as pilot:
        await marked_and_compared(pilot)
        screen = compare_screen(pilot)
        lanes, rows = screen.query_one(LaneList), view_of(screen).rows
        assert [row.turns for row in rows[:4]] == [(1, 1), (2, None), (3, None), (4, 2)]
        lines = ["".join(run for run, _ in lanes.spans(line, 118)) for line in range(lanes.count)]
        assert all(cell_len(line) == 118 for line in lines)
        assert rows[0].actions[0] in lines[0][:59] and rows[0].actions[1] in lines[0][59:]
        assert lines[1][59:].split() == ["·"]
        assert screen.state.turn == view_of(screen).first_row == 2
        assert "turns 2 | –" in str(screen.head.render())
        await press(pilot, "tab", "enter")
        assert "has no such turn" in told(pilot)[-1]
        await press(pilot, "right", "right", "enter")
        window = pilot.app.screen
        assert isinstance(window, FrameWindow) and window.state.turn == 2


async def test_names_of_sessions_are_whole_where_there_is_room(running: Opening, write: Writer) -> None:
    request = chat(3)
    request["messages"][1]["content"] = title = "Count the boxes on the upper shelf by colour."
    async with running(write("one.json", request), write("other.json", chat(4)), size=(160, 50)) as pilot:
        await marked_and_compared(pilot)
        screen = compare_screen(pilot)
        for name in ("totals", "name-left"):
            assert title in str(screen.query_one(f"#{name}", Static).content)


async def test_a_recording_does_not_differ_from_its_copy(running: Opening, write: Writer, tmp_path: Path) -> None:
    write("one.json", chat(5))
    write("other.json", chat(5))
    async with running(tmp_path / "one.json", tmp_path / "other.json") as pilot:
        await marked_and_compared(pilot)
        screen = compare_screen(pilot)
        assert view_of(screen).comparison.first is None
        assert "No difference" in shown(screen, "parting") and screen.state.turn == view_of(screen).count
        await press(pilot, "d", "c", "enter", "escape", "tab", "tab", "enter")
        assert pilot.app.screen is screen


async def test_a_session_is_marked_before_another_is_compared(running: Opening, write: Writer) -> None:
    async with running(*parting_chats(write)) as pilot:
        sessions = pilot.app.screen.query_one(SessionList)
        await press(pilot, "v")
        assert sessions.mark and "Marked. Choose another session" in told(pilot)[-1]
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, Sessions) and not sessions.mark


async def test_a_session_that_has_gone_is_told_and_left_again(running: Opening, write: Writer) -> None:
    one, other = parting_chats(write)
    async with running(one, other) as pilot:
        one.unlink()
        await marked_and_compared(pilot)
        screen = compare_screen(pilot)
        assert screen.state.view is None and screen.state.busy is None and "one.json" in screen.state.failure
        assert "one.json" in shown(screen, "parting")
        await press(pilot, "right", "enter", "escape")
        assert isinstance(pilot.app.screen, Sessions)


async def test_hostile_words_are_harmless_here_too(running: Opening, write: Writer) -> None:
    evil = "\x1b]0;owned\x07 must never [red]\u202e be run\x9b31m"
    one, other = chat(8), chat(9)
    for number, request in enumerate((one, other)):
        request["messages"][1]["content"] = f"{evil} {number}"
        request["messages"][3]["content"] = f"{evil} result {number}"
    async with running(write("one.json", one), write("other.json", other)) as pilot:
        await marked_and_compared(pilot)
        screen = compare_screen(pilot)
        await press(pilot, "tab", "tab", "down")
        texts = [str(static.render()) for static in screen.query(Static)]
        texts += [str(run) for kept in screen.lists for n in range(kept.count) for run, _ in kept.spans(n, 60)]
        assert any("owned" in text for text in texts)
        assert not any(CONTROL.search(text.replace("\n", "")) for text in texts)


async def test_the_palette_offers_to_mark_and_to_compare(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        for key, words in (("1", "Compare the session"), ("4", "Compare the row")):
            await press(pilot, key)
            offers = {text: action for _, text, action in actions(pilot.app.screen)}
            assert [action for name, action in offers.items() if name.startswith(words)] == ["screen.compare"]
        assert "screen.mark" in offers.values()
        await choose(pilot, "balanced")
        await pilot.app.run_action("screen.compare", pilot.app.screen)
        await settled(pilot)
        assert compare_screen(pilot).state.view is not None


async def test_no_key_does_harm_on_a_tiny_terminal(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(40, 12)) as pilot:
        screen = await compared(pilot, "recorded", "aggressive")
        lanes = screen.query_one(LaneList)
        for size in ((40, 12), (20, 6), (58, 40)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert lanes.size.height >= 2
            for key in (
                "right",
                "c",
                "tab",
                "d",
                "end",
                "tab",
                "down",
                "pagedown",
                "f",
                "tab",
                "home",
                "shift+tab",
                "?",
            ):
                await press(pilot, key)
                if pilot.app.screen is not screen:
                    await press(pilot, "escape")
        assert pilot.app.screen is screen and not [note for note in told(pilot) if "Error" in note]


def test_what_there_is_is_counted_in_as_many_words_as_fit() -> None:
    items = [DifferenceItem(kind, "path", "", "", 1, "lost") for kind in (FACT, FACT, MESSAGE, OWN, OWN)]
    assert item_counts(items, 60) == "2 facts, 1 message, 2 new messages"
    assert item_counts(items, 20) == "2 facts, 1 message"
    assert item_counts(items, 3) == "2 facts"
    assert item_counts([], 60) == "nothing"


def test_progress_is_told_now_and_then_and_what_is_new_at_once() -> None:
    heard: list[str] = []
    times = iter(range(100))
    on_progress = throttle(lambda busy: heard.append(busy.what), lambda: next(times) / 10)
    for what in ("replaying", "replaying", "replaying", "replaying", "comparing"):
        on_progress(Busy(what))
    assert heard[0] == "replaying" and heard[-1] == "comparing" and 2 < len(heard) < 5


# pictures

Picture = Callable[..., bool]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=["80x24", "120x40", "200x50"])


@pytest.fixture
def prices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, encoding="utf-8")
    monkeypatch.setattr("inspector.llm.models.overrides.own_path", lambda: path)


@sizes
@pytest.mark.usefixtures("prices")
def test_two_presets_side_by_side(snap_compare: Picture, library: Library, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        screen = await compared(pilot)
        assert view_of(screen).comparison.first is not None
        assert screen.state.turn == first_turn(screen) and screen.state.differences is not None

    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=before)


async def test_the_questions_and_statements_of_a_side_open_from_here(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        screen = await compared(pilot, "aggressive", "none")
        while not view_of(screen).is_final:
            await stood(pilot)
        questions = view_of(screen).replays[0].replay.questions
        assert questions and not view_of(screen).replays[1].replay.questions
        await press(pilot, "x")
        dialog = pilot.app.screen
        assert isinstance(dialog, QuestionsScreen) and dialog.all_asked == questions
        await press(pilot, "escape", "tab", "x")
        other = pilot.app.screen
        assert isinstance(other, QuestionsScreen) and "No questions" in other.empty
        await press(pilot, "escape")
        assert pilot.app.screen is screen


def test_the_better_value_of_a_column_about_the_state_is_green() -> None:
    row = TrialResult(PRESETS["balanced"], 9, 1, 9, 9, 1.0, 1.0, 0.5, state=StateKept(4, 3, 0, 1, 4, 3))
    worse = replace(row, state=StateKept(4, 2, 1, 2, 4, 1))
    for column in ("state kept", "going on", "revived", "invented"):
        verdicts = (is_better(column, row, worse), is_better(column, worse, row), is_better(column, row, row))
        assert verdicts == (True, False, None), column
    assert is_better("valid", row, worse) is None


async def test_columns_that_do_not_fit_are_told_where_the_sides_differ(running: Opening) -> None:
    async with running(SAMPLES / "research.json", size=(80, 24)) as pilot:
        screen = await compared(pilot, "aggressive", "balanced")
        while not view_of(screen).is_final:
            await stood(pilot)
        totals = screen.query_one("#totals", Static)
        *_, last = str(totals.render()).splitlines()
        rows = view_of(screen).results(USUAL)
        assert last.startswith(" hidden: ") and "invented" not in last, "both are 0"
        texts = [cell("going on", row, True)[0] for row in rows]
        assert texts[0] != texts[1] and f"going on {texts[0]} | {texts[1]}" in last
        assert totals.size.height == 4
