"""Notes for the user about recorded content that a request omits or changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspector.core.conversation import Message, Part, RequestContext, Thinking, readable
from inspector.core.text import plural
from inspector.llm.providers.anthropic.anthropic_settings import asks_for_thinking, can_think
from inspector.llm.providers.anthropic.anthropic_wire import ANTHROPIC_WIRE
from inspector.llm.providers.base import Provider, Request
from inspector.llm.providers.omissions import omission_notes
from inspector.llm.providers.request_changes import argument_notes, empty_reply_notes, failure_notes, order_notes
from inspector.llm.providers.rules import MessageSequence
from inspector.llm.providers.tool_pairing import FIRST_WORDS, NEXT_WORDS, NO_RESULT

_MAX_NAMES = 3
"""Maximum number of tools without a result that are listed."""


def export_notes(provider: Provider, window: MessageSequence, request: Request) -> Iterator[str]:
    """Yield a sentence for each difference between a window and the request built from it.

    Args:
        provider: Provider of the request.
        window: The window.
        request: The request built from it.
    """
    context, model = window.context, request.get("model")
    if model is None:
        yield (
            f"The request has no model, because {context.model} is not a model of {provider.title}. Choose one with "
            "--model."
        )
    elif model != context.model:
        recorded = f"{context.model} was recorded" if context.model else "no model was recorded"
        yield f"The model of the request is {model}; {recorded}."
    yield from omission_notes(provider, context, window.messages, request)
    yield from _definition_notes(context, request)
    items = request.get("messages") or request.get("input") or ()
    if items and items[0].get("content") == FIRST_WORDS and not _begins_with_words(window.messages):
        yield f"The conversation does not begin with a user message, so {FIRST_WORDS} was added."
    yield from _end_notes(window, items)
    if context.dialect == provider.wire.name and _lost_thinking(context.settings, request):
        yield "Thinking is disabled, because the messages lack the thinking blocks that it requires."
    yield from _thinking_notes(provider, window.messages, items)
    yield from _change_notes(provider, window.messages)


def _change_notes(provider: Provider, messages: Sequence[Message]) -> Iterator[str]:
    """Yield notes about messages that are written differently, and about empty replies."""
    yield from order_notes(messages)
    others = [message for message in messages if message.dialect != provider.wire.name]
    if provider.wire.name == ANTHROPIC_WIRE.name:
        yield from empty_reply_notes(messages[:-1])  # _end_notes reports on the last message
        yield from argument_notes(others)
    else:
        yield from failure_notes(provider.title, others)


def _definition_notes(context: RequestContext, request: Request) -> Iterator[str]:
    """Yield a note if tools had to be defined because none were recorded."""
    count = 0 if context.tools else len(request.get("tools") or ())
    if count:
        yield (
            f"No tools were recorded, and a request with calls must define them: {plural(count, 'definition')} without "
            "parameters were added for the called tools."
        )


def _lost_thinking(settings: Mapping[str, Any], request: Request) -> bool:
    """Return True if a request does not enable thinking although it was recorded and the model supports it."""
    return asks_for_thinking(settings) and "thinking" not in request and can_think(str(request.get("model", "")))


def _begins_with_words(messages: Sequence[Message]) -> bool:
    first = next((message for message in messages if message.role != "system"), None)
    return first is not None and first.role == "user" and first.text.strip() == FIRST_WORDS


def _end_notes(window: MessageSequence, items: Sequence[Any]) -> Iterator[str]:
    """Yield notes about added results, and about a final reply that was removed or followed by a placeholder."""
    messages = window.messages
    last = messages[-1] if messages and messages[-1].role == "assistant" else None
    if last is None or not items or _is_last(last, items[-1]):
        yield from _result_notes(messages, window.groups.open_calls)
    else:
        end = len(messages) - 1
        yield from _result_notes(messages, {k: v for k, v in window.groups.open_calls.items() if k != end})
        yield f"The last reply was omitted: {_grounds(last)}."
    if last is not None and items and items[-1].get("content") == NEXT_WORDS:
        yield (
            f"The model does not accept a reply at the end, so {NEXT_WORDS} was added after it. Replace it by "
            "the next request."
        )


def _result_notes(messages: Sequence[Message], open_calls: Mapping[int, Sequence[int]]) -> Iterator[str]:
    """Yield a note about calls whose results were not recorded, and for which a placeholder was added."""
    calls = [messages[caller].calls[place] for caller, places in open_calls.items() for place in places]
    names = list(dict.fromkeys(call.name for call in calls))
    if names:
        more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
        yield f"Results of {', '.join(names[:_MAX_NAMES])}{more} are not recorded and were replaced by {NO_RESULT}."


def _is_last(reply: Message, end: Any) -> bool:
    """Return True if a request that ends with `end` still contains the final reply of the window."""
    if end.get("role") != "user" or end.get("content") == NEXT_WORDS:
        return True
    content = end.get("content")
    blocks = content if isinstance(content, list) else []
    return bool(reply.calls) and any(block.get("content") == NO_RESULT for block in blocks)


def _grounds(reply: Message) -> str:
    """Return the reason why a reply cannot be the end of a request."""
    parts = reply.parts
    if parts and all(isinstance(part, Thinking) for part in parts):
        return "it contains only thinking"
    return "the model does not continue a reply" if any(map(readable, parts)) else "it is empty"


def _thinking_notes(provider: Provider, messages: Sequence[Message], items: Iterable[Any]) -> Iterator[str]:
    """Yield a note about thinking that was removed."""
    recorded = [_count_thoughts(message.parts) for message in messages if message.thinks]
    if not recorded:
        return
    rest = sum(item.get("type") == "reasoning" or _count_thoughts(provider.wire.parse(item)) for item in items)
    if lost := sum(recorded) - rest:
        passages = plural(sum(recorded), "passage")
        yield f"Thinking was removed, {lost:,} of {passages}: {provider.title} does not accept it in this position."


def _count_thoughts(parts: Iterable[Part]) -> int:
    return sum(isinstance(part, Thinking) for part in parts)
