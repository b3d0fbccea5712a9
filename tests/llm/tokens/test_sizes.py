"""Sizes are there at once, get better when counts come in, and always tell how well they are known."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.core.conversation import InMemoryBody, Message, Raw, Session, Usage
from inspector.llm.providers import message_from_raw, provider_of, text_message
from inspector.llm.tokens.counting import FRAME, CharsCounter, TokenizerCounter, count_message
from inspector.llm.tokens.sizes import count_session, count_sizes, counter_for, estimate_sizes

WORDS = "The invoice of March is paid, the one of April is not. "
TOOL: Raw = {"type": "function", "function": {"name": "pay", "description": "Pay an invoice.", "parameters": {}}}


class Unreadable:
    """A body that nobody may read."""

    def load(self) -> tuple[Raw, Raw]:
        raise AssertionError("the text was read")


def session(model: str, **fields: Any) -> Session:
    messages = [text_message(str(n), "user", WORDS * (n + 1), "openai", parent=n - 1) for n in range(20)]
    return Session("s", "Invoices", "test", tuple(messages), model=model, **fields)


def counts(log: Session) -> list[int]:
    counter = counter_for(log.model)
    return [count_message(message, counter) for message in log]


def test_quick_sizes_read_no_text() -> None:
    heads = tuple(Message(str(n), "user", Unreadable(), chars=700, images=n % 2, parent=n - 1) for n in range(4))
    sizes = estimate_sizes(Session("s", "Heads", "test", heads, model="claude-sonnet-4", dialect="anthropic"))
    assert list(sizes.tokens) == [FRAME + 200, FRAME + 200 + 1_600, FRAME + 200, FRAME + 200 + 1_600]
    assert (sizes.certainty, sizes.is_partial) == ("estimated", True)


def test_quick_sizes_are_near_the_counted_ones() -> None:
    log = session("gpt-4o")
    better = count_sizes(log, counts(log), counter_for("gpt-4o"))
    assert sum(estimate_sizes(log).tokens) == pytest.approx(sum(better.tokens), rel=0.25)


def test_the_counts_of_a_model_with_a_public_encoding_are_exact() -> None:
    log = session("gpt-4o")
    sizes = count_sizes(log, counts(log), counter_for("gpt-4o"))
    assert list(sizes.tokens) == counts(log)
    assert (sizes.certainty, sizes.factor, sizes.is_partial, sizes.tools, sizes.tools_certainty) == (
        "exact",
        1.0,
        False,
        0,
        "exact",
    )


def test_counts_of_another_counter_are_no_more_than_an_estimate() -> None:
    log = session("gpt-4o")
    assert count_sizes(log, [1] * 20, CharsCounter(4)).certainty == "estimated"
    assert count_sizes(log, [1] * 20, TokenizerCounter("cl100k_base")).certainty == "estimated"


def test_models_without_a_public_tokenizer_are_estimated() -> None:
    log = session("claude-sonnet-4")
    assert count_sizes(log, counts(log), counter_for(log.model)).certainty == "estimated"


def test_counts_may_come_in_piece_by_piece() -> None:
    log = session("gpt-4o")
    for batch in count_session(log, counter_for("gpt-4o"), batch=2_000):
        sizes = count_sizes(log, batch.counts, counter_for("gpt-4o"))
        assert sizes.is_partial == (not batch.is_complete)
        assert sizes.certainty == ("exact" if batch.is_complete else "estimated")
        assert list(sizes.tokens[: batch.count]) == list(batch.counts[: batch.count])
        assert list(sizes.tokens[batch.count :]) == list(estimate_sizes(log).tokens[batch.count :])


def test_there_must_be_a_count_for_every_message() -> None:
    with pytest.raises(ValueError, match="3 counts for 20 messages"):
        count_sizes(session("gpt-4o"), [1, 2, 3], counter_for("gpt-4o"))


def test_tools_are_counted_and_estimated() -> None:
    log = session("gpt-4o", tools=(TOOL,))
    sizes = count_sizes(log, counts(log), counter_for("gpt-4o"))
    assert sizes.tools == provider_of("openai").count_tools([TOOL], counter_for("gpt-4o"))
    assert (sizes.certainty, sizes.tools_certainty) == ("exact", "estimated")
    assert estimate_sizes(log).tools > 0


def test_new_messages_are_measured_on_the_same_scale() -> None:
    log = calibrated()
    sizes = count_sizes(log, counts(log), counter_for(log.model))
    assert sizes.factor == pytest.approx(1.5, rel=0.02)
    for position in (0, 19):
        assert sizes.measure(log.messages[position]) == sizes.tokens[position]
    short = text_message("new", "user", "[3 results, masked]", "openai")
    assert sizes.measure(short) == round(sizes.factor * count_message(short, sizes.counter))


def test_a_long_message_is_measured_once() -> None:
    class Once:
        name = "once"
        requests = 0

        def count(self, text: str) -> int:
            self.requests += 1
            return len(text)

    counter = Once()
    sizes = count_sizes(session("my-model"), [1] * 20, counter)
    for new in ("1", "2", "3"):
        assert sizes.measure(text_message(new, "user", WORDS * 20, "openai")) == FRAME + len(WORDS) * 20
    assert counter.requests == 1


def calibrated() -> Session:
    """A session whose provider reports half as many tokens again as we count."""
    messages: list[Message] = []
    total, counter = 0, counter_for("claude-sonnet-4")
    for n in range(20):
        usage = Usage(round(1.5 * total) + 3, 5) if n % 2 else None
        role = "assistant" if n % 2 else "user"
        raw = {"role": role, "content": WORDS * (n + 1)}
        message = message_from_raw(str(n), raw, "openai", parent=n - 1, usage=usage, model="claude-sonnet-4")
        total += count_message(message, counter)
        messages.append(message)
    return Session("s", "Invoices", "test", tuple(messages), model="claude-sonnet-4")


def test_the_limit_is_the_models_window() -> None:
    assert estimate_sizes(session("gpt-4o")).limit == 128_000
    assert estimate_sizes(session("")).limit == 128_000
    assert estimate_sizes(session("claude-sonnet-4")).limit == 200_000


@pytest.mark.parametrize(
    ("model", "reply", "limit"),
    [("", False, 128_000), ("", True, 200_000), ("banana-7", True, 200_000), ("gpt-4o", True, 128_000)],
)
def test_a_default_limit_rises_where_a_larger_window_was_answered(model: str, reply: bool, limit: int) -> None:
    """A window above the default that no reply followed may be too large, and so may one above a known limit."""
    messages = [text_message("1", "user", WORDS * 10_000, "openai")]
    messages += [text_message("2", "assistant", "Paid.", "openai", parent=0)] * reply
    assert estimate_sizes(Session("s", "Invoices", "test", tuple(messages), model=model)).limit == limit


def test_the_limit_rises_where_more_was_reported() -> None:
    reply = Message("r", "assistant", InMemoryBody({}), usage=Usage(412_000, 9), parent=19)
    assert estimate_sizes(session("claude-sonnet-4").extend([reply])).limit == 1_000_000


def test_an_empty_session_has_sizes() -> None:
    empty = Session("s", "Nothing", "test", (), model="gpt-4o", records_system=False)
    for sizes in (estimate_sizes(empty), count_sizes(empty, [], counter_for("gpt-4o"))):
        assert (list(sizes.tokens), sizes.unrecorded, sizes.is_partial) == ([], 0, False)
        assert sizes.unrecorded_at(-1) == 0
