"""Asking a model under presets: the column in Tune and Compare, its interval, and the model's own variation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from inspector.analysis.asking import AskedReply, SameSteps, is_same_step
from inspector.engine.summaries import AnswerCall
from inspector.ui.dialogs.steps_dialog import StepsList, StepsScreen
from inspector.ui.screens.compare.screen import CompareScreen
from inspector.ui.screens.tune import Tune
from tests.cli.loopback_models import calls, model, set_model
from tests.driving import Opening, Writer, press, settled, until
from tests.engine.summaries.endpoint import Endpoint, drips, serving


def chat() -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "The key of the mill is KEY-1111. Count the rows."}]
    for number in range(14):
        messages.append({"role": "assistant", "content": f"Noted row {number}."})
        messages.append({"role": "user", "content": f"Row {number} " + "and so on " * 900})
    messages.append({"role": "assistant", "content": "The key of the mill is KEY-1111."})
    return {"model": "gpt-4o", "messages": messages}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A model whose step follows from the number of messages that it is given."""
    with serving(model(lambda messages: calls("open", path=f"/{len(messages)}"))) as endpoint:
        set_model(monkeypatch, endpoint.url)
        yield endpoint


def asking(pilot: Pilot[None]) -> StepsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, StepsScreen)
    return screen


def consent(screen: StepsScreen) -> str:
    return " ".join(str(screen.query_one("#consent", Static).render()).split())


def table(screen: Tune) -> dict[str, str]:
    return {row.name: screen.rows.render_line(line).text for line, row in enumerate(screen.rows.table.rows)}


async def test_shares_are_a_column_of_tune_and_of_compare(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    async with running(write("s.json", chat()), size=(120, 40)) as pilot:
        await press(pilot, "4")
        tune = pilot.app.screen
        assert isinstance(tune, Tune)
        await press(pilot, "@", "-", ">", ">", ">", ">")
        screen = asking(pilot)
        assert "4 turns under" in consent(screen) and "calls to gpt-4o at 127.0.0.1" in consent(screen)
        assert "The limit is $10" in consent(screen) and endpoint.requests == []
        await press(pilot, "y")
        steps = {row.name: row for row in screen.query_one(StepsList).rows}
        assert (steps["the model itself"].same, steps["the model itself"].asked) == (4, 4)
        assert any(row.same < 4 for row in steps.values()) and all(row.asked == 4 for row in steps.values())
        asked = len(endpoint.requests)
        await press(pilot, "escape")
        assert "same step" in str(tune.query_one("#row-columns", Static).render())
        rows = table(tune)
        assert "4/4 .51–1.00" in rows["none"] and f"{steps['balanced'].same}/4" in rows["balanced"]
        assert "the model agrees with itself in 4 of 4 turns" in str(tune.query_one("#verdict", Static).render())
        tune.controller.sort_by("same step")
        await settled(pilot)
        shares = [row.steps.share for row in tune.state.table.rows if row.steps and row.steps.share is not None]
        assert shares == sorted(shares, reverse=True)
        place = next(line for line, row in enumerate(tune.rows.table.rows) if row.name == "balanced")
        tune.rows.cursor = place
        await press(pilot, "+")
        assert "–" in table(tune)["balanced*"] and "/4" not in table(tune)["balanced*"], (
            "it was asked before the change"
        )
        await press(pilot, "u", "@", "-", "y", "escape")
        assert len(endpoint.requests) == asked, "kept replies are not paid again"
        tune.rows.cursor = next(line for line, row in enumerate(tune.rows.table.rows) if row.name == "aggressive")
        await press(pilot, "v", "@", "-")
        assert "1 preset" in consent(asking(pilot))
        await press(pilot, "y", "escape")
        compare = pilot.app.screen
        assert isinstance(compare, CompareScreen)
        totals = str(compare.query_one("#totals", Static).render())
        assert "same step" in totals and f"{steps['aggressive'].same}/" in totals


async def test_esc_stops_and_what_has_come_is_counted(running: Opening, write: Writer, endpoint: Endpoint) -> None:
    once = model(lambda _: calls("open", path="/a"))
    endpoint.then(once, once, drips())
    async with running(write("s.json", chat()), size=(80, 24)) as pilot:
        await press(pilot, "4", "@", ">", ">", ">", ">")
        screen = asking(pilot)
        await pilot.press("y")
        await until(pilot, lambda: screen.controller.state.count >= 2)
        await press(pilot, "escape")
        assert asking(pilot) is screen and not screen.controller.state.is_asking
        assert "Stopped." in consent(screen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Tune)


async def test_without_a_model_the_variables_are_named(
    running: Opening, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("INSPECTOR_MODEL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    async with running(write("s.json", chat())) as pilot:
        await press(pilot, "4", "@", "y")
        assert "No model is set up: set INSPECTOR_MODEL" in consent(asking(pilot))


def test_the_share_of_a_model_that_varies_by_itself_is_its_expected_value() -> None:

    rng = random.Random(4)
    errs = [rng.random() < 0.3 for _ in range(200)]
    replies = [AskedReply(calls=(AnswerCall("open", f'{{"path": "/{"b" if err else "a"}"}}'),)) for err in errs]
    base = AskedReply(calls=(AnswerCall("open", '{"path": "/a"}'),))
    row = SameSteps("p", sum(is_same_step(base.step, reply.step) for reply in replies), len(replies))
    assert row.same == 200 - sum(errs) and row.low < 0.7 < row.high
