"""Describe a tool call by its tool's name and its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import normpath
from typing import Any

import orjson

from inspector.analysis.tool_activity.action import Action, ActionKind
from inspector.core.conversation import ToolCall
from inspector.core.text import clipped, dumps, one_line

SUBJECT = 100
"""Maximum columns of a subject."""
_PART = 40
"""Maximum columns of one value among several."""
_LAST_LINE = 1_000_000
"""Number of lines from which a request is one for the rest of the file."""
_MAX_ARGUMENTS_LENGTH = 200_000
"""Characters of arguments above which only the beginning is searched, for a command or a path."""
_PATHS = (
    "file_path",
    "filePath",
    "filepath",
    "path",
    "notebook_path",
    "filename",
    "file",
    "target_file",
    "AbsolutePath",
)
_ADDRESSES = ("url", "uri", "link")
_COMMANDS = ("command", "cmd", "code", "script", "sql", "query_string")
_QUESTIONS = ("pattern", "query", "q", "regex", "search_term", "glob", "glob_pattern", "queries")
_TITLES = ("title", "subject")
_TASKS = ("description", "task", "prompt", "goal")
_OLD = ("old_string", "old_str", "oldText", "old", "search")
_NEW = ("new_string", "new_str", "newText", "new", "replace")
_TEXTS = ("content", "contents", "text", "file_text", "new_source", "CodeContent")
_WORDS: tuple[tuple[ActionKind, re.Pattern[str]], ...] = (
    ("plan", re.compile(r"todo|(?:update|write|create)_?plan\b", re.I)),
    ("delegate", re.compile(r"^(?:task|agent|dispatch_?agent|spawn|subagent|delegate)", re.I)),
    ("run", re.compile(r"bash|shell|exec|terminal|command|run_query|python|sql|script", re.I)),
    ("edit", re.compile(r"edit|replace|patch|apply_?diff|notebook", re.I)),
    ("write", re.compile(r"write|create_?file|save_?file", re.I)),
    ("fetch", re.compile(r"fetch|open_?page|browse|http|navigate|download", re.I)),
    ("search", re.compile(r"search|grep|glob|find|list_?(?:files|dir)|^ls$", re.I)),
    ("read", re.compile(r"read|view|open|cat\b|get_?file", re.I)),
)
_CHANGE_OF_FOLDER = re.compile(r"\Acd [^\n;&|]{1,300}(?:&&|;)\s*")
_SHELL = re.compile(r"\A(?:/\S*/)?(?:bash|zsh|sh)\Z")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,300})$|^\+\+\+ (?:b/)?(\S{1,300})", re.M)


def action_of_call(call: ToolCall) -> Action:
    """Describe a tool call by its kind and target, ignoring its result. Accepts any arguments and never raises."""
    arguments = arguments_of(call)
    kind = _kind_of(call.name, arguments)
    resource = _text_in(arguments, _PATHS) or _text_in(arguments, _ADDRESSES)
    files = _patched_files(call.arguments) if kind == "edit" and not resource else []
    if files:
        resource = files[0] if len(files) == 1 else ""
    subject = ", ".join(map(short_name, files)) or _subject(kind, call, arguments, resource)
    name = clipped(one_line(call.name.rpartition("__")[2] or call.name), _PART)
    is_part = any(arguments.get(name) not in (None, 0, "") for name in ("offset", "limit", "start_line", "view_range"))
    if kind in ("run", "plan", "delegate", "search"):
        resource = ""
    lines = _requested_lines(arguments) if is_part else None
    return Action(name, clipped(one_line(subject), SUBJECT), "", kind, resource, not is_part, lines)


def object_of_call(call: ToolCall) -> str:
    """Return what a call is about, in full: its path or address, its command or its query, or else its arguments."""
    arguments, action = arguments_of(call), action_of_call(call)
    if action.resource:
        return action.resource if "://" in action.resource else normpath(action.resource.replace("\\", "/"))
    if action.kind == "run" and (command := _command_line(arguments)):
        return " ".join(command.split())
    if action.kind == "search" and (question := _text_in(arguments, _QUESTIONS)):
        return f"{question}\n{normpath(_text_in(arguments, _PATHS) or '.')}"
    return dumps(dict(sorted(arguments.items()))) if arguments else call.arguments.strip()


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name; empty if they are not a JSON object or are too large."""
    if len(call.arguments) > _MAX_ARGUMENTS_LENGTH:
        return {}
    try:
        arguments = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def changed_texts(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the removed and the inserted text for each place that an edit changes."""
    edits = arguments.get("edits")
    rows = [entry for entry in edits if isinstance(entry, dict)] if isinstance(edits, list) else [arguments]
    pairs = ((_text_in(row, _OLD, strip=False), _text_in(row, _NEW, strip=False)) for row in rows)
    return [pair for pair in pairs if any(pair)]


def written_text(arguments: Mapping[str, Any]) -> str:
    """Return the text that a call writes to a file."""
    return _text_in(arguments, _TEXTS, strip=False)


def _kind_of(name: str, arguments: Mapping[str, Any]) -> ActionKind:
    """Return the kind of a call by the shape of its arguments, or else by words in the tool's name."""
    if changed_texts(arguments):
        return "edit"
    if _text_in(arguments, _PATHS) and written_text(arguments):
        return "write"
    if arguments.get("command") == "view" and _text_in(arguments, _PATHS):
        return "read"
    own = name.rpartition("__")[2].rpartition(".")[2]
    by_name = next((kind for kind, words in _WORDS if words.search(own)), None)
    if by_name is not None:
        return "fetch" if by_name == "read" and _text_in(arguments, _ADDRESSES) else by_name
    shapes: tuple[tuple[ActionKind, Sequence[str]], ...] = (
        ("run", _COMMANDS),
        ("fetch", _ADDRESSES),
        ("search", _QUESTIONS),
        ("read", _PATHS),
    )
    return next((kind for kind, names in shapes if _text_in(arguments, names)), "other")


def _subject(kind: ActionKind, call: ToolCall, arguments: Mapping[str, Any], resource: str) -> str:
    match kind:
        case "run":
            return _command_line(arguments) or _values(arguments, call)
        case "plan":
            return _plan(arguments) or _values(arguments, call)
        case "delegate":
            return _text_in(arguments, _TASKS) or _values(arguments, call)
        case "search":
            question, place = _text_in(arguments, _QUESTIONS), _text_in(arguments, _PATHS)
            if not question:
                return short_name(place) or _values(arguments, call)
            return f"“{clipped(question, _PART)}”{f' in {short_name(place)}' if place else ''}"
        case _ if resource:
            return short_name(resource) + _lines_asked(arguments)
    return _values(arguments, call)


def _command_line(arguments: Mapping[str, Any]) -> str:
    """Return the command without its shell wrapper and a leading change of folder."""
    for name in _COMMANDS:
        value = arguments.get(name)
        if isinstance(value, list):
            words = [str(word) for word in value]
            value = words[-1] if len(words) > 1 and _SHELL.match(words[0]) else " ".join(words)
        if isinstance(value, str) and value.strip():
            return _CHANGE_OF_FOLDER.sub("", value.strip()) or value
    return ""


def short_name(place: str) -> str:
    """Return the recognisable end of a path or an address."""
    body = place.split("://", 1)[-1].split("?", 1)[0].rstrip("/\\")
    parts = body.replace("\\", "/").split("/")
    if "://" in place:
        return "/".join(parts[-2:]) if len(parts) > 2 else body
    return parts[-1] or place


def _requested_lines(arguments: Mapping[str, Any]) -> range | None:
    """Return the numbers of the requested lines; None if they are not stated as an offset and a limit."""
    start = arguments.get("offset") or arguments.get("start_line") or 1
    count = arguments.get("limit") or _LAST_LINE
    if any(type(value) is not int or value < 0 for value in (start, count)) or "view_range" in arguments:
        return None
    return range(start, start + count)


def _lines_asked(arguments: Mapping[str, Any]) -> str:
    """Return the requested lines if a later part of a file is requested, otherwise ""."""
    lines = _requested_lines(arguments)
    if lines is None or not (arguments.get("offset") or arguments.get("start_line")):
        return ""
    return f":{lines.start}–{lines.stop - 1}" if len(lines) < _LAST_LINE else f":{lines.start}…"


def _plan(arguments: Mapping[str, Any]) -> str:
    """Return the number of completed points of a plan."""
    points = next((value for value in arguments.values() if isinstance(value, list)), [])
    states = [str(point.get("status", "")) for point in points if isinstance(point, dict)]
    return f"{sum(state in ('completed', 'done') for state in states)} of {len(states)} done" if states else ""


def _patched_files(patch: str) -> list[str]:
    """Return the files that a patch changes."""
    matches = _PATCHED.finditer(patch[:_MAX_ARGUMENTS_LENGTH].replace("\\n", "\n"))
    return list(dict.fromkeys(match[1] or match[2] for match in matches))


def _values(arguments: Mapping[str, Any], call: ToolCall) -> str:
    """Return a short text of the remaining arguments."""
    if not arguments:
        return clipped(one_line(call.arguments[: 4 * SUBJECT]), SUBJECT) if call.arguments.strip(" {}[]\n") else ""
    title = _text_in(arguments, _TITLES)
    return title or (
        _short(next(iter(arguments.values())), SUBJECT) if len(arguments) == 1 else describe_values(arguments)
    )


def describe_values(values: Mapping[str, Any]) -> str:
    """Return the first fields of an object with their shortened values."""
    pairs = [(name, value) for name, value in values.items() if value not in (None, "", [], {})]
    return ", ".join(f"{one_line(name[:_PART])} {_short(value)}" for name, value in pairs[:4])


def _short(value: Any, room: int = _PART) -> str:
    """Return a shortened value: the length of a list, or the plain values of an object."""
    if isinstance(value, list):
        return f"×{len(value)}"
    if isinstance(value, dict):
        plain = [(name, inner) for name, inner in value.items() if isinstance(inner, str | int | float)]
        words = [_short(inner if isinstance(inner, str) else f"{name} {inner}") for name, inner in plain[:4]]
        return clipped(" ".join(words), room) or f"×{len(value)}"
    return clipped(one_line(value[: 2 * room] if isinstance(value, str) else dumps(value)[: 2 * room]), room)


def _text_in(arguments: Mapping[str, Any], names: Sequence[str], *, strip: bool = True) -> str:
    """Return the first of some arguments that is a non-empty text or a list that starts with one."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, list) and value and isinstance(value[0], str):
            value = value[0]
        if isinstance(value, str) and value.strip():
            return value.strip() if strip else value
    return ""
