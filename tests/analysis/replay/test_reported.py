"""What a recording reports of its own calls stands beside what is worked out, and nothing is made up."""

from __future__ import annotations

import pytest

from inspector.analysis.replay.run import ReportedUsage, reported_calls
from inspector.cli.text.policies_text import reported_text
from inspector.core.conversation import Message, Session, Usage
from inspector.llm.models.prices import Price
from inspector.llm.providers import message_from_raw

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
    assert found == ReportedUsage(2, 0, 4_000, 30, 1_300, 100, 0, 3_000, found.parts)


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
