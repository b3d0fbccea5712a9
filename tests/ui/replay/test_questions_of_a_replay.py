"""The questions for going on in Replay, driven by keys."""

from __future__ import annotations

from textual.widgets import Static

from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.screens.replay.screen import ReplayScreen
from tests.driving import SAMPLES, Opening, Writer, chat, press


async def test_a_question_of_a_compression_opens_to_its_evidence_and_to_the_message_with_its_answer(
    running: Opening,
) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "3")
        screen = pilot.app.screen_stack[0]
        assert isinstance(screen, ReplayScreen)
        asked = screen.state.questions[screen.state.questions_before]
        assert asked.turn <= screen.state.turn
        await press(pilot, "x")
        dialog = pilot.app.screen
        assert isinstance(dialog, QuestionsScreen)
        rows = dialog.query_one(LossList)
        assert rows.count >= len(asked.probes)  # and a heading for each group
        row = rows.state_row
        assert row is not None and any(row.text == probe.answer for probe in asked.probes)
        detail = str(dialog.query_one("#question-detail", Static).render())
        assert row.text[:20] in detail
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader) and reader.message.id == row.message
        await press(pilot, "escape", "x")
        assert pilot.app.screen is screen


async def test_without_a_compression_the_list_says_so(running: Opening, write: Writer) -> None:
    async with running(write("short.json", chat(steps=2, words=5))) as pilot:
        await press(pilot, "3", "x")
        dialog = pilot.app.screen
        assert isinstance(dialog, QuestionsScreen) and not dialog.query_one(LossList).count
        assert "No questions" in dialog.query_one(LossList).empty
        await press(pilot, "enter", "escape")
        assert isinstance(pilot.app.screen, ReplayScreen)
