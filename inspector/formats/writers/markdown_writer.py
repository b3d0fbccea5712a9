"""A conversation in Markdown, for people; see `inspector.formats.readers.markdown`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from inspector.core.conversation import Document, Image, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.core.text import CONTROL, one_line, plain_dumps
from inspector.formats.readers.markdown import OPENING
from inspector.formats.writers.base import Conversation, FileForm

_RUN = re.compile("`{3,}")
_MIN_FENCE = 3
_ENDING = re.compile(r"[<>]|--")
_HEADINGS = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Result"}
_KINDS = {"summary": ", a summary", "injected": ", put in by a program", "copy": ", once more"}


class MarkdownWriter(FileForm):
    """One document. Notices are left out, as they are of every request."""

    name = "markdown"
    title = "Markdown"
    suffix = ".md"

    def write(self, conversation: Conversation) -> str:
        messages = [message for message in conversation.messages if message.kind != "notice"]
        pieces = [
            *(("tool", {}, _fence(escape(plain_dumps(tool, indent=2)), "json")) for tool in conversation.context.tools),
            *(piece for number, message in enumerate(messages, 1) for piece in _message_sections(number, message)),
        ]
        mark = _mark_for(conversation, [body for _, _, body in pieces])
        context = conversation.context
        facts = {
            "title": conversation.title,
            "id": conversation.id,
            "model": context.model,
            "dialect": context.dialect,
            "records_system": context.records_system,
            "sizes": list(conversation.sizes),
        }
        head = f"{OPENING}{mark} {_comment_json(facts)} -->\n# {_heading(conversation.title) or 'Conversation'}\n\n"
        return head + "".join(
            f"<!-- {mark} {kind}{f' {_comment_json(fields)}' if fields else ''} -->\n{body}\n\n"
            for kind, fields, body in pieces
        )


_Piece = tuple[str, dict[str, Any], str]


def _message_sections(number: int, message: Message) -> Iterator[_Piece]:
    """Write a message as a heading, and a section for each of its parts."""
    heading = f"## {number}. {_HEADINGS[message.role]}{_KINDS.get(message.kind, '')}"
    heading += f": {name}" if (name := _heading(message.name)) else ""
    yield "message", _heading_facts(message), heading
    for part in message.parts:
        if isinstance(part, ToolResult):
            part = replace(part, is_error=message.is_error)
        yield from _part_sections(part)


def _heading_facts(message: Message) -> dict[str, Any]:
    facts: dict[str, Any] = {"role": message.role}
    facts |= {"kind": message.kind} if message.kind != "chat" else {}
    facts |= {name: value for name in ("name", "time", "model") if (value := getattr(message, name))}
    if usage := message.usage:
        facts["usage"] = {"input": usage.input, "output": usage.output, "cache_read": usage.cache_read}
    return facts


def _part_sections(part: Part) -> Iterator[_Piece]:
    """Yield the sections of a part. A result has one for each of its parts."""
    match part:
        case Text(text):
            yield "text", {}, escape(text)
        case Thinking(text, signature):
            fields = {"signature": signature} if signature else {}
            yield "thinking", fields, f"*Thinking*\n\n{_fence(escape(text))}"
        case ToolCall(call_id, name, arguments):
            label = f"**{_heading(name)}**\n\n"
            yield "call", {"id": call_id, "name": name}, label + _fence(escape(arguments), "json")
        case ToolResult(call_id, parts, is_error):
            label = "*It failed:*" if is_error else "*It answered:*"
            yield "result", {"id": call_id} | ({"error": True} if is_error else {}), label
            for inner in parts:
                if isinstance(inner, Text):
                    yield "output", {}, _fence(escape(inner.text))
                else:
                    yield _attachment_section(inner)
        case _:
            yield _attachment_section(part)


def _attachment_section(part: Image | Document | Unknown) -> _Piece:
    match part:
        case Image(media_type, _, _, source):
            return "image", {"media_type": media_type}, f"![picture]({escape(source)})"
        case Document(media_type, title, _, source):
            return "document", {"media_type": media_type, "title": title}, f"[document]({escape(source)})"
        case Unknown(kind, json, is_internal):
            fields: dict[str, Any] = {"type": kind}
            fields |= {"internal": True} if is_internal else {}
            return "other", fields, _fence(escape(json), "json")


def escape(text: str) -> str:
    """Escape characters that command a terminal or are lost in UTF-8 as `&#x1b;`."""
    return CONTROL.sub(lambda sign: f"&#x{ord(sign[0]):x};", text.replace("&#x", "&#x26;#x"))


def _fence(text: str, language: str = "") -> str:
    """Return a text in a fence that is longer than any in it."""
    ticks = "`" * max([_MIN_FENCE, *(len(run[0]) + 1 for run in _RUN.finditer(text))])
    return f"{ticks}{language}\n{text}\n{ticks}"


def _heading(text: str) -> str:
    """Return a name or a title on one line, without the beginnings of fences and comments."""
    return one_line(text).replace("`", "'").replace("<", "‹")


def _comment_json(fields: dict[str, Any]) -> str:
    """Return JSON that does not end the comment around it."""
    text = plain_dumps(fields)
    return _ENDING.sub(lambda match: "".join(f"\\u{ord(sign):04x}" for sign in match[0]), text)


def _mark_for(conversation: Conversation, bodies: list[str]) -> str:
    """Return a mark that is in none of the texts."""
    number = 0
    while True:
        mark = blake2b(f"{conversation.id} {number}".encode("utf-8", "replace"), digest_size=4).hexdigest()
        if not any(mark in body for body in bodies):
            return mark
        number += 1
