"""Notes for the user about content that an export changes without losing it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.core.conversation import Message, Text, ToolCall
from inspector.core.text import plural


def order_notes(messages: Sequence[Message]) -> Iterator[str]:
    """Yield a note if results of parallel calls were recorded in another order than their calls."""
    waiting: dict[str, tuple[int, int]] = {}
    newest: dict[int, int] = {}
    replies: set[int] = set()
    for index, message in enumerate(messages):
        waiting |= {call.id: (index, place) for place, call in enumerate(message.calls)}
        if message.answers is not None and message.answers in waiting:
            caller, place = waiting.pop(message.answers)
            if place < newest.get(caller, 0):
                replies.add(caller)
            newest[caller] = max(place, newest.get(caller, 0))
    if replies:
        yield f"Results of parallel calls were sorted by the order of the calls, after {_replies(len(replies))}."


def empty_reply_notes(messages: Sequence[Message]) -> Iterator[str]:
    """Yield a note if replies are omitted because they are empty."""
    if count := sum(map(_is_silent, messages)):
        yield f"Omitted: {_replies(count)} without content."


def failure_notes(title: str, messages: Iterable[Message]) -> Iterator[str]:
    """Yield a note if the format cannot mark failed calls, so that "Error:" is prepended to their results."""
    failed = [message for message in messages if message.is_error and message.answers is not None]
    if count := sum(not message.text.lower().startswith("error") for message in failed):
        yield f"{title} has no field for failed calls: “Error:” was added before {plural(count, 'result')}."


def argument_notes(messages: Iterable[Message]) -> Iterator[str]:
    """Yield a note if arguments of calls are wrapped in a JSON object because the format requires one."""
    parts = (part for message in messages if message.calls for part in message.parts)
    if count := sum(isinstance(part, ToolCall) and not part.arguments.lstrip().startswith("{") for part in parts):
        yield f"Arguments that are not a JSON object were wrapped in one, in {plural(count, 'call')}."


def _is_silent(message: Message) -> bool:
    if message.role != "assistant" or message.kind == "notice" or message.calls or message.images or message.thinks:
        return False
    return all(isinstance(part, Text) and not part.text.strip() for part in message.parts)


def _replies(count: int) -> str:
    return "1 reply" if count == 1 else f"{count:,} replies"
