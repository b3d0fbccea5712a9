"""Model, provider and tools of an agent's requests, and the counting of their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.core.conversation import Dialect, Raw, RequestContext
from inspector.llm.models import profile
from inspector.llm.providers import provider_by_name, provider_of
from inspector.llm.tokens import Counter, Sizes, TokenizerCounter


def context_of(model: str, provider: str, tools: Sequence[Raw] = ()) -> RequestContext:
    """Return the context of an agent's requests: model, provider and tools.

    Args:
        model: Name of the model.
        provider: Name of the provider.
        tools: Tool definitions.
    """
    return RequestContext(model, dialect_for(model, provider), tuple(tools))


def dialect_for(model: str, provider: str) -> Dialect:
    """Return the wire format of a provider, by its name or by that of its model."""
    return provider_by_name(provider, profile(model).family).wire.name


def sizes_of(context: RequestContext, counter: Counter) -> Sizes:
    """Return sizes for an empty conversation: its tools, and the counter for later messages."""
    model = profile(context.model)
    exact = model.exact and isinstance(counter, TokenizerCounter) and counter.name == model.encoding
    tools = provider_of(context.dialect).count_tools(context.tools, counter)
    how: Any = "exact" if exact else "estimated"
    return Sizes((), how, tools, "estimated" if tools else how, 0, model.limit, counter)
