"""What a compaction would lose now: the facts at risk, the turns that stated them, and the note to copy."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from textual.widgets import Static

from inspector.ui.dialogs.next_loss_dialog import NextLossScreen, RiskList
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Opening, inspect_screen, press, settled


async def test_the_facts_at_risk_lead_to_their_turns_and_give_a_note(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "X")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, NextLossScreen) and screen.following is not None
        risks = screen.query_one(RiskList)
        assert risks.count == len(screen.following.lines) and screen.following.counts["rule"] == 5
        blocks = [kind for kind, _ in groupby(row.kind for row in risks.rows)]
        assert blocks[:2] == ["state", "prompt"], "the request precedes the rules"
        assert len(blocks[2:]) == len({*blocks[2:]}), "each other kind is one block"
        await press(pilot, "y")
        assert pilot.app.clipboard == screen.following.note and "never push from this machine" in screen.following.note
        rule = next(number for number, row in enumerate(risks.rows) if row.kind == "rule" and row.turn == 31)
        risks.cursor = rule
        await settled(pilot)
        assert "never push" in str(screen.query_one("#risk-detail", Static).render())
        await press(pilot, "enter")
        inspect, session = inspect_screen(pilot), screen.session
        reply = session.messages[session.turns()[30]]
        assert inspect.messages.current is not None and inspect.messages.current.id == reply.id


async def test_an_earlier_turn_has_fewer_facts_at_risk(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "home", "X")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, NextLossScreen) and screen.following is not None
        assert screen.following.turn == 1 and "command" not in screen.following.counts
        assert "before turn 1" in str(screen.query(Static).first().render())


async def test_without_facts_it_says_so_and_offers_no_note(running: Opening, tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    path.write_text('[{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}]')
    async with running(path) as pilot:
        await press(pilot, "X")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, NextLossScreen)
        assert not screen.following or not screen.following.note
        assert "copy the note" not in str(screen.query_one(KeyBar).render())
        await press(pilot, "y", "escape")
        assert inspect_screen(pilot).state.preview is not None
