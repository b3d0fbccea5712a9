"""Read a model's answer from the response of any client, or assemble it from the chunks of a stream.

Clients differ: some return attributes or dictionaries (`content`, `stop_reason`, `usage`), some OpenAI's choices, some
Anthropic's blocks, some a text. All are supported, and nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.core.conversation import Usage
from inspector.core.text import dumps
from inspector.llm.providers import usage_of

CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
"""Reasons for the end of an answer that reached its maximum length."""
USAGE_FIELDS = (
    "input_tokens",
    "output_tokens",
    "prompt_tokens",
    "completion_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
"""Fields of a usage report of OpenAI or Anthropic."""
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_NO_ANSWER = re.compile(r"\s*(?:<!doctype|<html|\{|data:)", re.I)
"""Start of a text that a client returned because it could not parse the body: a web page, JSON or events."""


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """A tool call in an answer. `arguments` is JSON text."""

    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer to a request."""

    text: str = ""
    """The text without tool calls and thinking."""
    finish: str | None = None
    """Stop reason in the provider's words. None: not reported by the client. Empty: the answer is incomplete."""
    refusal: str = ""
    usage: Usage | None = None
    """Usage reported by the provider; None if it reports none or an invalid one."""
    calls: tuple[AnswerCall, ...] = ()


def answer_of(response: Any) -> Answer:
    """Return the answer in a client's response."""
    if isinstance(response, str):
        return Answer(finish="") if _NO_ANSWER.match(response) else Answer(response)
    choice, message = choice_of(response)
    content = field_of(message, "content")
    reasons = (field_of(choice, name) for name in ("finish_reason", "stop_reason"))
    finish = next((reason for reason in reasons if isinstance(reason, str)), None)
    if finish is None and content is None:
        finish = ""
    refusal = field_of(message, "refusal")
    usage = whole_report(field_of(response, "usage"))
    calls = tuple(_answer_calls(message, content))
    return Answer(text_of(content), finish, refusal if isinstance(refusal, str) else "", usage, calls)


def _answer_calls(message: Any, content: Any) -> Iterator[AnswerCall]:
    """Yield the tool calls of a message, in OpenAI's form or as Anthropic's blocks."""
    calls = field_of(message, "tool_calls")
    for call in calls if isinstance(calls, list | tuple) else ():
        function = field_of(call, "function")
        yield AnswerCall(str(field_of(function, "name") or ""), str(field_of(function, "arguments") or "{}"))
    for block in content if isinstance(content, list | tuple) else ():
        if field_of(block, "type") == "tool_use":
            yield AnswerCall(str(field_of(block, "name") or ""), dumps(field_of(block, "input") or {}))


def choice_of(response: Any) -> tuple[Any, Any]:
    """Return the part of a response with the stop reason, and the message. Only the first choice is used."""
    choices = field_of(response, "choices")
    if isinstance(choices, list | tuple) and choices:
        return choices[0], field_of(choices[0], "message")
    return response, response


def text_of(content: Any) -> str:
    """Return the text of a message's content: a text, or the blocks of type "text"."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list | tuple) else ()
    texts = (field_of(block, "text") for block in blocks if field_of(block, "type") == "text")
    return "\n\n".join(text for text in texts if isinstance(text, str))


def field_of(thing: Any, name: str) -> Any:
    """Return a field of a dictionary or object, or None."""
    if type(thing) is dict or isinstance(thing, Mapping):  # most are, and the second question takes much longer
        return thing.get(name)
    return getattr(thing, name, None)


def parse_usage(usage: Any) -> Usage | None:
    """Return the token counts in a usage report of OpenAI or Anthropic; None if it contains none."""
    counts: dict[str, Any] = {name: count for name in USAGE_FIELDS if isinstance(count := field_of(usage, name), int)}
    for name in _DETAILS:
        if isinstance(cached := field_of(field_of(usage, name), "cached_tokens"), int):
            counts[name] = {"cached_tokens": cached}
    return usage_of(counts) if counts else None


def whole_report(usage: Any) -> Usage | None:
    """Return a usage report; None unless it contains both input and output tokens."""
    pairs = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"))
    whole = any(all(isinstance(field_of(usage, name), int) for name in pair) for pair in pairs)
    return parse_usage(usage) if whole else None


@dataclass
class AnswerStream:
    """An answer in OpenAI's stream format (https://platform.openai.com/docs/api-reference/chat-streaming)."""

    _finish: str = ""
    _refusal: str = ""
    _usage: Usage | None = None
    _pieces: list[str] = field(default_factory=list)
    _calls: dict[int, list[str]] = field(default_factory=dict)
    """Name and arguments of each call, by its index."""

    def feed(self, chunk: Any) -> str:
        """Add a chunk and return its text; "" for any other chunk."""
        self._usage = whole_report(field_of(chunk, "usage")) or self._usage
        choices = field_of(chunk, "choices")
        if not isinstance(choices, list) or not choices:
            return ""
        if isinstance(finish := field_of(choices[0], "finish_reason"), str):
            self._finish = finish
        delta = field_of(choices[0], "delta")
        if isinstance(refusal := field_of(delta, "refusal"), str):
            self._refusal += refusal
        calls = field_of(delta, "tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list | tuple) else ()):
            index, function = field_of(call, "index"), field_of(call, "function")
            pieces = self._calls.setdefault(index if isinstance(index, int) else place, ["", ""])
            for number, name in enumerate(("name", "arguments")):
                piece = field_of(function, name)
                pieces[number] += piece if isinstance(piece, str) else ""
        words = field_of(delta, "content")
        if not isinstance(words, str):
            return ""
        self._pieces.append(words)
        return words

    @property
    def answer(self) -> Answer:
        """The part of the answer received so far."""
        calls = tuple(AnswerCall(name, arguments or "{}") for name, arguments in self._calls.values())
        return Answer("".join(self._pieces), self._finish, self._refusal, self._usage, calls)
