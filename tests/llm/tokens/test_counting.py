"""Texts and messages are counted as their provider counts them, whatever is in them."""

from __future__ import annotations

import base64
import sys
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Dialect, Message, Role
from inspector.llm.models.encodings import EncodingName, load_count, load_encoding
from inspector.llm.providers import message_from_raw, text_message
from inspector.llm.tokens.counting import FRAME, STRETCH, CharsCounter, TokenizerCounter, count_message, stretches

O200K = TokenizerCounter("o200k_base")
CL100K = TokenizerCounter("cl100k_base")
MILLION = 1_000_000

EXAMPLE: list[tuple[Role, dict[str, Any], str]] = [
    (
        "system",
        {},
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    ("system", {"name": "example_user"}, "New synergies will help drive top-line growth."),
    ("system", {"name": "example_assistant"}, "Things working well together will increase revenue."),
    (
        "system",
        {"name": "example_user"},
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    ("system", {"name": "example_assistant"}, "Let's talk later when we're less busy about how to do better."),
    ("user", {}, "This late pivot means we don't have time to boil the ocean for the client deliverable."),
]
"""OpenAI's published example: its API counted 124 tokens for gpt-4o and 129 for gpt-4."""


def message(content: Any, role: Role = "user", dialect: Dialect = "openai", **fields: Any) -> Message:
    return message_from_raw("m", {"role": role, "content": content, **fields}, dialect)


def picture(width: int, height: int, noise: int = 0) -> str:
    """A PNG of a size, as base64, with as many bytes of noise behind its head."""
    head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + width.to_bytes(4) + height.to_bytes(4)
    return base64.b64encode(head + bytes(range(256)) * (noise // 256)).decode()


@pytest.mark.parametrize(("counter", "reported"), [(O200K, 124), (CL100K, 129)])
def test_the_published_example_counts_as_the_api_counted_it(counter: TokenizerCounter, reported: int) -> None:
    messages = [message(text, role, **named) for role, named, text in EXAMPLE]
    assert sum(count_message(item, counter) for item in messages) + 3 == reported


@pytest.mark.parametrize("special", ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>user"])
def test_special_tokens_are_text(special: str) -> None:
    assert O200K.count(special) > 1
    assert count_message(message(special), O200K) == FRAME + O200K.count(special)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (" " * MILLION, 7_813),
        (" " * MILLION + "a", 7_814),
        ("\u00a0" * MILLION, 125_000),
        ("a" * MILLION, 125_000),
        ("=" * MILLION, 15_625),
    ],
    ids=["blanks", "blanks before a word", "hard blanks", "one letter", "one sign"],
)
def test_texts_that_make_the_tokenizer_panic_or_crawl_are_counted(
    text: str, tokens: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert O200K.count(text) == pytest.approx(tokens, rel=0.01)
    assert capfd.readouterr().err == ""


def test_half_a_surrogate_pair_is_counted() -> None:
    assert O200K.count("before \ud800 after") > 2


def test_nothing_counts_as_nothing() -> None:
    assert O200K.count("") == 0
    assert CharsCounter(4).count("") == 0
    nothing: list[Any] = ["", None, []]
    for content in nothing:
        assert count_message(message(content), O200K) == FRAME


def test_lengths_are_rounded_up() -> None:
    assert CharsCounter(3.5).count("1234567") == 2
    assert CharsCounter(3.5).count("12345678") == 3


def test_counters_tell_their_caches_apart() -> None:
    assert len({O200K.name, CL100K.name, CharsCounter(4).name, CharsCounter(3.5).name}) == 4


def test_a_call_counts_its_name_and_arguments() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
    expected = FRAME + O200K.count("read_file") + O200K.count('{"path": "a.py"}')
    assert count_message(message(None, "assistant", tool_calls=[call]), O200K) == expected


def test_a_result_is_counted_and_its_tools_name_is_not() -> None:
    result = message("42 lines", "tool", tool_call_id="c1", name="read_file")
    assert count_message(result, O200K) == FRAME + O200K.count("42 lines")


def test_thinking_is_counted() -> None:
    blocks = [{"type": "thinking", "thinking": "Two steps are left.", "signature": "x" * 900}]
    assert count_message(message(blocks, "assistant", "anthropic"), O200K) == FRAME + O200K.count("Two steps are left.")


def test_a_block_that_nobody_understands_is_counted_as_its_json() -> None:
    strange = message([{"type": "hologram", "depth": 3}])
    assert count_message(strange, O200K) > FRAME + 5


def test_encoded_bytes_in_a_block_that_nobody_understands_count_as_a_picture() -> None:
    strange = message([{"type": "hologram", "data": picture(10, 10, 90_000)}])
    assert count_message(strange, O200K) < 1_200


@pytest.mark.parametrize("noise", [0, 256, 30_000])
def test_a_picture_counts_by_its_size_and_never_by_its_base64(noise: int) -> None:
    data = picture(1024, 1024, noise)
    chat = message([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}])
    assert count_message(chat, O200K) == FRAME + 765
    source = {"type": "base64", "media_type": "image/png", "data": data}
    block = message([{"type": "image", "source": source}], dialect="anthropic")
    assert count_message(block, O200K) == FRAME + 1_399


def test_a_picture_inside_a_tool_result_is_counted() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": picture(200, 200)}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "image", "source": source}]}
    assert count_message(message([result], dialect="anthropic"), O200K) == FRAME + 54


def test_a_name_costs_its_tokens_and_one() -> None:
    assert count_message(message("hi", name="Ada"), O200K) == count_message(message("hi"), O200K) + 1 + O200K.count(
        "Ada"
    )


@given(st.text(max_size=300))
def test_a_text_has_no_more_tokens_than_bytes(text: str) -> None:
    for counter in (O200K, CL100K):
        assert 0 <= counter.count(text) <= len(text.encode())


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_words_never_cost_less_by_length(first: str, second: str) -> None:
    counter = CharsCounter(3.5)
    assert max(counter.count(first), counter.count(second)) <= counter.count(first + second)


@given(st.lists(st.text(max_size=50), max_size=5), st.text(max_size=50))
def test_another_block_never_makes_a_message_smaller(texts: list[str], more: str) -> None:
    blocks = [{"type": "text", "text": text} for text in texts]
    before = count_message(message(blocks), O200K)
    assert count_message(message([*blocks, {"type": "text", "text": more}]), O200K) >= before >= FRAME


@given(st.text(max_size=400), st.integers(min_value=2, max_value=40))
def test_stretches_are_the_text(text: str, longest: int) -> None:
    parts = list(stretches(text, longest))
    assert "".join(parts) == text
    assert all(len(part) <= longest for part in parts)


TRICKY = st.one_of(
    st.sampled_from(" \t\n\r\x1c\x85\u00a0'’.,;/-_sStTlLveaAbB012½²中文，。é\u0301ß😀"), st.characters(codec="utf-8")
)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@given(text=st.lists(TRICKY, max_size=30).map("".join))
def test_cutting_a_text_where_words_end_leaves_its_tokens_alone(name: EncodingName, text: str) -> None:
    encode = load_encoding(name).encode_ordinary
    for place in STRETCH.finditer(text):
        at = place.start()
        assert encode(text[:at]) + encode(text[at:]) == encode(text)


def test_a_long_text_counts_as_if_it_were_not_cut() -> None:
    text = "".join(f"def step_{n}(x: int) -> str:\n    return 'no {n}'  # ¼ später, 中文。\n\n" for n in range(2_000))
    assert O200K.count(text) == len(load_encoding("o200k_base").encode_ordinary(text))


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@given(
    text=st.lists(TRICKY | st.sampled_from(["\ud800", "\udc00", "<|endoftext|>", " " * 99]), max_size=30).map("".join)
)
def test_the_fast_tokenizer_counts_the_same(name: EncodingName, text: str) -> None:
    pytest.importorskip("toktok")
    assert load_count(name)(text) == len(load_encoding(name).encode_ordinary(text))


def test_without_the_fast_tokenizer_all_is_counted_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = [O200K.count(text) for text in ("", "Count the gulls.", "a\ud800b" * 5_000)]
    monkeypatch.setitem(sys.modules, "toktok", None)
    load_count.cache_clear()
    try:
        assert [O200K.count(text) for text in ("", "Count the gulls.", "a\ud800b" * 5_000)] == fast
    finally:
        load_count.cache_clear()


def test_a_said_message_counts_the_same_in_both_forms() -> None:
    counts = {
        count_message(text_message("m", "user", "Good morning.", dialect), O200K) for dialect in ("openai", "anthropic")
    }
    assert len(counts) == 1


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@given(text=st.lists(st.sampled_from(["\n- ", "\n", "\r\n", "-", "/"]) | TRICKY, max_size=30).map("".join))
def test_items_of_a_list_counted_one_by_one_are_the_whole_list(name: EncodingName, text: str) -> None:
    listed = f"A list:\n- {text}\n- {text}\n- last"
    assert TokenizerCounter(name).count(listed) == len(load_encoding(name).encode_ordinary(listed))


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@given(text=st.text(max_size=30))
def test_an_item_of_a_list_counts_as_any_text(name: EncodingName, text: str) -> None:
    item = f"- {text}\n"
    assert TokenizerCounter(name).count(item) == len(load_encoding(name).encode_ordinary(item))
