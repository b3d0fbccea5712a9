"""Notes for the user about recorded content that a request omits or changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.core.conversation import Message, Part, Raw, RequestContext, Text, Thinking, ToolCall, Unknown, readable
from inspector.core.text import listed, plural
from inspector.llm import models
from inspector.llm.providers.anthropic.anthropic_settings import asks_for_thinking, can_think
from inspector.llm.providers.anthropic.anthropic_wire import ANTHROPIC_WIRE
from inspector.llm.providers.base import Provider, Request
from inspector.llm.providers.message_parsing import text_message
from inspector.llm.providers.openai_chat.chat_wire import RESPONSES
from inspector.llm.providers.openai_responses.responses_items import SEALED, is_sealed_summary
from inspector.llm.providers.registry import PROVIDERS
from inspector.llm.providers.rules import MessageSequence
from inspector.llm.providers.tool_pairing import FIRST_WORDS, NEXT_WORDS, NO_RESULT, is_own_tool

_MAX_NAMES = 3
"""Maximum number of tools without a result that are listed."""
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_CARRIERS = {
    **dict.fromkeys(_LIMITS, _LIMITS),
    "reasoning_effort": ("reasoning",),
    "reasoning.effort": ("reasoning_effort",),
    "response_format": ("text",),
    "text.format": ("response_format",),
    "verbosity": ("text",),
    "text.verbosity": ("verbosity",),
}
"""Names under which a setting can be carried over to another API, if they differ from its own."""


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
    yield from _omission_notes(provider, context, window.messages, request)
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
        yield from _failure_notes(provider.title, others)


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
        yield f"Results of {listed(names, _MAX_NAMES)} are not recorded and were replaced by {NO_RESULT}."


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


def _failure_notes(title: str, messages: Iterable[Message]) -> Iterator[str]:
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


def _omission_notes(
    provider: Provider, context: RequestContext, messages: Sequence[Message], request: Request
) -> Iterator[str]:
    """Yield a sentence for each setting that the model of a request rejects, and one for everything that is omitted.

    Args:
        provider: Provider of the request.
        context: Recorded context.
        messages: Recorded messages.
        request: The request built from them.
    """
    model = request.get("model")
    if isinstance(model, str):
        yield from _model_notes(provider, context, model)
    if left_out := list(dict.fromkeys(_names_left_out(provider, context, messages, request))):
        yield f"Not supported by {provider.title}: {', '.join(left_out)}."


def _model_notes(provider: Provider, context: RequestContext, model: str) -> Iterator[str]:
    """Yield notes about settings that only the new model rejects, and about a model of another provider."""
    before = set(provider.context_refusals(context))
    now = dict.fromkeys(provider.context_refusals(replace(context, model=model)))
    yield from (f"Adjusted for {model}: {words}" for words in now if words not in before)
    family = models.profile(model).family
    maker = next((other for other in PROVIDERS.values() if family in other.families), provider)
    if maker.wire.name != provider.wire.name:
        yield f"{model} is not a model of {provider.title}. To write its request, use --to {maker.name}."


def _names_left_out(
    provider: Provider, context: RequestContext, messages: Sequence[Message], request: Request
) -> Iterator[str]:
    """Yield the names of omitted settings, tool types and item types."""
    yield from _parts_left_out(provider, context, request)
    if provider.name != RESPONSES:
        yield from hidden_kinds(messages)


def _parts_left_out(provider: Provider, context: RequestContext, request: Request) -> Iterator[str]:
    """Yield the names of omitted settings and tool types."""
    recorded = context.settings.get(RESPONSES)
    is_responses = isinstance(recorded, Mapping)
    if provider.wire.name == context.dialect and (provider.name == RESPONSES) == is_responses:
        return
    settings = recorded if isinstance(recorded, Mapping) else context.settings
    yield from (name for name in _setting_names(settings) if request.keys().isdisjoint(_CARRIERS.get(name, (name,))))
    kinds = {tool.get("type") for tool in request.get("tools", ())}
    yield from (str(tool["type"]) for tool in context.tools if not is_own_tool(tool) and tool["type"] not in kinds)


def hidden_kinds(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the type of each item that is internal to the recorded API, such as reasoning."""
    for message in messages:
        if message.has_flaw is not False:
            yield from (part.type for part in message.parts if isinstance(part, Unknown) and part.is_internal)


def with_readable_summary(message: Message) -> Message:
    """Return the message, with a summary that only OpenAI can decrypt replaced by a sentence about it."""
    if message.kind != "summary" or not is_sealed_summary(message.raw):
        return message
    facts = {name: getattr(message, name) for name in ("kind", "agent", "parent", "name", "time", "model")}
    return text_message(message.id, message.role, SEALED, message.dialect, **facts)


def _setting_names(settings: Raw) -> Iterator[str]:
    """Yield the names of recorded settings that any provider has, ignoring other recorded fields."""
    known = frozenset().union(*(other.settings for other in PROVIDERS.values()))
    return (name for key, value in settings.items() if key in known for name in _parts_of(key, value))


def _parts_of(name: str, value: Any) -> Iterator[str]:
    """Yield the name of a setting, or of each part of a compound setting. Null values are skipped."""
    if name in ("reasoning", "text") and isinstance(value, Mapping):
        yield from (f"{name}.{part}" for part, inner in value.items() if inner is not None)
    elif value is not None:
        yield name
