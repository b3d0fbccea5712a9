"""The line under the bars: whether a provider would take the window, in its own words, and what a call costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from inspector.core.conversation import Usage
from inspector.core.text import dollars
from inspector.library import TAKEN
from inspector.library.bench.cost import calls_until, money_of
from inspector.ui.dialogs.problems_dialog import ProblemsScreen
from inspector.ui.widgets.knob_panel import KnobPanel
from inspector.ui.widgets.status_line import StatusLine
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Opening, Word, Writer, chat, inspect_screen, press, settled
from tests.formats.written import write_lines


def status(pilot: Pilot[None]) -> str:
    return inspect_screen(pilot).query_one(StatusLine).render().plain


def orphaned() -> dict[str, Any]:
    """A request whose first result has lost its call."""
    request = chat()
    del request["messages"][2]
    return request


async def test_the_badge_quotes_the_provider_as_far_as_there_is_room(running: Opening, write: Writer) -> None:
    async with running(write("torn.json", orphaned()), size=(160, 50)) as pilot:
        assert "✗ Invalid parameter: messages with role 'tool' must be" in status(pilot)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert "✗ Invalid parameter: messages" in status(pilot) and "…" in status(pilot)
        await pilot.resize_terminal(50, 20)
        await settled(pilot)
        assert "✗ invalid (1)" in status(pilot)


async def test_what_a_provider_took_is_as_it_was_recorded_and_not_invalid(running: Opening, tmp_path: Path) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
    spent = {"input": 400, "output": 5, "cacheRead": 0, "cacheWrite": 0}
    records = [
        {"type": "session", "id": "s1", "cwd": "/tmp", "provider": "anthropic", "modelId": "claude-opus-4-5"},
        {"type": "message", "message": {"role": "user", "content": "Look."}},
        {"type": "message", "message": {"role": "assistant", "content": [call], "usage": spent}},
        {"type": "message", "message": {"role": "user", "content": "Well?"}},
        {"type": "message", "message": {"role": "assistant", "content": "Gone.", "usage": spent}},
        {"type": "message", "message": {"role": "user", "content": "And now?"}},
    ]
    async with running(write_lines(tmp_path / "pi.jsonl", records), size=(160, 50)) as pilot:
        assert "! as recorded, 1 problem" in status(pilot)
        await press(pilot, "!")
        await settled(pilot)
        text = " ".join(getattr(line, "text", "") for line in pilot.app.screen.query_one(TextView).lines)
        assert TAKEN in text and "would reject this request" not in text


async def test_a_window_that_a_strategy_has_mended_is_valid_again(running: Opening, write: Writer) -> None:
    async with running(write("torn.json", orphaned())) as pilot:
        await press(pilot, "s", "enter")
        assert "✓ valid" in status(pilot) and "✗" not in status(pilot)


async def test_the_window_is_held_against_another_providers_rules(running: Opening, write: Writer) -> None:
    request = chat()
    del request["messages"][1]
    async with running(write("reply-first.json", request)) as pilot:
        screen = inspect_screen(pilot)
        assert "✓ valid" in status(pilot)
        await press(pilot, "!")
        problems = pilot.app.screen
        assert isinstance(problems, ProblemsScreen) and problems.own == "openai"
        assert str(problems.provider) == "openai"
        assert "would accept this request" in str(problems.query_one(TextView).lines[0])
        await press(pilot, "tab", "tab")
        assert str(problems.provider) == str(screen.state.provider) == "anthropic"
        text = "\n".join(map(str, problems.query_one(TextView).lines))
        assert 'first message must use the "user" role' in text
        await press(pilot, "escape")
        assert "✗ Anthropic: messages: first message" in status(pilot)
        await press(pilot, "!", "tab", "escape")
        assert screen.state.provider is None and "✓ valid" in status(pilot) and "OpenAI" not in status(pilot)


async def test_a_valid_window_says_for_whom_when_it_is_not_its_own_provider(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "!", "tab", "escape")
        assert "✓ valid for OpenAI Responses" in status(pilot)


async def test_what_a_call_costs_stands_under_the_bars_and_follows_the_knob(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(200))) as pilot:
        screen = inspect_screen(pilot)
        assert screen.state.preview is not None and screen.state.money is not None
        assert screen.state.money.now == dollars(screen.state.preview.before.total * 2.5 / 1_000_000)
        assert f"{screen.state.money.now} a call" in status(pilot)
        await press(pilot, "s", Word("deletion"), "enter")
        first = screen.state.money.then
        assert first and f"→ {first} a call" in status(pilot)
        await press(pilot, *[">"] * 5)
        assert screen.state.money.preview is screen.state.preview and screen.state.money.then != first
        panel = screen.query_one("#knobs", KnobPanel).render().plain
        assert "breaks even" in panel


async def test_a_model_without_a_price_is_told_to_have_the_default_one(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat() | {"model": "house-model-9"})) as pilot:
        await press(pilot, "s", Word("deletion"), "enter")
        panel = " ".join(inspect_screen(pilot).query_one("#knobs", KnobPanel).render().plain.split())
        assert "by a default price: no price is known for house-model-9" in panel


async def test_a_summary_by_a_model_costs_something_and_pays_back_later(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        await press(pilot, "s", Word("sliding_window"), "enter")
        preview = inspect_screen(pilot).state.preview
        assert preview is not None
        free, foreseen = money_of(preview), money_of(preview, "gpt-4o")
        paid = money_of(preview, "gpt-4o", [Usage(200_000, 2_000)])
        assert "the summary cost $0.52" in paid.lines
        assert free.writing == "" and free.lines == foreseen.lines and not any("cost" in line for line in free.lines)
        assert float(foreseen.writing.removeprefix("$")) > 0.4


def test_dollars_and_waiting_times_are_short() -> None:
    assert [dollars(each) for each in (0, 1.234, 0.5, 0.0832, 0.00123, 0.00004)] == [
        "$0.00",
        "$1.23",
        "$0.50",
        "$0.083",
        "$0.001",
        "$0.00004",
    ]
    assert [calls_until(each) for each in (None, 0, 0.2, 1, 21.4)] == [
        "never",
        "immediately",
        "in 1 call",
        "in 1 call",
        "in 21 calls",
    ]
