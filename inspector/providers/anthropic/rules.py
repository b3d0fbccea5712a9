"""What Anthropic's Messages interface refuses, in its words.

The rules are those of https://docs.anthropic.com/en/api/messages and of the pages on tool use and extended thinking;
the words are those of its refusals. Indices and ids that differ from request to request stand as "…".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.conversation import Message, Text, Thinking
from inspector.providers.anthropic.wire import ANTHROPIC_WIRE, blocks_of, is_result
from inspector.providers.rules import (
    UNBOUNDED,
    Fault,
    Lengths,
    MessageSequence,
    call_faults,
    call_id_faults,
    is_selected,
    next_speakers,
    no_messages,
    stray_results,
)

_FIT_ID = re.compile(r"[a-zA-Z0-9_-]+")
_UNFIT_ID = "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
_DUPLICATE_ID = "`tool_use` ids must be unique"
_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
_EMPTY_TEXT = "messages: text content blocks must be non-empty"
_BLANK_TEXT = "messages: text content blocks must contain non-whitespace text"
_NULL_RESULT = "tool_result.content: Input should be a valid list"
_EMPTY_ERROR = "tool_result: content cannot be empty if `is_error` is true"
_TRAILING_SPACE = "messages: final assistant content cannot end with trailing whitespace"
_IN_ORDER = (_NULL_RESULT, _EMPTY_ERROR, _EMPTY_TEXT, _BLANK_TEXT)
"""What is refused inside a message, the first first."""
_NO_MESSAGES = "messages: at least one message is required"
_FIRST_ROLE = 'messages: first message must use the "user" role'
_ORPHAN = (
    "unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` block must have a"
    " corresponding `tool_use` block in the previous message."
)
_SECOND_RESULT = "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {ids}"
_NO_RESULT = (
    "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use`"
    " block must have a corresponding `tool_result` block in the next message."
)
_THINKING_LOSS = (
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant`"
    " message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
)
_THINKING_EDIT = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must"
    " remain as they were in the original response."
)


def message_faults(messages: Sequence[Message], lengths: Lengths, closely: bool) -> Iterator[Fault]:
    """Ids that do not fit, empty content and empty texts, and what may not stand at the very end."""
    yield from call_id_faults(messages, _id_fault, _DUPLICATE_ID)
    places = [index for index, message in enumerate(messages) if message.role != "system"]
    for index, next_message in zip(places, [*places[1:], UNBOUNDED], strict=False):
        message = messages[index]
        suspicious = _is_suspicious(message) or (closely and message.dialect == ANTHROPIC_WIRE.name)
        if suspicious and (words := _content_fault(message)):
            may_be_last = words == _EMPTY and message.role == "assistant"
            yield Fault(index, words, next_message + 1 if may_be_last else index + 1)
        if message.role == "assistant" and is_selected(lengths, index + 1, next_message) and _ends_in_space(message):
            yield Fault(index, _TRAILING_SPACE, index + 1, next_message)


def sequence_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """An empty request, one that begins with a reply, stray results, open calls, and thinking that was torn out."""
    yield no_messages(sequence.messages, _NO_MESSAGES, counting_system=False)
    yield from _first_role_faults(sequence.messages)
    yield from stray_results(sequence, _ORPHAN, _SECOND_RESULT)
    yield from call_faults(sequence, lengths, _NO_RESULT, system_apart=True)
    yield from _thinking_faults(sequence, lengths)


def _id_fault(id: str) -> str:
    return "" if _FIT_ID.fullmatch(id) else _UNFIT_ID


def _is_suspicious(message: Message) -> bool:
    """Whether a message may have nothing in it, by its metadata."""
    if message.images or (message.answers is None and message.calls):
        return False
    return not message.preview if message.answers is None else message.is_error and not message.chars


def _content_fault(message: Message) -> str:
    """The first thing that is refused inside a message; empty where nothing is."""
    if message.dialect != ANTHROPIC_WIRE.name:  # the form that it is written in has no empty blocks
        says_something = message.answers is not None or message.calls or message.text.strip()
        return "" if says_something else _EMPTY
    blocks = blocks_of(message.raw)
    if not blocks or message.raw.get("content") == "":
        return _EMPTY
    refusals = (*map(_result_fault, filter(is_result, blocks)), *map(_text_fault, _texts_in(blocks)))
    return min(filter(None, refusals), key=_IN_ORDER.index, default="")


def _result_fault(block: dict[str, Any]) -> str:
    content = block.get("content", "")
    if content is None:
        return _NULL_RESULT
    return _EMPTY_ERROR if block.get("is_error") and _says_nothing(content) else ""


def _text_fault(text: str) -> str:
    if text.strip():
        return ""
    return _BLANK_TEXT if text else _EMPTY_TEXT


def _texts_in(blocks: Iterable[Any]) -> Iterator[str]:
    """The texts of blocks, those inside results among them. A result that is one text may be empty."""
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "tool_result", "content": [*inner]}:
                yield from _texts_in(inner)


def _says_nothing(content: Any) -> bool:
    return not content or (isinstance(content, str) and not content.strip())


def _ends_in_space(message: Message) -> bool:
    last = message.parts[-1:]
    return any(isinstance(part, Text) and part.text.strip() and part.text[-1].isspace() for part in last)


def _first_role_faults(messages: Sequence[Message]) -> Iterator[Fault]:
    """A conversation that begins with a reply."""
    first = next((index for index, message in enumerate(messages) if message.role != "system"), None)
    if first is not None and messages[first].role == "assistant":
        yield Fault(first, _FIRST_ROLE, first + 1)


def _thinking_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """Thinking of the newest step, taken out or changed while the results that it asked for are being sent."""
    originals, messages = sequence.originals, sequence.messages
    has_changes = {
        index
        for index, now in enumerate(messages)
        if now.role == "assistant" and now.calls and originals.get(now.id, now) is not now
    }
    for index, end in next_speakers(messages, has_changes).items():
        now, before = messages[index], originals[messages[index].id]
        own = before.thinks and before.dialect == ANTHROPIC_WIRE.name
        if not own or not is_selected(lengths, index + 1, end):
            continue
        if not now.thinks:
            yield Fault(index, _THINKING_LOSS, index + 1, end)
        elif _thinking_in(before) != _thinking_in(now):
            yield Fault(index, _THINKING_EDIT, index + 1, end)


def _thinking_in(message: Message) -> list[Thinking]:
    return [part for part in message.parts if isinstance(part, Thinking)]
