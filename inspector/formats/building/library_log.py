"""A log of messages in the notations of libraries and programs. See `library_blocks` for those that are known."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inspector.core.conversation import Part, Role, ToolCall, ToolResult, Usage
from inspector.formats.building.blocks import fields_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.building.message_heuristics import said_parts
from inspector.formats.building.traces import counted, usage_fields
from inspector.formats.reading.content import Fields
from inspector.llm.providers import usage_of, usage_unless_zero

_TIMES = (
    *("timestamp", "created_at", "createdAt", "created_timestamp", "created", "create_time", "time", "date", "ts"),
    "send_date",
)
_MODELS = ("model", "model_name", "modelName", "modelId", "modelID", "model_id")
_USAGES = ("usage", "usage_metadata", "usageMetadata", "token_usage", "tokenUsage")
_NOTES = ("response_metadata", "metadata", "usage")
"""Fields of a reply in which libraries store its model and the reported usage."""


class LibraryLog(LogBuilder):
    """A log to which messages are added as libraries write them."""

    def __init__(self) -> None:
        super().__init__()
        self._ids = _CallIds()

    def add_message(
        self, name: str, role: Role, fields: Fields, record: Mapping[str, Any] | None = None, **facts: Any
    ) -> bool:
        """Add a message, which may contain calls and results.

        Args:
            name: Id of the message.
            role: Role of its speaker.
            fields: The message, with its content in one of the known fields and notations.
            record: The record that contains it. Time, model and usage are also read from here.
            **facts: Further fields of `Message`, and `agent` and `after` as in `LogBuilder.add`. The model and the
                usage belong to the reply in the message.

        Returns:
            True if there was anything to add.
        """
        notes = dict(record or {})
        reply = {
            "model": facts.pop("model", "") or model_in(fields) or model_in(notes),
            "usage": facts.pop("usage", None) or _usage_in(fields) or _usage_in(notes),
        }
        facts["time"] = facts.get("time") or _time_in(fields) or _time_in(notes)
        count = len(self.messages)
        for own, parts in [(own, parts) for own, parts in said_parts(fields, role) if parts]:
            reported = reply if own == "assistant" else {}
            self.add_parts(name, own, [*map(self._ids.settle, parts)], notes, **facts, **reported)
            notes, reply = {}, {} if reported else reply
            facts.pop("after", None)
        return len(self.messages) > count


def _time_in(fields: Mapping[str, Any]) -> str:
    """Return the time in some fields as ISO text, or ""."""
    return next(filter(None, (time_of(fields[name]) for name in _TIMES if fields.get(name))), "")


def model_in(fields: Mapping[str, Any]) -> str:
    """Return the model that is named in some fields, or in the metadata of the response among them."""
    places = [fields, *(inner for name in _NOTES if isinstance(inner := fields.get(name), dict))]
    return next((place[name] for place in places for name in _MODELS if isinstance(place.get(name), str)), "")


def _usage_in(fields: Mapping[str, Any]) -> Usage | None:
    """Return the usage in some fields, in the notation of any provider or library."""
    places = [fields, *(inner for name in _NOTES if isinstance(inner := fields.get(name), dict))]
    reports = (place[name] for place in places for name in _USAGES if isinstance(place.get(name), dict))
    return next(filter(None, map(library_usage, reports)), None)


def library_usage(report: Fields) -> Usage | None:
    """Return usage in the notation of any provider or library."""
    read = counted(report, "cacheReadInputTokens", "cacheReadTokens", "cache_read_tokens")
    written = counted(report, "cacheCreationInputTokens", "cacheWriteInputTokens", "cache_write_tokens")
    if sent := counted(report, "inputTokens", "promptTokens", "promptTokenCount", "request_tokens"):
        reply = counted(report, "outputTokens", "completionTokens", "candidatesTokenCount", "response_tokens")
        if read or written:  # next to the input, as in Anthropic's API
            total = counted(report, "totalInputTokens") or sent + read + written
            return usage_unless_zero(total, reply, read, written)
        thoughts = counted(report, "thoughtsTokenCount")
        cached = counted(report, "cachedInputTokens", "cachedContentTokenCount")
        return usage_of(usage_fields(sent, reply + thoughts, cached))
    if (read or written) and "input_tokens" in report:  # Pydantic AI: part of the input
        return usage_unless_zero(counted(report, "input_tokens"), counted(report, "output_tokens"), read, written)
    return usage_of(report) or usage_of(_plain_usage(report))


def _plain_usage(report: Fields) -> Fields:
    """Return counts in other words as the chat interface reports them."""
    details = fields_of(report.get("prompt_details"))
    sent = counted(report, "prompt_eval_count", "prompt_n", "request_tokens", "input")
    reply = counted(report, "eval_count", "predicted_n", "response_tokens", "output")
    return usage_fields(sent, reply, counted(details, "cached_tokens"))


class _CallIds:
    """Ids of calls that have none, or one that an earlier call has. Libraries link these by their order."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: dict[str, deque[str]] = {}
        """By the id that was recorded, the ids of the calls that have no answer yet."""

    def settle(self, part: Part) -> Part:
        """Return a part with an id that identifies it, if it is a call or an answer."""
        match part:
            case ToolCall(own):
                name = own if own and own not in self._used else f"call-{len(self._used) + 1}"
                self._used.add(name)
                self._open.setdefault(own, deque()).append(name)
                return replace(part, id=name)
            case ToolResult(own) if waiting := self._open.get(own):
                return replace(part, call_id=waiting.popleft())
        return part
