"""`WorkingMemoryCompressor`: old messages are put into one summary, by the agent's own model or without one.

`_should_preserve` says what stays word for word. A subclass that overrides it changes what a
`MemoryManager` keeps, too: `MemoryManager(config, llm, compressor=CustomCompressor)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from inspector.memory.config import CompressionStrategy, MemoryConfig, strategy_of
from inspector.memory.llm import LLMSummarizer, provider_field, settings_of, text_field
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_message
from inspector.memory.token_tracker import TokenTracker
from inspector.providers import DEFAULT_DIALECT, text_message
from inspector.strategies import WORDS, mark_pattern
from inspector.summaries import NoSavingError, summarise
from inspector.tokens import count_message
from inspector.window import group, live_calls

_NO_SAVING = "A summary would take no fewer tokens than what it stands for."


@dataclass(frozen=True)
class CompressedMemory:
    """What messages were compressed to. Tokens are estimates unless the model's tokenizer is public."""

    summary: str
    """Empty where nothing was summarised."""
    original_tokens: int
    compressed_tokens: int
    """Of the summary and of what was preserved."""
    original_message_count: int
    preserved_messages: tuple[LLMMessage, ...] = ()
    """The messages that stay word for word, oldest first."""
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

    async def compress(
        self, messages: Sequence[LLMMessage], strategy: str | None = None, target_tokens: int | None = None
    ) -> CompressedMemory:
        """Compress messages into one summary or, by `deletion`, into nothing.

        Args:
            messages: the messages, oldest first. A reply with calls and its results stay or leave together.
            strategy: in place of the configured one.
            target_tokens: about the size of the summary; by default the configured share of what it stands for.

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
        if name is CompressionStrategy.DELETION:
            return bundle.result(name, "")
        target = target_tokens or int(self.config.compression_ratio * bundle.size(bundle.old))
        summarizer = self.summarizer()
        old = [bundle.messages[place] for place in bundle.old]
        try:
            if summarizer is None:
                text = summarise(old, target, count)
            else:
                text = await summarizer.run(summarizer, old, target, count)
        except NoSavingError:
            return bundle.empty_result(name, _NO_SAVING)
        if not text:
            return bundle.empty_result(name, "The messages say nothing that a summary could tell.")
        result = bundle.result(name, text)
        return result if result.token_savings > 0 else bundle.empty_result(name, _NO_SAVING)

    def summarizer(self) -> LLMSummarizer | None:
        """What asks the model for a summary, by the settings; None without a model."""
        if self.llm is None:
            return None
        config = self.config
        settings = settings_of(self.llm, self.model, config.summary_timeout, config.summary_retries)
        fallback = summarise if config.fallback_to_extractive else None
        return LLMSummarizer(self.llm, settings, fallback)

    def _should_preserve(self, message: LLMMessage) -> bool:
        """Whether a message has to stay word for word. Override it; `content` is always a text here."""
        config = self.config
        if message.role == "system":
            return config.preserve_system_prompts
        works = message.role == "tool" or bool(message.tool_calls)
        selective = config.compression_strategy == CompressionStrategy.SELECTIVE
        if works and config.preserve_tool_calls is not None:
            return config.preserve_tool_calls
        return selective and (works or _matters(message))

    def preserves(self, message: LLMMessage) -> bool:
        """What `_should_preserve` says of a message."""
        return bool(self._should_preserve(_in_words(message)))

    @property
    def is_customised(self) -> bool:
        """Whether `_should_preserve` is overridden."""
        own = getattr(self._should_preserve, "__func__", self._should_preserve)
        return own is not WorkingMemoryCompressor._should_preserve

    def insists(self, message: LLMMessage) -> bool:
        """Whether a message has to stay by an overridden `_should_preserve` alone, whatever the strategy keeps."""
        return self.preserves(message) and not WorkingMemoryCompressor._should_preserve(self, _in_words(message))


class _Bundle:
    """Messages to be compressed, sorted into those that stay and those that are summarised, by their places."""

    def __init__(self, sources: Sequence[LLMMessage], compressor: WorkingMemoryCompressor) -> None:
        self.sources = tuple(map(as_message, sources))
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
        """Tokens of the messages at some places."""
        return sum(self.tokens[place] for place in places)

    def result(self, strategy: str, summary: str) -> CompressedMemory:
        """The result with this summary, or with none."""
        size = count_message(text_message("", "user", summary, DEFAULT_DIALECT), self.counter) if summary else 0
        messages = tuple(self.adapter.to_llm([self.messages[place] for place in self.stay]))
        return CompressedMemory(
            summary, sum(self.tokens), size + self.size(self.stay), len(self.sources), messages, str(strategy)
        )

    def empty_result(self, strategy: str, note: str) -> CompressedMemory:
        """The result where nothing is compressed, with the reason."""
        size = sum(self.tokens)
        return CompressedMemory("", size, size, len(self.sources), self.sources, str(strategy), note)


def _in_words(message: LLMMessage) -> LLMMessage:
    """A message whose content is text, so that rules about words need not ask what it is."""
    return message if isinstance(message.content, str) else replace(message, content=message.text)


def _matters(message: LLMMessage) -> bool:
    """Whether a marking word such as "important" stands in a message."""
    marks = mark_pattern(WORDS)
    return bool(marks and marks.search(message.text))
