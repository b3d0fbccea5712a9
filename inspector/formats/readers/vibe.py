"""Sessions of Mistral Vibe: JSON lines of chat messages, with metadata next to them.

https://github.com/mistralai/mistral-vibe: `meta.json` has the id, the title, the model, the prompt and the tools.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.building.message_heuristics import tools_in
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat, json_beside
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text


class Vibe(HistoryFormat):
    """Sessions of Mistral Vibe."""

    name = "mistral-vibe"
    order: ClassVar[RecordOrder] = RecordOrder(id="message_id")
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "tools", "times", "models", "thinking"})
    page = "https://github.com/mistralai/mistral-vibe"
    place = "~/.vibe/logs/session"
    mark = "chat messages with a message_id"
    kind = "message of Mistral Vibe"
    messages_file = "messages.jsonl"
    files_beside = ("meta.json",)

    def is_entry(self, record: Fields) -> bool:
        is_message = isinstance(record.get("role"), str) and isinstance(record.get("message_id"), str)
        return is_message and "record_id" not in record  # archives of Polylogue have it

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        meta = json_beside(Path(content.source.path).with_name("meta.json"), content)
        log = LibraryLog()
        prompt = meta.get("system_prompt")
        if entries[0][1].get("role") != "system" and prompt:
            log.add_message("system", "system", prompt if isinstance(prompt, dict) else {"content": prompt}, {})
        for _, record in entries:
            notes = {name: value for name, value in record.items() if name not in ("content", "tool_calls")}
            log.add_message(as_text(record["message_id"]), role_of(as_text(record["role"])) or "user", record, notes)
        tools = tuple(tools_in({"tools": meta.get("tools_available") or meta.get("tools")}))
        model = as_text(meta.get("model") or fields_of(meta.get("agent_config")).get("active_model"))
        facts = {"model": model, "tools": tools, "records_system": bool(tools)}
        return [History(log, as_text(meta.get("session_id")), as_text(meta.get("title")), facts)]
