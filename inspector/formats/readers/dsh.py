"""Sessions of dsh: JSON lines of events with a sequence number, in which whole messages follow their chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from inspector.core.text import plural
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, time_of
from inspector.formats.building.library_log import LibraryLog, library_usage
from inspector.formats.building.message_heuristics import tools_in
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text, token_count


class Dsh(HistoryFormat):
    """Sessions of dsh."""

    name = "dsh"
    order: ClassVar[RecordOrder] = RecordOrder(id="data.id")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    mark = "events with a seq and data"
    kind = "event of dsh"
    confidence = 1.0

    def is_entry(self, record: Fields) -> bool:
        is_event = "/" in as_text(record.get("type")) and "seq" in record and isinstance(record.get("data"), dict)
        is_chunk = as_text(record.get("type")).endswith("-chunks") and "seq0" in record
        return is_event or is_chunk or (record.get("type") == "session" and "delegationDepth" in record)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        name = title = model = ""
        tools: tuple[Fields, ...] = ()
        last = -1
        for number, record in entries:
            data = fields_of(record.get("data"))
            last = _check_order(record, last, number, content)
            match record["type"]:
                case "session":
                    name = as_text(record.get("id"))
                case "session/title":
                    title = as_text(data.get("title"))
                case "request/header":
                    header = fields_of(data.get("header"))
                    model = as_text(fields_of(header.get("config")).get("model")) or model
                    tools = tuple(tools_in(header)) or tools
                    if not log.messages or data.get("reason") == "initial":
                        log.add_message("system", "system", {"content": header.get("system")}, {})
                case "user/message" | "assistant/message" | "tool/result":
                    _add_event(log, as_text(record["type"]), record, data, f"s{record.get('seq')}")
        facts = {"model": model, "tools": tools, "records_system": True}
        return [History(log, name, title, facts)]


def _check_order(record: Fields, last: int, number: int, content: Content) -> int:
    """Return the sequence number after an event. A gap, a repetition or a reversal becomes a problem."""
    first = record.get("seq", record.get("seq0"))
    if not isinstance(first, int):
        return last
    if first != last + 1:
        what = (
            "repeats an earlier event" if first <= last else f"comes after {plural(first - last - 1, 'missing event')}"
        )
        content.problems.add(f"the event {what} (seq {first} after {last})", number)
    texts = fields_of(record.get("data")).get("texts") or fields_of(record.get("data")).get("args")
    length = len(texts) if isinstance(texts, list) and "seq0" in record else 1
    return max(last, first + max(0, length - 1))


def _add_event(log: LibraryLog, kind: str, record: Fields, data: Fields, name: str) -> None:
    message = fields_of(data.get("message")) or data
    source = fields_of(message.get("source"))
    usage = fields_of(data.get("usage"))
    facts: Fields = {"model": as_text(source.get("model")), "usage": library_usage(usage)} if usage else {}
    if kind == "user/message" and source.get("kind") not in (None, "user"):
        facts["kind"] = "injected"
    role = "assistant" if kind == "assistant/message" else "user"
    notes = {"source": source, "turn": token_count(data, "turn")}
    fields = {"content": message.get("content")}
    own = as_text(message.get("id")) or name
    if role == "assistant":
        log.add_message(own, "assistant", fields, notes, time=time_of(record.get("time")), **facts)
    else:
        log.add_message(own, "user", fields, notes, time=time_of(record.get("time")), **facts)
