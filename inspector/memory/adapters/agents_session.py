"""OpenAI Agents SDK: a `Session` over the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspector.core.conversation import Raw
from inspector.engine.compression import Preset
from inspector.llm.providers import placed_messages
from inspector.memory.adapters.context_fitter import ContextFitter, config_for
from inspector.memory.adapters.session_items import as_item, function_tools, is_output, items_of, messages_with_items
from inspector.memory.config import MemoryConfig
from inspector.memory.loop_lock import LoopLock
from inspector.memory.manager import MemoryManager
from inspector.memory.message_adapter import LLMMessage
from inspector.memory.token_tracker import TokenTracker
from inspector.store import Store, default_path


class StoreSession:
    """A session of the OpenAI Agents SDK in a store, where the app shows it live. Requests fit into a budget.

    Args:
        session_id: Id of the session. One that exists is continued.
        store: The store or its file; the user's own store by default.
        preset: A preset, or the name of a built-in one or of one that was saved in the app.
        budget: Maximum tokens of a request. Without a preset, requests are compressed when they exceed it.
        agent: Agent whose instructions, if they are a text, and whose function tools count in the budget.
        arguments: Other arguments of `MemoryManager`, such as `model`, `tools` and `llm`, which writes summaries.

    Raises:
        StoreError: Another program writes the session; see `take_over` of `MemoryManager.resume`.
    """

    session_settings: Any = None

    def __init__(
        self,
        session_id: str,
        store: Store | Path | str | None = None,
        *,
        preset: Preset | str | None = None,
        budget: int | None = None,
        agent: Any = None,
        **arguments: Any,
    ) -> None:
        self.session_id = session_id
        self._store = store if isinstance(store, Store) else Store(store if store is not None else default_path())
        config = config_for(preset, budget)
        limits = {"preset": preset, "budget": config.max_context_tokens, "model": arguments.get("model", "")}
        self._fitter = ContextFitter(lambda _, messages: messages, **limits)
        if agent is not None:
            arguments = {"tools": function_tools(agent), **arguments}
            config = _without(config, getattr(agent, "instructions", None), arguments.get("model", ""))
        self._arguments = {"config": config, **arguments}
        self._lock = LoopLock()
        self.memory = self._resume()
        """The memory that holds the session."""

    async def get_items(self, limit: int | None = None) -> list[Raw]:
        """Return the items to send, oldest first. With a limit, return the newest, without results of missing calls."""
        async with self._lock:
            items = [item for message in self.memory.get_context_for_llm() for item in items_of(message)]
        newest = items if limit is None else items[max(0, len(items) - limit) :]
        calls = {item.get("call_id") for item in newest if not is_output(item)}
        return [item for item in newest if not is_output(item) or item.get("call_id") in calls]

    def fit_request(self, data: Any) -> Any:
        """Return the input of a request within the budget: `RunConfig(call_model_input_filter=session.fit_request)`.

        A session is read when a run begins; this also fits the requests that follow in a long run.
        """
        system = [LLMMessage("system", text)] if (text := data.model_data.instructions) else []
        messages = [*system, *messages_with_items(list(map(as_item, data.model_data.input)))]
        fitted = self._fitter.fit(messages, function_tools(data.agent))
        return replace(data.model_data, input=[item for one in fitted[len(system) :] for item in items_of(one)])

    async def add_items(self, items: Sequence[Any]) -> None:
        """Add items, and compress if the context is over the threshold."""
        async with self._lock:
            await self._add(list(map(as_item, items)))

    async def pop_item(self) -> Raw | None:
        """Remove the newest item and return it, or None if the session is empty."""
        async with self._lock:
            message = self.memory.take_back()
            if message is None:
                return None
            *others, item = items_of(message)
            await self._add(others)
            return item

    async def clear_session(self) -> None:
        """Delete the session in the store, and begin it again."""
        async with self._lock:
            self.memory.close()
            self._store.remove(self.session_id)
            self.memory = self._resume()

    def close(self) -> None:
        """Close the session, so that another program may continue it."""
        self.memory.close()

    def _resume(self) -> MemoryManager:
        return MemoryManager.resume(self._store, self.session_id, **self._arguments)

    async def _add(self, items: Sequence[Raw]) -> None:
        """Add items as messages. Items of one reply belong together, also if they are added one by one."""
        if not items:
            return
        log = self.memory.engine.log
        last = self.memory.adapter.original(log[-1]) if log else None
        if last is not None and last.role == "assistant" and len(placed_messages([*items_of(last), items[0]])) == 1:
            self.memory.take_back()
            items = [*items_of(last), *items]
        for message in messages_with_items(items):
            await self.memory.add_message(message)


def _without(config: MemoryConfig, instructions: Any, model: str) -> MemoryConfig:
    """Return settings for the messages of requests that also have instructions."""
    size = TokenTracker.counter_for("", model).count(instructions) if isinstance(instructions, str) else 0
    names = ("max_context_tokens", "compression_threshold")
    limits: dict[str, Any] = {
        name: max(1, limit - size) for name in names if isinstance(limit := getattr(config, name), int)
    }
    return replace(config, **limits)
