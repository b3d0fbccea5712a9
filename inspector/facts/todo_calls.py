"""Calls of tools that keep a list of things to do, or are given one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import orjson

_DONE = frozenset({"completed", "done", "cancelled", "canceled", "closed", "deleted"})
_MAKES_TASK = re.compile(
    r"(?i)(?:create|add|new|update)_?(?:task|todo|issue|ticket)|(?:task|todo|issue|ticket)_?(?:create|add|new)"
)
"""The name of a tool that is given one thing to do."""
_WORDINGS = ("content", "step", "title", "task", "subject", "text", "description")
"""What the words of a thing to do are called."""


def points_of(name: str, arguments: str) -> list[tuple[str, bool]]:
    """What a call says of things to do: the words of each, and whether it is still to be done."""
    is_one = bool(_MAKES_TASK.fullmatch(name))
    if not is_one and '"status"' not in arguments:
        return []
    try:
        values = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return []
    if not isinstance(values, dict):
        return []
    points = [values] if is_one else [point for value in values.values() for point in _points_in(value)]
    return [(text, _is_open(point)) for point in points for key in _WORDINGS if isinstance(text := point.get(key), str)]


def _points_in(value: Any) -> Iterable[dict[str, Any]]:
    points = value if isinstance(value, list) else ()
    return [point for point in points if isinstance(point, dict) and "status" in point]


def _is_open(point: dict[str, Any]) -> bool:
    return str(point.get("status", "pending")).lower() not in _DONE
