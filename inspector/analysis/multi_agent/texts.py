"""Split the texts that agents write and read into lines, to recognise one agent's text in another one's prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.core.conversation import Message, Part, Text, ToolCall, ToolResult

_GUTTER = re.compile(r"\A[ \t]{0,12}\d{1,7}(?:→|\t|:|\||[ \t]│)")
"""Line number of a listing."""
_SPEAKER = re.compile(r"\A\[([^\]\n]{1,80})\]:? ")
"""Name of a line's speaker, in a prompt that quotes several agents."""
SHORTEST = 12
"""Minimum length of a line that is compared, in characters."""
_DEEPEST = 8

Line = tuple[int, int, str]
"""Hash of a line's text, its length in characters, and its speaker, or "" if it names none."""


def written_texts(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the texts of a reply that others can see, each with the id of the call that receives it.

    The id is "" for text outside of calls. Thinking is excluded.
    """
    for part in message.parts:
        if isinstance(part, Text):
            yield part.text, ""
        elif isinstance(part, ToolCall):
            for text in _strings(_arguments(part), 0):
                yield text, part.id


def read_texts(message: Message) -> Iterator[str]:
    """Yield the texts that a message adds to a context."""
    for part in message.parts:
        yield from _texts_in(part)


def _texts_in(part: Part) -> Iterator[str]:
    if isinstance(part, Text):
        yield part.text
    elif isinstance(part, ToolResult):
        for inner in part.parts:
            yield from _texts_in(inner)


def _arguments(call: ToolCall) -> Any:
    try:
        return orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return call.arguments


def _strings(value: Any, depth: int) -> Iterator[str]:
    """Yield the strings in a JSON value, down to a fixed depth."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner, depth + 1)


def lines_in(text: str) -> Iterator[Line]:
    """Yield the lines long enough to be compared, without line numbers and speaker names."""
    if "\\n" in text:
        text = text.replace("\\n", "\n").replace('\\"', '"')
    for line in text.split("\n"):
        line = _GUTTER.sub("", line).strip()
        speaker = _SPEAKER.match(line)
        if speaker:
            line = line[speaker.end() :]
        if len(line) >= SHORTEST:
            yield hash(line), len(line), speaker[1] if speaker else ""
