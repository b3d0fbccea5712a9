"""Assemble a model's answer from the events of OpenAI's Responses API and of Anthropic's Messages API.

Both classes have the interface of `AnswerStream`, which reads the chunks of chat endpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.core.text import dumps
from inspector.engine.summaries.model.failures import StreamedError
from inspector.engine.summaries.model.model_answers import USAGE_FIELDS, Answer, AnswerCall, field_of, whole_report

_CALLS = {"function_call", "custom_tool_call"}
_ENDS = {"response.completed", "response.incomplete", "response.failed"}


@dataclass
class ResponsesStream:
    """An answer of the Responses API (https://platform.openai.com/docs/api-reference/responses-streaming)."""

    _pieces: list[str] = field(default_factory=list)
    _answer: Answer | None = None

    def feed(self, event: Any) -> str:
        """Add an event and return its text; "" for any other event. Raises StreamedError if the endpoint failed."""
        kind = field_of(event, "type")
        if kind == "response.output_text.delta" and isinstance(words := field_of(event, "delta"), str):
            self._pieces.append(words)
            return words
        if kind == "error":
            raise StreamedError(str(field_of(event, "message") or ""))
        if kind in _ENDS:
            self._answer = response_answer(field_of(event, "response"))
        return ""

    @property
    def answer(self) -> Answer:
        """The part of the answer received so far."""
        return self._answer or Answer("".join(self._pieces), "")


def response_answer(response: Any) -> Answer:
    """Return the answer in a response of the Responses API. Raises StreamedError for a failed one."""
    status = field_of(response, "status")
    if status == "failed":
        raise StreamedError(str(field_of(field_of(response, "error"), "message") or ""))
    items = field_of(response, "output")
    items = items if isinstance(items, list | tuple) else ()
    calls = tuple(_stream_call(item) for item in items if field_of(item, "type") in _CALLS)
    blocks = [
        block for item in items if field_of(item, "type") == "message" for block in field_of(item, "content") or ()
    ]
    texts = [text for block in blocks if isinstance(text := field_of(block, "text"), str)]
    refusals = [text for block in blocks if isinstance(text := field_of(block, "refusal"), str)]
    reason = field_of(field_of(response, "incomplete_details"), "reason")
    finish = {"completed": "stop", "incomplete": str(reason or "length")}.get(str(status), "")
    return Answer("\n\n".join(texts), finish, "\n".join(refusals), whole_report(field_of(response, "usage")), calls)


def _stream_call(item: Any) -> AnswerCall:
    arguments = field_of(item, "arguments") or field_of(item, "input") or "{}"
    return AnswerCall(str(field_of(item, "name") or ""), str(arguments))


@dataclass
class MessagesStream:
    """An answer of the Messages API (https://docs.anthropic.com/en/api/messages-streaming)."""

    _finish: str = ""
    _usage: dict[str, Any] = field(default_factory=dict)
    _texts: dict[int, list[str]] = field(default_factory=dict)
    _calls: dict[int, list[str]] = field(default_factory=dict)
    """Name and arguments of each call, by the index of its block."""

    def feed(self, event: Any) -> str:
        """Add an event and return its text; "" for any other event. Raises StreamedError if the endpoint failed."""
        match field_of(event, "type"):
            case "error":
                raise StreamedError(str(field_of(field_of(event, "error"), "message") or ""))
            case "message_start":
                self._add_usage(field_of(field_of(event, "message"), "usage"))
            case "message_delta":
                self._add_usage(field_of(event, "usage"))
                self._finish = str(field_of(field_of(event, "delta"), "stop_reason") or "")
            case "content_block_start":
                return self._start(field_of(event, "index"), field_of(event, "content_block"))
            case "content_block_delta":
                return self._add(field_of(event, "index"), field_of(event, "delta"))
        return ""

    def _start(self, index: Any, block: Any) -> str:
        if field_of(block, "type") == "tool_use":
            start = field_of(block, "input")
            self._calls[index] = [str(field_of(block, "name") or ""), dumps(start) if start else ""]
        return self._say(index, field_of(block, "text")) if field_of(block, "type") == "text" else ""

    def _add(self, index: Any, delta: Any) -> str:
        if index in self._calls and isinstance(piece := field_of(delta, "partial_json"), str):
            self._calls[index][1] += piece
        return self._say(index, field_of(delta, "text"))

    def _say(self, index: Any, words: Any) -> str:
        if not isinstance(words, str) or not words:
            return ""
        self._texts.setdefault(index, []).append(words)
        return words

    def _add_usage(self, usage: Any) -> None:
        counts = {name: count for name in USAGE_FIELDS if isinstance(count := field_of(usage, name), int)}
        self._usage |= counts

    @property
    def answer(self) -> Answer:
        """The part of the answer received so far."""
        text = "\n\n".join("".join(pieces) for pieces in self._texts.values())
        calls = tuple(AnswerCall(name, arguments or "{}") for name, arguments in self._calls.values())
        usage: Mapping[str, Any] = self._usage
        return Answer(text, self._finish, "", whole_report(usage), calls)
