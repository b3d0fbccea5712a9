"""A tool result with another text in place of its own."""

from __future__ import annotations

from dataclasses import dataclass, fields

from hypothesis import given, strategies as st

from inspector.core.conversation import Body, InMemoryBody, Message, Raw, Session, ToolResult
from inspector.llm.providers import message_from_raw, wire_of, with_placeholder
from inspector.llm.tokens.counting import count_message
from tests.generated import LETTERS, conversations, recorded, sized, work

TEXTS = st.text(max_size=400) | st.sampled_from(["", " \n two  lines \n", "[masked]", "word " * 90, "<|endoftext|>"])


@dataclass(frozen=True, slots=True)
class Sealed:
    """A body that nobody may read yet."""

    def load(self) -> tuple[Raw, Raw]:
        raise AssertionError("the original was read")


@given(conversations(), TEXTS)
def test_it_is_the_message_that_the_changed_record_is_read_as(session: Session, text: str) -> None:
    results = [message for message in session if message.role == "tool"]
    for message in results:
        read = message_from_raw(
            message.id,
            wire_of(message.dialect).with_result_text(message.raw, text),
            message.dialect,
            kind=message.kind,
            name=message.name,
            is_error=message.is_error,
            agent=message.agent,
            parent=message.parent,
            time=message.time,
            model=message.model,
            usage=message.usage,
            placeholder=text,
        )
        lines = with_placeholder(message, text)
        assert {field.name: getattr(lines, field.name) for field in fields(Message) if field.name != "body"} == {
            field.name: getattr(read, field.name) for field in fields(Message) if field.name != "body"
        }
        assert lines.raw == read.raw
        assert lines.parts == read.parts


@given(conversations(), TEXTS)
def test_the_record_around_it_its_call_and_its_failure_stay(session: Session, text: str) -> None:
    for message in session:
        if message.role == "tool":
            lines = with_placeholder(message, text)
            (was,), (result,) = message.parts, lines.parts
            assert isinstance(was, ToolResult) and isinstance(result, ToolResult)
            assert (result.call_id, result.text) == (message.answers, text)
            assert result.is_error == was.is_error
            assert lines.is_error == message.is_error
            assert lines.record == message.record


@given(conversations(), TEXTS)
def test_it_is_counted_as_any_message_with_these_words(session: Session, text: str) -> None:
    sizes = sized(session)
    for message in session:
        if message.role == "tool":
            lines = with_placeholder(message, text)
            assert sizes.measure(lines) == count_message(lines, LETTERS)


def test_the_original_is_not_read_before_somebody_asks_for_the_text() -> None:
    original = recorded([work(result="3 rows")], "anthropic").messages[1]
    body: Body = Sealed()
    sealed = Message(original.id, "tool", body, "anthropic", answers=original.answers, is_error=True)
    lines = with_placeholder(sealed, "gone")
    assert (lines.preview, lines.chars, lines.answers, lines.is_error) == ("gone", 4, "call_1", True)
    assert sized(recorded([work()])).measure(lines) == 5
    assert lines.placeholder == "gone"


def test_other_fields_of_the_result_stay_as_they_were() -> None:
    raw = {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "x"}], "unread": 7}
    message = message_from_raw("m", raw, "openai", body=InMemoryBody(raw, {"folder": "/srv"}))
    lines = with_placeholder(message, "gone")
    assert lines.raw == {**raw, "content": "gone"}
    assert lines.record == {"folder": "/srv"}
