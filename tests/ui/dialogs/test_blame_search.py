"""The search for the messages that a reply depends on, in the sources of a reply: consent, progress, result, cancel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from inspector.ui.dialogs.blame_rows import CulpritLine
from inspector.ui.dialogs.sources_dialog import SourceList, SourcesScreen
from inspector.ui.widgets.key_bar import KeyBar
from tests.cli.loopback_models import calls, model, set_model, text_in
from tests.driving import Opening, Word, Writer, inspect_screen, press, settled, until
from tests.engine.summaries.endpoint import Endpoint, drips, fails, serving

RULE = "In all seasons, the miller prefers mornings."
REPLY = "The cart leaves at six. Ask ann@example.org."


def chat(*extra: str) -> dict[str, Any]:
    page = "\n\n".join([*(f"The granary has {number} doors." for number in range(12)), "# Carts", RULE])
    texts = ["The ferry is blue.", page, *extra, "The mill is old."]
    turns = [{"role": role, "content": text} for text in texts for role in ("user", "assistant")]
    for turn in turns[1::2]:
        turn["content"] = "Noted."
    rest = [{"role": "user", "content": "When does it leave?"}, {"role": "assistant", "content": REPLY}]
    return {"model": "gpt-4o", "messages": [*turns, *rest]}


def leaves(messages: list[dict[str, Any]]) -> str:
    return REPLY if "prefers mornings" in text_in(messages) else "The cart leaves at noon."


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving(model(leaves)) as endpoint:
        set_model(monkeypatch, endpoint.url)
        yield endpoint


def sources(pilot: Pilot[None]) -> SourcesScreen:
    screen = pilot.app.screen
    assert isinstance(screen, SourcesScreen)
    return screen


def words(screen: SourcesScreen, part: str = "consent") -> str:
    return " ".join(str(screen.query_one(f"#{part}", Static).render()).split())


def keys(screen: SourcesScreen) -> str:
    return str(screen.query_one(KeyBar).render())


def culprits(screen: SourcesScreen) -> list[str]:
    listed = screen.query_one(SourceList)
    lines = [number for number, row in enumerate(listed.rows) if isinstance(row, CulpritLine)]
    return [" ".join(listed.render_line(line).text.split()) for line in lines]


async def test_the_search_asks_for_consent_and_its_result_leads_to_the_message(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("s.json", chat()), size=(80, 24)) as pilot:
        await press(pilot, "A")
        screen = sources(pilot)
        assert not screen.query_one("#consent").display and "ask a model" in keys(screen) and "send" not in keys(screen)
        await press(pilot, "@")
        for part in ("Up to", "calls to gpt-4o at 127.0.0.1", "tokens", "$", "The limit is $0.50", "not redacted"):
            assert part in words(screen)
        assert "send" in keys(screen) and endpoint.requests == []
        plan = screen.state.plan
        await press(pilot, "y")
        result = screen.state.result
        assert plan is not None and plan.trials is not None
        assert result is not None and not result.problem and 4 < len(endpoint.requests) <= plan.trials.most_calls
        assert f"{len(endpoint.requests)} calls, $" in words(screen) and "contexts tried" in words(screen)
        assert culprits(screen)[0].startswith("enough #3 user:")
        assert culprits(screen)[1] == f"line 26: # Carts · {RULE}" or RULE in culprits(screen)[1]
        assert culprits(screen)[2].startswith("necessary #3 user:")
        assert "send" not in keys(screen), "the result of this search is shown"
        await press(pilot, "home", "enter")
        current = inspect_screen(pilot).messages.current
        assert current is not None and current.preview.startswith("The granary has 0 doors.")


@pytest.mark.usefixtures("endpoint")
async def test_two_messages_that_state_it_are_alternatives(running: Opening, write: Writer) -> None:
    async with running(write("s.json", chat(RULE))) as pilot:
        await press(pilot, "A", "@", "y")
        screen = sources(pilot)
        heads = [row.split("#")[0].strip() for row in culprits(screen) if "#" in row and "line" not in row]
        assert heads == ["enough", "or", "necessary", ""]
        assert len([row for row in culprits(screen) if "line" in row]) == 1
        listed = screen.query_one(SourceList)
        listed.cursor = len(culprits(screen)) - 1
        await settled(pilot)
        assert "none alone is necessary" in words(screen, "source-detail")


async def test_esc_stops_and_what_has_come_is_shown_and_not_paid_again(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    endpoint.then(*[model(leaves)] * 5, drips("on "))
    async with running(write("s.json", chat())) as pilot:
        await press(pilot, "A", "@")
        screen = sources(pilot)
        await pilot.press("y")
        await until(pilot, lambda: len(endpoint.requests) >= 6 and bool(screen.state.result))
        await until(pilot, lambda: screen.state.result is not None and screen.state.result.tests >= 5)
        assert screen.state.is_asking and "so far" in words(screen) and "stop" in keys(screen)
        await pilot.press("+")
        assert screen.state.question.samples == 1, "nothing changes while the model is asked"
        await press(pilot, "escape")
        assert sources(pilot) is screen and not screen.state.is_asking and "Stopped. " in words(screen)
        assert "send" in keys(screen)
        endpoint.then(model(leaves))
        before = len(endpoint.requests)
        await press(pilot, "y")
        assert screen.state.result is not None and screen.state.result.culprits is not None
        assert screen.state.result.tests > len(endpoint.requests) - before, "kept replies are not asked for again"
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, SourcesScreen)


async def test_a_failure_is_one_sentence_and_the_search_can_be_made_again(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    endpoint.then(model(leaves), fails(401, {"message": "no"}))
    async with running(write("s.json", chat())) as pilot:
        await press(pilot, "A", "@", "y")
        screen = sources(pilot)
        assert "did not accept the API key (401)" in words(screen) and "send" in keys(screen)
        assert culprits(screen) == []


async def test_an_expected_text_samples_secrets_and_the_limit_change_the_estimate(
    running: Opening, write: Writer, endpoint: Endpoint
) -> None:
    async with running(write("s.json", chat())) as pilot:
        await press(pilot, "A", "@", "+", ">", "ctrl+s", "t", Word("at noon"), "enter")
        screen = sources(pilot)
        assert "Expected in the reply: at noon" in words(screen) and "The limit is $1.00" in words(screen)
        assert "The text is redacted." in words(screen) and screen.state.question.samples == 3
        await press(pilot, "y")
        assert "the reply of the model is not the expected one" in words(screen)
        assert all("ann@" not in str(one.body) for one in endpoint.requests)
        await press(pilot, "t", *["backspace"] * 7, Word("!granite"), "enter", "-", "y")
        assert screen.state.question.expectation.avoid == "granite" and len(culprits(screen)) == 1
        assert "The reply is the same without any earlier message." in culprits(screen)[0]


async def test_without_a_model_the_variables_are_named_and_without_a_reply_nothing_is_asked(
    running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("INSPECTOR_MODEL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    async with running(write("s.json", chat())) as pilot:
        await press(pilot, "A", "y")
        assert "No model is set up: set INSPECTOR_MODEL" in words(sources(pilot))
        await press(pilot, "y")
        assert sources(pilot).state.result is None
    async with running(write("t.json", [{"role": "user", "content": "Hello."}])) as pilot:
        await press(pilot, "A", "@", "y", "+", "t")
        assert "This agent has no reply." in words(sources(pilot), "source-counts")
        assert "ask a model" not in keys(sources(pilot))


async def test_only_calls_can_be_compared_if_the_reply_has_some(running: Opening, write: Writer) -> None:
    log = chat()
    reading = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "carts.md"}'}}
    log["messages"][-1] = {"role": "assistant", "content": "I read it again.", "tool_calls": [reading]}

    def reads(messages: list[dict[str, Any]]) -> dict[str, Any]:
        return calls("read", path="carts.md" if "prefers mornings" in text_in(messages) else "index.md")

    with serving(model(reads)) as endpoint, pytest.MonkeyPatch.context() as patched:
        set_model(patched, endpoint.url)
        async with running(write("s.json", log)) as pilot:
            await press(pilot, "A", "@", "t", Word("at noon"), "enter", "space")
            screen = sources(pilot)
            assert "Only calls of tools are compared." in words(screen) and "at noon" not in words(screen)
            assert "whole reply" in keys(screen)
            await press(pilot, "y")
            assert culprits(screen)[0].startswith("enough #3 user:")
            await press(pilot, "space")
            assert "Only calls" not in words(screen) and "calls only" in keys(screen) and culprits(screen) == []


@pytest.mark.usefixtures("endpoint")
async def test_calls_of_a_reply_without_calls_are_not_compared(running: Opening, write: Writer) -> None:
    async with running(write("s.json", chat())) as pilot:
        await press(pilot, "A", "space", "@", "space")
        assert "Only calls" not in words(sources(pilot))
        assert str(list(pilot.app._notifications)[-1].message) == "This reply calls no tools."
