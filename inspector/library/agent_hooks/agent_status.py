"""Write the status line of a coding agent from the JSON that it sends. Imports no engine: the agent waits for it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeGuard

STATUS_FIELDS = "used,compacts,cache"
_HEAD_ROOM = 33_000
"""Tokens that Claude Code was observed to keep free before it compacts."""
_MAX_INPUT = 1 << 20
_COLD = 60
"""Minutes after which no prompt cache remains, also with the longer lifetime."""


def print_status_line(fields: str = STATUS_FIELDS) -> int:
    """Print one line for the JSON on standard input; nothing if it cannot be used.

    Args:
        fields: Names of fields in their order, separated by commas.
    """
    try:
        text = status_text(json.loads(sys.stdin.buffer.read(_MAX_INPUT)), fields, os.environ, time.time())
        if text:
            sys.stdout.buffer.write(text.encode() + b"\n")
            sys.stdout.buffer.flush()
    except (AttributeError, OSError, OverflowError, RecursionError, TypeError, ValueError):
        return 0  # The agent continues as if the command were not installed.
    return 0


def status_text(state: Any, fields: str, environment: Mapping[str, str], now: float) -> str:
    """Return the fields that are known and fit the width; "" without any.

    Args:
        state: JSON of the status line.
        fields: Names of fields in their order, separated by commas.
        environment: Variables, of which `COLUMNS` is the width.
        now: Unix time in seconds.
    """
    known = (_FIELDS[name.strip()](state, environment, now) for name in fields.split(",") if name.strip() in _FIELDS)
    parts = [text for text in known if text]
    columns = environment.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and len(columns) < 6 else 80
    while parts and len(" · ".join(parts)) > width:
        parts.pop()
    return " · ".join(parts)


def _window(state: Any) -> tuple[float, float]:
    """Return the tokens in the window and its size; 0 for what is unknown."""
    window = state.get("context_window") or {}
    size, used = window.get("context_window_size"), window.get("used_percentage")
    if not _is_number(size):
        return 0, 0
    return (used / 100 * size if _is_number(used) else 0), size


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _used(state: Any, _environment: Mapping[str, str], _now: float) -> str:
    tokens, size = _window(state)
    return f"{tokens / size:.0%}".replace("%", " %") if tokens else ""


def _compacts(state: Any, environment: Mapping[str, str], _now: float) -> str:
    tokens, size = _window(state)
    stated = environment.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    if stated.isdecimal() and len(stated) < 10:
        size = min(size, int(stated))
    left = size - _HEAD_ROOM - tokens
    return "" if not tokens else f"compacts in ~{left / 1_000:,.0f}k" if left >= 500 else "compacts next"


def _cache(state: Any, _environment: Mapping[str, str], now: float) -> str:
    path = state.get("transcript_path")
    minutes = (now - Path(path).stat().st_mtime) // 60 if isinstance(path, str) and Path(path).is_file() else 0
    return f"cache cold ({minutes:,.0f} min)" if minutes >= _COLD else ""


def _cost(state: Any, _environment: Mapping[str, str], _now: float) -> str:
    dollars = (state.get("cost") or {}).get("total_cost_usd")
    return f"${dollars:,.2f}" if _is_number(dollars) else ""


_FIELDS: Mapping[str, Callable[[Any, Mapping[str, str], float], str]] = {
    "used": _used,
    "compacts": _compacts,
    "cache": _cache,
    "cost": _cost,
}
