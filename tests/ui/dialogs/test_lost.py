"""What was dropped: of a recorded compaction and of a plan; who told it, who needed it, and the text to copy."""

from __future__ import annotations

from rich.cells import cell_len
from textual.widgets import Static

from inspector.analysis.context_loss import LossGroup
from inspector.engine.window import SizeChange
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.give_back import GiveBackHeading
from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.lost_dialog import LostScreen
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Opening, inspect_screen, press, settled


async def test_a_recorded_compaction_opens_on_what_it_lost(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "c", "x")
        screen = pilot.app.screen
        assert isinstance(screen, LostScreen) and screen.losses is not None
        assert screen.losses.turn == 26 and screen.losses.turns == (26, 27, 29, 35)
        losses = screen.query_one(LossList)
        assert losses.groups[0].cls is None and losses.groups[0].heading == "Needed later (5)"
        assert losses.groups[1].cls is None and losses.groups[1].heading == "Stated later, source unknown (10)"
        assert losses.current is not None and losses.current.cls == "path" and losses.current.needed
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader) and reader.places, "the lost path is not set apart"
        await press(pilot, "escape", "f")
        assert [group.cls for group in losses.groups] == ["constraint"] and not losses.has_needs
        assert "#58, turn 13" in str(screen.query_one("#loss-detail", Static).render())
        first = "".join(text for text, _ in losses.spans(1, 80))
        assert cell_len(first) >= 79 and first.rstrip().endswith("#58"), "no empty column takes room from the text"
        await press(pilot, "y")
        await settled(pilot)
        assert pilot.app.clipboard.startswith("From Inspector: facts recorded before a compaction")
        await press(pilot, "d")
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen) and diff.query_one(TextView).count > 100
        assert "153,703 → 15,956 tokens" in diff.heading(), "the same numbers as one key before"
        await press(pilot, "escape", "f", "f", "f")
        assert losses.current.cls == "path" and losses.current.needed
        await press(pilot, "r")
        assert inspect_screen(pilot).state.turn == losses.current.needed[0].turn + 1


async def test_facts_that_say_little_are_folded_under_their_number(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "c", "x")
        losses = pilot.app.screen.query_one(LossList)
        folded = [line for line in losses.lines if isinstance(line, LossGroup) and line.title in losses.folded]
        assert {group.cls for group in folded} >= {"number", "date"}
        before = losses.count
        losses.cursor = losses.lines.index(folded[0])
        await press(pilot, "space")
        assert losses.count == before + len(folded[0].losses) and losses.current is None
        await press(pilot, "down")
        assert losses.current == folded[0].losses[0]
        await press(pilot, "space")
        assert losses.count == before and losses.lines[losses.cursor] == folded[0]
        await press(pilot, "enter")
        assert losses.count == before + len(folded[0].losses), "enter opens a heading too"


async def test_lines_are_taken_out_of_the_text_for_the_agent_and_into_it(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "c", "x")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, LostScreen) and screen.back is not None
        losses, whole = screen.query_one(LossList), screen.back.restored
        losses.cursor = next(at for at, line in enumerate(losses.lines) if isinstance(line, GiveBackHeading))
        before = losses.count
        await press(pilot, "space", "down")
        line = losses.back_line
        assert losses.count == before + len(whole.used) + len(whole.left) and line is not None and line.is_in
        assert "".join(text for text, _ in losses.spans(losses.cursor, 100)).rstrip().endswith(f"{line.cost:,}")
        await press(pilot, "space", "y")
        assert losses.back_line is not None and not losses.back_line.is_in
        left = screen.back.restored
        assert line.step.text in whole.text and line.step.text not in left.text
        assert 0 < whole.tokens - left.tokens <= line.cost + 12, "the cost of a line is what it saves, and its heading"
        assert pilot.app.clipboard == left.text.strip("\n")
        await press(pilot, "space")
        assert screen.back.restored == whole


async def test_wherever_one_stands_x_opens_the_last_compaction_before_and_else_the_first(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        for way in (), ("home",):
            await press(pilot, *way, "x")
            screen = pilot.app.screen
            assert isinstance(screen, LostScreen) and screen.losses is not None
            assert screen.losses.turn == 26 and screen.heading().startswith("compacted at turn 26")
            assert "153,703 → 15,956 tokens" in screen.heading(), "as the provider reported them"
            assert screen.losses.sizes == screen.sizes
            screen.query_one(LossList).action_go(-1)
            await pilot.resize_terminal(80, 24)
            await settled(pilot)
            assert "esc" in [key.key for key in screen.query_one(KeyBar).fitting()]
            await press(pilot, "escape")


async def test_a_plan_opens_on_what_it_would_lose(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "s", "enter", "x")
        screen = pilot.app.screen
        assert isinstance(screen, LostScreen) and screen.losses is not None
        preview = inspect_screen(pilot).state.preview
        assert preview is not None
        assert screen.losses.sizes == SizeChange(preview.recorded.size, preview.after.size) == screen.sizes
        await press(pilot, "escape")
        assert pilot.app.screen is inspect_screen(pilot)


async def test_one_key_compares_before_and_after_without_the_list_of_facts(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "c", "d")
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen) and "153,703 → 15,956 tokens" in diff.heading()
        await press(pilot, "d")
        assert pilot.app.screen is inspect_screen(pilot)
