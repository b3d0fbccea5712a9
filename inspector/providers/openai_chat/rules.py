"""What OpenAI's chat interface refuses, in its words.

The rules are those of https://platform.openai.com/docs/api-reference/chat/create; the words are those of its refusals.
Indices and ids that differ from request to request stand as "…".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.conversation import Message
from inspector.providers.openai_chat.wire import OPENAI_CHAT_WIRE
from inspector.providers.rules import (
    Fault,
    Lengths,
    MessageSequence,
    call_faults,
    call_id_faults,
    no_messages,
    stray_results,
)

_LONGEST_ID = 40
"""Characters of the id of a call."""
_EMPTY_ID = "Invalid '{field}': empty string. Expected a string with minimum length 1, but got an empty string instead."
_LONG_ID = (
    "Invalid '{field}': string too long. Expected a string with maximum length {longest}, but got a string with length"
    " {length} instead."
)
_DUPLICATE_ID = "Duplicate value for 'tool_call_id' of {ids} in message[…]"
_NULL = "Invalid value for 'content': expected a string, got null."
_NO_BLOCKS = (
    "Invalid 'messages[…].content': empty array. Expected an array with minimum length 1, but got an empty array"
    " instead."
)
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_STRANGE_ROLE = (
    "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
)
_NO_MESSAGES = "[] is too short - 'messages'"
_ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
_NO_RESULT = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
)


def message_faults(messages: Sequence[Message], closely: bool) -> Iterator[Fault]:
    """Ids that do not fit, and what is refused in messages of this form. Others are written so that nothing is."""
    yield from call_id_faults(messages, _message_id_fault, _DUPLICATE_ID, within_message=True)
    for index, message in enumerate(messages):
        hollow = not message.chars and not message.calls and not message.images
        if message.dialect == OPENAI_CHAT_WIRE.name and (hollow or closely):
            yield from (Fault(index, words, index + 1) for words in _refusals(message))


def sequence_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """An empty request, stray results and open calls."""
    yield no_messages(sequence.messages, _NO_MESSAGES, counting_system=True)
    yield from stray_results(sequence, _ORPHAN, _ORPHAN)
    yield from call_faults(sequence, lengths, _NO_RESULT)


def id_fault(id: str, field: str, longest: int) -> str:
    """The words that OpenAI refuses an id in a field with; empty where it takes it."""
    if not id:
        return _EMPTY_ID.format(field=field)
    return _LONG_ID.format(field=field, longest=longest, length=len(id)) if len(id) > longest else ""


def _message_id_fault(id: str) -> str:
    return id_fault(id, "messages[…].tool_calls[…].id", _LONGEST_ID)


def _refusals(message: Message) -> Iterator[str]:
    """What is refused inside a message."""
    raw = message.raw
    if raw.get("role") not in _ROLES:
        yield _STRANGE_ROLE.format(role=raw.get("role"))
    if raw.get("content") == []:
        yield _NO_BLOCKS
    elif raw.get("content") is None and not (message.calls or raw.get("refusal")):
        yield _NULL
