"""A JSON parser that repairs common damage, and reports what it cannot repair.

A fast parser reads almost all texts. Text that it rejects (broken UTF-8, lone surrogates, NaN, raw control characters)
is repaired by a slow one, which also returns a note for the user.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.core.limits import limit_text
from inspector.formats.reading.source import OVERLONG

BLANK = b"\0 \t\r\n"
"""Bytes that may surround a value. A program that was killed leaves NULs."""
DEEPEST = 200
"""Number of nesting levels that are kept of a text that is nested too deeply for the parsers."""
_MAX_INTEGER_LENGTH = 20
"""Maximum number of characters of a 64-bit integer."""
_LONG_NUMBER = re.compile(r"(?<![\d.eE])\d{309}")
"""An integer that is too large even for a float."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class BrokenJSONError(Exception):
    """A text is not JSON. The message is the reason; `line` counts from 1, and `place` in characters."""

    def __init__(self, reason: str, line: int = 1, place: int = 0) -> None:
        super().__init__(reason)
        self.line = line
        self.place = place


def parse(data: bytes) -> tuple[Any, str]:
    """Return the value of a JSON text, and a note on repairs or "". Raises `BrokenJSONError`."""
    try:
        return orjson.loads(data), ""
    except orjson.JSONDecodeError:
        return _parse_leniently(data)


def _parse_leniently(data: bytes) -> tuple[Any, str]:
    """Parse with the slow and tolerant parser."""
    if data == OVERLONG:
        raise BrokenJSONError(f"it is longer than {limit_text('line')}")
    data = data.strip(BLANK)
    text, notes = data.decode("utf-8", "replace"), list[str]()
    if "\ufffd" in text and not _valid_utf8(data):
        notes.append("it is not valid UTF-8; the broken characters are shown as \ufffd")
    if _LONG_NUMBER.search(text):
        notes.append("a number that is too long was left out")
    value, more = _value_of(text)
    if _SURROGATE.search(text):
        value = _without_surrogates(value)
    return value, "; ".join([*notes, *more])


def _value_of(text: str) -> tuple[Any, list[str]]:
    """Return the value of a text, and notes on omissions."""
    notes: list[str] = []
    try:
        try:
            return _loads(text), notes
        except RecursionError:
            notes.append(f"values nested more than {DEEPEST} levels deep were left out")
            return _loads(_without_depths(text)), notes
    except json.JSONDecodeError as error:
        raise BrokenJSONError(_reason_of(error), error.lineno, error.pos) from error
    except RecursionError as error:
        raise BrokenJSONError("it is nested too deeply") from error


def _loads(text: str) -> Any:
    return json.loads(text, strict=False, parse_constant=_finite, parse_float=_finite, parse_int=_integer)


def _without_depths(text: str) -> str:
    """Return a JSON text without values that are nested too deeply, or a truncated end."""
    pieces, start, depth = list[str](), 0, 0
    for token in _RUN.finditer(text):
        signs = token[0]
        if signs[0] in "[{":
            if depth <= DEEPEST < depth + len(signs):
                pieces.append(text[start : token.start() + DEEPEST - depth])
            depth += len(signs)
        elif signs[0] in "]}":
            if depth > DEEPEST >= depth - len(signs):
                pieces.append("null")
                start = token.start() + depth - DEEPEST
            depth -= len(signs)
    return "".join([*pieces, text[start:]] if depth <= DEEPEST else pieces)


def _finite(number: str) -> float | None:
    """Parse a number. Return None for NaN and infinity."""
    value = float(number)
    return value if math.isfinite(value) else None


def _integer(digits: str) -> int | float | None:
    """Parse an integer like the fast parser, which rounds those of more than 64 bits.

    None for one that is too large even for that.
    """
    value = int(digits) if len(digits) <= _MAX_INTEGER_LENGTH else 1 << 64
    return value if -(1 << 63) <= value < 1 << 64 else _finite(digits)


def _valid_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _reason_of(error: json.JSONDecodeError) -> str:
    """Return the message of a parser in plain words."""
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "it is cut off"
    return f"it is not JSON ({error.msg[:1].lower()}{error.msg[1:]}, column {error.colno})"


