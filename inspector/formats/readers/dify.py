"""Messages of Dify's API: a page of questions with their answers and the thoughts of the agent.

https://docs.dify.ai/api-reference: the newest message comes first on a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.llm.providers import as_text, token_count


class Dify(HistoryFormat):
    """Messages of conversations with Dify."""

    name = "dify"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "usage", "thinking"})
    page = "https://docs.dify.ai/api-reference"
    mark = "messages with a query and an answer"
    kind = "message of Dify"
    lists = ("data",)

    def is_entry(self, record: Fields) -> bool:
        return "conversation_id" in record and isinstance(record.get("query"), str) and "answer" in record

    def history_of(self, entries: Entries, content: Content) -> Iterator[History]:
        names = dict.fromkeys(as_text(record["conversation_id"]) for _, record in entries)
        for name in names:
            own = [record for _, record in entries if record["conversation_id"] == name]
            log = LibraryLog()
            for record in sorted(own, key=lambda one: time_of(one.get("created_at"))):
                _add_dify_message(log, record)
            yield History(log, name)


def _add_dify_message(log: LibraryLog, record: Fields) -> None:
    name, time = as_text(record.get("id")), time_of(record.get("created_at"))
    log.add_message(name, "user", {"content": record["query"]}, {"inputs": record.get("inputs")}, time=time)
    thoughts = [thought for thought in objects_of(record.get("agent_thoughts")) if thought.get("tool")]
    for thought in sorted(thoughts, key=lambda one: token_count(one, "position")):
        own = as_text(thought.get("id"))
        call = {"type": "tool_call", "id": own, "name": thought["tool"], "input": thought.get("tool_input")}
        fields = {"content": [call], "reasoning": thought.get("thought")}
        log.add_message(f"{name}-{own}", "assistant", fields, {}, time=time)
        result = {"type": "tool_result", "tool_use_id": own, "content": thought.get("observation")}
        log.add_message(f"{name}-{own}-result", "user", {"content": [result]}, {}, time=time)
    usage = fields_of(fields_of(record.get("metadata")).get("usage"))
    log.add_message(f"{name}-answer", "assistant", {"content": record["answer"]}, {"usage": usage}, time=time)
