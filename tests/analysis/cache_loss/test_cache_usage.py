"""Calls that the prompt cache did not serve: found from usage and times, with no cause that the file does not prove."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inspector.analysis.cache_loss import CacheLoss, cache_losses, describe_cache_losses
from inspector.core.conversation import InMemoryBody, Message, Session, Usage
from inspector.llm.models import Price
from inspector.llm.providers import text_message

PRICE = Price(3.0, 15.0, 0.3, 3.75, cache_write_1h=6.0)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIVE = {"cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 0}}


def talk(*calls: tuple[int, int, int], record: dict[str, Any] | None = None) -> list[Message]:
    """Return a question and a reply for each call: seconds of pause before it, tokens read and tokens written."""
    time, messages = NOON, list[Message]()
    for pause, read, written in calls:
        time += timedelta(seconds=pause)
        usage = Usage(read + written + 10, 5, read, written)
        for role in ("user", "assistant"):
            place = len(messages)
            facts: dict[str, Any] = {"parent": place - 1, "time": time.isoformat()}
            facts |= {"usage": usage, "model": "some-model"} if role == "assistant" else {}
            message = text_message(f"m{place}", "user" if role == "user" else "assistant", "Words.", "openai", **facts)
            messages.append(replace(message, body=InMemoryBody(message.raw, record or {})))
    return messages


def losses(messages: list[Message], price: Price = PRICE) -> tuple[CacheLoss, ...]:
    return cache_losses(Session("s", "A session", "test", tuple(messages), "some-model"), price)


def only(messages: list[Message]) -> CacheLoss:
    (loss,) = losses(messages)
    return loss


def test_a_cache_that_serves_every_call_has_no_loss() -> None:
    assert losses(talk((0, 0, 50_000), (900, 50_000, 900), (5, 50_900, 900))) == ()
    assert losses(talk((0, 0, 0), (9, 0, 0))) == () == losses([])


def test_a_small_part_at_the_end_that_is_written_again_is_no_loss() -> None:
    assert losses(talk((0, 0, 50_000), (9, 48_000, 4_000))) == ()


@pytest.mark.parametrize(
    ("pause", "record", "cause", "lifetime"),
    [
        (301, {"usage": FIVE}, "idle", 300),
        (299, {"usage": FIVE}, "unknown", 300),
        (301, {"message": {"usage": FIVE}}, "idle", 300),
        (3_599, {}, "unknown", None),
        (3_601, {}, "idle", None),
    ],
)
def test_a_pause_explains_a_loss_only_beyond_the_stated_lifetime(
    pause: int, record: dict[str, Any], cause: str, lifetime: int | None
) -> None:
    loss = only(talk((0, 0, 50_000), (pause, 0, 52_000), record=record))
    assert (loss.cause, loss.lifetime, loss.idle, loss.turn, loss.number) == (cause, lifetime, pause, 2, 4)
    assert loss.tokens == 50_000
    assert loss.cost == pytest.approx(50_000 * (3.75 - 0.3) / 1e6)


def test_a_cache_of_an_hour_outlives_half_an_hour() -> None:
    messages = talk((0, 0, 50_000), (1_800, 0, 52_000))
    hourly = [
        replace(m, usage=replace(m.usage, cache_write_1h=m.usage.cache_write)) if m.usage else m for m in messages
    ]
    loss = only(hourly)
    assert (loss.cause, loss.lifetime) == ("unknown", 3_600)
    assert loss.cost == pytest.approx(50_000 * (6.0 - 0.3) / 1e6)


def test_a_cache_that_is_only_reported_as_read_never_expires_by_an_assumed_time() -> None:
    messages = talk((0, 40_000, 0), (7_200, 0, 0))
    messages[-1] = replace(messages[-1], usage=Usage(50_000, 5))
    assert only(messages).cause == "unknown"


def test_another_model_has_a_cache_of_its_own() -> None:
    messages = talk((0, 0, 50_000), (9, 0, 52_000))
    messages[-1] = replace(messages[-1], model="other-model")
    assert only(messages).reason == "the model changed from some-model to other-model"
    messages[-1] = replace(messages[-1], model="some-model-20260301")
    assert only(messages).cause == "unknown"


def test_the_diagnosis_of_the_provider_comes_first() -> None:
    messages = talk((0, 0, 50_000), (900, 0, 52_000), record={"usage": FIVE})
    diagnosis = {"diagnostics": {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 9}}}
    messages[-1] = replace(messages[-1], body=InMemoryBody(messages[-1].raw, diagnosis))
    assert (only(messages).cause, only(messages).reason) == ("tools", "the provider states tools changed")


def test_a_context_that_begins_otherwise_names_its_first_new_message() -> None:
    messages = talk((0, 0, 50_000), (9, 0, 52_000))
    messages[2] = replace(messages[2], parent=-1)
    assert (only(messages).cause, only(messages).changed_at) == ("prefix", 3)
    messages[2] = replace(messages[2], kind="summary")
    assert losses(messages) == (), "a summary was never in the cache"
    longer = talk((0, 0, 20_000), (9, 20_000, 30_000), (9, 5_000, 9_000))
    longer[4] = replace(longer[4], kind="summary", parent=1)
    assert (only(longer).cause, only(longer).changed_at, only(longer).tokens) == ("compaction", None, 9_010)


def test_going_back_to_an_earlier_reply_loses_nothing_that_it_had_left() -> None:
    messages = talk((0, 0, 20_000), (9, 20_000, 30_000), (9, 20_000, 9_000))
    messages[4] = replace(messages[4], parent=1)
    assert losses(messages) == ()
    assert only([*messages[:5], replace(messages[5], usage=Usage(29_010, 5, 0, 29_000))]).tokens == 20_000


def test_a_smaller_reported_window_is_a_fall() -> None:
    loss = only(talk((0, 0, 50_000), (9, 5_000, 20_000)))
    assert (loss.cause, loss.tokens, loss.read) == ("fall", 20_010, 5_000)
    total, largest = describe_cache_losses([loss], 1)
    assert total.startswith("Cache losses: 1 call sent up to 20,010 cached tokens again for")
    assert largest.startswith("Turn 2: up to 20,010 tokens for")


def test_losses_are_described_with_their_price_or_without_one() -> None:
    messages = talk((0, 0, 50_000), (9, 0, 52_000), (9, 52_000, 900), (9, 0, 60_000))
    first, largest, rest = describe_cache_losses(losses(messages), 1)
    assert first == "Cache losses: 2 calls sent 102,900 cached tokens again for $0.36 more than from the cache."
    assert largest.startswith("Turn 4: 52,900 tokens for $0.18 more than from the cache: the file states no cause (0")
    assert rest == "The other 1: 1 unknown."
    unknown = losses(messages, replace(PRICE, source="default"))
    assert [loss.cost for loss in unknown] == [None, None]
    assert "again at an unknown price." in next(iter(describe_cache_losses(unknown, 1)))
    assert not list(describe_cache_losses((), 1))
