"""What a provider would refuse a message for by itself: ids of calls that do not fit, and content that it cannot be.

Such blemishes come with the recording. No strategy adds to them, and none mends them: an export does.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from inspector.conversation import Message, Provider, Text, Unknown
from inspector.providers.anthropic.wire import blocks_of, is_result

FOR_EVER = sys.maxsize - 1


class Fault(NamedTuple):
    """What a provider would refuse, and how long it would.

    A window grows with the conversation, and a window of an earlier turn is a beginning of it. A fault is one of all
    beginnings from `since` to `until` messages.
    """

    place: int
    """Of the message in its window; -1 for the whole of it."""
    words: str
    """The provider's."""
    since: int
    until: int = FOR_EVER


Lengths = Sequence[int]
"""The beginnings of a window that are asked for, each by how many messages it has, ascending."""

_ID: Mapping[Provider, str] = {"openai": "messages[…].tool_calls[…].id", "openai-responses": "input[…].call_id"}
_EMPTY_ID = "Invalid '{id}': empty string. Expected a string with minimum length 1, but got an empty string instead."
_LONG_ID = (
    "Invalid '{id}': string too long. Expected a string with maximum length {longest}, but got a string with length"
    " {length} instead."
)
_LONGEST_ID: Mapping[Provider, int] = {"openai": 40, "openai-responses": 64}
_UNFIT_ID = "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
_FIT_ID = re.compile(r"[a-zA-Z0-9_-]+")
SAME_ID: Mapping[Provider, str] = {
    "openai": "Duplicate value for 'tool_call_id' of {ids} in message[…]",
    "openai-responses": "Duplicate function_call_output for call_id {ids}.",
    "anthropic": "`tool_use` ids must be unique",
}

_NULL = "Invalid value for 'content': expected a string, got null."
_NO_BLOCKS = (
    "Invalid 'messages[…].content': empty array. Expected an array with minimum length 1, but got an empty array"
    " instead."
)
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_STRANGE_ROLE = (
    "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
)
_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
_EMPTY_TEXT = "messages: text content blocks must be non-empty"
_BLANK_TEXT = "messages: text content blocks must contain non-whitespace text"
_NULL_RESULT = "tool_result.content: Input should be a valid list"
_EMPTY_ERROR = "tool_result: content cannot be empty if `is_error` is true"
TRAILING = "messages: final assistant content cannot end with trailing whitespace"
_LONE_REASONING = "Item '{id}' of type 'reasoning' was provided without its required following item."


def blemishes(messages: Sequence[Message], provider: Provider, *, closely: bool = False) -> Iterator[tuple[int, str]]:
    """The faults of messages, one by one: the place of each, and the provider's words.

    Only suspicious ones are read, unless all are to be looked at `closely`.
    """
    return standing(blemishes_in(messages, provider, [len(messages)], closely), len(messages))


def standing(faults: Iterable[Fault], length: int) -> Iterator[tuple[int, str]]:
    """The faults of the beginning with so many messages, as place and words."""
    return ((fault.place, fault.words) for fault in faults if fault.since <= length <= fault.until)


def asked_between(lengths: Lengths, first: int, last: int) -> bool:
    """Whether a beginning of `first` to `last` messages is asked for."""
    place = bisect_left(lengths, first)
    return place < len(lengths) and lengths[place] <= last


def blemishes_in(messages: Sequence[Message], provider: Provider, lengths: Lengths, closely: bool) -> Iterator[Fault]:
    """The faults of messages, one by one, in any of the beginnings that are asked for."""
    yield from _unfit_ids(messages, provider)
    yield from _CONTENTS[provider](messages, lengths, closely)


def _unfit_ids(messages: Sequence[Message], provider: Provider) -> Iterator[Fault]:
    """Ids of calls that are empty, too long, of strange signs, or there twice (for OpenAI's chat, in one message)."""
    seen: set[str] = set()
    for index, message in enumerate(messages):
        if not message.calls:
            continue
        if provider == "openai":
            seen = set()
        for call in message.calls:
            if words := _unfit_id(call.id, provider):
                yield Fault(index, words, index + 1)
            elif call.id in seen:
                yield Fault(index, SAME_ID[provider].format(ids=call.id), index + 1)
            seen.add(call.id)


