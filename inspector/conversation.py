"""The nouns: a recorded session, its messages, and the parts that a message is made of.

Everything here is immutable and loss-free. A message keeps the *raw* record it came from, in the dialect it was
written in; its parts are a reading of that record, made when asked for. What no one understood is still in the raw
record, so it survives storage and export untouched.

A message is light: the few facts that windows and strategies need (role, calls, size, a preview) stand in it, and
the text itself stays behind a `Body` until somebody reads it. That is what lets a 50 MB log open in a moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
Kind = Literal["said", "summary", "injected", "notice"]
"""What a message is for.

said      an ordinary message
summary   stands for earlier messages (a compaction's own record, or one made here)
injected  put into the context by a program, in the user's name
notice    shown to the person but never sent to the model
"""
Dialect = Literal["openai", "anthropic"]
Provider = Literal["openai", "openai-responses", "anthropic"]
"""An interface that takes requests, each with rules of its own. OpenAI's dialect is that of its chat interface."""
Raw = Mapping[str, Any]

MAIN = "main"
"""The name of the agent whose conversation a session is; sub-agents carry their own names."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words, from any side."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning that the model wrote for itself. `text` is empty when the provider hid it."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to run a tool. `arguments` is JSON text, exactly as it is counted and shown."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture. Width and height are pixels, 0 when the record does not tell. `source` is a URL or a data URL."""

    media_type: str = ""
    width: int = 0
    height: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """An attached file that is not a picture, such as a PDF. `source` is a URL or a data URL."""

    media_type: str = ""
    title: str = ""
    pages: int = 1
    source: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A block that this version does not understand, with its own JSON."""

    type: str
    json: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to the call `call_id`."""

    call_id: str
    parts: tuple[Text | Image | Document | Unknown, ...]
    is_error: bool = False

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


Part = Text | Thinking | ToolCall | ToolResult | Image | Document | Unknown


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call as the provider reported them.

    `input` is everything that was sent: fresh, read from the cache and written to it.
    """

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0


class Body(Protocol):
    """Where a message's raw record is: in memory, in a file, or in the store."""

    def load(self) -> tuple[Raw, Raw]:
        """The message in its dialect's own form, and the rest of the record around it."""


@dataclass(frozen=True, slots=True)
class Held:
    """A raw record held in memory."""

    raw: Raw
    record: Raw = field(default_factory=dict)

    def load(self) -> tuple[Raw, Raw]:
        return self.raw, self.record


@dataclass(frozen=True, slots=True)
class CallHead:
    """The id and name of a tool call, known without reading the message's text."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Message:
    """One message of the log.

    A message with role "tool" holds exactly one result: formats that put several results, or results and words, into
    one record are split on the way in and joined again on the way out.
    """

    id: str
    role: Role
    body: Body
    dialect: Dialect = "openai"
    kind: Kind = "said"
    name: str = ""
    """Who speaks, where it differs from the role: the tool's name, an agent's name."""
    calls: tuple[CallHead, ...] = ()
    answers: str | None = None
    """The id of the call that this tool result answers."""
    is_error: bool = False
    thinks: bool = False
    """Whether there is a thinking block inside."""
    preview: str = ""
    """The first words, one line, at most `PREVIEW` characters; raw text, to be cleaned before it is shown."""
    chars: int = 0
    """Characters of everything that is counted: text, thinking, calls, results."""
    images: int = 0
    agent: str = MAIN
    parent: int = -1
    """The position in the log of the message before this one in its context; -1 where a context begins."""
    time: str = ""
    model: str = ""
    usage: Usage | None = None

    @property
    def raw(self) -> Raw:
        """The message as its dialect writes it."""
        return self.body.load()[0]

    @property
    def record(self) -> Raw:
        """What the source recorded around the message (ids, folders, structured results)."""
        return self.body.load()[1]

    @property
    def parts(self) -> tuple[Part, ...]:
        from inspector.dialects import parts_of

        return parts_of(self.raw, self.dialect)

    @property
    def text(self) -> str:
        """Everything a person would read, in order, parts separated by blank lines."""
        return "\n\n".join(part for part in map(readable, self.parts) if part)


PREVIEW = 160


def readable(part: Part) -> str:
    """A part as plain text. Raw: clean it before it reaches a terminal."""
    match part:
        case Text(text) | Thinking(text):
            return text
        case ToolCall(_, name, arguments):
            return f"{name}({arguments})"
        case ToolResult():
            return "\n".join(readable(inner) for inner in part.parts)
        case Image(media_type, width, height):
            size = f"{width}x{height}" if width and height else ""
            return f"[{' '.join(filter(None, ('image', media_type, size)))}]"
        case Document(media_type, title, pages):
            return f"[{' '.join(filter(None, ('document', title, media_type)))}, {pages} pages]"
        case Unknown(_, json):
            return json


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that could not be read, or in a window that a provider would refuse."""

    text: str
    line: int | None = None
    """1-based line of the source, where there is one."""
    message: str | None = None
    """The id of the message concerned."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True, eq=False)
class Session:
    """One recorded conversation: the immutable log, and what was recorded around it."""

    id: str
    title: str
    format: str
    messages: tuple[Message, ...]
    """The log, in the order of the source; every agent's messages, told apart by `Message.agent`."""
    model: str = ""
    tools: tuple[Raw, ...] = ()
    """Tool definitions as the request carried them, in `dialect`."""
    dialect: Dialect = "openai"
    settings: Raw = field(default_factory=dict)
    """The other fields of the request (temperature, metadata, …), kept for export."""
    records_system: bool = True
    """False for formats that leave the system prompt and the tools out of the file."""
    problems: tuple[Problem, ...] = ()
    path: str = ""
    line: int = 0
    """1-based line or element of the source that this session began at; 0 when the source holds one session."""

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents that speak, the main one first."""
        names = dict.fromkeys(message.agent for message in self.messages)
        return tuple(sorted(names, key=lambda name: name != MAIN)) or (MAIN,)

    @cached_property
    def by_id(self) -> dict[str, Message]:
        """The messages by their ids; of several with one id, the last."""
        return {message.id: message for message in self.messages}

    @cached_property
    def replies(self) -> dict[str, tuple[int, ...]]:
        """For each agent, the positions of the replies that a model gave, one per model call, in order."""
        found: dict[str, list[int]] = {}
        for position, message in enumerate(self.messages):
            if message.role == "assistant" and message.kind != "notice":
                found.setdefault(message.agent, []).append(position)
        return {agent: tuple(positions) for agent, positions in found.items()}

    def turns(self, agent: str = MAIN) -> tuple[int, ...]:
        """Positions of the replies of `agent`."""
        return self.replies.get(agent, ())

    @cached_property
    def compactions(self) -> tuple[int, ...]:
        """Positions of the summaries that the recording itself made: each begins a new context."""
        return tuple(position for position, message in enumerate(self.messages) if message.kind == "summary")

    def path_to(self, position: int) -> list[int]:
        """Positions of the context that ends with (and includes) the message at `position`, oldest first.

        It ends, also where a message comes before itself: it is never longer than the log.
        """
        path: list[int] = []
        while position >= 0 and len(path) < len(self.messages):
            path.append(position)
            position = self.messages[position].parent
        path.reverse()
        return path

    def extended(self, messages: Sequence[Message]) -> Session:
        return replace(self, messages=(*self.messages, *messages))

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)
