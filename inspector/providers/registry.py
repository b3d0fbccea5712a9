"""How messages are written: the OpenAI chat form and the Anthropic form.

A dialect knows how to read a raw message into parts and how to write parts as a raw message. Formats (files on disk)
are built on top: a format finds the messages, a dialect understands them.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from inspector.conversation import Body, Dialect, Held, Message, Part, Raw, Role, Text
from inspector.providers.anthropic import wire as anthropic_wire
from inspector.providers.metadata import characters, head_of, pictures, preview
from inspector.providers.openai_chat import wire as openai_wire

DIALECTS: dict[Dialect, ModuleType] = {"openai": openai_wire, "anthropic": anthropic_wire}

__all__ = [
    "DIALECTS",
    "characters",
    "head_of",
    "make_message",
    "parts_of",
    "pictures",
    "preview",
    "role_of",
    "said",
    "split",
    "with_result_text",
    "without_calls",
    "without_inputs",
    "without_thinking",
    "written",
]


def parts_of(raw: Raw, dialect: Dialect) -> tuple[Part, ...]:
    """The parts of a raw message. Never raises: what it does not understand comes back as `Unknown`."""
    parts: tuple[Part, ...] = DIALECTS[dialect].parts(raw)
    return parts


def role_of(raw: Raw, dialect: Dialect) -> Role:
    """Whose side a raw message says it stands on; in Anthropic's form, results of tools stand on the user's."""
    role: Role = DIALECTS[dialect].role(raw)
    return role


def split(raw: Raw, dialect: Dialect) -> list[Raw]:
    """One raw message as messages that hold either one tool result or none."""
    pieces: list[Raw] = DIALECTS[dialect].split(raw)
    return pieces


def written(role: Role, parts: Sequence[Part], dialect: Dialect, name: str = "") -> Raw:
    """Parts as a raw message of `dialect`: how a message crosses from one provider's form to the other's."""
    raw: Raw = DIALECTS[dialect].write(role, parts, name)
    return raw


def with_result_text(raw: Raw, dialect: Dialect, text: str) -> Raw:
    """A tool result's raw message with its content replaced by `text`, and all else as it was."""
    changed: Raw = DIALECTS[dialect].with_result_text(raw, text)
    return changed


def without_calls(raw: Raw, dialect: Dialect, places: Sequence[int]) -> Raw | None:
    """A raw message without some of its tool calls, by place; None when it then says nothing to anybody."""
    rest: Raw | None = DIALECTS[dialect].without_calls(raw, places)
    return rest


def without_inputs(raw: Raw, dialect: Dialect) -> Raw:
    """A raw message whose tool calls have lost their arguments, and all else as it was."""
    changed: Raw = DIALECTS[dialect].without_inputs(raw)
    return changed


def without_thinking(raw: Raw, dialect: Dialect) -> Raw | None:
    """A raw message without its thinking; None when there would be nothing left of it."""
    rest: Raw | None = DIALECTS[dialect].without_thinking(raw)
    return rest


def make_message(id: str, raw: Raw, dialect: Dialect, *, body: Body | None = None, **facts: Any) -> Message:
    """A `Message` with its head (role, calls, size, preview …) read from `raw`.

    `body` tells where the text lives when it should not be held in memory; `facts` are further fields of `Message`.
    """
    head = head_of(parts_of(raw, dialect))
    role = "tool" if head.answers is not None else role_of(raw, dialect)
    told: dict[str, Any] = {
        "role": role,
        "name": str(raw.get("name") or ""),
        "dialect": dialect,
        "calls": head.calls if role == "assistant" else (),
        "answers": head.answers,
        "is_error": head.is_error,
        "thinks": head.thinks,
        "preview": head.preview,
        "chars": head.chars,
        "images": head.images,
    }
    return Message(id=id, body=body or Held(raw), **(told | facts))


def said(id: str, role: Role, text: str, dialect: Dialect, **facts: Any) -> Message:
    """A new message of plain words."""
    return make_message(id, written(role, [Text(text)], dialect), dialect, **facts)
