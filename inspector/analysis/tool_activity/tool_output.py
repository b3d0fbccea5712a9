"""Extract a tool's answer from the frame that the surrounding program adds."""

from __future__ import annotations

import re

import orjson

_HEAD = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Process exited|Exit code|Original token count|Command|Directory)\b[^\n]*\n){1,8}"
    r"(?:Warning: truncated[^\n]*\n)?Output: ?\n?"
)
"""Lines about a run before its output, for example "Exit code: 0", "Wall time: 0.1 seconds" and "Output:"."""
_ENDS = ("\nError: (none)\n", "\n<system-reminder>", "\n(Open file: ", "\n<shellId: ")
"""Beginnings of the text that a program appends to an answer."""
_MAX_TAIL = 2_000
"""Characters at the end of an answer that are searched for appended text."""


def body_of(text: str) -> str:
    """Return the answer itself. A text encoded as a JSON string is decoded."""
    if text.startswith('"') and text.endswith('"'):
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return value if isinstance(value, str) else text
    if head := _HEAD.match(text):
        text = text[head.end() :]
    for end in _ENDS:
        place = text.find(end, max(0, len(text) - _MAX_TAIL))
        text = text[:place] if place >= 0 else text
    return text
