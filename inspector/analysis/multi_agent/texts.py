"""What agents write and read, line by line: that is how the text of one is known in the prompt of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.core.conversation import Message, Part, Text, ToolCall, ToolResult

_GUTTER = re.compile(r"\A[ \t]{0,12}\d{1,7}(?:→|\t|:|\||[ \t]│)")
"""The number of a line in a listing."""
_SPEAKER = re.compile(r"\A\[([^\]\n]{1,80})\]:? ")
"""Who said a line, where one prompt quotes several agents."""
SHORTEST = 12
"""Characters of a line that is known again."""
_DEEPEST = 8

Line = tuple[int, int, str]
"""A line as a number that stands for its text, its length in characters, and its speaker, where it names one."""


def written_texts(message: Message) -> Iterator[tuple[str, str]]:
    """The texts that a reply gives away, each with the id of the call that they go to, "" for what it says.

    Thinking is its own.
    """
    for part in message.parts:
        if isinstance(part, Text):
            yield part.text, ""
        elif isinstance(part, ToolCall):
            for text in _strings(_arguments(part), 0):
                yield text, part.id


def read_texts(message: Message) -> Iterator[str]:
    """The texts that a message brings into a context."""
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
    """The texts in JSON."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner, depth + 1)


def lines_in(text: str) -> Iterator[Line]:
    """The lines of a text that tell something, whatever stands before them in a listing or a quotation."""
    if "\\n" in text:
        text = text.replace("\\n", "\n").replace('\\"', '"')
    for line in text.split("\n"):
        line = _GUTTER.sub("", line).strip()
        speaker = _SPEAKER.match(line)
        if speaker:
            line = line[speaker.end() :]
        if len(line) >= SHORTEST:
            yield hash(line), len(line), speaker[1] if speaker else ""
