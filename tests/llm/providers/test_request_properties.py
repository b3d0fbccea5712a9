"""Whatever the messages are and however they are ordered, the provider takes the request made of them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Dialect, Message, ProviderName, Session
from inspector.llm.providers import PROVIDERS
from tests.drawn import raw_messages
from tests.generated import conversations
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

CHECKS = {"openai": check_openai, "openai-responses": check_responses, "anthropic": check_anthropic}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000, "tool_choice": {"type": "auto"}}


def test_there_is_an_exporter_for_every_provider() -> None:
    assert set(PROVIDERS) == set(CHECKS)


@pytest.mark.parametrize("to", CHECKS)
@given(session=conversations(), chance=st.randoms(use_true_random=False), share=st.sampled_from([0.4, 0.8, 1.0]))
def test_any_part_of_a_conversation_in_any_order_is_taken(
    to: ProviderName, session: Session, chance: random.Random, share: float
) -> None:
    messages = [message for message in session.messages if chance.random() < share]
    if chance.random() < 0.5:
        chance.shuffle(messages)
    assert CHECKS[to](PROVIDERS[to].request(session.context, messages)) == []


@pytest.mark.parametrize("to", CHECKS)
@given(messages=raw_messages(), own=st.sampled_from(["openai", "anthropic"]), asked=st.sampled_from([{}, THINKING]))
def test_messages_made_of_anything_are_taken(
    to: ProviderName, messages: list[Message], own: Dialect, asked: dict[str, Any]
) -> None:
    session = Session("s", "S", "test", tuple(messages), dialect=own, settings=asked)
    assert CHECKS[to](PROVIDERS[to].request(session.context, messages)) == []


@pytest.mark.parametrize("to", CHECKS)
@given(messages=raw_messages())
def test_an_export_changes_nothing_that_it_was_made_from(to: ProviderName, messages: list[Message]) -> None:
    before = [repr(message.raw) for message in messages]
    session = Session("s", "S", "test", tuple(messages))
    first = PROVIDERS[to].request(session.context, messages)
    assert PROVIDERS[to].request(session.context, messages) == first
    assert [repr(message.raw) for message in messages] == before
