"""Messages of a log, and access to their raw records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol
from weakref import ref

from inspector.core.conversation.parts import Dialect, Part, Raw, Role, Usage, readable
from inspector.core.conversation.work_events import WorkEvent
from inspector.core.json_objects import json_object

Kind = Literal["chat", "summary", "injected", "copy", "notice"]
"""Role of a message in its context.

chat      an ordinary message
summary   replaces earlier messages (a recorded compaction, or one created by Inspector)
injected  added to the context by a program, with the role of the user
copy      repeats an earlier reply in a later context; the model generated it only once
notice    shown to the user but never sent to the model
"""
SENT_KINDS: frozenset[Kind] = frozenset({"chat", "summary", "injected", "copy"})
"""Kinds of messages that are sent to the model."""
MAIN = "main"
"""Name of the session's main agent; sub-agents have their own names."""
ADDITION = "sent-"
"""Begins the id of a message that only the captured requests of a session contain, and not its transcript."""


Parser = Callable[[Raw], tuple[Part, ...]]
"""Parses a raw message of one wire format into parts."""
_parsers: dict[Dialect, Parser] = {}
_finders: list[Callable[[Dialect], Parser]] = []
"""Contains one function, set by `inspector.llm.providers`, which this package cannot import."""


def find_parsers_with(find: Callable[[Dialect], Parser]) -> None:
    """Set the function that looks up the parser of a wire format.

    Args:
        find: Returns the parser of a wire format. Raises KeyError for an unknown one.
    """
    _finders[:] = [find]
    _parsers.clear()


def parts_of(raw: Raw, dialect: Dialect) -> tuple[Part, ...]:
    """Return the parts of a raw message; unrecognised blocks become `Unknown` parts.

    Raises:
        LookupError: No provider uses this wire format, or `inspector.llm.providers` was not imported.
    """
    parse = _parsers.get(dialect)
    if parse is None:
        try:
            parse = _parsers[dialect] = _finders[0](dialect)
        except LookupError:
            raise LookupError(
                f"no provider writes messages in the dialect {dialect!r}: import inspector.llm.providers"
            ) from None
    return parse(raw)


class Body(Protocol):
    """Access to the raw record of a message: in memory, in a file, or in the store."""

    def load(self) -> tuple[Raw, Raw]:
        """Return the message in its wire format, and the other fields of its record."""


@dataclass(frozen=True, slots=True)
class InMemoryBody:
    """Raw record in memory."""

    raw: Raw
    record: Raw = field(default_factory=dict)

    def load(self) -> tuple[Raw, Raw]:
        return self.raw, self.record


@dataclass(frozen=True, slots=True)
class CallHead:
    """Id and name of a tool call, available without loading the message."""

    id: str
    name: str


@json_object("Message line", "id role kind preview", about="A message, on one line.")
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Message:
    """One message of the log.

    A message with role "tool" contains exactly one result. A record with several results, or with results and text, is
    split when it is read and joined again when it is exported.
    """

    id: str
    role: Role
    body: Body
    dialect: Dialect = "openai"
    kind: Kind = "chat"
    name: str = ""
    """Name of the speaker if it differs from the role: the name of a tool or an agent."""
    calls: tuple[CallHead, ...] = ()
    answers: str | None = None
    """Id of the call that this tool result answers."""
    is_error: bool = False
    thinks: bool = False
    """True if the message contains a thinking block."""
    preview: str = ""
    """The first words on one line, at most `PREVIEW` characters. Not sanitised for display."""
    chars: int = 0
    """Number of characters of everything that is counted: text, thinking, calls and results."""
    images: int = 0
    agent: str = MAIN
    parent: int = -1
    """Position in the log of the preceding message in the context, or -1 at the start of a context."""
    time: str = ""
    model: str = ""
    usage: Usage | None = None
    has_flaw: bool | None = None
    """True if the message contains anything that a provider can reject; None if it has not been checked."""
    events: tuple[WorkEvent, ...] = ()
    """Changes of the state of the work that the format records with this message, or between it and the last one."""
    placeholder: str | None = None
    """Text that replaces the content of a tool result. The body loads the original only for `raw` and `record`."""

    @property
    def raw(self) -> Raw:
        """The message in its original wire format."""
        return self.body.load()[0]

    @property
    def record(self) -> Raw:
        """Other fields of the source record, such as ids, folders and structured results."""
        return self.body.load()[1]

    @property
    def parts(self) -> tuple[Part, ...]:
        return _RECENT.parts(self) if self.chars <= _MAX_KEPT_CHARS else parts_of(self.raw, self.dialect)

    @property
    def is_reply(self) -> bool:
        """True if the message was generated by a model rather than by the user or a program."""
        return self.role == "assistant" and self.kind not in ("notice", "injected", "copy", "summary")

    @property
    def kind_of_copy(self) -> Kind:
        """Kind of this message when it is repeated in a later context."""
        return "copy" if self.is_reply else self.kind

    def says_the_same(self, other: Message) -> bool:
        """Return True if role, length, preview and answered call are equal, without loading either message."""
        heads = [(one.role, one.chars, one.preview, one.answers) for one in (self, other)]
        return heads[0] == heads[1]

    @property
    def speaks(self) -> bool:
        """True if a speaker says something: a reply, or text of the user."""
        return self.role == "assistant" or (self.role == "user" and self.kind == "chat")

    @property
    def text(self) -> str:
        """Readable text of all parts, in order, separated by blank lines."""
        return "\n\n".join(part for part in map(readable, self.parts) if part)


_MAX_KEPT_CHARS = 16_384
"""Maximum length of a message whose parts are kept, in characters."""
_MAX_ALL_CHARS = 4_000_000
"""Maximum length of all messages whose parts are kept: at least those of one window."""


class _RecentParts:
    """The parts of the messages that were read last. Each question about a window reads the same ones."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[ref[Message], tuple[Part, ...]]] = {}
        """Messages by their `id`, which another message can have later."""
        self._chars = 0

    def parts(self, message: Message) -> tuple[Part, ...]:
        kept = self._kept.get(id(message))
        if kept is not None and kept[0]() is message:
            return kept[1]
        parts = parts_of(message.raw, message.dialect)
        self._chars += message.chars
        if self._chars > _MAX_ALL_CHARS:
            self._kept, self._chars = {}, message.chars
        self._kept[id(message)] = ref(message), parts
        return parts


_RECENT = _RecentParts()
