"""A JSON value that was written as a log: the value on one line, and one change on each other line.

Like the sessions of the chat of https://github.com/microsoft/vscode: a change sets the value at a path, sets elements
after the first `i` of a list, or removes a value.
"""

from __future__ import annotations

from typing import Any

_Fields = dict[str, Any]
_BEGIN, _SET, _PUSH, _DELETE = 0, 1, 2, 3
"""Kinds of lines."""
_DEEPEST = 64
"""Steps of a path."""


class ChangeLog:
    """The value as of the lines read so far; a line with a whole value replaces all before it."""

    def __init__(self) -> None:
        self.value: _Fields = {}

    def feed(self, line: Any) -> bool:
        """Take in a line. False where it is none of a log; a change that leads nowhere changes nothing."""
        if not isinstance(line, dict) or line.get("kind") not in (_BEGIN, _SET, _PUSH, _DELETE):
            return False
        value, path = line.get("v"), line.get("k")
        if line["kind"] == _BEGIN:
            self.value = value if isinstance(value, dict) else {}
            return isinstance(value, dict)
        if not isinstance(path, list) or not 0 < len(path) <= _DEEPEST:
            return False
        holder: Any = self.value
        for step in path[:-1]:
            holder = _value_at(holder, step)
        if line["kind"] == _PUSH:
            _push(holder, path[-1], value, line.get("i"))
        elif line["kind"] == _SET:
            _set(holder, path[-1], value)
        else:
            _delete(holder, path[-1])
        return True


def _value_at(holder: Any, step: Any) -> Any:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    return holder[step] if isinstance(holder, list) and _is_place(step) and step < len(holder) else None


def _set(holder: Any, step: Any, value: Any) -> None:
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
    elif isinstance(holder, list) and _is_place(step) and step <= len(holder):
        holder[step : step + 1] = [value]


def _delete(holder: Any, step: Any) -> None:
    if isinstance(holder, dict) and isinstance(step, str):
        holder.pop(step, None)
    elif isinstance(holder, list) and _is_place(step):
        del holder[step : step + 1]


def _push(holder: Any, step: Any, values: Any, length: Any) -> None:
    """Set elements after the first `length` of a list, or after all; a missing list is created."""
    if isinstance(holder, dict) and isinstance(step, str):
        holder.setdefault(step, [])
    target = _value_at(holder, step)
    if isinstance(target, list):
        if _is_place(length):
            del target[length:]
        target += values if isinstance(values, list) else []


def _is_place(step: Any) -> bool:
    return type(step) is int and step >= 0
