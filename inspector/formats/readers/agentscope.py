"""Sessions of QwenPaw and other agents built with AgentScope: a memory of messages, each with its marks.

https://github.com/agentscope-ai: results of tools come from the role system, and the prompt is next to the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Role
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import History, HistoryFormat
from inspector.llm.providers import as_text


class AgentScope(HistoryFormat):
    """Sessions of QwenPaw."""

    name = "qwenpaw"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "times", "thinking"})
    page = "https://github.com/agentscope-ai"
    mark = "an agent with a memory of messages"
    kind = "session"

    def is_history(self, record: Fields) -> bool:
        return isinstance(fields_of(fields_of(record.get("agent")).get("memory")).get("content"), list)

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        agent = fields_of(record["agent"])
        memory = fields_of(agent["memory"])
        log = LibraryLog()
        log.add_message("system", "system", {"content": agent.get("_sys_prompt")}, {})
        if summary := as_text(memory.get("_compressed_summary")):
            log.add_message("summary", "user", {"content": summary}, {}, kind="summary")
        for number, entry in enumerate(memory["content"], 1):
            message = entry[0] if isinstance(entry, list) and entry else entry
            if not isinstance(message, dict) or not _add_scope_message(log, message, number):
                content.problems.add(f"entry {number} of the memory was left out: it is not a message")
        if any(message.role != "system" for message in log.messages):
            yield History(log)


def _add_scope_message(log: LibraryLog, message: Fields, number: int) -> bool:
    blocks: Any = message.get("content")
    results = [block for block in blocks if _is_result(block)] if isinstance(blocks, list) else []
    role: Role = "user" if results else role_of(as_text(message.get("role"))) or "user"
    notes = {name: value for name, value in message.items() if name != "content"}
    return log.add_message(as_text(message.get("id")) or f"m{number}", role, message, notes)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"
