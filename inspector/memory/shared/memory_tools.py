"""Memory as tools that a model may call: `save_to_memory` and `recall_from_memory`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.core.text import plural
from inspector.engine.summaries import describe_error
from inspector.memory.tools import Tool, as_tool

_ENTRY = "\n["
"""Beginning of the next entry in a retrieved text."""


class MemoryTools:
    """Tools with which a model saves to a persistent memory and recalls from it.

    Args:
        memory: A `PersistentMemory`, or any object with `record(messages)` and `retrieve(query)`.
        writer: Name of the agent that saves.
    """

    def __init__(self, memory: Any, writer: str = "") -> None:
        self._memory, self._writer = memory, writer

    @property
    def tools(self) -> list[Tool]:
        """The two tools, such as for `ReActAgent(llm, tools)`."""
        return [as_tool(self.save_to_memory), as_tool(self.recall_from_memory)]

    async def save_to_memory(self, thinking: str, content: list[str]) -> dict[str, Any]:
        """Save facts to long-term memory: names, dates, decisions, preferences, results.

        Args:
            thinking: Why they will be needed. Not stored.
            content: The facts, each a sentence that is clear without the conversation.

        Returns:
            `success` and a `message`. Never raises.
        """
        facts = [fact for fact in _text_list(content) if fact.strip()]
        writer = {"agent_id": self._writer} if self._writer else {}
        try:
            await self._memory.record([{"role": "assistant", "content": fact, **writer} for fact in facts])
        except Exception as error:  # a memory is somebody else's: the model reads the reason
            return {"success": False, "message": f"Nothing was saved: {describe_error(error)}."}
        return {"success": True, "message": f"Saved {plural(len(facts), 'fact')}."}

    async def recall_from_memory(self, keywords: list[str], limit: int = 5) -> dict[str, Any]:
        """Search long-term memory for facts of this and earlier conversations.

        Args:
            keywords: Words to search for, such as names, dates and topics.
            limit: Maximum number of facts.

        Returns:
            `success` and the `memories`, best first, or a `message` with the failure. Never raises.
        """
        try:
            text = await self._memory.retrieve(" ".join(_text_list(keywords)))
        except Exception as error:
            return {"success": False, "message": f"The search failed: {describe_error(error)}.", "memories": []}
        first, *others = text.split(_ENTRY) if isinstance(text, str) and text else [""]
        memories = [first, *(f"[{entry}" for entry in others)] if first else []
        return {"success": True, "memories": memories[: max(0, limit)]}


def _text_list(values: Sequence[Any] | str) -> list[str]:
    """Return texts; a model may write a single one instead of a list."""
    return [values] if isinstance(values, str) else [str(value) for value in values]
