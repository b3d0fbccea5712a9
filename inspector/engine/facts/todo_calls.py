"""Calls of tools that keep a list of things to do, or are given one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from inspector.core.conversation import Message, Part, ToolCall, ToolResult
from inspector.engine.facts.classify import clean

_DONE = frozenset({"completed", "done", "cancelled", "canceled", "closed", "deleted"})
_MAKES_TASK = re.compile(
    r"(?i)(?:create|add|new|update)_?(?:task|todo|issue|ticket)|(?:task|todo|issue|ticket)_?(?:create|add|new)"
)
"""The name of a tool that is given one thing to do."""
_CHANGES_TASK = re.compile(
    r"(?i)(?:update|edit|complete|close|finish)_?(?:task|todo|issue|ticket)"
    r"|(?:task|todo|issue|ticket)_?(?:update|edit|complete|close|finish)"
)
"""The name of a tool that changes one that it knows by its number."""
_KEEPS_TASKS = re.compile(r"(?i)task|todo|plan|issue|ticket|list|step|goal")
"""What the name of every tool holds that keeps things to do."""
_CLOSES_TASK = re.compile(r"(?i)complete|close|finish")
_NUMBERS = ("taskId", "task_id", "todo_id", "issue_id", "ticket_id", "id")
_NUMBER = re.compile(r"#?(\d{1,9})\b")
"""Where the answer of a tool that was given a thing to do tells its number."""
_WORDINGS = ("content", "step", "title", "task", "subject", "text", "description")
"""What the words of a thing to do are called."""


class _Point(NamedTuple):
    """A thing to do as a call tells it."""

    texts: tuple[str, ...]
    """Its words: a title, and what it is about."""
    is_open: bool


def points_of(name: str, arguments: str) -> list[tuple[str, bool]]:
    """What a call says of things to do: the words of each, and whether it is still to be done."""
    return [(text, point.is_open) for point in _points(name, arguments) for text in point.texts]


def closed_tasks(messages: Iterable[Message]) -> frozenset[str]:
    """The facts of things that calls in some messages said were to be done, and that no longer are behind them.

    Done are those that a later call says are; gone are those that the next list of the same tool leaves out. Reads the
    calls of such tools only. Raises OSError.
    """
    todo = _TodoList()
    for message in messages:
        if message.answers in todo.created or any(_KEEPS_TASKS.search(call.name) for call in message.calls):
            for part in message.parts:
                todo.feed(part)
    return frozenset(clean(text) for text, is_open in todo.texts.items() if not is_open)


class _TodoList:
    """What is to be done, call by call."""

    def __init__(self) -> None:
        self.texts: dict[str, bool] = {}
        """The words of every thing, and whether it is still to be done."""
        self.created: dict[str, _Point] = {}
        """What calls created that were not answered yet, by their ids."""
        self._lists: dict[str, list[_Point]] = {}
        """The newest list of each tool."""
        self._numbered: dict[str, _Point] = {}

    def feed(self, part: Part) -> None:
        """Go on by a part of a message."""
        if isinstance(part, ToolCall):
            self._call(part)
        elif isinstance(part, ToolResult) and (point := self.created.pop(part.call_id, None)):
            match = _NUMBER.search(part.text)
            self._numbered[match[1] if match else ""] = point

    def _call(self, call: ToolCall) -> None:
        points = _points(call.name, call.arguments)
        if points and _MAKES_TASK.fullmatch(call.name):
            self.created[call.id] = points[0]
        elif points:
            self._close(self._lists.get(call.name, ()))
            self._lists[call.name] = points
        elif _CHANGES_TASK.fullmatch(call.name):
            self._change(call)
        self.texts.update({text: point.is_open for point in points for text in point.texts})

    def _change(self, call: ToolCall) -> None:
        fields = _arguments_of(call.arguments)
        number = next((str(fields[key]).lstrip("#") for key in _NUMBERS if key in fields), "")
        is_closed = not _is_open(fields) or ("status" not in fields and _CLOSES_TASK.search(call.name))
        if is_closed and number and number in self._numbered:
            self._close([self._numbered[number]])

    def _close(self, points: Iterable[_Point]) -> None:
        self.texts.update({text: False for point in points for text in point.texts})


def _points(name: str, arguments: str) -> list[_Point]:
    is_one = bool(_MAKES_TASK.fullmatch(name))
    if not is_one and '"status"' not in arguments:
        return []
    fields = _arguments_of(arguments)
    rows = [fields] if is_one else [row for value in fields.values() for row in _rows(value)]
    texts = [tuple(text for key in _WORDINGS if isinstance(text := row.get(key), str)) for row in rows]
    return [_Point(words, _is_open(row)) for words, row in zip(texts, rows, strict=True) if words]


def _arguments_of(arguments: str) -> dict[str, Any]:
    """The arguments of a call by their names; none where they are no JSON object."""
    try:
        values = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return {}
    return values if isinstance(values, dict) else {}


def _rows(value: Any) -> Iterable[dict[str, Any]]:
    rows = value if isinstance(value, list) else ()
    return [row for row in rows if isinstance(row, dict) and "status" in row]


def _is_open(row: dict[str, Any]) -> bool:
    return str(row.get("status", "pending")).lower() not in _DONE
