"""Where a strategy scores messages, the scores and their parts are seen."""

from __future__ import annotations

import pytest

from inspector.ui.widgets.detail import Detail
from inspector.ui.widgets.message_list import MessageColumns, MessageList
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_each_line_has_its_score_and_the_columns_stay_under_their_heads(
    running: Opening, write: Writer, size: tuple[int, int]
) -> None:
    async with running(write("scans.json", chat()), size=size) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", Word("importance"), "enter", "space")
        messages = screen.query_one(MessageList)
        assert screen.state.preview is not None and screen.state.preview.plan is not None
        head = screen.query_one(MessageColumns).render().plain
        line = messages.render_line(messages.cursor - messages.scroll_offset.y).text
        score = screen.state.preview.plan.scores[messages.current.id] if messages.current else None
        assert score is not None
        place = head.index("score")
        assert line[place : place + 5] == f"{score.total:.2f}".rjust(5)
        said = messages.current.preview[:8] if messages.current else ""
        assert line.index(said) == head.index("content")
        await press(pilot, "escape")
        assert "score" not in screen.query_one(MessageColumns).render().plain


async def test_the_parts_of_a_score_are_named_beside_the_list(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat()), size=(160, 50)) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", Word("importance"), "enter", "space", "down")
        assert screen.state.preview is not None and screen.state.preview.plan is not None
        detail = screen.query_one(Detail)
        assert detail.detail is not None and detail.detail.score is not None
        text = detail.render().plain
        assert f"score {detail.detail.score.total:.2f}" in text
        for name, value in detail.detail.score.parts.items():
            assert name in text and f"{value:.2f}" in text


async def test_the_parts_add_up_and_no_other_strategy_shows_any(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", Word("deletion"), "enter")
        assert not screen.query_one(MessageList).scored
        assert screen.query_one(Detail).detail is not None and screen.query_one(Detail).detail.score is None  # type: ignore[union-attr]
