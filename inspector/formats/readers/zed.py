"""Threads of Zed's agent, as JSON.

https://zed.dev/docs/ai: a message is an object with one field, the speaker; results are in the reply that called.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import History, HistoryFormat
from inspector.llm.providers import as_text


class Zed(HistoryFormat):
    """Threads of Zed."""

    name = "zed"
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "models", "thinking"})
    page = "https://zed.dev/docs/ai"
    mark = "messages of a User and an Agent"
    kind = "thread"

    def is_history(self, record: Fields) -> bool:
        rows = record.get("messages")
        return isinstance(rows, list) and any(isinstance(row, dict) and _zed_speaker(row) for row in rows)

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        log = LibraryLog()
        usages = fields_of(record.get("request_token_usage"))
        model = as_text(fields_of(record.get("model")).get("model"))
        asked = ""
        for number, row in enumerate(record["messages"], 1):
            speaker = _zed_speaker(row) if isinstance(row, dict) else ""
            if not speaker:
                if row != "Resume":
                    content.problems.add(f"message {number} was left out: it has no speaker")
                continue
            message = fields_of(row[speaker])
            name = as_text(message.get("id")) or f"m{number}"
            if speaker == "User":
                asked = name
                log.add_message(name, "user", {"content": _blocks(message)}, {})
            else:
                usage = usages.pop(asked, None)
                log.add_message(name, "assistant", {"content": _blocks(message)}, {"usage": usage}, model=model)
                results = fields_of(message.get("tool_results")).values()
                log.add_message(f"{name}-results", "user", {"content": [*map(_zed_result, results)]}, {})
        title = as_text(record.get("summary") or record.get("title"))
        yield History(log, as_text(record.get("id")), title, {"model": model})


def _zed_speaker(row: Fields) -> str:
    return next((name for name in ("User", "Agent") if isinstance(row.get(name), dict) and len(row) == 1), "")


def _blocks(message: Fields) -> list[Any]:
    """Return the content of a message in common notation."""
    return [_block(kind, value) for row in objects_of(message.get("content")) for kind, value in row.items()]


def _block(kind: str, value: Any) -> Any:
    fields = fields_of(value)
    match kind:
        case "Text":
            return as_text(value)
        case "Thinking":
            return {"type": "thinking", "thinking": fields.get("text"), "signature": fields.get("signature")}
        case "ToolUse":
            return {"type": "tool_use", **fields}
        case "Mention":
            return as_text(fields.get("content"))
        case "Image":
            return {
                "type": "image",
                "source": {"type": "base64", "data": fields.get("source"), "media_type": "image/png"},
            }
    return {kind: value}


def _zed_result(result: Any) -> Fields:
    own = fields_of(result)
    content = own.get("content")
    text = fields_of(content).get("Text", content)
    facts = {"tool_use_id": own.get("tool_use_id"), "is_error": own.get("is_error") is True}
    return {"type": "tool_result", "content": text, **facts}
