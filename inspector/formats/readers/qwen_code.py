"""Sessions of Qwen Code: JSON lines of records that name their parent, with messages of the Gemini API.

https://github.com/QwenLM/qwen-code (chatRecordingService.ts): the record of a reply has the usage, the model and the
window. A compression contains all messages of the new context. A record whose parent is an earlier one returns to it.
Results of tools that were called from a program, and spoken words, are recorded but not sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Kind, Session, Usage
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.gemini_contents import ContentCalls, is_content, is_of_model
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_TYPES = word_set("user assistant tool_result system")
_SAID = word_set("mid_turn_user_message")
"""Subtypes of records with the user's text."""
_SNAPSHOT = "<state_snapshot>"
"""Text that the summary of a compression contains."""


class QwenCode(Format):
    """Chats that Qwen Code keeps for each project folder."""

    name = "qwen-code"
    order: ClassVar[RecordOrder] = RecordOrder(id="uuid", parent="parentUuid", time="timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"usage", "times", "models", "thinking", "compactions", "context window", "branches"}
    )
    page = "https://github.com/QwenLM/qwen-code"
    place = "~/.qwen/projects"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_is_record(record) and is_content(record.get("message")) for record in sample.objects):
            return FormatMatch(0.95, "records with a uuid and a sessionId, whose messages have parts")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_QwenChat(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_QwenChat(), content)


def _is_record(record: Fields) -> bool:
    return "uuid" in record and "sessionId" in record and as_text(record.get("type")) in _TYPES


class _QwenChat:
    """Builder of a log from the records of a chat."""

    refusal = "is not a record of a Qwen Code chat"

    def __init__(self) -> None:
        self.records: list[Fields] = []
        self.model = ""
        self.begin()

    def begin(self) -> None:
        """Start the log in the wire format of the model that is known so far."""
        self.log = LogBuilder(dialect_for(self.model))
        self.calls = ContentCalls()
        self.done = 0
        """Records that are in the log."""
        self.ends: dict[str, int] = {}
        """Position of the last message in the context after each record, by uuid."""
        self.name = self.title = ""

    def feed(self, record: Fields, _number: int) -> bool:
        if not _is_record(record):
            return False
        self.records.append(record)
        self.model = as_text(record.get("model")) or self.model
        return True

    def session(self, content: Content) -> Session:
        if dialect_for(self.model) != self.log.dialect:
            self.begin()
        for number in range(self.done, len(self.records)):
            self.add(self.records[number], number)
        self.done = len(self.records)
        sizes = self.log.size_facts
        return self.log.session(content, QwenCode.name, self.name, self.title, model=self.model, sizes=sizes)

    def add(self, record: Fields, number: int) -> None:
        """Add a record after its parent. If that is an earlier one, later records leave the context."""
        self.name = as_text(record.get("sessionId")) or self.name
        if "parentUuid" in record:
            here = self.log.ends.get(MAIN, -1)
            parent = record["parentUuid"]
            self.log.begin_anew(after=self.ends.get(as_text(parent), here) if parent else -1)
        if record["type"] == "system":
            self.add_event(record, number)
        elif is_content(record.get("message")) and record.get("subtype") != "code_mode_tool_result":
            self.add_message(record, number)
        self.ends[as_text(record["uuid"])] = self.log.ends.get(MAIN, -1)

    def add_message(self, record: Fields, number: int) -> None:
        message = record["message"]
        own: Fields = {"time": time_of(record.get("timestamp")), "kind": _kind_of_words(record)}
        if is_of_model(message):
            self.log.note_limit(token_count(record, "contextWindowSize"))
            own |= {"model": as_text(record.get("model")), "usage": _qwen_usage(record.get("usageMetadata"))}
        if record.get("subtype") == "realtime_message":  # spoken, and never sent to the model of the chat
            end = self.log.ends.get(MAIN, -1)
            self.calls.add(
                self.log, _uuid_of(record), {**message, "role": "user"}, _record_around(record), number, **own
            )
            self.log.begin_anew(after=end)
            return
        own["is_error"] = fields_of(record.get("toolCallResult")).get("status") == "error"
        self.calls.add(self.log, _uuid_of(record), message, _record_around(record), number, **own)

    def add_event(self, record: Fields, number: int) -> None:
        """Handle an event between messages. Most events change nothing."""
        payload = fields_of(record.get("systemPayload"))
        match record.get("subtype"):
            case "chat_compression" if isinstance(payload.get("compressedHistory"), list):
                self.log.begin_anew()
                sizes = {"info": info} if (info := fields_of(payload.get("info"))) else {}
                self.add_history(record | sizes, objects_of(payload["compressedHistory"]), number, is_summary=True)
            case "agent_bootstrap":
                self.add_history(record, objects_of(payload.get("history")), number)
            case "slash_command":
                self.mark_command(payload)
            case "custom_title":
                self.title = as_text(payload.get("customTitle")) or self.title

    def mark_command(self, payload: Fields) -> None:
        """Mark the last input as a notice if it was a command that the program answered itself."""
        position = self.log.ends.get(MAIN, -1)
        outputs = objects_of(payload.get("outputHistoryItems"))
        is_answered = bool(outputs) and all(item.get("type") == "assistant" for item in outputs)
        if position < 0 or payload.get("phase") != "result" or payload.get("sentToModel") is True or not is_answered:
            return
        message = self.log.messages[position]
        if message.role == "user" and message.kind == "chat" and message.text == payload.get("rawCommand"):
            self.log.change(position, kind="notice")

    def add_history(self, record: Fields, history: list[Fields], number: int, *, is_summary: bool = False) -> None:
        """Continue with the messages that the model receives from now on. A copied reply is not a reply."""
        if not self.log.has_room_for(len(history)):
            return
        summary = _place_of_summary(history) if is_summary else -1
        for place, message in enumerate(history):
            kind: Kind = "summary" if place == summary else "copy" if is_of_model(message) else "chat"
            name = _uuid_of(record) if place == summary else f"{_uuid_of(record)}-{place + 1}"
            around = _record_around(record) if place == summary else {}
            facts: Fields = {"time": time_of(record.get("timestamp")), "kind": kind}
            self.calls.add(self.log, name, message, around, number, **facts)


