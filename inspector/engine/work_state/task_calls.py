"""Changes of task lists by tool calls: whole lists, single tasks, and checklists in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.work_state.effect_values import TaskChange, TaskState

_LISTS = ("todos", "plan", "todoList", "task_list", "todo_list", "tasks", "items")
_TEXTS = ("content", "step", "title", "subject", "description", "task", "text", "name")
_KEEPS = lazy_pattern(r"(?i)todo|plan|task")
"""Name of a tool that keeps tasks: "TodoWrite", "update_plan", "task_tracker"."""
_CHECKBOX = lazy_pattern(
    r"^[ \t]{0,20}(?:[-*]|\d{1,3}[.)]) \[([ xX~/⚡-])\]"
    r" (?:[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]{1,4} )?(.{1,400})$",
    re.MULTILINE,
)
_DONE = word_set("completed complete done finished closed")
_ACTIVE = word_set("in_progress in-progress inprogress active doing started current")
_DROPPED = word_set("cancelled canceled deleted skipped dropped abandoned removed")
_MAX_TASKS = 200
_MAX_TEXT = 400


def _task_state(word: object) -> TaskState:
    """Return the state that a tool's word for it means; pending for an unknown one."""
    low = str(word).lower().replace(" ", "_")
    return "done" if low in _DONE else "in progress" if low in _ACTIVE else "dropped" if low in _DROPPED else "pending"


def task_changes(name: str, arguments: Mapping[str, Any]) -> tuple[TaskChange, ...]:
    """Return the tasks that a call states or changes, at most 200."""
    progress = arguments.get("task_progress")
    if not _KEEPS.search(name):
        return tuple(_checkboxes(progress)) if isinstance(progress, str) else ()
    match name.lower().replace("_", ""):
        case "taskcreate":
            text = _wording(arguments)
            return (TaskChange(text, "pending", is_list=False),) if text else ()
        case "taskupdate":
            return tuple(_updated(arguments))
    return next((rows for key in _LISTS if (rows := tuple(_listed(arguments.get(key))))), ())


def _updated(arguments: Mapping[str, Any]) -> Iterator[TaskChange]:
    number = str(arguments.get("taskId") or arguments.get("task_id") or "")
    state = arguments.get("status")
    if number:
        yield TaskChange(_wording(arguments, ("subject",)), _task_state(state) if state else "", number, False)


def _listed(rows: Any) -> Iterator[TaskChange]:
    if isinstance(rows, str):
        yield from _checkboxes(rows)
    for row in rows[:_MAX_TASKS] if isinstance(rows, list) else ():
        if isinstance(row, dict) and (text := _wording(row)):
            yield TaskChange(text, _task_state(row.get("status") or row.get("state") or "pending"))


def _checkboxes(text: str) -> Iterator[TaskChange]:
    """Yield the tasks of a checklist in Markdown."""
    for count, match in enumerate(_CHECKBOX.finditer(text[:40_000])):
        if count < _MAX_TASKS:
            state: TaskState = "done" if match[1] in "xX" else "in progress" if match[1] in "~/⚡" else "pending"
            yield TaskChange(match[2].strip(), state)


def _wording(row: Mapping[str, Any], names: tuple[str, ...] = _TEXTS) -> str:
    text = next((value for name in names if isinstance(value := row.get(name), str) and value.strip()), "")
    return " ".join(text[: 2 * _MAX_TEXT].split())[:_MAX_TEXT]
