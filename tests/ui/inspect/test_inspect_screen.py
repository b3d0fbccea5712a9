"""Inspect, driven by keys: what a person sees is asserted on the state behind it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.formats import file_loading
from inspector.library import Library, Preview
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.export_dialog import ExportScreen
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.inspect.inspect_state import InspectState
from inspector.ui.screens.sessions import Sessions
from inspector.ui.widgets.detail import Detail
from inspector.ui.widgets.knob_panel import KnobPanel
from inspector.ui.widgets.lines import Span
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.widgets.text_view import TextView
from tests.benchmarks.big_log import write_log
from tests.driving import Opening, Writer, chat, inspect_screen, press, settled


async def test_a_file_opens_as_it_now_stands_and_turns_move_the_window_to_what_was_sent_then(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        assert screen.state.preview is not None
        assert screen.controller.turn == screen.state.bench.turns() + 1 == 22
        assert len(screen.query_one(MessageList).rows) == 44
        assert screen.query_one(MessageList).current is screen.state.preview.before.messages[-1]
        assert screen.state.preview.valid
        assert not screen.state.bench.sizes.is_partial
        assert screen.busy is None
        await press(pilot, "home")
        assert [message.role for message in screen.state.preview.before.messages] == ["system", "user"]
        await press(pilot, "right")
        assert len(screen.state.preview.before.messages) == 4
        await press(pilot, "left", "left")
        assert screen.controller.turn == 1
        await press(pilot, "end", "right")
        assert screen.controller.turn == 22


async def test_what_is_tried_is_folded_compared_turned_and_left_again(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "x")
        assert pilot.app.screen is screen, "there is no difference yet"
        await press(pilot, "s", "enter")
        messages = screen.query_one(MessageList)
        folded = [row for row in messages.rows if row.is_folded]
        assert len(folded) == 1 and messages.rows[messages.cursor] == folded[0]
        await press(pilot, "enter")
        assert not any(row.is_folded for row in messages.rows)
        assert len(messages.rows) == 44
        assert messages.current_index == folded[0].start
        await look_at_the_diff(pilot)
        await press(pilot, "tab", "+")
        assert screen.state.trial is not None and screen.state.trial.settings["ratio"] == 0.35
        await press(pilot, "escape")
        assert screen.state.trial is None and screen.state.preview is not None and screen.state.preview.plan is None
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Sessions)
        await press(pilot, "2")
        assert inspect_screen(pilot) is screen


async def look_at_the_diff(pilot: Pilot[None]) -> None:
    """It shows what leaves, and turns side by side."""
    await press(pilot, "x", "d")
    diff = pilot.app.screen
    assert isinstance(diff, DiffScreen)
    text = "\n".join(map(str, diff.query_one(TextView).lines))
    assert "into summary 1" in text and "+ " in text
    await press(pilot, "tab")
    assert diff.side_by_side
    assert not any("╱" in str(line) for line in diff.query_one(TextView).lines)
    rows = [line for line in diff.query_one(TextView).lines if isinstance(line, tuple)]
    summary = next(left for (left, _), _, (right, _) in rows if right.startswith("+"))
    assert summary.startswith("−"), "the summary does not stand beside the first message that it replaced"
    assert all("│" in str(line) or "unchanged" in str(line) for line in diff.query_one(TextView).lines)
    await press(pilot, "escape", "escape")
    assert isinstance(pilot.app.screen, Inspect)


async def test_a_strategy_is_tried_on_and_the_knob_moves_everything(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        first = screen.state.preview
        assert first is not None and first.plan is not None and first.plan.strategy == "sliding_window"
        assert first.savings > 0 and first.valid
        await press(pilot, "+", "+")
        second = screen.state.preview
        assert second is not None and second.plan is not None
        assert second.plan.settings["keep_recent"] == first.plan.settings["keep_recent"] + 2
        assert second.after.total > first.after.total
        content = screen.query_one(MessageList).content
        assert content is not None and content.preview is second
        assert all(panel.preview is second for panel in screen.query(KnobPanel))


async def test_a_knob_that_was_turned_and_changed_nothing_says_so(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        panel = inspect_screen(pilot).query_one("#knobs", KnobPanel)
        await press(pilot, "s", "enter", "+")
        assert not panel.is_idle, "one message more stays"
        inspect_screen(pilot).action_try("clear_tool_uses")
        await settled(pilot)
        assert not panel.is_idle, "another strategy is no turn of a knob"
        await press(pilot, "+")
        assert panel.is_idle, "a thousand tokens were there before"
        line = inspect_screen(pilot).query_one("#knob-line", KnobPanel)
        assert line.trial and "as before: " in line.trying_line(line.trial).plain
        await press(pilot, "tab", "+")
        assert not panel.is_idle


async def test_apply_keeps_the_plan_and_undo_restores_the_very_same_window(
    running: Opening, write: Writer, library: Library
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        assert screen.state.preview is not None
        recorded = screen.state.preview.before
        await press(pilot, "s", "enter", "a")
        assert screen.state.trial is None
        assert screen.state.preview.before.total < recorded.total
        assert library.store is not None
        assert [plan.strategy for plan in library.store.plans(screen.state.bench.store_id, "main")] == [
            "sliding_window"
        ]
        await press(pilot, "u")
        assert screen.state.preview.before.messages == recorded.messages
        assert screen.state.preview.before.total == recorded.total
        assert library.store.plans(screen.state.bench.store_id, "main") == []


async def test_applied_plans_are_there_on_the_next_visit(running: Opening, write: Writer) -> None:
    path = write("scans.json", chat())
    async with running(path) as pilot:
        await press(pilot, "s", "enter", "a")
        preview = inspect_screen(pilot).state.preview
        assert preview is not None
        total = preview.after.total
    async with running(path) as pilot:
        again = inspect_screen(pilot).state.preview
        assert again is not None and again.after.total == total and len(again.applied) == 1


async def test_pinning_holds_a_message_against_every_strategy(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        messages = screen.query_one(MessageList)
        messages.cursor = 6
        pinned = messages.current
        assert pinned is not None
        await press(pilot, "p", "s", "enter", "<", "<")
        assert screen.state.preview is not None and screen.state.preview.plan is not None
        assert screen.state.preview.plan.by_id[pinned.id].kind == "pinned"
        assert pinned in screen.state.preview.after.messages


async def test_dropping_a_call_by_hand_takes_its_result_along(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        screen.query_one(MessageList).cursor = 2
        await press(pilot, "D")
        assert screen.state.preview is not None
        assert len(screen.state.preview.before.messages) == 42
        assert screen.state.preview.valid


async def test_enter_reads_the_message_to_its_last_character(running: Opening, write: Writer) -> None:
    request = chat()
    request["messages"].append({"role": "user", "content": "line\n" * 3000 + "the very end"})
    async with running(write("scans.json", request)) as pilot:
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader)
        view = reader.query_one(TextView)
        assert len(view.lines) == 3001
        await press(pilot, "G")
        assert view.scroll_offset.y == view.max_scroll_y
        assert "the very end" in str(view.lines[-1])
        await press(pilot, "tab")
        assert any('"role": "user"' in str(line) for line in view.lines)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)


async def test_the_pane_shows_the_message_under_the_cursor_and_how_much_more_there_is(
    running: Opening, write: Writer
) -> None:
    request = chat()
    request["messages"].append({"role": "user", "content": "line\n" * 900})
    async with running(write("scans.json", request)) as pilot:
        detail = inspect_screen(pilot).query_one(Detail)
        assert detail.detail is not None and detail.detail.lines is not None
        assert len(detail.detail.lines) + detail.detail.more == 901
        await press(pilot, "up")
        assert detail.detail.message.preview.startswith("Which box")


async def test_kept_lines_of_the_list_look_like_newly_drawn_ones(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        messages = inspect_screen(pilot).query_one(MessageList)
        for key in ("left", "left", "up", "right", "d", "left", "u", "home", "right", "s", "enter", "escape", "left"):
            await press(pilot, key)
            kept = [messages.render_line(y).text for y in range(messages.size.height)]
            messages.strips.clear()
            assert kept == [messages.render_line(y).text for y in range(messages.size.height)]


async def test_going_back_a_turn_draws_few_lines_of_the_list(
    running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = list[int]()
    spans = MessageList.spans

    def note(messages: MessageList, line: int, width: int) -> Sequence[Span]:
        drawn.append(line)
        return spans(messages, line, width)

    monkeypatch.setattr(MessageList, "spans", note)
    async with running(write("scans.json", chat())) as pilot:
        messages = inspect_screen(pilot).query_one(MessageList)
        await press(pilot, "left")
        drawn.clear()
        await press(pilot, "left")
        assert 0 < len(set(drawn)) < messages.size.height / 2


async def test_export_writes_a_request_and_asks_before_it_replaces(
    running: Opening, write: Writer, tmp_path: Path
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "e")
        out = tmp_path / "out.json"
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        screen.query_one(Input).value = str(out)
        await press(pilot, "enter")
        written = json.loads(out.read_text(encoding="utf-8"))
        assert written["model"] == "gpt-4o" and len(written["messages"]) < 44
        await press(pilot, "e")
        out.write_text("mine")
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        screen.query_one(Input).value = str(out)
        await press(pilot, "enter")
        assert out.read_text(encoding="utf-8") == "mine"
        await press(pilot, "tab", "ctrl+r")
        assert "input" in json.loads(out.read_text(encoding="utf-8"))
        await press(pilot, "e")
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        screen.query_one(Input).value = str(out)
        await press(pilot, "tab", "tab", "enter", "ctrl+r")
        assert "max_tokens" in json.loads(out.read_text(encoding="utf-8"))


async def test_export_never_writes_over_the_recording(running: Opening, write: Writer) -> None:
    path = write("scans.json", chat())
    before = path.read_bytes()
    async with running(path) as pilot:
        await press(pilot, "e")
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        screen.query_one(Input).value = str(path.parent / "." / "scans.json")
        await press(pilot, "enter", "enter")
        assert pilot.app.screen is screen
    assert path.read_bytes() == before


async def test_export_to_an_impossible_place_says_so_and_stays_open(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "e")
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        screen.query_one(Input).value = "/nowhere/at/all.json"
        await press(pilot, "enter")
        assert pilot.app.screen is screen


async def test_every_key_does_no_harm_on_an_empty_session(running: Opening, write: Writer) -> None:
    async with running(write("none.json", {"model": "gpt-4o", "messages": []})) as pilot:
        for key in [
            "left",
            "right",
            "home",
            "end",
            "c",
            "C",
            "s",
            "enter",
            "+",
            "-",
            "tab",
            "a",
            "u",
            "x",
            "p",
            "d",
            "f",
            "e",
            "escape",
            "n",
            "up",
            "down",
            "pagedown",
            "G",
            "g",
            "?",
        ]:
            await pilot.press(key)
        await settled(pilot)
        assert pilot.app.is_running


async def test_keys_pressed_faster_than_plans_are_made_end_at_the_newest(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(120))) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        assert screen.state.trial is not None
        start = screen.state.trial.settings["keep_recent"]
        await pilot.press(*["+"] * 25)
        await settled(pilot)
        assert screen.state.preview is not None and screen.state.preview.plan is not None
        assert screen.state.preview.plan.settings["keep_recent"] == start + 25


async def test_a_file_that_cannot_be_read_is_told_in_a_sentence(running: Opening, tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("{ not json")
    async with running(path) as pilot:
        assert isinstance(pilot.app.screen, Sessions)
        told = [note.message for note in pilot.app._notifications]
        assert len(told) == 1 and "notes.json" in told[0]


async def test_resizing_keeps_the_message_and_the_trial(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter", "up")
        before = screen.query_one(MessageList).current
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert screen.query_one(MessageList).current is before
        assert screen.query_one("#side").display is False
        await pilot.resize_terminal(30, 10)
        await settled(pilot)
        await pilot.resize_terminal(160, 50)
        await settled(pilot)
        assert screen.state.trial is not None and screen.query_one("#side").display


async def test_a_long_log_shows_its_end_first_and_then_all_of_it(
    running: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_loading, "_LARGE_FILE_BYTES", 10_000)
    seen: list[int] = []
    shown = Inspect.show_preview

    def noted(self: Inspect, state: InspectState, preview: Preview) -> None:
        seen.append(self.state.bench.turns())
        shown(self, state, preview)

    monkeypatch.setattr(Inspect, "show_preview", noted)
    path = tmp_path / "long.jsonl"
    write_log(path, steps=400)
    async with running(path) as pilot:
        screen = inspect_screen(pilot)
        assert seen[0] < seen[-1] == 400
        assert screen.controller.turn == 401 and not screen.state.bench.partial
        messages = screen.query_one(MessageList)
        assert messages.current is not None and messages.current.id == screen.state.bench.session.messages[-1].id
