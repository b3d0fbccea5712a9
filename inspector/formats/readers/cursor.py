"""Transcripts of Cursor's agent: JSON lines of a role and a message whose content is a list of blocks.

https://cursor.com/docs/agent: calls have no id, so a result belongs to the first earlier call without a result.
"""

from __future__ import annotations

from typing import ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.block_messages import BlockMessages
from inspector.formats.building.blocks import time_of
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.source import Progress

_END = "turn_ended"
"""Type of the line that ends a turn."""


class Cursor(Format):
    """Transcripts of Cursor's agent."""

    name = "cursor"
    features: ClassVar[frozenset[Feature]] = frozenset({"thinking"})
    page = "https://cursor.com/docs/agent"
    place = "~/.cursor/projects/*/agent-transcripts"

    def recognize(self, sample: Sample) -> FormatMatch:
        records = sample.objects[:20]
        turns = [record for record in records if record.get("type") != _END]
        if sample.shape != "lines" or not turns or not all(map(_is_turn, turns)):
            return UNLIKE
        return FormatMatch(0.7, "lines of a role and a message with blocks")

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_CursorLines(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_CursorLines(), content)


class _CursorLines(BlockMessages):
    """Builder of a log from the lines of a transcript."""

    refusal = "is not a line of a Cursor transcript"

    def feed(self, record: Fields, number: int) -> bool:
        if not _is_turn(record):
            return record.get("type") == _END
        message = {"role": record["role"], "content": record["message"].get("content")}
        rest = {key: value for key, value in record.items() if key not in ("role", "message")}
        self.add_message(f"m{number}", message, rest, time=time_of(record.get("timestamp")))
        return True

    def session(self, content: Content) -> Session:
        return self.log.session(content, Cursor.name)


def _is_turn(record: Fields) -> bool:
    match record:
        case {"role": "user" | "assistant", "message": {"content": list()} as message}:
            return "role" not in message and "type" not in record
    return False
