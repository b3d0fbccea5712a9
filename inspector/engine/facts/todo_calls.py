"""Tool calls that maintain a task list or create a task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from inspector.core.conversation import Message, Part, ToolCall, ToolResult
from inspector.core.text import lazy_pattern
from inspector.engine.facts.classify import clean

_DONE = frozenset({"completed", "done", "cancelled", "canceled", "closed", "deleted"})
_MAKES_TASK = lazy_pattern(
    r"(?i)(?:create|add|new|update)_?(?:task|todo|issue|ticket)|(?:task|todo|issue|ticket)_?(?:create|add|new)"
)
"""Name of a tool that creates a task: "TaskCreate", "new_issue"."""
_CHANGES_TASK = lazy_pattern(
    r"(?i)(?:update|edit|complete|close|finish)_?(?:task|todo|issue|ticket)"
    r"|(?:task|todo|issue|ticket)_?(?:update|edit|complete|close|finish)"
)
"""Name of a tool that changes a task by its number: "update_task", "TodoComplete"."""
_KEEPS_TASKS = lazy_pattern(r"(?i)task|todo|plan|issue|ticket|list|step|goal")
"""Part of the name of every tool that maintains tasks."""
_CLOSES_TASK = lazy_pattern(r"(?i)complete|close|finish")
_NUMBERS = ("taskId", "task_id", "todo_id", "issue_id", "ticket_id", "id")
_NUMBER = lazy_pattern(r"#?(\d{1,9})\b")
"""Task number in the answer of a tool that created one."""
_WORDINGS = ("content", "step", "title", "task", "subject", "text", "description")
"""Fields that contain the text of a task."""


class _Point(NamedTuple):
    """A task as stated by a call."""

    texts: tuple[str, ...]
    """Its texts, for example title and description."""
    is_open: bool


def points_of(name: str, arguments: str) -> list[tuple[str, bool]]:
    """Return the texts of the tasks in a call, each with True if the task is open."""
    return [(text, point.is_open) for point in _points(name, arguments) for text in point.texts]


def closed_tasks(messages: Iterable[Message]) -> frozenset[str]:
    """Return the cleaned texts of tasks that calls in these messages stated and that are closed by the end.

    A task is closed if a later call closes it, or if the next list of the same tool omits it. Only calls of task tools
    are read.

    Raises:
        OSError: A message body cannot be read.
    """
    todo = _TodoList()
    for message in messages:
        if message.answers in todo.created or any(_KEEPS_TASKS.search(call.name) for call in message.calls):
            for part in message.parts:
                todo.feed(part)
    return frozenset(clean(text) for text, is_open in todo.texts.items() if not is_open)


class _TodoList:
    """State of all tasks, updated call by call."""

    def __init__(self) -> None:
        self.texts: dict[str, bool] = {}
        """Text of each task, and True if it is open."""
        self.created: dict[str, _Point] = {}
        """Tasks created by calls that were not answered yet, by call id."""
        self._lists: dict[str, list[_Point]] = {}
        """Newest list of each tool."""
        self._numbered: dict[str, _Point] = {}

    def feed(self, part: Part) -> None:
        """Process the next part of a message."""
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
        fields = arguments_of(call.arguments)
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
    fields = arguments_of(arguments)
    rows = [fields] if is_one else [row for value in fields.values() for row in _rows(value)]
    texts = [tuple(text for key in _WORDINGS if isinstance(text := row.get(key), str)) for row in rows]
    return [_Point(words, _is_open(row)) for words, row in zip(texts, rows, strict=True) if words]


def arguments_of(arguments: str) -> dict[str, Any]:
    """Return the arguments of a call; empty if they are not a JSON object."""
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
