"""A summary by a model: written only when asked for, stopped at any moment, and applied exactly as it was shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual.pilot import Pilot

from inspector.ui.dialogs.origin import SummaryReader
from inspector.ui.screens.inspect import Inspect
from inspector.ui.widgets.knob_panel import KnobPanel
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press, settled, until
from tests.engine.summaries.endpoint import Endpoint, answers, drips, fails, hangs, nobody, serving

WORDS = "[Summary of earlier conversation]\n\nGoal:\n- Sort the scans of 1968 into albums, said the model."


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving(answers(WORDS)) as endpoint:
        monkeypatch.setenv("INSPECTOR_MODEL", "little-model")
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-secret")
        yield endpoint


def told(pilot: Pilot[None]) -> str:
    return " ".join(note.message for note in pilot.app._notifications)


def panel(screen: Inspect) -> str:
    return " ".join(screen.query_one("#knobs", KnobPanel).render().plain.split())


def summary(screen: Inspect) -> str:
    assert screen.state.preview is not None and screen.state.preview.plan is not None
    return screen.state.preview.plan.summaries[0].text


async def test_the_models_summary_is_shown_and_exactly_that_is_applied(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        extractive = summary(screen)
        assert "M: let little-model write the summary" in panel(screen)
        assert endpoint.requests == []
        await press(pilot, "M")
        assert len(endpoint.requests) == 1
        assert "said the model" in summary(screen) and summary(screen) != extractive
        assert "✓ written by little-model 321 tokens read, 45 written" in panel(screen)
        assert screen.state.preview is not None and screen.state.preview.valid
        plan = screen.state.preview.plan
        await press(pilot, "up", "x", "escape", "a")
        assert screen.state.stack == (plan,)
        assert any("said the model" in message.text for message in screen.state.preview.before.messages)
        assert len(endpoint.requests) == 1


async def test_no_other_key_ever_asks_the_model(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "down", "up", "enter", "+", "-", ">", "tab", "+", "x", "escape", "o", "escape")
        await press(pilot, "left", "right", "a", "u", "s", Word("pipeline"), "enter", "t", "J", "escape")
        assert endpoint.requests == []


async def test_a_knob_that_moves_brings_the_extractive_summary_back(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter", "M")
        assert "said the model" in summary(screen)
        await press(pilot, "+")
        assert "said the model" not in summary(screen) and "written by" not in panel(screen)
        assert len(endpoint.requests) == 1


@pytest.mark.usefixtures("endpoint")
async def test_better_counts_do_not_take_the_models_summary_away(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter", "M")
        screen.controller.set_bench(screen.state.bench.with_sizes(screen.state.bench.sizes))
        await settled(pilot)
        assert "said the model" in summary(screen)


async def test_progress_is_seen_and_esc_stops_it_at_once(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    endpoint.then(drips())
    async with running(write("scans.json", chat()), size=(120, 40)) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        extractive = summary(screen)
        await pilot.press("M")
        await until(pilot, lambda: "little-model is writing esc: stop" in panel(screen) and "of about" in panel(screen))
        await pilot.press("M")
        assert "It is being written" in told(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert screen.state.request is None and screen.state.trial is not None
        assert summary(screen) == extractive and "Stopped" in told(pilot)
        assert endpoint.abandoned.wait(30)
        await press(pilot, "escape")
        assert screen.state.trial is None


async def test_a_knob_that_moves_meanwhile_stops_the_model(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    endpoint.then(hangs())
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter")
        await pilot.press("M")
        await until(pilot, lambda: bool(endpoint.requests))
        await pilot.press("+")
        await settled(pilot)
        assert "The model was stopped" in told(pilot) and inspect_screen(pilot).state.request is None
        assert "said the model" not in summary(inspect_screen(pilot))
        assert endpoint.abandoned.wait(30)


@pytest.mark.parametrize("status", [401, 404])
async def test_a_failure_is_one_sentence_and_the_extractive_summary_stays(
    running: Opening, write: Writer, endpoint: Endpoint, status: int
) -> None:
    endpoint.then(fails(status))
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        before = screen.state.preview
        await press(pilot, "M")
        assert screen.state.preview is before and screen.state.request is None
        assert f"({status}" in told(pilot) and "extractive" in told(pilot) and "secret" not in told(pilot)
        await press(pilot, "a")
        assert len(screen.state.stack) == 1


async def test_an_answer_that_is_no_summary_is_refused(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    endpoint.then(answers("", usage=False))
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        before = screen.state.preview
        await press(pilot, "M")
        assert screen.state.preview is before and "returned an empty answer" in told(pilot)


async def test_nobody_at_the_address_is_told(running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_MODEL", "little-model")
    monkeypatch.setenv("INSPECTOR_MODEL_TIMEOUT", "0.3")
    monkeypatch.setenv("OPENAI_BASE_URL", nobody())
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "M")
        assert "127.0.0.1" in told(pilot) and inspect_screen(pilot).state.request is None


async def test_without_a_model_the_key_says_how_to_set_one_up(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "M")
        assert "pick a strategy first" in told(pilot)
        await press(pilot, "s", "enter")
        assert "write the summary" not in panel(inspect_screen(pilot))
        await press(pilot, "M")
        assert "INSPECTOR_MODEL" in told(pilot) and "OPENAI_BASE_URL" in told(pilot)


async def test_settings_that_are_none_are_told(
    running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_MODEL", "little-model")
    monkeypatch.setenv("INSPECTOR_MODEL_TIMEOUT", "soon")
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "M")
        assert "INSPECTOR_MODEL_TIMEOUT must be a number" in told(pilot)


async def test_a_plan_without_a_summary_has_nothing_to_be_written(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("deletion"), "enter", "M")
        assert "no summary" in told(pilot) and endpoint.requests == []


@pytest.mark.usefixtures("endpoint")
async def test_the_written_summary_can_be_read_and_traced(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "M", "o")
        reader = pilot.app.screen
        assert isinstance(reader, SummaryReader) and "said the model" in reader.message.text


async def test_leaving_while_the_model_writes_ends_the_app(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    endpoint.then(drips())
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter")
        await pilot.press("M")
        await until(pilot, lambda: bool(endpoint.requests))
        await pilot.press("ctrl+q")
    assert endpoint.abandoned.wait(30)
