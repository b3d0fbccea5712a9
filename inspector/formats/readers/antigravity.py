"""Transcripts of Antigravity: JSON lines of the steps of a trajectory, numbered from 0.

https://antigravity.google: the step of a tool is its result; the replies before it name the calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from inspector.formats.base import Feature
from inspector.formats.building.blocks import objects_of, time_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.llm.providers import as_text

_REQUEST = ("<USER_REQUEST>", "</USER_REQUEST>")


class Antigravity(HistoryFormat):
    """Transcripts of Antigravity."""

    name = "antigravity"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "thinking"})
    page = "https://antigravity.google"
    place = "~/.gemini/antigravity-cli/brain"
    mark = "steps with a step_index and a source"
    kind = "step of a trajectory"

    def is_entry(self, record: Fields) -> bool:
        return isinstance(record.get("step_index"), int) and "source" in record and isinstance(record.get("type"), str)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        waiting: list[str] = []
        last = -1
        for number, record in entries:
            index = record["step_index"]
            if index != last + 1:
                content.problems.add(f"step {index} follows step {last}: steps are missing or out of order", number)
            last = index
            waiting = _add_trajectory_step(log, record, waiting)
        return [History(log)]


def _add_trajectory_step(log: LibraryLog, record: Fields, waiting: list[str]) -> list[str]:
    """Add a step, and return the calls that have no result yet."""
    name, text = f"step-{record['step_index']}", as_text(record.get("content"))
    notes = {key: value for key, value in record.items() if key not in ("content", "thinking", "tool_calls")}
    facts: Fields = {"time": time_of(record.get("created_at"))}
    kind = record["type"]
    if kind == "USER_INPUT":
        asked = text.strip().removeprefix(_REQUEST[0]).removesuffix(_REQUEST[1]).strip()
        log.add_message(name, "user", {"content": asked}, notes, **facts)
    elif kind == "PLANNER_RESPONSE":
        calls = [
            _step_call(call, f"{name}-{place}") for place, call in enumerate(objects_of(record.get("tool_calls")), 1)
        ]
        said: list[Any] = [text] if text else []
        fields = {"content": [*said, *calls], "reasoning": record.get("thinking")}
        log.add_message(name, "assistant", fields, notes, **facts)
        return [*waiting, *(as_text(call["id"]) for call in calls)]
    elif record.get("source") == "MODEL" and waiting:
        result: Fields = {"type": "tool_result", "tool_use_id": waiting[0], "content": text}
        result["is_error"] = record.get("status") == "ERROR"
        log.add_message(name, "user", {"content": [result]}, notes, **facts)
        return waiting[1:]
    elif text:
        log.add_message(name, "user", {"content": text}, notes, kind="injected", **facts)
    return waiting


def _step_call(call: Fields, name: str) -> Fields:
    own = call.get("args", call.get("arguments", call.get("input")))
    return {"type": "tool_call", "id": as_text(call.get("id")) or name, "name": call.get("name"), "input": own}
