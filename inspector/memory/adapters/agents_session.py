"""OpenAI Agents SDK: a `Session` over the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspector.core.conversation import Raw
from inspector.engine.compression import Preset
from inspector.llm.providers import placed_messages
from inspector.memory.adapters.context_fitter import config_for
from inspector.memory.loop_lock import LoopLock
from inspector.memory.manager import MemoryManager
from inspector.memory.message_adapter import LLMMessage, message_of
from inspector.store import Store, default_path

_ITEMS = "responses_items"
"""Field of a stored message with the items that it was made of."""


class StoreSession:
    """A session of the OpenAI Agents SDK in a store, where the app shows it live. Requests fit into a budget.

    Args:
        session_id: Id of the session. One that exists is continued.
        store: The store or its file; the user's own store by default.
        preset: A preset, or the name of a built-in one or of one that was saved in the app.
        budget: Maximum tokens of a request. Without a preset, requests are compressed when they exceed it.
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
        **arguments: Any,
    ) -> None:
        self.session_id = session_id
        self._store = store if isinstance(store, Store) else Store(store if store is not None else default_path())
        self._arguments = {"config": config_for(preset, budget), **arguments}
        self._lock = LoopLock()
        self.memory = self._resume()
        """The memory that holds the session."""

    async def get_items(self, limit: int | None = None) -> list[Raw]:
        """Return the items to send, oldest first. With a limit, return the newest, without results of missing calls."""
        async with self._lock:
            items = [item for message in self.memory.get_context_for_llm() for item in _items_of(message)]
        newest = items if limit is None else items[max(0, len(items) - limit) :]
        calls = {item.get("call_id") for item in newest if not _is_output(item)}
        return [item for item in newest if not _is_output(item) or item.get("call_id") in calls]

    async def add_items(self, items: Sequence[Any]) -> None:
        """Add items, and compress if the context is over the threshold."""
        async with self._lock:
            await self._add(list(map(_as_item, items)))

    async def pop_item(self) -> Raw | None:
        """Remove the newest item and return it, or None if the session is empty."""
        async with self._lock:
            message = self.memory.take_back()
            if message is None:
                return None
            *others, item = _items_of(message)
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
        if last is not None and last.role == "assistant" and len(placed_messages([*_items_of(last), items[0]])) == 1:
            self.memory.take_back()
            items = [*_items_of(last), *items]
        for message in _messages_with_items(items):
            await self.memory.add_message(message)


def _messages_with_items(items: Sequence[Raw]) -> Iterator[LLMMessage]:
    """Yield the messages for items, each with the items that it was made of."""
    placed = placed_messages(items)
    ends = [place for place, _ in placed[1:]] + [len(items)]
    start = 0
    for (_, raw), end in zip(placed, ends, strict=True):
        yield message_of({**raw, _ITEMS: list(items[start:end])})
        start = end


def _items_of(message: LLMMessage) -> list[Raw]:
    """Return the items of a message: those that it was made of, or new ones if it was changed."""
    items = list(message.further.get(_ITEMS) or ())
    raw = {key: value for key, value in message.to_dict().items() if key != _ITEMS}
    if items and [chat for _, chat in placed_messages(items)] == [raw]:
        return items
    if message.role == "tool":
        first = items[0] if items else {"type": "function_call_output", "call_id": message.tool_call_id}
        return [{**first, "output": _own_text(raw)}]
    calls = [
        {"type": "function_call", "call_id": call["id"], **dict(call["function"])} for call in message.tool_calls or ()
    ]
    words = [{"role": message.role, "content": _own_text(raw)}] if message.content or not calls else []
    return [*words, *calls]


def _own_text(raw: Raw) -> str:
    """Return the text of a chat message, without its calls."""
    return raw["content"] if isinstance(raw.get("content"), str) else LLMMessage("user", raw.get("content")).text


def _as_item(item: Any) -> Raw:
    dump = getattr(item, "model_dump", None)
    return dict(dump(exclude_unset=True) if callable(dump) else item)


def _is_output(item: Raw) -> bool:
    return str(item.get("type", "")).endswith("_output")
