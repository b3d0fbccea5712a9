"""JSON as it is found in the wild: what can be understood is, and what cannot says why in a few words.

The fast parser takes almost everything. What it refuses (broken UTF-8, lone surrogates, NaN, raw control characters)
is repaired by the slow one, and the caller is told.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

from inspector.formats.source import OVERLONG

BLANK = b"\0 \t\r\n"
"""What may stand around a value. A program that was cut off leaves NULs."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class BrokenJSONError(Exception):
    """Text that is not JSON; its text says why, `line` (from 1) and `place` (in characters) say where."""

    def __init__(self, reason: str, line: int = 1, place: int = 0) -> None:
        super().__init__(reason)
        self.line = line
        self.place = place


def parse(data: bytes) -> tuple[Any, str]:
    """The value of a JSON text, and what had to be repaired ("" for nothing). Raises `BrokenJSONError`."""
    try:
        return orjson.loads(data), ""
    except orjson.JSONDecodeError:
        return _parse_leniently(data)


def _parse_leniently(data: bytes) -> tuple[Any, str]:
    """The same by the slow and tolerant parser."""
    if data == OVERLONG:
        raise BrokenJSONError("it is longer than 256 MB")
    data = data.strip(BLANK)
    text, note = data.decode("utf-8", "replace"), ""
    if "\ufffd" in text and not _valid_utf8(data):
        note = "it is not valid UTF-8; the broken characters are shown as \ufffd"
    try:
        value = json.loads(text, strict=False, parse_constant=_finite, parse_float=_finite, parse_int=_integer)
        if _SURROGATE.search(text):
            value = _without_surrogates(value)
    except json.JSONDecodeError as error:
        raise BrokenJSONError(_reason_of(error), error.lineno, error.pos) from error
    except RecursionError as error:
        raise BrokenJSONError("it is nested too deeply") from error
    except ValueError as error:
        raise BrokenJSONError("it holds a number that is too long") from error
    return value, note


def _finite(number: str) -> float | None:
    """A number as JSON allows it; None for NaN and the infinities."""
    value = float(number)
    return value if math.isfinite(value) else None


def _integer(digits: str) -> int | float | None:
    """A whole number as the fast parser reads it, which makes those of more than 64 bits approximate."""
    value = int(digits)
    return value if -(1 << 63) <= value < 1 << 64 else _finite(digits)


def _valid_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _reason_of(error: json.JSONDecodeError) -> str:
    """A parser's complaint in plain words."""
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "it breaks off in the middle"
    return f"it is not JSON ({error.msg[:1].lower()}{error.msg[1:]}, column {error.colno})"


def _without_surrogates(value: Any) -> Any:
    """The same value with every half of a surrogate pair joined to its other half, or else replaced."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case _:
            return value


def salvage(data: bytes, end: int) -> tuple[Any, int]:
    """The beginning of a JSON text that is broken at character `end`, and the line up to which it was read.

    It is cut behind the last object or list that was whole, and what was open there is closed. Raises
    `BrokenJSONError` when nothing is left.
    """
    text = data.strip(BLANK).decode("utf-8", "replace")
    open_ones: list[str] = []
    end_of_whole = depth = 0
    for token in TOKEN.finditer(text, 0, end):
        sign = token[0][0]
        if sign in _CLOSERS:
            open_ones.append(_CLOSERS[sign])
        elif sign in "]}" and open_ones:
            open_ones.pop()
            end_of_whole, depth = token.end(), len(open_ones)
    if not end_of_whole:
        raise BrokenJSONError("nothing in it is whole")
    brackets = "".join(reversed(open_ones[:depth]))  # what was opened behind the cut is at the end of the list
    value, _ = _parse_leniently((text[:end_of_whole] + brackets).encode())
    return value, text.count("\n", 0, end_of_whole) + 1


TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""A bracket or a string; one that has no end goes on to the end of the text, and what is in it is no bracket."""
_CLOSERS = {"[": "]", "{": "}"}
