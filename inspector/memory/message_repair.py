"""Repairs messages whose content a provider would reject.

An agent adds the output of its model and tools, which may be empty: a reply without text, a null, a blank text. Empty
messages are left out, or replaced by a note if a message is required.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

from inspector.core.conversation import Dialect, Raw
from inspector.core.text import dumps
from inspector.llm.providers import EMPTY, wire_of

_ROLES: Mapping[Dialect, frozenset[str]] = {
    "openai": frozenset({"system", "developer", "user", "assistant", "tool", "function"}),
    "anthropic": frozenset({"system", "user", "assistant"}),
}
_THOUGHTS = ("thinking", "redacted_thinking")


def mend(raw: Raw, dialect: Dialect, provider: Dialect) -> Raw | None:
    """Return a raw message in a form that the provider accepts: the same object if it is valid, None if it is empty.

    Args:
        raw: The message.
        dialect: Wire format of the message.
        provider: Wire format of the provider's own messages.
    """
    role = _role_of(raw, dialect, provider)
    content = _content_of(raw.get("content"))
    if _says_nothing(content) and isinstance(refusal := raw.get("refusal"), str) and refusal.strip():
        content = refusal  # a refusal alone is what a model answers, and nothing that it takes
        raw = {key: value for key, value in raw.items() if key != "refusal"}
    if _is_empty(raw, role, content):
        if raw.get("tool_calls") or raw.get("function_call"):
            raw = _with_thinking_apart(raw, content, dialect)
            content = raw.get("content") if raw.get("content") in (None, "") else None
        elif role in ("assistant", "system", "developer"):
            return None
        else:
            content = EMPTY
    if role == raw.get("role") and content is raw.get("content"):
        return raw
    return {**raw, "role": role, "content": content}


def _with_thinking_apart(raw: Raw, content: Any, dialect: Dialect) -> Raw:
    """Return a chat message with calls whose content is thinking alone with the thinking in the field for it."""
    if dialect != "openai" or not isinstance(content, list) or not content:
        return raw
    return {**raw, "thinking_blocks": [*raw.get("thinking_blocks", ()), *content]}


def _role_of(raw: Raw, dialect: Dialect, provider: Dialect) -> str:
    """Return the role of a message under the provider's name for it."""
    role = raw.get("role")
    if role == "developer" and provider == "anthropic":
        return "system"
    return role if isinstance(role, str) and role in _ROLES.get(dialect, ()) else wire_of(dialect).role(raw)


def _content_of(content: Any) -> Any:
    """Return content without blank texts: None, a text, or blocks. It is the same object if nothing is blank."""
    match content:
        case None | str():
            return content
        case list():
            blocks = [block for block in map(_block_of, content) if block is not None]
            same = len(blocks) == len(content) and all(map(is_, blocks, content))
            return content if same else blocks
        case Mapping():
            return _content_of([content])
        case bytes():
            return content.decode("utf-8", "replace")
        case _:
            return dumps(content)


def _block_of(block: Any) -> Any:
    """Return a block in a form that may be sent, or None if its text is blank."""
    match block:
        case str():
            return {"type": "text", "text": block} if block.strip() else None
        case {"type": "text", **rest}:
            text = rest.get("text")
            return block if isinstance(text, str) and text.strip() else None
        case {"type": "tool_result", "content": content}:
            inner = EMPTY if _says_nothing(sound := _content_of(content)) else sound
            return block if inner is content else {**block, "content": inner}
        case {"type": "tool_result", "is_error": True}:
            return {**block, "content": EMPTY}
        case None:
            return None
    return block


def _is_empty(raw: Raw, role: str, content: Any) -> bool:
    """Return True if a message has no content, or is a reply of nothing but items of OpenAI's Responses API."""
    if _says_nothing(content) or role != "assistant" or raw.get("tool_calls"):
        return _says_nothing(content)
    return isinstance(content, list) and all(
        isinstance(block, Mapping) and block.get("type") in ("reasoning", "item") for block in content
    )


def _says_nothing(content: Any) -> bool:
    """Return True if a message has no content that a provider accepts: no text, and no block except thinking."""
    if content is None or isinstance(content, str):
        return not (content or "").strip()
    return all(isinstance(block, Mapping) and block.get("type") in _THOUGHTS for block in content)