def _uuid_of(record: Fields) -> str:
    return as_text(record["uuid"])


def _record_around(record: Fields) -> Fields:
    """Return the data recorded with a message."""
    return {key: value for key, value in record.items() if key not in ("message", "systemPayload")}


def _kind_of_words(record: Fields) -> Kind:
    """Return True if a user message was written by the user, and not by the program."""
    if record["type"] != "user":
        return "chat"
    if record.get("subtype") == "realtime_message":
        return "notice"
    is_said = record.get("provenance") in (None, "real_user") and record.get("subtype") in (None, "", *_SAID)
    return "chat" if is_said else "injected"


def _place_of_summary(history: list[Fields]) -> int:
    """Return the position of the summary among messages: by its text, or the first user message."""
    places = [place for place, message in enumerate(history) if not is_of_model(message)]
    snapshots = (place for place in places if _has_snapshot(objects_of(history[place].get("parts"))))
    return next(snapshots, next(iter(places), -1))


def _has_snapshot(parts: Iterable[Fields]) -> bool:
    return any(_SNAPSHOT in as_text(part.get("text"))[:200] for part in parts)


def _qwen_usage(report: Any) -> Usage | None:
    """Return the usage of a reply.

    For some providers, the candidates' tokens include those of the thoughts; the total shows it.
    """
    sent = token_count(report, "promptTokenCount")
    written = token_count(report, "candidatesTokenCount") + token_count(report, "thoughtsTokenCount")
    total = token_count(report, "totalTokenCount")
    reply = min(written, total - sent) if total > sent else written
    return usage_unless_zero(sent, reply, token_count(report, "cachedContentTokenCount"), 0)
