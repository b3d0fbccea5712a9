"""Fit the messages of a framework into a budget, in the framework's own types. The basis of the adapters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from threading import RLock
from typing import Any

from inspector.core.conversation import Raw
from inspector.engine.compression import (
    CompressionEngine,
    Preset,
    exceeds_limit,
    keep_limit,
    limit_results,
)
from inspector.engine.strategies import Services, Summariser
from inspector.engine.window import Window
from inspector.llm.providers import DEFAULT_DIALECT
from inspector.memory.config import MemoryConfig
from inspector.memory.context_limit import ContextLimitError
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_messages
from inspector.memory.request_sizes import context_of, sizes_of
from inspector.memory.thresholds import Thresholds
from inspector.memory.token_tracker import TokenTracker

Write = Callable[[Any, Sequence[LLMMessage]], Sequence[Any]]
"""(the framework's message that chat messages come from, or None; the chat messages) -> the framework's messages."""
Join = Callable[[list[Any]], list[Any]]
"""Merges neighbours of a result, for APIs in which roles have to alternate."""
_MOST_CONVERSATIONS = 64
_OVERFLOW = 0.7
"""Share of a request that the model refused as too long to which it is reduced."""


def config_for(preset: Preset | str | None, budget: int | None) -> MemoryConfig:
    """Return the settings of a preset, within a budget.

    Args:
        preset: A preset, or the name of a built-in one or of one that was saved in the app. Without one, requests are
            compressed when they exceed the budget.
        budget: Maximum tokens of a request; without one, the default of `max_context_tokens`.

    Raises:
        ValueError: No preset has this name, or the budget is invalid.
    """
    most: dict[str, Any] = {} if budget is None else {"max_context_tokens": budget}
    if preset is not None:
        return MemoryConfig.from_preset(preset, **most)
    return MemoryConfig(**most) if budget is None else MemoryConfig(compression_threshold=budget, **most)


class ContextFitter:
    """Fits the messages of each request of a framework into a budget. Conversations and threads may share one.

    A conversation is recognized by its beginning: by all messages of its last request, or by the last result. Its
    compressions stay, so that later requests begin with the same messages and the provider's prompt cache is used.

    Args:
        write: Converts chat messages to messages of the framework.
        read: Converts a message of the framework to chat messages.
        preset: A preset or its name, as for `config_for`.
        budget: Maximum tokens of a request, tools included.
        model: Model, which determines how tokens are counted.
        provider: Provider, if the model's name does not determine it.
        summarise: Writes summaries; by default they are extracted from the messages.
        join: Merges messages of the result.
    """

    def __init__(
        self,
        write: Write,
        read: Callable[[Any], Sequence[LLMMessage]] = as_messages,
        *,
        join: Join = list,
        preset: Preset | str | None = None,
        budget: int | None = None,
        model: str = "",
        provider: str = "",
        summarise: Summariser | None = None,
    ) -> None:
        self._write, self._read, self._join = write, read, join
        self._config = config_for(preset, budget)
        self._model, self._provider, self._summarise = model, provider, summarise
        self._conversations: list[_FittedConversation] = []
        self._guard = RLock()

    def fit(self, messages: Sequence[Any], tools: Sequence[Raw] = (), *, overflow: bool = False) -> list[Any]:
        """Return the messages to send: unchanged ones as the same objects, and new ones for summaries and cuts.

        Args:
            messages: Messages of one conversation, oldest first.
            tools: Tool definitions of the request.
            overflow: True if the model refused the messages as too long.

        Raises:
            ValueError: A value is no message.
            ContextLimitError: What has to stay exceeds the budget.
        """
        with self._guard:
            pairs = [
                (known, conversation)
                for conversation in self._conversations
                if (known := conversation.length_in(messages))
            ]
            if pairs:
                known, conversation = max(pairs, key=lambda pair: pair[0])
                self._conversations.remove(conversation)
            else:
                known, conversation = 0, self._new(tools)
            conversation.extend(messages[known:], self._read)
            conversation.compress(overflow)
            result = conversation.result(self._write, self._join)
            self._conversations = [*self._conversations[-_MOST_CONVERSATIONS + 1 :], conversation]
            return result

    def _new(self, tools: Sequence[Raw]) -> _FittedConversation:
        counter = TokenTracker.counter_for(self._provider, self._model)
        context = replace(context_of(self._model, self._provider, tools), dialect=DEFAULT_DIALECT)
        services = Services(summarise=self._summarise) if self._summarise else Services()
        engine = CompressionEngine(self._config.policy, context, sizes_of(context, counter), services)
        return _FittedConversation(self._config, engine)


class _FittedConversation:
    """One conversation: its messages, their compressions and the last result."""

    def __init__(self, config: MemoryConfig, engine: CompressionEngine) -> None:
        self._engine, self._limit = engine, config.max_context_tokens
        self._adapter = MessageAdapter(DEFAULT_DIALECT)
        self._thresholds = Thresholds(config, engine)
        self._originals: list[Any] = []
        self._sources: list[Sequence[LLMMessage]] = []
        """The chat messages of each original."""
        self._places: dict[str, int] = {}
        """Position of the original of each message of the log."""
        self._last: list[Any] = []
        """The last result."""

    def length_in(self, messages: Sequence[Any]) -> int:
        """Return how many of the first messages this conversation has already; 0 if it is another one."""
        known = (len(start) for start in (self._originals, self._last) if start and _begins(messages, start))
        return max(known, default=0)

    def extend(self, messages: Sequence[Any], read: Callable[[Any], Sequence[LLMMessage]]) -> None:
        for message in messages:
            sources = read(message)
            self._originals.append(message)
            self._sources.append(sources)
            for piece in (piece for source in sources for piece in self._adapter.to_log(source)):
                self._places[piece.id] = len(self._originals) - 1
                self._engine.append(piece, self._engine.sizes.measure(piece))
                self._thresholds.note_message(piece.role)

    def compress(self, overflow: bool) -> None:
        engine = self._engine
        if exceeds_limit(engine):
            limit_results(engine)
        while engine.due:
            engine.compress()
        if exceeds_limit(engine):
            keep_limit(engine)
        if overflow:
            policy = engine.policy
            try:
                engine.policy = replace(policy, limit=max(1, int(_OVERFLOW * engine.total)))
                keep_limit(engine)
            finally:
                engine.policy = policy

    def result(self, write: Write, join: Join) -> list[Any]:
        """Return the messages to send in the framework's types."""
        window = self._engine.context()
        if window.total > self._limit:
            raise ContextLimitError(f"{window.total:,} tokens have to stay, more than the budget of {self._limit:,}.")
        parts = [message for place, kept in self._groups(window) for message in self._own(place, kept, write)]
        newest = len(self._originals) - 1
        if newest >= 0 and not self._sources[newest]:  # such as a request that has instructions only
            parts.append(self._originals[newest])
        self._last = join(parts)
        return list(self._last)

    def _own(self, place: int | None, kept: Sequence[LLMMessage], write: Write) -> Sequence[Any]:
        if place is None:
            return write(None, kept)
        sources = self._sources[place]
        is_whole = len(sources) == len(kept) and all(map(lambda one, other: one is other, sources, kept))
        return [self._originals[place]] if is_whole else write(self._originals[place], kept)

    def _groups(self, window: Window) -> Iterator[tuple[int | None, list[LLMMessage]]]:
        """Yield the chat messages of a window by the original that they come from; None for summaries."""
        messages = window.messages
        for place, run in groupby(messages, key=lambda message: self._places.get(message.id)):
            yield place, self._adapter.to_llm(list(run))


def _begins(messages: Sequence[Any], start: Sequence[Any]) -> bool:
    """Return True if messages begin with others."""
    return len(messages) >= len(start) and all(map(_is_equal_message, messages, start))


def _is_equal_message(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and bool(one == other))
