"""What a request leaves out because its interface or its model has no place for it, in sentences for who exports it."""

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
"""Under which names a setting may go along to another interface, where they are not its own."""


def omission_notes(
    provider: Provider, context: RequestContext, messages: Sequence[Message], request: Request
) -> Iterator[str]:
    """A sentence for each thing that the model of a `request` refuses, and one for all that its interface has not."""
    model = request.get("model")
    if isinstance(model, str):
        yield from _model_notes(provider, context, model)
    if left_out := list(dict.fromkeys(_names_left_out(provider, context, messages, request))):
        yield f"Not carried over to {provider.title}: {', '.join(left_out)}."


def _model_notes(provider: Provider, context: RequestContext, model: str) -> Iterator[str]:
    """What the model that is asked for does not take, where the recorded one did, and whose it is."""
    before = set(provider.context_refusals(context))
    now = dict.fromkeys(provider.context_refusals(replace(context, model=model)))
    yield from (f"Put right for {model}: {words}" for words in now if words not in before)
    family = models.profile(model).family
    maker = next((other for other in PROVIDERS.values() if family in other.families), provider)
    if maker.wire.name != provider.wire.name:
        yield f"{model} is none of {provider.title}'s models: --to {maker.name} writes the request for it."


def _names_left_out(
    provider: Provider, context: RequestContext, messages: Sequence[Message], request: Request
) -> Iterator[str]:
    """Settings, kinds of tools and kinds of items that only the interface has that they were recorded for."""
    yield from _parts_left_out(provider, context, request)
    if provider.name != RESPONSES:
        yield from hidden_kinds(messages)


def _parts_left_out(provider: Provider, context: RequestContext, request: Request) -> Iterator[str]:
    """The settings and the kinds of tools among these."""
    recorded = context.settings.get(RESPONSES)
    is_responses = isinstance(recorded, Mapping)
    if provider.wire.name == context.dialect and (provider.name == RESPONSES) == is_responses:
        return
    settings = recorded if isinstance(recorded, Mapping) else context.settings
    yield from (name for name in _setting_names(settings) if request.keys().isdisjoint(_CARRIERS.get(name, (name,))))
    kinds = {tool.get("type") for tool in request.get("tools", ())}
    yield from (str(tool["type"]) for tool in context.tools if not is_own_tool(tool) and tool["type"] not in kinds)


def hidden_kinds(messages: Sequence[Message]) -> Iterator[str]:
    """The kind of each item in messages that only the interface knows that it was recorded for, such as reasoning."""
    for message in messages:
        if message.has_flaw is not False:
            yield from (part.type for part in message.parts if isinstance(part, Unknown) and part.is_internal)


def in_words(message: Message) -> Message:
    """The same message; words stand for a summary that only OpenAI can read, where there is no place for it."""
    if message.kind != "summary" or not is_sealed_summary(message.raw):
        return message
    facts = {name: getattr(message, name) for name in ("kind", "agent", "parent", "name", "time", "model")}
    return text_message(message.id, message.role, SEALED, message.dialect, **facts)


def _setting_names(settings: Raw) -> Iterator[str]:
    """The names of settings that any provider has, without what a logger noted among them."""
    known = frozenset().union(*(other.settings for other in PROVIDERS.values()))
    return (name for key, value in settings.items() if key in known for name in _parts_of(key, value))


def _parts_of(name: str, value: Any) -> Iterator[str]:
    """The name of a setting, or of each part of one that holds several; none of what says nothing."""
    if name in ("reasoning", "text") and isinstance(value, Mapping):
        yield from (f"{name}.{part}" for part, inner in value.items() if inner is not None)
    elif value is not None:
        yield name
