"""Values as JSON text, whatever they hold: nothing that was read is too deep or too strange to be written."""

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
    """A value as JSON text. Never raises: what no JSON can hold is written as well as can be."""
    option = _FAST | (orjson.OPT_INDENT_2 if pretty else 0)
    try:
        return orjson.dumps(value, default=json_default, option=option).decode()
    except TypeError:  # deeper, larger numbers or stranger strings than the fast writer takes
        return plain_dumps(value, indent=2 if pretty else None)


def plain_dumps(value: Any, *, indent: int | None = None, ascii_only: bool = True) -> str:
    """The same by the standard library, which writes NaN, and halves of surrogate pairs where they are escaped.

    It takes no more levels than it may call itself; what is deeper is written without any such limit. Never raises.
    """
    separators = (",", ":" if indent is None else ": ")
    try:
        return json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators, default=json_default)
    except (RecursionError, TypeError, ValueError):
        return "".join(_pieces(value, indent, ascii_only))


def printable_json(value: Any, indent: int | None = 2) -> str:
    """JSON in which no raw character can command or deceive a terminal: those stand as \\uXXXX, and mean the same.

    Without an indent, it is one line.
    """
    return CONTROL.sub(_escape, plain_dumps(value, indent=indent, ascii_only=False))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def exact_dumps(value: Any, *, ascii_only: bool) -> str:
    """JSON text from which `loads` makes the very same value. Raises TypeError and ValueError where there is none."""
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
    """The same by orjson; None where it cannot, or wrote something else: null for NaN, a text for another object."""
    try:
        data = orjson.dumps(value)
        return data.decode() if orjson.loads(data) == value else None
    except (TypeError, ValueError, RecursionError):
        return None


def _pieces(value: Any, indent: int | None, ascii_only: bool) -> Iterator[str]:
    """The pieces of a JSON text, level by level and without recursion. A value that holds itself ends there."""
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
    """The brackets around a value; none where it is no object and no list."""
    return "{}" if isinstance(value, dict) else "[]" if isinstance(value, list | tuple) else ""


def _members(value: Any, colon: str, ascii_only: bool) -> Iterator[tuple[str, Any]]:
    """What stands in an object or a list, each with what comes before it."""
    if isinstance(value, dict):
        return ((_leaf(_key_text(key), ascii_only) + colon, item) for key, item in value.items())
    return (("", item) for item in value)


def _key_text(key: Any) -> str:
    """A key as JSON has it: a string."""
    return key if isinstance(key, str) else json.dumps(key, default=str).strip('"')


def _leaf(value: Any, ascii_only: bool) -> str:
    try:
        return json.dumps(value, ensure_ascii=ascii_only)
    except ValueError:  # a number of more digits than Python writes
        return json.dumps(hex(value))


def _line_break(indent: int | None, depth: int) -> str:
    return "" if indent is None else "\n" + " " * (indent * depth)


def plain_text(value: Any) -> str:
    """`str` of a value, and JSON where that is nested too deeply for it."""
    try:
        return str(value)
    except RecursionError:
        return dumps(value)


def _integer(digits: str) -> int | float:
    """A whole number as orjson reads it: of more than 64 bits it is approximate."""
    value = int(digits)
    return value if -(1 << 63) <= value < 1 << 64 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_integer)


def loads(text: str) -> Any:
    """The value of a JSON text, however deep it is. Raises ValueError or TypeError for what is no JSON text."""
    try:
        return _DECODER.decode(text)
    except RecursionError:  # the fast reader takes more levels
        return orjson.loads(text)
