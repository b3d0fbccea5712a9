"""`WorkingMemoryCompressor`: old messages are put into one summary, by the agent's own model or without one.

`_should_preserve` says what stays word for word. A subclass that overrides it changes what a
`MemoryManager` keeps, too: `MemoryManager(config, llm, compressor=CustomCompressor)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from inspector.core.conversation import Message, ToolCall, ToolResult, parts_of
from inspector.engine.compression import CompressionEngine, describe_value, recall_in, with_recall
from inspector.engine.facts import message_classes, text_classes
from inspector.engine.strategies import STRATEGIES, WORDS, Summariser, mark_pattern
from inspector.engine.summaries import CallTotals, NoSavingError, SummaryError, describe_error, summarise
from inspector.engine.window import group, live_calls
from inspector.llm.providers import DEFAULT_DIALECT, dialect_of_message, text_message
from inspector.llm.tokens import count_message
from inspector.memory.config import CompressionStrategy, MemoryConfig, strategy_of
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_message, message_of
from inspector.memory.model_calls import LLMSummarizer, in_own_thread, provider_field, settings_of, text_field
from inspector.memory.request_sizes import context_of, sizes_of
from inspector.memory.token_tracker import TokenTracker

_T = TypeVar("_T")
_BY_SUMMARY = (CompressionStrategy.SLIDING_WINDOW, CompressionStrategy.SELECTIVE, CompressionStrategy.DELETION)
"""Those of the requirement, which take all of the messages for old."""
_NO_SAVING = "A summary would not have fewer tokens than its messages."


@dataclass(frozen=True)
class CompressedMemory:
    """Result of compressing messages. Tokens are estimates unless the model's tokenizer is public."""

    summary: str
    """Empty where nothing was summarised."""
    original_tokens: int
    compressed_tokens: int
    """Tokens of the summary and of preserved messages."""
    original_message_count: int
    preserved_messages: tuple[LLMMessage, ...] = ()
    """The messages that stay word for word, oldest first; right before the newest request what comes back of others."""
    strategy: str = "sliding_window"
    note: str = ""
    """The reason why nothing was compressed, in one sentence; empty where something was."""

    @property
    def compression_ratio(self) -> float:
        """Compressed size as a share of the original; 1 where there was nothing."""
        return self.compressed_tokens / self.original_tokens if self.original_tokens else 1.0

    @property
    def token_savings(self) -> int:
        """Tokens that the compression takes out."""
        return self.original_tokens - self.compressed_tokens


