"""From a summary to the messages that it stands for, and back, whatever lies between."""

from __future__ import annotations

import json

from textual.pilot import Pilot

from inspector.library.bench.provenance import origin, recorded_before, summary_of
from inspector.library.bench.workbench import Preview
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.origin import CoveredList, OriginScreen, SummaryReader
from inspector.ui.screens.inspect import Inspect
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.message_list import MessageList
from tests.driving import SAMPLES, Opening, Word, Writer, chat, inspect_screen, press


def preview(pilot: Pilot[None]) -> Preview:
    preview = inspect_screen(pilot).state.preview
    assert preview is not None
    return preview


def to_summary(pilot: Pilot[None]) -> None:
    """Put the cursor on the newest summary of the window."""
    kinds = [message.kind for message in preview(pilot).before.messages]
    inspect_screen(pilot).query_one(MessageList).cursor = len(kinds) - 1 - kinds[::-1].index("summary")


async def test_from_a_message_that_would_leave_to_its_summary_and_on_to_all_it_covers(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "enter", "down", "down", "o")
        reader = pilot.app.screen
        assert isinstance(reader, SummaryReader)
        plan = preview(pilot).plan
        assert plan is not None and reader.message is plan.summaries[0]
        here = inspect_screen(pilot).query_one(MessageList).current
        await press(pilot, "o")
        assert isinstance(pilot.app.screen, OriginScreen)
        covered = pilot.app.screen.query_one(CoveredList)
        assert covered.origin is not None
        assert tuple(message.id for message in covered.origin.messages) == plan.sources("summary 1")
        assert covered.current is here
        await press(pilot, "o")
        assert pilot.app.screen_stack[-1] is reader
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)


async def test_an_applied_summary_opens_to_messages_that_are_no_longer_in_the_window(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "a")
        to_summary(pilot)
        await press(pilot, "o")
        covered = pilot.app.screen.query_one(CoveredList)
        assert covered.origin is not None and covered.origin.plan is not None
        gone = preview(pilot).recorded.ids
        assert {message.id for message in covered.origin.messages} <= set(gone) - set(preview(pilot).before.ids)
        assert (
            covered.origin.total == preview(pilot).recorded.total - preview(pilot).before.total + covered.origin.tokens
        )
        await press(pilot, "down", "enter")
        assert isinstance(pilot.app.screen, Reader) and pilot.app.screen.message is covered.current
        await press(pilot, "escape", "o")
        assert isinstance(pilot.app.screen, SummaryReader)
        await press(pilot, "o")
        assert isinstance(pilot.app.screen, OriginScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)


async def test_a_summary_that_took_in_an_earlier_one_leads_down_to_the_first_messages(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "a")
        await press(pilot, "s", Word("sliding_window"), "enter", "t", *"4", "enter", "a")
        assert [plan.strategy for plan in inspect_screen(pilot).state.stack] == ["sliding_window"] * 2
        to_summary(pilot)
        await press(pilot, "o")
        covered = pilot.app.screen.query_one(CoveredList)
        assert covered.origin is not None and covered.origin.numbers[0] == "Σ"
        await press(pilot, "g", "o")
        below = pilot.app.screen.query_one(CoveredList)
        assert below.origin is not None and below.origin.summary is covered.origin.messages[0]
        assert "Σ" not in below.origin.numbers


async def test_a_recorded_summary_stands_for_the_context_before_it(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        session = inspect_screen(pilot).state.bench.session
        place = session.compactions[0]
        found = recorded_before(session, place)
        assert found and all(session.messages.index(message) < place for message in found)
        assert all(message.kind != "notice" for message in found)
        assert recorded_before(session, 0) == []
        await press(pilot, "home", "c")
        to_summary(pilot)
        await press(pilot, "o")
        covered = pilot.app.screen.query_one(CoveredList)
        assert covered.origin is not None and covered.origin.plan is None
        assert covered.origin.messages == tuple(found)
        third = "".join(text for text, _ in covered.spans(2, 100))
        assert "Bash" in third and "git " in third, "it tells requests for, and not how the result begins"


async def test_where_there_is_no_summary_the_key_names_the_editor(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        bar = inspect_screen(pilot).query_one(KeyBar)
        assert "o" not in [key.key for key in bar.keys]
        await press(pilot, "o")
        assert pilot.app.screen is inspect_screen(pilot)
        assert any("No summary replaced this message. O:" in note.message for note in pilot.app._notifications)
        await press(pilot, "s", "enter")
        assert "o" in [key.key for key in bar.keys]


async def test_a_hostile_name_in_a_covered_message_reaches_the_screen_harmless(running: Opening, write: Writer) -> None:
    request = json.loads(json.dumps(chat()).replace("list_scans", "list\\u001b[31m\\u202escans"))
    async with running(write("scans.json", request), size=(80, 24)) as pilot:
        await press(pilot, "s", "enter", "a")
        to_summary(pilot)
        await press(pilot, "o")
        covered = pilot.app.screen.query_one(CoveredList)
        drawn = "".join(covered.render_line(line).text for line in range(10))
        assert "\x1b" not in drawn and "\u202e" not in drawn and "list␛[31m" in drawn


async def test_summaries_are_found_by_the_newest_plan_that_names_a_message(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "a")
        now = preview(pilot)
        plan = now.applied[0]
        covered = plan.sources("summary 1")
        assert all(summary_of(now.plans, each) is plan.summaries[0] for each in covered)
        assert summary_of(now.plans, now.before.ids[-1]) is None
        assert origin(now, plan.summaries[0]).numbers[0] == "3"
