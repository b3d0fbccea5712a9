"""The interface of a provider: its wire format, its rules, its requests, and its token counts of tools and images.

A *provider* is an API that receives requests. A *wire format* is the JSON form of a single message, and its name is the
`dialect` of a message. Providers can share a wire format: messages of OpenAI's Responses API are stored in the format
of its chat API. See CONTRIBUTING.md for how to add a provider.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from inspector.core.conversation import Dialect, Image, Message, Part, ProviderName, Raw, RequestContext, Role, Usage
from inspector.llm.providers.rules import ContentRule, Fault, Lengths, MessageSequence

Request = dict[str, Any]
"""Body of a request, as JSON values."""


class WireFormat(Protocol):
    """JSON form of a message. Methods accept any input without raising, and never modify a raw message."""

    name: Dialect

    @abstractmethod
    def parse(self, raw: Raw) -> tuple[Part, ...]:
        """Return the parts of a raw message. Unrecognised blocks become `Unknown` parts with their JSON."""

    @abstractmethod
    def role(self, raw: Raw) -> Role:
        """Return the role of a raw message; "user" if its role is not recognised."""

    @abstractmethod
    def encode(self, role: Role, parts: Sequence[Part], name: str = "") -> Raw:
        """Return parts as a raw message, for converting a message to this wire format.

        Args:
            role: Role of the message. If it is "tool", one of the parts is a `ToolResult`.
            parts: Parts of the message.
            name: Name of the tool, for a tool result.
        """

    @abstractmethod
    def split(self, raw: Raw) -> list[Raw]:
        """Split a raw message into messages that contain either one tool result or none."""

    @abstractmethod
    def join(self, pieces: Sequence[Raw]) -> list[Raw]:
        """Join the pieces of a split message: one message, or several if the format has one message per result."""

    @abstractmethod
    def with_result_text(self, raw: Raw, text: str) -> Raw:
        """Return a tool result with its content replaced by `text`."""

    @abstractmethod
    def with_call_id(self, raw: Raw, id: str) -> Raw:
        """Return a tool result that answers the call `id` instead."""

    @abstractmethod
    def result_as_words(self, raw: Raw) -> Raw:
        """Return the content of a tool result as a user message."""

    @abstractmethod
    def without_calls(self, raw: Raw, places: Sequence[int]) -> Raw | None:
        """Return a raw message without some of its tool calls.

        Args:
            raw: The message.
            places: Indices of the calls to remove, counted over the calls of the message.

        Returns:
            The message, or None if nothing readable remains.
        """

    @abstractmethod
    def without_inputs(self, raw: Raw) -> Raw:
        """Return a raw message with the arguments of its tool calls emptied."""

    @abstractmethod
    def without_thinking(self, raw: Raw) -> Raw | None:
        """Return a raw message without its thinking, or None if nothing remains."""

    @abstractmethod
    def is_odd(self, raw: Raw) -> bool:
        """Return True if a message has an invalid role, name or block type that its parts do not show."""

    @abstractmethod
    def confidence(self, raw: Raw) -> float:
        """Return the confidence, from 0 (no evidence) to 1 (certain), that a raw message has this wire format."""


@dataclass(slots=True)
class RecordedCall:
    """A recorded request and its reply, if recorded, from which the provider is detected."""

    messages: list[Any] = field(default_factory=list)
    system: Any = None
    tools: list[Any] = field(default_factory=list)
    model: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    """All fields of the request."""
    reply: dict[str, Any] | None = None
    """Message of the reply."""
    reply_record: dict[str, Any] = field(default_factory=dict)
    """Other fields of the reply."""

    @property
    def raws(self) -> list[Raw]:
        """Messages that are JSON objects, followed by the reply."""
        messages = (*self.messages, self.reply)
        return [message for message in messages if isinstance(message, Mapping)]


class TextCounter(Protocol):
    """Counts the tokens of texts."""

    @property
    def name(self) -> str:
        """Name of the encoding."""

    def count(self, text: str) -> int: ...


class Provider(Protocol):
    """An API that receives requests. Instances are stateless; `PROVIDERS` contains one of each."""

    name: ProviderName
    title: str
    """Display name."""
    wire: WireFormat
    families: frozenset[str]
    """Families and makers of models that are served by this API, as named by `inspector.llm.models`."""
    content: ContentRule
    """Rules for the content of a message."""
    settings: frozenset[str]
    """Request fields other than model, messages, system prompt and tools."""

    @abstractmethod
    def confidence(self, call: RecordedCall) -> float:
        """Return the confidence, from 0 (no evidence) to 1 (certain), that a recorded call was sent to this API."""

    @abstractmethod
    def usage(self, report: Raw) -> Usage | None:
        """Return the usage reported with a reply, or None if it has another provider's form or is zero."""

    @abstractmethod
    def message_faults(self, messages: Sequence[Message], lengths: Lengths) -> Iterator[Fault]:
        """Yield faults of single messages, with the provider's error messages.

        A message is only read if `Message.has_flaw` is True or None, and only once.

        Args:
            messages: Messages of a window.
            lengths: Lengths of the prefixes of the window to check, in ascending order.
        """

    @abstractmethod
    def mend(self, message: Message) -> Raw | None:
        """Return a raw message without content that the provider rejects, or None if nothing remains.

        A message in another wire format is returned unchanged. Calls and results are kept.
        """

    def refused_end(self, sequence: MessageSequence) -> str:
        """Return the error message for a final message that needs a successor, or an empty string if it is accepted."""
        return ""

    @abstractmethod
    def size_fault(self, limit: int) -> str:
        """Return the error message for a request of more than `limit` tokens, the context window of its model."""

    @abstractmethod
    def sequence_faults(self, sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
        """Yield faults in the order of messages, and in tool calls and their results.

        Args:
            sequence: The window.
            lengths: Lengths of the prefixes of the window to check, in ascending order.
        """

    @abstractmethod
    def context_refusals(self, context: RequestContext) -> Iterator[str]:
        """Yield error messages about recorded tools and settings that their model or the API rejects.

        Only tools and settings in the provider's own wire format are checked, since others are converted. `request`
        fixes everything that is reported here.
        """

    def request_faults(self, sequence: MessageSequence) -> Iterator[Fault]:
        """Yield faults of the request as a whole, such as invalid tools and settings."""
        return (Fault(-1, words, 0) for words in self.context_refusals(sequence.context))

    @abstractmethod
    def request(self, context: RequestContext, messages: Sequence[Message]) -> Request:
        """Build a valid request from any messages, in any order.

        Messages in the provider's own wire format are kept as recorded; others are converted part by part. Settings of
        the context are included if the provider has an equivalent.

        Args:
            context: Model, tools and settings of the request.
            messages: Messages of the request.
        """

    @abstractmethod
    def count_tools(self, tools: Iterable[Raw], counter: TextCounter) -> int:
        """Return the uncalibrated tokens of all tool definitions of a request; 0 without tools. Never raises."""

    @abstractmethod
    def image_tokens(self, image: Image) -> int:
        """Return the tokens of an image at full detail. An image of unknown size counts as a typical large one."""
