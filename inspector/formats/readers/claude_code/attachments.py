"""Content that Claude Code adds to the context: words typed while it worked, files, memories, reminders.

It is in records of the type "attachment". Newer versions also record the text that was sent (`rendered`); in others,
attachments that only change the program's state have no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.conversation import Kind

_FIELDS: dict[str, tuple[str, ...]] = {
    "edited_text_file": ("filename", "snippet"),
    "file": ("filename", "content"),
    "directory": ("path", "content"),
    "nested_memory": ("path", "content"),
    "selected_lines_in_ide": ("filename", "content"),
    "skill_listing": ("content",),
    "invoked_skills": ("skills",),
    "relevant_memories": ("memories",),
    "hook_additional_context": ("content",),
    "critical_system_reminder": ("content",),
    "plan_file_reference": ("planFilePath", "planContent"),
}
"""Fields that are sent for each kind of attachment: its name, if it has one, and its text."""
_INNER = ("file", "content", "text")
_DEEPEST = 4


def attached_content(record: Mapping[str, Any]) -> Any:
    """Return the content that was sent for the attachment of a record: a text or blocks; "" if nothing was sent."""
    match record.get("attachment"):
        case {"type": "queued_command", "prompt": str() | list() as prompt}:
            return prompt
        case {"type": str()} if sent := "\n\n".join(_texts(record.get("rendered"), 0)):
            return sent
        case {"type": str(kind), **attachment} if kind in _FIELDS:
            *names, text = _FIELDS[kind]
            words = "\n\n".join(_texts(attachment.get(text), 0))
            return "\n".join([*(str(attachment.get(name) or "") for name in names), words]).strip() if words else ""
    return ""


def is_queued_command(record: Mapping[str, Any]) -> bool:
    """Return True for an attachment with words that left the queue while the agent worked."""
    attachment = record.get("attachment")
    return isinstance(attachment, dict) and attachment.get("type") == "queued_command"


def attached_kind(record: Mapping[str, Any]) -> Kind:
    """Return "chat" for words of the person, "injected" for content of the program or of another agent."""
    match record.get("attachment"):
        case {"type": "queued_command", "isMeta": True}:
            return "injected"
        case {"type": "queued_command", "origin": {"kind": str(speaker)}} if speaker != "human":
            return "injected"
        case {"type": "queued_command", "commandMode": str(mode)} if mode != "prompt":
            return "injected"
        case {"type": "queued_command"}:
            return "chat"
    return "injected"


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, [value])
    elif depth < _DEEPEST:
        inner = value if isinstance(value, list) else []
        if isinstance(value, dict):
            inner = [value[name] for name in _INNER if name in value]
        for one in inner:
            yield from _texts(one, depth + 1)
