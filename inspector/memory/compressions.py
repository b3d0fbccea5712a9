"""A manager's compressions: drafted in a worker thread, applied where they are worth it, billed, and previewed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace

from inspector.core.conversation import Message
from inspector.engine.compression import (
    Attempt,
    Compaction,
    CompressionEngine,
    Policy,
    empty_plan,
    exceeds_limit,
    keep_limit,
    limit_results,
    stand_in_summary,
)
from inspector.engine.summaries import describe_error
from inspector.engine.window import Plan, Window
from inspector.memory.compression_preview import CompressionPreview, preview_of
from inspector.memory.compressor import CompressedMemory, WorkingMemoryCompressor
from inspector.memory.config import MemoryConfig
from inspector.memory.message_adapter import LLMMessage, MessageAdapter
from inspector.memory.stats import Account
from inspector.memory.summarizer_chain import SummaryCascade, SummaryModels

_AGAIN = 1.05
"""Growth of a context over its limit, as a factor, before another attempt to keep the limit."""


class Compressions:
    """Compression of the conversation of one manager. `guard` is held briefly while the engine is changed."""

    def __init__(
        self,
        config: MemoryConfig,
        engine: CompressionEngine,
        adapter: MessageAdapter,
        compressor: WorkingMemoryCompressor,
        models: SummaryModels,
        account: Account,
        guard: AbstractContextManager[object],
        record: Callable[[Plan | None], Awaitable[None]],
    ) -> None:
        """Create the compressions of a manager. `record` is called after every attempt with its plan, or None if
        nothing changed."""
        self.config, self.engine, self.adapter = config, engine, adapter
        self.compressor, self.models, self.account = compressor, models, account
        self._guard = guard
        self._record = record
        self.summaries: dict[str, CompressedMemory] = {}
        """Messages that each summary replaces, by its id."""
        self.preserved: dict[str, tuple[str, ...]] = {}
        """Ids of the messages that each summary kept word for word, by its id."""
        self.writers: Counter[str] = Counter()
        """How many summaries of attempts that were applied each model wrote, by its name."""
        self._limit_tried = 0
        """Size in tokens that must be exceeded before another attempt to keep the limit."""
        self.last_savings = 0
        """Tokens that the last compression took out of the context, its summary already subtracted."""

    async def compress_with(self, policy: Policy) -> Compaction | None:
        """Compress once with the strategy of another policy. Returns None if nothing changed."""
        own = self.engine.policy
        self.engine.policy = replace(own, strategy=policy.strategy, settings=policy.settings)
        try:
            return await self.compress()
        finally:
            self.engine.policy = replace(self.engine.policy, strategy=own.strategy, settings=own.settings)

    async def compress(self) -> Compaction | None:
        """Draft a plan in a worker thread, then apply it. Returns None if nothing changed."""
        with self._guard:
            window = self.engine.window()
        try:
            pins = self.pinned_ids(window.messages)
        except Exception as error:  # a subclass may raise anything
            why = f"_should_preserve failed: {describe_error(error)}."
            return self._settle(_failed_attempt(window, self.engine, why), None)
        with self._guard:
            self.engine.pins = pins
            window = self.engine.window()
        cascade = self.models.cascade()
        try:
            attempt = await self._attempt(window, cascade)
        except Exception as error:  # and so may a summariser or a search of the caller's
            attempt = _failed_attempt(window, self.engine, f"The compression failed: {describe_error(error)}.")
        compaction = self._settle(attempt, cascade)
        await self._record(compaction.plan if compaction else None)
        return compaction

    @property
    def is_due(self) -> bool:
        """True if the context should be compressed or its limit is exceeded. Takes constant time."""
        return self.engine.due or (exceeds_limit(self.engine) and not self._is_too_early)

    @property
    def _is_too_early(self) -> bool:
        """True if the last attempt to keep the limit left a context that has hardly grown since."""
        return self.config.max_context_tokens < self.engine.total <= self._limit_tried

    async def compress_due(self) -> None:
        """Limit long tool results, compress while it is due, and drop the oldest messages if the limit is exceeded."""
        if exceeds_limit(self.engine):
            await self._apply(limit_results)
        while self.engine.due:
            await self.compress()
        if exceeds_limit(self.engine):
            await self._apply(keep_limit)
        self._note_limit_tried()

    def keep_limit_now(self) -> list[Plan]:
        """Drop and trim as little as keeps the limit, such as after a program ended between a message and its
        compression. Returns the plans, which the caller has to write.
        """
        if not exceeds_limit(self.engine) or self._is_too_early:
            return []
        plans = self._change(keep_limit)
        self._note_limit_tried()
        return plans

    def _note_limit_tried(self) -> None:
        total = self.engine.total
        self._limit_tried = int(_AGAIN * total) if total > self.config.max_context_tokens else 0

    async def _apply(self, change: Callable[[CompressionEngine], list[Compaction]]) -> None:
        """Apply and record plans that are not those of the strategy."""
        with self._guard:
            plans = self._change(change)
        for plan in plans:
            await self._record(plan)

    def _change(self, change: Callable[[CompressionEngine], list[Compaction]]) -> list[Plan]:
        """Apply plans that are not those of the strategy, and return them; none if the pins cannot be computed."""
        try:
            self.engine.pins = self.pinned_ids(self.engine.window().messages)
        except Exception:  # a subclass may raise anything; `compress` reports it
            return []
        compactions = change(self.engine)
        for compaction in compactions:
            self.account.add_compression(compaction, ())
            self.last_savings = compaction.savings
        return [compaction.plan for compaction in compactions]

    async def preview(self, *, ask_model: bool = False) -> CompressionPreview:
        """Return a preview of a compression without changing anything. With `ask_model` the models are asked, and
        billed."""
        with self._guard:
            window = self.engine.window()
        cascade = self.models.cascade()
        usages = None
        try:
            window = replace(window, pins=self.pinned_ids(window.messages))
            if ask_model or cascade is None:
                attempt = await self._attempt(window, cascade)
            else:
                services = replace(self.engine.services, summarise=stand_in_summary)
                attempt = await asyncio.to_thread(self.engine.attempt, window, services)
        except Exception as error:  # a subclass, a summariser and a search may raise anything
            attempt = _failed_attempt(window, self.engine, f"The preview failed: {describe_error(error)}.")
        with self._guard:
            if ask_model and cascade:
                usages = cascade.usages
                self.account.add_summaries(usages)
            names = self.models.names
            writer = self.account.tracker.price(names[0]) if names else None
            return preview_of(attempt, self.engine, self.adapter, self.account.price, writer, usages)

    async def _attempt(self, window: Window, cascade: SummaryCascade | None) -> Attempt:
        if cascade is None:
            return await asyncio.to_thread(self.engine.attempt, window, self.engine.services)
        services = replace(self.engine.services, summarise=cascade)
        return await cascade.run(self.engine.attempt, window, services, rehearse=True)

    def _settle(self, attempt: Attempt, cascade: SummaryCascade | None) -> Compaction | None:
        with self._guard:
            compaction = self.engine.settle(attempt)
            if cascade and cascade.failure:
                self.engine.last_failure = cascade.failure
            usages = cascade.usages if cascade else []
            if compaction is None:
                self.account.add_summaries(usages)
                return None
            self.account.add_compression(compaction, usages)
            self.writers += cascade.writers if cascade else Counter()
            self.last_savings = compaction.savings
            self._remember(compaction)
            return compaction

    def pinned_ids(self, messages: Iterable[Message]) -> frozenset[str]:
        """Return the ids of messages kept verbatim by the settings, or by an overridden `_should_preserve`."""
        works = self.config.preserve_tool_calls
        if not works and not self.compressor.is_customised:
            return frozenset()
        ids = set()
        for message in messages:
            original = self.adapter.original(message)
            if (works and (message.calls or message.role == "tool")) or (original and self._insists(original)):
                ids.add(message.id)
        return frozenset(ids)

    def _insists(self, message: LLMMessage) -> bool:
        return self.compressor.is_customised and self.compressor.insists(message)

    def _remember(self, compression: Compaction) -> None:
        """Note which messages each new summary replaces, those of earlier summaries that it covers included."""
        sizes = dict(zip(compression.before.ids, compression.before.tokens, strict=True))
        pairs = [
            (message.id, original)
            for message in compression.after.messages
            if message.id in self.engine.pins and (original := self.adapter.original(message))
        ]
        ids, originals = tuple(name for name, _ in pairs), tuple(original for _, original in pairs)
        for summary in compression.plan.summaries:
            count = tokens = 0
            for name in compression.plan.sources(summary.id):
                earlier = self.summaries.get(name)
                count += earlier.original_message_count if earlier else 1
                tokens += earlier.original_tokens if earlier else sizes.get(name, 0)
            size = self.engine.sizes.measure(summary)
            if count:
                self.summaries[summary.id] = CompressedMemory(
                    summary.text, tokens, size, count, originals, compression.plan.strategy
                )
                self.preserved[summary.id] = ids


def _failed_attempt(window: Window, engine: CompressionEngine, why: str) -> Attempt:
    """Return an attempt that changes nothing, with the reason."""
    return Attempt(window, empty_plan(window, engine.policy, why), window, why)
