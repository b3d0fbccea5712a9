"""What a tool itself answered: without the frame that the program around it puts about it."""

from __future__ import annotations

import re

import orjson

_HEAD = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Process exited|Exit code|Original token count|Command|Directory)\b[^\n]*\n){1,8}"
    r"(?:Warning: truncated[^\n]*\n)?Output: ?\n?"
)
"""Lines about a run, up to what it printed."""
_ENDS = ("\nError: (none)\n", "\n<system-reminder>", "\n(Open file: ", "\n<shellId: ")
"""How what a program adds behind an answer begins."""
_MAX_TAIL = 2_000
"""Characters at the end of an answer in which that is looked for."""


def body_of(text: str) -> str:
    """The answer itself; a text that is written as one JSON string is read."""
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
