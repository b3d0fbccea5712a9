"""Notes for the user about recorded content that a request omits because the API or the model does not support it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.core.conversation import Message, Raw, RequestContext, Unknown
from inspector.llm import models
from inspector.llm.providers.base import Provider, Request
from inspector.llm.providers.message_parsing import text_message
from inspector.llm.providers.openai_chat.chat_wire import RESPONSES
from inspector.llm.providers.openai_responses.responses_items import SEALED, is_sealed_summary
from inspector.llm.providers.registry import PROVIDERS
from inspector.llm.providers.tool_pairing import is_own_tool

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


def omission_notes(
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
