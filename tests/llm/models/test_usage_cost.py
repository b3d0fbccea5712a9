"""What a recorded session cost: by agent and model, each call once, and what was not reported said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import MAIN, Message, Session, Usage
from inspector.formats import find, load
from inspector.llm.models.overrides import Rates
from inspector.llm.models.usage_cost import SessionCost, calls_of, session_cost
from inspector.llm.providers import text_message
from tests.places import DATA

OWN: dict[str, Rates] = {
    "large": {"input": 10.0, "output": 50.0, "cache_read": 1.0, "cache_write": 12.5},
    "small": {"input": 1.0, "output": 5.0, "cache_read": 0.1, "cache_write": 1.25},
}


def recorded(*messages: Message, model: str = "large") -> Session:
    return Session("s", "A session", "test", messages, model)


def replied(position: int, usage: Usage | None, **facts: Any) -> Message:
    """A reply behind the message before it in the log."""
    facts.setdefault("parent", position - 1)
    return text_message(f"m{position}", "assistant", "Done.", "openai", usage=usage, **facts)


def asked(position: int) -> Message:
    return text_message(f"m{position}", "user", "Please.", "openai", parent=position - 1)


def paid(*messages: Message) -> SessionCost:
    return session_cost(recorded(*messages), overlay=OWN)


def test_a_session_by_hand() -> None:
    # first call: 1,000 fresh at 10 = 0.010, 100 out at 50 = 0.005; written 10,000 at 12.5 = 0.125
    # second: 10,000 read at 1 = 0.010, 500 fresh = 0.005, 200 out = 0.010
    result = paid(
        asked(0),
        replied(1, Usage(11_000, 100, 0, 10_000)),
        asked(2),
        replied(3, Usage(10_500, 200, 10_000, 0)),
    )
    assert (result.calls, result.unreported, result.notes) == (2, 0, ())
    assert result.usage == Usage(21_500, 300, 10_000, 10_000)
    parts = (result.cost.input, result.cost.output, result.cost.cache_read, result.cost.cache_write)
    assert parts == pytest.approx((0.015, 0.015, 0.010, 0.125))
    assert result.cost.total == pytest.approx(0.165)


def test_each_agent_and_model_is_a_line() -> None:
    result = paid(
        replied(0, Usage(1_000, 0), parent=-1),
        replied(1, Usage(1_000, 0), model="small", parent=-1),
        replied(2, Usage(1_000, 0), agent="helper", model="small", parent=-1),
        replied(3, Usage(2_000, 0), agent="helper", model="small"),
    )
    lines = [(line.agent, line.model, line.calls, round(line.cost.total, 6)) for line in result.lines]
    assert lines == [(MAIN, "large", 1, 0.01), (MAIN, "small", 1, 0.001), ("helper", "small", 2, 0.003)]


def test_calls_without_usage_are_counted_and_not_guessed() -> None:
    result = paid(replied(0, None, parent=-1), replied(1, Usage(1_000, 0)), replied(2, None))
    assert (result.calls, result.unreported) == (1, 2)
    assert result.cost.total == pytest.approx(0.01)
    assert result.notes == ("2 of 3 calls reported no usage and are not included",)


def test_a_session_that_reports_nothing_says_so() -> None:
    result = paid(asked(0), replied(1, None))
    assert result.cost.total == 0.0
    assert result.notes == ("no call reported its usage, so the cost is unknown",)
    assert paid(asked(0)).notes == ()


def test_an_unknown_price_is_told_with_the_sum() -> None:
    result = session_cost(recorded(replied(0, Usage(1_000_000, 0), parent=-1), model="banana"), overlay=OWN)
    assert result.cost.total == pytest.approx(0.55)
    assert result.notes[0].startswith("no price is known for banana, so the default")


def test_a_call_that_was_written_down_as_several_messages_is_billed_once() -> None:
    """The first of them may have been written before the output was counted."""
    result = paid(
        asked(0),
        replied(1, Usage(5_000, 1, 4_000, 900)),
        asked(2),
        replied(3, Usage(5_000, 120, 4_000, 900)),
        replied(4, Usage(6_000, 10, 5_000, 900)),
    )
    assert result.calls == 2
    assert result.usage == Usage(11_000, 130, 9_000, 1_800)
    same = Usage(5_000, 9)
    assert paid(asked(0), replied(1, same, model="a"), asked(2), replied(3, same, model="b")).calls == 2


def test_the_same_request_sent_again_is_billed_again() -> None:
    """Two answers to one request stand beside each other, not one behind the other."""
    result = paid(asked(0), replied(1, Usage(5_000, 100)), replied(2, Usage(5_000, 100), parent=0))
    assert result.calls == 2


def test_notices_are_no_calls() -> None:
    assert paid(asked(0), replied(1, Usage(5_000, 1), kind="notice")).calls == 0


def test_each_call_is_billed_at_the_price_of_its_day() -> None:
    usage = Usage(300_000, 0)
    early = replied(0, usage, parent=-1, model="claude-opus-4-6", time="2026-02-01T10:00:00Z")
    late = replied(1, usage, parent=-1, model="claude-opus-4-6", time="2026-04-01T10:00:00Z")
    result = session_cost(recorded(early, late), overlay={})
    # above 200,000 tokens it cost 10 until March 2026, and 5 since
    assert result.cost.total == pytest.approx(0.3 * 10 + 0.3 * 5)


def test_a_call_without_a_readable_time_has_the_price_of_the_day_that_is_given() -> None:
    call = replied(0, Usage(300_000, 0), parent=-1, model="claude-opus-4-6", time="yesterday")
    for day, price in ((datetime(2026, 2, 1, tzinfo=UTC), 10), (datetime(2026, 4, 1, tzinfo=UTC), 5)):
        assert session_cost(recorded(call), overlay={}, at=day).cost.total == pytest.approx(0.3 * price)


SIZES = st.integers(0, 300_000)
CALLS = st.lists(st.one_of(st.none(), st.builds(Usage, SIZES, SIZES, SIZES, SIZES)), max_size=12)


@given(CALLS, CALLS)
def test_what_two_sessions_cost_is_what_both_in_one_cost(
    first: Sequence[Usage | None], second: Sequence[Usage | None]
) -> None:
    apart = [paid(*(replied(place, usage, parent=-1) for place, usage in enumerate(item))) for item in (first, second)]
    together = paid(*(replied(place, usage, parent=-1) for place, usage in enumerate([*first, *second])))
    assert together.cost.total == pytest.approx(sum(item.cost.total for item in apart))
    assert together.calls == sum(item.calls for item in apart)
    assert together.calls + together.unreported == len(first) + len(second)


@given(CALLS)
def test_the_lines_add_up_to_the_sum(usages: Sequence[Usage | None]) -> None:
    models = ["large", "small"]
    result = paid(*(replied(place, usage, parent=-1, model=models[place % 2]) for place, usage in enumerate(usages)))
    assert result.cost.total == pytest.approx(sum(line.cost.total for line in result.lines))
    assert sum(line.usage.input for line in result.lines) == result.usage.input


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
def test_logged_calls_cost_what_their_log_says() -> None:
    import json

    checked = 0
    for path in find(DATA / "litellm-log"):
        lines = json.loads(path.read_text(encoding="utf-8")).get("cost")
        if lines:
            result = session_cost(load(path)[0], overlay={})
            assert result.cost.total == pytest.approx(lines, rel=1e-6)
            checked += 1
    assert checked > 0


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
def test_each_call_of_a_recorded_transcript_is_billed_once() -> None:
    """A transcript names every call by the id of its answer, which this does not look at."""
    import json

    for path in find(DATA / "claude-code" / "obra+episodic-memory"):
        usages: dict[str, dict[str, int]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            message = record.get("message") or {}
            usage = message.get("usage") or {}
            if record.get("type") == "assistant" and message.get("model") != "<synthetic>" and usage:
                usages[message["id"]] = usage
        result = session_cost(load(path)[0], overlay={})
        assert result.calls == len(usages)
        assert result.usage.cache_read == sum(usage["cache_read_input_tokens"] for usage in usages.values())


def test_what_a_program_put_in_a_models_place_is_no_call() -> None:
    result = paid(asked(0), replied(1, Usage(5_000, 1)), replied(2, None, kind="injected"))
    assert (result.calls, result.unreported, result.notes) == (1, 0, ())


def test_the_first_reply_of_a_call_stands_for_it() -> None:
    log = (asked(0), replied(1, Usage(5_000, 1)), replied(2, None, kind="notice"), replied(3, Usage(5_000, 90)))
    assert [(call.position, call.usage) for call in calls_of(recorded(*log))] == [(1, Usage(5_000, 90))]
