"""`MemoryManager`: an agent's messages go in, and a context that fits and is valid comes out.

It puts around a `CompressionEngine` what an agent needs: messages in its own form, summaries by its own model, and
statistics. Messages are appended in the order of the calls; what takes long (counting a long message, a compression)
runs in a worker thread, one compression at a time. Several event loops, one per thread, may use one manager.
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
from inspector.llm.tokens import count_message
from inspector.memory.compression_preview import CompressionPreview
from inspector.memory.compressions import Compressions
from inspector.memory.compressor import CompressedMemory, WorkingMemoryCompressor, compressor_of
from inspector.memory.config import CompressionStrategy, MemoryConfig
from inspector.memory.context_limit import check_sendable
from inspector.memory.conversation_archive import ConversationArchive, services_by_meaning
from inspector.memory.conversation_edits import EditableMemory, write_plans
from inspector.memory.loop_lock import LoopLock
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_messages
from inspector.memory.model_calls import provider_field, text_field
from inspector.memory.open_calls import AnsweredMemory, describe_open_calls, interrupted_results
from inspector.memory.persistence import Arrival, SessionWriter, known_arguments, restore, session_head, state_of
from inspector.memory.request_sizes import context_of, is_long, load_tokenizer, sizes_of
from inspector.memory.short_term import RecentMessages
from inspector.memory.stats import Account, check_actual_tokens, usage_of_call
from inspector.memory.summarizer_chain import SummaryModels
from inspector.memory.thresholds import Thresholds
from inspector.memory.tiers import Tiers
from inspector.memory.token_tracker import TokenTracker
from inspector.store import AgentSession, StoreError

if TYPE_CHECKING:
    from inspector.engine.retrieval import Embedder
    from inspector.store import Store


class MemoryManager(AnsweredMemory, EditableMemory):
    """Keeps an agent's context within its limits. See docs/memory.md for examples.

    Args:
        config: When and how to compress.
        llm: Any object with `async call_async(messages=, tools=)`. Its `model` and `provider_name` determine how tokens
            are counted and priced. It writes the summaries, unless `compressor` has its own model. Without any
            model, summaries are extracted from the messages.
        model: Name of the model, instead of `llm.model`.
        provider: Name of the provider, instead of `llm.provider_name`.
        tools: Tool definitions of every request. Their tokens count.
        compressor: A `WorkingMemoryCompressor` or a subclass of it. Its `_should_preserve` selects messages to keep,
            and an overridden `compress` writes the summaries (see `summarizer_for_manager`). If it has its own model,
            such as a cheaper one, that model writes the summaries and is billed for them. Without `llm` and `model`,
            its model also counts as the agent's.
        summary_llm: Models that write summaries, instead of the setting `summary_model`: a client, the name of a model
            for `llm`, or several of these, which are tried in order before `llm`. Each is billed at its own price.
        tracker: Adds up usage and savings. Managers may share one.
        services: Services for summaries and search, instead of the built-in ones.
        embedder: Turns texts into vectors, to search archived messages by meaning too. It is called in a worker thread
            when messages are archived. Not together with `services`.
        store: Store for persistent memory. Without one, it lasts as long as the manager.
        session_id: Id of the session in `store`, if it was added there.
        keep_state: True to put the state of the work before each summary, in at most 400 tokens by default.

    Raises:
        ValueError: Arguments are invalid or contradict each other.

    `tiers` are the three tiers of memory of the session: `on_turn_end`, `on_session_end` and `should_persist` move
    messages from the prompt to the session and to persistent memory. `engine` has the log and the plans.
    """

    was_compressed_last_iteration = False
    """True if the last `add_message` compressed the context."""
    resume_notes: tuple[str, ...] = ()
    """Differences from the resumed session's model and settings, and its open calls, in sentences."""
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
        keep_state: bool = False,
    ) -> None:
        self.config = (config or MemoryConfig()).keeping_state(keep_state)
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
        load_tokenizer(self.counter, self.model)
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
        """Guards changes from several threads with several event loops. Held briefly."""
        self.compressions = Compressions(
            self.config, self.engine, self.adapter, compressor, models, self.account, self._guard, self._record
        )
        self.archive = ConversationArchive(self.config, self.engine, self.tiers, self._guard, store, session_id)
        self._store, self._session_id = store, session_id
        self._entry = LoopLock()
        self._arrivals: set[asyncio.Task[None]] = set()
        """Long messages being counted, and later ones. A message is added even if its caller is cancelled."""
        self._lock = LoopLock()

    async def add_message(self, message: Any, actual_tokens: Any = None) -> None:
        """Append a message, and compress if the context is over the threshold.

        A failed compression raises nothing; `get_stats()["last_error"]` has the reason.

        Args:
            message: A message of any supported API or library (docs/memory.md), or a text of the user.
            actual_tokens: Usage that the provider reported for a reply: its own usage object, or a dictionary with
                `input` and `output` and, if known, `cache_read` and `cache_write`, which are parts of `input`. Without
                it a reply is estimated.

        Raises:
            ValueError: The message or the numbers are invalid.
        """
        compressions = self.account.compressions
        sources, actual = as_messages(message), check_actual_tokens(actual_tokens)
        for source in sources:
            await self._append_source(source, actual if source is sources[-1] else {})
        if self.compressions.is_due:
            async with self._lock:
                await self.compressions.compress_due()
        self.was_compressed_last_iteration = self.account.compressions > compressions

    async def compress(self, strategy: CompressionStrategy | str | None = None) -> bool:
        """Compress now, due or not, with another strategy if given. Return True if anything changed.

        Raises ValueError for an unknown strategy.
        """
        policy = self.config.with_strategy(strategy or self.config.compression_strategy).policy
        async with self._lock:
            self.was_compressed_last_iteration = await self.compressions.compress_with(policy) is not None
            return self.was_compressed_last_iteration

    async def preview(self, *, ask_model: bool = False) -> CompressionPreview:
        """Return a preview of `compress`: the plan, the fates of messages, savings and costs. Changes nothing.

        The summary is assumed to have its target size, unless `ask_model`: then the model writes it, which is billed.
        """
        return await self.compressions.preview(ask_model=ask_model)

    def get_context_for_llm(self) -> list[LLMMessage]:
        """Return the messages to send: system messages, the task, summaries, and messages kept word for word.

        An unchanged message is the same object that was added. Messages that the provider would reject are left out,
        such as a result without its call and an empty reply, or repaired: an empty message of a user or a tool becomes
        "[empty]", blank blocks are removed, and an unknown role becomes "user". Raises ContextLimitError if what has to
        stay exceeds the model's window, or `max_context_tokens` if that window is not known.
        """
        if not self._lock.is_held:
            with self._guard:
                write_plans(self._writer, self, self.compressions.keep_limit_now())
        window = check_sendable(self._context(), self.config.max_context_tokens)
        if self._last_sent is None or self._last_sent[0] is not window:
            self._last_sent = window, self.adapter.to_llm(window.messages)
        return list(self._last_sent[1])

    def _context(self) -> Window:
        with self._guard:
            return self.engine.context()

    @property
    def compressed_memory(self) -> CompressedMemory | None:
        """Return the newest summary in the context with the messages that it replaces, or None."""
        with self._guard:
            summaries = self.compressions.summaries
            ids = reversed(self.engine.window().ids) if summaries else ()
            return next((summaries[name] for name in ids if name in summaries), None)

    @property
    def current_tokens(self) -> int:
        """Tokens of the context as it would be sent now."""
        return self._context().total

    def get_stats(self) -> dict[str, Any]:
        """Return statistics by name. Tokens are counts, costs US dollars, shares per cent.

        `used_tokens` were sent and received, `total_tokens` would have been without compression. `net_savings` are
        tokens that later calls did not send, minus those read to write summaries, and `savings_percentage` is their
        share of `total_tokens`. `net_cost` is the same in dollars, minus the costs of summaries and of the broken
        prompt cache. Both may be negative for a while. `recalls` is the number of requests with retrieved messages,
        `recalled_tokens` their tokens in all contexts. `over_limit` is true if the context exceeds `max_context_tokens`
        because its messages have to be kept. `summaries_by` counts the writers of summaries: models by name, and
        "extractive" without a model; `last_error` has the reason of a failure. With a shared `tracker`, tokens and
        costs are those of all its managers.
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

    def save(self, session_id: str | None = None, *, store: Store | None = None, title: str = "") -> str:
        """Store the session, from now on every message before `add_message` returns, and return the session's id.

        The first call begins a session in the store. Later calls update its state, and ignore the arguments.

        Args:
            session_id: ID of the new session; by default that of the manager, or a random one.
            store: Store to write to; by default that of the manager.
            title: Title of the session in lists.

        Raises:
            StoreError: The store cannot be written.
            ValueError: There is no store.
        """
        with self._guard:
            if self._writer is not None:
                self._writer.journal.write({"state": state_of(self)})
                return self._writer.journal.session_id
            if (place := store or self._store) is None:
                raise ValueError("There is no store to save the session in: MemoryManager(store=…) or save(store=…).")
            head = session_head(self, session_id or self._session_id or uuid4().hex, title)
            writer = SessionWriter(place.agents.begin(head))
            writer.write_all(self)
            self.archive.move(place, head.id)
            self._store, self._session_id, self._writer = place, head.id, writer
            return head.id

    @classmethod
    def load(cls, store: Store, session_id: str, llm: Any = None, **arguments: Any) -> MemoryManager:
        """Return a manager with everything that a session's manager has written. It writes nothing itself.

        Args:
            store: Store that contains the session.
            session_id: ID of the session.
            llm: Client for summaries, as in the constructor.
            arguments: Arguments of the constructor in place of the stored ones; `resume_notes` has the differences.

        Raises:
            StoreError: No manager wrote the session.
        """
        return cls._from(store.agents.load(session_id), store, llm, arguments)

    @classmethod
    def resume(
        cls, store: Store, session_id: str, llm: Any = None, *, take_over: bool = False, **arguments: Any
    ) -> MemoryManager:
        """Continue a session after its last message, or begin a new one. From now on, every message is written.

        Args:
            store: Store that contains the session or will contain it.
            session_id: ID of the session, which is not empty.
            llm: Client for summaries, as in the constructor.
            take_over: True to continue although the manager of a running program writes the session. The next message
                of the other manager is rejected.
            arguments: Other arguments of the constructor, as in `load`, and `interrupted`: True to answer `open_calls`
                as interrupted.

        Raises:
            StoreError: The manager of a running program writes the session.
            ValueError: An argument is invalid.
        """
        interrupted = arguments.pop("interrupted", False)
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
        for source in interrupted_results(memory.engine) if interrupted else ():
            pieces = memory.adapter.to_log(source)
            arrival = Arrival(source, pieces, memory._count(pieces), {})
            memory._write(arrival, waits=True)
            memory.append_arrival(arrival)
        return memory

    @classmethod
    def _from(cls, record: AgentSession, store: Store, llm: Any, arguments: Mapping[str, Any]) -> MemoryManager:
        memory = cls(**known_arguments(record, llm, arguments), llm=llm, store=store, session_id=record.session.id)
        memory.resume_notes = (*restore(memory, record), *describe_open_calls(memory.open_calls))
        return memory

    def close(self) -> None:
        """Write the state, and write nothing more: another manager may go on. Raises StoreError."""
        if self._writer is not None:
            with self._guard:
                writer, self._writer = self._writer, None
                writer.journal.write({"state": state_of(self)})
                writer.journal.close()

    async def _append_source(self, source: LLMMessage, actual: Mapping[str, Any]) -> None:
        """Append a message to the log: at once, or after a long one that is being counted in a worker thread."""
        with self._guard:
            pieces = self.adapter.to_log(source)
            if not self._arrivals and not is_long(pieces):
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
            tokens = await asyncio.to_thread(self._count, pieces) if is_long(pieces) else self._count(pieces)
            arrival = Arrival(source, pieces, tokens, actual, self.engine.sent_recall)
            if self._writer:
                await asyncio.to_thread(self._write, arrival, waits=True)
            with self._guard:
                self.append_arrival(arrival)

    def _write(self, arrival: Arrival, *, waits: bool) -> bool:
        """Write a message to the store before it is added. Return False if that would have to wait and must not.

        Raises StoreError if the store cannot be written. The message is then not added.
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
        """Append counted messages to the log, and record the call that each ends."""
        self.was_compressed_last_iteration = False
        if arrival.source.role == "assistant" or arrival.actual:
            size, full_size = self.engine.total + self.account.add_recall(arrival.recalled), self.engine.full_total
            self.account.add_call(usage_of_call(arrival.actual, size, sum(arrival.tokens)), size, full_size)
        for piece, count in zip(arrival.pieces, arrival.tokens, strict=True):
            self.engine.append(piece, count)
            self.thresholds.note_message(piece.role)
