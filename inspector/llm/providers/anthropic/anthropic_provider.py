"""Provider for Anthropic's Messages API: https://docs.anthropic.com/en/api/messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import ceil

from inspector.core.conversation import Image, Message, Raw, RequestContext, Usage
from inspector.core.text import dumps
from inspector.llm.providers.anthropic import anthropic_rules
from inspector.llm.providers.anthropic.anthropic_request import messages_request, repaired_message
from inspector.llm.providers.anthropic.anthropic_settings import context_refusals
from inspector.llm.providers.anthropic.anthropic_wire import ANTHROPIC_WIRE
from inspector.llm.providers.base import Provider, RecordedCall, Request, TextCounter
from inspector.llm.providers.rules import Fault, Lengths, MessageSequence
from inspector.llm.providers.usage import token_count, usage_unless_zero

_CLAUDE = re.compile(r"(^|[/.])claude", re.IGNORECASE)
_LONG_EDGE = 1_568
_PIXELS_PER_TOKEN = 750
_LARGEST_IMAGE = 1_600
"""Maximum tokens of an image. Larger images are scaled down to it. Also used for images of unknown size."""

_SETTINGS = (
    "max_tokens metadata stop_sequences stream temperature thinking tool_choice top_k top_p service_tier "
    "container context_management mcp_servers output_config output_format speed"
)


class Anthropic(Provider):
    """Anthropic's Messages API."""

    name = "anthropic"
    title = "Anthropic"
    wire = ANTHROPIC_WIRE
    families = frozenset({"anthropic"})
    content = anthropic_rules.CONTENT
    settings = frozenset(_SETTINGS.split())

    def confidence(self, call: RecordedCall) -> float:
        """Return the confidence from block types, a separate system prompt, tool schemas, the model, or the reply."""
        if sure := max(map(self.wire.confidence, call.raws), default=0.0):
            return sure
        if call.system is not None or any("input_schema" in tool for tool in call.tools):
            return 0.8
        if "max_tokens" in call.fields and _CLAUDE.search(call.model):
            return 0.7
        return 0.3 if call.reply_record.get("type") == "message" else 0.0

    def usage(self, report: Raw) -> Usage | None:
        """Return the reported usage. Anthropic reports cache reads and writes separately from uncached input.

        Tokens written to the one-hour cache are kept apart because their price differs.
        """
        read, written = (
            token_count(report, "cache_read_input_tokens"),
            token_count(report, "cache_creation_input_tokens"),
        )
        tokens_in = token_count(report, "input_tokens") + read + written
        for_an_hour = min(written, token_count(report.get("cache_creation"), "ephemeral_1h_input_tokens"))
        return usage_unless_zero(tokens_in, token_count(report, "output_tokens"), read, written, for_an_hour)

    def message_faults(self, messages: Sequence[Message], lengths: Lengths) -> Iterator[Fault]:
        return anthropic_rules.message_faults(messages)

    def mend(self, message: Message) -> Raw | None:
        return repaired_message(message)

    def refused_end(self, sequence: MessageSequence) -> str:
        return anthropic_rules.refused_end(sequence)

    def size_fault(self, limit: int) -> str:
        return f"prompt is too long: more than the maximum of {limit} tokens"

    def sequence_faults(self, sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
        return anthropic_rules.sequence_faults(sequence, lengths)

    def context_refusals(self, context: RequestContext) -> Iterator[str]:
        return context_refusals(context)

    def request_faults(self, sequence: MessageSequence) -> Iterator[Fault]:
        return anthropic_rules.request_faults(sequence)

    def request(self, context: RequestContext, messages: Sequence[Message]) -> Request:
        return messages_request(context, messages)

    def count_tools(self, tools: Iterable[Raw], counter: TextCounter) -> int:
        """Return the tokens of tools as compact JSON, an estimate because Anthropic does not publish their format."""
        return sum(counter.count(dumps(tool)) for tool in tools)

    def image_tokens(self, image: Image) -> int:
        """Return the tokens of an image: one per 750 pixels after scaling to a long edge of 1568, at most 1,600.

        See https://docs.anthropic.com/en/docs/build-with-claude/vision#calculate-image-costs.
        """
        if image.width <= 0 or image.height <= 0:
            return _LARGEST_IMAGE
        scale = min(1.0, _LONG_EDGE / max(image.width, image.height))
        return min(_LARGEST_IMAGE, ceil(image.width * scale * image.height * scale / _PIXELS_PER_TOKEN))
