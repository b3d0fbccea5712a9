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

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class Broken(Exception):  # noqa: N818  it names the text, not the mishap
    """Text that is not JSON; its text says why, `line` says where (from 1)."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


def parse(data: bytes) -> tuple[Any, str]:
    """The value of a JSON text, and what had to be repaired ("" for nothing). Raises `Broken`."""
    try:
        return orjson.loads(data), ""
    except orjson.JSONDecodeError:
        return repaired(data)


def repaired(data: bytes) -> tuple[Any, str]:
    """The same by the slow and tolerant parser."""
    data = data.strip(b"\0 \t\r\n")
    text, note = data.decode("utf-8", "replace"), ""
    if "\ufffd" in text and not valid_utf8(data):
        note = "it is not valid UTF-8; the broken characters are shown as \ufffd"
    try:
        value = json.loads(text, strict=False, parse_constant=finite, parse_float=finite)
        if SURROGATE.search(text):
            value = without_surrogates(value)
    except json.JSONDecodeError as error:
        raise Broken(plain(error), error.lineno) from error
    except RecursionError as error:
        raise Broken("it is nested too deeply") from error
    except ValueError as error:
        raise Broken("it holds a number that is too long") from error
    return value, note


def finite(number: str) -> float | None:
    """A number as JSON allows it; None for NaN and the infinities."""
    value = float(number)
    return value if math.isfinite(value) else None


def valid_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def plain(error: json.JSONDecodeError) -> str:
    """A parser's complaint in plain words."""
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "it breaks off in the middle"
    return f"it is not JSON ({error.msg[:1].lower()}{error.msg[1:]}, column {error.colno})"


def without_surrogates(value: Any) -> Any:
    """The same value with every half of a surrogate pair joined to its other half, or else replaced."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case list():
            return [without_surrogates(item) for item in value]
        case dict():
            return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
        case _:
            return value


def salvaged(data: bytes) -> tuple[list[Any], int]:
    """The whole elements of a JSON list that breaks off, and the line where it does."""
    text = data.decode("utf-8", "replace")
    decoder = json.JSONDecoder(strict=False, parse_constant=finite, parse_float=finite)
    found: list[Any] = []
    end, at = 0, after(text, 0, "[")
    while at is not None:
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(without_surrogates(value))
        except (ValueError, RecursionError):
            break
        at = after(text, end, ",")
    return found, text.count("\n", 0, end) + 1


SIGN = re.compile(r"[\s\0\ufeff]*([\[,])[\s\0]*")


def after(text: str, at: int, sign: str) -> int | None:
    """The place behind `sign` and the space around it; None when something else comes next."""
    match = SIGN.match(text, at)
    return match.end() if match and match[1] == sign else None
