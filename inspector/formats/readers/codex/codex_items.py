"""Items of Codex rollouts: speakers of messages, tool definitions, and failures.

The protocol is that of https://github.com/openai/codex: `codex-rs/protocol/src/models.rs` for the items, and
`codex-rs/core/src/context/contextual_user_message.rs` for the words that the program puts into the user's mouth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from inspector.core.conversation import Kind, Usage
from inspector.core.text import word_set
from inspector.formats.building.blocks import objects_of
from inspector.formats.reading.content import Fields
from inspector.llm.providers import (
    as_text,
    chat_form,
    chat_messages,
    is_sealed_summary,
    token_count,
    usage_unless_zero,
)

_SETTINGS = word_set("additional_tools configuration_update ghost_snapshot")
"""Types of items without a speaker: tools and settings of later requests, and marks of the program."""
_NOTES = "internal_chat_message_metadata_passthrough"
"""Field with the program's notes on a message."""
_OWN_KINDS = word_set("unknown images.preparation_error images.unsupported audio.unsupported")
"""Kinds of user content besides `user.` ones. The last ones replace images that could not be sent."""
_TAG = re.compile(r"<(external_)?[a-z][\w-]{0,80}[\s>]", re.IGNORECASE)
_TAGS = word_set(
    "environment_context user_instructions permissions turn_aborted skill user_shell_command subagent_notification "
    "recommended_plugins codex_internal_context goal_context hook_prompt"
)
"""Tags of text that the program adds."""
_OPENINGS = (
    "# agents.md instructions",
    "warning: apply_patch was requested via ",
    "warning: the maximum number of unified exec processes you can keep open is",
    "warning: your account was flagged for potentially high-risk cyber activity",
)
"""Lower-case prefixes of other text that the program adds."""
_EXIT = re.compile(r"""(?:^Process exited with code |^Exit code: |"exit_code": ?)-?[1-9]""", re.MULTILINE)
"""Text by which the program reports a failed command, before or after its output."""
_ENDS = 200
"""Number of characters at either end of an output that are searched for it."""


def message_kind(item: Fields) -> Kind:
    """Return "chat" for the words of a speaker, "injected" for text that the program sends in the user's name.

    Newer versions record it for each block; if it is not recorded for all of them, the text decides.
    """
    if item.get("role") != "user" or item.get("type") == "agent_message":
        return "chat"
    content, notes = item.get("content"), item.get(_NOTES)
    kinds = notes.get("content_item_kinds") if isinstance(notes, dict) else None
    if isinstance(kinds, list) and isinstance(content, list) and kinds and len(kinds) == len(content):
        return "chat" if any(map(_is_own_kind, kinds)) else "injected"
    texts = [content] if isinstance(content, str) else [as_text(block.get("text")) for block in objects_of(content)]
    return "injected" if any(map(_is_put_in, texts)) else "chat"


def _is_own_kind(kind: Any) -> bool:
    """Return True if content of this kind is the user's. As in Codex, this is the default."""
    return not isinstance(kind, str) or not kind or kind.startswith("user.") or kind in _OWN_KINDS


def _is_put_in(text: str) -> bool:
    """Return True if a text was added by the program: it is between its tags, or a warning."""
    text = text.strip()
    if tag := _TAG.match(text):
        name = tag[0][1:-1].lower()
        return bool(tag[1] or name in _TAGS) and text[text.rfind("</") :].lower().startswith(f"</{name}")
    return text[:100].lower().startswith(_OPENINGS)


def is_setting(item: Fields) -> bool:
    """Return True if an item has no speaker."""
    return str(item.get("type")) in _SETTINGS


def as_message(item: Fields) -> Fields:
    """Return a message from another agent as a user message, and other items as they are."""
    return item | {"type": "message", "role": "user"} if item.get("type") == "agent_message" else item


def agent_message(communication: Fields) -> Fields:
    """Return the item of a record with a message between agents."""
    texts = {"input_text": ("text", "content"), "encrypted_content": ("encrypted_content", "encrypted_content")}
    blocks = [
        {"type": kind, field: communication[name]}
        for kind, (field, name) in texts.items()
        if isinstance(communication.get(name), str) and communication[name]
    ]
    around = {key: value for key, value in communication.items() if key not in ("content", "encrypted_content")}
    return {**around, "type": "agent_message", "content": blocks}


def history_messages(items: Iterable[Fields]) -> Iterator[tuple[Fields, Kind]]:
    """Yield the messages of a history that was written at once, each with its kind."""
    said = [item for item in items if not is_setting(item)]
    for is_users, run in groupby(said, key=lambda item: as_message(item).get("role") == "user"):
        for group in ([item] for item in run) if is_users else [[*run]]:
            kind = message_kind(group[0])
            yield from ((raw, kind) for raw in chat_messages(map(as_message, group)))


def tools_of(item: Fields) -> dict[str, Fields]:
    """Return the tools that an item defines, in the chat format, by name."""
    tools = objects_of(item.get("tools"))
    chat = chat_form({"input": [], "tools": tools})["tools"] if tools else []
    pairs = enumerate(zip(tools, chat, strict=True))
    return {as_text(own.get("name")) or str(place): tool for place, (own, tool) in pairs}


def failed_call(item: Fields) -> str:
    """Return the call of a completed step that failed, or ""."""
    match item:
        case {"type": "CommandExecution" | "FileChange" | "McpToolCall", "id": str(call)}:
            code = item.get("exit_code")
            is_code = isinstance(code, int) and not isinstance(code, bool)
            return call if item.get("status") == "failed" or (is_code and code) else ""
    return ""


def has_failed(output: Any) -> bool:
    """Return True if a tool result reports a failure."""
    match output:
        case {"success": False}:
            return True
        case str(text):
            return '"success":false' in text[:100] or bool(_EXIT.search(text[:_ENDS]) or _EXIT.search(text[-_ENDS:]))
    return False


def around_summary(items: list[Fields], compaction: Fields) -> tuple[list[Fields], Fields, list[Fields]]:
    """Return the summary of a compaction as a message, with the messages kept before and after it.

    It is an item that only OpenAI can read, or the last words in the user's name that end with the recorded summary;
    otherwise it follows all kept messages.
    """
    text = str(compaction.get("message") or "")
    places = [
        at for at, item in enumerate(items) if is_sealed_summary(item) or (text and _said_in(item).endswith(text))
    ]
    at = places[-1] if places else len(items)
    own = items[at] if places else {"type": "compaction"}
    content: Any = _said_in(own) or text or [{"type": "item", "item": own}]
    before, behind = ([item for item in part if not is_sealed_summary(item)] for part in (items[:at], items[at + 1 :]))
    return before, {"role": "user", "content": content}, behind


def _said_in(item: Fields) -> str:
    """Return the text of a user message, or "" for other items."""
    content = item.get("content") if item.get("role") == "user" else ""
    texts = (as_text(block.get("text")) for block in objects_of(content))
    return content if isinstance(content, str) else "\n".join(texts)


def codex_usage(counts: Fields) -> Usage | None:
    """Return the usage of a call. Cached tokens are part of the input."""
    sent, reply, cached = (
        token_count(counts, name) for name in ("input_tokens", "output_tokens", "cached_input_tokens")
    )
    return usage_unless_zero(sent, reply, cached, 0)
