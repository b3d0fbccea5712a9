"""Condensed transcripts of Entire: JSON lines of any agent's messages, with results inside the calls.

https://entire.io: a record names its agent. System prompts are left out. The recorded `input_tokens` are only those
that were not read from a cache, so they are not the size of a request and are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from inspector.core.conversation import Kind, Role
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text

_SKILL = "Base directory for this skill:"
"""Start of the text of a skill of Claude Code."""


class Entire(HistoryFormat):
    """Condensed transcripts of Entire."""

    name = "entire"
    order: ClassVar[RecordOrder] = RecordOrder(id="ts", time="ts", skips_repeats=True, calls=False)
    features: ClassVar[frozenset[Feature]] = frozenset({"times"})
    page = "https://entire.io"
    mark = "messages with an agent and a cli_version"
    kind = "record of a condensed transcript"

    def is_entry(self, record: Fields) -> bool:
        return "v" in record and "cli_version" in record and record.get("type") in ("user", "assistant", "system")

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        earlier: list[Fields] = []
        for number, record in entries:
            if earlier and record == earlier[-1]:
                content.problems.add("the line repeats the one before, and was left out", number)
                continue
            earlier = [record]
            notes = {name: value for name, value in record.items() if name != "content"}
            blocks = [piece for block in objects_of(record.get("content")) for piece in _with_result(block)]
            role: Role = "assistant" if record["type"] == "assistant" else "user"
            fields = {"content": blocks or record.get("content")}
            kind: Kind = "injected" if role == "user" and _is_skill(blocks) else "chat"
            log.add_message(as_text(record.get("id")) or f"l{number}", role, fields, notes, kind=kind)
        return [History(log)]


def _is_skill(blocks: Iterable[Fields]) -> bool:
    """Return True if a message is the text of a skill, which the agent inserts as a message of the user."""
    return any(as_text(block.get("text")).startswith(_SKILL) for block in blocks)


def _with_result(block: Fields) -> Iterator[Fields]:
    """Yield a block, and the result that a call contains."""
    yield {name: value for name, value in block.items() if name != "result"}
    result = block.get("result")
    if block.get("type") == "tool_use" and isinstance(result, dict):
        status = as_text(result.get("status"))
        is_error = bool(status) and status not in ("success", "completed", "ok")
        output = result.get("output", fields_of(result).get("content"))
        yield {"type": "tool_result", "tool_use_id": block.get("id"), "content": output, "is_error": is_error}
