"""One message of a log, and where its raw record lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from inspector.core.conversation.parts import Dialect, Part, Raw, Role, Usage, readable
from inspector.core.json_objects import json_object

Kind = Literal["chat", "summary", "injected", "copy", "notice"]
"""What a message is for.

chat      an ordinary message
summary   stands for earlier messages (a compaction's own record, or one made here)
injected  put into the context by a program, in the user's name
copy      a reply that stands in a later context once more: it was given only once
notice    shown to the person but never sent to the model
"""
SENT_KINDS: frozenset[Kind] = frozenset({"chat", "summary", "injected", "copy"})
"""The kinds of what a model gets."""
MAIN = "main"
"""The name of the agent whose conversation a session is; sub-agents carry their own names."""


_parsers: dict[Dialect, Callable[[Raw], tuple[Part, ...]]] = {}
"""Filled by `inspector.llm.providers`, which knows the dialects and stands above this package."""


def register_parser(dialect: Dialect, parse: Callable[[Raw], tuple[Part, ...]]) -> None:
    """Let `parse` read the raw messages of a dialect into parts."""
    _parsers[dialect] = parse


def parts_of(raw: Raw, dialect: Dialect) -> tuple[Part, ...]:
    """The parts of a raw message; what is not understood comes back as `Unknown`.

    Raises LookupError where no parser is registered for the dialect; `inspector.llm.providers` registers its own.
    """
    try:
        parse = _parsers[dialect]
    except KeyError:
        raise LookupError(
            f"no provider writes messages in the form {dialect!r}: import inspector.llm.providers"
        ) from None
    return parse(raw)


class Body(Protocol):
    """Where a message's raw record is: in memory, in a file, or in the store."""

    def load(self) -> tuple[Raw, Raw]:
        """The message in its dialect's own form, and the rest of the record around it."""


@dataclass(frozen=True, slots=True)
class InMemoryBody:
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


@json_object("Message line", "id role kind preview", about="A message, on one line.")
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
    kind: Kind = "chat"
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
    has_flaw: bool | None = None
    """Whether there is anything inside that a provider may refuse; None where nobody has looked."""
    placeholder: str | None = None
    """What a tool result says in place of its own text; its body loads the original only when the raw form is read."""

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
        return parts_of(self.raw, self.dialect)

    @property
    def is_reply(self) -> bool:
        """Whether a model gave it: neither the person nor a program wrote it."""
        return self.role == "assistant" and self.kind not in ("notice", "injected", "copy")

    @property
    def kind_of_copy(self) -> Kind:
        """The kind of the same message in a later context."""
        return "copy" if self.is_reply else self.kind

    def says_the_same(self, other: Message) -> bool:
        """Whether another message seems to say the same, by what is known without reading either."""
        heads = [(one.role, one.chars, one.preview, one.answers) for one in (self, other)]
        return heads[0] == heads[1]

    @property
    def speaks(self) -> bool:
        """Whether somebody says something in it: a reply, or words of the user's own."""
        return self.role == "assistant" or (self.role == "user" and self.kind == "chat")

    @property
    def text(self) -> str:
        """Everything a person would read, in order, parts separated by blank lines."""
        return "\n\n".join(part for part in map(readable, self.parts) if part)
