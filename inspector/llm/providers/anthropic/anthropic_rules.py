"""Validation rules of Anthropic's Messages API, with its error messages.

The rules are from https://docs.anthropic.com/en/api/messages and the pages on tool use and extended thinking. Indices
and ids that vary between requests are replaced by "…" in the messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, RequestContext, Text, Thinking
from inspector.llm.providers.anthropic.anthropic_settings import (
    MARKS,
    MAX_NAME_LENGTH,
    STRANGE_NAME,
    TOO_MANY_MARKS,
    asks_for_thinking,
    context_refusals,
    marks_around,
    marks_in,
    version_of,
)
from inspector.llm.providers.anthropic.anthropic_wire import (
    ANTHROPIC_WIRE,
    blocks_of,
    extra_fields,
    is_compaction,
    is_fit_role,
    is_result,
)
from inspector.llm.providers.rules import (
    UNBOUNDED,
    ContentRule,
    Fault,
    Lengths,
    MessageSequence,
    call_faults,
    call_id_faults,
    call_name_faults,
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
_PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."
_TRAILING_SPACE = "messages: final assistant content cannot end with trailing whitespace"
_STRANGE_ROLE = "messages: Input should be 'user' or 'assistant'"
_EXTRA_FIELD = "messages.….{name}: Extra inputs are not permitted"
_STRANGE_NAME = STRANGE_NAME.format(field="messages.….content.….tool_use.name")
_STRANGE_KIND = "messages: Input tag '{kind}' found using 'type' does not match any of the expected tags"
_KINDS = frozenset(
    {
        *("text", "image", "document", "search_result", "thinking", "redacted_thinking", "tool_use", "tool_result"),
        *("tool_reference", "container_upload", "compaction"),
    }
)
"""Valid block types of a message. See `is_known` for further ones."""
_IN_ORDER = (_NULL_RESULT, _EMPTY_ERROR, _EMPTY_TEXT, _BLANK_TEXT)
"""Error messages about blocks, most important first."""
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


def message_faults(messages: Sequence[Message]) -> Iterator[Fault]:
    """Yield faults for invalid ids and names, empty content and empty text."""
    yield from call_id_faults(messages, _id_fault, _DUPLICATE_ID)
    yield from call_name_faults(messages, MAX_NAME_LENGTH, _STRANGE_NAME)
    places = [index for index, message in enumerate(messages) if message.role != "system"]
    for index, next_message in zip(places, [*places[1:], UNBOUNDED], strict=False):
        message = messages[index]
        for words in CONTENT.faults(message)[:1]:
            may_be_last = words == _EMPTY and message.role == "assistant"
            yield Fault(index, words, next_message + 1 if may_be_last else index + 1)


def sequence_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """Yield faults for an empty request, a first reply, unpaired results and calls, and removed thinking."""
    yield no_messages(sequence.messages, _NO_MESSAGES, counting_system=False)
    yield from _first_role_faults(sequence.messages)
    yield from stray_results(sequence, _ORPHAN, _SECOND_RESULT)
    yield from call_faults(sequence, lengths, _NO_RESULT, system_apart=True)
    yield from _thinking_faults(sequence, lengths)
    if words := refused_end(sequence) or _space_at_end(sequence):
        last = len(sequence.messages) - 1
        yield Fault(last, words, last + 1)


def refused_end(sequence: MessageSequence) -> str:
    """Return the error message for a prefill if the model rejects it, or an empty string.

    A prefill is a final reply for the model to continue. Newer models do not support it, and no model does while
    thinking. In a log, a final reply is normally the model's answer. It is a prefill only if it belongs to a recorded
    request and has neither model nor usage.
    """
    return _PREFILL if is_refused_prefill(sequence.context, sequence.messages) else ""


def is_refused_prefill(context: RequestContext, messages: Sequence[Message]) -> bool:
    """Return True if a request ends with a prefill that its model does not support."""
    refuses = refuses_prefill(context.model) or asks_for_thinking(context.settings)
    return refuses and _is_prefill(context, messages)


def refuses_prefill(model: str) -> bool:
    """Return True if a model does not support prefills, which is the case from Claude 4.6 on.

    See https://platform.claude.com/docs/en/about-claude/models/migration-guide.
    """
    version = version_of(model)
    return version is not None and version >= (4, 6)


def request_faults(sequence: MessageSequence) -> Iterator[Fault]:
    """Yield faults for tools and settings, and for too many cache breakpoints."""
    yield from (Fault(-1, words, 0) for words in context_refusals(sequence.context))
    marks = marks_around(sequence.context)
    for index, message in enumerate(sequence.messages):
        if message.has_flaw is not False and message.dialect == ANTHROPIC_WIRE.name:
            marks += _MARKS.get(message, _marks_of)
        if marks > MARKS:
            yield Fault(-1, TOO_MANY_MARKS, index + 1)
            return


_MARKS: MessageCache[int] = MessageCache("marks for Anthropic's prompt cache")


def _marks_of(message: Message) -> int:
    return marks_in(message.raw)


def _is_prefill(context: RequestContext, messages: Sequence[Message]) -> bool:
    last = messages[-1] if messages else None
    sent = "max_tokens" in context.settings and context.dialect == ANTHROPIC_WIRE.name
    return sent and last is not None and last.role == "assistant" and not (last.model or last.usage)


def _space_at_end(sequence: MessageSequence) -> str:
    messages = sequence.messages
    return _TRAILING_SPACE if _is_prefill(sequence.context, messages) and _ends_in_space(messages[-1]) else ""


def _id_fault(id: str) -> str:
    return "" if _FIT_ID.fullmatch(id) else _UNFIT_ID


def _refusals(message: Message) -> tuple[str, ...]:
    """Return the error messages for the content of a message, most important first."""
    if message.dialect != ANTHROPIC_WIRE.name:  # converted messages have no empty blocks
        says_something = message.answers is not None or message.calls or message.text.strip()
        return () if says_something or message.images else (_EMPTY,)
    raw = message.raw
    blocks = blocks_of(raw)
    if not blocks or raw.get("content") == "":
        return (_EMPTY,)
    if not is_fit_role(raw):
        return (_STRANGE_ROLE,)
    refusals = (*map(_result_fault, filter(is_result, blocks)), *map(_text_fault, _texts_in(blocks)))
    strange = (_STRANGE_KIND.format(kind=_flat(kind)) for kind in _kinds_in(blocks) if not is_known(kind))
    extra = (_EXTRA_FIELD.format(name=name) for name in extra_fields(raw))
    return (*sorted(filter(None, refusals), key=_IN_ORDER.index), *strange, *extra)


def _flat(kind: object) -> object:
    """Return the type of a block for a message; for a list or an object, the name of its Python type."""
    return type(kind).__name__ if isinstance(kind, list | dict) else kind


CONTENT = ContentRule("Anthropic", _refusals)


def is_known(kind: object) -> bool:
    """Return True if the API has blocks of this type. Server tools keep adding new ones."""
    return isinstance(kind, str) and (kind in _KINDS or kind.endswith(("_tool_use", "_tool_result")))


def _kinds_in(blocks: Iterable[Any]) -> Iterator[object]:
    """Yield the types of blocks, including those inside results."""
    for block in blocks:
        yield block.get("type") if isinstance(block, dict) else None
        if is_result(block) and isinstance(block.get("content"), list):
            yield from _kinds_in(block["content"])


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
    """Yield the texts of blocks, including those inside results. A result that is a string can be empty."""
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "tool_result", "content": [*inner]}:
                yield from _texts_in(inner)


def _says_nothing(content: Any) -> bool:
    return not content or (isinstance(content, str) and not content.strip())


def _ends_in_space(message: Message) -> bool:
    """Return True if the last text of a message ends with whitespace."""
    last = message.parts[-1:]
    return any(isinstance(part, Text) and part.text.strip() and part.text[-1].isspace() for part in last)


def _first_role_faults(messages: Sequence[Message]) -> Iterator[Fault]:
    """Yield a fault if the conversation begins with a reply."""
    first = next((index for index, message in enumerate(messages) if message.role != "system"), None)
    if first is not None and messages[first].role == "assistant" and not is_compaction(messages[first].raw):
        yield Fault(first, _FIRST_ROLE, first + 1)


def _thinking_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """Yield faults for thinking that was removed or changed in the latest step while its results are sent."""
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
