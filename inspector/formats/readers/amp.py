"""Threads of Amp, as `amp threads export` and its folder of threads have them.

https://ampcode.com/manual: content in the blocks of Anthropic, results with what a tool did in `run`, and usage with
the tokens of the cache next to the input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inspector.core.conversation import Role
from inspector.formats.base import Feature
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.library_log import LibraryLog, model_in
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import History, HistoryFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text


class Amp(HistoryFormat):
    """Threads of Amp."""

    name = "amp"
    order: ClassVar[RecordOrder] = RecordOrder(number="messageId")
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "models", "thinking"})
    page = "https://ampcode.com/manual"
    place = "~/.local/share/amp/threads"
    mark = "a thread with an id that begins with T-"
    kind = "thread of Amp"

    def is_history(self, record: Fields) -> bool:
        messages = objects_of(record.get("messages"))
        return as_text(record.get("id")).startswith("T-") and any(
            "role" in one and "content" in one for one in messages
        )

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        log = LibraryLog()
        for number, message in enumerate(objects_of(record["messages"]), 1):
            own = message.get("messageId")
            notes = {name: value for name, value in message.items() if name != "content"}
            role: Role = "assistant" if message.get("role") == "assistant" else "user"
            log.add_message(f"m{number if own is None else own}", role, message, notes)
        models = (model_in(message) for message in reversed(objects_of(record["messages"])))
        title = as_text(record.get("title"))
        yield History(log, as_text(record["id"]), title, {"model": next(filter(None, models), "")})
