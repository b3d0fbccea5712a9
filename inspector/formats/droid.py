"""Sessions of Factory's Droid: JSON lines, a header and then messages whose content is a list of blocks.

https://docs.factory.ai/cli: each message names its parent, and answers of tools come in messages of the user.
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.conversation import Session
from inspector.formats.base import UNLIKE, Format, Growing, Holding, Recognition
from inspector.formats.block_messages import BlockMessages
from inspector.formats.blocks import fields_of, time_of
from inspector.formats.line_readings import GrowingLines, read_records
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress
from inspector.providers import as_text

_Fields = dict[str, Any]


class Droid(Format):
    """Sessions that Droid keeps for each folder that it worked in."""

    name = "droid"
    title = "Droid sessions"
    shapes = frozenset({"lines"})
    holds: ClassVar[frozenset[Holding]] = frozenset({"times", "thinking", "branches"})
    fields = frozenset({"session_start", "sessionTitle", "owner"})
    page = "https://docs.factory.ai/cli"
    place = "~/.factory/sessions"

    def recognize(self, sample: Sample) -> Recognition:
        if sample.shape != "lines" or not any(record.get("type") == "session_start" for record in sample.objects[:3]):
            return UNLIKE
        has_message = any(map(_is_entry, sample.objects))
        return Recognition(0.95 if has_message else 0.8, "a session_start, and messages behind it")

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_DroidSession(), content, progress)

    def growing(self, content: Content) -> Growing:
        return GrowingLines(_DroidSession(), content)


class _DroidSession(BlockMessages):
    """The records of a session on their way into a log."""

    refusal = "is no record of a Droid session"

    def __init__(self) -> None:
        super().__init__()
        self.header: _Fields = {}
        self.positions: dict[str, int] = {}
        """Where the context stands behind each message, by its id."""

    def take(self, record: _Fields, number: int) -> bool:
        if record.get("type") == "session_start":
            self.header = self.header or record
            return True
        if not _is_entry(record):
            return False
        name = as_text(record.get("id")) or f"m{number}"
        rest = {key: value for key, value in record.items() if key != "message"}
        after = self.positions.get(as_text(record.get("parentId")))
        self.add_message(name, fields_of(record["message"]), rest, after, time=time_of(record.get("timestamp")))
        self.positions[name] = self.end
        return True

    def session(self, content: Content) -> Session:
        title = as_text(self.header.get("sessionTitle")) or as_text(self.header.get("title"))
        return self.log.session(content, Droid.name, as_text(self.header.get("id")), title)


def _is_entry(record: _Fields) -> bool:
    return record.get("type") == "message" and fields_of(record.get("message")).get("role") in ("user", "assistant")
