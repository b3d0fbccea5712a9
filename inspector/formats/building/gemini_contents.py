"""Conversion of messages of the Gemini API (`{"role", "parts"}`).

https://ai.google.dev/api/caching#Content: a call may have no id; then it is answered by the next response of its name.
"""

from __future__ import annotations

from typing import Any

from inspector.core.conversation import Part, ToolCall
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text


def is_content(message: Any) -> bool:
    """Return True if a value is a message of the Gemini API."""
    return isinstance(message, dict) and isinstance(message.get("role"), str) and isinstance(message.get("parts"), list)


def is_of_model(message: Fields) -> bool:
    """Return True if a message is a reply."""
    return message.get("role") == "model"


def response_content(part: Any) -> Any:
    """Return the result in a part that is a function response; return any other part as it is."""
    match part:
        case {"functionResponse": {"response": response}}:
            answer = fields_of(response)
            output = answer.get("output", answer.get("error", response))
            return output if isinstance(output, str | list) else as_text(output)
    return part


class ContentCalls:
    """Calls without a result, by the name of the function."""

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = {}

    def add(self, log: LogBuilder, name: str, message: Fields, record: Fields, number: int, **facts: Any) -> None:
        """Add a message to a log: its results, followed by its text and calls.

        Args:
            log: The log.
            name: Id of the message.
            message: The message, with a role and parts.
            record: The rest of its record.
            number: Number from which the ids of calls without one are made.
            facts: Further fields of `Message`. Those of a reply, such as its usage, are not given to its results.
        """
        parts = objects_of(message.get("parts"))
        time = facts.get("time", "")
        is_error, after = facts.pop("is_error", False), {"after": facts.pop("after", None)}
        for answer in (fields_of(part["functionResponse"]) for part in parts if "functionResponse" in part):
            waiting = self._open.get(as_text(answer.get("name"))) or [""]
            call_id = as_text(answer.get("id")) or waiting.pop(0)
            content = response_content({"functionResponse": answer})
            result = result_of(call_id, content, is_error=is_error or "error" in fields_of(answer.get("response")))
            log.add_parts(name, "tool", [result], record, time=time, **after)
            after = {}
        own = [
            piece for place, part in enumerate(parts, 1) for piece in _content_parts_of(part, f"call-{number}-{place}")
        ]
        for call in own:
            if isinstance(call, ToolCall):
                self._open.setdefault(call.name, []).append(call.id)
        if own:
            log.add_parts(name, "assistant" if is_of_model(message) else "user", own, record, **facts, **after)


def _content_parts_of(part: Fields, call_id: str) -> list[Part]:
    """Convert a part that is not a function response."""
    if "functionCall" in part:
        call = fields_of(part["functionCall"])
        return [call_of(as_text(call.get("id")) or call_id, call.get("name"), call.get("args"))]
    if part.get("thought"):
        return [*thoughts_of(part.get("text"))]
    return [] if "functionResponse" in part else [*blocks_of(part)]
