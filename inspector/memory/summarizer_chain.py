"""Models that write summaries, asked in order: the cheap ones first, then the agent's own, then none at all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from inspector.core.conversation import Message, Usage
from inspector.engine.strategies import Summariser
from inspector.engine.summaries import SummaryCancelledError, SummaryError, clean_sentence, summarise
from inspector.memory.compressor import WorkingMemoryCompressor
from inspector.memory.config import MemoryConfig
from inspector.memory.model_calls import LLMSummarizer, settings_of, text_field

_P = ParamSpec("_P")
_T = TypeVar("_T")
EXTRACTIVE = "extractive"
"""The name under which summaries are counted that no model wrote."""


@dataclass
class SummaryCascade:
    """A summariser that asks several models until one gives a summary; the last resort is `fallback`, if there is one.

    It belongs to one compression, and is called in the thread of `run`.
    """

    summarizers: Sequence[LLMSummarizer]
    fallback: Summariser | None = None
    writers: Counter[str] = field(default_factory=Counter)
    """How many summaries each of them wrote, by the model's name."""

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return the result of a function that runs in a worker thread and may call this summarizer there."""
        for summarizer in self.summarizers[1:]:
            summarizer.attach()
        try:
            return await self.summarizers[0].run(function, *args, **kwargs)
        except asyncio.CancelledError:
            for summarizer in self.summarizers[1:]:
                summarizer.cancel()
            raise

    def __call__(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        """Return the summary of the first model that succeeds. Raises the SummaryError of the last if all fail."""
        last: SummaryError | None = None
        for summarizer in self.summarizers:
            try:
                text = summarizer(messages, target, count)
            except SummaryCancelledError:
                raise
            except SummaryError as error:
                last = error
                continue
            self.writers[summarizer.settings.model or "model"] += 1
            return text
        if self.fallback is None:
            assert last is not None, "a cascade has a model at least"
            raise last
        self.writers[EXTRACTIVE] += 1
        return self.fallback(messages, target, count)

    @property
    def usages(self) -> list[tuple[str, Usage]]:
        """Usage of each model's requests, including failed ones, by its name."""
        return [(summarizer.settings.model, summarizer.totals.usage) for summarizer in self.summarizers]

    @property
    def failure(self) -> str:
        """Why models gave no summary, a sentence for each that was asked and did not; empty where the first did."""
        pairs = [(one.settings.model, clean_sentence(one.failures[-1])) for one in self.summarizers if one.failures]
        if len(self.summarizers) == 1:
            return "".join(sentence for _, sentence in pairs)
        return " ".join(f"{model}: {sentence}" for model, sentence in pairs)


class SummaryModels:
    """The models that write a manager's summaries, in the order in which they are asked.

    `sources` are clients, or names of models for the agent's own client. The last one is the compressor's model, which
    is the agent's by default. Raises ValueError for any other source, and for a compressor that writes its summaries
    itself.
    """

    def __init__(self, sources: Any, llm: Any, compressor: WorkingMemoryCompressor, config: MemoryConfig) -> None:
        self._config = config
        self._compressor = compressor
        self._clients = [_client_of(source, llm) for source in _sources_of(sources)]
        if self._clients and compressor.overrides_compress:
            raise ValueError(
                f"{type(compressor).__name__} overrides compress(), which writes the summaries: another model is never"
                " asked. Hand over one or the other."
            )
        fallback = config.fallback_to_extractive
        self._fallback = summarise if fallback or (fallback is None and self._clients) else None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models, in order."""
        own = (self._compressor.model,) if self._compressor.llm is not None else ()
        return tuple(dict.fromkeys([*(text_field(client, "model") for client in self._clients), *own]))

    def cascade(self) -> SummaryCascade | None:
        """Return the summarizer for one compression, or None without any model."""
        config = self._config
        summarizers = [
            LLMSummarizer(client, settings_of(client, "", config.summary_timeout, config.summary_retries))
            for client in self._clients
        ]
        if own := self._compressor.summarizer_for_manager():
            own.fallback = None  # it has its place at the end of the cascade
            summarizers.append(own)
        return SummaryCascade(summarizers, self._fallback) if summarizers else None


def _sources_of(sources: Any) -> Iterable[Any]:
    """Return models given as one, as several, or as several names in one text."""
    if isinstance(sources, str):
        return [name.strip() for name in sources.split(",") if name.strip()]
    if sources is None:
        return ()
    return sources if isinstance(sources, list | tuple) else (sources,)


def _client_of(source: Any, llm: Any) -> Any:
    """Return the client for a model: the given client, or the agent's with another model name. Raises ValueError."""
    if not isinstance(source, str):
        if not callable(getattr(source, "call_async", None)):
            raise ValueError(
                f"A model that writes summaries has `async call_async(messages, tools)`, which {type(source).__name__}"
                " has not."
            )
        return source
    if not text_field(llm, "model"):
        raise ValueError(f"The model {source} has no client: hand one over as summary_llm, or an llm that has a model.")
    client = copy(llm)
    try:
        client.model = source
    except (AttributeError, TypeError):  # its model is fixed
        raise ValueError(
            f"{type(llm).__name__} cannot be asked for another model: hand over a client for {source} as summary_llm."
        ) from None
    return client
