"""OpenAI's Responses interface as a provider: https://platform.openai.com/docs/api-reference/responses.

Recorded messages are in the wire format of the chat interface; requests are made of items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.conversation import Image, Message, Raw, RequestContext, Usage
from inspector.providers.base import Provider, RecordedCall, Request, TextCounter
from inspector.providers.openai_chat import tokens
from inspector.providers.openai_chat.wire import OPENAI_CHAT_WIRE
from inspector.providers.openai_responses import rules
from inspector.providers.openai_responses.request import SAME_SETTINGS, responses_request
from inspector.providers.rules import Fault, Lengths, MessageSequence
from inspector.providers.usage import token_count, usage_unless_zero


class OpenAIResponses(Provider):
    name = "openai-responses"
    title = "OpenAI Responses"
    wire = OPENAI_CHAT_WIRE
    families: frozenset[str] = frozenset()
    """None: who names a model only is asked through the chat interface."""
    settings = SAME_SETTINGS | frozenset(["max_output_tokens", "reasoning", "text", "tool_choice"])

    def confidence(self, call: RecordedCall) -> float:
        """Only this interface takes its messages as `input`, and answers with an object of this kind."""
        responses_call = "input" in call.fields and "messages" not in call.fields
        return 1.0 if responses_call or call.reply_record.get("object") == "response" else 0.0

    def usage(self, report: Raw) -> Usage | None:
        """The names are Anthropic's, but cached tokens are counted inside the input."""
        if "input_tokens_details" not in report:
            return None
        cached = token_count(report["input_tokens_details"], "cached_tokens")
        return usage_unless_zero(token_count(report, "input_tokens"), token_count(report, "output_tokens"), cached, 0)

    def message_faults(self, messages: Sequence[Message], lengths: Lengths, closely: bool) -> Iterator[Fault]:
        return rules.message_faults(messages, closely)

    def sequence_faults(self, sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
        return rules.sequence_faults(sequence, lengths)

    def request(self, context: RequestContext, messages: Sequence[Message]) -> Request:
        return responses_request(context, messages)

    def count_tools(self, tools: Iterable[Raw], counter: TextCounter) -> int:
        return tokens.count_tools(tools, counter)

    def image_tokens(self, image: Image) -> int:
        return tokens.image_tokens(image)
