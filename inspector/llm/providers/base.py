"""What a provider is: how its messages are written, what it refuses, what it is sent, and what that costs in tokens.

A *provider* is an interface that takes requests. Its *wire format* is how one message is written down, and the name of
a wire format is the `dialect` of a message. Two providers may share one: OpenAI's Responses interface takes items made
of the messages of its chat interface. To add a provider, see CONTRIBUTING.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspector.core.conversation import Dialect, Image, Message, Part, ProviderName, Raw, RequestContext, Role, Usage
from inspector.llm.providers.rules import ContentRule, Fault, Lengths, MessageSequence

Request = dict[str, Any]
"""A request as its provider takes it: the body of the call, as JSON values."""


class WireFormat(Protocol):
    """How one message is written down. No method raises, whatever it is given, or changes a raw message."""

    name: Dialect

    @abstractmethod
    def parse(self, raw: Raw) -> tuple[Part, ...]:
        """The parts of a raw message. What is not understood comes back as `Unknown`, with its own JSON."""

    @abstractmethod
    def role(self, raw: Raw) -> Role:
        """Who a raw message says it is from; "user" where it names a role that is not known."""

    @abstractmethod
    def encode(self, role: Role, parts: Sequence[Part], name: str = "") -> Raw:
        """Parts as a raw message: how a message crosses from one wire format to another.

        With the role "tool", one of the parts is a `ToolResult`; `name` is that of its tool.
        """

    @abstractmethod
    def split(self, raw: Raw) -> list[Raw]:
        """A raw message as messages that hold either one tool result or none."""

    @abstractmethod
    def join(self, pieces: Sequence[Raw]) -> list[Raw]:
        """What `split` has split, as it is sent: one message, or several where each result is one of its own."""

    @abstractmethod
    def with_result_text(self, raw: Raw, text: str) -> Raw:
        """A tool result whose content is `text`; all else is as it was."""

    @abstractmethod
    def with_call_id(self, raw: Raw, id: str) -> Raw:
        """A tool result that answers the call `id`; all else is as it was."""

    @abstractmethod
    def result_as_words(self, raw: Raw) -> Raw:
        """The content of a tool result as a message of the user."""

    @abstractmethod
    def without_calls(self, raw: Raw, places: Sequence[int]) -> Raw | None:
        """A raw message without some of its tool calls, by place; None when it then says nothing to anybody."""

    @abstractmethod
    def without_inputs(self, raw: Raw) -> Raw:
        """A raw message whose tool calls have lost their arguments; all else is as it was."""

    @abstractmethod
    def without_thinking(self, raw: Raw) -> Raw | None:
        """A raw message without its thinking; None when there would be nothing left of it."""

    @abstractmethod
    def is_odd(self, raw: Raw) -> bool:
        """Whether a raw message has a role, a name or a kind of block that the form has not, where no part tells it."""

    @abstractmethod
    def confidence(self, raw: Raw) -> float:
        """How surely a raw message is in this form, from 0 (nothing says so) to 1 (no other form has this)."""


@dataclass(slots=True)
class RecordedCall:
    """A request as it was recorded, and its reply where that was recorded too: what a provider is told apart by."""

    messages: list[Any] = field(default_factory=list)
    system: Any = None
    tools: list[Any] = field(default_factory=list)
    model: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    """All the fields of the request."""
    reply: dict[str, Any] | None = None
    """The message in the reply."""
    reply_record: dict[str, Any] = field(default_factory=dict)
    """All other fields of the reply."""

    @property
    def raws(self) -> list[Raw]:
        """The messages that are JSON objects, the reply behind them."""
        messages = (*self.messages, self.reply)
        return [message for message in messages if isinstance(message, Mapping)]


class TextCounter(Protocol):
    """Counts the tokens of texts."""

    @property
    def name(self) -> str:
        """The name of the encoding."""

    def count(self, text: str) -> int: ...


class Provider(Protocol):
    """One interface that takes requests. Its objects have no state: `PROVIDERS` holds one of each."""

    name: ProviderName
    title: str
    """The name that people know it by."""
    wire: WireFormat
    families: frozenset[str]
    """Families and makers of models that are asked through it, as `inspector.llm.models` names them."""
    content: ContentRule
    """What it refuses inside a message."""
    settings: frozenset[str]
    """Fields of its requests beside the model, the messages, the system prompt and the tools."""

    @abstractmethod
    def confidence(self, call: RecordedCall) -> float:
        """How surely a recorded call was made to this provider, from 0 (nothing says so) to 1."""

    @abstractmethod
    def usage(self, report: Raw) -> Usage | None:
        """The usage that the provider reported with a reply; None where it is not in its words, or all zero."""

    @abstractmethod
    def message_faults(self, messages: Sequence[Message], lengths: Lengths) -> Iterator[Fault]:
        """What the provider would refuse about each message by itself, in its own words.

        `lengths` are the beginnings of the list that are asked for. A message is read only where it has a flaw, or
        where nobody has looked for one yet; then once in its life.
        """

    @abstractmethod
    def mend(self, message: Message) -> Raw | None:
        """A message without what is refused inside it, as `request` writes it; None where it then says nothing.

        What was not recorded in the provider's own form comes back as it is. Calls and results stay what they are.
        """

    def refused_end(self, sequence: MessageSequence) -> str:
        """The words that it refuses the last message with because nothing follows it; empty where it takes it."""
        return ""

    @abstractmethod
    def size_fault(self, limit: int) -> str:
        """The words that a request is refused with that takes more than the `limit` tokens of its model's window."""

    @abstractmethod
    def sequence_faults(self, sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
        """What the provider would refuse about the order of messages, and about calls and their results."""

    @abstractmethod
    def context_refusals(self, context: RequestContext) -> Iterator[str]:
        """The words that it refuses tools and settings with that were recorded in its own form, for their model.

        `request` puts right what is told here; what was recorded in another form is written anew.
        """

    def request_faults(self, sequence: MessageSequence) -> Iterator[Fault]:
        """What the provider would refuse about what stands around the messages, whichever they are."""
        return (Fault(-1, words, 0) for words in self.context_refusals(sequence.context))

    @abstractmethod
    def request(self, context: RequestContext, messages: Sequence[Message]) -> Request:
        """A request with `messages` that the provider takes, whatever they are and whatever order they come in.

        What was recorded in the provider's own form goes out as it came in; what was not crosses over part by part.
        The settings of `context` go along where they mean the same.
        """

    @abstractmethod
    def count_tools(self, tools: Iterable[Raw], counter: TextCounter) -> int:
        """Tokens of all tool definitions of a request, uncalibrated; 0 without tools. Never raises."""

    @abstractmethod
    def image_tokens(self, image: Image) -> int:
        """Tokens of a picture at full detail; of a typical large one where its size in pixels is not known."""
