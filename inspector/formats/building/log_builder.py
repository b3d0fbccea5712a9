"""Builder of a session's messages, with the order of each agent's messages and the starts of new contexts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from inspector.core.conversation import (
    LARGEST_SIZE,
    MAIN,
    WINDOW_FIELD,
    Dialect,
    InMemoryBody,
    Message,
    Part,
    Raw,
    Role,
    Session,
    SizeFacts,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    WorkEvents,
)
from inspector.core.text import loads, one_line
from inspector.formats.building.ids import MessageIds, digest, first_words, shorten_title
from inspector.formats.reading.content import Content
from inspector.formats.reading.source import UnreadableError
from inspector.llm.models import profile
from inspector.llm.providers import DEFAULT_DIALECT, as_text, dialect_of_family, message_from_raw, wire_of

MAX_COPIES = 100_000
"""Maximum number of messages that are repeated after summaries. A hostile file may repeat any number."""


def dialect_for(model: str) -> Dialect:
    """Return the wire format of a model, for recordings that are in no wire format."""
    return dialect_of_family(profile(model).family)


def definition_of(tool: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Convert the definition of a tool to a wire format.

    Args:
        tool: A definition in the chat format, or an object with name, description and parameters.
        dialect: The wire format.
    """
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
    """Encode parts as a raw message, including parts that the wire format has no place for.

    Args:
        parts: The content of the message.
        role: The role of the message.
        dialect: The wire format.
        name: Name of the tool, for a result.
    """
    wire = wire_of(dialect)
    raw = dict(wire.encode(role, parts, name))
    if dialect == DEFAULT_DIALECT:
        raw |= _recorded_content(parts, role)
    thoughts = [part for part in parts if isinstance(part, Thinking)]
    has_thoughts = any(isinstance(part, Thinking) for part in wire.parse(raw))
    return _with_reasoning(raw, thoughts, dialect) if thoughts and not has_thoughts else raw


def _recorded_content(parts: Sequence[Part], role: Role) -> Raw:
    """Return the content of a chat message as a field, if the wire format would change it; otherwise {}."""
    if any(map(_is_hidden, parts)):
        return {"content": [block for part in parts for block in _blocks_of(part, role)]}
    failures = [part.text for part in parts if isinstance(part, ToolResult) and part.is_error]
    return {"content": failures[0]} if failures else {}  # what says there that it failed was not said here


def _is_hidden(part: Part) -> bool:
    """Return True if a part is an internal item, which chat messages cannot represent."""
    return isinstance(part, Unknown) and part.is_internal


