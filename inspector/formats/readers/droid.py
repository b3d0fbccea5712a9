"""Sessions of Factory's Droid: JSON lines of a header and of messages with blocks.

https://docs.factory.ai/cli: each message names its parent, and results of tools are in messages of the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.block_messages import BlockMessages
from inspector.formats.building.blocks import blocks_of, fields_of, objects_of, time_of
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, note_missing_head, read_records
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_NOTES = frozenset({"session_end", "todo_state", "session_settings", "agent_turn_outcome"})
"""Types of records that are never sent."""


_LARGEST_SETTINGS = 1 << 20
"""Maximum number of bytes of a settings file."""


class Droid(Format):
    """Sessions that Droid keeps for each project folder."""

    name = "droid"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", parent="parentId", time="timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "thinking", "compactions", "branches"})
    page = "https://docs.factory.ai/cli"
    place = "~/.factory/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(record.get("type") == "session_start" for record in sample.objects[:3]):
            has_message = any(map(_is_entry, sample.objects))
            return FormatMatch(0.95 if has_message else 0.8, "a session_start followed by messages")
        known = _lacks_start(sample.objects)
        return FormatMatch(0.9, "messages of Droid, with tool_use, tool_result or its own fields") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        reading = _DroidSession()
        sessions = read_records(reading, content, progress)
        if not reading.header:
            note_missing_head(content, "a session_start")
        return sessions

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_DroidSession(), content)


class _DroidSession(BlockMessages):
    """Builder of a log from the records of a session."""

    refusal = "is not a record of a Droid session"

    def __init__(self) -> None:
        super().__init__()
        self.header: Fields = {}
        self.positions: dict[str, int] = {}
        """Position of the last message in the context after each message, by id."""
        self.entries: list[tuple[str, Fields]] = []
        """Messages since the last compaction, by id."""

    def feed(self, record: Fields, number: int) -> bool:
        kind = as_text(record.get("type"))
        if kind == "session_start":
            self.header = self.header or record
        elif kind == "compaction_state":
            self.compact(record, as_text(record.get("id")) or f"c{number}")
        elif kind not in _NOTES and not _is_entry(record):
            return False
        elif kind not in _NOTES:
            name = as_text(record.get("id")) or f"m{number}"
            self.entries.append((name, record))
            self.add_entry(name, record)
        return True

    def compact(self, record: Fields, name: str) -> None:
        """Add a summary that replaces the messages up to one. Later messages are repeated after it."""
        anchor = as_text(fields_of(record.get("anchorMessage")).get("id"))
        places = [place for place, (own, _) in enumerate(self.entries) if own == anchor]
        kept = self.entries[places[-1] + 1 :] if places else []
        self.log.begin_anew()
        facts = {"time": time_of(record.get("timestamp")), "kind": "summary"}
        rest = {key: value for key, value in record.items() if key != "summaryText"}
        self.log.add_parts(name, "user", blocks_of(record.get("summaryText")), rest, **facts)
        gone = self.entries[: len(self.entries) - len(kept)]
        self.positions |= dict.fromkeys([own for own, _ in gone], self.end)
        self.entries = []
        if self.log.has_room_for(len(kept)):
            for own, entry in kept:
                self.entries.append((own, entry))
                self.add_entry(own, entry)

    def add_entry(self, name: str, record: Fields) -> None:
        rest = {key: value for key, value in record.items() if key != "message"}
        after = self.positions.get(as_text(record.get("parentId")))
        self.add_message(name, fields_of(record["message"]), rest, after, time=time_of(record.get("timestamp")))
        self.positions[name] = self.end

    def session(self, content: Content) -> Session:
        title = as_text(self.header.get("sessionTitle")) or as_text(self.header.get("title"))
        model = _model_beside(content.source.path)
        return self.log.session(content, Droid.name, as_text(self.header.get("id")), title, model=model)


def _model_beside(path: str) -> str:
    """Return the model named in the settings file of a session, or ""."""
    try:
        with Path(path).with_suffix(".settings.json").open("rb") as file:
            settings = parse(file.read(_LARGEST_SETTINGS))[0]
        return as_text(fields_of(settings).get("model"))
    except (OSError, ValueError, BrokenJSONError):
        return ""


def _is_entry(record: Fields) -> bool:
    return record.get("type") == "message" and fields_of(record.get("message")).get("role") in ("user", "assistant")


def _lacks_start(records: Sequence[Fields]) -> bool:
    """Return True if these are records of a session whose start is missing, and not those of pi."""
    own = [record for record in records if _is_entry(record) or _is_note(record)]
    return 2 * len(own) > len(records) and any(_is_note(record) or _has_own_block(record) for record in own)


def _is_note(record: Fields) -> bool:
    return record.get("type") in (*_NOTES, "compaction_state")


def _has_own_block(record: Fields) -> bool:
    blocks = objects_of(fields_of(record.get("message")).get("content"))
    return any(block.get("type") in ("tool_use", "tool_result") for block in blocks)
