"""Optional answers of hooks: refuse an automatic compaction that comes too early, and cut long tool results."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.limits import limit
from inspector.engine import compression
from inspector.library.agent_hooks.hook_files import RESULTS, keep_text, key_of
from inspector.llm import models

_TAIL = 1 << 20
"""Bytes at the end of a transcript in which the newest reply is looked for."""
_FULL = 0.9
"""Share of the model's context window above which no compaction is refused, because the next request may not fit."""
_CHARS_PER_TOKEN = 4
_MAX_CHARS = 8_000
"""Characters that stay of a result: agents replace longer outputs of a hook by a preview."""
_MAX_DEPTH = 8
_USAGE = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


def largest_event() -> int:
    """Return the number of bytes of an event that are read."""
    return limit("hook_event")


class HookLimits(NamedTuple):
    """Options of a hook that change the work of the agent; none by default."""

    guard: str = ""
    """Preset below whose threshold an automatic compaction is refused; "" to refuse none."""
    trim: int = 0
    """Tokens above which a text in a tool result is cut; 0 to cut none."""
    preset: str = ""
    """Preset that summarises in place of the agent in its compactions; "" for none."""


def limited_output(event: Mapping[str, Any], limits: HookLimits) -> str:
    """Return the output for an event that the limits are about; "" for any other.

    Raises:
        InspectorError: The preset does not exist.
        OSError: The transcript cannot be read, or the whole result cannot be kept.
    """
    name = event.get("hook_event_name")
    if name == "PreCompact" and limits.guard and event.get("trigger") == "auto" and "turn_id" not in event:
        return _guard_output(event, limits.guard)
    if name == "PostToolUse" and limits.trim > 0:
        return _trim_output(event, limits.trim)
    return ""


def _guard_output(event: Mapping[str, Any], name: str) -> str:
    """Return the refusal of a compaction below the preset's threshold, with its reason."""
    path = event.get("transcript_path")
    tokens, model = _newest_size(Path(path).expanduser()) if isinstance(path, str) and path else (0, "")
    window = models.profile(model).limit
    scale = compression.Scale(window, 0)
    threshold = compression.resolve_threshold(compression.find(name).threshold, scale)
    if not 0 < tokens < min(threshold, _FULL * window if window else threshold):
        return ""
    reason = f"The context has {tokens:,} tokens, and the preset {name} compacts at {threshold:,}."
    return json.dumps({"decision": "block", "reason": f"Inspector: {reason}"})


def _newest_size(path: Path) -> tuple[int, str]:
    """Return the reported tokens of the newest reply of the main agent in a transcript, and its model; 0 if unknown."""
    with path.open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
        lines = file.read(_TAIL).splitlines()
    for line in reversed(lines):
        if b'"compact_boundary"' in line:
            return 0, ""
        if b'"usage"' not in line or b'"isSidechain":true' in line:
            continue
        try:
            message = json.loads(line)["message"]
            return sum(int(message["usage"].get(key) or 0) for key in _USAGE), str(message.get("model") or "")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return 0, ""


def _trim_output(event: Mapping[str, Any], tokens: int) -> str:
    """Return a tool result of the same shape with its long texts cut; "" if none is long. The whole is kept."""
    response, limit = event.get("tool_response"), tokens * _CHARS_PER_TOKEN
    if not _is_long(response, limit):
        return ""
    path = keep_text(RESULTS, key_of(str(event.get("tool_use_id") or "result")), json.dumps(response))
    cut = _cut(response, limit, path)
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": cut}})


def _is_long(value: Any, limit: int, depth: int = 0) -> bool:
    if isinstance(value, str):
        return len(value) > limit
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth < _MAX_DEPTH and any(_is_long(one, limit, depth + 1) for one in values)


def _cut(value: Any, limit: int, path: str, depth: int = 0) -> Any:
    if isinstance(value, str) and len(value) > limit:
        half = min(limit, _MAX_CHARS) // 2
        mark = f"\n[Inspector: {len(value) - 2 * half:,} characters left out. The whole result: {path}]\n"
        return value[:half] + mark + value[len(value) - half :]
    if depth < _MAX_DEPTH and isinstance(value, dict):
        return {key: _cut(one, limit, path, depth + 1) for key, one in value.items()}
    if depth < _MAX_DEPTH and isinstance(value, list):
        return [_cut(one, limit, path, depth + 1) for one in value]
    return value
