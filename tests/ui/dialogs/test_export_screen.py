"""The dialogs that write a file: what they replace, what they ask about, and what they never touch."""

from __future__ import annotations

import json
import os
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.formats import load
from inspector.library import EXPORTS_AND_HANDOFF, HANDOFF, Library, Workbench, exact_sizes, export_as
from inspector.store import Store
from inspector.ui.dialogs.export_dialog import ExportScreen
from inspector.ui.dialogs.write_dialog import WriteDialog
from tests.cli.calling import transcript
from tests.driving import SAMPLES, Opening, Writer, chat, inspect_screen, press, settled


async def answer(pilot: Pilot[None], path: Path | str, *keys: str) -> str:
    """What the dialog says when a file is named; nothing when it is gone."""
    screen = pilot.app.screen
    assert isinstance(screen, WriteDialog)
    screen.query_one(Input).value = str(path)
    await press(pilot, *(keys or ("enter",)))
    return str(screen.query_one("#outcome", Static).render()) if pilot.app.screen is screen else ""


async def test_a_file_of_somebody_else_is_replaced_by_a_key_of_its_own_and_not_by_enter(
    running: Opening, write: Writer, tmp_path: Path
) -> None:
    theirs, other = tmp_path / "theirs.json", tmp_path / "other.json"
    theirs.write_text("theirs")
    other.write_text("others")
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "e")
        assert "exists. ctrl+r: replace it." in await answer(pilot, theirs)
        assert "exists. ctrl+r: replace" in await answer(pilot, other)
        assert "exists. ctrl+r: replace" in await answer(pilot, theirs)
        assert "exists. ctrl+r: replace" in await answer(pilot, theirs, *["enter"] * 5)
        await answer(pilot, other, "ctrl+r")
        assert (theirs.read_text(), other.read_text()) == ("theirs", "others")
        assert await answer(pilot, theirs, "ctrl+r") == ""
        assert json.loads(theirs.read_text())["model"] == "gpt-4o"


async def test_what_was_written_here_is_written_again_at_once(running: Opening, write: Writer, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    async with running(write("scans.json", chat())) as pilot:
        for _ in range(2):
            await press(pilot, "e")
            assert await answer(pilot, out) == ""
        out.write_text("theirs")
        await press(pilot, "e")
        assert "exists. ctrl+r: replace" in await answer(pilot, out)
    if os.name != "nt":
        assert out.stat().st_mode & 0o777 == 0o600


async def test_the_notes_of_an_export_are_shown_and_its_companion_is_written(running: Opening, tmp_path: Path) -> None:
    log, out = tmp_path / "agent.jsonl", tmp_path / "out.json"
    log.write_text("".join(json.dumps(record) + "\n" for record in transcript()))
    async with running(log) as pilot:
        await press(pilot, "e")
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        text = str(screen.query_one("#provider", Static).render())
        assert all(name in text for name in EXPORTS_AND_HANDOFF) and " 1 messages" not in text
        screen.to = list(EXPORTS_AND_HANDOFF)[-1]
        await press(pilot, "tab")
        notes = str(pilot.app.screen.query_one("#notes", Static).render())
        assert "The request has no model, because claude-sonnet-4-20250514 is not a model of" in notes
        assert await answer(pilot, out) == ""
    beside = tmp_path / "out.inspector.json"
    assert json.loads(beside.read_text())["sizes"]["unrecorded"] > 10_000
    beside.write_text("theirs")
    async with running(log) as pilot:
        await press(pilot, "e")
        assert "out.inspector.json exists. ctrl+r: replace" in await answer(pilot, out)
    assert beside.read_text() == "theirs"


async def test_no_store_no_log_and_no_device_is_written_to_however_often_enter_is_pressed(
    running: Opening, write: Writer, library: Library, tmp_path: Path
) -> None:
    log, link, hard_link = tmp_path / "agent.jsonl", tmp_path / "link.json", tmp_path / "hard-link.json"
    log.write_text("".join(json.dumps(record) + "\n" for record in transcript()))
    link.symlink_to(library.path)
    os.link(library.path, hard_link)
    before = log.read_bytes()
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, ExportScreen)
        for out in (library.path, link, hard_link, log, Path("/dev/stdout")):
            said = await answer(pilot, out, "enter", "enter", "enter")
            assert "was not written: " in said and str(out.name) in said
    assert log.read_bytes() == before
    with Store(library.path) as store:
        assert len(store.sessions()) == 1


