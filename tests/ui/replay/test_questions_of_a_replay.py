"""The questions for going on in Replay, driven by keys."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from inspector.analysis.replay import RECORDED, SummaryStatement, WorkQuestions
from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.screens.replay.screen import ReplayScreen
from tests.driving import SAMPLES, Opening, Writer, chat, press, settled
from tests.engine.work_state.scripts import INVENTING, session_of


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


async def test_an_invented_statement_opens_in_its_summary_and_leads_to_what_is_closest_in_the_log(
    running: Opening, tmp_path: Path
) -> None:
    path = Path(session_of(INVENTING, "claude-code", tmp_path).path)
    async with running(path) as pilot:
        await press(pilot, "3")
        screen = pilot.app.screen_stack[0]
        assert isinstance(screen, ReplayScreen)
        screen.controller.show_preset(RECORDED)
        await settled(pilot)
        await press(pilot, "x")
        dialog = pilot.app.screen
        assert isinstance(dialog, QuestionsScreen) and dialog.asked is not None
        rows = dialog.query_one(LossList)
        first = next(n for n, one in enumerate(rows.lines) if getattr(one, "fate", "") == "invented")
        assert first <= 2, "what is wrong comes before the questions"
        rows.cursor = first
        await settled(pilot)
        detail = str(dialog.query_one("#question-detail", Static).render())
        assert "invented: The user asked to drop the old exports." in detail
        assert "closest before: The exports of March are old" in detail
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader) and reader.message.kind == "summary"
        assert reader.number.isdigit() and reader.hits and "match 1 of 1" in reader.heading() + reader.ending()
        await press(pilot, "escape", "o")
        source = pilot.app.screen
        assert isinstance(source, Reader) and "The exports of March" in source.message.text and source.hits


async def test_a_summary_that_a_replay_wrote_opens_at_its_statement(running: Opening, tmp_path: Path) -> None:
    session = session_of(INVENTING, "claude-code", tmp_path)
    stated = (SummaryStatement(4, "invented", "Ask Ben first.", "", ""),)
    asked = [WorkQuestions(2, ()), WorkQuestions(4, (), stated, "Done.\nAsk Ben first.")]
    async with running(Path(session.path)) as pilot:
        dialog = QuestionsScreen(session, (), "")
        await pilot.app.push_screen(dialog)
        dialog.show_questions(asked, "")
        await settled(pilot)
        assert dialog.place == 1, "the compression that invents something comes first"
        dialog.query_one(LossList).cursor = 1
        await settled(pilot)
        assert "no sentence before it is close" in str(dialog.query_one("#question-detail", Static).render())
        await press(pilot, "o")
        assert pilot.app.screen is dialog, "nothing is close to it"
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader) and reader.message.text == asked[1].summary
        assert reader.number == "of turn 4" and reader.hits


async def test_without_a_compression_the_list_says_so(running: Opening, write: Writer) -> None:
    async with running(write("short.json", chat(steps=2, words=5))) as pilot:
        await press(pilot, "3", "x")
        dialog = pilot.app.screen
        assert isinstance(dialog, QuestionsScreen) and not dialog.query_one(LossList).count
        assert "No questions" in dialog.query_one(LossList).empty
        await press(pilot, "enter", "escape")
        assert isinstance(pilot.app.screen, ReplayScreen)
