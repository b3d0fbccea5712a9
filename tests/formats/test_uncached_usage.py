"""Usage that leaves out cached tokens is no size of a request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.conversation import Message, Session, Usage
from inspector.formats.building.uncached_usage import without_uncached_usage
from inspector.llm.providers import text_message
from tests.formats.written import only, write_lines

QUESTION = "How many orders of the shop were paid in May, and how many are open? " * 20


def asked(model: str, *usages: Usage, question: str = QUESTION) -> Session:
    """A conversation in which each question gets a reply with usage."""
    messages: list[Message] = []
    for usage in usages:
        messages.append(text_message(f"q{len(messages)}", "user", question, "openai", parent=len(messages) - 1))
        reply = text_message(f"r{len(messages)}", "assistant", "Two.", "openai", parent=len(messages) - 1)
        messages.append(replace(reply, usage=usage, model=model))
    return Session("s", "Orders", "langfuse", tuple(messages))


def kept(session: Session) -> int:
    return sum(message.usage is not None for message in without_uncached_usage(session).messages)


@pytest.mark.parametrize(
    ("session", "count"),
    [
        (asked("claude-sonnet-4-5", Usage(4, 9), Usage(4, 9), Usage(900, 9)), 0),
        (asked("claude-sonnet-4-5", Usage(400, 9), Usage(4, 9)), 2),
        (asked("claude-sonnet-4-5", Usage(4, 9), Usage(700, 9, cache_read=690)), 2),
        (asked("claude-sonnet-4-5", Usage(4, 9), question="How many?"), 1),
        (asked("gpt-5.5", Usage(4, 9), Usage(4, 9)), 2),
        (asked("claude-sonnet-4-5"), 0),
    ],
    ids=["most are too small", "half are possible", "the cache is recorded", "short", "another provider", "empty"],
)
def test_inputs_without_their_cached_part_are_removed(session: Session, count: int) -> None:
    assert kept(session) == count


def test_a_log_of_requests_without_cached_tokens_has_no_reported_sizes(tmp_path: Path) -> None:
    ask = {"role": "user", "content": QUESTION}
    reply = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Two."}]}
    request = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [ask]}
    rows = [{"request": request, "response": {**reply, "model": request["model"], "usage": usage}} for usage in USAGES]
    first, second = (only(write_lines(tmp_path / f"{n}.jsonl", [row])) for n, row in enumerate(rows))
    assert [message.usage for message in first] == [None, None]
    assert second.messages[1].usage == Usage(403, 9, cache_read=400)


USAGES = (
    {"input_tokens": 3, "output_tokens": 9},
    {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": 400},
)
