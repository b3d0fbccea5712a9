"""Calls of models in spans of Monocle, whose events contain the messages as JSON texts.

https://github.com/monocle2ai/monocle: spans of the types "inference" and "inference.framework" have the events
`data.input`, `data.output` and `metadata`. Results of tools name their call in some frameworks; in others they follow
the calls in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from inspector.core.text import dumps
from inspector.formats.building.blocks import decode_json, fields_of, objects_of
from inspector.formats.building.spans import TraceSpan
from inspector.formats.building.traces import counted, usage_fields
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text

_INPUT, _OUTPUT = "data.input", "data.output"
_SPEAKERS = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}


def is_monocle_call(span: TraceSpan) -> bool:
    """Return True if a span of Monocle has the messages of a model call."""
    is_inference = as_text(span.attributes.get("span.type")).startswith("inference")
    return is_inference and any(name == _INPUT for name, _ in span.events)


def monocle_messages(span: TraceSpan) -> tuple[list[Fields], list[Fields]]:
    """Return the messages that a call sent, and its reply, in the chat format."""
    sent: list[Any] = []
    answered: list[Any] = []
    for name, fields in span.events:
        value = fields.get("input" if name == _INPUT else "response")
        entries = value if isinstance(value, list) else [value]
        if name in (_INPUT, _OUTPUT):
            (sent if name == _INPUT else answered).extend(entries)
    return [*_chat_messages(sent)], [*_chat_messages(answered)]


def monocle_usage(span: TraceSpan) -> Fields:
    """Return the usage that a call reported."""
    notes = next((fields for name, fields in span.events if name == "metadata"), {})
    return usage_fields(
        counted(notes, "prompt_tokens", "input_tokens"),
        counted(notes, "completion_tokens", "output_tokens"),
        counted(notes, "cached_tokens", "cache_read_tokens"),
    )


def _chat_messages(entries: Iterable[Any]) -> Iterator[Fields]:
    """Yield chat messages. Calls in a row are those of one reply."""
    waiting: deque[str] = deque()
    calls: list[Fields] = []
    for entry in entries:
        value = fields_of(entry) or ({"user": entry} if isinstance(entry, str) and entry else {})
        if rows := _called_in(value):
            calls += [_call(row, len(waiting) + place) for place, row in enumerate(rows)]
            continue
        if calls:
            waiting.extend(call["id"] for call in calls)
            yield {"role": "assistant", "content": "", "tool_calls": calls}
            calls = []
        yield from _plain_messages(value, waiting)
    if calls:
        yield {"role": "assistant", "content": "", "tool_calls": calls}


def _called_in(value: Fields) -> list[Fields]:
    """Return the calls that an entry consists of, or []."""
    rows = [value] if "tool_function" in value else objects_of(value.get("tools"))
    return rows + [row for speaker, words in value.items() if _role(speaker) == "assistant" for row in _calls_in(words)]


def _plain_messages(value: Fields, waiting: deque[str]) -> Iterator[Fields]:
    """Yield the result of a tool, or the messages of speakers. `waiting` has the ids of calls without a result."""
    if own := as_text(value.get("call_id")):
        if own in waiting:
            waiting.remove(own)
        yield {"role": "tool", "tool_call_id": own, "content": as_text(value.get("output"))}
        return
    for speaker, words in value.items():
        if _role(speaker) == "tool":
            yield {"role": "tool", "tool_call_id": waiting.popleft() if waiting else "", "content": as_text(words)}
        elif words:
            yield {"role": _role(speaker), "content": as_text(words)}


def _role(speaker: str) -> str:
    return _SPEAKERS.get(speaker, speaker)


def _calls_in(words: Any) -> list[Fields]:
    """Return the calls that a reply consists of, or []."""
    value = decode_json(words) if isinstance(words, str) and words.lstrip().startswith(("[", "{")) else words
    rows = objects_of(value) if isinstance(value, list) else [value] if isinstance(value, dict) else []
    return [row for row in rows if "name" in row and ("args" in row or "arguments" in row)]


def _call(row: Fields, place: int) -> Fields:
    """Return a call in the chat format."""
    name = row.get("tool_function") or row.get("tool_name") or row.get("name")
    own_input: Any = next((row[key] for key in ("tool_arguments", "args", "arguments") if key in row), {})
    own = row.get("call_id") or row.get("tool_id") or row.get("id") or f"call-{place + 1}"
    arguments = own_input if isinstance(own_input, str) else dumps(own_input)
    return {"id": as_text(own), "type": "function", "function": {"name": as_text(name), "arguments": arguments}}
