"""A context as one text: the template, and the format of messages and tools in it.

Message texts are data. Braces in them have no meaning, and they cannot imitate another message or a section: only the
template and the labels of entries start at the beginning of a line. All further lines of an entry are indented, and so
are lines in other texts that resemble a heading of the template. Removing the indentation restores the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.core.conversation import Message, Raw, Text, Thinking, ToolCall, ToolResult, readable
from inspector.core.text import dumps

_PLACE = re.compile(r"\{(\w+)\}")
_END = r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
"""Any character that can be treated as a line break."""
_BREAK = re.compile(rf"\r\n|{_END}")
_HEADING = re.compile(r"^(?=#+ )", re.M)
_INDENT = "  "


@dataclass(frozen=True)
class Template:
    """A text with placeholders such as `{history}`, in blocks that start with a heading ("## …")."""

    text: str

    @cached_property
    def places(self) -> frozenset[str]:
        return frozenset(_PLACE.findall(self.text))

    @cached_property
    def own_headings(self) -> re.Pattern[str]:
        """Pattern for the start of a line, in other texts, that resembles a heading of this template."""
        lines = {line.strip() for line in self.text.splitlines() if _HEADING.match(line)}
        either = "|".join(map(re.escape, sorted(lines))) or "(?!)"
        return re.compile(rf"(?:^|(?<={_END}))(?=[ \t]*(?:{either}))", re.I)

    def format(self, **texts: str) -> str:
        """Return the text with its placeholders replaced, as by `str.format` with texts without braces.

        Placeholders without a text become empty. A block whose placeholders are all empty is omitted with its heading.

        Raises:
            ValueError: A text has no placeholder.
        """
        homeless = [name for name, text in texts.items() if text and name not in self.places]
        if homeless:
            raise ValueError(f"The template has no place {{{homeless[0]}}}: add one where the text belongs.")
        blocks = [block for block in _HEADING.split(self.text) if _has_content(block, texts)]
        return _PLACE.sub(lambda place: self.quote(texts.get(place[1], "")), "".join(blocks).strip("\n"))

    def quote(self, text: str) -> str:
        """Return a text in which no line resembles a heading of this template."""
        return self.own_headings.sub(_INDENT, text)


PROMPT_TEMPLATE = Template("""
{system_prompt}

## Memory

{memory}

## Available Tools

{tool_descriptions}

## Conversation

{history}

## Current Request

{user_input}

## Scratchpad

{scratchpad}
""")
"""The documented prompt template, extended by memory and scratchpad, in the standard order."""


def _has_content(block: str, texts: Mapping[str, str]) -> bool:
    """Return True if a block contains text once its placeholders are replaced."""
    places = _PLACE.findall(block)
    return not places or any(texts.get(name) for name in places)


def format_history(messages: Iterable[Message]) -> str:
    """Return messages as entries on separate lines that start with the speaker. Calls and results include their ids."""
    return "\n".join(f"{label}: {_indent(text)}" for message in messages for label, text in entries(message))


def format_memory(messages: Iterable[Message]) -> str:
    """Return summaries and injected messages as a list."""
    return "\n".join(f"- {_indent(message.text)}" for message in messages)


def format_tools(tools: Iterable[Raw]) -> str:
    """Return tool definitions of either provider as a list: name, description, and the JSON schema of the arguments."""
    return "\n".join(f"- {_indent(_describe(tool))}" for tool in tools)


def entries(message: Message) -> Iterator[tuple[str, str]]:
    """Yield a message as pairs of label and text: one for its text, and one for each thought, call and result."""
    words: list[str] = []
    others: list[tuple[str, str]] = []
    for part in message.parts:
        match part:
            case Thinking(text):
                others.append((f"{message.role} thinks", text))
            case ToolCall(id, name, arguments):
                others.append((f"{message.role} calls {_one_line(name)} [{_one_line(id)}]", arguments))
            case ToolResult(id, _, is_error):
                others.append((f"tool [{_one_line(id)}]{' failed' if is_error else ''}", readable(part)))
            case Text(text):
                words.append(text)
            case _:
                words.append(readable(part))
    speaker = f"{message.role} ({_one_line(message.name)})" if message.name and message.role != "tool" else message.role
    if words or not others:
        yield speaker, "\n\n".join(words)
    yield from others


def _indent(text: str) -> str:
    """Indent all lines of a text except the first, after any kind of line break."""
    return _BREAK.sub(lambda end: end.group() + _INDENT, text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _describe(tool: Raw) -> str:
    match tool:
        case {"function": {"name": str(name), **rest}} | {"name": str(name), **rest}:
            about: Any = rest.get("description")
            schema: Any = rest.get("parameters") or rest.get("input_schema")
            first = f"{name}: {about}" if isinstance(about, str) and about else name
            return f"{first}\n{dumps(schema)}" if schema else first
        case _:
            return dumps(tool)
