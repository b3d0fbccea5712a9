"""Sessions of Kiro CLI: JSON lines of prompts, replies and tool results.

https://kiro.dev/docs/cli: content is a list of blocks, each with a `kind` and what it holds as `data`. A compaction is
a summary that what follows goes on from.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inspector.core.conversation import Part, Role, Session, Thinking, ToolResult
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_KINDS = word_set("Prompt AssistantMessage ToolResults Compaction")


class Kiro(Format):
    """Sessions of Kiro CLI."""

    name = "kiro"
    order: ClassVar[RecordOrder] = RecordOrder(id="data.message_id", time="data.meta.timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "thinking", "compactions"})
    page = "https://kiro.dev/docs/cli"
    place = "~/.kiro/sessions/cli"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = bool(sample.objects) and any(map(_is_kiro_record, sample.objects))
        return FormatMatch(0.95, "prompts and replies with a kind and data") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_KiroSession(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_KiroSession(), content)


def _is_kiro_record(record: Fields) -> bool:
    data = record.get("data")
    return as_text(record.get("kind")) in _KINDS and isinstance(data, dict) and ("content" in data or "summary" in data)


class _KiroSession:
    """Builder of a log from the records of a session."""

    refusal = "is not a record of a Kiro session"

    def __init__(self) -> None:
        self.log = LogBuilder()

    def feed(self, record: Fields, number: int) -> bool:
        if not _is_kiro_record(record):
            return False
        data = record["data"]
        name = as_text(data.get("message_id")) or f"l{number}"
        facts: Fields = {"time": time_of(fields_of(data.get("meta")).get("timestamp"))}
        around = {key: value for key, value in data.items() if key not in ("content", "results", "summary")}
        if record["kind"] == "Compaction":
            self.log.begin_anew()
            self.log.add_parts(name, "user", blocks_of(data.get("summary")), around, kind="summary", **facts)
            return True
        parts = [part for block in objects_of(data.get("content")) for part in _kiro_parts(block)]
        for part in parts:
            if isinstance(part, ToolResult):
                self.log.add_parts(name, "tool", [part], around, **facts)
        own = [part for part in parts if not isinstance(part, ToolResult)]
        if own:
            role: Role = "assistant" if record["kind"] == "AssistantMessage" else "user"
            self.log.add_parts(name, role, own, around, **facts)
        return True

    def session(self, content: Content) -> Session:
        return self.log.session(content, Kiro.name)


def _kiro_parts(block: Fields) -> Iterator[Part]:
    """Yield the parts of a block. Unknown blocks keep their JSON."""
    data = block.get("data")
    fields = data if isinstance(data, dict) else {}
    match block.get("kind"):
        case "text":
            yield from blocks_of(data)
        case "thinking":
            yield Thinking(as_text(fields.get("text")), as_text(fields.get("signature")))
        case "toolUse":
            yield call_of(fields.get("toolUseId"), fields.get("name"), fields.get("input"))
        case "toolResult":
            content = [as_text(entry.get("data")) for entry in objects_of(fields.get("content"))]
            yield result_of(fields.get("toolUseId"), content, is_error=fields.get("status") == "error")
        case _:
            yield from blocks_of(block)
