"""Messages of agents, and their conversion to and from messages of the log.

An unchanged message is returned as the same object that was added. Chat messages, Anthropic's blocks and calls as SDK
objects are supported; unknown content is kept unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from operator import is_
from typing import Any

from inspector.core.conversation import Dialect, Kind, Message, Raw
from inspector.engine.prompts import format_history as format_messages
from inspector.engine.summaries import field_of
from inspector.llm.providers import DEFAULT_DIALECT, blocks_of, dialect_of_message, message_from_raw, wire_of
from inspector.memory.foreign_messages import foreign_messages
from inspector.memory.message_repair import mend

_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")
_FURTHER = (
    *("function_call", "refusal", "audio"),
    *("reasoning_content", "thinking_blocks", "reasoning", "reasoning_details"),
)
"""Fields of a client's objects that go back to the model with a reply."""


@dataclass(frozen=True)
class LLMMessage:
    """One message of a chat.

    `role` is "system", "user", "assistant" or "tool". `content` is text, None, or a list of blocks in OpenAI's or
    Anthropic's form. `tool_calls` are the calls of a reply, as dictionaries or objects of an SDK, and `tool_call_id` is
    the call that a message with role "tool" answers. `name` is the name of the tool or of the speaker. `further` has
    all other fields, such as `reasoning_content`, which are sent unchanged.
    """

    role: str
    content: Any = None
    tool_calls: Sequence[Any] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    further: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    @property
    def text(self) -> str:
        """Everything a person would read in it."""
        if isinstance(self.content, str) and not self.tool_calls and not self.further:
            return self.content
        raw = self.to_dict()
        dialect = dialect_of_message(raw)
        return "\n\n".join(message_from_raw("", piece, dialect).text for piece in wire_of(dialect).split(raw))

    def to_dict(self) -> dict[str, Any]:
        """Return the message in the form of a chat API, without unset fields."""
        content = self.content
        if isinstance(content, list | tuple):
            content = [block_as_dict(block) for block in content]
        raw: dict[str, Any] = {"role": self.role, "content": content}
        if self.tool_calls:
            raw["tool_calls"] = [_call_as_dict(call) for call in self.tool_calls]
        if self.tool_call_id is not None:
            raw["tool_call_id"] = self.tool_call_id
        if self.name is not None:
            raw["name"] = self.name
        return raw | {key: value for key, value in self.further.items() if key not in _FIELDS}


def as_messages(message: Any) -> list[LLMMessage]:
    """Return the messages in a value that `as_message` accepts, or in a message of another API or library.

    Raises:
        ValueError: The value is no message.
    """
    raws = None if isinstance(message, LLMMessage | str) else foreign_messages(message)
    return [as_message(message)] if raws is None else list(map(message_of, raws))


def format_history(messages: Iterable[Any]) -> str:
    """Return messages as entries on separate lines that start with the speaker. Calls and results include their ids.

    Args:
        messages: Messages of a prompt, or messages in any form that `MemoryManager.add_message` accepts.

    Raises:
        ValueError: A value is no message.
    """
    return format_messages(piece for message in messages for piece in _history_pieces(message))


def _history_pieces(message: Any) -> Iterator[Message]:
    if isinstance(message, Message):
        yield message
        return
    for raw in (source.to_dict() for source in as_messages(message)):
        dialect = dialect_of_message(raw)
        yield from (message_from_raw("", piece, dialect) for piece in wire_of(dialect).split(raw))


def as_message(message: Any, otherwise: str = "") -> LLMMessage:
    """Return a message from an `LLMMessage`, a dictionary, an object with the same fields, or the text of a user.

    Args:
        message: The value.
        otherwise: Role for values without one; "" to reject them.

    Raises:
        ValueError: The value has no role, and `otherwise` is empty.
    """
    if isinstance(message, LLMMessage):
        return message
    if isinstance(message, str):
        return LLMMessage("user", message)
    role, content, calls, call, name = (field_of(message, field) for field in _FIELDS)
    role = role if isinstance(role, str) and role else otherwise
    if not role:
        raise ValueError(f"A message states its role, such as 'user', but a {type(message).__name__} has none.")
    return LLMMessage(role, content, calls or None, call, name, further_fields(message))


