"""What each provider's interface takes: how it writes messages and requests, and what it refuses."""

from __future__ import annotations

from inspector.providers.anthropic.request import turn_items
from inspector.providers.anthropic.wire import blocks_of
from inspector.providers.base import Provider, RecordedCall, Request, TextCounter, WireFormat
from inspector.providers.changes import argument_notes, order_notes, silence_notes
from inspector.providers.messages import (
    MessageMetadata,
    count_characters,
    join_metadata,
    message_from_raw,
    metadata_of,
    text_message,
    with_placeholder,
)
from inspector.providers.notes import export_notes
from inspector.providers.omissions import hidden_kinds, in_words
from inspector.providers.openai_chat.wire import as_text
from inspector.providers.openai_responses.reading import (
    SEALED,
    chat_form,
    chat_messages,
    is_item,
    is_request,
    is_sealed_summary,
    placed_messages,
)
from inspector.providers.registry import (
    DEFAULT_DIALECT,
    DIALECTS,
    PROVIDERS,
    dialect_of_message,
    provider_after,
    provider_by_name,
    provider_of,
    provider_of_call,
    usage_of,
    wire_of,
)
from inspector.providers.rules import Fault, Lengths, MessageGroups, MessageSequence, faults_at
from inspector.providers.tool_names import ToolNames, is_fit_name
from inspector.providers.tool_pairing import EMPTY, FIRST_WORDS, NEXT_WORDS, NO_RESULT, Turn, pair_turns, plain_id
from inspector.providers.usage import later_usage, token_count, usage_unless_zero

__all__ = [
    "DEFAULT_DIALECT",
    "DIALECTS",
    "EMPTY",
    "FIRST_WORDS",
    "NEXT_WORDS",
    "NO_RESULT",
    "PROVIDERS",
    "SEALED",
    "Fault",
    "Lengths",
    "MessageGroups",
    "MessageMetadata",
    "MessageSequence",
    "Provider",
    "RecordedCall",
    "Request",
    "TextCounter",
    "ToolNames",
    "Turn",
    "WireFormat",
    "argument_notes",
    "as_text",
    "blocks_of",
    "chat_form",
    "chat_messages",
    "count_characters",
    "dialect_of_message",
    "export_notes",
    "faults_at",
    "hidden_kinds",
    "in_words",
    "is_fit_name",
    "is_item",
    "is_request",
    "is_sealed_summary",
    "join_metadata",
    "later_usage",
    "message_from_raw",
    "metadata_of",
    "order_notes",
    "pair_turns",
    "placed_messages",
    "plain_id",
    "provider_after",
    "provider_by_name",
    "provider_of",
    "provider_of_call",
    "silence_notes",
    "text_message",
    "token_count",
    "turn_items",
    "usage_of",
    "usage_unless_zero",
    "wire_of",
    "with_placeholder",
]