class WorkingMemoryCompressor:
    """Compresses messages that are all old.

    Args:
        llm: any object with `async call_async(messages=, tools=)`; without one, summaries are read out of the messages.
            It may be another, cheaper one than the agent's.
        config: strategy, size of a summary, and what to do where the model gives none.
        model: the name of the model, in place of `llm.model`: it says how tokens are counted.
        provider: the name of the provider, in place of `llm.provider_name`.
    """

    def __init__(
        self, llm: Any = None, config: MemoryConfig | None = None, *, model: str = "", provider: str = ""
    ) -> None:
        self.llm = llm
        self.config = config or MemoryConfig()
        self.model = model or text_field(llm, "model")
        self.provider = provider or provider_field(llm)
        self.totals = CallTotals()
        """Usage of the requests of `compress`, including failed ones."""

    async def compress(
        self, messages: Sequence[LLMMessage], strategy: str | None = None, target_tokens: int | None = None
    ) -> CompressedMemory:
        """Compress messages by a strategy.

        `sliding_window` puts all of them into one summary, `selective` all that do not matter, and `deletion` leaves
        nothing; what `_should_preserve` names stays. Every other strategy does what it would do to a context that holds
        these messages only: then the first task, the newest request and the newest step stay as well.

        Args:
            messages: the messages, oldest first. A reply with calls and its results stay or leave together.
            strategy: in place of the configured one.
            target_tokens: about the size of the summary or, for any other strategy that works towards a size, of what
                is left; by default the configured share of what is compressed.

        Raises SummaryError when the model gives no summary and `fallback_to_extractive` is off, and ValueError for a
        strategy that there is not.
        """
        name = strategy_of(strategy) if strategy else strategy_of(self.config.compression_strategy)
        count = TokenTracker.counter_for(self.provider, self.model).count
        compressor = copy(self)
        if name != self.config.compression_strategy:
            compressor.config = replace(self.config, compression_strategy=name, strategy_settings={})
        bundle = _Bundle(messages, compressor)
        if not bundle.old:
            return bundle.empty_result(name, "There is nothing that may be compressed.")
        if name not in _BY_SUMMARY:
            return await self._by_plan(bundle, compressor.config, target_tokens)
        if name is CompressionStrategy.DELETION:
            return bundle.result(name, "")
        target = target_tokens or int(self.config.compression_ratio * bundle.size(bundle.old))
        old = [bundle.messages[place] for place in bundle.old]
        try:
            text = await self._run(lambda summarize: summarize(old, target, count))
        except NoSavingError:
            return bundle.empty_result(name, _NO_SAVING)
        if not text:
            return bundle.empty_result(name, "The messages contain nothing to summarise.")
        result = bundle.result(name, text)
        return result if result.token_savings > 0 else bundle.empty_result(name, _NO_SAVING)

    async def _by_plan(self, bundle: _Bundle, config: MemoryConfig, target_tokens: int | None) -> CompressedMemory:
        """Return the result of a strategy for a context with these messages only."""
        size = sum(bundle.tokens)
        target = target_tokens or max(1, int(config.compression_ratio * size))
        policy = replace(config.policy, target=target, threshold=max(size, target + 1), limit=0, minimum_progress=0)
        context = context_of(self.model, self.provider)
        engine = CompressionEngine(policy, context, sizes_of(context, bundle.counter))
        for message, tokens in zip(bundle.messages, bundle.tokens, strict=True):
            engine.append(message, tokens)
        engine.pins = frozenset(bundle.messages[place].id for place in bundle.stay)
        window = engine.window()
        attempt = await self._run(
            lambda summarize: engine.attempt(window, replace(engine.services, summarise=summarize))
        )
        if attempt.failure:
            raise SummaryError(attempt.failure)
        if attempt.savings <= 0:
            return bundle.empty_result(policy.strategy, attempt.plan.note or engine.no_op_reason(attempt))
        summaries = {summary.id for summary in attempt.plan.summaries}
        sent = with_recall(attempt.after, recall_in(window, attempt.after, [attempt.plan], engine.services))
        after = [message for message in sent.messages if message.id not in summaries]
        return CompressedMemory(
            "\n\n".join(summary.text for summary in attempt.plan.summaries),
            size,
            sum(sent.tokens),
            len(bundle.sources),
            tuple(bundle.adapter.to_llm(after)),
            policy.strategy,
        )

    async def _run(self, function: Callable[[Summariser], _T]) -> _T:
        """Return the result of a function that runs in a worker thread with the summarizer."""
        summarizer = self.summarizer()
        if summarizer is None:
            return await in_own_thread(lambda: function(summarise))
        try:
            return await summarizer.run(function, summarizer)
        finally:
            self.totals += summarizer.totals

    def summarizer_for_manager(self) -> LLMSummarizer | None:
        """Return the writer of summaries for a `MemoryManager`, which decides itself which messages to summarise.

        An overridden `compress` is called with these messages, as "sliding_window", and its summary is used. Its
        requests to `self.llm` are billed if it makes them by `super().compress`. Otherwise, see `summarizer`.
        """
        if not self.overrides_compress:
            return self.summarizer()
        fallback = summarise if self.config.fallback_to_extractive else None
        return _OwnSummarizer(self.llm, settings_of(self.llm, self.model, 0, 0), fallback, compressor=self)

    @property
    def overrides_compress(self) -> bool:
        """True if `compress` is overridden."""
        return getattr(self.compress, "__func__", None) is not WorkingMemoryCompressor.compress

    def summarizer(self) -> LLMSummarizer | None:
        """Return the summarizer that requests summaries from the model, or None without a model."""
        if self.llm is None:
            return None
        config = self.config
        settings = settings_of(self.llm, self.model, config.summary_timeout, config.summary_retries)
        fallback = summarise if config.fallback_to_extractive else None
        return LLMSummarizer(self.llm, settings, fallback)

    def _should_preserve(self, message: LLMMessage) -> bool:
        """Return True if a message has to be kept word for word. To be overridden; `content` is always a text."""
        config = self.config
        if message.role == "system":
            return config.preserve_system_prompts
        works = message.role == "tool" or bool(message.tool_calls)
        selective = config.compression_strategy == CompressionStrategy.SELECTIVE
        if works and config.preserve_tool_calls:
            return True
        return selective and ((works and config.preserve_tool_calls is None) or _matters(message))

    def preserves(self, message: LLMMessage) -> bool:
        """Return True if `_should_preserve` keeps a message verbatim."""
        return bool(self._should_preserve(_in_words(message)))

    @property
    def is_customised(self) -> bool:
        """True if `_should_preserve` is overridden."""
        own = getattr(self._should_preserve, "__func__", self._should_preserve)
        return own is not WorkingMemoryCompressor._should_preserve

    def insists(self, message: LLMMessage) -> bool:
        """Return True if an overridden `_should_preserve` keeps a message, independent of the strategy."""
        return self.preserves(message) and not WorkingMemoryCompressor._should_preserve(self, _in_words(message))


