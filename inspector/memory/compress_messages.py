"""Compress a list of messages in one call, without a manager or a store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import is_dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from inspector.core.conversation import Message, Raw, RequestContext
from inspector.engine.compression import CompressionEngine, Policy, check_integer, keep_limit
from inspector.engine.strategies import Services, Summariser
from inspector.engine.window import Plan
from inspector.memory.context_limit import ContextLimitError
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_messages
from inspector.memory.request_sizes import context_of, sizes_of
from inspector.memory.token_tracker import TokenTracker


class CompressedMessages(list[Any]):
    """Messages after a compression, with a report of it. Unchanged messages are the same objects as before."""

    tokens_before: int
    """Size of the whole request in tokens, with its tools."""
    tokens_after: int
    plans: tuple[Plan, ...]
    """The plans that were applied, oldest first; empty if the messages fit as they were."""


def compress(
    messages: Sequence[Any],
    strategy: str = "sliding_window",
    *,
    budget: int,
    model: str = "",
    provider: str = "",
    tools: Sequence[Raw] = (),
    settings: Mapping[str, Any] | None = None,
    summarise: Summariser | None = None,
) -> CompressedMessages:
    """Compress messages so that they fit a budget and the provider accepts them.

    System messages, the first task, the current request and the newest step stay. Long tool results are trimmed if the
    strategy leaves more than the budget, and then the oldest messages are dropped. The result also has the sizes before
    and after, and the applied plans.

    Args:
        messages: Messages of one conversation, oldest first, in any form that `MemoryManager.add_message` accepts. One
            that consists of several comes back as `LLMMessage` objects.
        strategy: Name of a strategy.
        budget: Maximum tokens of the request, tools included.
        model: Model, which determines how tokens are counted.
        provider: Provider, if the model's name does not determine it.
        tools: Tool definitions of the request.
        settings: Settings of the strategy.
        summarise: Writes summaries; by default they are extracted from the messages.

    Raises:
        ValueError: An argument is invalid.
        ContextLimitError: What has to stay exceeds the budget.
    """
    check_integer("budget", budget, 2)
    policy = Policy(strategy, settings or {}, budget, budget - 1, limit=budget, minimum_progress=0)
    engine = _engine(policy, context_of(model, provider, tools), provider, summarise)
    adapter = MessageAdapter(engine.cursor.context.dialect)
    sources = list(map(as_messages, messages))
    _fill(engine, chain.from_iterable(map(adapter.to_log, chain.from_iterable(sources))))
    before = engine.context()
    plans = list[Plan]()
    if before.total > budget:
        compaction = engine.compress()
        plans = [step.plan for step in (compaction, *keep_limit(engine)) if step]
    after = engine.context()
    if after.total > budget:
        raise ContextLimitError(f"{after.total:,} tokens have to stay, more than the budget of {budget:,}.")
    result = CompressedMessages(_in_own_type(adapter.to_llm(after.messages), sources, messages))
    result.tokens_before, result.tokens_after, result.plans = before.total, after.total, tuple(plans)
    return result


def _engine(policy: Policy, context: RequestContext, provider: str, summarise: Summariser | None) -> CompressionEngine:
    """Return an empty engine for one compression."""
    counter = TokenTracker.counter_for(provider, context.model)
    services = Services(summarise=summarise) if summarise else Services()
    return CompressionEngine(policy, context, sizes_of(context, counter), services)


def _fill(engine: CompressionEngine, messages: Iterable[Message]) -> None:
    for message in messages:
        engine.append(message, engine.sizes.measure(message))


async def acompress(messages: Sequence[Any], strategy: str = "sliding_window", **arguments: Any) -> CompressedMessages:
    """Return the result of `compress`, which runs in a worker thread.

    Args:
        messages: Messages of one conversation.
        strategy: Name of a strategy.
        arguments: The other arguments of `compress`.
    """
    return await asyncio.to_thread(partial(compress, messages, strategy, **arguments))


def _in_own_type(
    results: Sequence[LLMMessage], sources: Sequence[Sequence[LLMMessage]], originals: Sequence[Any]
) -> list[Any]:
    """Return messages in the type of the original ones: unchanged ones as the same objects, others modelled on them."""
    pairs = [(parts[0], original) for parts, original in zip(sources, originals, strict=True) if len(parts) == 1]
    same = {id(source): original for source, original in pairs}
    models = {source.role: original for source, original in pairs}
    example = next(iter(models.values()), None)
    return [
        same[id(result)] if id(result) in same else _like(models.get(result.role, example), result)
        for result in results
    ]


def _like(model: Any, message: LLMMessage) -> Any:
    """Return a message in the type of another one with the same role."""
    if isinstance(model, LLMMessage) or model is None or isinstance(model, str):
        return message
    values = message.to_dict()
    if isinstance(model, Mapping):
        return values
    if callable(update := getattr(model, "model_copy", None)):
        return update(update={name: value for name, value in values.items() if hasattr(model, name)})
    if is_dataclass(model) and not isinstance(model, type):
        return replace(model, **{name: value for name, value in values.items() if hasattr(model, name)})
    new = copy(model)
    for name, value in values.items():
        if hasattr(new, name):
            setattr(new, name, value)
    return new