def _unfit_id(id: str, provider: Provider) -> str:
    if provider == "anthropic":
        return "" if _FIT_ID.fullmatch(id) else _UNFIT_ID
    if not id:
        return _EMPTY_ID.format(id=_ID[provider])
    longest = _LONGEST_ID[provider]
    return _LONG_ID.format(id=_ID[provider], longest=longest, length=len(id)) if len(id) > longest else ""


def _chat_contents(messages: Sequence[Message], _lengths: Lengths, closely: bool) -> Iterator[Fault]:
    """What OpenAI's chat interface refuses in messages of its own form. Others are written so that it does not."""
    for index, message in enumerate(messages):
        hollow = not message.chars and not message.calls and not message.images
        if message.dialect != "openai" or not (hollow or closely):
            continue
        raw = message.raw
        if raw.get("role") not in _ROLES:
            yield Fault(index, _STRANGE_ROLE.format(role=raw.get("role")), index + 1)
        if raw.get("content") == []:
            yield Fault(index, _NO_BLOCKS, index + 1)
        elif raw.get("content") is None and not (message.calls or raw.get("refusal")):
            yield Fault(index, _NULL, index + 1)


def _responses_contents(messages: Sequence[Message], _lengths: Lengths, closely: bool) -> Iterator[Fault]:
    """Reasoning items with nothing behind them. All else is written anew in this form."""
    for index, message in enumerate(messages if closely else ()):
        last = message.parts[-1:] if message.role == "assistant" else ()
        for part in last:
            if isinstance(part, Unknown) and part.type == "reasoning":
                item = orjson.loads(part.json)
                name = item.get("id", "") if isinstance(item, dict) else ""
                yield Fault(index, _LONE_REASONING.format(id=name), index + 1)


def _claude_contents(messages: Sequence[Message], lengths: Lengths, closely: bool) -> Iterator[Fault]:
    """Empty content and empty texts, and what may not stand at the very end."""
    spoken = [index for index, message in enumerate(messages) if message.role != "system"]
    for index, following in zip(spoken, [*spoken[1:], FOR_EVER], strict=False):
        message = messages[index]
        if (_is_suspicious(message) or (closely and message.dialect == "anthropic")) and (
            words := _claude_content(message)
        ):
            may_be_last = words == _EMPTY and message.role == "assistant"
            yield Fault(index, words, following + 1 if may_be_last else index + 1)
        if message.role == "assistant" and asked_between(lengths, index + 1, following) and _ends_in_space(message):
            yield Fault(index, TRAILING, index + 1, following)


def _is_suspicious(message: Message) -> bool:
    """Whether a message may have nothing in it, by its head."""
    if message.images or (message.answers is None and message.calls):
        return False
    return not message.preview if message.answers is None else message.is_error and not message.chars


def _claude_content(message: Message) -> str:
    """The first thing that is refused inside a message; empty where nothing is."""
    if message.dialect != "anthropic":  # the form that it is written in has no empty blocks
        speaks = message.answers is not None or message.calls or message.text.strip()
        return "" if speaks else _EMPTY
    blocks = blocks_of(message.raw)
    if not blocks or message.raw.get("content") == "":
        return _EMPTY
    results = [block for block in blocks if is_result(block)]
    if any(block.get("content", "") is None for block in results):
        return _NULL_RESULT
    if any(block.get("is_error") and _says_nothing(block.get("content")) for block in results):
        return _EMPTY_ERROR
    texts = list(_texts_of(blocks))
    if "" in texts:
        return _EMPTY_TEXT
    return "" if all(map(str.strip, texts)) else _BLANK_TEXT


def _texts_of(blocks: Iterable[Any]) -> Iterator[str]:
    """The texts of blocks, those inside results among them. A result that is one text may be empty."""
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "tool_result", "content": [*inner]}:
                yield from _texts_of(inner)


def _says_nothing(content: Any) -> bool:
    return not content or (isinstance(content, str) and not content.strip())


def _ends_in_space(message: Message) -> bool:
    last = message.parts[-1:]
    return any(isinstance(part, Text) and part.text.strip() and part.text[-1].isspace() for part in last)


_CONTENTS: Mapping[Provider, Callable[[Sequence[Message], Lengths, bool], Iterator[Fault]]] = {
    "openai": _chat_contents,
    "openai-responses": _responses_contents,
    "anthropic": _claude_contents,
}
