"""What a recording reports of its own calls stands beside what is worked out, and nothing is made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.replay.reported_usage import ReportedUsage, reported_calls
from inspector.analysis.replay.run import NONE, RECORDED, replay
from inspector.cli.text.policies_text import price_text, reported_text
from inspector.core.conversation import Message, Session, Usage
from inspector.llm.models import Price, price_of, session_cost, session_price
from inspector.llm.providers import message_from_raw
from tests.generated import sized

PRICE = Price(3.0, 15.0, 0.3, 3.75, "a model of these tests", "user")


def reply(position: int, usage: Usage | None, agent: str = "main") -> Message:
    raw = {"role": "assistant", "content": "ok"}
    return message_from_raw(f"m{position}", raw, "openai", parent=position - 1, usage=usage, agent=agent)


def recorded(*messages: Message) -> Session:
    return Session("s", "A session", "openai", messages, "some-model")


def test_calls_are_added_up_and_billed_at_the_price_of_the_rows() -> None:
    session = recorded(reply(0, Usage(1_000, 10, 400, 100)), reply(1, Usage(3_000, 20, 900, 0)))
    found = reported_calls(session, PRICE)
    assert found is not None
    assert found.cost == pytest.approx(0.009015)
    assert found == ReportedUsage(2, 0, 4_000, 30, 1_300, 100, 0, 3_000, found.parts, {"some-model": found.cost})


def test_calls_without_usage_are_counted_apart() -> None:
    found = reported_calls(recorded(reply(0, Usage(500, 5)), reply(1, None)), PRICE)
    assert found is not None
    assert (found.calls, found.unreported, found.sent) == (1, 1, 500)
    (text,) = reported_text(found)
    assert "as reported: 1 of 2 calls, 500 tokens sent, 5 received" in text


def test_other_agents_calls_are_not_this_ones() -> None:
    session = recorded(reply(0, Usage(500, 5)), reply(1, Usage(9_000, 9), agent="helper"))
    assert [reported_calls(session, PRICE, agent).sent for agent in ("main", "helper")] == [500, 9_000]  # type: ignore[union-attr]  # there is usage


def test_nothing_is_said_where_nothing_was_reported() -> None:
    assert reported_calls(recorded(reply(0, None)), PRICE) is None
    assert reported_calls(recorded(), PRICE) is None


def test_each_call_has_the_price_of_its_own_model() -> None:
    usage = Usage(1_000_000, 9)
    messages = [reply(place, replace(usage, input=usage.input + place)) for place in range(3)]
    models = ["gpt-4o-mini-2024-07-18", "gpt-4o", "banana-7"]
    session = recorded(*(replace(message, model=model) for message, model in zip(messages, models, strict=True)))
    price = session_price(replace(session, model="gpt-4o"))
    found = reported_calls(session, price)
    assert found is not None
    assert [found.by_model[model] for model in models] == pytest.approx([0.15, 2.5, 0.55], rel=1e-3)
    assert found.cost == pytest.approx(session_cost(session).cost.total) == pytest.approx(sum(found.by_model.values()))
    assert "No price is known for banana-7" in price_text(price)
    simulated = replay(session, sized(session), NONE, price)
    assert simulated.cost < replay(session, sized(session), NONE, price_of("gpt-4o")).cost
    assert replay(session, sized(session), RECORDED, price).cost == pytest.approx(found.cost, rel=1e-3)
