"""Sessions of Grok Build: JSON lines of messages, with a summary and signals next to them.

https://x.ai/cli: `summary.json` has the title and the model, `signals.json` the context window and the compactions.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from inspector.core.conversation import Role, SizeFacts
from inspector.core.text import plural, word_set
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat, json_beside
from inspector.llm.providers import as_text, token_count

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool_result": "user"}
_TYPES = word_set("reasoning backend_tool_call") | {*_ROLES}


class GrokBuild(HistoryFormat):
    """Sessions of Grok Build."""

    name = "grok-build"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "models", "thinking", "context window"})
    page = "https://x.ai/cli"
    place = "~/.grok/sessions"
    mark = "messages of Grok Build"
    kind = "message of Grok Build"
    messages_file = "chat_history.jsonl"
    files_beside = ("summary.json", "signals.json")

    def is_entry(self, record: Fields) -> bool:
        kind = as_text(record.get("type"))
        if "role" in record or "message" in record or kind not in _TYPES:
            return False
        return "content" in record or "summary" in record or "kind" in record

    def is_like(self, records: list[Fields]) -> bool:
        marks = ("model_id", "prompt_index", "synthetic_reason", "tool_call_id")
        return super().is_like(records) and any(name in record for record in records for name in marks)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        thoughts: list[str] = []
        for number, record in entries:
            kind = as_text(record["type"])
            if kind == "reasoning":
                thoughts += [as_text(entry.get("text")) for entry in objects_of(record.get("summary"))]
                continue
            fields = {**record, "reasoning": "\n\n".join(thoughts)} if kind == "assistant" else record
            thoughts = [] if kind == "assistant" else thoughts
            _add_entry(log, kind, fields, number)
        path = Path(content.source.path)
        summary, signals = (json_beside(path.with_name(name), content) for name in self.files_beside)
        if count := token_count(signals, "compactionCount"):
            content.problems.add(f"signals.json counts {plural(count, 'compaction')}, which these messages do not show")
        models = (message.model for message in reversed(log.messages) if message.model)
        limit = token_count(signals, "contextWindowTokens")
        log.note_window(token_count(signals, "contextTokensUsed"))
        facts: Fields = {"model": as_text(summary.get("current_model_id")) or next(models, "")}
        facts |= {"sizes": SizeFacts(limit=limit)} if limit else {}
        name = as_text(fields_of(summary.get("info")).get("id"))
        title = as_text(summary.get("generated_title") or summary.get("session_summary"))
        return [History(log, name, title, facts)]


def _add_entry(log: LibraryLog, kind: str, fields: Fields, number: int) -> None:
    """Add a message. Calls that the provider made itself are calls of the reply without a result."""
    notes = {name: value for name, value in fields.items() if name not in ("content", "tool_calls", "reasoning")}
    name = f"l{number}"
    if kind == "backend_tool_call":
        call = fields_of(fields.get("kind"))
        asked = {"type": "tool_call", "id": call.get("id"), "name": call.get("tool_type"), "input": call.get("action")}
        answer = {"type": "tool_result", "tool_use_id": call.get("id"), "content": as_text(call.get("status"))}
        log.add_message(name, "assistant", {"content": [asked, answer]}, notes)
    elif kind == "tool_result":
        result = {"type": "tool_result", "tool_use_id": fields.get("tool_call_id"), "content": fields.get("content")}
        log.add_message(name, "user", {"content": [result]}, notes)
    else:
        facts: Fields = {"kind": "injected"} if fields.get("synthetic_reason") not in (None, "interjection") else {}
        model = as_text(fields.get("model_id"))
        log.add_message(name, _ROLES[kind], fields, notes, model=model, **facts)
