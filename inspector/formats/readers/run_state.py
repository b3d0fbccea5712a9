"""States of runs of the OpenAI Agents SDK, which a program stores while a tool call waits for an approval.

https://openai.github.io/openai-agents-python/human_in_the_loop (JSON with snake case) and
https://openai.github.io/openai-agents-js/guides/human-in-the-loop (camel case): the input, the items since then, and
the responses of the model with their usage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, ClassVar

from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.library_log import library_usage
from inspector.formats.building.log_builder import LogBuilder, definition_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import History, HistoryFormat
from inspector.llm.providers import DEFAULT_DIALECT, as_text, placed_messages

_APPROVAL = "tool_approval_item"


class RunState(HistoryFormat):
    """States of runs."""

    name = "agents-sdk-state"
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "tools", "thinking"})
    page = "https://openai.github.io/openai-agents-python/human_in_the_loop"
    mark = "a schema version, the current agent and generated items"
    kind = "state of a run"

    def is_history(self, record: Fields) -> bool:
        return "$schemaVersion" in record and isinstance(_field(record, "generated_items"), list)

    def histories(self, record: Fields, content: Content) -> Iterable[History]:
        asked = _field(record, "original_input")
        own = [{"role": "user", "content": asked}] if isinstance(asked, str) else objects_of(asked)
        since = [
            fields_of(_field(item, "raw_item"))
            for item in objects_of(_field(record, "generated_items")) or objects_of(_field(record, "session_items"))
            if item.get("type") != _APPROVAL
        ]
        items = [_snake_case(item) for item in [*own, *since] if item]
        log = LogBuilder()
        agent = fields_of(_field(record, "current_agent"))
        model = as_text(agent.get("model"))
        places = placed_messages(items)
        for number, (_, raw) in enumerate(places, 1):
            facts: Fields = {"model": model} if raw["role"] == "assistant" else {}
            log.add(f"m{number}", raw, {}, **facts)
        _report(log, [first for first, _ in places], items, objects_of(_field(record, "model_responses")))
        trace = fields_of(record.get("trace"))
        title = as_text(trace.get("workflow_name") or trace.get("name") or agent.get("name"))
        name = as_text(trace.get("id") or _field(record, "conversation_id"))
        yield History(log, name, title, {"tools": tuple(_tools_of(record))})


def _field(record: Mapping[str, Any], name: str) -> Any:
    """Return a field whose name is in snake case or in camel case."""
    head, *words = name.split("_")
    return record.get(name, record.get(head + "".join(map(str.capitalize, words))))


def _snake_case(item: Fields) -> Fields:
    """Return an item of the JavaScript SDK as the API writes it."""
    if item.get("type") == "function_call_result":
        output = item.get("output")
        text = fields_of(output).get("text")
        item = {**item, "type": "function_call_output", "output": output if text is None else text}
    return {**item, "call_id": item["callId"]} if "callId" in item else item


def _key_of(item: Fields) -> str:
    return as_text(item.get("call_id") or item.get("callId") or item.get("id"))


def _report(log: LogBuilder, firsts: list[int], items: list[Fields], responses: list[Fields]) -> None:
    """Add the usage of each response to the reply that has its items.

    Args:
        log: The messages.
        firsts: Place of the first item of each message.
        items: The items of all messages.
        responses: The responses of the model.
    """
    spans = [*pairwise([*firsts, len(items)])]
    calls = [{_key_of(item) for item in items[first:end]} - {""} for first, end in spans]
    waiting = [place for place, message in enumerate(log.messages) if message.is_reply]
    for response in responses:
        own = {_key_of(fields_of(item)) for item in objects_of(response.get("output"))} - {""}
        place = next((at for at in waiting if calls[at] & own), None)
        if place is not None:
            waiting.remove(place)
            log.change(place, usage=library_usage(fields_of(response.get("usage"))))


def _tools_of(record: Fields) -> Iterable[Fields]:
    """Yield the tools that the last response called, which are those that the state defines."""
    processed = fields_of(_field(record, "last_processed_response"))
    for function in objects_of(processed.get("functions")):
        tool = fields_of(function.get("tool"))
        schema = fields_of(_field(tool, "params_json_schema") or tool.get("parameters"))
        if tool.get("name"):
            named = {"name": tool["name"], "description": as_text(tool.get("description")), "parameters": schema}
            yield definition_of(named, DEFAULT_DIALECT)
