"""Validation rules of OpenAI's chat API, with its error messages.

The rules are from https://platform.openai.com/docs/api-reference/chat/create. Indices and ids that vary between
requests are replaced by "…" in the messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.conversation import Message
from inspector.llm.providers.openai_chat.chat_settings import STRANGE_TOOL
from inspector.llm.providers.openai_chat.chat_wire import OPENAI_CHAT_WIRE, ROLES, has_kind, is_fit_speaker
from inspector.llm.providers.rules import (
    ContentRule,
    Fault,
    Lengths,
    MessageSequence,
    call_faults,
    call_id_faults,
    call_name_faults,
    no_messages,
    stray_results,
)
from inspector.llm.providers.tool_names import MAX_NAME_LENGTH
from inspector.llm.providers.tool_pairing import MAX_ID_LENGTH

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
_STRANGE_NAME = (
    "Invalid 'messages[…].name': string does not match pattern. Expected a string that matches the pattern"
    " '^[^\\s<|\\\\/>]+$'."
)
_STRANGE_TOOL = STRANGE_TOOL.format(field="messages[…].tool_calls[…].function.name")
_STRANGE_KIND = (
    "Invalid value: '{kind}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."
)
_STRANGE_ROLE = (
    "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
)
_NO_MESSAGES = "[] is too short - 'messages'"
_ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
_NO_RESULT = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
)


def message_faults(messages: Sequence[Message]) -> Iterator[Fault]:
    """Yield faults for invalid ids and names, and for invalid content of messages in this wire format.

    Messages in other wire formats are converted to valid content.
    """
    yield from call_id_faults(messages, _message_id_fault, _DUPLICATE_ID, within_message=True)
    yield from call_name_faults(messages, MAX_NAME_LENGTH, _STRANGE_TOOL)
    for index, message in enumerate(messages):
        yield from (Fault(index, words, index + 1) for words in CONTENT.faults(message))


def sequence_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """Yield faults for an empty request, and for unpaired results and calls."""
    yield no_messages(sequence.messages, _NO_MESSAGES, counting_system=True)
    yield from stray_results(sequence, _ORPHAN, _ORPHAN)
    yield from call_faults(sequence, lengths, _NO_RESULT)


def id_fault(id: str, field: str, longest: int) -> str:
    """Return the error message for an invalid id, or an empty string if it is valid.

    Args:
        id: The id.
        field: Name of the field in the error message.
        longest: Maximum length of the id.
    """
    if not id:
        return _EMPTY_ID.format(field=field)
    return _LONG_ID.format(field=field, longest=longest, length=len(id)) if len(id) > longest else ""


def _message_id_fault(id: str) -> str:
    return id_fault(id, "messages[…].tool_calls[…].id", MAX_ID_LENGTH)


def _refusals(message: Message) -> tuple[str, ...]:
    return tuple(_refusals_of(message)) if message.dialect == OPENAI_CHAT_WIRE.name else ()


def _refusals_of(message: Message) -> Iterator[str]:
    raw = message.raw
    role, content = raw.get("role"), raw.get("content")
    if str(role) not in ROLES:
        yield _STRANGE_ROLE.format(role=role)
    if content == []:
        yield _NO_BLOCKS
    elif content is None and not (message.calls or raw.get("refusal")):
        yield _NULL
    if not is_fit_speaker(raw.get("name")):
        yield _STRANGE_NAME
    for block in content if isinstance(content, list) else ():
        if not has_kind(block):
            yield _STRANGE_KIND.format(kind=block.get("type") if isinstance(block, dict) else None)


CONTENT = ContentRule("OpenAI chat", _refusals)
