"""What a pass leaves is written as a request, read again, and nothing that was in it is missing or uncounted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import (
    Dialect,
    Image,
    Message,
    Part,
    RequestContext,
    Session,
    Text,
    ToolResult,
    Unknown,
)
from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.window import at_turn
from inspector.engine.window.plan import apply
from inspector.formats import load
from inspector.llm.providers import PROVIDERS
from inspector.llm.tokens.counting import FRAME, TokenizerCounter, count_message
from tests.engine.strategies.passes import Pass, passes
from tests.generated import LONG, PICTURE, STRANGE, Ask, Call, Reply, Step, recorded, sized, window_of

DIALECTS: tuple[Dialect, ...] = ("openai", "anthropic")
SPECIAL = "a <|endoftext|> b <|im_start|>"


def reread(context: RequestContext, messages: Sequence[Message], to: Dialect) -> Session:
    """The session that a request with these messages is read as."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "request.json")
        path.write_text(json.dumps(PROVIDERS[to].request(context, messages)), encoding="utf-8")
        (read,) = load(path)
        return read


def inside(messages: Sequence[Message]) -> Iterator[Part]:
    """All parts, those inside results among them."""
    for message in messages:
        for part in message.parts:
            yield from part.parts if isinstance(part, ToolResult) else [part]


def words(messages: Sequence[Message]) -> list[str]:
    return [part.text.strip() for part in inside(messages) if isinstance(part, Text)]


@given(passes(), st.sampled_from(DIALECTS))
def test_every_word_that_is_left_is_read_again(done: Pass, to: Dialect) -> None:
    read = reread(done.after.context, done.after.messages, to)
    lines = "\n".join(
        [*words(read.messages), *(part.json for part in inside(read.messages) if isinstance(part, Unknown))]
    )
    assert [text for text in words(done.after.messages) if text not in lines] == []


@given(passes(), st.sampled_from(DIALECTS))
def test_every_picture_that_is_left_is_read_again(done: Pass, to: Dialect) -> None:
    """Where the form lets it stand: no provider takes a picture from a system message or a reply."""
    read = reread(done.after.context, done.after.messages, to)
    lines = [message for message in done.after.messages if message.role in ("user", "tool")]
    assert pictures(lines) <= pictures(read.messages)


def pictures(messages: Sequence[Message]) -> set[str]:
    return {part.source for part in inside(messages) if isinstance(part, Image)}


@given(passes(), st.sampled_from(DIALECTS))
def test_every_unknown_block_that_is_left_is_read_again_in_its_own_form_and_as_text_in_the_other(
    done: Pass, to: Dialect
) -> None:
    read = reread(done.after.context, done.after.messages, to)
    own = {part.json for part in inside(read.messages) if isinstance(part, Unknown)}
    lines = "\n".join(words(read.messages))
    talk = [message for message in done.after.messages if message.role != "system" or to == "openai"]
    for part in inside(talk):
        if isinstance(part, Unknown) and part.is_internal:
            assert part.json not in lines
        elif isinstance(part, Unknown):
            assert part.json in own or (part.json in lines and to != done.after.context.dialect)


@given(passes())
def test_fields_that_nobody_reads_are_written_again_in_their_own_form(done: Pass) -> None:
    context = done.after.context
    items = PROVIDERS[context.dialect].request(context, done.after.messages)["messages"]
    requests = [message for message in done.after.messages if message.role == "user" and "unread" in message.raw]
    assert not requests or any(item.get("unread") == [1, None] for item in items)


@given(passes(), st.sampled_from(DIALECTS))
def test_what_is_read_again_can_be_compressed_again(done: Pass, to: Dialect) -> None:
    read = reread(done.after.context, done.after.messages, to)
    window = at_turn(read, sized(read))
    for name in STRATEGIES:
        assert apply(window, draft_plan(window, name)).total <= window.total


ODD: tuple[Step, ...] = (
    Ask(LONG),
    Reply(None, (Call(result=None), Call(result=(STRANGE,)), Call(result=SPECIAL))),
    Ask(None),
    Reply(SPECIAL),
    Ask(({"type": "text", "text": SPECIAL}, STRANGE)),
    Ask("And now?"),
)
"""Nothing at all, unknown blocks, and the special tokens of a model as ordinary text."""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_at_all_unknown_blocks_and_special_tokens_are_counted(dialect: Dialect) -> None:
    counter = TokenizerCounter("o200k_base")
    sizes = {message.id: count_message(message, counter) for message in recorded(ODD, dialect)}
    assert sizes["m2"] == sizes["m5"] == FRAME
    assert sizes["m3"] > FRAME + 5
    assert sizes["m4"] == sizes["m6"] == FRAME + counter.count(SPECIAL) > FRAME + 10
    assert sizes["m7"] == sizes["m6"] + sizes["m3"] - FRAME


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_strategy_passes_over_them(name: str, dialect: Dialect) -> None:
    window = window_of(*ODD, dialect=dialect)
    lowest = {item.name: item.clamp(item.low) for item in STRATEGIES[name].knobs if item.high > item.low}
    after = apply(window, draft_plan(window, name, lowest))
    assert after.total <= window.total
    assert after.messages[0].text == LONG


@pytest.mark.parametrize("to", DIALECTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_window_in_which_nothing_had_to_change_is_read_again_as_it_was(dialect: Dialect, to: Dialect) -> None:
    steps: list[Step] = [Ask(({"type": "text", "text": LONG}, PICTURE[dialect])), Reply("One."), Ask(SPECIAL)]
    window = window_of(*steps, dialect=dialect)
    read = reread(window.context, window.messages, to)
    assert [(message.role, message.parts) for message in read] == [(item.role, item.parts) for item in window.messages]
