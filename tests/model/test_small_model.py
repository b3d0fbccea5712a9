"""The whole way to a model and back, against a real server. What the model writes is not judged, it is too small."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from inspector.engine.strategies import Services, draft_plan
from inspector.engine.summaries import SummaryCancelledError, SummaryError
from inspector.engine.summaries.model.flow import INSTEAD
from inspector.engine.summaries.model.model_settings import ModelSettings
from inspector.engine.summaries.model.summarizer import ModelSummariser
from inspector.engine.summaries.summary_sections import TITLE
from inspector.engine.window.plan import apply
from inspector.engine.window.window import problems
from tests.generated import LETTERS, Ask, Reply, Step, recorded, window_of, work

FILLER = "The table has columns for the order, the day, the price and the name of the customer. "
STEPS: list[Step] = [
    Ask("Count the orders of May in /srv/orders.csv. Never touch the archive. " + FILLER * 8),
    work(content="I look into the table.", result="id,total\n" + "17,240.50\n" * 40),
    Reply("There are three orders, and job-4711 made them. " + FILLER * 8),
    Ask("Thank you. And the refunds? " + FILLER * 4),
    Reply("There are none. " + FILLER * 4),
]
MESSAGES = recorded(STEPS).messages


def summariser(address: str, **fields: Any) -> ModelSummariser:
    own = {name: fields.pop(name) for name in ("cancel", "progress") if name in fields}
    settings = ModelSettings("smollm2", address, timeout=300, window=8_000)
    return replace(ModelSummariser(replace(settings, **fields)), **own)


def outcome(model: ModelSummariser, target: int = 250) -> str:
    """The summary, or the sentence that says why there is none."""
    try:
        return model(MESSAGES, target, LETTERS.count)
    except SummaryError as failure:
        return str(failure)


def test_a_summary_comes_or_a_sentence_that_says_why_not(address: str) -> None:
    told: list[tuple[int, int]] = []
    model = summariser(address, max_output=400, progress=lambda done, total: told.append((done, total)))
    text = outcome(model)
    print(text)
    assert text.startswith(TITLE) or text.endswith(INSTEAD)
    assert told
    assert model.totals.calls == 1
    assert model.totals.usage.output > 0
    assert model.totals.usage.input > 500


def test_a_whole_answer_comes_with_the_servers_own_count(address: str) -> None:
    model = summariser(address, max_output=12)
    assert outcome(model).endswith(f"was cut off at the maximum length; {INSTEAD}")
    assert model.totals.estimated == 0
    assert model.totals.usage.output == 12
    assert model.totals.usage.input > 500


def test_it_can_be_cancelled_and_asked_again(address: str) -> None:
    cancel = threading.Event()
    model = summariser(address, cancel=cancel, progress=lambda *_: cancel.set())
    with pytest.raises(SummaryCancelledError):
        model(MESSAGES, 250, LETTERS.count)
    assert model.totals.estimated == 1
    cancel.clear()
    assert "cut off" in outcome(summariser(address, max_output=3))


def test_a_request_too_long_for_the_model_is_told(address: str) -> None:
    long = recorded([Ask(f"Count them again, {number}. " + FILLER * 50) for number in range(40)]).messages
    with pytest.raises(SummaryError, match=r"^The conversation is too long for the model smollm2 at "):
        summariser(address, window=200_000)(long, 250, LETTERS.count)


def test_a_plan_is_valid_whatever_comes_of_it(address: str) -> None:
    window = window_of(*STEPS, Ask("Go on."), turn=4)
    plan = draft_plan(
        window, "sliding_window", {"keep_recent": 1}, Services(summarise=summariser(address, max_output=400))
    )
    after = apply(window, plan)
    assert problems(after) == ()
    assert after.total <= window.total
    assert bool(plan.summaries) != plan.note.endswith(INSTEAD)
    assert plan.alters or after.messages == window.messages
