"""Model, provider and tools of an agent's requests, and the counting of their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.core.conversation import Dialect, Message, Raw, RequestContext
from inspector.llm.models import price_of, profile
from inspector.llm.providers import provider_by_name, provider_of
from inspector.llm.tokens import Counter, Sizes, TokenizerCounter

_LONG_MESSAGE = 10_000
"""Characters from which counting a message takes long enough to need a thread."""


def context_of(model: str, provider: str, tools: Sequence[Raw] = ()) -> RequestContext:
    """Return the context of an agent's requests: model, provider and tools.

    Args:
        model: Name of the model.
        provider: Name of the provider.
        tools: Tool definitions.
    """
    return RequestContext(model, dialect_for(model, provider), tuple(tools))


def dialect_for(model: str, provider: str) -> Dialect:
    """Return the wire format of the provider with this name or, if it is empty, of the model's provider."""
    return provider_by_name(provider, profile(model).family).wire.name


def sizes_of(context: RequestContext, counter: Counter) -> Sizes:
    """Return sizes for an empty conversation.

    Args:
        context: Model and tools of its requests.
        counter: Counts the tools now, and later messages.
    """
    model = profile(context.model)
    exact = model.exact and isinstance(counter, TokenizerCounter) and counter.name == model.encoding
    tools = provider_of(context.dialect).count_tools(context.tools, counter)
    how: Any = "exact" if exact else "estimated"
    return Sizes((), how, tools, "estimated" if tools else how, 0, model.limit, counter)


def load_tokenizer(counter: Counter, model: str) -> None:
    """Load the tokenizer of a counter and the prices of a model before the first message. Takes half a second."""
    counter.count("")
    price_of(model)


def is_long(pieces: Sequence[Message]) -> bool:
    """Return True if counting some messages takes so long that it is done in a thread."""
    return sum(piece.chars for piece in pieces) >= _LONG_MESSAGE