async def test_a_file_is_opened_and_counted_though_the_store_is_damaged(
    running: Opening, write: Writer, library: Library
) -> None:
    path = write("scans.json", chat())
    library.open(str(path)).push(library.open(str(path)).bench.hand_plan((), "pinned", None), "main")
    with library.required_store._connections.use() as connection:
        connection.execute("UPDATE session SET line = 'x'")
    async with running(path) as pilot:
        from tests.driving import inspect_screen

        screen = inspect_screen(pilot)
        assert screen.state.preview is not None and not screen.state.bench.sizes.is_partial
        told = [note.message for note in pilot.app._notifications]
        assert any("is damaged" in each and "inspector store check" in each for each in told)
        assert pilot.app.is_running


async def test_secrets_are_hidden_in_what_is_written_when_asked_for(
    running: Opening, write: Writer, tmp_path: Path
) -> None:
    secret, address = "sk-proj-" + "a1B2c3D4" * 6, "ida@westerhaven.example"
    told = chat(3)
    told["messages"][1]["content"] += f" The key is {secret}; write to {address}."
    shown, hidden = tmp_path / "shown.json", tmp_path / "hidden.json"
    async with running(write("scans.json", told)) as pilot:
        await press(pilot, "e", "ctrl+s")
        notes = str(pilot.app.screen.query_one("#notes", Static).render())
        assert "2 secrets redacted" in notes and secret not in notes
        assert await answer(pilot, hidden) == ""
        text = hidden.read_text()
        assert secret not in text and address not in text and "The key is" in text
        await press(pilot, "e", "ctrl+s", "ctrl+s")
        assert await answer(pilot, shown) == "" and secret in shown.read_text()


async def test_a_plan_that_is_tried_is_in_what_is_written_without_secrets(
    running: Opening, write: Writer, tmp_path: Path
) -> None:
    shown, hidden = tmp_path / "shown.json", tmp_path / "hidden.json"
    async with running(write("scans.json", chat(30))) as pilot:
        await pilot.app.run_action("try('sliding_window')", pilot.app.screen)
        await settled(pilot)
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and preview.savings > 0
        await press(pilot, "e")
        assert await answer(pilot, shown) == ""
        await press(pilot, "e", "ctrl+s")
        assert await answer(pilot, hidden) == ""
    assert json.loads(hidden.read_text())["messages"] == json.loads(shown.read_text())["messages"]


async def test_a_briefing_is_written_within_the_budget_that_the_keys_set(running: Opening, tmp_path: Path) -> None:
    log, out = SAMPLES / "coding-agent.jsonl", tmp_path / "briefing.md"
    async with running(log) as pilot:
        await press(pilot, "ctrl+end", "e")
        screen = pilot.app.screen
        assert isinstance(screen, ExportScreen)
        await press(pilot, "up")
        assert screen.budget == 2_400, "only briefings have a budget"
        screen.to = HANDOFF
        await press(pilot, "pagedown", "down", "down", "down")
        assert "at most 1,100 tokens" in str(screen.query_one("#provider", Static).render())
        assert "The briefing has" in str(screen.query_one("#notes", Static).render())
        assert screen.query_one(Input).value.endswith("-handoff.md")
        preview = screen.recorded
        await press(pilot, *["pagedown"] * 3)
        assert screen.budget == 100
        await press(pilot, "pageup")
        assert await answer(pilot, out) == ""
    session = load(log)[0]
    bench = Workbench(session, exact_sizes(session))
    expected = export_as(bench.preview(preview.recorded.turn), HANDOFF, budget=1_100)
    assert out.read_text() == expected.text and "turn" in expected.text
