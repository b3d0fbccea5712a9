"""Replies that came as server-sent events, as the bodies that the same API returns without streaming.

https://platform.openai.com/docs/api-reference/chat-streaming, https://docs.anthropic.com/en/docs/build-with-claude/streaming
and https://ai.google.dev/api/generate-content: an event of the Responses API that completes it has the whole reply.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.reading.content import Fields
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.llm.providers import as_text

_DATA = "data:"


def streamed_reply(body: str) -> Fields:
    """Return the reply in a body of server-sent events, or {} if it has none."""
    events = [*events_in(body)]
    whole = next((fields_of(one.get("response")) for one in reversed(events) if _is_completed(one)), {})
    if whole:
        return whole
    if any("candidates" in event for event in events):
        return _gemini_reply(events)
    if any(event.get("type") == "message_start" for event in events):
        return _anthropic_reply(events)
    return _chat_reply(events) if any("choices" in event for event in events) else {}


def events_in(body: str) -> Iterator[Fields]:
    for line in body.splitlines():
        if line.startswith(_DATA) and line.lstrip(_DATA).lstrip().startswith("{"):
            try:
                value, _ = parse(line.removeprefix(_DATA).encode("utf-8", "replace"))
            except BrokenJSONError:
                continue
            if isinstance(value, dict):
                yield value


def _is_completed(event: Fields) -> bool:
    return as_text(event.get("type")) in ("response.completed", "response.incomplete", "response.failed")


def _gemini_reply(events: Iterable[Fields]) -> Fields:
    """Return one candidate with the parts of all."""
    reply: Fields = {}
    parts: list[Fields] = []
    for event in events:
        for candidate in objects_of(event.get("candidates"))[:1]:
            for part in objects_of(fields_of(candidate.get("content")).get("parts")):
                _add_part(parts, part)
        reply |= {name: value for name, value in event.items() if name != "candidates"}
    return {**reply, "candidates": [{"content": {"role": "model", "parts": parts}}]}


def _add_part(parts: list[Fields], part: Fields) -> None:
    """Add a part, or the piece of a text to the text before it."""
    is_text = isinstance(part.get("text"), str) and "functionCall" not in part
    if is_text and parts and isinstance(parts[-1].get("text"), str) and parts[-1].get("thought") == part.get("thought"):
        parts[-1] = {**part, "text": parts[-1]["text"] + part["text"]}
    else:
        parts.append(part)


def _anthropic_reply(events: Iterable[Fields]) -> Fields:
    """Return the message with its content blocks."""
    reply: Fields = {}
    blocks: dict[Any, Fields] = {}
    pieces: dict[Any, list[str]] = {}
    for event in events:
        place, delta = event.get("index"), fields_of(event.get("delta"))
        match event.get("type"):
            case "message_start":
                reply = fields_of(event.get("message"))
            case "content_block_start":
                blocks[place] = fields_of(event.get("content_block"))
            case "content_block_delta" if place in blocks:
                _add_delta(blocks[place], delta, pieces.setdefault(place, []))
            case "message_delta":
                usage = fields_of(reply.get("usage")) | fields_of(event.get("usage"))
                reply = {**reply, **delta, "usage": usage}
    for place, texts in pieces.items():
        if blocks[place].get("type") in ("tool_use", "server_tool_use", "mcp_tool_use"):
            blocks[place]["input"] = fields_of("".join(texts))
    return {**reply, "content": [*blocks.values()]}


def _add_delta(block: Fields, delta: Fields, pieces: list[str]) -> None:
    for name in ("text", "thinking", "signature", "content"):
        if isinstance(delta.get(name), str):
            block[name] = as_text(block.get(name)) + delta[name]
    if isinstance(delta.get("partial_json"), str):
        pieces.append(delta["partial_json"])


def _chat_reply(events: Iterable[Fields]) -> Fields:
    """Return a chat completion with the message that the chunks form."""
    reply: Fields = {}
    message: Fields = {"role": "assistant", "content": ""}
    calls: dict[Any, Fields] = {}
    for event in events:
        reply |= {name: value for name, value in event.items() if name not in ("choices", "object") and value}
        for choice in objects_of(event.get("choices"))[:1]:
            delta = fields_of(choice.get("delta"))
            for name in ("content", "reasoning_content", "reasoning"):
                if isinstance(delta.get(name), str):
                    message[name] = as_text(message.get(name)) + delta[name]
            for call in objects_of(delta.get("tool_calls")):
                _add_call(calls.setdefault(call.get("index", len(calls)), {}), call)
    if calls:
        message["tool_calls"] = [*calls.values()]
    return {**reply, "choices": [{"message": message}]}


def _add_call(whole: Fields, call: Fields) -> None:
    own, function = whole.setdefault("function", {"name": "", "arguments": ""}), fields_of(call.get("function"))
    whole |= {name: call[name] for name in ("id", "type") if call.get(name)}
    own["name"] = own["name"] or as_text(function.get("name"))
    own["arguments"] += as_text(function.get("arguments"))
