"""How each provider writes a message, and what it accepts."""

from __future__ import annotations

from inspector.providers.anthropic.wire import blocks_of, parts
from inspector.providers.message_rules import FOR_EVER, SAME_ID, Fault, Lengths, asked_between, blemishes_in, standing
from inspector.providers.metadata import MessageMetadata, head_of, joined
from inspector.providers.openai_chat.wire import as_text
from inspector.providers.placeholder import Retold, retold
from inspector.providers.registry import (
    make_message,
    parts_of,
    role_of,
    said,
    with_result_text,
    without_calls,
    without_inputs,
    without_thinking,
    written,
)
from inspector.providers.request import EXPORTS, Request
from inspector.providers.usage import larger, usage_of

__all__ = [
    "EXPORTS",
    "FOR_EVER",
    "SAME_ID",
    "Fault",
    "Lengths",
    "MessageMetadata",
    "Request",
    "Retold",
    "as_text",
    "asked_between",
    "blemishes_in",
    "blocks_of",
    "head_of",
    "joined",
    "larger",
    "make_message",
    "parts",
    "parts_of",
    "retold",
    "role_of",
    "said",
    "standing",
    "usage_of",
    "with_result_text",
    "without_calls",
    "without_inputs",
    "without_thinking",
    "written",
]