def _blocks_of(part: Part, role: Role) -> Iterator[dict[str, Any]]:
    """Yield the blocks of a part in a chat message. Internal items stay as recorded, and calls have no block."""
    if isinstance(part, Unknown) and part.is_internal:
        with suppress(ValueError):
            item = loads(part.json)
            if isinstance(item, dict):
                yield item if item.get("type") == "reasoning" else {"type": "item", "item": item}
    elif not isinstance(part, ToolCall | Thinking):
        content = wire_of(DEFAULT_DIALECT).encode(role, [part])["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _with_reasoning(raw: Raw, thoughts: Sequence[Thinking], dialect: Dialect) -> Raw:
    """Add reasoning from another wire format, which may lack a signature, to a raw message."""
    if dialect == DEFAULT_DIALECT:
        return {**raw, "reasoning_content": "\n\n".join(part.text for part in thoughts)}
    blocks = [{"type": "thinking", "thinking": part.text, "signature": part.signature} for part in thoughts]
    content = raw.get("content") or []
    others = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return {**raw, "content": [*blocks, *others]}


class LogMark(NamedTuple):
    """A state of a log, for `LogBuilder.undo`."""

    length: int
    ends: dict[str, int]


class LogBuilder:
    """Builds a log from messages in the order of the source, in one wire format.

    `ends` maps each agent to the position of the message that its next one follows, or -1 for a new context.
    """

    def __init__(self, dialect: Dialect = DEFAULT_DIALECT) -> None:
        self.dialect = dialect
        self.messages: list[Message] = []
        self.ids = MessageIds()
        self.ends: dict[str, int] = {}
        self.tools: dict[str, str] = {}
        """Name of the tool by the id of a call."""
        self.work = WorkEvents()
        """Recorded changes of the state of the work, for the next message of each agent."""
        self.limits: list[tuple[int, int]] = []
        """Each context window that the source states, after the position of the first message that it applies to."""
        self.copies = 0
        self.has_all_copies = True
        self.stable = 0
        """Number of messages at the start that have not changed since a session was last built."""

    def note_limit(self, limit: int, position: int | None = None) -> None:
        """Note a context window that applies from a message on, by default the next one. Zero is ignored."""
        if limit and (not self.limits or self.limits[-1][1] != limit):
            self.limits.append((len(self.messages) if position is None else position, min(limit, LARGEST_SIZE)))

    @property
    def size_facts(self) -> SizeFacts | None:
        """The noted context windows, or None without any."""
        changes = tuple(self.limits) if len(self.limits) > 1 else ()
        return SizeFacts(limit=self.limits[-1][1], limits=changes) if self.limits else None

    def add(
        self, id: str, raw: Raw, record: Raw | None = None, *, agent: str = MAIN, after: int | None = None, **facts: Any
    ) -> int:
        """Add a message. Each tool result in it becomes a message.

        Args:
            id: Id of the message. A number is appended if it is taken.
            raw: The message in the wire format.
            record: The record of the source that contains the message.
            agent: Name of the agent.
            after: Position of the message that this one follows, or -1 for a new context. By default, the agent's last.
            **facts: Further fields of `Message`.

        Returns:
            The position of the last message of the log.
        """
        facts.setdefault("events", self.work.take(agent))
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
        """Return the current state, for `undo`."""
        return LogMark(len(self.messages), dict(self.ends))

    def undo(self, mark: LogMark) -> None:
        """Remove the messages that were added after a mark."""
        for message in reversed(self.messages[mark.length :]):
            self.ids.release(message.id)
        del self.messages[mark.length :]
        self.ends = dict(mark.ends)
        self.stable = min(self.stable, mark.length)

    def change(self, position: int, **facts: Any) -> None:
        """Change fields of the message at a position."""
        self.messages[position] = replace(self.messages[position], **facts)
        self.stable = min(self.stable, position)

    def note_window(self, tokens: int) -> None:
        """Note the size of the window after the last message, which a program states, in the record of the message."""
        if tokens and self.messages:
            last = self.messages[-1]
            self.change(len(self.messages) - 1, body=InMemoryBody(last.raw, {**last.record, WINDOW_FIELD: tokens}))

    def add_parts(self, id: str, role: Role, parts: Sequence[Part], record: Raw | None = None, **facts: Any) -> int:
        """Add a message that is made of parts.

        Args:
            id: Id of the message.
            role: Role of the message. A message with the role "tool" has one part, the result.
            parts: Its content. Thinking is kept even if the wire format does not send it.
            record: The record of the source that contains the message.
            **facts: Further fields of `Message`, and `agent` and `after` as in `add`.

        Returns:
            The position of the last message of the log.
        """
        has_failure = any(isinstance(part, ToolResult) and part.is_error for part in parts)
        raw = raw_from(parts, role, self.dialect, str(facts.get("name", "")) if role == "tool" else "")
        return self.add(id, raw, record, **(facts | {"is_error": True} if has_failure else facts))

    def begin_anew(self, agent: str = MAIN, after: int = -1) -> None:
        """Start a new context with the agent's next message, or continue from the message at position `after`."""
        self.ends[agent] = after

    def repeat_prompt(self, agent: str = MAIN) -> None:
        """Repeat the system prompt of the agent's first context, which is part of each request."""
        own = (message for message in self.messages if message.agent == agent)
        for prompt in [*takewhile(lambda message: message.role == "system" and message.kind == "chat", own)]:
            self.add(prompt.id, prompt.raw, {}, agent=agent, time=prompt.time)

    def has_room_for(self, copies: int) -> bool:
        """Return True if this number of messages may be repeated after a summary."""
        has_room = self.copies + copies <= MAX_COPIES
        self.copies += copies if has_room else 0
        self.has_all_copies &= has_room
        return has_room

    def session(self, content: Content, format: str, id: str = "", title: str = "", **facts: Any) -> Session:
        """Build the session.

        Args:
            content: The file, with its problems.
            format: Name of the format.
            id: Id of the session. By default, a digest of the messages.
            title: Title of the session. By default, the first words of the user.
            **facts: Further fields of `Session`.

        Raises:
            UnreadableError: There are no messages.
        """
        path = content.source.path
        if not self.messages:
            first = content.problems.problems[:1]
            why = f" ({one_line(str(first[0]))})" if first else ""
            raise UnreadableError(path, f"{path} has no message in it{why}: choose another file.")
        if not self.has_all_copies:
            content.problems.add(f"its compactions keep more than {MAX_COPIES:,} messages: some contexts lack them")
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
