"""JSON text for any value that was read, regardless of nesting depth, number size or invalid Unicode."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from inspector.core.json_objects import json_default
from inspector.core.text.sanitize import CONTROL

_FAST = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


def dumps(value: Any, pretty: bool = False) -> str:
    """Convert a value to JSON text. Never raises; values that JSON cannot represent are approximated."""
    option = _FAST | (orjson.OPT_INDENT_2 if pretty else 0)
    try:
        return orjson.dumps(value, default=json_default, option=option).decode()
    except TypeError:  # deeper, larger numbers or stranger strings than the fast writer takes
        return plain_dumps(value, indent=2 if pretty else None)


def plain_dumps(value: Any, *, indent: int | None = None, ascii_only: bool = True) -> str:
    """Convert a value to JSON text with the standard library. Never raises.

    Unlike orjson, this writes NaN, and lone surrogates if they are escaped. Values that are nested deeper than the
    recursion limit are written iteratively.

    Args:
        value: The value to convert.
        indent: Spaces per level, or None for a single line.
        ascii_only: True to escape non-ASCII characters.
    """
    separators = (",", ":" if indent is None else ": ")
    try:
        return json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators, default=json_default)
    except (RecursionError, TypeError, ValueError):
        return "".join(_pieces(value, indent, ascii_only))


def printable_json(value: Any, indent: int | None = 2) -> str:
    """Convert a value to JSON text that is safe to print: control characters are written as \\uXXXX escapes.

    Args:
        value: The value to convert.
        indent: Spaces per level, or None for a single line.
    """
    return CONTROL.sub(_escape, plain_dumps(value, indent=indent, ascii_only=False))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def exact_dumps(value: Any, *, ascii_only: bool) -> str:
    """Convert a value to JSON text that `loads` restores exactly.

    Args:
        value: The value to convert.
        ascii_only: True to escape non-ASCII characters.

    Raises:
        TypeError: The value contains an object that JSON does not support.
        ValueError: The value is nested too deeply, or contains itself.
    """
    if not ascii_only and (text := _fast_dumps(value)) is not None:
        return text
    try:
        return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
    except RecursionError:
        text = "".join(_pieces(value, None, ascii_only))
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValueError("it is nested too deeply") from None
    return text


def _fast_dumps(value: Any) -> str | None:
    """Return the text by orjson, or None if it fails or would change the value, such as NaN to null."""
    try:
        data = orjson.dumps(value)
        return data.decode() if orjson.loads(data) == value else None
    except (TypeError, ValueError, RecursionError):
        return None


def _pieces(value: Any, indent: int | None, ascii_only: bool) -> Iterator[str]:
    """Yield the pieces of a JSON text without recursion. A container inside itself is written as empty brackets."""
    colon = ":" if indent is None else ": "
    levels: list[tuple[str, int, Iterator[tuple[str, Any]]]] = []
    inside: set[int] = set()
    head, behind = "", value
    while True:
        if not isinstance(behind, _JSON_TYPES):
            behind = json_default(behind)
        open_sign = _brackets(behind)
        if open_sign and behind and id(behind) not in inside:
            yield head + open_sign[0]
            inside.add(id(behind))
            levels.append((open_sign[1], id(behind), _members(behind, colon, ascii_only)))
            between = ""
        else:
            yield head + (open_sign or _leaf(behind, ascii_only))
            between = ","
        while levels:
            close_sign, name, rest = levels[-1]
            if member := next(rest, None):
                break
            levels.pop()
            inside.discard(name)
            yield _line_break(indent, len(levels)) + close_sign
            between = ","
        else:
            return
        head, behind = between + _line_break(indent, len(levels)) + member[0], member[1]


_JSON_TYPES = (dict, list, tuple, str, int, float, type(None))


def _brackets(value: Any) -> str:
    """Return the brackets of an object or a list, or an empty string for any other value."""
    return "{}" if isinstance(value, dict) else "[]" if isinstance(value, list | tuple) else ""


def _members(value: Any, colon: str, ascii_only: bool) -> Iterator[tuple[str, Any]]:
    """Return the members of an object or a list, each with the text that precedes it."""
    if isinstance(value, dict):
        return ((_leaf(_key_text(key), ascii_only) + colon, item) for key, item in value.items())
    return (("", item) for item in value)


def _key_text(key: Any) -> str:
    """Return the key of an object as a string, as JSON requires."""
    return key if isinstance(key, str) else json.dumps(key, default=str).strip('"')


def _leaf(value: Any, ascii_only: bool) -> str:
    try:
        return json.dumps(value, ensure_ascii=ascii_only)
    except ValueError:  # a number of more digits than Python writes
        return json.dumps(hex(value))


def _line_break(indent: int | None, depth: int) -> str:
    return "" if indent is None else "\n" + " " * (indent * depth)


def plain_text(value: Any) -> str:
    """Return `str` of a value, or JSON if the value is nested too deeply for `str`."""
    try:
        return str(value)
    except RecursionError:
        return dumps(value)


def _integer(digits: str) -> int | float:
    """Parse an integer like orjson, which approximates integers of more than 64 bits by a float."""
    value = int(digits)
    return value if -(1 << 63) <= value < 1 << 64 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_integer)


def loads(text: str) -> Any:
    """Parse a JSON text of any depth.

    Raises:
        ValueError: The text is not valid JSON.
        TypeError: The value is not a string.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:  # the fast reader takes more levels
        return orjson.loads(text)