def compressor_of(
    compressor: WorkingMemoryCompressor | type[WorkingMemoryCompressor] | None,
    llm: Any,
    config: MemoryConfig,
    model: str,
    provider: str,
) -> WorkingMemoryCompressor:
    """Return the compressor of a manager: the given instance, or an instance of the given class.

    Args:
        compressor: An instance, a class, or None for the default class.
        llm: Client of the model that writes summaries.
        config: Settings of the manager.
        model: Name of the model.
        provider: Name of its provider.

    Raises:
        ValueError: The compressor overrides `compress`, which the configured strategy never calls.
    """
    if compressor is None or isinstance(compressor, type):
        compressor = (compressor or WorkingMemoryCompressor)(llm, config, model=model, provider=provider)
    if compressor.llm is None:
        compressor.llm = llm
    strategy = STRATEGIES[str(config.compression_strategy)]
    if (
        compressor.overrides_compress
        and strategy.cost != "needs a model"
        and all(knob.name != "ratio" for knob in strategy.knobs)
    ):
        raise ValueError(
            f"{type(compressor).__name__} overrides compress(), which {config.compression_strategy} never calls: it"
            " writes no summary. Choose sliding_window or selective, or override _should_preserve."
        )
    return compressor


@dataclass
class _OwnSummarizer(LLMSummarizer):
    """Summaries by an overridden `compress`."""

    compressor: WorkingMemoryCompressor = field(kw_only=True)

    async def summarize(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        """Return the summary of an overridden `compress`. Raises SummaryError."""
        compressor, name = self.compressor, f"{type(self.compressor).__name__}.compress"
        compressor.totals = CallTotals()
        sources = [message_of(message.raw) for message in messages]
        try:
            result: Any = await compressor.compress(sources, CompressionStrategy.SLIDING_WINDOW, target)
        except SummaryError:
            raise
        except Exception as error:  # it is somebody else's
            raise SummaryError(f"{name} failed: {describe_error(error)}.") from error
        finally:
            self.totals += compressor.totals
        if not isinstance(result, CompressedMemory):
            raise SummaryError(f"{name} gave no CompressedMemory but {describe_value(result)}.")
        if result.preserved_messages:
            raise SummaryError(f"{name} kept messages: in a MemoryManager, `_should_preserve` says which stay.")
        return result.summary


def _messages_of(sources: Any) -> tuple[LLMMessage, ...]:
    """Return the given messages as a tuple. A single message counts as one. Raises ValueError for other values."""
    if isinstance(sources, str | Mapping | LLMMessage):
        return (as_message(sources),)
    if not isinstance(sources, Iterable):
        raise ValueError(f"Only a list of messages can be compressed, not {type(sources).__name__}.")
    return tuple(map(as_message, sources))


class _Bundle:
    """Messages to be compressed, sorted into those that stay and those that are summarised, by their places."""

    def __init__(self, sources: Sequence[LLMMessage], compressor: WorkingMemoryCompressor) -> None:
        self.sources = _messages_of(sources)
        self.adapter = MessageAdapter()
        pieces = [(source, message) for source in self.sources for message in self.adapter.to_log(source)]
        self.messages = [message for _, message in pieces]
        self.counter = TokenTracker.counter_for(compressor.provider, compressor.model)
        self.tokens = [count_message(message, self.counter) for message in self.messages]
        groups = group(self.messages)
        stays = {groups.of[place] for place, (source, _) in enumerate(pieces) if compressor.preserves(source)}
        stays |= {groups.of[place] for place in live_calls(self.messages, groups)}
        self.stay = [place for place, number in enumerate(groups.of) if number in stays]
        self.old = [place for place, number in enumerate(groups.of) if number not in stays]

    def size(self, places: Sequence[int]) -> int:
        """Return the tokens of the messages at some positions."""
        return sum(self.tokens[place] for place in places)

    def result(self, strategy: str, summary: str) -> CompressedMemory:
        """Return the result with this summary, which may be empty."""
        size = count_message(text_message("", "user", summary, DEFAULT_DIALECT), self.counter) if summary else 0
        messages = tuple(self.adapter.to_llm([self.messages[place] for place in self.stay]))
        return CompressedMemory(
            summary, sum(self.tokens), size + self.size(self.stay), len(self.sources), messages, str(strategy)
        )

    def empty_result(self, strategy: str, note: str) -> CompressedMemory:
        """Return a result without compression, with the reason."""
        size = sum(self.tokens)
        return CompressedMemory("", size, size, len(self.sources), self.sources, str(strategy), note)


def _in_words(message: LLMMessage) -> LLMMessage:
    """Return a message in OpenAI's form with text as its content, so that rules need to handle one form only."""
    if isinstance(message.content, str):
        return message
    raw = message.to_dict()
    parts = parts_of(raw, dialect_of_message(raw))
    calls = [
        {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in parts
        if isinstance(part, ToolCall)
    ]
    results = [part for part in parts if isinstance(part, ToolResult)]
    error = "Error: " if any(result.is_error for result in results) else ""
    return replace(
        message,
        role="tool" if results else message.role,
        content=error + message.text,
        tool_calls=message.tool_calls or calls or None,
    )


def _matters(message: LLMMessage) -> bool:
    """Return True if a message contains a marking word such as "important", or reports an error."""
    marks = mark_pattern(WORDS)
    if message.role != "tool" and marks and marks.search(message.text):
        return True
    if message.role == "tool" and "error" in text_classes(message.text, "output"):
        return True
    return any(piece.is_error or "error" in message_classes(piece) for piece in MessageAdapter().to_log(message))
