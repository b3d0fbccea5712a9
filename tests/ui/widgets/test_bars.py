"""The bars: one scale whatever is applied, numbers that are never cut, and nothing told before it is counted."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.text import Text
from textual.pilot import Pilot
from textual.widget import Widget

from inspector.engine.window import SECTIONS
from inspector.library import Workbench
from inspector.llm import tokens
from inspector.ui.widgets.bars import COUNTING, SectionBars, WindowBars
from inspector.ui.widgets.scrubber import Scrubber
from inspector.ui.widgets.status_line import StatusLine
from tests.driving import SAMPLES, Opening, Word, inspect_screen, press, settled

NUMBER = re.compile(r"≈?\d[\d,]*")
SIZES = ((200, 50), (160, 50), (120, 40), (100, 30), (80, 24), (60, 20), (50, 20), (40, 20))


def plain(pilot: Pilot[None], kind: type[Widget]) -> str:
    """What a widget of Inspect draws, without its colours."""
    text = inspect_screen(pilot).query_one(kind).render()
    assert isinstance(text, Text)
    return text.plain


@pytest.mark.parametrize("sample", ["research.json", "three-agents.jsonl"])
async def test_every_number_is_whole_at_every_width(running: Opening, sample: str) -> None:
    async with running(SAMPLES / sample) as pilot:
        screen = inspect_screen(pilot)
        for keys in ((), ("s", "enter"), ("a",)):
            await press(pilot, *keys)
            preview = screen.state.preview
            assert preview is not None
            windows = (preview.recorded, preview.before, preview.after)
            sizes = {each.breakdown[section].tokens for each in windows for section in SECTIONS}
            totals = {each.total for each in windows}
            for size in SIZES:
                await pilot.resize_terminal(*size)
                await settled(pilot)
                for widget, known in ((SectionBars, sizes), (WindowBars, totals)):
                    text = plain(pilot, widget).split("\n")
                    lines = text if widget is SectionBars else text[:-1]
                    found = {int(n.strip("≈").replace(",", "")) for line in lines for n in NUMBER.findall(line)}
                    assert found and found <= known, (size, keys, lines)
                    assert all(len(line) <= screen.query_one(widget).size.width for line in text)


async def test_one_scale_before_a_plan_is_applied_and_after(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:

        def lines() -> dict[str, str]:
            return {line.split()[0]: line for line in plain(pilot, WindowBars).split("\n")}

        await press(pilot, "s", Word("sliding_window"), "enter")
        tried = lines()
        await press(pilot, "a")
        applied = lines()
        bar = slice(20, None)
        assert tried["now"][bar] == applied["recorded"][bar] and tried["then"][bar] == applied["now"][bar]
        assert "┃" in applied["recorded"] and "▲ 128k limit" in applied["0"] and "200k" in applied["0"]


async def test_no_trigger_is_drawn_where_nothing_would_compress(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        assert "trigger" not in plain(pilot, WindowBars) and plain(pilot, WindowBars).rstrip().endswith("200k")
        await press(pilot, "s", "enter")
        assert "trigger" in plain(pilot, WindowBars)


async def test_nothing_is_told_that_the_counts_may_change(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        screen = inspect_screen(pilot)
        bench = screen.state.bench
        rough = Workbench(bench.session, tokens.estimate_sizes(bench.session))
        preview = rough.preview(screen.state.turn)
        screen.state = replace(screen.state, opened=rough, preview=preview)
        await pilot.pause()
        text = "\n".join(plain(pilot, kind) for kind in (WindowBars, SectionBars, StatusLine))
        assert text.count(COUNTING) == 2 and not {"over", "✓", "✗", "%", "≈"} & set(text.split())
        assert f"{preview.before.total:,}" not in text
        assert plain(pilot, Scrubber).lstrip().startswith("…")
