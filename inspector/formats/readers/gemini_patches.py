"""Patches in which Gemini CLI records changes of messages.

A `$patch` names a message with its new fields, or holds such changes as `updates`, ids of messages that are gone as
`removeIds`, and the order of those that stay as `orderIds`. Of calls it gives what is new, by their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inspector.formats.building.blocks import objects_of
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text


def apply_patch(
    messages: Mapping[str, Fields], patch: Fields, name_of: Callable[[str], str]
) -> dict[str, Fields] | None:
    """Return the messages after a patch, by name, or None if it names none of them.

    `name_of` gives the name under which the message with an id is kept.

    Args:
        messages: Messages by name.
        patch: Record with the changes.
        name_of: Gives the name under which the message with an id is kept.
    """
    updates = objects_of(patch["updates"]) if "updates" in patch else [patch]
    changes = {name_of(as_text(update.get("id"))): update for update in updates}
    gone = {*map(name_of, _ids_in(patch.get("removeIds")))}
    order = [name for name in map(name_of, _ids_in(patch.get("orderIds"))) if name in messages and name not in gone]
    if messages.keys().isdisjoint((*changes, *gone, *order)):
        return None
    changed = {
        name: _amended(message, changes[name]) if name in changes else message
        for name, message in messages.items()
        if name not in gone
    }
    return _reordered(changed, order)


def _ids_in(value: Any) -> list[str]:
    return [as_text(entry) for entry in value] if isinstance(value, list) else []


def _amended(message: Fields, changes: Fields) -> Fields:
    """Return a message with changed fields. Calls are merged by id."""
    calls = objects_of(message.get("toolCalls"))
    news = {as_text(call.get("id")): call for call in objects_of(changes.get("toolCalls"))}
    known = {as_text(call.get("id")) for call in calls}
    whole = [call | news.get(as_text(call.get("id")), {}) for call in calls]
    whole += [call for name, call in news.items() if name not in known]
    return message | changes | ({"toolCalls": whole} if whole else {})


def _reordered(messages: dict[str, Fields], order: list[str]) -> dict[str, Fields]:
    """Return the messages with those in `order` rearranged."""
    waiting = iter(dict.fromkeys(order))
    moved = {*order}
    names = [next(waiting) if name in moved else name for name in messages]
    return {name: messages[name] for name in names}
