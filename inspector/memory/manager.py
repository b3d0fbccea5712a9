"""`MemoryManager`: an agent's messages go in, and a context that fits and is valid comes out.

It puts around a `CompressionEngine` what an agent needs: messages in the agent's own form, summaries by the agent's own
model, and statistics. Messages are appended in the order of the calls; what takes long (counting a long message, a
compression) runs in a worker thread, and never two compressions at a time. Several event loops, each in a thread of its
own, may use one manager.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from inspector.core.conversation import Message, Raw
from inspector.engine.compression import CompressionEngine
from inspector.engine.strategies import Services
from inspector.engine.window import Plan, Window
from inspector.llm.models import price_of
from inspector.llm.tokens import Counter, count_message
from inspector.memory.compression_preview import CompressionPreview
from inspector.memory.compressions import Compressions
from inspector.memory.compressor import CompressedMemory, WorkingMemoryCompressor, compressor_of
from inspector.memory.config import MemoryConfig
from inspector.memory.conversation_archive import ConversationArchive, services_by_meaning
from inspector.memory.loop_lock import LoopLock
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_message
from inspector.memory.model_calls import provider_field, text_field
from inspector.memory.persistence import Arrival, SessionWriter, known_arguments, restore, session_head, state_of
from inspector.memory.request_sizes import context_of, sizes_of
from inspector.memory.short_term import RecentMessages
from inspector.memory.stats import Account, check_actual_tokens, usage_of_call
from inspector.memory.summarizer_chain import SummaryModels
from inspector.memory.thresholds import Thresholds
from inspector.memory.tiered import TieredMemory
from inspector.memory.tiers import Tiers
from inspector.memory.token_tracker import TokenTracker
from inspector.store import AgentSession, StoreError

if TYPE_CHECKING:
    from inspector.engine.retrieval import Embedder
    from inspector.store import Store


_LONG_MESSAGE = 10_000
"""Characters of a message from which on it is counted in a worker thread: that many take a millisecond or two."""


class MemoryManager(TieredMemory):
    """Keeps an agent's context within its limits. docs/memory.md shows how it is used.

    Args:
        config: when it compresses, and how.
        llm: any object with `async call_async(messages=, tools=)`. Its `model` and `provider_name` say how tokens are
            counted and priced. It writes the summaries, unless `compressor` has a model of its own; without any, they
            are read out of the messages.
        model: the name of the model, in place of `llm.model`.
        provider: the name of the provider, in place of `llm.provider_name`.
        tools: the definitions that go with every request; they count.
        compressor: a `WorkingMemoryCompressor` or a subclass of it, whose `_should_preserve` says what stays, and whose
            `compress` writes the summaries where it is overridden: see its `summarizer_for_manager`. One with a model
            of its own, such as a cheaper one, writes the summaries with that; they are billed as that model's, and
            nothing else is counted or billed by it. Without `llm` and `model`, its model is the agent's.
        summary_llm: what writes the summaries before that: a client, the name of a model that `llm` is asked for, or
            several in order. The next one is asked where one gives no summary, then `llm`; each is billed as its own.
            In place of the setting `summary_model`.
        tracker: where usage and savings are added up; managers may share one.
        services: what strategies summarise and search with, in place of the built-in services.
        embedder: what turns texts into vectors: what was archived is then searched by meaning too. It is asked for the
            vectors of messages in a worker thread, when they are archived. Not beside `services`.
        store: the store that holds persistent memory; without one, it lasts as long as the manager.
        session_id: the session's id in `store`, where it was added there.

    Raises ValueError for arguments that cannot be meant.

    `tiers` are the three tiers of memory of its session: `on_turn_end`, `on_session_end` and `should_persist` move
    messages from the prompt to the session and on to persistent memory. `engine` holds the log and the plans.
    """

    was_compressed_last_iteration = False
    """Whether the last `add_message` led to a compression."""
    resume_notes: tuple[str, ...] = ()
    """What is different from when the session was written that this manager goes on with, in sentences."""
    _writer: SessionWriter | None = None
    _last_sent: tuple[Window, list[LLMMessage]] | None = None

    def __init__(
        self,
        config: MemoryConfig | None = None,
        llm: Any = None,
        *,
        model: str = "",
        provider: str = "",
        tools: Sequence[Raw] = (),
        compressor: WorkingMemoryCompressor | type[WorkingMemoryCompressor] | None = None,
        summary_llm: Any = None,
        tracker: TokenTracker | None = None,
        services: Services | None = None,
        embedder: Embedder | None = None,
        store: Store | None = None,
        session_id: str | None = None,
    ) -> None:
        self.config = config or MemoryConfig()
        self.compressor = compressor = compressor_of(compressor, llm, self.config, model, provider)
        self.llm = self.compressor.llm if llm is None else llm
        if llm is None and not model:
            model, provider = compressor.model, provider or compressor.provider
        self.model, self.provider = model or text_field(llm, "model"), provider or provider_field(llm)
        self.token_tracker = tracker or TokenTracker(self.model)
        sources = self.config.summary_model if summary_llm is None else summary_llm
        models = SummaryModels(sources, self.llm, compressor, self.config)
        self.account = Account(self.token_tracker, self.model, models.names, shares=tracker is not None)
        self.counter = self.token_tracker.counter_for(self.provider, self.model)
        _load(self.counter, self.model)
        services = services_by_meaning(services, embedder) if embedder else services
        context = context_of(self.model, self.provider, tools)
        sizes = sizes_of(context, self.counter)
        self.engine = CompressionEngine(
            self.config.policy, context, sizes, services, price=lambda: self.account.billed_price
        )
        self.thresholds = Thresholds(self.config, self.engine)
        self.adapter = MessageAdapter(context.dialect)
        self.short_term = RecentMessages(self.config.short_term_size, self._context, self.adapter)
        self.tiers = Tiers(store, session_id, persist=self.should_persist, log=lambda: self.engine.log)
        self._guard = RLock()
        """For what several threads, each with an event loop of its own, may not do at once; held for moments only."""
        self.compressions = Compressions(
            self.config, self.engine, self.adapter, compressor, models, self.account, self._guard, self._record
        )
        self.archive = ConversationArchive(self.config, self.engine, self.tiers, self._guard, store, session_id)
        self._store, self._session_id = store, session_id
        self._entry = LoopLock()
        self._arrivals: set[asyncio.Task[None]] = set()
        """Long messages that are being counted, and those that came in behind them: a cancelled one comes in too."""
        self._lock = LoopLock()

    async def add_message(self, message: Any, actual_tokens: Any = None) -> None:
        """Append a message, and compress if the context has become too large.

        Args:
            message: an `LLMMessage`, a dictionary or an object with a role, or a text, which is the user's.
            actual_tokens: what the provider reported for the call that a reply came from: a dictionary with `input` and
                `output` and, if known, `cache_read` and `cache_write`, which are parts of `input`; or the provider's
                own usage object. Without it a reply is counted by estimate.

        Raises ValueError for what is no message and for numbers that are none. A compression that fails raises nothing;
        `get_stats()["last_error"]` says why it failed.
        """
        compressions = self.account.compressions
        source, actual = as_message(message), check_actual_tokens(actual_tokens)
        await self._append_source(source, actual)
        if self.engine.due:
            async with self._lock:
                while self.engine.due:
                    await self.compressions.compress()
        self.was_compressed_last_iteration = self.account.compressions > compressions

    async def compress(self) -> bool:
        """Compress now, due or not. Returns whether anything changed."""
        async with self._lock:
            self.was_compressed_last_iteration = await self.compressions.compress() is not None
            return self.was_compressed_last_iteration

    async def preview(self, *, ask_model: bool = False) -> CompressionPreview:
        """What `compress` would do now: the plan, the fate of each message, what it saves, costs and when it pays.

        Changes nothing. A model that would write the summary is not called, and the summary taken to be as large as it
        should become; with `ask_model` it writes the one that would stand there, which is billed.
        """
        return await self.compressions.preview(ask_model=ask_model)

    @property
    def last_compression_savings(self) -> int:
        """Tokens that the last compression took out of the context, its summary already subtracted."""
        return self.compressions.last_savings

    def get_context_for_llm(self) -> list[LLMMessage]:
        """The messages to send: system messages, the task, summaries, and what stayed word for word.

        A message that was not changed is the very object that was added. What the provider would refuse is left out,
        such as a result without its call and a reply that says nothing, or mended: a person's or a tool's message
        that says nothing says so ("[empty]"), blank blocks are taken out, and an unknown role is the user.
        """
        window = self._context()
        if self._last_sent is None or self._last_sent[0] is not window:
            self._last_sent = window, self.adapter.to_llm(window.messages)
        return list(self._last_sent[1])

    def _context(self) -> Window:
        with self._guard:
            return self.engine.context()

    @property
    def compressed_memory(self) -> CompressedMemory | None:
        """The newest summary in the context, with what it stands for; None where there is none."""
        with self._guard:
            summaries = self.compressions.summaries
            ids = reversed(self.engine.window().ids) if summaries else ()
            return next((summaries[name] for name in ids if name in summaries), None)

    @property
    def current_tokens(self) -> int:
        """Tokens of the context as it would be sent now."""
        return self._context().total

    def get_stats(self) -> dict[str, Any]:
        """What was spent and saved, by name: tokens as counts, costs in US dollars, shares in per cent.

        `used_tokens` is what was sent and written, `total_tokens` what it would have been without compression.
        `net_savings` is what later calls did not have to send, less what was read to write summaries, and
        `savings_percentage` its share of `total_tokens`; `net_cost` is the same in dollars, less what the summaries and
        the broken prompt cache cost. Both may be below 0 for a while. `recalls` are the requests for which something
        came back of what was archived, `recalled_tokens` what that took of all contexts. `over_limit` says that the
        context takes more than `max_context_tokens`, because what is in it has to stay. `summaries_by` counts who wrote
        the summaries, models by their names, and "extractive" where none did; where one failed, `last_error` says why.
        With a shared `tracker`, tokens and costs are those of all that share it.
        """
        with self._guard:
            return self._stats()

    def _stats(self) -> dict[str, Any]:
        engine = self.engine
        return {
            "current_tokens": self.current_tokens,
            "uncompressed_tokens": engine.full_total,
            "message_count": len(engine.context().messages),
            "total_messages": len(engine.log),
            "short_term_count": self.short_term.count(),
            **self.account.stats(),
            "summaries_by": dict(self.compressions.writers),
            "failed_compressions": engine.failures,
            "last_error": engine.last_failure,
            "gave_up": engine.trigger.gave_up,
            "compression_threshold": engine.policy.threshold,
            "threshold_reason": engine.threshold_reason,
            "over_limit": self.current_tokens > self.config.max_context_tokens,
            "counting": self.counter.name,
            "counting_exact": engine.sizes.certainty == "exact",
            "session_error": self._writer.error if self._writer else "",
        }

    # its session in a store

    def save(self, session_id: str | None = None, *, store: Store | None = None, title: str = "") -> str:
        """Put the session into a store, and write every message to it from now on, before `add_message` returns.

        The first time it begins a session there, by default in the manager's store under its `session_id` or a new one;
        after that it brings the state up to date. Returns the session's id. Raises StoreError where it cannot be
        written, ValueError where there is no store.
        """
        with self._guard:
            if self._writer is not None:
                self._writer.journal.write({"state": state_of(self)})
                return self._writer.journal.session_id
            place = store or self._store
            if place is None:
                raise ValueError("There is no store to save the session in: MemoryManager(store=…) or save(store=…).")
            head = session_head(self, session_id or self._session_id or uuid4().hex, title)
            writer = SessionWriter(place.agents.begin(head))
            writer.write_all(self)
            self.archive.move(place, head.id)
            self._store, self._session_id, self._writer = place, head.id, writer
            return head.id

    @classmethod
    def load(cls, store: Store, session_id: str, llm: Any = None, **arguments: Any) -> MemoryManager:
        """A manager that knows all that a session's manager has written until now, and writes nothing itself.

        `arguments` are those of the constructor. What is not among them is as it was: settings, model, provider and
        tools; what differs stands in `resume_notes`. Raises StoreError for a session that no manager wrote.
        """
        return cls._from(store.agents.load(session_id), store, llm, arguments)

    @classmethod
    def resume(
        cls, store: Store, session_id: str, llm: Any = None, *, take_over: bool = False, **arguments: Any
    ) -> MemoryManager:
        """Go on with a session at its last message, however its program ended; or begin it, where there is none yet.

        As `load`, but every message is written from now on. Raises StoreError where a running program's manager writes
        the session; with `take_over` it is taken from that one, whose next message is refused. Raises ValueError for a
        name that is none.
        """
        if not isinstance(session_id, str) or not session_id.strip():
            raise ValueError(f"A session is named by a text that is not empty, not {session_id!r}.")
        if not store.agents.has(session_id):
            memory = cls(arguments.pop("config", None), llm, store=store, session_id=session_id, **arguments)
            memory.save()
            return memory
        record, journal = store.agents.resume(session_id, take_over)
        try:
            memory = cls._from(record, store, llm, arguments)
        except BaseException:
            journal.close()
            raise
        memory._writer = SessionWriter(journal, has_plans=bool(record.plans))
        return memory

    @classmethod
    def _from(cls, record: AgentSession, store: Store, llm: Any, arguments: Mapping[str, Any]) -> MemoryManager:
        memory = cls(**known_arguments(record, llm, arguments), llm=llm, store=store, session_id=record.session.id)
        memory.resume_notes = tuple(restore(memory, record))
        return memory

    def close(self) -> None:
        """Write the state, and write nothing more: another manager may go on. Raises StoreError."""
        if self._writer is not None:
            with self._guard:
                writer, self._writer = self._writer, None
                writer.journal.write({"state": state_of(self)})
                writer.journal.close()

    async def _append_source(self, source: LLMMessage, actual: Mapping[str, Any]) -> None:
        """Append a message to the log: at once, or behind a long one that is counted in a worker thread."""
        with self._guard:
            pieces = self.adapter.to_log(source)
            if not self._arrivals and not _is_long(pieces):
                arrival = Arrival(source, pieces, self._count(pieces), actual, self.engine.sent_recall)
                if self._write(arrival, waits=False):
                    self.append_arrival(arrival)
                    return
            task = asyncio.create_task(self._arrive(pieces, source, actual))
            self._arrivals.add(task)
        task.add_done_callback(self._arrivals.discard)
        await asyncio.shield(task)

    async def _arrive(self, pieces: Sequence[Message], source: LLMMessage, actual: Mapping[str, Any]) -> None:
        async with self._entry:
            tokens = await asyncio.to_thread(self._count, pieces) if _is_long(pieces) else self._count(pieces)
            arrival = Arrival(source, pieces, tokens, actual, self.engine.sent_recall)
            if self._writer:
                await asyncio.to_thread(self._write, arrival, waits=True)
            with self._guard:
                self.append_arrival(arrival)

    def _write(self, arrival: Arrival, *, waits: bool) -> bool:
        """Write a message to the store, before it comes in. Returns False, where it is not to wait, while others write.

        Raises StoreError where it cannot be written: then it never came.
        """
        if self._writer is None:
            return True
        try:
            return self._writer.write_message(arrival, waits=waits)
        except StoreError:
            with self._guard:
                self.adapter.forget(arrival.pieces, self.engine.log)
            raise

    async def _record(self, plan: Plan | None) -> None:
        """Write what an attempt to compress has come to."""
        self.was_compressed_last_iteration = self.was_compressed_last_iteration or plan is not None
        if writer := self._writer:
            with self._guard:
                state = state_of(self)
            await asyncio.to_thread(writer.write_plan, plan, state)
        if plan is not None:
            await asyncio.to_thread(self.archive.archive_plan, plan)

    def _count(self, pieces: Sequence[Message]) -> list[int]:
        return [count_message(piece, self.counter) for piece in pieces]

    def append_arrival(self, arrival: Arrival) -> None:
        """Append to the log what has come in and is counted, and note the call that it ends."""
        self.was_compressed_last_iteration = False
        if arrival.source.role == "assistant" or arrival.actual:
            size, full_size = self.engine.total + self.account.add_recall(arrival.recalled), self.engine.full_total
            self.account.add_call(usage_of_call(arrival.actual, size, sum(arrival.tokens)), size, full_size)
        for piece, count in zip(arrival.pieces, arrival.tokens, strict=True):
            self.engine.append(piece, count)
            self.thresholds.note_message(piece.role)


def _load(counter: Counter, model: str) -> None:
    """Load the tokenizer and the prices: half a second in which nothing else runs, so before the first message."""
    counter.count("")
    price_of(model)


def _is_long(pieces: Sequence[Message]) -> bool:
    return sum(piece.chars for piece in pieces) >= _LONG_MESSAGE
