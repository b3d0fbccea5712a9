"""Keepers that are fed conversations, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.conversation import Message
from inspector.engine.compression.engine import CompressionEngine
from inspector.engine.compression.policy import Policy
from inspector.engine.strategies import Services
from inspector.llm.tokens.counting import count_message
from tests.generated import LETTERS, Ask, Reply, Step, recorded, sized

LONG = "We looked at /srv/data/orders.csv and found error code=4711. " * 6


def keeper_of(policy: Policy, *steps: Step, services: Services | None = None) -> CompressionEngine:
    """A keeper that has been fed a conversation written by hand, and has compressed nothing yet."""
    session = recorded(steps)
    keeper = CompressionEngine(policy, session.context, sized(session), services)
    feed(keeper, session.messages)
    return keeper


def feed(keeper: CompressionEngine, messages: Sequence[Message]) -> None:
    for message in messages:
        keeper.append(message, count_message(message, LETTERS))


def worked(times: int, text: str = LONG) -> list[Step]:
    return [step for _ in range(times) for step in (Ask(text), Reply(text))]
