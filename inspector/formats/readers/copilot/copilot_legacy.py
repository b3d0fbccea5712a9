"""Sessions of the Copilot command line before its events: one object, with messages of the chat interface.

They are in `~/.copilot/history-session-state/session_ID_TIME.json`.
"""

from __future__ import annotations

from typing import Any

from inspector.core.conversation import Session
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content
from inspector.llm.providers import as_text

_Fields = dict[str, Any]
_ROLES = ("system", "user", "assistant", "tool")


def is_legacy_session(record: Any) -> bool:
    """Return True if a JSON value is a whole session: its id, and messages in a list."""
    match record:
        case {"sessionId": str(), "chatMessages": [{"role": str(), "content": _}, *_]}:
            return True
    return False


def legacy_session(content: Content, format: str, record: _Fields, line: int = 0) -> Session:
    """Return the session in the object. Raises UnreadableError if it has no message."""
    log = LogBuilder()
    waiting: list[str] = []
    for number, message in enumerate(objects_of(record["chatMessages"]), 1):
        if message.get("role") not in _ROLES:
            content.problems.add(f"element {number} of the messages was left out: it has no speaker")
            continue
        raw = _with_ids(message, number, waiting)
        log.add(f"m{number}", raw, model=as_text(record.get("selectedModel")) if raw["role"] == "assistant" else "")
    model = as_text(record.get("selectedModel"))
    return log.session(content, format, as_text(record.get("sessionId")), model=model, line=line)


def _with_ids(message: _Fields, number: int, waiting: list[str]) -> _Fields:
    """Return a message whose calls have ids and whose result names one, because some versions wrote neither.

    `waiting` holds the calls that no result has come for.
    """
    raw = {key: value for key, value in message.items() if key in ("role", "content", "tool_calls", "tool_call_id")}
    if calls := objects_of(message.get("tool_calls")):
        named = [
            {"type": "function", **call, "id": as_text(call.get("id")) or f"call-{number}-{place}"}
            for place, call in enumerate(calls, 1)
        ]
        raw["tool_calls"] = named
        waiting[:] = [call["id"] for call in named]
    if message["role"] == "tool":
        name = as_text(message.get("tool_call_id")) or next(iter(waiting), "")
        raw["tool_call_id"] = name
        waiting[:] = [other for other in waiting if other != name]
    return raw