def _without_surrogates(value: Any) -> Any:
    """Return a value with surrogate pairs joined, and lone surrogates replaced."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case _:
            return value


def split_values(data: bytes) -> bytes | None:
    """Convert consecutive JSON values to JSON lines, keeping line numbers. Return None for fewer than two values.

    Other text between them becomes a separate line. Takes time linear in the text.
    """
    text = data.decode("utf-8", "replace")
    text = text if "\n" in text else text.replace("\r", "\n")
    pieces, at, count = list[str](), 0, 0
    for start, end, is_value in _pieces_of(text):
        count += is_value
        pieces.append("\n" * max(text.count("\n", at, start), min(1, len(pieces))))
        pieces.append(text[start:end].replace("\n", " "))
        at = start
    return "".join(pieces).encode("utf-8", "replace") if count > 1 else None


def _pieces_of(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of values in a text and of other text between them. A text that begins with no value has none."""
    place = failures = 0
    while (place := _past_gap(text, place)) < len(text):
        end = _end_of_value(text, place) if failures < _MAX_FAILURES else -1
        if end < 0 and not place - _past_gap(text, 0):
            return
        is_value = end >= 0
        failures += not is_value
        end = end if is_value else _next_value(text, place)
        yield place, end, is_value
        place = end


def spans_of_objects(line: bytes) -> list[tuple[int, int]]:
    """Return the offset and the length of each object on a line of several objects; [] for any other line."""
    text = line.decode("latin-1")  # one character for each byte
    pieces = list(_pieces_of(text))
    if len(pieces) < 2 or not all(is_value and text[start] == "{" for start, _, is_value in pieces):
        return []
    return [(start, end - start) for start, end, _ in pieces]


def _past_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    return gap.end() if gap else place


_GAP = re.compile(r"[\s\0\x1e]*")
"""Separators of two values, including that of RFC 7464."""
_MAX_FAILURES = 1_000
"""Maximum number of damaged values."""
_DECODER = json.JSONDecoder(strict=False)


def _end_of_value(text: str, place: int) -> int:
    """Return the end of the object or list at a position, or -1 if it is incomplete."""
    if text[place] not in "[{":
        return -1
    try:
        return _DECODER.raw_decode(text, place)[1]
    except (ValueError, RecursionError):
        return -1


def _next_value(text: str, place: int) -> int:
    """Return the start of the line on which the next value seems to begin, or the end of the text."""
    return min((at + 1 for sign in "{[" if (at := text.find(f"\n{sign}", place)) >= 0), default=len(text))


def salvage(data: bytes, end: int) -> tuple[Any, int]:
    """Return the readable start of a JSON text that is damaged at character `end`, and the number of its last line.

    The start ends with the last complete object or list. Raises `BrokenJSONError` without one.
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
        raise BrokenJSONError("nothing in it is complete")
    brackets = "".join(reversed(open_ones[:depth]))  # those opened after the cut are at the end of the list
    value, _ = _parse_leniently((text[:end_of_whole] + brackets).encode())
    return value, text.count("\n", 0, end_of_whole) + 1


def complete(data: bytes) -> Any:
    """Return the value of a JSON text that was cut off, up to the cut: its last string may be incomplete.

    Raises:
        BrokenJSONError: It is damaged before its end, or has no value.
    """
    text = data.strip(BLANK).decode("utf-8", "replace")
    open_ones: list[str] = []
    end, has_cut_string, is_key = 0, False, False
    for piece in _PIECE.finditer(text):
        sign = piece[0]
        if sign[0] in _CLOSERS:
            open_ones.extend(map(_CLOSERS.__getitem__, sign))
            is_key = sign[-1] == "{"
        elif sign in "]}" and open_ones:
            open_ones.pop()
            is_key = False
        elif sign in ",:":
            is_key = sign == "," and open_ones[-1:] == ["}"]
            continue
        elif is_key or (sign[0] != '"' and piece.end() == len(text)):
            continue
        end = piece.end()
        has_cut_string = sign[0] == '"' and not _WHOLE_STRING.fullmatch(sign)
    head = _CUT_ESCAPE.sub("", text[:end]) + '"' if has_cut_string else text[:end]
    return _parse_leniently((head + "".join(reversed(open_ones))).encode("utf-8", "replace"))[0]


_PIECE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{]++|[\]}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
"""A string, opening brackets, a sign, or a number or name. A string without an end extends to the end of the text."""
_WHOLE_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[\da-fA-F]{0,3})?\Z")
"""The beginning of an escape at the end of a text: `\\`, `\\u00`."""
TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""A bracket or a string. A string without an end extends to the end of the text."""
_RUN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{]++|[\]}]++', re.DOTALL)
"""Brackets that all open or all close, or a string. A string without an end extends to the end of the text."""
_CLOSERS = {"[": "]", "{": "}"}
