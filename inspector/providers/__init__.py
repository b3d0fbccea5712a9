"""What each provider's interface takes: how it writes messages and requests, and what it refuses."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, get_args

from inspector.conversation import Dialect, Part, Raw, parts_of, register_parser
from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.providers.anthropic.wire import blocks_of
    from inspector.providers.base import Provider, RecordedCall, Request, TextCounter, WireFormat
    from inspector.providers.messages import Placeholder, message_from_raw, text_message, with_placeholder
    from inspector.providers.metadata import MessageMetadata, count_characters, join_metadata, metadata_of
    from inspector.providers.openai_chat.wire import as_text
    from inspector.providers.registry import (
        DEFAULT_DIALECT,
        DIALECTS,
        PROVIDERS,
        dialect_of_message,
        provider_after,
        provider_named,
        provider_of,
        provider_of_call,
        usage_of,
        wire_of,
    )
    from inspector.providers.rules import Fault, Lengths, MessageGroups, MessageSequence, faults_at
    from inspector.providers.usage import later_usage

__all__ = [
    "DEFAULT_DIALECT",
    "DIALECTS",
    "PROVIDERS",
    "Fault",
    "Lengths",
    "MessageGroups",
    "MessageMetadata",
    "MessageSequence",
    "Placeholder",
    "Provider",
    "RecordedCall",
    "Request",
    "TextCounter",
    "WireFormat",
    "as_text",
    "blocks_of",
    "count_characters",
    "dialect_of_message",
    "faults_at",
    "join_metadata",
    "later_usage",
    "message_from_raw",
    "metadata_of",
    "provider_after",
    "provider_named",
    "provider_of",
    "provider_of_call",
    "text_message",
    "usage_of",
    "wire_of",
    "with_placeholder",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.providers.anthropic.wire": "blocks_of",
        "inspector.providers.base": "Provider RecordedCall Request TextCounter WireFormat",
        "inspector.providers.messages": "Placeholder message_from_raw text_message with_placeholder",
        "inspector.providers.metadata": "MessageMetadata count_characters join_metadata metadata_of",
        "inspector.providers.openai_chat.wire": "as_text",
        "inspector.providers.registry": (
            "DEFAULT_DIALECT DIALECTS PROVIDERS dialect_of_message provider_after provider_named provider_of "
            "provider_of_call usage_of wire_of"
        ),
        "inspector.providers.rules": "Fault Lengths MessageGroups MessageSequence faults_at",
        "inspector.providers.usage": "later_usage",
    },
)


def _load_and_parse(dialect: Dialect, raw: Raw) -> tuple[Part, ...]:
    """Read the first message of all: the registry takes this function's place by the parsers themselves."""
    import_module("inspector.providers.registry")
    return parts_of(raw, dialect)


for _dialect in get_args(Dialect):
    register_parser(_dialect, partial(_load_and_parse, _dialect))
