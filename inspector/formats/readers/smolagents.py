"""Steps of smolagents' memory, as `agent.memory.get_full_steps` returns them: a list, or a step on each line.

https://huggingface.co/docs/smolagents: a step of an action has what the model said, its calls, and observations that
are the results of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.library_log import LibraryLog, library_usage
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.llm.providers import as_text


class Smolagents(HistoryFormat):
    """Steps of an agent of smolagents."""

    name = "smolagents"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "usage", "times", "thinking"})
    page = "https://huggingface.co/docs/smolagents"
    mark = "steps with a step_number, a task or a system_prompt"
    kind = "step of an agent"
    lists = ("steps", "memory")

    def is_entry(self, record: Fields) -> bool:
        is_action = "step_number" in record and not {"tool_calls", "model_output", "observations"}.isdisjoint(record)
        is_head = not {"system_prompt", "task"}.isdisjoint(record) and {*record} <= _HEAD
        return is_action or is_head or ("plan" in record and "timing" in record) or {*record} <= _FINAL

    def is_like(self, records: list[Fields]) -> bool:
        return super().is_like(records) and any("step_number" in record for record in records)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        last = 0
        for number, record in sorted(entries, key=lambda entry: "system_prompt" not in entry[1]):
            name = f"m{number}"
            if isinstance(step := record.get("step_number"), int):
                if step != last + 1:
                    content.problems.add(f"step {step} follows step {last}: steps are missing or out of order", number)
                last = step
                _add_smol_step(log, record, name)
            elif "system_prompt" in record:
                log.add_message(name, "system", {"content": record["system_prompt"]}, {})
            elif "task" in record:
                log.add_message(name, "user", {"content": record["task"]}, {"timestamp": record.get("timestamp")})
            else:
                text = record.get("plan", record.get("output"))
                log.add_message(name, "assistant", {"content": text}, {"usage": record.get("token_usage")})
        return [History(log)]


_HEAD = {"system_prompt", "task", "task_images", "timestamp"}
_FINAL = {"output"}
_NOTES = {"step_number", "timing", "is_final_answer"}


def _add_smol_step(log: LibraryLog, record: Fields, name: str) -> None:
    """Add the reply of a step and the results of its calls."""
    calls = [_smol_call(call) for call in objects_of(record.get("tool_calls"))]
    text = record.get("model_output")
    said: list[Any] = [text] if isinstance(text, str) and text else objects_of(text)
    timing = fields_of(record.get("timing"))
    notes: Fields = {key: value for key, value in record.items() if key in _NOTES}
    time = time_of(timing.get("end_time") or timing.get("start_time"))
    usage = library_usage(fields_of(record.get("token_usage")))
    log.add_message(name, "assistant", {"content": [*said, *calls]}, notes, time=time, usage=usage)
    _add_results(log, record, f"{name}-result", calls, time)


def _add_results(log: LibraryLog, record: Fields, name: str, calls: list[Fields], time: str) -> None:
    """Add the observations of a step as the result of its first call, and nothing as that of the others."""
    error = as_text(fields_of(record.get("error")).get("message") or record.get("error"))
    value = error or as_text(record.get("observations")) or as_text(record.get("action_output"))
    for place, call in enumerate(calls):
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": value if not place else ""}
        log.add_message(name, "user", {"content": [result | {"is_error": bool(error)}]}, {}, time=time)
    if value and not calls:
        log.add_message(name, "user", {"content": value}, {}, time=time, kind="injected")


def _smol_call(call: Fields) -> Fields:
    function = fields_of(call.get("function")) or call
    own = {"id": call.get("id"), "name": function.get("name"), "input": function.get("arguments")}
    return {"type": "tool_call", **own}
