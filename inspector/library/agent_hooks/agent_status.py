"""Write the status line of a coding agent from the JSON that it sends and the verdict on its last compaction.

The agent waits for it, so neither the engine nor slow modules of the standard library are imported.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping

from inspector.library.agent_hooks.hook_files import VERDICTS, key_of, read_hook_file

STATUS_FIELDS = "used,compacts,lost,cache"
_HEAD_ROOM = 33_000
"""Tokens that Claude Code was observed to keep free before it compacts."""
_MAX_INPUT = 1 << 20
_COLD = 60
"""Minutes after which no prompt cache remains, also with the longer lifetime."""
_MAX_LINES, _MAX_KINDS, _MAX_NAME = 2, 2, 40
_KINDS = {
    "rule": "rule",
    "prompt": "prompt",
    "task": "task",
    "command": "command",
    "decision": "decision",
    "changed": "changed file",
    "failure": "failure",
    "read": "read file",
}
"""Kinds of lost facts that are counted, the most valuable first."""


def print_status_line(fields: str = STATUS_FIELDS) -> int:
    """Print one or two lines for the JSON on standard input; nothing if it cannot be used.

    Args:
        fields: Names of fields in their order, separated by commas; a slash begins the second line.
    """
    try:
        text = status_text(json.loads(sys.stdin.buffer.read(_MAX_INPUT)), fields, os.environ, time.time())
        if text:
            sys.stdout.buffer.write(text.encode() + b"\n")
            sys.stdout.buffer.flush()
    except (AttributeError, OSError, OverflowError, RecursionError, TypeError, ValueError):
        return 0  # The agent continues as if the command were not installed.
    return 0


def status_text(state: object, fields: str, environment: Mapping[str, str], now: float) -> str:
    """Return the fields that are known and fit the width, on one or two lines; "" without any.

    Args:
        state: JSON of the status line.
        fields: Names of fields in their order, separated by commas; a slash begins the second line.
        environment: Variables, of which `COLUMNS` is the width.
        now: Unix time in seconds.
    """
    columns = environment.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and len(columns) < 6 else 80
    lines = []
    for names in fields.split("/", _MAX_LINES)[:_MAX_LINES]:
        known = (_FIELDS[name.strip()](state, environment, now) for name in names.split(",") if name.strip() in _FIELDS)
        parts = [text for text in known if text]
        while parts and len(" · ".join(parts)) > width:
            parts.pop()
        lines += [" · ".join(parts)] if parts else []
    return "\n".join(lines)


def _state_value(state: object, *keys: str) -> object:
    """Return the value at a path of keys; None if it is missing."""
    for key in keys:
        state = state.get(key) if isinstance(state, dict) else None
    return state


def _usual_number(value: object) -> float:
    """Return a number of a usual size; -1 for any other value."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12
    return float(value) if is_number and isinstance(value, int | float) else -1.0


def _window(state: object) -> tuple[float, float]:
    """Return the tokens in the window and its size; 0 for what is unknown."""
    size = _usual_number(_state_value(state, "context_window", "context_window_size"))
    share = _usual_number(_state_value(state, "context_window", "used_percentage"))
    return (share / 100 * size if size > 0 and share > 0 else 0.0), max(size, 0.0)


def _used(state: object, _environment: Mapping[str, str], _now: float) -> str:
    tokens, size = _window(state)
    return f"{tokens / size:.0%}".replace("%", " %") if tokens else ""


def _compacts(state: object, environment: Mapping[str, str], _now: float) -> str:
    tokens, size = _window(state)
    stated = environment.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    if stated.isdecimal() and len(stated) < 10:
        size = min(size, int(stated))
    left = size - _HEAD_ROOM - tokens
    return "" if not tokens else f"compacts in ~{left / 1_000:,.0f}k" if left >= 500 else "compacts next"


def _lost(state: object, _environment: Mapping[str, str], _now: float) -> str:
    name = _state_value(state, "session_id")
    lost = read_hook_file(VERDICTS, key_of(name)).get("lost") if isinstance(name, str) and name else None
    if not isinstance(lost, dict):
        return ""
    counts = [(count, word) for kind, word in _KINDS.items() if (count := _usual_number(lost.get(kind))) >= 1]
    texts = [f"{count:,.0f} {word}{'s' if count > 1 else ''}" for count, word in counts[:_MAX_KINDS]]
    return f"last compaction lost {', '.join(texts) or 'nothing'}"


def _cache(state: object, _environment: Mapping[str, str], now: float) -> str:
    path = _state_value(state, "transcript_path")
    if not isinstance(path, str):
        return ""
    try:
        minutes = (now - os.stat(path).st_mtime) // 60  # noqa: PTH116
    except (OSError, ValueError):
        return ""
    return f"cache cold ({minutes:,.0f} min)" if minutes >= _COLD else ""


def _cost(state: object, _environment: Mapping[str, str], _now: float) -> str:
    dollars = _usual_number(_state_value(state, "cost", "total_cost_usd"))
    return f"${dollars:,.2f}" if dollars >= 0 else ""


def _model(state: object, _environment: Mapping[str, str], _now: float) -> str:
    return _short_name(_state_value(state, "model", "display_name"))


def _folder(state: object, _environment: Mapping[str, str], _now: float) -> str:
    path = _state_value(state, "workspace", "current_dir")
    return _short_name(path.rstrip("/\\").replace("\\", "/").rpartition("/")[2]) if isinstance(path, str) else ""


def _short_name(text: object) -> str:
    """Return the printable characters of a name, at most 40."""
    return "".join(filter(str.isprintable, text[: 4 * _MAX_NAME]))[:_MAX_NAME] if isinstance(text, str) else ""


_FIELDS: Mapping[str, Callable[[object, Mapping[str, str], float], str]] = {
    "used": _used,
    "compacts": _compacts,
    "lost": _lost,
    "cache": _cache,
    "cost": _cost,
    "model": _model,
    "folder": _folder,
}
