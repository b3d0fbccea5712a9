"""Transcripts that Letta Code keeps for reflection: JSON lines of texts and calls, without the context.

https://github.com/letta-ai/letta-code: a line with a call also contains its result.
"""

from __future__ import annotations

from typing import ClassVar

from inspector.core.conversation import Part, Session
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import blocks_of, call_of, result_of, thoughts_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_KINDS = word_set("user assistant reasoning tool_call error")


class LettaCode(Format):
    """Transcripts of conversations with an agent of Letta Code."""

    name = "letta-code"
    order: ClassVar[RecordOrder] = RecordOrder(time="captured_at", calls=False)
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "thinking"})
    page = "https://github.com/letta-ai/letta-code"
    place = "~/.letta/transcripts"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = bool(sample.objects) and all(map(_is_entry, sample.objects))
        return FormatMatch(0.9, "records with a kind and a captured_at") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_LettaTranscript(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_LettaTranscript(), content)


def _is_entry(record: Fields) -> bool:
    return as_text(record.get("kind")) in _KINDS and "captured_at" in record


class _LettaTranscript:
    """Builder of a log from the lines of a transcript."""

    refusal = "is not a line of a Letta Code transcript"

    def __init__(self) -> None:
        self.log = LogBuilder()

    def feed(self, record: Fields, number: int) -> bool:
        if not _is_entry(record):
            return False
        name = as_text(record.get("source_message_id") or record.get("source_line_id")) or f"l{number}"
        time, text = time_of(record.get("captured_at")), record.get("text")
        around = {key: value for key, value in record.items() if key not in ("text", "argsText", "resultText")}
        match record["kind"]:
            case "tool_call":
                self.add_call(name, record, around, time, number)
            case "error":
                self.log.add_parts(name, "system", blocks_of(text), around, time=time, kind="notice")
            case kind:
                parts: list[Part] = [*(thoughts_of(text) if kind == "reasoning" else blocks_of(text))]
                self.log.add_parts(name, "user" if kind == "user" else "assistant", parts, around, time=time)
        return True

    def add_call(self, name: str, record: Fields, around: Fields, time: str, number: int) -> None:
        call = call_of(f"call-{number}", record.get("name"), record.get("argsText"))
        self.log.add_parts(name, "assistant", [call], around, time=time)
        if record.get("resultText") is not None:
            result = result_of(call.id, record["resultText"], is_error=record.get("resultOk") is False)
            self.log.add_parts(f"{name}-result", "tool", [result], {}, time=time)

    def session(self, content: Content) -> Session:
        return self.log.session(content, LettaCode.name)
