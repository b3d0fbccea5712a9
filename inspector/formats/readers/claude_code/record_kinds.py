"""Classification of records: words of a person or model, summaries, injected by the program, or never sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspector.core.conversation import Kind, Text
from inspector.core.text import word_set
from inspector.formats.readers.claude_code.attachments import attached_kind
from inspector.formats.readers.claude_code.file_body import WIRE
from inspector.formats.readers.claude_code.printed_records import MARK
from inspector.llm.providers import MessageMetadata

RECORDS_WITHOUT_MESSAGES = word_set(
    "file-history-snapshot pr-link last-prompt permission-mode attribution-snapshot "
    "worktree-state agent-setting agent-color mode tag task-summary speculation-accept "
    "marble-origami-commit marble-origami-snapshot saved_hook_context bridge-session result stream_event "
    "rate_limit_event tool_progress auth_status control_request control_response control_cancel_request keep_alive "
    "tool_use_summary prompt_suggestion ended-by-model continued-in relocated atis-latch isolation-latch cost-state "
    "frame-link file-history-delta artifact-comment-monitor artifact-autoreact-ledger"
)
"""Types of records without a message: the state of the program, and output while it works."""
TITLES = {
    "summary": ("summary",),
    "custom-title": ("customTitle", "title"),
    "ai-title": ("aiTitle", "title"),
    "agent-name": ("agentName", "name"),
}
"""Types of records that name a session, with the fields of the name."""
MARKS = word_set("uuid parentUuid sessionId leafUuid isSnapshotUpdate isSidechain") | {MARK}
"""Fields that tell a transcript's records from others with the same types."""
_PROGRAMS = word_set(
    "task-notification scheduled-trigger auto-continuation peer peer-send-message teammate projects-relay coordinator "
    "observer observer-activity"
)
"""Origins of turns in the user's name that the program begins: a task that has ended, a time, another agent."""
_TAG_START = r"<local-command-(stdout|stderr)>"
_OUTPUT_BEGINS = re.compile(rf"\s*{_TAG_START}")
_OUTPUT_ENDS = re.compile(rf"</local-command-(stdout|stderr)>\s*(?:{_TAG_START})?")
"""The end of what a local command printed, and where more follows at once, the beginning of that."""
_NOTIFICATIONS = ("<task-notification>", "<agent-notification>")
_SYNTHETIC = "<synthetic>"
_RESUMED = "No response requested."
"""A reply that the program puts into the context when a session is resumed; its other replies are never sent."""


def user_kind(record: dict[str, Any], content: Any, metadata: MessageMetadata) -> Kind:
    """Return the kind of a user's record: most are results of tools, and many were written by the program.

    Args:
        record: Record of a user.
        content: Content of its message.
        metadata: Metadata of the message.
    """
    if metadata.answers is not None:
        return "chat"
    if record.get("type") == "attachment":
        return attached_kind(record)
    if record.get("isCompactSummary"):
        return "summary"
    if record.get("isMeta") or _is_program(record) or metadata.preview.startswith(_NOTIFICATIONS):
        return "injected"
    if metadata.preview.startswith("<local-command-std") and _is_local_output(content_text(content)):
        return "notice"
    return "chat"


def _is_program(record: dict[str, Any]) -> bool:
    """Return True if a record says that it is no turn of a person's, nor of a program that asks in their place."""
    match record.get("origin"):
        case {"kind": str(kind)}:
            return kind in _PROGRAMS
    return False


def _is_local_output(text: str) -> bool:
    """Return True if a text consists of the output of local commands and nothing else."""
    first = _OUTPUT_BEGINS.match(text)
    if not first:
        return False
    kinds = {first[1]}  # of the outputs that may begin before a place; each goes on to any end of its kind
    for end in _OUTPUT_ENDS.finditer(text, first.end()):
        if end[1] in kinds:
            if end[2]:
                kinds.add(end[2])
            elif end.end() == len(text):
                return True
    return False


def reply_kind(record: dict[str, Any], message: dict[str, Any]) -> Kind:
    """Return the kind of an assistant's record; `message` is the API message in it."""
    if message.get("model") != _SYNTHETIC and not record.get("isApiErrorMessage"):
        return "chat"
    return "injected" if content_text(message.get("content")) == _RESUMED else "notice"


def content_text(content: Any) -> str:
    """Return the plain words of a record's content."""
    texts = [part.text for part in WIRE.parse({"content": content}) if isinstance(part, Text)]
    return "\n\n".join(texts)


def is_hook_of_tool(record: Mapping[str, Any]) -> bool:
    """Return True for the record of a hook that runs for a tool.

    Such records can be written after later messages, each linked to the one before and the first to the earliest call.
    The words that hang from the last one follow the newest reply, because the user did not return to that call.
    """
    match record.get("data"):
        case {"type": "hook_progress", "hookEvent": "PreToolUse" | "PostToolUse" | "PostToolUseFailure"}:
            return True
    return False


def is_first_record(record: Mapping[str, Any]) -> bool:
    """Return True if a record hangs from nothing, where it is not what a summary begins with."""
    return record.get("parentUuid", "") is None and record.get("subtype") != "compact_boundary"


def title_in(record: Mapping[str, Any]) -> str:
    """Return the title that a record of one of the kinds of `TITLES` gives, or ""."""
    texts = (record.get(name) for name in TITLES[record["type"]])
    return next((text for text in texts if isinstance(text, str) and text), "")
