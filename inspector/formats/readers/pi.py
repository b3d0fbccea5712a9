"""Sessions of the pi coding agent: JSON lines of messages and of events between them.

https://github.com/badlogic/pi-mono: newer files link each record to its parent, and contain all branches. A compaction
names the first record that it keeps after its summary. OpenClaw (https://github.com/openclaw/openclaw) and Letta Code
(https://github.com/letta-ai/letta-code) use the same format. OpenClaw may also reset a context without a summary. In
Letta Code, a message that is recorded again replaces the first.

Later contexts exclude a reply that was aborted or failed, because no later request contains it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Part, Session, Thinking, Usage, named_values
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import UNRECORDED_SUMMARY, blocks_of, call_of, objects_of, result_of, time_of
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_TYPES = word_set(
    "session message model_change thinking_level_change compaction reset branch_summary custom custom_message label "
    "session_info compaction_start session_compact compaction_end"
)
_ROLES = word_set("user assistant toolResult bashExecution custom")
_BROKEN_OFF = word_set("aborted error")
"""Stop reasons of replies that pi does not send again."""


class Pi(Format):
    """Sessions that pi keeps for each project folder."""

    name = "pi"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", parent="parentId", time="timestamp", heads="session")
    costs: ClassVar[str] = "usage.cost.total"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"usage", "cost", "times", "models", "thinking", "compactions", "branches"}
    )
    page = "https://github.com/badlogic/pi-mono"
    place = "~/.pi/agent/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        if sample.shape != "lines" or not sample.objects:
            return UNLIKE
        first, *others = sample.objects
        is_header = first.get("type") == "session" and "id" in first and "cwd" in first
        if is_header or (others and all(map(_is_entry, sample.objects[:10]))):
            return FormatMatch(0.95 if is_header else 0.85, "a session record followed by messages of pi")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(PiSession(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(PiSession(), content)


def _is_entry(record: Fields) -> bool:
    message = record.get("message")
    return record.get("type") == "message" and isinstance(message, dict) and str(message.get("role")) in _ROLES


class PiSession:
    """Builder of a log from the records of a session."""

    refusal = "is not a record of a pi session"

    def __init__(self) -> None:
        self.entries: list[Fields] = []
        self.header: Fields = {}
        self.replied = self.chosen = ""
        """Model of the newest reply, and the selected model."""
        self.newest: dict[str, int] = {}
        """Number of the newest record of each message that has an id."""
        self.replaced: set[int] = set()
        """Numbers of records whose message was recorded again."""
        self.begin()

    def begin(self) -> None:
        """Start the log in the wire format of the model known so far."""
        self.log = LogBuilder(dialect_for(self.model))
        self.done = 0
        """Records that are in the log."""
        self.positions: dict[str, int] = {}
        """Position of the last message in the context after each record, by id."""
        self.numbers: dict[str, int] = {}
        """Number of each record, by id."""
        self.title = ""
        self.is_compacting = False
        """True between the events of a compaction, where the model writes the summary as a reply."""

    @property
    def model(self) -> str:
        return self.replied or self.chosen

    def feed(self, record: Fields, _number: int) -> bool:
        if str(record.get("type")) not in _TYPES:
            return False
        if name := as_text(_pi_message(record).get("id")):
            self.replace(name)
        self.entries.append(record)
        if record["type"] == "session":
            self.header = self.header or record
        self.replied = as_text(_pi_message(record).get("model")) or self.replied
        self.chosen = as_text(record.get("modelId")) or self.chosen
        return True

    def replace(self, name: str) -> None:
        """Replace an earlier record of the message with this id by the next record."""
        number = self.newest.get(name)
        self.newest[name] = len(self.entries)
        if number is not None:
            self.replaced.add(number)
            if number < self.done:
                self.begin()

    def session(self, content: Content) -> Session:
        if dialect_for(self.model) != self.log.dialect:
            self.begin()
        self.log.work.note("where", [("folder", self.header.get("cwd"))], MAIN)
        for number in range(self.done, len(self.entries)):
            entry = self.entries[number]
            parent = self.positions.get(as_text(entry.get("parentId"))) if entry.get("parentId") else None
            self.add(entry, number, parent)
            if name := as_text(entry.get("id")):
                self.numbers.setdefault(name, number)
            if name and entry["type"] != "session":
                self.positions[name] = self.log.ends.get("main", -1)
        self.done = len(self.entries)
        name = as_text(self.header.get("id"))
        # A file name, such as 2026-03-01T10-00-00-000Z_0b9c3a52.jsonl.
        original = as_text(self.header.get("parentSession")).removesuffix(".jsonl").rpartition("_")[2]
        return self.log.session(content, Pi.name, name, self.title, model=self.model, forked_from=original)

    def add(self, entry: Fields, number: int, after: int | None) -> None:
        if entry["type"] in ("session", "model_change", "thinking_level_change"):
            self.log.work.note("mode", named_values(entry, (("model", "modelId"), ("effort", "thinkingLevel"))), MAIN)
        match entry["type"]:
            case "message" if self.is_compacting and _pi_message(entry).get("role") == "assistant":
                self.add_summary(entry, number)
            case "message" if number not in self.replaced:
                self.add_message(entry, number, after)
            case "compaction" | "reset":
                self.add_compaction(entry, number)
            case "branch_summary" | "custom_message":
                text = blocks_of(entry.get("summary") or entry.get("content"))
                facts: Fields = {"time": time_of(entry.get("timestamp")), "after": after, "kind": "injected"}
                self.log.add_parts(_entry_id(entry, number), "user", text, entry, **facts)
            case "session_info":
                self.title = as_text(entry.get("name")) or self.title
            case "compaction_start" | "compaction_end" as kind:
                self.is_compacting = kind == "compaction_start"
            case _ if after is not None:  # what happened between messages links them
                self.log.ends["main"] = after

    def add_message(self, entry: Fields, number: int, after: int | None, *, is_copy: bool = False) -> None:
        """Add a message. A copied reply was not generated again.

        Args:
            entry: Entry of the file.
            number: Its line.
            after: Place of the message before it; None for the first.
            is_copy: True for a copy in a new branch.
        """
        message = _pi_message(entry)
        facts: dict[str, Any] = {"time": time_of(entry.get("timestamp")), "after": after}
        record = {key: value for key, value in entry.items() if key != "message"}
        content = message.get("content")
        match message.get("role"):
            case "assistant":
                own: dict[str, Any] = {"model": as_text(message.get("model")), "usage": _pi_usage(message.get("usage"))}
                own = {"kind": "copy"} if is_copy else own
                record |= {"usage": message["usage"]} if message.get("usage") else {}
                end = self.log.ends.get(MAIN, -1) if after is None else after
                self.log.add_parts(_entry_id(entry, number), "assistant", _reply_parts(content), record, **facts, **own)
                if _is_broken_off(entry):
                    self.log.begin_anew(after=end)
            case "toolResult":
                result = result_of(message.get("toolCallId"), content, is_error=message.get("isError") is True)
                self.log.add_parts(_entry_id(entry, number), "tool", [result], record, **facts)
            case "bashExecution":
                text = f"Ran `{as_text(message.get('command'))}`\n{as_text(message.get('output'))}"
                self.log.add_parts(_entry_id(entry, number), "user", blocks_of(text), record, kind="injected", **facts)
            case _:
                self.log.add_parts(_entry_id(entry, number), "user", blocks_of(content), record, **facts)

    def add_summary(self, entry: Fields, number: int) -> None:
        """Start a context with the summary that a reply during a compaction is."""
        self.is_compacting = False
        self.log.begin_anew()
        message = _pi_message(entry)
        facts: Fields = {"time": time_of(entry.get("timestamp")), "usage": _pi_usage(message.get("usage"))}
        parts = _reply_parts(message.get("content"))
        self.log.add_parts(_entry_id(entry, number), "user", parts, entry, kind="summary", **facts)

    def add_compaction(self, entry: Fields, number: int) -> None:
        """Start a context with a summary, followed by the messages that were kept. A reset has no summary."""
        kept = range(self.first_kept_by(entry, number), number)
        self.log.begin_anew()
        unrecorded = UNRECORDED_SUMMARY if entry["type"] == "compaction" else ""
        if summary := blocks_of(entry.get("summary")) or blocks_of(unrecorded):
            facts = {"time": time_of(entry.get("timestamp")), "kind": "summary"}
            self.log.add_parts(_entry_id(entry, number), "user", summary, entry, **facts)
        for place in kept if self.log.has_room_for(len(kept)) else ():
            earlier = self.entries[place]
            if earlier["type"] == "message" and place not in self.replaced and not _is_broken_off(earlier):
                self.add_message(earlier, place, None, is_copy=True)

    def first_kept_by(self, entry: Fields, number: int) -> int:
        """Return the number of the first record that a compaction keeps, or its own number if it keeps none."""
        if isinstance(index := entry.get("firstKeptEntryIndex"), int) and not isinstance(index, bool):
            return min(index, number) if index > 0 else number
        return self.numbers.get(as_text(entry.get("firstKeptEntryId")), number)


def _pi_message(entry: Fields) -> Fields:
    message = entry.get("message")
    return message if isinstance(message, dict) else {}


def _is_broken_off(entry: Fields) -> bool:
    """Return True if a message is a reply that was aborted or failed."""
    message = _pi_message(entry)
    return message.get("role") == "assistant" and as_text(message.get("stopReason")) in _BROKEN_OFF


def _entry_id(entry: Fields, number: int) -> str:
    return as_text(entry.get("id")) or f"entry-{number + 1}"


def _reply_parts(content: Any) -> list[Part]:
    parts: list[Part] = []
    for block in objects_of(content):
        match block:
            case {"type": "toolCall"}:
                parts.append(call_of(block.get("id"), block.get("name"), block.get("arguments")))
            case {"type": "thinking"}:
                parts.append(Thinking(as_text(block.get("thinking")), as_text(block.get("thinkingSignature"))))
            case _:
                parts += blocks_of(block)
    return parts or [*blocks_of(content if isinstance(content, str) else None)]


def _pi_usage(report: Any) -> Usage | None:
    """Return the usage of a reply. `input` excludes cached tokens and cache writes."""
    fresh, read, written = (token_count(report, name) for name in ("input", "cacheRead", "cacheWrite"))
    return usage_unless_zero(fresh + read + written, token_count(report, "output"), read, written)