def further_fields(message: Any) -> dict[str, Any]:
    """Return the fields of a message that `LLMMessage` does not have: all of a dictionary, and known ones of an
    object."""
    if isinstance(message, Mapping):
        return {str(key): value for key, value in message.items() if key not in _FIELDS}
    return reply_fields(message)


def reply_fields(reply: Any) -> dict[str, Any]:
    """Return the fields of a reply that go back to the model, in addition to those of `LLMMessage`."""
    values = {name: field_of(reply, name) for name in _FURTHER}
    return {name: _as_dict(value) for name, value in values.items() if value is not None}


def _as_dict(value: Any) -> Any:
    """Return a value as JSON values, converting objects of a client."""
    if isinstance(value, list | tuple):
        return [_as_dict(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else block_as_dict(value)


def block_as_dict(block: Any) -> Any:
    """Return a block of a message's content as a dictionary, converting objects of a client."""
    if isinstance(block, Mapping | str):
        return block
    if callable(dump := getattr(block, "model_dump", None)):
        return dump(exclude_none=True)
    return dict(vars(block)) if hasattr(block, "__dict__") else block


def _call_as_dict(call: Any) -> dict[str, Any]:
    """Return a tool call in any form as a dictionary."""
    if isinstance(call, Mapping):
        return dict(call)
    if callable(dump := getattr(call, "model_dump", None)):
        return dict(dump(exclude_none=True))
    function = getattr(call, "function", call)
    arguments = getattr(function, "arguments", getattr(function, "input", None))
    body = {"name": getattr(function, "name", ""), "arguments": {} if arguments is None else arguments}
    return {"id": getattr(call, "id", "") or "", "type": "function", "function": body}


@dataclass(frozen=True, slots=True)
class _Origin:
    """Source of a message of the log."""

    source: LLMMessage
    number: int
    """Tells apart what was handed over, also where it is twice the same object."""
    pieces: int
    """Into how many messages of the log it went."""
    message: Message
    """This one of them."""


def now() -> str:
    """Return the UTC time in the format of the store."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class MessageAdapter:
    """Maps messages of the log to added messages. One with several results becomes several.

    `provider` is the target form. Messages that the provider would reject are repaired.
    """

    def __init__(self, provider: Dialect = DEFAULT_DIALECT) -> None:
        self._provider = provider
        self._origins: dict[str, _Origin] = {}
        self._open_calls: Counter[str] = Counter()
        """Ids of the calls of the newest reply that have no result yet, in the order in which they were made."""
        self._count = 0

    def to_log(self, message: LLMMessage) -> list[Message]:
        """Return the messages of the log for a message. An empty message becomes a notice, which is never sent.

        Takes time linear in the message.
        """
        raw = message.to_dict()
        dialect = dialect_of_message(raw)
        number = self._count
        sound = mend(raw, dialect, self._provider)
        if sound is None:
            notice = self._message(raw, dialect, "notice")
            self._origins[notice.id] = _Origin(message, number, 1, notice)
            return [notice]
        pieces = [self._message(piece, dialect) for piece in wire_of(dialect).split(sound)]
        messages = []
        for piece in pieces:
            messages.append(self._adopt(piece, dialect))
            self._note_calls(messages[-1])
        source = message if sound is raw and all(map(is_, messages, pieces)) else _merge(messages)
        for piece in messages:
            self._origins[piece.id] = _Origin(source, number, len(messages), piece)
        return messages

    def readmit(self, pieces: Sequence[Message], source: LLMMessage | None = None) -> None:
        """Restore the log messages of an added message, which `to_log` made in another process.

        Args:
            pieces: Messages of the log.
            source: Added message, if it became several messages and represents them unchanged.
        """
        number = self._count
        for piece in pieces:
            self._count = int(piece.id.removeprefix("m"))
            self._note_calls(piece)
            self._origins[piece.id] = _Origin(source or _merge(pieces), number, len(pieces), piece)

    def forget(self, pieces: Sequence[Message], log: Sequence[Message]) -> None:
        """Forget the newest messages of `to_log`, which were not added to the log.

        Args:
            pieces: Messages to forget.
            log: Log without them.
        """
        for piece in pieces:
            self._origins.pop(piece.id, None)
        self._open_calls = Counter()
        for message in log:
            if message.kind != "notice":
                self._note_calls(message)

    def _message(self, raw: Raw, dialect: Dialect, kind: Kind = "chat") -> Message:
        self._count += 1
        return message_from_raw(f"m{self._count}", raw, dialect, kind=kind, time=now())

    def _adopt(self, message: Message, dialect: Dialect) -> Message:
        """Assign a result without an id to the oldest open call, or make it a text if there is no open call."""
        if message.answers != "" or "" in self._open_calls:
            return message
        call_id = next(iter(self._open_calls), None)
        if call_id is not None:
            return message_from_raw(
                message.id, wire_of(dialect).with_call_id(message.raw, call_id), dialect, time=now()
            )
        words = wire_of(dialect).result_as_words(message.raw)
        return message_from_raw(message.id, words, dialect, kind="injected", time=message.time)

    def _note_calls(self, message: Message) -> None:
        if message.answers is not None and message.answers in self._open_calls:
            self._open_calls[message.answers] -= 1
            self._open_calls += Counter()
        elif message.role == "assistant":
            self._open_calls = Counter(call.id for call in message.calls)

    def original(self, message: Message) -> LLMMessage | None:
        """Return the added message of a log message, or None for a summary."""
        origin = self._origins.get(message.id)
        return origin.source if origin else None

    def runs(self, messages: Sequence[Message]) -> list[list[int]]:
        """Return the positions of messages, grouped by the message from which they were added."""
        places = groupby(range(len(messages)), key=lambda place: self._run(place, messages[place]))
        return [list(run) for _, run in places]

    def to_llm(self, messages: Sequence[Message]) -> list[LLMMessage]:
        """Return messages of a window as they are to be sent: the added objects, or new ones if something changed."""
        return [self._join([messages[place] for place in run]) for run in self.runs(messages)]

    def _run(self, place: int, message: Message) -> tuple[bool, int]:
        """Return an equal value for adjacent messages that were added as one message, and for no others."""
        origin = self._origins.get(message.id)
        return (True, origin.number) if origin and origin.pieces > 1 else (False, place)

    def _join(self, run: Sequence[Message]) -> LLMMessage:
        """Return the message of which these are the pieces: the added object unless something is missing or changed."""
        if len(run) == 1:  # as nearly all are
            origin = self._origins.get(run[0].id)
            if origin and origin.pieces == 1 and origin.message is run[0]:
                return origin.source
        origins = [self._origins.get(message.id) for message in run]
        first = origins[0]
        if first and len(run) == first.pieces and all(o and o.message is m for o, m in zip(origins, run, strict=True)):
            return first.source
        return _merge(run)


def _merge(run: Sequence[Message]) -> LLMMessage:
    """Return one message from its pieces in their current state."""
    if len(run) == 1:
        return message_of(run[0].raw)
    return LLMMessage(str(run[0].raw.get("role", "user")), [block for piece in run for block in blocks_of(piece.raw)])


def message_of(raw: Raw) -> LLMMessage:
    """Return a message from its raw form."""
    calls, call, name = raw.get("tool_calls"), raw.get("tool_call_id"), raw.get("name")
    return LLMMessage(str(raw.get("role", "user")), raw.get("content"), calls or None, call, name, further_fields(raw))
