"""Output of agents with stream-json: Cursor, Droid and Gemini CLI. Claude Code's output is read with its transcripts.

https://docs.cursor.com/cli/reference/output-format, https://docs.factory.ai/cli and
https://google-gemini.github.io/gemini-cli. Text may come in pieces (`delta`), which are one message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from inspector.core.conversation import Role, Usage
from inspector.core.text import word_set
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, time_of
from inspector.formats.building.library_log import LibraryLog, library_usage
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text

_FEATURES: frozenset[Feature] = frozenset({"models", "times", "thinking"})


class _StreamLog(LibraryLog):
    """The messages of a stream, in which pieces of a text follow one another."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._facts: Fields = {}

    def add_piece(self, text: str, **facts: Any) -> None:
        """Add a piece of the text of a reply."""
        self._facts = self._facts or facts
        self._pieces.append(text)

    def flush(self) -> None:
        """Add the reply that the pieces form."""
        text, facts = "".join(self._pieces), self._facts
        self._pieces, self._facts = [], {}
        if text:
            self.add_message(facts.pop("name", "reply"), "assistant", {"content": text}, {}, **facts)

    def add_call(self, name: str, id: Any, tool: Any, arguments: Any, time: str) -> None:
        """Add a call of a tool."""
        self.flush()
        call = {"type": "tool_call", "id": id, "name": tool, "input": arguments}
        self.add_message(name, "assistant", {"content": [call]}, {}, time=time)

    def add_result(self, name: str, id: Any, value: Any, time: str, *, is_error: bool = False) -> None:
        """Add the result of a call."""
        self.flush()
        result = {"type": "tool_result", "tool_use_id": id, "content": value, "is_error": is_error}
        self.add_message(name, "user", {"content": [result]}, {}, time=time)

    def set_usage(self, usage: Usage | None, model: str) -> None:
        """Set the model of the last reply, and its usage if it is the only one that the stream has a report for."""
        self.flush()
        replies = [place for place, message in enumerate(self.messages) if message.role == "assistant"]
        for place in replies:
            self.change(place, model=model)
        if len(replies) == 1:
            self.change(replies[0], usage=usage)


class CursorStream(HistoryFormat):
    """Output of Cursor's agent."""

    name = "cursor-stream"
    features: ClassVar[frozenset[Feature]] = _FEATURES
    page = "https://docs.cursor.com/cli/reference/output-format"
    mark = "events of Cursor with a tool_call or an apiKeySource"
    kind = "event of Cursor's output"

    def is_entry(self, record: Fields) -> bool:
        return "session_id" in record and as_text(record.get("type")) in _CURSOR

    def is_like(self, records: list[Fields]) -> bool:
        is_own = any(record.get("type") == "tool_call" and "tool_call" in record for record in records)
        first = records[0] if records else {}
        is_own = is_own or (first.get("subtype") == "init" and "apiKeySource" in first and "uuid" not in first)
        return is_own and super().is_like(records)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = _StreamLog()
        model = ""
        for number, record in entries:
            model = as_text(record.get("model")) or model
            _add_cursor_event(log, record, f"l{number}", time_of(record.get("timestamp_ms")))
        log.set_usage(None, model)
        return [History(log, as_text(entries[0][1].get("session_id")), facts={"model": model})]


_CURSOR = word_set("system user assistant tool_call result thinking")


def _add_cursor_event(log: _StreamLog, record: Fields, name: str, time: str) -> None:
    message = fields_of(record.get("message"))
    match record["type"]:
        case "user" | "assistant":
            log.flush()
            role: Role = "assistant" if record["type"] == "assistant" else "user"
            log.add_message(name, role, message, {}, time=time)
        case "tool_call":
            kind, call = next(iter(fields_of(record.get("tool_call")).items()), ("", None))
            own, call_id = fields_of(call), record.get("call_id")
            if record.get("subtype") == "started":
                log.add_call(name, call_id, own.get("name") or kind.removesuffix("ToolCall"), own.get("args"), time)
            else:
                result = fields_of(own.get("result"))
                outcome = next(iter(result), "")
                value = result[outcome] if len(result) == 1 else own.get("result")
                text = fields_of(value).get("content", value)
                log.add_result(name, call_id, text, time, is_error=outcome in ("error", "failure", "rejected"))


