"""A session is counted in batches, each message once in its life, and its digests know content, not place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message, Raw, Session
from inspector.llm.providers import PROVIDERS, message_from_raw, text_message
from inspector.llm.tokens.counting import CharsCounter, Counter, TokenizerCounter, count_message
from inspector.llm.tokens.sizes import Batch, count_session, count_sizes, digest


@dataclass
class Watched:
    """A counter that remembers what it was asked."""

    inner: Counter
    asked: list[str]

    @property
    def name(self) -> str:
        return self.inner.name

    def count(self, text: str) -> int:
        self.asked.append(text)
        return self.inner.count(text)


@dataclass(frozen=True)
class Filed:
    """A body that is read from disk."""

    path: Path

    def load(self) -> tuple[Raw, Raw]:
        return json.loads(self.path.read_text()), {"line": 3}


def session(texts: Sequence[str]) -> Session:
    messages = [text_message(str(n), "user", text, "openai", parent=n - 1) for n, text in enumerate(texts)]
    return Session("s", "A session", "test", tuple(messages))


def watched() -> Watched:
    return Watched(CharsCounter(4), [])


def last(batches: Any) -> Batch:
    *_, batch = batches
    assert isinstance(batch, Batch)
    return batch


def test_every_message_gets_the_count_that_it_has_alone() -> None:
    log = session(["one", "two words", "", "<|endoftext|>"])
    counter = TokenizerCounter("o200k_base")
    batch = last(count_session(log, counter))
    assert batch.is_complete
    assert list(batch.counts) == [count_message(message, counter) for message in log]


def test_batches_tell_how_far_it_is() -> None:
    batches = list(count_session(session(["word " * 100] * 10), CharsCounter(4), batch=1_500))
    assert [batch.count for batch in batches] == [3, 6, 9, 10]
    assert [batch.is_complete for batch in batches] == [False, False, False, True]
    for batch in batches:
        assert [count is None for count in batch.counts] == [n >= batch.count for n in range(10)]


def test_what_is_fresh_is_told_once() -> None:
    log = session([f"message {n} " * 40 for n in range(10)])
    batches = list(count_session(log, CharsCounter(4), batch=1_500))
    fresh = [key for batch in batches for key in batch.fresh]
    assert sorted(fresh) == sorted(map(digest, log))


def test_what_the_cache_knows_is_not_tokenised_again() -> None:
    log, counter = session(["one", "two", "three"]), watched()
    known = dict(last(count_session(log, counter)).fresh)
    counter.asked.clear()
    again = last(count_session(log.extend([text_message("new", "user", "four", "openai")]), counter, known))
    assert counter.asked == ["four"]
    assert again.is_complete
    assert len(again.fresh) == 1


def test_tools_are_counted_once_in_their_life() -> None:
    counter, tool = watched(), {"name": "search", "description": "Look for a record."}
    log = replace(session(["one"]), dialect="anthropic", tools=(tool,))
    batch = last(count_session(log, counter))
    assert batch.tools == PROVIDERS["anthropic"].count_tools([tool], CharsCounter(4)) > 0
    counter.asked.clear()
    assert last(count_session(log, counter, batch.fresh)).tools == batch.tools
    assert counter.asked == []
    other = replace(log, tools=({**tool, "name": "find the record by its number"},))
    assert last(count_session(other, counter, batch.fresh)).tools > batch.tools
    counts = count_sizes(log, batch.counts, counter)
    assert count_sizes(log, batch.counts, counter, batch.tools).tools == counts.tools


def test_the_same_message_twice_is_tokenised_once() -> None:
    counter = watched()
    batch = last(count_session(session(["again"] * 5), counter, batch=200))
    assert counter.asked == ["again"]
    assert len(set(batch.counts)) == 1


def test_a_cancelled_count_ends_with_what_there_is() -> None:
    requests = iter([False, False, True])
    batch = last(count_session(session(["a", "b", "c", "d"]), CharsCounter(4), is_cancelled=lambda: next(requests)))
    assert batch.count == 2
    assert len(batch.fresh) == 2
    assert batch.counts[2:] == (None, None)
    assert not batch.is_complete


def test_a_session_without_messages_is_finished_at_once() -> None:
    assert last(count_session(session([]), CharsCounter(4))).is_complete


def test_a_source_that_is_gone_is_an_error(tmp_path: Path) -> None:
    gone = replace(text_message("1", "user", "hello", "openai"), body=Filed(tmp_path / "gone.json"))
    with pytest.raises(OSError, match=r"gone\.json"):
        list(count_session(Session("s", "A session", "test", (gone,)), CharsCounter(4)))


def test_the_same_content_has_the_same_digest_wherever_it_lives(tmp_path: Path) -> None:
    held = text_message("1", "user", "Where are the orders?", "openai")
    (tmp_path / "message.json").write_text(json.dumps(held.raw))
    filed = replace(held, id="other", body=Filed(tmp_path / "message.json"), parent=7, time="later", agent="helper")
    assert digest(held) == digest(filed)
    assert len(digest(held)) == 16


def test_a_digest_stays_what_it_is() -> None:
    """Stores keep digests: when this changes, every stored count is lost."""
    assert digest(text_message("1", "user", "hello", "openai")).hex() == "541a13a884c2c436221235ad44919f85"


def raw(content: Any, role: str = "user", **fields: Any) -> Message:
    return message_from_raw("m", {"role": role, "content": content, **fields}, "anthropic")


DIFFERENT = [
    raw("a"),
    raw("b"),
    raw("a", "assistant"),
    raw("a", name="Ada"),
    raw([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    raw("ab"),
    raw([{"type": "thinking", "thinking": "a", "signature": "s"}]),
    raw([{"type": "tool_use", "id": "1", "name": "a", "input": {}}]),
    raw([{"type": "tool_use", "id": "1", "name": "a", "input": {"a": 1}}]),
    raw([{"type": "tool_result", "tool_use_id": "1", "content": "a"}]),
    raw([{"type": "tool_result", "tool_use_id": "1", "content": []}]),
    raw([{"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}]),
    raw([{"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}}]),
    raw([{"type": "hologram"}]),
    raw("text"),
    raw(None),
]


def test_what_counts_differently_has_another_digest() -> None:
    assert len(set(map(digest, DIFFERENT))) == len(DIFFERENT)


def test_ids_and_signatures_do_not_count() -> None:
    first = raw([{"type": "tool_use", "id": "1", "name": "a", "input": {}}])
    assert digest(first) == digest(raw([{"type": "tool_use", "id": "2", "name": "a", "input": {}}]))


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest(raw("\ud800")) != digest(raw("\udc00"))


@given(st.lists(st.text(max_size=8), max_size=4), st.lists(st.text(max_size=8), max_size=4))
def test_no_two_lists_of_blocks_are_taken_for_each_other(first: list[str], second: list[str]) -> None:
    def blocks(texts: list[str]) -> Message:
        return raw([{"type": "text", "text": text} for text in texts])

    assert (digest(blocks(first)) == digest(blocks(second))) == (first == second)
