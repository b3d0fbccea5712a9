"""Conversations in Markdown as exported by Inspector. They can be opened again without loss.

The first line contains a mark that occurs elsewhere in the file only in the comments that begin each message and each
of its parts. Text is written verbatim, everything else in a fence that is longer than any fence inside it. Characters
that could control a terminal are written as `&#x1b;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from inspector.core.conversation import (
    SENT_KINDS,
    Document,
    Image,
    Part,
    Session,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from inspector.core.text import loads
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.formats.sidecar import sizes_in
from inspector.llm.providers import DEFAULT_DIALECT, DIALECTS, as_text, token_count

OPENING: Final = "<!-- inspector conversation 1 "
"""Start of the first line, which continues with the mark, data in JSON, and ` -->`."""
_FIRST = re.compile(re.escape(OPENING) + r"([0-9a-f]{8,64}) (\{[^\r\n]*\}) -->")
_FENCE = re.compile(r"^(`{3,})[a-z]*\n", re.MULTILINE)
_ENTITY = re.compile(r"&#x([0-9a-f]{1,6});")
_ROLES = ("system", "user", "assistant", "tool")


class ConversationMarkdown(Format):
    """Exports of `inspector export --to markdown`."""

    name = "markdown"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    place = "the file that inspector export --to markdown wrote"
    is_request = True

    def recognize(self, sample: Sample) -> FormatMatch:
        known = _FIRST.match(sample.head)
        return FormatMatch(1.0, "a first line that says it is a conversation by Inspector") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        text = content.source.all().decode("utf-8", "replace")
        first = _FIRST.match(text)
        if not first:
            raise UnreadableError(
                content.source.path, f"{content.source.path} is not a conversation: choose another file."
            )
        facts = _json_of(first[2])
        dialect = facts.get("dialect")
        log = LogBuilder(dialect if dialect in DIALECTS else DEFAULT_DIALECT)
        tools: list[Any] = []
        for fields, parts in _messages_in(text, first[1], tools):
            _add(log, fields, parts)
        if progress:
            progress(content.source.size, content.source.size)
        return [
            log.session(
                content,
                self.name,
                as_text(facts.get("id")),
                as_text(facts.get("title")),
                model=as_text(facts.get("model")),
                tools=tuple(objects_of(tools)),
                records_system=bool(facts.get("records_system")),
                sizes=sizes_in(facts.get("sizes")),
            )
        ]


@dataclass(frozen=True, slots=True)
class _Section:
    """A section: its kind, its data, and its text."""

    kind: str
    fields: dict[str, Any]
    body: str


def section_marks(mark: str) -> re.Pattern[str]:
    """Return the pattern of the comments that start the sections of a file with this mark."""
    return re.compile(rf"(?m)^<!-- {mark} ([a-z]{{1,20}})(?: (\{{[^\r\n]*\}}))? -->\n")


def _sections(text: str, mark: str) -> Iterator[_Section]:
    places = list(section_marks(mark).finditer(text))
    ends = [place.start() for place in places[1:]] + [len(text)]
    for place, end in zip(places, ends, strict=False):
        body = text[place.end() : end].removesuffix("\n\n")
        yield _Section(place[1], _json_of(place[2] or "{}"), body)


def _messages_in(text: str, mark: str, tools: list[Any]) -> Iterator[tuple[dict[str, Any], list[Part]]]:
    """Yield the data and the parts of each message. Tool definitions are added to `tools`."""
    fields: dict[str, Any] | None = None
    parts: list[Part] = []
    for section in _sections(text, mark):
        if section.kind == "message":
            if fields is not None:
                yield fields, parts
            fields, parts = section.fields, []
        elif section.kind == "tool":
            tools.append(_json_of(unescape(_fenced(section.body))))
        elif fields is not None and (part := _part_of(section)):
            _put(parts, part)
    if fields is not None:
        yield fields, parts


def _put(parts: list[Part], part: Part) -> None:
    """Append a part to others, or to the tool result at their end."""
    match parts:
        case [ToolResult(call_id, inner, is_error)] if isinstance(part, Text | Image | Document | Unknown):
            parts[0] = ToolResult(call_id, (*inner, part), is_error)
        case _:
            parts.append(part)


def _part_of(section: _Section) -> Part | None:
    fields, body = section.fields, unescape(section.body)
    match section.kind:
        case "text":
            return Text(body)
        case "output":
            return Text(_fenced(body))
        case "thinking":
            return Thinking(_fenced(body), as_text(fields.get("signature")))
        case "call":
            return ToolCall(as_text(fields.get("id")), as_text(fields.get("name")), _fenced(body))
        case "result":
            return ToolResult(as_text(fields.get("id")), (), bool(fields.get("error")))
        case "image":
            return Image(as_text(fields.get("media_type")), source=_address(body))
        case "document":
            return Document(as_text(fields.get("media_type")), as_text(fields.get("title")), source=_address(body))
        case "other":
            return Unknown(as_text(fields.get("type")), _fenced(body), bool(fields.get("internal")))
    return None


def _fenced(body: str) -> str:
    """Return the content of the fence in a section."""
    first = _FENCE.search(body)
    return body[first.end() :].removesuffix(first[1]).removesuffix("\n") if first else ""


def _address(body: str) -> str:
    return body.partition("](")[2].removesuffix(")")


def _add(log: LogBuilder, fields: dict[str, Any], parts: list[Part]) -> None:
    role, kind = fields.get("role"), fields.get("kind")
    usage = fields_of(fields.get("usage"))
    facts: dict[str, Any] = {
        "kind": kind if kind in SENT_KINDS else "chat",
        "time": as_text(fields.get("time")),
        "model": as_text(fields.get("model")),
        "usage": Usage(token_count(usage, "input"), token_count(usage, "output"), token_count(usage, "cache_read"))
        if usage
        else None,
    }
    facts |= {"name": as_text(fields["name"])} if fields.get("name") else {}
    log.add_parts(f"m{len(log.messages) + 1}", role if role in _ROLES else "user", parts, {}, **facts)


def _json_of(text: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except (ValueError, TypeError):
        return {}
    return value if isinstance(value, dict) else {}


def unescape(text: str) -> str:
    """Return a text with decoded control characters, such as `&#x1b;`."""
    return _ENTITY.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), text)
