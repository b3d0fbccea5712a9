"""Decodes values from the columns of a damaged store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from inspector.store.damage import MAX_COUNT, json_object
from inspector.store.memory_entries import Memory, ids_from_json
from inspector.store.serialization import text_of


def text_in(value: Any, default: str = "") -> str:
    """Return the text in a column, or a default for any other value."""
    with suppress(UnicodeDecodeError, AttributeError):
        return text_of(value)
    return default


def count_in(value: Any, default: int = 0) -> int:
    """Return the count in a column, or a default for any other value."""
    return value if type(value) is int and 0 <= value <= MAX_COUNT else default


def is_text(value: Any) -> bool:
    """Return True if a column holds a text."""
    try:
        return isinstance(text_of(value), str)
    except (UnicodeDecodeError, AttributeError):
        return False


def is_json(value: Any) -> bool:
    """Return True if a column holds a JSON object."""
    try:
        return isinstance(value, str) and isinstance(json_object(value), dict)
    except (ValueError, TypeError, RecursionError):
        return False


def memory_from(facts: Mapping[str, Any]) -> Memory:
    """Return the entry of a damaged row, with defaults for values that cannot be decoded."""
    optional = ("session_id", "message_id", "key", "expires_at")
    values: dict[str, Any] = {name: text_in(facts[name]) for name in ("kind", "text", "created_at", "agent")}
    values |= {name: text_in(facts[name]) for name in ("used_at", "reason", "origin")}
    values |= {name: text_in(facts[name]) or None for name in optional}
    last = values["message_id"]
    ids: tuple[str, ...] = () if last is None else (last,)
    with suppress(ValueError, TypeError, RecursionError):
        ids = ids_from_json(text_in(facts["message_ids"])) or ids
    tier = "session" if facts["tier"] == "session" else "persistent"
    tokens = facts["tokens"] if count_in(facts["tokens"], -1) >= 0 else None
    plan_id = facts["plan_id"] if count_in(facts["plan_id"], -1) >= 0 else None
    values |= {"message_ids": ids, "tier": tier, "tokens": tokens, "plan_id": plan_id}
    return Memory(facts["id"], **values, is_pinned=facts["is_pinned"] == 1)
