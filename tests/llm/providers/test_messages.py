"""The facts of a message that are known without its text."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from inspector.core.conversation import PREVIEW, CallHead, Image, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.llm.providers import count_characters, join_metadata, message_from_raw, metadata_of, text_message
from inspector.llm.providers.message_parsing import preview_of
from tests.drawn import ANTHROPIC_MESSAGES, OPENAI_MESSAGES

PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, st.sampled_from(["", " \n", "Count the orders. ", "word " * 70, "x" * 700])),
    st.builds(Thinking, st.sampled_from(["", "Let me see. ", "hm " * 90]), st.just("s")),
    st.builds(ToolCall, st.just("t"), st.just("Read"), st.sampled_from(["", '{"path":"/srv"}', "y" * 400])),
    st.builds(ToolResult, st.just("t"), st.lists(st.builds(Text, st.text(max_size=9)), max_size=4).map(tuple)),
    st.just(Image("image/png", 3, 4)),
    st.just(Unknown("hologram", '{"type":"hologram"}')),
)


def test_a_head_tells_what_its_parts_hold() -> None:
    head = metadata_of([Thinking("Hm."), Text("Two  words"), ToolCall("a", "Read", "{}"), Image()])
    assert head.calls == (CallHead("a", "Read"),)
    assert (head.thinks, head.answers, head.is_error) == (True, None, False)
    assert (head.chars, head.images) == (3 + 10 + 6, 1)
    assert head.preview == "Two words  Read {}  [image]"


def test_a_result_tells_which_call_it_answers() -> None:
    head = metadata_of([ToolResult("a", (Text("no such file"), Image()), True)])
    assert (head.answers, head.is_error, head.chars, head.images) == ("a", True, 12, 1)


def test_a_preview_is_one_line_of_speech_and_of_thinking_only_where_there_is_nothing_else() -> None:
    assert preview_of([Thinking("Hm."), Text(" Go\n\n on. ")]) == "Go on."
    assert preview_of([Thinking("Hm.\nWell.")]) == "Hm. Well."
    assert preview_of([]) == ""
    assert len(preview_of([Text("x" * 999)])) == PREVIEW
    assert preview_of([Text("a" + " " * 300 + "b")]) == "a b"


@given(st.lists(PARTS, max_size=6), st.integers(0, 6))
def test_parts_read_in_two_goes_give_the_same_head(parts: list[Part], cut: int) -> None:
    joint, whole = join_metadata([metadata_of(parts[:cut]), metadata_of(parts[cut:])]), metadata_of(parts)
    assert joint._replace(has_flaw=whole.has_flaw) == whole
    assert joint.has_flaw >= whole.has_flaw, "a half without parts is one, too"


@given(ANTHROPIC_MESSAGES)
def test_heads_of_anthropic_messages_agree_with_their_parts(raw: dict[str, Any]) -> None:
    message = message_from_raw("m", raw, "anthropic")
    assert message.chars == sum(map(count_characters, message.parts))


@given(OPENAI_MESSAGES)
def test_heads_of_openai_messages_agree_with_their_parts(raw: dict[str, Any]) -> None:
    message = message_from_raw("m", raw, "openai")
    assert message.chars == sum(map(count_characters, message.parts))
    assert "\n" not in message.preview and len(message.preview) <= PREVIEW


def test_new_messages_are_made_of_plain_words() -> None:
    message = text_message("s", "user", "Earlier: three orders.", "anthropic", kind="summary", agent="helper")
    assert (message.role, message.kind, message.agent, message.text) == (
        "user",
        "summary",
        "helper",
        "Earlier: three orders.",
    )
    assert message.raw == {"role": "user", "content": "Earlier: three orders."}


def test_only_assistants_call_tools() -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    assert message_from_raw("m", {"role": "user", "content": [call]}, "anthropic").calls == ()
