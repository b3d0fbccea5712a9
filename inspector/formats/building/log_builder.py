"""The messages of a session in the making: each agent's behind one another, contexts that begin anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from inspector.core.conversation import (
    MAIN,
    Dialect,
    InMemoryBody,
    Message,
    Part,
    Raw,
    Role,
    Session,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from inspector.core.text import loads, one_line
from inspector.formats.building.ids import MessageIds, digest, first_words, shorten_title
from inspector.formats.reading.content import Content
from inspector.formats.reading.source import UnreadableError
from inspector.llm.models import profile
from inspector.llm.providers import DEFAULT_DIALECT, as_text, dialect_of_family, message_from_raw, wire_of

MAX_COPIES = 100_000
"""Messages that a log takes once more, behind summaries: a session compacts a dozen times, a hostile file at will."""


def dialect_for(model: str) -> Dialect:
    """The form that messages to a model are written in, for recordings that have a form of their own."""
    return dialect_of_family(profile(model).family)


def definition_of(tool: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """A tool as it is sent, of a definition in the chat form, or of its name, description and parameters alone."""
    inner = tool.get("function")
    function = inner if isinstance(inner, dict) else tool
    schema = function.get("parameters")
    schema = schema if isinstance(schema, dict) and schema else {"type": "object", "properties": {}}
    name = as_text(function.get("name") or tool.get("title") or tool.get("kind"))
    definition = {"name": name, "description": as_text(function.get("description"))}
    if dialect == "anthropic":
        return definition | {"input_schema": schema}
    return {"type": "function", "function": definition | {"parameters": schema}}


def raw_from(parts: Sequence[Part], role: Role, dialect: Dialect, name: str) -> Raw:
    """Parts as a raw message, with what a form leaves out or puts in where it crosses from another put right."""
    wire = wire_of(dialect)
    raw = dict(wire.encode(role, parts, name))
    if dialect == DEFAULT_DIALECT:
        raw |= _recorded_content(parts, role)
    thoughts = [part for part in parts if isinstance(part, Thinking)]
    has_thoughts = any(isinstance(part, Thinking) for part in wire.parse(raw))
    return _with_reasoning(raw, thoughts, dialect) if thoughts and not has_thoughts else raw


def _recorded_content(parts: Sequence[Part], role: Role) -> Raw:
    """The content of a chat message, where the form would put something in, or leave an item out; else nothing."""
    if any(map(_is_hidden, parts)):
        return {"content": [block for part in parts for block in _blocks_of(part, role)]}
    failures = [part.text for part in parts if isinstance(part, ToolResult) and part.is_error]
    return {"content": failures[0]} if failures else {}  # what says there that it failed was not said here


def _is_hidden(part: Part) -> bool:
    """Whether a part is an item that no other interface is sent, which a chat message has no words for."""
    return isinstance(part, Unknown) and part.is_internal


def _blocks_of(part: Part, role: Role) -> Iterator[dict[str, Any]]:
    """A part as blocks of a chat message, as they were recorded where it is such an item; calls are no blocks."""
    if isinstance(part, Unknown) and part.is_internal:
        with suppress(ValueError):
            item = loads(part.json)
            if isinstance(item, dict):
                yield item if item.get("type") == "reasoning" else {"type": "item", "item": item}
    elif not isinstance(part, ToolCall | Thinking):
        content = wire_of(DEFAULT_DIALECT).encode(role, [part])["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _with_reasoning(raw: Raw, thoughts: Sequence[Thinking], dialect: Dialect) -> Raw:
    """A raw message with reasoning that came from another form, without a signature perhaps."""
    if dialect == DEFAULT_DIALECT:
        return {**raw, "reasoning_content": "\n\n".join(part.text for part in thoughts)}
    blocks = [{"type": "thinking", "thinking": part.text, "signature": part.signature} for part in thoughts]
    content = raw.get("content") or []
    others = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return {**raw, "content": [*blocks, *others]}


class LogMark(NamedTuple):
    """How far a log had come."""

    length: int
    ends: dict[str, int]


class LogBuilder:
    """Takes messages in the order of the source, in one dialect.

    `ends` holds for each agent the position of the message that its next one follows; -1 where a context begins.
    """

    def __init__(self, dialect: Dialect = DEFAULT_DIALECT) -> None:
        self.dialect = dialect
        self.messages: list[Message] = []
        self.ids = MessageIds()
        self.ends: dict[str, int] = {}
        self.tools: dict[str, str] = {}
        """Names of tools, by the id of a call."""
        self.copies = 0
        self.has_all_copies = True
        self.stable = 0
        """Messages, from the first, that are as they were when a session was last made of the log."""

    def add(
        self, id: str, raw: Raw, record: Raw | None = None, *, agent: str = MAIN, after: int | None = None, **facts: Any
    ) -> int:
        """A message behind the agent's last one, or behind the one at position `after`, -1 to begin a context.

        Where it holds results of tools, each of them becomes a message. What the source recorded around it stands
        around the first. `facts` are further fields of `Message`. Gives the position of the last message of the log.
        """
        for place, piece in enumerate(wire_of(self.dialect).split(raw)):
            parent = self.ends.get(agent, -1) if place or after is None else after
            message = message_from_raw(
                self.ids.claim(id),
                piece,
                self.dialect,
                body=InMemoryBody(piece, {} if place or record is None else record),
                parent=parent,
                agent=agent,
                **facts,
            )
            if message.answers is not None and not message.name:
                message = replace(message, name=self.tools.get(message.answers, ""))
            self.tools.update({call.id: call.name for call in message.calls})
            self.ends[agent] = len(self.messages)
            self.messages.append(message)
        return len(self.messages) - 1

    def mark(self) -> LogMark:
        """How far the log has come, for `undo`."""
        return LogMark(len(self.messages), dict(self.ends))

    def undo(self, mark: LogMark) -> None:
        """Take out what came behind a mark: it says something else by now, or was taken in for the time being."""
        for message in reversed(self.messages[mark.length :]):
            self.ids.release(message.id)
        del self.messages[mark.length :]
        self.ends = dict(mark.ends)
        self.stable = min(self.stable, mark.length)

    def change(self, position: int, **facts: Any) -> None:
        """Give the message at a position other fields: they became known later."""
        self.messages[position] = replace(self.messages[position], **facts)
        self.stable = min(self.stable, position)

    def add_parts(self, id: str, role: Role, parts: Sequence[Part], record: Raw | None = None, **facts: Any) -> int:
        """A message made of parts, as `add` takes raw ones; `name` among the facts is that of a tool or a speaker.

        A result with the role "tool" is one part. Thinking stays, also in a form that sends none back.
        """
        has_failure = any(isinstance(part, ToolResult) and part.is_error for part in parts)
        raw = raw_from(parts, role, self.dialect, str(facts.get("name", "")) if role == "tool" else "")
        return self.add(id, raw, record, **(facts | {"is_error": True} if has_failure else facts))

    def begin_anew(self, agent: str = MAIN, after: int = -1) -> None:
        """Let the agent's next message begin a context of its own, or go on from a position: what came since leaves."""
        self.ends[agent] = after

    def repeat_prompt(self, agent: str = MAIN) -> None:
        """Add the system prompt once more that the agent's first context began with: it goes with every request."""
        own = (message for message in self.messages if message.agent == agent)
        for prompt in [*takewhile(lambda message: message.role == "system" and message.kind == "chat", own)]:
            self.add(prompt.id, prompt.raw, {}, agent=agent, time=prompt.time)

    def has_room_for(self, copies: int) -> bool:
        """Whether so many messages more may stand behind a summary once more. False once there would be too many."""
        has_room = self.copies + copies <= MAX_COPIES
        self.copies += copies if has_room else 0
        self.has_all_copies &= has_room
        return has_room

    def session(self, content: Content, format: str, id: str = "", title: str = "", **facts: Any) -> Session:
        """The session that these messages make; `facts` are further fields.

        Without an id or a title it gets one from its messages. Raises UnreadableError where there are none.
        """
        path = content.source.path
        if not self.messages:
            first = content.problems.problems[:1]
            why = f" ({one_line(str(first[0]))})" if first else ""
            raise UnreadableError(path, f"{path} has no message in it{why}: choose another file.")
        if not self.has_all_copies:
            content.problems.add(
                f"its compactions keep more than {MAX_COPIES:,} messages: behind some stands none of them"
            )
        fields: dict[str, Any] = {
            "dialect": self.dialect,
            "records_system": False,
            "path": path,
        }
        return Session(
            id=id or digest(self.messages[0].raw, len(self.messages)),
            title=shorten_title(" ".join(title.split())) or first_words(self.messages),
            format=format,
            messages=tuple(self.messages),
            **(fields | facts),
        )