class DroidStream(HistoryFormat):
    """Output of Droid."""

    name = "droid-stream"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", time="timestamp")
    features: ClassVar[frozenset[Feature]] = _FEATURES
    page = "https://docs.factory.ai/cli"
    mark = "events of Droid with a toolCallId or a finalText"
    kind = "event of Droid's output"

    def is_entry(self, record: Fields) -> bool:
        kind = record.get("type")
        has_message = kind == "message" and isinstance(record.get("text"), str) and "role" in record
        return "session_id" in record and (has_message or as_text(kind) in _DROID)

    def is_like(self, records: list[Fields]) -> bool:
        marks = ("toolCallId", "finalText", "text")
        return super().is_like(records) and any(name in record for record in records for name in marks)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = _StreamLog()
        model = ""
        for number, record in entries:
            model = as_text(record.get("model")) or model
            _add_droid_event(log, record, as_text(record.get("id")) or f"l{number}", time_of(record.get("timestamp")))
        log.set_usage(None, model)
        return [History(log, as_text(entries[0][1].get("session_id")), facts={"model": model})]


_DROID = word_set("system tool_call tool_result completion")


def _add_droid_event(log: _StreamLog, record: Fields, name: str, time: str) -> None:
    call_id = record.get("toolCallId") or record.get("id")
    match record["type"]:
        case "message":
            role = role_of(as_text(record["role"])) or "user"
            log.add_message(name, role, {"content": record["text"]}, {}, time=time)
        case "tool_call":
            log.add_call(name, call_id, record.get("toolName") or record.get("toolId"), record.get("parameters"), time)
        case "tool_result":
            log.add_result(name, call_id, record.get("value"), time, is_error=record.get("isError") is True)
        case "completion" if text := as_text(record.get("finalText")):
            last = log.messages[-1:]
            if not last or last[0].role != "assistant" or last[0].text != text:
                log.add_message(name, "assistant", {"content": text}, {}, time=time)


class GeminiStream(HistoryFormat):
    """Output of Gemini CLI."""

    name = "gemini-stream"
    order: ClassVar[RecordOrder] = RecordOrder(time="timestamp")
    features: ClassVar[frozenset[Feature]] = _FEATURES | {"usage"}
    page = "https://google-gemini.github.io/gemini-cli"
    mark = "events of Gemini CLI with a tool_id or stats"
    kind = "event of Gemini CLI's output"

    def is_entry(self, record: Fields) -> bool:
        kind = record.get("type")
        has_message = kind == "message" and isinstance(record.get("content"), str) and "role" in record
        return "timestamp" in record and (has_message or as_text(kind) in _GEMINI)

    def is_like(self, records: list[Fields]) -> bool:
        is_own = any(record.get("type") == "init" and "session_id" in record for record in records[:3])
        is_own = is_own or any("tool_id" in record or "stats" in record for record in records)
        return is_own and super().is_like(records)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = _StreamLog()
        model = name = ""
        usage = None
        for number, record in entries:
            model = as_text(record.get("model")) or model
            name = as_text(record.get("session_id")) or name
            usage = library_usage(fields_of(record.get("stats"))) or usage
            _add_gemini_event(log, record, f"l{number}", time_of(record.get("timestamp")))
        log.set_usage(usage, model)
        return [History(log, name, facts={"model": model})]


_GEMINI = word_set("init tool_use tool_result error result")


def _add_gemini_event(log: _StreamLog, record: Fields, name: str, time: str) -> None:
    match record["type"]:
        case "message" if record.get("delta") is True and record["role"] == "assistant":
            log.add_piece(record["content"], name=name, time=time)
        case "message":
            log.flush()
            role = role_of(as_text(record["role"])) or "user"
            log.add_message(name, role, {"content": record["content"]}, {}, time=time)
        case "tool_use":
            log.add_call(name, record.get("tool_id"), record.get("tool_name"), record.get("parameters"), time)
        case "tool_result":
            value = record.get("output", fields_of(record.get("error")).get("message"))
            log.add_result(name, record.get("tool_id"), value, time, is_error=record.get("status") == "error")
